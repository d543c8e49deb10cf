"""generateContent of Gemini."""

import re

import modeled
import text
from google.genai import types

PATH = re.compile(r"/gemini/v1(beta)?/models/(?P<model>[^/:]+):(generateContent|streamGenerateContent)")
MESSAGES = "contents"
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
# What has members of the tool's own, and what is base64.
OWN = ("args", "response")
BYTES = ("data", "thoughtSignature")
# A part has one of these.
DATA = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)


def normal(body):
    """Returns a body with its contents as the documentation writes them. The SDK for
    Python has members in snake case, and the base64 of URLs; the endpoint takes both."""
    return {**body, "contents": _documented(body.get("contents"))}


def _documented(value):
    if isinstance(value, list):
        return [_documented(one) for one in value]
    if not isinstance(value, dict):
        return value
    documented = {}
    for member, content in value.items():
        if member in BYTES and isinstance(content, str):
            content = content.translate(str.maketrans("-_", "+/"))
        elif member not in OWN:
            content = _documented(content)
        documented[re.sub("_(.)", lambda letter: letter[1].upper(), member)] = content
    return documented


def schema(body, _):
    members = {"contents": types.Content, "tools": types.Tool}
    for member, content in body.items():
        if member == "generationConfig":
            yield from modeled.errors(types.GenerationConfig, content, member)
        elif member not in members:
            yield f"{member}: Extra inputs are not permitted"
        elif not isinstance(content, list):
            yield f"{member}: Input should be a list"
        else:
            for i, one in enumerate(content):
                yield from modeled.errors(members[member], one, f"{member}.{i}")
    if not body.get("contents"):
        yield "contents: is required"


def rules(body):
    contents = body["contents"]
    for i, content in enumerate(contents):
        where = f"contents.{i}"
        if content.get("role") not in ("user", "model"):
            yield f"{where}.role: use a valid role, user or model, not {content.get('role')!r}"
        if not content.get("parts"):
            yield f"{where}.parts: must not be empty"
        for j, part in enumerate(content.get("parts") or []):
            yield from _part(part, f"{where}.parts.{j}")
        calls, responses = _pairs(contents, i)
        if not calls and responses:
            yield f"{where}: functionResponse parts must come directly after the functionCall parts that they answer"
        elif len(calls) != len(responses):
            many = f"{len(responses)} functionResponse parts, the content before has {len(calls)} functionCall parts"
            yield f"{where}: {many}"
        for call, response in zip(calls, responses):
            if call.get("name") != response.get("name") or call.get("id") != response.get("id"):
                yield f"{where}: the functionResponse {_named(response)} stands where {_named(call)} is to be answered"
    if contents and any("functionCall" in part for part in contents[-1].get("parts") or []):
        yield f"contents.{len(contents) - 1}: its functionCall parts are not answered"


def _part(part, where):
    if sum(kind in part for kind in DATA) != 1:
        yield f"{where}: exactly one of {', '.join(DATA)} is allowed"
    # A signature may come in a part of its own, and is to be sent back as it came.
    if part.get("text") == "" and "thoughtSignature" not in part:
        yield f"{where}.text: must not be empty"
    for kind, required in (("functionCall", ("name",)), ("functionResponse", ("name", "response"))):
        for member in required:
            if kind in part and part[kind].get(member) is None:
                yield f"{where}.{kind}.{member}: is required"
        if kind in part:
            yield from text.matches(NAME, part[kind].get("name") or "", f"{where}.{kind}.name")


def _pairs(contents, i):
    """Returns the function calls of the content before one, and its responses."""
    before = contents[i - 1] if i else {}
    calls = [part["functionCall"] for part in before.get("parts") or [] if "functionCall" in part]
    responses = [part["functionResponse"] for part in contents[i].get("parts") or [] if "functionResponse" in part]
    return calls, responses


def _named(call):
    return " ".join(str(call[member]) for member in ("name", "id") if member in call)


def answer(_):
    content = {"role": "model", "parts": [{"text": "ok"}]}
    return {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}


def refusal(message):
    return 400, {}, {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
