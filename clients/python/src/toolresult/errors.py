"""The base of all errors of calls, and those of calls that no sidecar answered.

A class for each reason of the contract is in `toolresult.reasons`.
"""

from __future__ import annotations

from typing import Mapping

#: The hint of errors of calls that no sidecar answered.
START_HINT = "start one: toolresult ensure"


class ToolResultError(Exception):
    """A call that was not served.

    It is raised itself, and not a class of it, for a status of gRPC that has no reason, and for a reason that this version does not
    know. The error of gRPC is its `__cause__`.
    """

    #: The reason of the contract, such as "BUDGET_TOO_SMALL"; empty when gRPC itself ended the call.
    reason: str = ""

    def __init__(
        self,
        message: str = "",
        *,
        reason: str | None = None,
        code: str = "UNKNOWN",
        field: str = "",
        hint: str = "",
        retryable: bool = False,
        retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        if reason is not None:
            self.reason = reason
        #: What was wrong. It has no bytes of a tool.
        self.message = message
        #: The name of the status of gRPC, such as "INVALID_ARGUMENT".
        self.code = code
        #: The path of the field that was wrong, such as "output.tool_name"; empty: none.
        self.field = field
        #: What to do next; empty: nothing is known.
        self.hint = hint
        #: Whether the same call may succeed when it is made again.
        self.retryable = retryable
        #: How long to wait before that, in seconds; None: the sidecar does not say.
        self.retry_after = retry_after
        #: Further facts, such as "needed" of a budget.
        self.metadata = dict(metadata or {})

    def __str__(self) -> str:
        """Return the message, the reason and the hint."""
        text = self.message
        if self.reason:
            text += f" ({self.reason})"
        if self.hint:
            text += f"; {self.hint}"
        return text


class UnavailableError(ToolResultError):
    """No sidecar answered, or none could be started."""

    def __init__(self, message: str = "", **facts: object) -> None:
        known = {"code": "UNAVAILABLE", "hint": START_HINT, "retryable": True, **facts}
        super().__init__(message, **known)  # type: ignore[arg-type]


class NoSidecarError(UnavailableError):
    """No sidecar was found, and none was to be started or could be."""
