"""The SDK of OpenAI: Chat Completions and Responses."""

import openai

PACKAGE = "openai"


def connect(url):
    client = openai.OpenAI(base_url=f"{url}/openai/v1", api_key="none", max_retries=0)
    return {"openai_chat": Chat(client), "openai_responses": Responses(client)}


def tools(job):
    return {"tools": job["tools"]} if job["tools"] else {}


class Chat:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        answer = self.client.chat.completions.create(model=job["model"], messages=job["messages"], **tools(job))
        return {"content": answer.choices[0].message.content}

    def streams(self, job):
        with self.client.chat.completions.stream(model=job["model"], messages=job["messages"]) as stream:
            message = stream.get_final_completion().choices[0].message
        return {"content": message.content or "", "tool_calls": [self.call(call) for call in message.tool_calls or []]}

    @staticmethod
    def call(call):
        if call.type == "custom":
            return {"id": call.id, "name": call.custom.name, "input": call.custom.input}
        return {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}


class Responses:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        answer = self.client.responses.create(model=job["model"], input=job["messages"], **tools(job))
        return {"content": answer.output_text}

    def streams(self, job):
        with self.client.responses.stream(model=job["model"], input=job["messages"]) as stream:
            response = stream.get_final_response()
        calls = [item for item in response.output if item.type in ("function_call", "custom_tool_call")]
        return {"content": response.output_text, "tool_calls": [self.call(item) for item in calls]}

    @staticmethod
    def call(item):
        if item.type == "custom_tool_call":
            return {"id": item.call_id, "name": item.name, "input": item.input}
        return {"id": item.call_id, "name": item.name, "arguments": item.arguments}
