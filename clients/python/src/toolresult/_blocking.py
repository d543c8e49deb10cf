"""Calls that block their thread."""

from __future__ import annotations

import functools
import inspect
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Deque, Generator, Iterable, List, Optional, TypeVar

import grpc

from toolresult._channel import Settings, Stubs
from toolresult._status import error_of
from toolresult._transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_AHEAD = 4  # messages that wait for the connection: a tool that is faster than it is slowed down


class Blocking:
    """An object around another one, with methods of that one that block."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner


def run(coroutine: Coroutine[Any, Any, R]) -> R:
    """Return the result of a coroutine over a `BlockingTransport`, which is never suspended."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]
    raise RuntimeError("a call was suspended")  # a fault of this package


def blocking(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Any, P], R]:
    """Return a coroutine method as one that blocks, of the object around."""

    def call(self: Any, /, *args: P.args, **options: P.kwargs) -> R:
        return run(method(self._inner, *args, **options))

    functools.update_wrapper(call, method)
    return call


def blocking_iterator(method: Callable[Concatenate[Any, P], AsyncIterator[R]]) -> Callable[Concatenate[Any, P], Generator[R, None, None]]:
    """Return an asynchronous generator method as a generator."""

    def iterate(self: Any, /, *args: P.args, **options: P.kwargs) -> Generator[R, None, None]:
        values: Any = method(self._inner, *args, **options)
        try:
            while True:
                try:
                    value = run(values.__anext__())
                except StopAsyncIteration:
                    return
                yield value
        finally:
            run(values.aclose())

    return described(iterate, method, str(inspect.signature(method).return_annotation).replace("Async", ""))


def wrapping(method: Callable[Concatenate[Any, P], Any], around: Callable[[Any], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method that makes an object as one that makes the object around it."""

    def make(self: Any, /, *args: P.args, **options: P.kwargs) -> R:
        return around(method(self._inner, *args, **options))

    return described(make, method, getattr(around, "__name__", ""))


def described(function: F, method: Any, returns: str) -> F:
    """Return a function with the name, the text and the arguments of a method, for `help`, and with another result."""
    functools.update_wrapper(function, method)
    function.__signature__ = inspect.signature(method).replace(return_annotation=returns)  # type: ignore[attr-defined]
    return function


class BlockingTransport(Transport):
    """A connection for any number of threads."""

    def __init__(self, settings: Settings) -> None:
        credentials, options = settings.credentials(), settings.arguments()
        if credentials is None:
            self.channel = grpc.insecure_channel(settings.target(), options=options)
        else:
            self.channel = grpc.secure_channel(settings.target(), credentials, options=options)
        super().__init__(Stubs(self.channel, settings.metadata()), settings)

    async def make(self, method: Any, request: Any, timeout: Optional[float]) -> Any:
        self.check()
        try:
            return method(request, timeout=timeout)
        except grpc.RpcError as error:
            raise error_of(error) from error

    async def send(self, method: Any, messages: Iterable[Any], timeout: Optional[float]) -> List[Any]:
        self.check()
        call = method(iter(messages), timeout=timeout)
        try:
            return list(call)
        except grpc.RpcError as error:
            raise error_of(error) from error
        finally:
            call.cancel()  # if this thread was interrupted

    def open(self, method: Any, timeout: Optional[float]) -> "BlockingCall":
        self.check()
        return BlockingCall(method, timeout)

    def lock(self) -> "_Lock":
        return _Lock()


class BlockingCall:
    """A call that goes on. gRPC takes its messages in a thread of its own."""

    def __init__(self, method: Any, timeout: Optional[float]) -> None:
        self._waiting: Deque[Any] = deque()
        self._ended = False
        self._changed = threading.Condition()
        self._call = method(iter(self._take, None), timeout=timeout)
        if not self._call.add_callback(self._end):
            self._end()

    async def write(self, message: Any) -> None:
        with self._changed:
            while len(self._waiting) >= _AHEAD and not self._ended:
                self._changed.wait()
            if not self._ended:
                self._waiting.append(message)
                self._changed.notify_all()
                return
        while await self.read() is not None:  # the error is behind the answers
            pass
        raise RuntimeError("the server ended the call before its end")

    async def read(self) -> Any:
        try:
            return next(self._call)
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise error_of(error) from error

    def cancel(self) -> None:
        self._call.cancel()
        self._end()

    def _take(self) -> Any:
        """Return the next message, for the thread of gRPC; None: the call has ended."""
        with self._changed:
            while not self._waiting and not self._ended:
                self._changed.wait()
            if self._ended:
                return None
            message = self._waiting.popleft()
            self._changed.notify_all()
            return message

    def _end(self) -> None:
        with self._changed:
            self._ended = True
            self._waiting.clear()
            self._changed.notify_all()


class _Lock:
    """A lock for threads, in the form of one for tasks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()
