"""How calls are made: what the two transports have in common.

Calls are written once, as coroutines over a `Transport`. That of `toolresult.aio` waits in the event loop. That of `toolresult.Client`
blocks its thread, so that a coroutine over it ends without ever being suspended, and needs no event loop.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from abc import ABC, abstractmethod
from typing import Any, AsyncContextManager, Iterable, Iterator, List, Optional, Protocol

from toolresult._channel import Settings
from toolresult.reasons import ClientCancelledError, DeadlineError


class OpenCall(Protocol):
    """A call with a stream in both directions, which goes on."""

    async def write(self, message: Any) -> None:
        """Send a message. If the call has ended, the error is why."""

    async def read(self) -> Any:
        """Receive a message; None: the call has ended, and well."""

    def cancel(self) -> None:
        """End the call, if it goes on."""


@contextlib.contextmanager
def _until(end: float) -> Iterator[None]:
    """Turn the error of a call that the sidecar ended because its time was over, and gRPC calls cancelled, into a `DeadlineError`."""
    try:
        yield
    except ClientCancelledError as error:
        if time.monotonic() < end:
            raise
        raise DeadlineError("the time was over", code="DEADLINE_EXCEEDED") from error


class _TimedCall:
    """An `OpenCall` with a time in which it has to end."""

    def __init__(self, call: OpenCall, end: float) -> None:
        self._call, self._end = call, end

    async def write(self, message: Any) -> None:
        with _until(self._end):
            await self._call.write(message)

    async def read(self) -> Any:
        with _until(self._end):
            return await self._call.read()

    def cancel(self) -> None:
        self._call.cancel()


class Transport(ABC):
    """Makes calls. Their errors are those of `toolresult.errors`."""

    def __init__(self, stubs: Any, settings: Settings) -> None:
        self.stubs = stubs
        self._timeout = settings.timeout
        self._process = os.getpid()

    def check(self) -> None:
        """Reject a call in a child of the process that connected: gRPC would wait in it for ever."""
        if os.getpid() != self._process:
            raise RuntimeError("this client is of the process before a fork: connect in the child")

    async def unary(self, method: Any, request: Any, timeout: Optional[float]) -> Any:
        """Make a call with one message in each direction.

        The timeout is in seconds; None: that of the connection. gRPC counts in milliseconds: here, every call that took longer than its
        timeout is a `DeadlineError`.
        """
        limit = self._timeout if timeout is None else timeout
        if limit is None:
            return await self.make(method, request, None)
        end = time.monotonic() + limit
        with _until(end):
            answer = await self.make(method, request, limit)
        if time.monotonic() >= end:
            raise DeadlineError("the time was over", code="DEADLINE_EXCEEDED")
        return answer

    @abstractmethod
    async def make(self, method: Any, request: Any, timeout: Optional[float]) -> Any:
        """Make a call with one message in each direction. The timeout is in seconds; None: that of the service config."""

    async def exchange(self, method: Any, messages: Iterable[Any], timeout: Optional[float]) -> List[Any]:
        """Make a call with all of its messages at once, and return those of the answer, at least one.

        The timeout is in seconds; None: that of the connection, or none.
        """
        limit = self._timeout if timeout is None else timeout
        with _until(math.inf if limit is None else time.monotonic() + limit):
            answers = await self.send(method, messages, limit)
        if not answers:
            raise RuntimeError("the server ended the call without an answer")
        return answers

    @abstractmethod
    async def send(self, method: Any, messages: Iterable[Any], timeout: Optional[float]) -> List[Any]:
        """Make a call with all of its messages at once, and return those of the answer. None: no timeout."""

    def begin(self, method: Any, timeout: Optional[float]) -> OpenCall:
        """Begin a call that goes on. None: no timeout."""
        if timeout is None:
            return self.open(method, None)
        end = time.monotonic() + timeout
        return _TimedCall(self.open(method, timeout), end)

    @abstractmethod
    def open(self, method: Any, timeout: Optional[float]) -> OpenCall:
        """Begin a call that goes on, for `begin`."""

    @abstractmethod
    def lock(self) -> AsyncContextManager[Any]:
        """Return a lock for the callers of this transport: tasks, or threads."""
