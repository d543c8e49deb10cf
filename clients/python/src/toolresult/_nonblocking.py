"""Calls that wait in an event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Iterable, List, Optional

import grpc

from toolresult._blocking import run
from toolresult._channel import AsyncStubs, Settings
from toolresult._status import error_of, error_of_status
from toolresult._transport import Transport

#: The details of a status that gRPC makes when a message cannot be sent, and how long that of the server is waited for, in seconds.
_OF_GRPC, _PATIENCE = "Internal error from Core", 1.0


class LoopTransport(Transport):
    """A connection for the tasks of one event loop."""

    def __init__(self, settings: Settings) -> None:
        credentials, options = settings.credentials(), settings.arguments()
        if credentials is None:
            self.channel = grpc.aio.insecure_channel(settings.target(), options=options)
        else:
            self.channel = grpc.aio.secure_channel(settings.target(), credentials, options=options)
        self._loop = asyncio.get_running_loop()
        super().__init__(AsyncStubs(self.channel, settings.metadata()), settings)

    def check(self) -> None:
        """Reject a call in another event loop: its tasks would wait for ever."""
        super().check()
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("this client is of another event loop: connect in each loop")

    async def make(self, method: Any, request: Any, timeout: Optional[float]) -> Any:
        self.check()
        try:
            return await method(request, timeout=timeout)
        except grpc.RpcError as error:
            raise error_of(error) from error

    async def send(self, method: Any, messages: Iterable[Any], timeout: Optional[float]) -> List[Any]:
        self.check()
        call = method(messages, timeout=timeout)
        status = _Status(call)
        try:
            return [message async for message in call]
        except grpc.RpcError as error:
            raise await status.error() from error

    def open(self, method: Any, timeout: Optional[float]) -> "LoopCall":
        self.check()
        return LoopCall(method(timeout=timeout))

    def lock(self) -> asyncio.Lock:
        return asyncio.Lock()


class LoopCall:
    """A call that goes on."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._status = _Status(call)

    async def write(self, message: Any) -> None:
        try:
            await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError) as error:  # the second says that the call has ended
            raise await self._status.error() from error

    async def read(self) -> Any:
        try:
            message = await self._call.read()
        except (grpc.RpcError, asyncio.InvalidStateError) as error:
            raise await self._status.error() from error
        return None if message is grpc.aio.EOF else message

    def cancel(self) -> None:
        self._call.cancel()


class _Status:
    """The status of a call as the server sent it.

    When a message cannot be sent, because the call has ended, gRPC gives the call a status of its own, before that of the server or in
    its place.
    """

    def __init__(self, call: Any) -> None:
        self._known: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        self._other: Exception = RuntimeError("the call has no status")
        call.add_done_callback(self._note)  # which gRPC calls for each status

    def _note(self, call: Any) -> None:
        code, details, trailers = run(call.code()), run(call.details()), run(call.trailing_metadata())
        if code == grpc.StatusCode.OK:
            error: Exception = RuntimeError("the server ended the call before its end")
        else:
            error = error_of_status(code, details, trailers)
        if details == _OF_GRPC:
            self._other = error
        elif not self._known.done():
            self._known.set_result(error)

    async def error(self) -> Exception:
        """Return the error of the call, which has ended or is about to end."""
        try:
            return await asyncio.wait_for(asyncio.shield(self._known), _PATIENCE)
        except asyncio.TimeoutError:
            return self._other
