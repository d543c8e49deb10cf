"""The SDK of Anthropic: Messages."""

import anthropic

PACKAGE = "anthropic"


def connect(url):
    return {"anthropic_messages": Messages(anthropic.Anthropic(base_url=f"{url}/anthropic", api_key="none", max_retries=0))}


class Messages:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        tools = {"tools": job["tools"]} if job["tools"] else {}
        answer = self.client.messages.create(model=job["model"], max_tokens=1000, messages=job["messages"], **tools)
        return {"content": answer.content[0].text}

    def streams(self, job):
        with self.client.messages.stream(model=job["model"], max_tokens=1000, messages=job["messages"]) as stream:
            message = stream.get_final_message()
        uses = [block for block in message.content if block.type == "tool_use"]
        return {
            "content": "".join(block.text for block in message.content if block.type == "text"),
            "tool_calls": [{"id": use.id, "name": use.name, "arguments": use.input} for use in uses],
        }
