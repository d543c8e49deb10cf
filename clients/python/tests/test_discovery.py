"""Which sidecar is found, and which place is not trusted."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from pathlib import Path
from typing import Dict, Iterator

import pytest
from conftest import binary, environment, healthy, wait_until

import toolresult
from toolresult import _discovery


@pytest.fixture
def listener(home: Path) -> Iterator[socket.socket]:
    """Somebody who listens at the default socket."""
    directory = home / "toolresult"
    directory.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(directory / "toolresult.sock"))
        listening.listen(8)
        yield listening


@pytest.fixture
def elsewhere(home: Path) -> Iterator[Path]:
    """Somebody who listens at another socket."""
    path = home / "other.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(8)
        yield path


def find(home: Path, **more: str) -> str:
    return _discovery.find(False, {**environment(home), **more})


def write(path: Path, content: object, mode: int = 0o600) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)


def test_nothing_is_there(home: Path) -> None:
    with pytest.raises(toolresult.NoSidecarError) as caught:
        find(home)
    assert caught.value.hint == "start one: toolresult ensure"
    assert caught.value.code == "UNAVAILABLE"
    assert caught.value.retryable
    assert isinstance(caught.value, toolresult.UnavailableError)


def test_the_address_wins_also_when_nobody_answers(home: Path, listener: socket.socket) -> None:
    assert find(home, TOOLRESULT_ADDRESS="unix:///nonexistent") == "unix:///nonexistent"
    with pytest.raises(toolresult.UnavailableError, match="write unix:///tmp/x"):
        find(home, TOOLRESULT_ADDRESS="/tmp/x")
    with pytest.raises(ValueError, match="write unix:///tmp/x"):
        toolresult.connect("/tmp/x")


def test_the_default_socket(home: Path, listener: socket.socket) -> None:
    assert find(home) == f"unix://{home}/toolresult/toolresult.sock"


def test_without_a_runtime_directory_it_is_in_the_temporary_one(home: Path) -> None:
    directory = home / f"toolresult-{os.getuid()}"
    directory.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(directory / "toolresult.sock"))
        listening.listen(1)
        assert find(home, XDG_RUNTIME_DIR="relative", TMPDIR=str(home)) == f"unix://{directory}/toolresult.sock"


def test_a_socket_that_a_dead_process_left(home: Path, listener: socket.socket) -> None:
    listener.close()
    with pytest.raises(toolresult.NoSidecarError):
        find(home)


def test_the_address_file_before_the_socket(home: Path, listener: socket.socket, elsewhere: Path) -> None:
    write(home / "toolresult" / "address", {"address": f"unix://{elsewhere}", "pid": 1, "later": {}})
    assert find(home) == f"unix://{elsewhere}"
    named = home / "toolresult" / "toolresult.sock"
    assert find(home, TOOLRESULT_SOCKET=str(named)) == f"unix://{named}"
    elsewhere.unlink()
    assert find(home) == f"unix://{named}"


def test_a_named_address_file_beside_a_named_socket(home: Path, elsewhere: Path) -> None:
    write(home / "address", {"address": f"unix://{elsewhere}"})
    assert find(home, TOOLRESULT_SOCKET="/nonexistent", TOOLRESULT_ADDRESS_FILE=str(home / "address")) == f"unix://{elsewhere}"


NOT_FOLLOWED: Dict[str, object] = {
    "others may write it": lambda path: path.chmod(0o620),
    "others may write its directory": lambda path: path.parent.chmod(0o770),
    "a link": lambda path: (path.rename(path.with_name("target")), path.symlink_to(path.with_name("target"))),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),  # type: ignore[func-returns-value]
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "of another user": lambda path: os.chown(path, 12345, -1),
    "in a directory of another user": lambda path: os.chown(path.parent, 12345, -1),
    "no JSON": lambda path: path.write_text("unix:///x"),
    "no object": lambda path: path.write_text("[]"),
    "no address": lambda path: path.write_text("{}"),
    "no UTF-8": lambda path: path.write_bytes(b'{"address": "unix:///\xff"}'),
    "TCP": lambda path: path.write_text('{"address": "127.0.0.1:1"}'),
    "a relative path": lambda path: path.write_text('{"address": "unix://x"}'),
    "a control character": lambda path: path.write_text(json.dumps({"address": "unix:///x\n"})),
    "longer than a file may be": lambda path: path.write_text(json.dumps({"later": "x" * 20_000, "address": "unix:///x"})),
}


@pytest.mark.parametrize("why", NOT_FOLLOWED)
def test_an_address_file_that_is_not_followed(home: Path, elsewhere: Path, why: str) -> None:
    if "another user" in why and os.geteuid() != 0:
        pytest.skip("it needs root")
    path = home / "apart" / "address"
    write(path, {"address": f"unix://{elsewhere}"})
    assert find(home, TOOLRESULT_ADDRESS_FILE=str(path)) == f"unix://{elsewhere}"
    change = NOT_FOLLOWED[why]
    assert callable(change)
    change(path)
    with pytest.raises(toolresult.NoSidecarError, match="address file"):
        find(home, TOOLRESULT_ADDRESS_FILE=str(path))


def test_a_link_in_place_of_its_directory(home: Path, elsewhere: Path) -> None:
    write(home / "apart" / "address", {"address": f"unix://{elsewhere}"})
    (home / "link").symlink_to(home / "apart")
    with pytest.raises(toolresult.NoSidecarError, match="is no directory"):
        find(home, TOOLRESULT_ADDRESS_FILE=str(home / "link" / "address"))


def test_a_process_of_another_user(home: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user that the process pretends to be is another one than that of the listener."""
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(toolresult.NoSidecarError, match="another user"):
        find(home)
    named = str(home / "toolresult" / "toolresult.sock")
    assert find(home, TOOLRESULT_SOCKET=named) == f"unix://{named}"


def test_without_credentials_of_the_peer_the_owner_counts(home: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "SO_PEERCRED")
    assert find(home).endswith("toolresult.sock")
    (home / "toolresult").chmod(0o750)
    with pytest.raises(toolresult.NoSidecarError, match="lets other users in"):
        find(home)


def test_windows_needs_an_address(home: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(toolresult.NoSidecarError, match="TOOLRESULT_ADDRESS"):
        find(home)
    assert find(home, TOOLRESULT_ADDRESS="127.0.0.1:1") == "127.0.0.1:1"


def test_a_path_that_is_too_long(home: Path) -> None:
    with pytest.raises(toolresult.NoSidecarError):
        find(home, TOOLRESULT_SOCKET="/" + "x" * 200)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS rejects a full queue as a dead socket")
def test_a_full_queue_is_no_absence(home: Path) -> None:
    directory = home / "toolresult"
    directory.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(directory / "toolresult.sock"))
        listening.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        try:
            for connection in waiting:
                connection.setblocking(False)
                connection.connect_ex(str(directory / "toolresult.sock"))
            with pytest.raises(toolresult.UnavailableError, match="does not answer") as caught:
                find(home)
            assert not isinstance(caught.value, toolresult.NoSidecarError)
        finally:
            for connection in waiting:
                connection.close()


def program(home: Path, script: str) -> str:
    path = home / "toolresult-of-test"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_start_asks_the_command(home: Path) -> None:
    fake = program(home, 'echo "unix:///$1"')
    env = {**environment(home), "TOOLRESULT_BINARY": fake}
    assert _discovery.find(True, env) == "unix:///ensure"


def test_start_with_a_configuration_asks_the_command_first(home: Path, listener: socket.socket) -> None:
    env = {**environment(home), "TOOLRESULT_BINARY": program(home, "echo unix:///of-the-file"), "TOOLRESULT_CONFIG": "/x"}
    assert _discovery.find(True, env) == "unix:///of-the-file"
    assert _discovery.find(False, env).endswith("toolresult.sock")
    assert _discovery.find(True, {**env, "TOOLRESULT_ADDRESS": "127.0.0.1:1"}) == "127.0.0.1:1"


def test_a_command_that_fails_says_why(home: Path) -> None:
    env = {**environment(home), "TOOLRESULT_BINARY": program(home, "echo the disk is full >&2; exit 125")}
    with pytest.raises(toolresult.UnavailableError, match="the disk is full") as caught:
        _discovery.find(True, env)
    assert not isinstance(caught.value, toolresult.NoSidecarError)


def test_a_command_that_is_not_there(home: Path) -> None:
    with pytest.raises(toolresult.NoSidecarError, match="there is no program"):
        _discovery.find(True, {**environment(home), "TOOLRESULT_BINARY": "/nonexistent/toolresult"})


def test_one_is_started(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**environment(home), "TOOLRESULT_BINARY": binary()}.items():
        monkeypatch.setenv(name, value)
    for name in ("TOOLRESULT_ADDRESS", "TOOLRESULT_SOCKET", "TOOLRESULT_ADDRESS_FILE", "TOOLRESULT_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    try:
        with toolresult.connect(start=True) as client:
            assert client.project_text("echo", "hello\n").receipt.endswith("hello")
    finally:
        os.kill(json.loads((home / "toolresult" / "address").read_text())["pid"], 15)


def test_a_client_from_before_finds_the_next_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**environment(home), "TOOLRESULT_BINARY": binary()}.items():
        monkeypatch.setenv(name, value)
    for name in ("TOOLRESULT_ADDRESS", "TOOLRESULT_SOCKET", "TOOLRESULT_ADDRESS_FILE", "TOOLRESULT_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    address = home / "toolresult" / "address"
    with toolresult.connect(start=True) as client:
        assert client.info().version
        os.kill(json.loads(address.read_text())["pid"], 15)
        wait_until(lambda: not address.exists())
        with pytest.raises((toolresult.UnavailableError, toolresult.reasons.DrainingError)):  # it has ended, or is about to
            client.info()
        with toolresult.connect(start=True) as other:
            assert other.address == client.address
            wait_until(lambda: healthy(client), 10)
        os.kill(json.loads(address.read_text())["pid"], 15)
