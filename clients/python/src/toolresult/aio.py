"""The client for asyncio: the same calls as those of `toolresult.Client`, as coroutines."""

from __future__ import annotations

import asyncio
from typing import Any, Optional, Sequence, Tuple

import grpc

from toolresult import _discovery
from toolresult._calls import Calls
from toolresult._channel import AsyncStubs, FilePath, Settings
from toolresult._nonblocking import LoopTransport
from toolresult.session import AsyncSession
from toolresult.stream import AsyncStream

__all__ = ["AsyncClient", "AsyncSession", "AsyncStream", "AsyncStubs", "connect"]


class AsyncClient(Calls):
    """Calls a sidecar, from the tasks of one event loop. Make one with `connect`, and close it, best as a context manager."""

    def __init__(self, settings: Settings) -> None:
        self._loop_transport = LoopTransport(settings)
        super().__init__(self._loop_transport, settings.session)
        #: The address of the sidecar: unix:///PATH or HOST:PORT.
        self.address = settings.address

    @property
    def stubs(self) -> AsyncStubs:
        """The generated clients, for calls that this one has no method of."""
        return self._transport.stubs  # type: ignore[no-any-return]

    @property
    def channel(self) -> grpc.aio.Channel:
        """The connection. Calls over it do not send the token; those of the stubs do."""
        return self._loop_transport.channel

    async def close(self) -> None:
        """End the connection. The sidecar goes on."""
        await self.channel.close()

    async def __aenter__(self) -> "AsyncClient":
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the connection."""
        await self.close()


async def connect(
    address: Optional[str] = None,
    *,
    token: Optional[str] = None,
    start: bool = False,
    timeout: Optional[float] = None,
    session: str = "",
    ca: Optional[FilePath] = None,
    certificate: Optional[Tuple[FilePath, FilePath]] = None,
    options: Sequence[Tuple[str, Any]] = (),
) -> AsyncClient:
    """Return a client of the sidecar at an address or, without one, of that of this user. `toolresult.connect` has the arguments."""
    if not address:
        address = await asyncio.get_running_loop().run_in_executor(None, _discovery.find, start)
    return AsyncClient(Settings(address, token, ca, certificate, session, timeout, options))
