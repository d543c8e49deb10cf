"""Chat Completions of OpenAI."""

import re

import answered
import text
import typed
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming
from providers import openai_errors

PATH = re.compile(r"/openai/v1/chat/completions")
MESSAGES = "messages"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

refusal = openai_errors.refusal
_whole = typed.adapter(CompletionCreateParamsNonStreaming)
_stream = typed.adapter(CompletionCreateParamsStreaming)


def schema(body, _):
    return typed.errors(_stream if body.get("stream") else _whole, body)


def rules(body):
    for where, call in answered.calls(body):
        if len(call["id"]) > 40:
            yield f"{where}.id: {len(call['id'])} characters, at most 40 are allowed"
        yield from text.matches(NAME, call[call["type"]]["name"], f"{where}.{call['type']}.name")
    for i, message in enumerate(body["messages"]):
        if message["role"] != "assistant":
            continue
        if message.get("tool_calls") == []:
            yield f"messages.{i}.tool_calls: an empty list is refused"
        if message.get("content") is None and not message.get("tool_calls") and not message.get("refusal"):
            yield f"messages.{i}: neither content nor tool_calls"
    yield from answered.by_messages(body)


def answer(model):
    message = {"role": "assistant", "content": "ok", "refusal": None}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
