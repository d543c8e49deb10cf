"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any, Callable, Coroutine, List

import pytest
from conftest import TOKEN, Sidecar, environment

import toolresult
from toolresult import aio, reasons

LONG = "".join(f"compiling unit {n} of the program\n" for n in range(3000))


def run(main: Callable[[aio.AsyncClient], Coroutine[Any, Any, None]], address: str, **options: Any) -> None:
    async def connected() -> None:
        async with await aio.connect(address, **options) as client:
            await main(client)

    asyncio.run(connected())


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> List[str]:
        return sorted(name for name, value in inspect.getmembers(kind) if callable(value) and not name.startswith("_"))

    assert methods(toolresult.Client) == methods(aio.AsyncClient)
    assert methods(toolresult.Stream) == methods(aio.AsyncStream)
    assert methods(toolresult.Session) == methods(aio.AsyncSession)
    for name in methods(toolresult.Client):
        one, other = getattr(toolresult.Client, name), getattr(aio.AsyncClient, name)
        if name != "close":
            assert list(inspect.signature(one).parameters) == list(inspect.signature(other).parameters)


def test_the_calls(shared: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        assert await client.healthy()
        result = await client.project_text("build", LONG, max_tokens=100, session="aio", call_id="call_1")
        pages = [page.text async for page in client.read_pages(result.artifacts[0], lines=(1, 4), max_lines=1)]
        assert "".join(pages) == "".join(LONG.splitlines(keepends=True)[:4])
        assert (await client.compact([result], level="line")).budget_met
        turn = await client.encode_turn("openai-chat", content="x", user_text="y")
        assert [message["role"] for message in turn.messages] == ["assistant", "user"]
        assert (await client.project_text("build", LONG * 20)).artifacts
        with pytest.raises(reasons.NameInvalidError):
            await client.project_text("a b", LONG * 20)
        assert (await client.stubs.results.GetServerInfo(toolresult.v1.service_pb2.GetServerInfoRequest())).version

    run(main, shared.address)
    run(main, shared.tcp, token=TOKEN)


def test_streams(shared: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        async with client.stream("exec_command", command_line="make serve") as stream:
            await stream.write(b"x" * (5 << 20))
            assert "task_1" in (await stream.snapshot("task_1")).receipt
            assert (await stream.finish(exit_status=0)).artifacts
            with pytest.raises(ValueError, match="was finished"):
                await stream.write("x")
        async with client.stream("a b", family="text") as stream:
            with pytest.raises(reasons.NameInvalidError):
                await stream.finish()
        async with client.stream("x", family="nothing of a family") as stream:
            with pytest.raises(reasons.FamilyUnknownError):
                for _ in range(1000):
                    await stream.write(b"x" * 100_000)
        async with client.stream("exec_command") as stream:
            await stream.write("half")
        assert await client.healthy()

    run(main, shared.address)


def test_many_tasks(shared: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        results = await asyncio.gather(*(client.project_text("echo", f"line {n}\n") for n in range(200)))
        assert all(f"line {n}" in result.receipt for n, result in enumerate(results))

    run(main, shared.address)


def test_a_task_that_is_cancelled(sidecar: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        assert await client.healthy()
        sidecar.freeze()
        for wait in (client.project_text("echo", "x"), client.project_text("echo", LONG * 40)):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(wait, 0.2)
        stream = client.stream("exec_command")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream.write(b"x" * (50 << 20)), 0.5)
        await stream.cancel()
        sidecar.thaw()
        assert await client.healthy(timeout=10)

    run(main, sidecar.address)


def test_a_killed_sidecar(sidecar: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        assert await client.healthy()
        sidecar.freeze()
        task = asyncio.ensure_future(client.project_text("echo", "hello\n"))
        await asyncio.sleep(0.2)
        sidecar.kill()
        sidecar.start()
        assert (await task).receipt.endswith("hello")
        async with client.stream("exec_command") as stream:
            await stream.write("half")
            sidecar.kill()
            with pytest.raises(toolresult.UnavailableError):
                await stream.finish(exit_status=0)
        with pytest.raises(toolresult.UnavailableError):
            await client.info()

    run(main, sidecar.address)


def test_it_finds_the_sidecar(sidecar: Sidecar, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    for name in ("TOOLRESULT_ADDRESS", "TOOLRESULT_SOCKET", "TOOLRESULT_ADDRESS_FILE", "TOOLRESULT_CONFIG"):
        monkeypatch.delenv(name, raising=False)

    async def main() -> None:
        async with await aio.connect() as client:
            assert client.address == sidecar.address
            assert await client.healthy()

    asyncio.run(main())
    sidecar.kill()
    with pytest.raises(toolresult.NoSidecarError):
        asyncio.run(main())


def test_another_loop_does_not_hang(shared: Sidecar) -> None:
    async def connect() -> aio.AsyncClient:
        client = await aio.connect(shared.address)
        assert await client.healthy()
        return client

    client = asyncio.run(connect())
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(client.healthy())
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(client.project_text("build", LONG * 20))
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(client.stream("exec_command").write("x"))


def test_two_loops_after_each_other(shared: Sidecar) -> None:
    async def main(client: aio.AsyncClient) -> None:
        assert await client.healthy()

    for _ in range(3):
        run(main, shared.address)
