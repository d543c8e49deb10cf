"""The example, with its own script of a model and with a longer one, and as a program."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, List

from conftest import Sidecar

import toolresult

PATH = Path(__file__).parent.parent / "examples" / "agent_loop.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("agent_loop", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_as_a_program(shared: Sidecar) -> None:
    env = {**os.environ, "TOOLRESULT_ADDRESS": shared.address}
    ended = subprocess.run([sys.executable, str(PATH)], env=env, capture_output=True, text=True, check=True)
    assert ended.stdout == "A semicolon is missing in line 7 of main.c.\n"


def test_the_example_is_short() -> None:
    assert len(PATH.read_text().splitlines()) <= 85


def test_the_loop_with_forty_turns(client: toolresult.Client) -> None:
    example = load()
    asked: List[Any] = []

    def model(messages: Any, tools: Any) -> Any:
        asked.append(messages)
        turn = len(asked)
        assert [tool["name"] for tool in tools] == ["run", "read_result"]
        if turn == 40:
            return [{"type": "text", "text": "done"}]
        commands = [f"seq {turn} {turn + 900}", "exit 3"]
        calls = [{"type": "tool_use", "id": f"call_{turn}_{n}", "name": "run", "input": {"command": c}} for n, c in enumerate(commands)]
        return [*calls, {"type": "tool_use", "id": f"call_{turn}_x", "name": "nothing", "input": {}}]

    assert example.loop(client, model, "Count.") == "done"
    kept = [after[: len(before)] == before for before, after in zip(asked, asked[1:])]
    assert sum(kept) > len(kept) * 3 / 4, "most requests begin with the one before, for the cache of the provider"
    assert not all(kept), "the history was compacted"
