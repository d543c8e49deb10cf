"""Turns a status of gRPC into the error of its reason."""

from __future__ import annotations

from typing import Any, Iterable

import grpc
from google.protobuf.message import DecodeError

from toolresult import reasons
from toolresult._messages import ErrorInfo, RetryInfo, Status
from toolresult.errors import ToolResultError, UnavailableError

#: The domain of the ErrorInfo of every rejected call.
_DOMAIN = "toolresult.v1"

#: The classes of statuses that gRPC itself makes, without an ErrorInfo.
_OF_GRPC = {
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: reasons.DeadlineError,
    grpc.StatusCode.CANCELLED: reasons.ClientCancelledError,
    grpc.StatusCode.UNIMPLEMENTED: reasons.MethodUnknownError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: reasons.MessageTooLargeError,
}

_RETRYABLE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED)


def error_of_status(code: grpc.StatusCode, message: str | None, trailers: Iterable[Any] | None) -> ToolResultError:
    """Return the error of a call that ended with a status. Trailers are pairs of a name and a value; None: there are none."""
    facts: dict[str, Any] = {"code": code.name, "retryable": code in _RETRYABLE}
    try:
        for detail in _details(trailers):
            facts.update(_facts(detail.type_url.rpartition("/")[2], detail.value))
    except DecodeError:  # of a proxy in between: the status itself is still good
        pass
    kind: type[ToolResultError]
    if facts.get("reason"):
        kind = reasons.BY_REASON.get(facts["reason"], ToolResultError)
    else:
        kind = _OF_GRPC.get(code, ToolResultError)
    return kind(message or "", **facts)


def _details(trailers: Iterable[Any] | None) -> Iterable[Any]:
    """Return the details of a status, each with a type and bytes."""
    for name, value in trailers or ():
        if name == "grpc-status-details-bin":
            return Status.FromString(value).details  # type: ignore[no-any-return]
    return ()


def _facts(kind: str, value: bytes) -> dict[str, Any]:
    """Return what a detail says, as arguments of an error."""
    if kind == "google.rpc.ErrorInfo":
        info = ErrorInfo.FromString(value)
        if info.domain == _DOMAIN:
            metadata = {entry.key: entry.value for entry in info.metadata}
            return {"reason": info.reason, "metadata": metadata, "field": metadata.get("field", ""), "hint": metadata.get("hint", "")}
    if kind == "google.rpc.RetryInfo":
        delay = RetryInfo.FromString(value).retry_delay
        return {"retryable": True, "retry_after": delay.seconds + delay.nanos / 1e9}
    return {}


def error_of(error: Any) -> ToolResultError:
    """Return the error of a `grpc.RpcError`, such as one that a call of the raw stubs raised."""
    return error_of_status(error.code(), error.details(), error.trailing_metadata())
