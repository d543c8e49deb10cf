"""Converse of Bedrock."""

import re

import answered
import converse
import text

PATH = re.compile(r"/bedrock/model/(?P<model>[^/]+)/converse")
MESSAGES = "messages"

schema = converse.errors


def rules(body):
    messages = body["messages"]
    for i, message in enumerate(messages):
        if message["role"] != ("user", "assistant")[i % 2]:
            yield f"messages.{i}.role: roles alternate and begin with user, this is {message['role']}"
        if not message["content"]:
            yield f"messages.{i}.content: must not be empty"
    flat = [
        {"role": m["role"], "content": [{"type": next(iter(b)), **_object(b)} for b in m["content"]]}
        for m in messages
    ]
    yield from answered.by_blocks(flat, "toolUse", "toolUseId", "toolResult", "toolUseId")
    declared = {tool["toolSpec"]["name"] for tool in body.get("toolConfig", {}).get("tools", []) if "toolSpec" in tool}
    for i, message in enumerate(messages):
        for j, block in enumerate(message["content"]):
            where = f"messages.{i}.content.{j}"
            use, result = block.get("toolUse"), block.get("toolResult")
            if (use or result) and not declared:
                yield f"{where}: toolConfig must be defined when there are toolUse or toolResult blocks"
            if use and not isinstance(use["input"], dict):
                yield f"{where}.toolUse.input: must be an object"
            for k, inner in enumerate(result["content"] if result else []):
                if "json" in inner and not isinstance(inner["json"], dict):
                    yield f"{where}.toolResult.content.{k}.json: must be an object"
                if "text" in inner:
                    yield from text.not_blank(inner["text"], f"{where}.toolResult.content.{k}.text")
            if "text" in block:
                yield from text.not_blank(block["text"], f"{where}.text")


def _object(block):
    """Returns the content of a block of Converse where it is an object."""
    content = next(iter(block.values()))
    return content if isinstance(content, dict) else {}


def answer(_):
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": "ok"}]}}, "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1},
    }


def refusal(message):
    return 400, {"x-amzn-ErrorType": "ValidationException"}, {"message": message}
