"""Chat completions of Mistral."""

import re

import answered
import modeled
import text
from mistralai.client.models import ChatCompletionRequest

PATH = re.compile(r"/mistral/v1/chat/completions")
MESSAGES = "messages"
ID = re.compile(r"[a-zA-Z0-9]{9}")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def schema(body, _):
    return modeled.errors(ChatCompletionRequest, body, "body")


def rules(body):
    messages = body["messages"]
    for i, message in enumerate(messages):
        if message["role"] == "user" and i and messages[i - 1]["role"] == "tool":
            yield f"messages.{i}: unexpected role user after role tool"
        if message["role"] == "assistant" and not message.get("content") and not message.get("tool_calls"):
            yield f"messages.{i}: must have either content or tool_calls"
        if message["role"] == "tool" and not message.get("tool_call_id"):
            yield f"messages.{i}.tool_call_id: is required"
    if messages[-1]["role"] not in ("user", "tool"):
        yield f"messages.{len(messages) - 1}: the last role is user or tool, not {messages[-1]['role']}"
    for where, call in answered.calls(body):
        yield from text.matches(ID, call.get("id") or "", f"{where}.id")
        yield from text.matches(NAME, call["function"]["name"], f"{where}.function.name")
    yield from answered.by_messages(body)


def answer(model):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": usage}


def refusal(message):
    return 400, {}, {"object": "error", "message": message, "type": "invalid_request_error", "param": None, "code": None}
