"""The SDK of Google: Gemini."""

from google import genai
from google.genai import types

PACKAGE = "google-genai"


def connect(url):
    return {"gemini": Gemini(genai.Client(api_key="none", http_options=types.HttpOptions(base_url=f"{url}/gemini")))}


class Gemini:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        answer = self.client.models.generate_content(**self.request(job))
        return {"content": answer.text}

    def streams(self, job):
        texts, calls = [], []
        for chunk in self.client.models.generate_content_stream(**self.request(job)):
            for candidate in chunk.candidates or []:
                for part in (candidate.content and candidate.content.parts) or []:
                    if part.function_call:
                        call = part.function_call
                        calls.append({"id": call.id, "name": call.name, "arguments": call.args or {}})
                    elif part.text and not part.thought:
                        texts.append(part.text)
        return {"content": "".join(texts), "tool_calls": calls}

    @staticmethod
    def request(job):
        config = types.GenerateContentConfig(
            tools=[types.Tool.model_validate(tool) for tool in job["tools"]] or None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        return {
            "model": job["model"],
            "contents": [types.Content.model_validate(message) for message in job["messages"]],
            "config": config,
        }
