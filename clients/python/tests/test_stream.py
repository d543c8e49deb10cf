"""Streams: what still runs, and what goes wrong meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from typing import Callable, Dict

import pytest
from conftest import Sidecar, wait_until

import toolresult
from toolresult import reasons
from toolresult.v1 import envelope_pb2


def test_a_stream_is_the_same_as_the_whole(client: toolresult.Client) -> None:
    data = b"".join(b"line %d\n" % n for n in range(100_000))
    whole = client.project_command("make", exit_status=2, output=data)
    with client.stream("exec_command", command_line="make") as stream:
        for start in range(0, len(data), 70_001):
            stream.write(data[start : start + 70_001])
        assert stream.finish(exit_status=2).receipt == whole.receipt


def test_a_large_write(client: toolresult.Client) -> None:
    with client.stream("exec_command") as stream:
        stream.write(b"x" * (50 << 20))
        result = stream.finish(exit_status=0)
    assert client.read(result.artifacts[0], bytes=(0, 1)).total_bytes == 50 << 20


def test_snapshots_of_a_text_and_of_two_streams(client: toolresult.Client) -> None:
    with client.stream("fetch", family="text", media_type="text/plain") as stream:
        stream.write("first\n")
        assert stream.snapshot().receipt.endswith("first")
        stream.write("second\n")
        assert stream.finish().canonical.text.media_type == "text/plain"
    with client.stream("exec_command", command_line="make serve") as stream:
        stream.write("out\n", "stdout")
        stream.write("err\n", "stderr")
        assert "task_1" in stream.snapshot("task_1").receipt
        assert stream.finish(timeout_ms=1000).canonical.command.timeout_ms == 1000


def test_what_cannot_be_said(client: toolresult.Client) -> None:
    with client.stream("exec_command") as stream:
        stream.write("a")
        with pytest.raises(ValueError, match="not both"):
            stream.write("a", "stdout")
        with pytest.raises(ValueError, match="no stream 'x'"):
            stream.write("a", "x")
        stream.finish(exit_status=0)
        with pytest.raises(ValueError, match="was finished"):
            stream.write("a")
        with pytest.raises(ValueError, match="was finished"):
            stream.finish()
    with client.stream("exec_command") as stream:
        pass
    with pytest.raises(ValueError, match="was given up"):
        stream.write("a")


def test_a_stream_that_fails(client: toolresult.Client) -> None:
    with client.stream("exec_command") as stream:
        output = envelope_pb2.CompleteToolOutput(tool_name="exec_command")
        output.error.kind = "command_spawn_failed"
        output.error.message.inline = b"no such program"
        assert stream.finish_with(output).failed


def test_a_wrong_family_is_the_error_of_what_follows(client: toolresult.Client) -> None:
    with client.stream("exec_command", family="nothing of a family") as stream, pytest.raises(reasons.FamilyUnknownError):
        for _ in range(1000):
            stream.write(b"x" * 100_000)
    with client.stream("a b", family="text") as stream:
        with pytest.raises(reasons.NameInvalidError):
            stream.finish()


def test_a_stream_keeps_the_session(client: toolresult.Client) -> None:
    with client.stream("exec_command", session="python-stream", call_id="call_1") as stream:
        stream.write(b"line\n" * 10_000)
        path = stream.finish(exit_status=0).artifacts[0]
    assert client.read(path, session="python-stream", tail=1).data == b"line\n"
    with pytest.raises(reasons.ArtifactNotFoundError):
        client.read(path, session="python-other", tail=1)


def test_a_timeout_of_the_whole(client: toolresult.Client) -> None:
    with client.stream("exec_command", timeout=0.2) as stream:
        stream.write("a")
        time.sleep(0.4)
        with pytest.raises(reasons.DeadlineError):
            stream.finish(exit_status=0)


def test_a_sidecar_that_is_killed_ends_it(sidecar: Sidecar) -> None:
    with toolresult.connect(sidecar.address) as client, client.stream("exec_command") as stream:
        stream.write("half")
        sidecar.kill()
        with pytest.raises(toolresult.UnavailableError):
            while True:
                stream.write(b"x" * (256 << 10))
        with pytest.raises(toolresult.UnavailableError):
            stream.finish(exit_status=0)


def test_a_writer_that_waits_is_woken(sidecar: Sidecar) -> None:
    """A sidecar that is stopped takes no more: the writer waits, and does not buffer everything. It is woken by the end."""
    with toolresult.connect(sidecar.address) as client:
        stream = client.stream("exec_command")
        stream.write("x")
        sidecar.freeze()
        written = [0]
        errors = []

        def write() -> None:
            try:
                for _ in range(400):
                    stream.write(b"x" * (256 << 10))
                    written[0] += 1
            except toolresult.ToolResultError as error:
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        time.sleep(1)
        assert written[0] < 200
        sidecar.kill()
        thread.join(20)
        assert isinstance(errors[0], toolresult.UnavailableError)


def test_leaving_one_ends_its_call(client: toolresult.Client) -> None:
    for _ in range(20):
        stream = client.stream("exec_command")
        stream.write("half")
        stream.cancel()
    before = threading.active_count()
    wait_until(lambda: threading.active_count() <= before)
    with pytest.raises(KeyError), client.stream("exec_command") as stream:
        stream.write("half")
        raise KeyError
    assert client.healthy()


class Interrupted(BaseException):
    """Of a signal, as KeyboardInterrupt is."""


@pytest.mark.parametrize("what", ["text", "large text", "finish", "write", "healthy"])
def test_a_signal_interrupts_every_call(sidecar: Sidecar, what: str) -> None:
    def interrupt(*_: object) -> None:
        raise Interrupted

    with toolresult.connect(sidecar.address) as client:
        stream = client.stream("exec_command")
        stream.write("x")
        stream.snapshot("task_1")
        calls: Dict[str, Callable[[], object]] = {
            "text": lambda: client.project_text("echo", "x"),
            "large text": lambda: client.project_text("echo", b"x" * (50 << 20)),
            "finish": lambda: stream.finish(exit_status=0),
            "write": lambda: stream.write(b"x" * (50 << 20)),
            "healthy": lambda: client.healthy(timeout=20),
        }
        sidecar.freeze()
        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            began = time.monotonic()
            with pytest.raises(Interrupted):
                calls[what]()
            assert time.monotonic() - began < 3
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        sidecar.thaw()
        assert client.project_text("echo", "hello\n").receipt.endswith("hello")


def test_a_program_ends_with_an_open_stream(shared: Sidecar) -> None:
    code = f"""
import toolresult
client = toolresult.connect({shared.address!r})
stream = client.stream("exec_command")
stream.write("half")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=10)
