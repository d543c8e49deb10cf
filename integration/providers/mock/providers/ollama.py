"""Chat of Ollama."""

import base64
import binascii
import copy
import re

import modeled
import text
from ollama._types import ChatRequest, Message, Tool

PATH = re.compile(r"/ollama/api/chat")
MESSAGES = "messages"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def schema(body, _):
    # The request has messages of any members; only Message says which there are.
    members = {"messages": Message, "tools": Tool}
    rest = {member: content for member, content in body.items() if member not in members}
    yield from modeled.errors(ChatRequest, rest, "body")
    for member, model in members.items():
        for i, one in enumerate(body.get(member) or []):
            one = copy.deepcopy(one)
            for j, image in enumerate(one.pop("images", None) or []):
                yield from _base64(image, f"messages.{i}.images.{j}")
            yield from modeled.errors(model, _plain(one), f"{member}.{i}")
    if not body.get("messages"):
        yield "messages: is required"


def _plain(message):
    """Returns a message without what the server's own types have, and those of the
    SDKs for Python and JavaScript have not: identifiers of calls, and their places."""
    message = _without(message, "tool_call_id", str)
    for i, call in enumerate(message.get("tool_calls") or []):
        call = _without(call, "id", str)
        if "function" in call:
            call["function"] = _without(call["function"], "index", int)
        message["tool_calls"][i] = call
    return message


def _without(value, member, kind):
    return {name: content for name, content in value.items() if name != member or not isinstance(content, kind)}


def _base64(image, where):
    try:
        base64.b64decode(image, validate=True)
    except (TypeError, binascii.Error) as e:
        yield f"{where}: not base64: {e}"


def rules(body):
    messages = body["messages"]
    open_calls = []
    for i, message in enumerate(messages + [{"role": "user"}]):
        if message["role"] == "tool":
            if not open_calls:
                yield f"messages.{i}: a tool message that answers no call"
            elif message.get("tool_name") != open_calls[0]:
                yield f"messages.{i}.tool_name: {message.get('tool_name')!r} where {open_calls[0]!r} is to be answered"
            open_calls = open_calls[1:]
            continue
        if open_calls:
            yield f"messages.{i}: not answered before it: {', '.join(open_calls)}"
        open_calls = [call["function"]["name"] for call in message.get("tool_calls") or []]
        for j, name in enumerate(open_calls):
            yield from text.matches(NAME, name, f"messages.{i}.tool_calls.{j}.function.name")


def answer(model):
    message = {"role": "assistant", "content": "ok"}
    created = "2026-01-01T00:00:00Z"
    return {"model": model, "created_at": created, "message": message, "done": True, "done_reason": "stop"}


def refusal(message):
    return 400, {}, {"error": message}
