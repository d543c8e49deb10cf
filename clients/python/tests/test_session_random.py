"""Sessions of any course: what a provider would reject is never among the messages."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, List, Union

import pytest
from test_session import ALL, LONG, findings

import toolresult
from toolresult import Call

ARGUMENTS: List[Union[str, Dict[str, Any]]] = [{"a": 1}, "{", "{}", '{"b":[1.0]}', "[]"]


def answer(session: toolresult.Session, call_id: str, choose: random.Random) -> None:
    """Answer a call in one of the ways that there are."""
    text = LONG[: choose.randrange(len(LONG) // 2)]
    ways: List[Callable[[], object]] = [
        lambda: session.project_text("build", text, call_id=call_id),
        lambda: session.project_command("make", exit_status=choose.choice([0, 1]), output=text, call_id=call_id),
        lambda: session.project_error("fetch", "file_not_found", "no", call_id=call_id),
        lambda: session.project_turn([toolresult.text_output("build", text, call_id=call_id)]),
        lambda: session.answer(call_id, "no", error=choose.random() < 0.5),
        lambda: session.call_tool(Call("read_result", choose.choice([*ARGUMENTS, {"result": "zzz"}]), call_id)),
    ]
    choose.choice(ways)()


def go_on(session: toolresult.Session, turn: int, pending: List[str], choose: random.Random) -> None:
    """Do one of the things that may happen now. Pending are the calls without an answer."""
    kind = choose.random()
    if pending and kind < 0.1:
        session.end_turn()
    elif pending and kind < 0.15:
        session.user("wait")
    elif pending:
        answer(session, pending.pop(choose.randrange(len(pending))), choose)
        if choose.random() < 0.1:
            session.notice("one turn is left")
    elif kind < 0.7:
        pending += [f"call_{turn}_{n}" for n in range(choose.randint(1, 4))]
        calls = [Call("build", choose.choice(ARGUMENTS), call_id, reads=choose.random() < 0.3) for call_id in pending]
        session.assistant(choose.choice(["", "let me see"]), calls)
    elif kind < 0.8:
        session.assistant(choose.choice(["", "done"]))
    else:
        session.user("and now?")


@pytest.mark.parametrize("seed", range(48))
def test_any_course(client: toolresult.Client, seed: int) -> None:
    choose = random.Random(seed)
    provider, tokens = ALL[seed % len(ALL)], choose.choice([1000, 4000, 20_000])
    with client.session(f"random-{seed}", provider=provider, turn_tokens=choose.choice([400, 1500]), history_tokens=tokens) as session:
        session.user("begin")
        pending: List[str] = []
        for turn in range(20):
            go_on(session, turn, pending, choose)
            try:
                messages = session.messages
            except RuntimeError:
                assert pending
                continue
            assert findings(client, provider, messages) == []
