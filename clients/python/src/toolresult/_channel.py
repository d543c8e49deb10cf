"""The connection: options of gRPC, credentials, and the stubs over it."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Tuple, Union
from urllib.parse import quote

import grpc

from toolresult._messages import HealthCheckResponse
from toolresult.v1 import access_pb2_grpc, artifact_pb2_grpc, audit_pb2_grpc, service_pb2_grpc, tool_pb2_grpc, transport_pb2_grpc

FilePath = Union[str, "os.PathLike[str]"]

#: The deadlines and retries of all calls, as gRPC reads them.
SERVICE_CONFIG = (Path(__file__).parent / "service_config.json").read_text()

_OPTIONS: Sequence[Tuple[str, Any]] = (
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.max_receive_message_length", 256 << 20),  # compacted histories are larger than gRPC's 4 MiB
    ("grpc.max_send_message_length", -1),  # the server is the one that has a limit
    ("grpc.per_rpc_retry_buffer_size", 8 << 20),  # outputs are larger than the 256 KiB that gRPC would send again
    # A local sidecar is there again soon; gRPC would look for it after 1 to 120 seconds.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.min_reconnect_backoff_ms", 5000),  # which is how long one connection may take
    ("grpc.keepalive_time_ms", 15_000),  # so that a sidecar that is stopped is noticed
    ("grpc.keepalive_timeout_ms", 15_000),
    ("grpc.http2.ping_timeout_ms", 15_000),  # of newer versions, which would wait for a minute
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.http2.max_pings_without_data", 0),  # no limit: a stream may be silent for long
    ("grpc.use_local_subchannel_pool", 1),  # no other client's wait for its next connection
)


@dataclass(frozen=True)
class Settings:
    """How to call a sidecar at an address."""

    address: str
    token: Optional[str] = field(default=None, repr=False)
    ca: Optional[FilePath] = None
    certificate: Optional[Tuple[FilePath, FilePath]] = None
    session: str = ""
    timeout: Optional[float] = None
    options: Sequence[Tuple[str, Any]] = ()

    def __post_init__(self) -> None:
        """Reject what gRPC would take for the name of a host."""
        if self.address.startswith("/"):
            raise ValueError(f"the address {self.address}: write unix://{self.address}")

    @property
    def local(self) -> bool:
        """Whether the address is a socket."""
        return self.address.startswith("unix:")

    def target(self) -> str:
        """Return the address as gRPC reads it: an URI."""
        return "unix://" + quote(self.address[len("unix://") :]) if self.address.startswith("unix:///") else self.address

    def arguments(self) -> Sequence[Tuple[str, Any]]:
        """Return the options of the channel."""
        direct = {"grpc.enable_http_proxy": 0} if _is_loopback(self.address) else {}
        return tuple({**dict(_OPTIONS), **direct, **dict(self.options)}.items())

    def credentials(self) -> Optional[grpc.ChannelCredentials]:
        """Return those of TLS; None: it is not used, as on a socket."""
        if self.local or self.ca is None and self.certificate is None:
            return None
        chain, key = (Path(path).read_bytes() for path in self.certificate) if self.certificate else (None, None)
        return grpc.ssl_channel_credentials(None if self.ca is None else Path(self.ca).read_bytes(), key, chain)

    def metadata(self) -> Tuple[Tuple[str, str], ...]:
        """Return what each call sends: the token, if there is one.

        On a socket the user id is enough, so that only a token is sent there that was given, such as that of a session.
        """
        token = self.token if self.token is not None or self.local else os.environ.get("TOOLRESULT_TOKEN")
        if not token:
            return ()
        if not self.local and not _is_loopback(self.address) and self.credentials() is None:
            raise ValueError("a token is sent to another machine with TLS only: give a CA file")
        return (("authorization", f"Bearer {token}"),)


def _is_loopback(address: str) -> bool:
    """Report whether an address is of this machine, by its text."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Stubs:
    """The generated clients over a channel of either kind."""

    def __init__(self, channel: Any, metadata: Tuple[Tuple[str, str], ...]) -> None:
        over: Any = _Authorized(channel, metadata) if metadata else channel
        self.results: Any = service_pb2_grpc.ToolResultServiceStub(over)
        self.artifacts: Any = artifact_pb2_grpc.ArtifactServiceStub(over)
        self.transport: Any = transport_pb2_grpc.TransportServiceStub(over)
        self.tools: Any = tool_pb2_grpc.ToolServiceStub(over)
        self.audit: Any = audit_pb2_grpc.AuditServiceStub(over)
        self.access: Any = access_pb2_grpc.AccessServiceStub(over)
        #: The check of the health service: bytes of its request, and its answer.
        self.health: Any = over.unary_unary(
            "/grpc.health.v1.Health/Check", request_serializer=bytes, response_deserializer=HealthCheckResponse.FromString
        )


class Stubs(_Stubs):
    """The generated clients, for calls that a client has no method of.

    They share its connection, token, deadlines and retries. Their errors are those of gRPC; `toolresult.error_of` turns them into
    errors of this package.
    """

    results: service_pb2_grpc.ToolResultServiceStub
    artifacts: artifact_pb2_grpc.ArtifactServiceStub
    transport: transport_pb2_grpc.TransportServiceStub
    tools: tool_pb2_grpc.ToolServiceStub
    audit: audit_pb2_grpc.AuditServiceStub
    access: access_pb2_grpc.AccessServiceStub


class AsyncStubs(_Stubs):
    """The `Stubs` of an `AsyncClient`, whose calls are awaited."""

    results: service_pb2_grpc.ToolResultServiceAsyncStub
    artifacts: artifact_pb2_grpc.ArtifactServiceAsyncStub
    transport: transport_pb2_grpc.TransportServiceAsyncStub
    tools: tool_pb2_grpc.ToolServiceAsyncStub
    audit: audit_pb2_grpc.AuditServiceAsyncStub
    access: access_pb2_grpc.AccessServiceAsyncStub


class _Authorized:
    """A channel that adds metadata to its calls.

    Credentials of gRPC would not go over a connection in clear, not even to the loopback address, and its interceptors cost more.
    """

    def __init__(self, channel: Any, metadata: Tuple[Tuple[str, str], ...]) -> None:
        self._channel, self._metadata = channel, metadata

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        """Return a method that makes calls, such as unary_unary."""
        make = getattr(self._channel, kind)
        return lambda *args, **options: _AuthorizedCall(make(*args, **options), self._metadata)


class _AuthorizedCall:
    """A method of the server, called with metadata. It has the forms `with_call` and `future`, too."""

    def __init__(self, call: Any, metadata: Tuple[Tuple[str, str], ...]) -> None:
        self._call, self._metadata = call, metadata

    def __call__(self, request: Any = None, *args: Any, metadata: Any = None, **options: Any) -> Any:
        return self._call(request, *args, metadata=(*(metadata or ()), *self._metadata), **options)

    def __getattr__(self, form: str) -> Any:
        return _AuthorizedCall(getattr(self._call, form), self._metadata)
