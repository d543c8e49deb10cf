"""Uses the installed package with any runtime: smoke.py. It needs nothing but the package, and the sidecar of TOOLRESULT_BINARY."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.resources
import os
import pkgutil
import signal
import tempfile
from pathlib import Path

import google.protobuf
import grpc

import toolresult
from toolresult import v1


def main() -> None:
    for module in pkgutil.iter_modules(v1.__path__):
        importlib.import_module(f"toolresult.v1.{module.name}")
    assert importlib.metadata.version("toolresult") == toolresult.__version__
    files = {file.name for file in importlib.resources.files("toolresult").iterdir()}
    assert {"py.typed", "service_config.json"} <= files, files
    with tempfile.TemporaryDirectory(prefix="tr") as home:
        os.environ.update(HOME=home, XDG_RUNTIME_DIR=home, TOOLRESULT_VOLATILE="true")
        with toolresult.connect(start=True) as client:
            try:
                use(client)
                asyncio.run(use_in_loop(client.address))
            finally:
                address = (Path(home) / "toolresult" / "address").read_text()
                pid = int(address.partition('"pid":')[2].partition(",")[0])
                os.kill(pid, signal.SIGTERM)
    print(f"works with grpcio {grpc.__version__} and protobuf {google.protobuf.__version__}")


def use(client: toolresult.Client) -> None:
    assert client.healthy()
    assert client.project_text("echo", "hello\n").receipt.endswith("hello")
    result = client.project_text("build", "line\n" * 400_000, max_tokens=100)
    assert client.read(result.artifacts[0], tail=1).data == b"line\n"
    try:
        client.project_text("a b", "x")
    except toolresult.reasons.NameInvalidError as error:
        assert error.field == "output.tool_name"
    with client.stream("exec_command") as stream:
        stream.write("half\n")
        assert "half" in stream.finish(exit_status=0).receipt
    with client.session("smoke", provider="anthropic") as session:
        session.user("x")
        assert len(session.messages) == 1


async def use_in_loop(address: str) -> None:
    async with await toolresult.aio.connect(address) as client:
        assert (await client.project_text("echo", "hello\n")).receipt.endswith("hello")
        async with client.stream("exec_command") as stream:
            await stream.write("half\n")
            assert "half" in (await stream.finish(exit_status=0)).receipt


if __name__ == "__main__":
    main()
