"""Errors: of the contract, of gRPC alone, and of what this version does not know."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, List, Tuple

import grpc
import pytest
from conftest import Sidecar

import toolresult
from toolresult import _messages, reasons
from toolresult._status import error_of_status
from toolresult.v1 import error_pb2, service_pb2


def trailers(*details: Tuple[str, Any], domain: str = "toolresult.v1") -> List[Tuple[str, Any]]:
    status = _messages.Status(code=3, message="m")
    for name, message in details:
        status.details.add(type_url=f"type.googleapis.com/google.rpc.{name}", value=message.SerializeToString())
    return [("other", "x"), ("grpc-status-details-bin", status.SerializeToString())]


def info(reason: str, domain: str = "toolresult.v1", **metadata: str) -> Tuple[str, Any]:
    entries = [{"key": key, "value": value} for key, value in metadata.items()]
    return "ErrorInfo", _messages.ErrorInfo(reason=reason, domain=domain, metadata=entries)


def test_every_reason_of_the_contract_has_a_class() -> None:
    names = [name[len("ERROR_REASON_") :] for name in error_pb2.ErrorReason.keys() if name != "ERROR_REASON_UNSPECIFIED"]
    assert sorted(reasons.BY_REASON) == sorted(names)
    for name, kind in reasons.BY_REASON.items():
        error = error_of_status(grpc.StatusCode.INTERNAL, "m", trailers(info(name)))
        assert type(error) is kind
        assert error.reason == name == kind.reason


def test_the_facts_of_an_error() -> None:
    delay = _messages.RetryInfo(retry_delay={"seconds": 1, "nanos": 500_000_000})
    given = trailers(info("BUDGET_TOO_SMALL", field="policy.render.budget", hint="raise it", needed="9"), ("RetryInfo", delay))
    error = error_of_status(grpc.StatusCode.INVALID_ARGUMENT, "too small", given)
    assert isinstance(error, reasons.BudgetTooSmallError)
    assert (error.message, error.field, error.hint, error.code) == ("too small", "policy.render.budget", "raise it", "INVALID_ARGUMENT")
    assert (error.retryable, error.retry_after, error.metadata["needed"]) == (True, 1.5, "9")
    assert str(error) == "too small (BUDGET_TOO_SMALL); raise it"


def test_what_is_not_known_is_the_base() -> None:
    error = error_of_status(grpc.StatusCode.ABORTED, "m", trailers(info("OF_A_LATER_VERSION")))
    assert type(error) is toolresult.ToolResultError
    assert (error.reason, error.retryable, error.retry_after) == ("OF_A_LATER_VERSION", True, None)
    other = error_of_status(grpc.StatusCode.INVALID_ARGUMENT, "m", trailers(info("BUDGET_TOO_SMALL", domain="another.example")))
    assert (type(other), other.reason) == (toolresult.ToolResultError, "")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, toolresult.UnavailableError),
        (grpc.StatusCode.DEADLINE_EXCEEDED, reasons.DeadlineError),
        (grpc.StatusCode.CANCELLED, reasons.ClientCancelledError),
        (grpc.StatusCode.UNIMPLEMENTED, reasons.MethodUnknownError),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, reasons.MessageTooLargeError),
        (grpc.StatusCode.UNKNOWN, toolresult.ToolResultError),
    ],
)
@pytest.mark.parametrize("given", [None, [], [("grpc-status-details-bin", b"\xff\xff")]])
def test_statuses_without_an_error_info(code: grpc.StatusCode, kind: type, given: Any) -> None:
    error = error_of_status(code, None, given)
    assert type(error) is kind
    assert error.code == code.name
    assert error.retryable == (code == grpc.StatusCode.UNAVAILABLE)
    assert error.hint == ("start one: toolresult ensure" if code == grpc.StatusCode.UNAVAILABLE else "")


def test_errors_are_sent_to_other_processes() -> None:
    error = error_of_status(grpc.StatusCode.INVALID_ARGUMENT, "m", trailers(info("BUDGET_TOO_SMALL", field="f", needed="9")))
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), vars(copy), str(copy)) == (type(error), vars(error), str(error))
    gone = pickle.loads(pickle.dumps(toolresult.NoSidecarError("none")))
    assert (type(gone), gone.code, gone.retryable) == (toolresult.NoSidecarError, "UNAVAILABLE", True)


def test_the_cause_is_that_of_grpc(client: toolresult.Client) -> None:
    with pytest.raises(reasons.NameInvalidError) as caught:
        client.project_text("a b", "x")
    assert isinstance(caught.value.__cause__, grpc.RpcError)
    assert caught.value.field == "output.tool_name"


def test_errors_of_raw_stubs_are_typed_by_a_function(client: toolresult.Client) -> None:
    request = service_pb2.ProjectRequest()
    request.output.tool_name = "a b"
    request.output.text.SetInParent()
    with pytest.raises(grpc.RpcError) as caught:
        client.stubs.results.Project(request)
    assert isinstance(toolresult.error_of(caught.value), reasons.NameInvalidError)


def test_a_message_that_is_too_large(client: toolresult.Client) -> None:
    request = service_pb2.ProjectRequest()
    request.output.tool_name = "x"
    request.output.text.content.inline = b"x" * (5 << 20)
    with pytest.raises(grpc.RpcError) as caught:
        client.stubs.results.Project(request)
    error = toolresult.error_of(caught.value)
    assert isinstance(error, reasons.MessageTooLargeError)
    assert not error.retryable


def test_what_the_sidecar_does_not_want_again_is_not_made_again(home: Path) -> None:
    sidecar = Sidecar(home, "--session-quota=1KiB")
    try:
        with toolresult.connect(sidecar.address, session="full") as client:
            began = time.monotonic()
            with pytest.raises(reasons.QuotaSessionError) as caught:
                client.project_text("build", "line\n" * 10_000)
            assert not caught.value.retryable
            assert time.monotonic() - began < 1, "five attempts take 1.2 s at least"
    finally:
        sidecar.end()


def test_without_a_sidecar_a_call_fails_soon(home: Path) -> None:
    with toolresult.connect(f"unix://{home}/nobody") as client:
        began = time.monotonic()
        with pytest.raises(toolresult.UnavailableError, match="start one: toolresult ensure"):
            client.info()
        assert time.monotonic() - began < 3
        for _ in range(4):
            with pytest.raises(toolresult.UnavailableError):
                client.info()
        began = time.monotonic()
        with pytest.raises(toolresult.UnavailableError):
            client.info()
        assert time.monotonic() - began < 0.5  # throttled: it is not tried again


def test_a_sidecar_that_does_not_answer(sidecar: Sidecar) -> None:
    with toolresult.connect(sidecar.address, timeout=0.3) as client:
        assert client.healthy()
        sidecar.freeze()
        with pytest.raises(reasons.DeadlineError):
            client.info()
        with pytest.raises(reasons.DeadlineError):
            client.project_text("build", b"x" * (5 << 20))
        with pytest.raises(reasons.DeadlineError):
            client.healthy(timeout=0.1)
        sidecar.thaw()
        assert client.healthy(timeout=10)


OTHERS = """
import {first}
import {second}
import toolresult
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
error_details_pb2.ErrorInfo(reason="X", domain="d", metadata={{"a": "b"}})
with toolresult.connect({address!r}) as client:
    assert client.healthy()
    assert health_pb2_grpc.HealthStub(client.channel).Check(health_pb2.HealthCheckRequest()).status == 1
    try:
        client.project_text("a b", "x")
    except toolresult.reasons.NameInvalidError as error:
        assert error.field == "output.tool_name"
    else:
        raise SystemExit("it was not rejected")
"""


@pytest.mark.parametrize("order", [("toolresult", "google.rpc.status_pb2"), ("grpc_health.v1.health_pb2", "toolresult")])
def test_beside_the_packages_with_the_same_messages(shared: Sidecar, order: Tuple[str, str]) -> None:
    code = OTHERS.format(first=order[0], second=order[1], address=shared.address)
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)
