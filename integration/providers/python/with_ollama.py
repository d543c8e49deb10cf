"""The SDK of Ollama: chat."""

import ollama

PACKAGE = "ollama"


def connect(url):
    return {"ollama": Chat(ollama.Client(host=f"{url}/ollama"))}


class Chat:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        answer = self.client.chat(model=job["model"], messages=job["messages"], tools=job["tools"] or None)
        return {"content": answer.message.content}

    def streams(self, job):
        texts, calls = [], []
        for part in self.client.chat(model=job["model"], messages=job["messages"], stream=True):
            texts.append(part.message.content or "")
            for call in part.message.tool_calls or []:
                calls.append({"name": call.function.name, "arguments": dict(call.function.arguments)})
        return {"content": "".join(texts), "tool_calls": calls}
