"""Sessions of agents: budgets, messages of every provider, compaction, and what comes between."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, List

import pytest
from conftest import Sidecar, wait_until

import toolresult
from toolresult import Call, aio, reasons
from toolresult.turns import PROVIDERS
from toolresult.v1 import audit_pb2, policy_pb2, transport_pb2

LONG = "".join(f"compiling unit {n} of the program\n" for n in range(3000))
ALL = sorted(PROVIDERS)


def findings(client: toolresult.Client, provider: str, messages: List[Any]) -> List[str]:
    """Return what the provider would reject."""
    request = transport_pb2.LintTranscriptRequest(provider=PROVIDERS[provider], transcript_json=json.dumps(messages))
    return [finding.detail for finding in client.stubs.transport.LintTranscript(request).findings]


def test_results_without_messages(client: toolresult.Client) -> None:
    with client.session("session-plain", turn_tokens=300) as session:
        result = session.project_text("build", LONG)
        assert result.tokens <= 300
        assert client.read(result.artifacts[0], session="session-plain", tail=1).complete
        with pytest.raises(ValueError, match="no provider"):
            session.user("x")
        with pytest.raises(ValueError, match="no provider"):
            session.tool_definitions()
        with pytest.raises(ValueError, match="no provider"):
            session.answer("call_1", "x")
        page = session.call_tool(Call("read_result", {"result": result.artifacts[0], "tail": 1}, "call_1"))
        assert "compiling unit 2999" in page.receipt
        assert session.messages == []


@pytest.mark.parametrize("provider", ALL)
def test_turns_for_every_provider(client: toolresult.Client, provider: str) -> None:
    with client.session(f"session-{provider}", provider=provider, turn_tokens=1000) as session:
        session.user("Why does the build fail?")
        session.user("Be quick.")
        begun = session.messages
        assert "Why does the build fail?\\n\\nBe quick." in json.dumps(begun)
        session.assistant("Let me look.", [Call("run", {"command": "make"}, "call_1"), Call("fetch", '{"n": 1.0}', "call_2")])
        with pytest.raises(RuntimeError, match="call_1, call_2"):
            assert session.messages
        session.project_text("fetch", "fetched\n", call_id="call_2")
        session.project_command("make", exit_status=2, output=LONG, call_id="call_1")
        assert session.tokens <= 1000
        one = session.messages
        assert one[: len(begun)] == begun
        assert findings(client, provider, one) == []
        session.assistant("It fails.")
        session.user("Thanks. What now?")
        session.assistant("", [Call("run", {"command": "true"}, "call_3")])
        session.answer("call_3", "the user did not allow it", error=True)
        session.notice("one turn is left")
        messages = session.messages
        assert messages[: len(one)] == one
        assert findings(client, provider, messages) == []
        text = json.dumps(messages)
        assert text.index("compiling unit") < text.index("fetched") < text.index("It fails.") < text.index("one turn is left")


def test_the_results_of_a_turn_share_its_budget(client: toolresult.Client) -> None:
    with client.session("session-budget", provider="anthropic", turn_tokens=1200) as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, f"call_{n}") for n in range(4)])
        first = session.project_text("build", LONG, call_id="call_0")
        assert 200 < first.tokens <= 300
        short = session.project_text("echo", "x\n", call_id="call_1")
        third = session.project_text("build", LONG, call_id="call_2")
        assert 300 < third.tokens <= (1200 - first.tokens - short.tokens) // 2
        session.project_text("build", LONG * 60, call_id="call_3")  # of 6 MB
        assert session.tokens <= 1200


def test_the_own_budget_of_an_output_counts_too(client: toolresult.Client) -> None:
    with client.session("session-own", provider="anthropic", turn_tokens=100_000) as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, "call_0"), Call("run", {}, "call_1")])
        assert 20_000 < session.project_text("build", LONG, call_id="call_0").tokens <= 50_000  # half of the turn has room for all
        assert session.project_text("build", LONG, call_id="call_1", max_tokens=100).tokens <= 100


@pytest.mark.parametrize("times", [1, 30])
def test_parallel_results_together(client: toolresult.Client, times: int) -> None:
    with client.session(f"session-together-{times}", provider="anthropic", turn_tokens=1000) as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, f"call_{n}") for n in range(3)])
        outputs = [
            toolresult.text_output("build", LONG * times, call_id="call_1"),
            toolresult.text_output("echo", "x\n", call_id="call_2"),
            toolresult.command_output("make", exit_status=1, stdout=LONG * times, stderr="", call_id="call_0"),
        ]
        results = session.project_turn(outputs)
        assert [result.family for result in results] == ["text", "text", "command"]
        assert 600 < sum(result.tokens for result in results) <= 1000
        ids = [part["tool_use_id"] for part in session.messages[-1]["content"]]
        assert ids == ["call_0", "call_1", "call_2"]


def test_threads_answer_the_calls_of_a_turn(client: toolresult.Client) -> None:
    with client.session("session-threads", provider="openai-chat", turn_tokens=4000) as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, f"call_{n}") for n in range(16)])
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: session.project_text("build", LONG, call_id=f"call_{n}"), range(16)))
        assert [message["tool_call_id"] for message in session.messages[2:]] == [f"call_{n}" for n in range(16)]
        assert session.tokens <= 4000


def test_ids_that_are_not_of_a_call(client: toolresult.Client) -> None:
    with client.session("session-ids", provider="anthropic") as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, "call_0"), Call("run", {}, "call_1")])
        with pytest.raises(ValueError, match="'call_2'"):
            session.project_text("echo", "x", call_id="call_2")
        with pytest.raises(ValueError, match="call_0"):
            session.assistant("another answer")
        session.project_text("echo", "x", call_id="call_0")
        with pytest.raises(ValueError, match="'call_0'"):
            session.answer("call_0", "x")
        session.project_text("echo", "beside the turn")
        session.answer("call_1", "y")
        assert "beside the turn" not in json.dumps(session.messages)


def test_a_run_that_was_interrupted(client: toolresult.Client) -> None:
    with client.session("session-interrupted", provider="anthropic") as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, "call_0"), Call("run", {}, "call_1")])
        session.project_text("echo", "first\n", call_id="call_0")
        session.end_turn()
        assert "this call has no result" in json.dumps(session.messages)
        session.project_text("echo", "late\n", call_id="call_1")
        assert "this call has no result" not in json.dumps(session.messages)
        session.assistant("")
        session.user("and now?")
        assert findings(client, "anthropic", session.messages) == []


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses", "gemini"])
def test_a_long_history_is_compacted(client: toolresult.Client, provider: str) -> None:
    with client.session(f"session-long-{provider}", provider=provider, turn_tokens=1000, history_tokens=10_000) as session:
        session.user("x")
        compactions: List[Any] = []
        for turn in range(30):
            before = session.messages
            session.assistant("On it.", [Call("run", {"command": f"make {turn}"}, f"call_{turn}")])
            status = 1 if turn == 3 else 0
            session.project_command(f"make {turn}", exit_status=status, output=LONG + f"error: of {turn}\n", call_id=f"call_{turn}")
            assert session.tokens <= 10_000
            if session.compaction is not None and session.compaction not in compactions:
                compactions.append(session.compaction)
                first = session.compaction.first_changed
                assert first is not None
                assert session.tokens <= 5000
                assert session.compaction.response.plan.shortfall_tokens == 0
            else:
                assert session.messages[: len(before)] == before, "nothing is changed without need"
            assert findings(client, provider, session.messages) == []
        assert 2 <= len(compactions) <= 12
        assert "make 3" in json.dumps(session.messages)


def test_subjects_of_calls_that_read(client: toolresult.Client) -> None:
    with client.session("session-subjects", provider="anthropic", turn_tokens=2000, history_tokens=5000) as session:
        session.user("x")
        for turn in range(4):
            session.assistant(calls=[Call("notes", {"page": 1}, f"call_{turn}", reads=True)])
            session.project_text("notes", LONG + str(turn), call_id=f"call_{turn}")
        assert session.compaction is not None
        assert session.compaction.response.plan.results[0].HasField("superseded_by")


def test_the_model_reads_the_rest(client: toolresult.Client) -> None:
    with client.session("session-reads", provider="anthropic", read_result=True, history_tokens=1000) as session:
        assert [tool["name"] for tool in session.tool_definitions()] == ["read_result"]
        session.user("x")
        session.assistant(calls=[Call("build", {}, "call_0")])
        receipt = session.project_text("build", LONG, call_id="call_0").receipt
        name = receipt.split('read_result(result="')[1].split('"')[0]
        session.assistant(calls=[Call("read_result", {"result": name, "tail": 1}, "call_1"), Call("read_result", "{", "call_2")])
        assert "compiling unit 2999" in session.call_tool(Call("read_result", {"result": name, "tail": 1}, "call_1")).receipt
        assert session.call_tool(Call("read_result", "{", "call_2")).failed
        session.assistant(calls=[Call("build", {}, "call_3")])
        session.project_text("build", LONG, call_id="call_3")
        assert "/store/" not in json.dumps(session.messages)


def test_a_policy_for_all_outputs(client: toolresult.Client) -> None:
    policy = policy_pb2.ProjectionPolicy(head_percent=100)
    policy.render.budget.max_tokens = 100
    with client.session("session-policy", provider="anthropic", policy=policy, history_tokens=250) as session:
        session.user("x")
        for turn in range(5):
            session.assistant(calls=[Call("run", {}, f"call_{turn}")])
            result = session.project_text("build", LONG, call_id=f"call_{turn}")
            assert "compiling unit 1 " in result.receipt
            assert result.tokens <= 100
        session.assistant(calls=[Call("run", {}, "call_x"), Call("run", {}, "call_y")])
        smaller = session.project_text("build", LONG, call_id="call_x", max_tokens=60)
        assert smaller.tokens <= 60
        assert "compiling unit 2999 " not in smaller.receipt
        other = policy_pb2.ProjectionPolicy(head_percent=0)
        assert "compiling unit 1 " not in session.project_text("build", LONG, call_id="call_y", policy=other).receipt
        assert session.compaction is not None
    assert policy.render.budget.max_tokens == 100


@pytest.mark.parametrize("provider", ALL)
def test_answers_that_are_empty_or_go_on(client: toolresult.Client, provider: str) -> None:
    with client.session(f"session-goes-on-{provider}", provider=provider) as session:
        session.user("x")
        session.assistant("")
        session.user("y")
        session.assistant("one")
        session.assistant("two", [Call("run", {}, "call_0")])
        session.project_text("echo", "z", call_id="call_0")
        session.assistant("")
        session.user("and now?")
        session.assistant("three")
        session.assistant("four")
        text = json.dumps(session.messages)
        assert "one\\n\\ntwo" in text
        assert "three\\n\\nfour" in text
        assert findings(client, provider, session.messages) == []


def test_what_the_provider_wants_to_have_back(client: toolresult.Client) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "abc"}
    provider = transport_pb2.PROVIDER_ANTHROPIC_MESSAGES
    block = transport_pb2.ProviderBlock(provider=provider, block_json=json.dumps(thinking))
    with client.session("session-blocks", provider="anthropic") as session:
        session.user("x")
        session.assistant("y", [Call("run", {}, "call_0")], blocks=[block])
        session.answer("call_0", "z")
        assert session.messages[1]["content"][0] == thinking


def test_an_opening(client: toolresult.Client) -> None:
    opening = [{"role": "system", "content": "Be brief."}]
    with client.session("session-opening", provider="openai-chat", opening=opening) as session:
        session.user("x")
        assert session.messages[0] == opening[0]
        session.messages[0]["content"] = session.messages[1]["content"] = "changed"
        assert "changed" not in str(session.messages)
        assert len(session.messages) == 2


def test_after_an_error_it_goes_on(sidecar: Sidecar) -> None:
    with toolresult.connect(sidecar.address) as client, client.session("session-error", provider="anthropic") as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, "call_0"), Call("run", {}, "call_1")])
        session.project_text("echo", "kept\n", call_id="call_0")
        sidecar.kill()
        with pytest.raises(toolresult.UnavailableError):
            session.project_text("echo", "x\n", call_id="call_1")
        with pytest.raises(toolresult.UnavailableError):
            session.end_turn()
        with pytest.raises(RuntimeError, match="call_1"):
            assert session.messages
        sidecar.start()

        def again() -> bool:
            try:
                return session.project_text("echo", "again\n", call_id="call_1") is not None
            except toolresult.UnavailableError:
                return False

        wait_until(again)
        text = json.dumps(session.messages)
        assert "kept" in text
        assert "again" in text


def test_arguments_that_are_no_json_object(client: toolresult.Client) -> None:
    with client.session("session-broken", provider="anthropic") as session:
        session.user("x")
        broken = ["{", "[1]", '{"a": 1, "a": 2}', "[" * 100 + "]" * 100, "\ud800"]
        session.assistant(calls=[Call("run", text, f"call_{n}") for n, text in enumerate(broken)])
        for n in range(len(broken)):
            session.project_error("run", "invalid_tool_input", "no", call_id=f"call_{n}")
        sent = [part["input"] for part in session.messages[1]["content"]]
        assert sent == [{"input": text} for text in [*broken[:4], "\ufffd"]]
        assert findings(client, "anthropic", session.messages) == []
        session.assistant(calls=[Call("run", "x" * (5 << 20), "call_x")])
        with pytest.raises(toolresult.ToolResultError):
            session.answer("call_x", "no")


def test_rejected_outputs_leave_the_turn_as_it_was(client: toolresult.Client) -> None:
    with client.session("session-rejected", provider="anthropic") as session:
        session.user("x")
        session.assistant(calls=[Call("run", {}, "call_0")])
        with pytest.raises(reasons.NameInvalidError):
            session.project_text("a b", "x", call_id="call_0")
        session.project_text("ab", "x", call_id="call_0")
        assert session.messages[-1]["content"][0]["tool_use_id"] == "call_0"


def test_sessions_for_asyncio(shared: Sidecar) -> None:
    async def main() -> None:
        async with await aio.connect(shared.address) as client:
            async with client.session("session-aio", provider="anthropic", turn_tokens=1000, history_tokens=3000) as session:
                await session.user("x")
                for turn in range(8):
                    calls = [Call("run", {}, f"call_{turn}_{n}") for n in range(4)]
                    await session.assistant("", calls)
                    await asyncio.gather(*(session.project_text("build", LONG, call_id=call.id) for call in calls))
                    assert session.tokens <= 3000
                assert session.compaction is not None
                assert [part["tool_use_id"] for part in session.messages[-1]["content"]] == [call.id for call in calls]

    asyncio.run(main())


def focuses(client: toolresult.Client, session: str) -> List[str]:
    """Return what was looked for in the results of a session, the oldest first."""
    listed = client.stubs.audit.ListRecords(audit_pb2.ListRecordsRequest(session_id=session, page_size=100)).records
    records = [client.stubs.audit.GetRecord(audit_pb2.GetRecordRequest(sequence=record.sequence)).record for record in reversed(listed)]
    return [record.policy.focus for record in records if record.kind == audit_pb2.AUDIT_KIND_PROJECTION]


def test_what_the_agent_looks_for(client: toolresult.Client) -> None:
    with client.session("session-task", task="fix the parser", policy=policy_pb2.ProjectionPolicy(segments=True)) as session:
        session.project_text("search", "one\n")
        session.project_text("search", "two\n", focus="parse_args")
        session.task = "fix the lexer"
        session.project_text("search", "three\n", policy=policy_pb2.ProjectionPolicy(focus="lex_all"))
        session.task = ""
        session.project_text("search", "four\n")
        session.project_text("search", "large\n" * (1 << 20), focus="large")
    expected = ["fix the parser", "fix the parser\nparse_args", "fix the lexer\nlex_all", "", "large"]
    assert focuses(client, "session-task") == expected


def test_what_was_said_is_looked_for(client: toolresult.Client) -> None:
    with client.session("session-said", provider="anthropic") as session:
        session.user("Why does it fail?")
        session.assistant("I look for parse_args.", [Call("search", {}, "call_1"), Call("search", {}, "call_2")])
        session.project_text("search", "one\n", call_id="call_1")
        session.project_text("search", "two\n", call_id="call_2", focus="own")
        session.assistant("", [Call("search", {}, "call_3")])
        session.task = "the task"
        session.project_text("search", "three\n", call_id="call_3")
    expected = ["Why does it fail?\nI look for parse_args.", "Why does it fail?\nown", "the task"]
    assert focuses(client, "session-said") == expected


@pytest.mark.parametrize("unit", ["a", "ü", "漢", "\U0001f600", "\ud800"])
def test_long_tasks_are_cut(client: toolresult.Client, unit: str) -> None:
    id = f"session-long-{len(unit.encode('utf-8', 'surrogatepass'))}-{ord(unit)}"
    with client.session(id, task=unit * 9000) as session:
        session.project_text("search", "one\n")
        session.project_text("search", "two\n", focus="own")
        with pytest.raises(reasons.FieldOutOfBoundsError):
            session.project_text("search", "three\n", focus="x" * 8193)
    for focus, end in zip(focuses(client, id), ["", "\nown"]):
        assert focus.endswith(end)
        assert 8188 < len(focus.encode()) <= 8192
        assert set(focus.removesuffix(end)) == {unit if unit != "\ud800" else "\ufffd"}
