"""Sends a good request of every provider, and one broken in each way that the mock
must see: a mock that accepts everything proves nothing."""

import copy
import json
import tempfile
import unittest
import urllib.error
import urllib.request

import changes
import server

OBJECT = {"type": "object"}


def chat(call_id, name):
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    tool = {"type": "function", "function": {"name": name, "parameters": OBJECT}}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": "done"},
    ]
    return {"model": "m", "messages": messages, "tools": [tool]}


GOOD = {
    "openai_chat": ("/openai/v1/chat/completions", chat("call_1", "fs___read")),
    "mistral": ("/mistral/v1/chat/completions", chat("abcDEF123", "fs___read")),
    "openai_responses": (
        "/openai/v1/responses",
        {"model": "m", "input": [
            {"role": "user", "content": "Go on."},
            {"type": "function_call", "call_id": "call_1", "name": "fs___read", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "*"},
            {"type": "function_call_output", "call_id": "call_1", "output": "done"},
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": "done"},
        ]},
    ),
    "anthropic_messages": (
        "/anthropic/v1/messages",
        {"model": "m", "max_tokens": 9, "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "fs___read", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "done"}]},
                {"type": "text", "text": "And now?"},
            ]},
        ]},
    ),
    "bedrock_converse": (
        "/bedrock/model/m/converse",
        {
            "messages": [
                {"role": "user", "content": [{"text": "Go on."}]},
                {"role": "assistant", "content": [
                    {"text": "I look."}, {"toolUse": {"toolUseId": "t.1", "name": "fs___read", "input": {}}},
                ]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "t.1", "status": "success", "content": [
                        {"text": "done"}, {"json": {}}, {"image": {"format": "png", "source": {"bytes": "eA=="}}},
                    ]}},
                    {"text": "And now?"},
                ]},
            ],
            "toolConfig": {"tools": [{"toolSpec": {"name": "fs___read", "inputSchema": {"json": OBJECT}}}]},
        },
    ),
    "gemini": (
        "/gemini/v1beta/models/m:generateContent",
        {
            "contents": [
                {"role": "user", "parts": [{"text": "Go on."}]},
                {"role": "model", "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "fs___read", "args": {}}},
                    {"functionCall": {"name": "b", "args": {}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "fs___read", "response": {"output": "done"}, "parts": [
                        {"inline_data": {"mime_type": "image/png", "data": "eA=="}},
                    ]}},
                    {"functionResponse": {"name": "b", "response": {"output": "done"}}},
                ]},
            ],
            "tools": [{"functionDeclarations": [{"name": "fs___read"}, {"name": "b"}]}],
        },
    ),
    "ollama": (
        "/ollama/api/chat",
        {
            "model": "m", "stream": False,
            "messages": [
                {"role": "user", "content": "Go on.", "images": ["eA=="]},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"function": {"name": "fs___read", "arguments": {}}}, {"function": {"name": "b", "arguments": {}}},
                ]},
                {"role": "tool", "tool_name": "fs___read", "content": "done"},
                {"role": "tool", "tool_name": "b", "content": "done"},
            ],
            "tools": [{"type": "function", "function": {"name": "fs___read", "parameters": OBJECT}}],
        },
    ),
}

REMOVE = object()
AGAIN = object()
AUDIO = {"type": "input_audio", "input_audio": {"data": "eA==", "format": "wav"}}
USER = {"role": "user", "content": "And now?"}
CONVERSE_USER = {"role": "user", "content": [{"text": "And now?"}]}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
FAILED = {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True}
ANSWERED = {"role": "assistant", "content": [{"type": "output_text", "text": "x"}]}

# What is changed (a path and what to put there; a path that ends with +N puts it in
# at N), and a part of what must be said.
BROKEN = {
    "openai_chat": [
        ("messages.1.tool_calls.0.index", 0, "messages.1.tool_calls.0.index: Extra inputs"),
        ("messages.2.name", "fs___read", "messages.2.name: Extra inputs"),
        ("unknown", 1, "unknown: Extra inputs"),
        ("messages.1.tool_calls.0.type", REMOVE, "messages.1.tool_calls.0.type: Field required"),
        ("messages.1.tool_calls.0.function.arguments", {}, "arguments: Input should be a valid string"),
        ("messages.2.tool_call_id", REMOVE, "messages.2.tool_call_id: Field required"),
        ("messages.2.content", [AUDIO], "messages.2.content.0.type"),
        ("messages.1.role", "model", "messages.1.role"),
        ("messages.1.tool_calls.0.id", "x" * 41, "41 characters, at most 40"),
        ("messages.1.tool_calls.0.function.name", "fs.read", "does not match"),
        ("messages.1.tool_calls.0.function.name", "x" * 65, "does not match"),
        ("messages.1.tool_calls", [], "an empty list is refused"),
        ("messages.1", {"role": "assistant"}, "neither content nor tool_calls"),
        ("messages.2", REMOVE, "tool messages must come before it"),
        ("messages.+2", USER, "tool messages must come before it"),
        ("messages.2", AGAIN, "or one that is answered"),
        ("messages.2.tool_call_id", "call_2", "'call_2' answers no call"),
        ("messages.1.tool_calls.0", AGAIN, "more than one call has the id"),
    ],
    "mistral": [
        ("messages.2.unknown", 1, "messages.2.unknown: Extra inputs"),
        ("messages.2.content", [{"type": "new"}], "not one of the kinds"),
        ("messages.2.content", REMOVE, "content: Field required"),
        ("messages.1.tool_calls.0.function.arguments", 3, "arguments"),
        ("messages.1.tool_calls.0.id", "call_1", "does not match [a-zA-Z0-9]{9}"),
        ("messages.1.tool_calls.0.function.name", "fs.read", "does not match"),
        ("messages.+3", USER, "unexpected role user after role tool"),
        ("messages.2.tool_call_id", REMOVE, "tool_call_id: is required"),
        ("messages.2", REMOVE, "the last role is user or tool"),
        ("messages.1", {"role": "assistant", "content": ""}, "must have either content or tool_calls"),
        ("messages.2", AGAIN, "or one that is answered"),
        ("messages.+2", {"role": "assistant", "content": "Wait."}, "tool messages must come before it"),
    ],
    "openai_responses": [
        ("input.1.unknown", 1, "input.1.unknown: Extra inputs"),
        ("input.2.status", "completed", "input.2.status: Extra inputs"),
        ("input.1.arguments", {}, "input.1.arguments: Input should be a valid string"),
        ("input.1.call_id", REMOVE, "input.1.call_id: Field required"),
        ("input.0.content", [{"type": "text", "text": "x"}], "input.0.content.0.type"),
        ("input.+1", ANSWERED, "input.1.id: Field required"),
        ("input.1.id", "call_1", "does not match fc"),
        ("input.1.name", "fs.read", "does not match"),
        ("input.1.call_id", "x" * 65, "65 characters, 1 to 64"),
        ("input.1.call_id", "call_2", "is that of an earlier call"),
        ("input.3", REMOVE, "no output answers the call 'call_1'"),
        ("input.3", AGAIN, "'call_1' is answered already"),
        ("input.3.call_id", REMOVE, "no call before it has None"),
        ("input.+1", {"type": "function_call_output", "call_id": "call_1", "output": ""}, "no call before it has 'call_1'"),
        ("input.4.type", "function_call_output", "cannot answer a custom_tool_call"),
    ],
    "anthropic_messages": [
        ("max_tokens", REMOVE, "max_tokens: Field required"),
        ("messages.1.content.1.unknown", 1, "messages.1.content.1.unknown: Extra inputs"),
        ("messages.1.content.1.input", "{}", "messages.1.content.1.input: Input should be a valid dictionary"),
        ("messages.2.content.0.is_error", "no", "is_error: Input should be a valid boolean"),
        ("messages.2.content.0.content", [{"type": "output_text", "text": "x"}], "messages.2.content.0.content.0.type"),
        ("messages.2.role", "tool", "messages.2.role"),
        ("messages.1.content.1.id", "t.1", "does not match"),
        ("messages.1.content.1.name", "fs.read", "does not match"),
        ("messages.1.content.1.name", "x" * 129, "does not match"),
        ("messages.0.content", [], "must not be empty"),
        ("messages.0.content", "", "must not be empty"),
        ("messages.1.content.0.text", "", "text must not be empty"),
        ("messages.1.content.0.text", " \n", "nor only white space"),
        ("messages.2.content.0.content.0.text", "", "text must not be empty"),
        ("messages.2.content.0", FAILED, "cannot be empty if is_error"),
        ("messages.2.content.0", {**FAILED, "content": [IMAGE]}, "all content must be text"),
        ("messages.2.content.0", REMOVE, "no tool_result directly after"),
        ("messages.2.content.0", AGAIN, "or one that is answered"),
        ("messages.2.content.0.tool_use_id", "toolu_2", "'toolu_2' answers no tool_use"),
        ("messages.2.content.+0", {"type": "text", "text": "Look:"}, "come before all others"),
        ("messages.+2", USER, "no tool_result directly after"),
        ("messages.1.content.1", AGAIN, "more than one tool_use has the id"),
        ("messages.1.role", "user", "a tool_use of the role user"),
        ("messages.2.role", "assistant", "answers no tool_use"),
    ],
    "bedrock_converse": [
        ("messages.1.content.1.toolUse.unknown", 1, "Unknown parameter"),
        ("messages.1.content.1.toolUse.name", REMOVE, 'in messages[1].content[1].toolUse: "name"'),
        ("messages.1.content.1.text", "x", "tagged union"),
        ("messages.1.content.1.toolUse.toolUseId", "", "0 is less than the least, 1"),
        ("messages.1.content.1.toolUse.toolUseId", "t/1", "does not match"),
        ("messages.1.content.1.toolUse.toolUseId", "x" * 65, "65 is more than the most, 64"),
        ("messages.1.content.1.toolUse.name", "fs.read", "does not match"),
        ("messages.2.content.0.toolResult.status", "failed", "is not one of success, error"),
        ("messages.2.content.0.toolResult.content.2.image.format", "tiff", "is not one of png"),
        ("messages.2.content.0.toolResult.content.2.image.source.bytes", "=", "not base64"),
        ("messages.2.content.0.toolResult.content.2.image.source.bytes", "", "0 is less than the least, 1"),
        ("messages.2.content.0.toolResult.content.1.json", [], "must be an object"),
        ("messages.1.content.1.toolUse.input", "{}", "must be an object"),
        ("messages.0.content.0.text", "", "text must not be empty"),
        ("messages.2.content.0.toolResult.content.0.text", " ", "text must not be empty"),
        ("messages.0.content", [], "must not be empty"),
        ("toolConfig", REMOVE, "toolConfig must be defined"),
        ("messages.0", REMOVE, "roles alternate and begin with user"),
        ("messages.+0", CONVERSE_USER, "roles alternate and begin with user"),
        ("messages.2.content.0", REMOVE, "no toolResult directly after"),
        ("messages.2.content.0", AGAIN, "or one that is answered"),
        ("messages.2.content.+0", {"text": "Look:"}, "come before all others"),
        ("messages.1.content.1", AGAIN, "more than one toolUse has the id"),
    ],
    "gemini": [
        ("contents.1.parts.1.functionCall.arguments", {}, "functionCall.arguments: Extra inputs"),
        ("contents.1.parts.1.unknown", 1, "contents.1.parts.1.unknown: Extra inputs"),
        ("contents.1.parts.1.functionCall.args", "{}", "functionCall.args"),
        ("contents.0.parts.0.inlineData", {"mimeType": "image/png", "data": "eA=="}, "exactly one of"),
        ("messages", [], "messages: Extra inputs"),
        ("contents", "Go on.", "contents: Input should be a list"),
        ("contents", [], "contents: is required"),
        ("generationConfig", {"unknown": 1}, "generationConfig.unknown: Extra inputs"),
        ("contents.2.role", "function", "use a valid role"),
        ("contents.0.parts", [], "must not be empty"),
        ("contents.0.parts.0.text", "", "must not be empty"),
        ("contents.2.parts.0.functionResponse.response", REMOVE, "response: is required"),
        ("contents.1.parts.1.functionCall.name", "1st", "does not match"),
        ("contents.1.parts.1.functionCall.name", "x" * 65, "does not match"),
        ("contents.2.parts.1", REMOVE, "1 functionResponse parts, the content before has 2"),
        ("contents.2.parts.1", AGAIN, "3 functionResponse parts, the content before has 2"),
        ("contents.2.parts.0.functionResponse.name", "b", "stands where fs___read is to be answered"),
        ("contents.2.parts.0.functionResponse.id", "1", "stands where fs___read is to be answered"),
        ("contents.2", REMOVE, "are not answered"),
        ("contents.+2", {"role": "user", "parts": [{"text": "Wait."}]}, "must come directly after"),
    ],
    "ollama": [
        ("messages.1.tool_calls.0.id", 1, "messages.1.tool_calls.0.id: Extra inputs"),
        ("messages.1.tool_calls.0.type", "function", "messages.1.tool_calls.0.type: Extra inputs"),
        ("messages.2.tool_call_id", 1, "messages.2.tool_call_id: Extra inputs"),
        ("messages.1.tool_calls.0.function.arguments", "{}", "arguments"),
        ("messages.0.images.0", "=", "not base64"),
        ("messages.0.role", REMOVE, "role: Field required"),
        ("unknown", 1, "unknown: Extra inputs"),
        ("messages", REMOVE, "messages: is required"),
        ("messages.1.tool_calls.0.function.name", "fs.read", "does not match"),
        ("messages.2.tool_name", REMOVE, "None where 'fs___read' is to be answered"),
        ("messages.2.tool_name", "b", "'b' where 'fs___read' is to be answered"),
        ("messages.3", REMOVE, "not answered before it: b"),
        ("messages.3", AGAIN, "answers no call"),
    ],
}


def change(body, path, value):
    """Returns a copy of a body with one thing changed."""
    body = copy.deepcopy(body)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    holder = body
    for step in way:
        holder = holder[step]
    if value is REMOVE:
        del holder[last]
    elif value is AGAIN:
        holder.insert(last, copy.deepcopy(holder[last]))
    elif isinstance(last, str) and last.startswith("+"):
        holder.insert(int(last), value)
    else:
        holder[last] = value
    return body


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = server.start(tempfile.gettempdir())

    def post(self, path, body):
        """Returns the status and the answer to a request."""
        url = f"http://127.0.0.1:{self.server.server_port}/selftest{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as e:
            return e.code, json.load(e)

    def test_good(self):
        for provider, (path, body) in GOOD.items():
            with self.subTest(provider):
                status, answer = self.post(path, body)
                self.assertEqual(200, status, answer)

    def test_broken(self):
        for provider, faults in BROKEN.items():
            path, good = GOOD[provider]
            for place, value, said in faults:
                with self.subTest(f"{provider}: {place}: {said}"):
                    status, answer = self.post(path, change(good, place, value))
                    self.assertEqual(400, status, answer)
                    self.assertIn(said, message(answer))

    def test_changes(self):
        big = {"n": 2**60}
        given = [{"role": "assistant", "content": None, "calls": [{"id": "1", "arguments": big}]}]

        def after(sent):
            return list(changes.between(given, sent))

        self.assertEqual([], after([{"role": "assistant", "calls": [{"id": "1", "type": "function", "arguments": big}]}]))
        self.assertEqual(["turn.0.calls.0.id was not sent"], after([{"role": "assistant", "calls": [{"arguments": big}]}]))
        self.assertEqual(1, len(after([{"role": "user", "calls": given[0]["calls"]}])))
        self.assertEqual(1, len(after([{"role": "assistant", "calls": [{"id": "1", "arguments": {"n": 2.0**60 + 512}}]}])))
        self.assertEqual(1, len(after([])))


def message(answer):
    """Returns what a refusal says, whatever shape the provider gives it."""
    error = answer.get("error", answer)
    return error["message"] if isinstance(error, dict) else error


if __name__ == "__main__":
    unittest.main()
