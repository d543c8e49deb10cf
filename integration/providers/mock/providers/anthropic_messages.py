"""Messages of Anthropic."""

import re

import answered
import text
import typed
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming

PATH = re.compile(r"/anthropic/v1/messages")
MESSAGES = "messages"
ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")

_whole = typed.adapter(MessageCreateParamsNonStreaming)
_stream = typed.adapter(MessageCreateParamsStreaming)


def schema(body, _):
    return typed.errors(_stream if body.get("stream") else _whole, body)


def rules(body):
    for i, message in enumerate(body["messages"]):
        if not message["content"]:
            yield f"messages.{i}.content: must not be empty"
    yield from answered.by_blocks(body["messages"], "tool_use", "id", "tool_result", "tool_use_id")
    for where, block in _blocks(body["messages"]):
        if block["type"] == "tool_use":
            yield from text.matches(ID, block["id"], f"{where}.id")
            yield from text.matches(NAME, block["name"], f"{where}.name")
        if block["type"] == "tool_result":
            content = block.get("content")
            if block.get("is_error") and not content:
                yield f"{where}.content: cannot be empty if is_error is true"
            if block.get("is_error") and isinstance(content, list) and any(c["type"] != "text" for c in content):
                yield f"{where}.content: all content must be text if is_error is true"
        for place, written in _texts(block, where):
            yield from text.not_blank(written, place)


def _blocks(messages):
    for i, message in enumerate(messages):
        if isinstance(message["content"], str):
            yield f"messages.{i}", {"type": "text", "text": message["content"]}
            continue
        for j, block in enumerate(message["content"]):
            yield f"messages.{i}.content.{j}", block


def _texts(block, where):
    """Yields the texts that a block has: its own, and those of the blocks in it."""
    if block["type"] == "text":
        yield f"{where}.text", block["text"]
    if block["type"] == "tool_result" and isinstance(block.get("content"), list):
        for i, inner in enumerate(block["content"]):
            yield from _texts(inner, f"{where}.content.{i}")


def answer(model):
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [{"type": "text", "text": "ok"}],
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def refusal(message):
    return 400, {}, {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "req_1"}
