"""The client for asyncio with the face of the one that blocks, so that both execute the same list."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import toolresult

_loop = asyncio.new_event_loop()
_WRAPPED = (toolresult.aio.AsyncClient, toolresult.aio.AsyncStream, toolresult.aio.AsyncStubs)


class Blocked:
    """An object with methods that run in the event loop until they have a result."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        """Return an attribute, a method that blocks, or an object with such methods."""
        found = getattr(self._inner, name)
        if callable(found):
            return lambda *args, **options: blocked(found, *args, **options)
        return Blocked(found) if isinstance(found, _WRAPPED) or isinstance(self._inner, toolresult.aio.AsyncStubs) else found

    def __enter__(self) -> Blocked:
        """Return the object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave its context."""
        _loop.run_until_complete(self._inner.__aexit__(None, None, None))


def blocked(function: Any, *args: Any, **options: Any) -> Any:
    """Return the result of a function, of a coroutine, or all results of an asynchronous generator."""

    async def run() -> Any:
        result = function(*args, **options)
        if inspect.isasyncgen(result):
            return [value async for value in result]
        return await result if inspect.isawaitable(result) else result

    result = _loop.run_until_complete(run())
    return Blocked(result) if isinstance(result, _WRAPPED) else result


def connect(*args: Any, **options: Any) -> Any:
    """Return a client of `toolresult.aio` that blocks."""
    return blocked(toolresult.aio.connect, *args, **options)
