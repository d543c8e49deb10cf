"""The loop of an agent that runs commands. Its receipts fit budgets, and older ones are compacted.

The model is a script here. In its place, send `messages` and `tools` to Anthropic, and return the content of the answer.
"""

from __future__ import annotations

import re
import subprocess
from typing import Any, Callable, Dict, List

import toolresult

Messages = List[Dict[str, Any]]
Model = Callable[[Messages, Messages], Messages]

RUN = {
    "name": "run",
    "description": "Runs a command line by sh.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}


def loop(client: toolresult.Client, model: Model, task: str) -> str:
    """Ask the model again and again, until it makes no call, and return what it says then."""
    with client.session("agent-loop", provider="anthropic", turn_tokens=2000, history_tokens=10_000, read_result=True) as session:
        tools = [RUN, *session.tool_definitions()]
        session.user(task)
        while True:
            answer = model(session.messages, tools)
            text = "".join(block["text"] for block in answer if block["type"] == "text")
            calls = [toolresult.Call(block["name"], block["input"], block["id"]) for block in answer if block["type"] == "tool_use"]
            session.assistant(text, calls)
            if not calls:
                return text
            for call in calls:
                execute(session, call)


def execute(session: toolresult.Session, call: toolresult.Call) -> None:
    """Execute a call of the model, and answer it."""
    command = call.arguments.get("command") if isinstance(call.arguments, dict) else None
    if call.tool == "read_result":
        session.call_tool(call)
    elif call.tool == "run" and isinstance(command, str):
        ended = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        session.project_command(command, output=ended.stdout, exit_status=ended.returncode, tool="run", call_id=call.id)
    else:
        why = f"there is no tool {call.tool}, only run, with a command, and read_result"
        session.project_error("unknown", "unknown_tool", why, call_id=call.id)


def scripted(messages: Messages, tools: Messages) -> Messages:
    """Answer as a model would: run a build, read what its receipt does not show, and say what is wrong."""
    step = sum(message["role"] == "assistant" for message in messages)
    seen = str(messages[-1]["content"])
    if step == 0:
        command = "seq 1 5000; echo 'main.c:7: error: expected ;'; seq 5001 9000; exit 2"
        return [{"type": "tool_use", "id": "call_1", "name": "run", "input": {"command": command}}]
    if step == 1:
        name = re.search(r'read_result\(result="(\w+)"\)', seen)
        assert name, f"the receipt names no result: {seen}"
        return [
            {"type": "text", "text": "There is an error. Let me see what is around it."},
            {"type": "tool_use", "id": "call_2", "name": "read_result", "input": {"result": name[1], "match": "error", "context": 1}},
        ]
    return [{"type": "text", "text": "A semicolon is missing in line 7 of main.c." if "main.c:7: error: expected ;" in seen else "?"}]


if __name__ == "__main__":
    with toolresult.connect(start=True) as client:
        print(loop(client, scripted, "Why does the build fail?"))
