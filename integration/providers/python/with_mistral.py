"""The SDK of Mistral: chat completions."""

from mistralai.client import Mistral

PACKAGE = "mistralai"


def connect(url):
    return {"mistral": Chat(Mistral(api_key="none", server_url=f"{url}/mistral"))}


class Chat:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        answer = self.client.chat.complete(model=job["model"], messages=job["messages"], tools=job["tools"] or None)
        return {"content": answer.choices[0].message.content}

    def streams(self, job):
        """The SDK parses the chunks, and leaves it to its user to put calls together."""
        texts, calls, at = [], {}, {}
        with self.client.chat.stream(model=job["model"], messages=job["messages"]) as stream:
            for event in stream:
                for choice in event.data.choices:
                    texts.append(choice.delta.content or "")
                    for part in choice.delta.tool_calls or []:
                        # The first part of a call has its id; "null" stands for none.
                        key = at.get(part.index) if part.id == "null" else part.id
                        at[part.index] = key
                        call = calls.setdefault(key, {"id": key, "name": part.function.name, "arguments": ""})
                        arguments = part.function.arguments
                        if isinstance(arguments, str):
                            arguments = call["arguments"] + arguments
                        call["arguments"] = arguments
        return {"content": "".join(texts), "tool_calls": list(calls.values())}
