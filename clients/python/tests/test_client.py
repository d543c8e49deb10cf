"""What the list of integration/conformance does not have: sizes, kinds of bytes, threads, processes, and lost sidecars."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import TOKEN, Sidecar, healthy, wait_until

import toolresult
from toolresult import reasons
from toolresult.outputs import to_text
from toolresult.v1 import envelope_pb2, file_read_pb2, payload_pb2, policy_pb2, service_pb2

LONG = "".join(f"compiling unit {n} of the program\n" for n in range(3000))


@pytest.mark.parametrize("data", [b"a\n", bytearray(b"a\n"), memoryview(b"a\n"), "a\n", memoryview(b"xaxx\n")[1::3]])
def test_kinds_of_bytes(client: toolresult.Client, data: Any) -> None:
    assert client.project_text("echo", data).receipt == client.project_text("echo", b"a\n").receipt


def test_a_number_is_no_text(client: toolresult.Client) -> None:
    with pytest.raises(TypeError):
        client.project_text("echo", 5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "sent"), [("\ud800", "\ufffd"), ("a\udcffb", "a\ufffdb"), ("\ud83d\ude00", "\U0001f600"), ("\ud83d x", "\ufffd x"), ("é", "é")]
)
def test_surrogates(client: toolresult.Client, text: str, sent: str) -> None:
    assert to_text(text) == sent
    assert client.project_text("echo", text).receipt == client.project_text("echo", sent).receipt
    command = client.project_command(f"echo {text}", exit_status=0, output=text)
    assert command.canonical.command.command_preview == f"echo {sent}"
    assert sent in client.project_error("echo", text, text, details=text, recovery_hint=text).receipt
    with pytest.raises(reasons.NameInvalidError):
        client.call_tool(text, {"a": text}, session="surrogates")
    client.encode_turn("anthropic", content=text, calls=[toolresult.Call("t", {"a": text}, "1")], notices=[text], user_text=text)


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20, 50 << 20])
def test_any_size_is_kept_whole(client: toolresult.Client, size: int) -> None:
    text = (b"0123456789abcde\n" * (size // 16 + 1))[:size]
    policy = policy_pb2.ProjectionPolicy(artifact_policy=policy_pb2.ARTIFACT_POLICY_ALWAYS)
    result = client.project_text("build", text, policy=policy)
    if size == 0:
        assert result.artifacts == []
        return
    assert client.read(result.artifacts[0], bytes=(0, 1)).total_bytes == size
    if size <= 5 << 20:
        assert b"".join(page.data for page in client.read_pages(result.artifacts[0], max_bytes=3 << 20)) == text


def test_small_and_large_have_the_same_receipt(client: toolresult.Client) -> None:
    text = LONG * 20
    assert len(text) > 1 << 20
    whole = envelope_pb2.CompleteToolOutput(tool_name="build")
    whole.text.content.inline = text.encode()
    raw = client.stubs.results.Project(service_pb2.ProjectRequest(output=whole))
    assert client.project_text("build", text).receipt == raw.receipt.text
    before = whole.SerializeToString(deterministic=True)
    assert client.project(whole).receipt == raw.receipt.text
    assert whole.SerializeToString(deterministic=True) == before


def test_other_families_and_whole_requests(client: toolresult.Client) -> None:
    text = payload_pb2.Payload(inline=b"package a\n")
    read = envelope_pb2.CompleteToolOutput(tool_name="Read", file_read=file_read_pb2.FileReadOutput(path="a.go", content=text))
    assert client.project(read).family == "file_read"
    request = service_pb2.ProjectRequest(output=read, request_id="python-whole-1")
    first = client.project(request, max_tokens=500)
    assert first.response == client.project(request, max_tokens=500).response
    with pytest.raises(reasons.RequestIdReusedError):
        client.project(request, max_tokens=501)
    assert request == service_pb2.ProjectRequest(output=read, request_id="python-whole-1")


def test_a_policy_is_not_changed(client: toolresult.Client) -> None:
    policy = policy_pb2.ProjectionPolicy(head_percent=100)
    result = client.project_text("build", LONG, policy=policy, max_tokens=100)
    assert result.tokens <= 100
    assert "compiling unit 0 " in result.receipt
    assert policy == policy_pb2.ProjectionPolicy(head_percent=100)


def test_a_failed_tool_with_an_object_of_details(client: toolresult.Client) -> None:
    result = client.project_error("fetch", "file_not_found", "no", details={"path": "a.txt"}, retryable=False)
    assert result.failed
    assert '{"path":"a.txt"}' in result.receipt
    assert str(result) == result.receipt
    assert "error" in repr(result)


def test_the_session_of_the_client_is_that_of_its_calls(shared: Sidecar) -> None:
    with toolresult.connect(shared.address, session="python-1") as client:
        mine = client.project_text("build", LONG, call_id="call_1", max_tokens=100).artifacts[0]
        other = client.project_text("build", LONG + "x", session="python-2", max_tokens=100).artifacts[0]
        assert client.read(mine, tail=1).data == b"compiling unit 2999 of the program\n"
        assert client.read(other, tail=1, session="").data == b"x"
        with pytest.raises(reasons.ArtifactNotFoundError):
            client.read(other, tail=1)
        assert "compiling unit 2999" in client.call_tool("read_result", {"result": mine, "tail": 1}).receipt


def test_two_selections_are_no_request(client: toolresult.Client) -> None:
    with pytest.raises(ValueError, match="lines and tail"):
        client.read("/x", lines=(1, 2), tail=3)
    with pytest.raises(ValueError, match="context"):
        client.read("/x", tail=3, context=2)
    with pytest.raises(ValueError, match="no provider 'x'"):
        client.encode_turn("x")
    with pytest.raises(ValueError, match="no level 'x'"):
        client.compact([], level="x")


def test_a_page_is_read_on_by_its_token(client: toolresult.Client) -> None:
    path = client.project_text("build", LONG, max_tokens=100).artifacts[0]
    first = client.read(path, lines=(1, 3), max_lines=2)
    assert not first.complete
    second = client.read(path, lines=(1, 3), max_lines=2, page_token=first.next_page_token)
    assert (first.text + second.text, second.complete) == ("".join(LONG.splitlines(keepends=True)[:3]), True)
    pages = client.read_pages(path)
    assert next(pages).total_lines == 3000
    pages.close()  # in the middle


def test_parallel_calls_share_a_budget(client: toolresult.Client) -> None:
    outputs = [
        toolresult.text_output("build", LONG),
        toolresult.command_output("true", exit_status=0, output=""),
        toolresult.error_output("fetch", "file_not_found", "no"),
    ]
    results = client.project_turn(outputs, total_tokens=300)
    assert sum(result.tokens for result in results) <= 300
    assert [result.family for result in results] == ["text", "command", "error"]
    assert client.project_turn(outputs, total_tokens=300, request_id="python-turn-1")[0].receipt == results[0].receipt
    with pytest.raises(reasons.RequestIdReusedError):
        client.project_turn(outputs, total_tokens=301, request_id="python-turn-1")


def test_a_long_history(client: toolresult.Client) -> None:
    result = client.project_text("build", LONG)
    entries = [toolresult.Entry(result, f"call_{n}") for n in range(1200)]
    assert sum(len(result.receipt) for _ in entries) > 3 << 20
    compaction = client.compact(entries, total_tokens=100_000)
    assert compaction.budget_met
    assert compaction.tokens_after <= 100_000 < compaction.tokens_before
    assert compaction.results[0].index == compaction.first_changed
    assert len(compaction.response.plan.results) == 1200
    with pytest.raises(reasons.FieldOutOfBoundsError):
        client.compact(entries, total_tokens=1)


def test_without_an_audit_log_no_ids_are_sent(home: Path) -> None:
    sidecar = Sidecar(home, "--audit=off")
    try:
        for large in (False, True):
            with toolresult.connect(sidecar.address) as client:
                text = LONG * 20 if large else LONG
                assert client.project_text("build", text).tokens == client.project_text("build", text).tokens
        with toolresult.connect(sidecar.address) as client:
            assert client.project_turn([toolresult.text_output("build", LONG)], total_tokens=100)[0].tokens <= 100
            with client.stream("exec_command") as stream:
                stream.write("x")
                assert "x" in stream.finish(exit_status=0).receipt
            with pytest.raises(reasons.AuditDisabledError):
                client.project_text("build", "x", request_id="mine")
            with pytest.raises(reasons.AuditDisabledError):
                client.project_turn([toolresult.text_output("build", "x")], total_tokens=100, request_id="mine")
    finally:
        sidecar.end()


def test_any_number_of_threads(client: toolresult.Client) -> None:
    def project(n: int) -> bool:
        return f"line {n}" in client.project_text("echo", f"line {n}\n").receipt

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(project, range(400)))


def test_in_a_thread_with_an_event_loop(client: toolresult.Client) -> None:
    import asyncio

    async def main() -> str:
        path = client.project_text("build", LONG, max_tokens=100).artifacts[0]
        return "".join(page.text for page in client.read_pages(path, lines=(1, 4), max_lines=1))

    assert asyncio.run(main()).count("\n") == 4


def test_a_call_goes_on_with_the_next_sidecar(sidecar: Sidecar) -> None:
    with toolresult.connect(sidecar.address) as client:
        assert client.healthy()
        for _ in range(3):
            sidecar.freeze()
            with ThreadPoolExecutor(1) as pool:
                answer = pool.submit(client.project_text, "echo", "hello\n")
                time.sleep(0.2)
                sidecar.kill()
                sidecar.start()
                assert answer.result(20).receipt.endswith("hello")


def test_a_sidecar_that_stays_away_is_found_again(sidecar: Sidecar) -> None:
    with toolresult.connect(sidecar.address) as client:
        sidecar.kill()
        with pytest.raises(toolresult.UnavailableError):
            client.info()
        sidecar.start()
        wait_until(lambda: healthy(client), 10)


def test_over_tcp_with_a_token(shared: Sidecar, monkeypatch: pytest.MonkeyPatch) -> None:
    with toolresult.connect(shared.tcp) as client, pytest.raises(reasons.TokenMissingError):
        client.info()
    monkeypatch.setenv("TOOLRESULT_TOKEN", TOKEN)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with toolresult.connect(shared.tcp) as client:
        assert client.info().version
        assert client.stubs.results.GetServerInfo(service_pb2.GetServerInfoRequest(), metadata=(("a", "b"),)).version
        assert client.stubs.results.GetServerInfo.future(service_pb2.GetServerInfoRequest()).result().version
        assert client.stubs.results.GetServerInfo.with_call(service_pb2.GetServerInfoRequest())[0].version
        with client.stream("fetch", family="text") as stream:
            stream.write("x\n")
            assert "x" in stream.finish().receipt
        assert client.project_text("build", LONG * 20).artifacts
    with toolresult.connect(shared.tcp, token="wrong") as client, pytest.raises(reasons.TokenInvalidError):
        client.info()


def test_a_token_is_not_sent_where_others_can_read_it(monkeypatch: pytest.MonkeyPatch, shared: Sidecar) -> None:
    with pytest.raises(ValueError, match="TLS"):
        toolresult.connect("192.0.2.1:1", token="x")
    toolresult.connect("[::1]:1", token="x").close()
    toolresult.connect("localhost:1", token="x").close()
    monkeypatch.setenv("TOOLRESULT_TOKEN", "wrong")
    with toolresult.connect(shared.address) as client:  # it is for TCP
        assert client.info().version
    with pytest.raises(ValueError, match="TLS"):
        toolresult.connect("192.0.2.1:1")


def test_a_session_token_over_the_socket(client: toolresult.Client, shared: Sidecar) -> None:
    from toolresult.v1 import access_pb2

    issued = client.stubs.access.IssueSessionToken(access_pb2.IssueSessionTokenRequest(session_id="python-3"))
    with toolresult.connect(shared.address, token=issued.token) as confined:
        assert confined.project_text("echo", "x", session="python-3").receipt
        with pytest.raises(reasons.SessionMismatchError):
            confined.project_text("echo", "x", session="python-4")


def test_a_socket_with_any_name(home: Path) -> None:
    directory = home / "a b%20?#é"
    directory.mkdir(mode=0o700)
    sidecar = Sidecar(directory)
    try:
        with toolresult.connect(sidecar.address) as client:
            assert client.healthy()
            assert client.address == sidecar.address
    finally:
        sidecar.end()


def test_options_of_the_caller_win(shared: Sidecar) -> None:
    with toolresult.connect(shared.address, options=[("grpc.max_receive_message_length", 10)]) as client:
        with pytest.raises(reasons.MessageTooLargeError):
            client.info()


FORKED = """
import os, sys
import toolresult
client = toolresult.connect({address!r})
assert client.healthy()
child = os.fork()
if child == 0:
    try:
        client.healthy()
    except RuntimeError as error:
        assert "fork" in str(error)
        os._exit(7)
    os._exit(8)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert client.healthy()
"""


@pytest.mark.skipif(sys.version_info < (3, 9), reason="waitstatus_to_exitcode")
def test_a_client_does_not_hang_in_a_child(shared: Sidecar) -> None:
    subprocess.run([sys.executable, "-c", FORKED.format(address=shared.address)], check=True, timeout=30)


IN_CHILDREN = """
import multiprocessing
import toolresult

def project(n):
    with toolresult.connect({address!r}) as client:
        return client.project_text("echo", f"line {{n}}").tokens

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert len(set(pool.map(project, range(10)))) == 1
"""


def test_children_connect_by_themselves(shared: Sidecar, home: Path) -> None:
    script = home / "children.py"
    script.write_text(IN_CHILDREN.format(address=shared.address))
    subprocess.run([sys.executable, str(script)], check=True, timeout=60)


def test_methods_have_the_arguments_of_what_they_describe() -> None:
    for kind in (toolresult.Client, toolresult.aio.AsyncClient, toolresult.Session, toolresult.aio.AsyncSession):
        signature = inspect.signature(kind.project_command)
        assert list(signature.parameters)[:2] == ["self", "command_line"]
        assert "Project what a command printed" in (kind.project_command.__doc__ or "")
        assert kind.project_command.__name__ == "project_command"
    returned = {name: inspect.signature(getattr(toolresult.Client, name)).return_annotation for name in ("stream", "session", "read_pages")}
    assert returned == {"stream": "Stream", "session": "Session", "read_pages": "Iterator[Page]"}
    assert not inspect.iscoroutinefunction(toolresult.Client.project_text)
    assert inspect.iscoroutinefunction(toolresult.aio.AsyncClient.project_text)


def test_nothing_of_a_client_is_left(shared: Sidecar) -> None:
    """Connections and threads do not add up."""

    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    def use() -> None:
        with toolresult.connect(shared.address) as client:
            client.project_text("build", LONG * 20)
            with client.stream("exec_command") as stream:
                stream.write("half")

    use()
    threads, before = threading.active_count(), descriptors()
    for _ in range(20):
        use()
    wait_until(lambda: descriptors() <= before + 4 and threading.active_count() <= threads + 1)
