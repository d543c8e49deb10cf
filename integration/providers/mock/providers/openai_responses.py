"""Responses of OpenAI."""

import re

import text
import typed
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming, ResponseCreateParamsStreaming
from providers import openai_errors

PATH = re.compile(r"/openai/v1/responses")
MESSAGES = "input"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# The identifier of an item is the server's, and says what the item is.
ITEM_ID = {"function_call": "fc", "custom_tool_call": "ctc", "message": "msg", "reasoning": "rs"}
OUTPUT = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}

refusal = openai_errors.refusal
_whole = typed.adapter(ResponseCreateParamsNonStreaming)
_stream = typed.adapter(ResponseCreateParamsStreaming)


def schema(body, _):
    return typed.errors(_stream if body.get("stream") else _whole, body)


def rules(body):
    items = [] if isinstance(body["input"], str) else body["input"]
    asked, answered = {}, set()
    for i, item in enumerate(items):
        where, kind = f"input.{i}", item.get("type", "message")
        if "id" in item and kind in ITEM_ID:
            yield from text.matches(re.compile(ITEM_ID[kind] + "[a-zA-Z0-9_-]{0,61}"), item["id"], f"{where}.id")
        if kind in OUTPUT:
            if item["call_id"] in asked:
                yield f"{where}.call_id: {item['call_id']!r} is that of an earlier call"
            asked[item["call_id"]] = kind
            if not 1 <= len(item["call_id"]) <= 64:
                yield f"{where}.call_id: {len(item['call_id'])} characters, 1 to 64 are allowed"
            yield from text.matches(NAME, item["name"], f"{where}.name")
        elif kind in OUTPUT.values():
            call = item.get("call_id")
            if call not in asked:
                yield f"{where}.call_id: no call before it has {call!r}"
            elif OUTPUT[asked[call]] != kind:
                yield f"{where}: a {kind} cannot answer a {asked[call]}"
            if call in answered:
                yield f"{where}.call_id: {call!r} is answered already"
            answered.add(call)
    for call in asked.keys() - answered:
        yield f"input: no output answers the call {call!r}"


def answer(model):
    content = [{"type": "output_text", "text": "ok", "annotations": [], "logprobs": []}]
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": model, "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
    }
