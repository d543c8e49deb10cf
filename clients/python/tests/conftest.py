"""A sidecar for the tests: the program that the variable TOOLRESULT_BINARY names, in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List

import pytest

import toolresult

TOKEN = "a-token-of-the-tests-of-Python-long-enough"


def binary() -> str:
    """Return the program."""
    return os.environ["TOOLRESULT_BINARY"]


def environment(home: Path) -> Dict[str, str]:
    """Return the variables of a user with a home, which is the runtime directory, too."""
    names = ("PATH", "TMPDIR", "LANG")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "TOOLRESULT_VOLATILE": "true", "TOOLRESULT_LOG_LEVEL": "error"}


def free_port() -> int:
    """Return a port that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Sidecar:
    """A sidecar that is killed and started again."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.home = home
        self.socket = home / "toolresult" / "toolresult.sock"
        self.address = f"unix://{self.socket}"
        self.tcp = f"127.0.0.1:{free_port()}"
        self.store = home / "store"
        token = home / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        self._command: List[str] = [
            binary(),
            "serve",
            f"--socket={self.socket}",
            f"--store={self.store}",
            f"--tcp={self.tcp}",
            f"--token-file={token}",
            *arguments,
        ]
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(self._command, env=environment(self.home), stdout=subprocess.PIPE, start_new_session=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith(b"unix://"), "it did not start"

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self._wait()

    def freeze(self) -> None:
        """Stop it, so that it is there and does not answer. Each of its threads stops when it gets the signal."""
        self.process.send_signal(signal.SIGSTOP)
        threads = Path(f"/proc/{self.process.pid}/task")
        wait_until(lambda: all((thread / "stat").read_text().rpartition(") ")[2].startswith("T") for thread in threads.iterdir()))

    def thaw(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        self._wait()

    def _wait(self) -> None:
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory with a short name: the kernel takes 107 bytes for the path of a socket."""
    path = Path(tempfile.mkdtemp(prefix="tr"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def sidecar(home: Path) -> Iterator[Sidecar]:
    """A sidecar that the test may kill."""
    started = Sidecar(home)
    yield started
    started.end()


@pytest.fixture(scope="session")
def shared() -> Iterator[Sidecar]:
    """A sidecar for all tests that leave it alone."""
    path = Path(tempfile.mkdtemp(prefix="tr"))
    started = Sidecar(path)
    yield started
    started.end()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def client(shared: Sidecar) -> Iterator[toolresult.Client]:
    """A client of the shared sidecar."""
    with toolresult.connect(shared.address) as connected:
        yield connected


def wait_until(condition: object, seconds: float = 20) -> None:
    """Wait until a function returns something true."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.01)


def healthy(client: toolresult.Client) -> bool:
    """Report whether a sidecar answers, and serves."""
    try:
        return client.healthy()
    except toolresult.UnavailableError:
        return False
