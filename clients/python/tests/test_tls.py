"""TLS over TCP, with a certificate of the server and one of the client."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, Tuple

import pytest
from conftest import TOKEN, Sidecar

import toolresult
from toolresult import aio


def certificate(directory: Path, name: str) -> Tuple[Path, Path]:
    """Make a certificate that signs itself, and return its file and that of its key."""
    files = directory / f"{name}.pem", directory / f"{name}.key"
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-out", str(files[0]), "-keyout", str(files[1])], check=True, capture_output=True)
    files[1].chmod(0o600)
    return files


@pytest.fixture
def secured(home: Path) -> Iterator[Sidecar]:
    """A sidecar that wants a certificate of its callers."""
    if shutil.which("openssl") is None:
        pytest.skip("it needs openssl")
    server, caller = certificate(home, "server"), certificate(home, "caller")
    started = Sidecar(home, f"--tls-cert={server[0]}", f"--tls-key={server[1]}", f"--tls-client-ca={caller[0]}")
    yield started
    started.end()


def test_calls_with_certificates(secured: Sidecar) -> None:
    ca, own = secured.home / "server.pem", (secured.home / "caller.pem", str(secured.home / "caller.key"))
    with toolresult.connect(secured.tcp, ca=ca, certificate=own, token=TOKEN) as client:
        assert client.healthy()
        assert client.project_text("echo", "hello\n").receipt.endswith("hello")
        assert client.stubs.health(b"").status == 1

    async def main() -> None:
        async with await aio.connect(secured.tcp, ca=str(ca), certificate=own, token=TOKEN) as client:
            assert (await client.project_text("echo", "hello\n")).receipt.endswith("hello")

    asyncio.run(main())


def test_calls_without_them(secured: Sidecar) -> None:
    ca = secured.home / "server.pem"
    for authority in (ca, secured.home / "caller.pem", None):
        with toolresult.connect(secured.tcp, token=TOKEN, ca=authority) as client, pytest.raises(toolresult.UnavailableError):
            client.info(timeout=5)


def test_a_file_that_is_not_there(home: Path) -> None:
    with pytest.raises(FileNotFoundError):
        toolresult.connect("127.0.0.1:1", ca=home / "nothing")


def test_another_machine_gets_a_token_with_a_ca(home: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("it needs openssl")
    ca, _ = certificate(home, "server")
    toolresult.connect("192.0.2.1:1", ca=ca, token=TOKEN).close()
