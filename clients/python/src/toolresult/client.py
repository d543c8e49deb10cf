"""The client with calls that block."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import grpc

from toolresult import _discovery
from toolresult._blocking import Blocking, BlockingTransport, blocking, blocking_iterator, wrapping
from toolresult._calls import Calls
from toolresult._channel import FilePath, Settings, Stubs
from toolresult.session import Session
from toolresult.stream import Stream


class Client(Blocking):
    """Calls a sidecar. Make one with `connect`, and close it, best as a context manager.

    Any number of threads may use it. A child of a fork may not: connect in the child (see the README).

    Errors of all calls are `toolresult.ToolResultError`, with a class for each reason in `toolresult.reasons`.
    """

    def __init__(self, settings: Settings) -> None:
        self._transport = BlockingTransport(settings)
        super().__init__(Calls(self._transport, settings.session))
        #: The address of the sidecar: unix:///PATH or HOST:PORT.
        self.address = settings.address

    project_text = blocking(Calls.project_text)
    project_command = blocking(Calls.project_command)
    project_error = blocking(Calls.project_error)
    project = blocking(Calls.project)
    project_turn = blocking(Calls.project_turn)
    stream = wrapping(Calls.stream, Stream)
    session = wrapping(Calls.session, Session)
    render = blocking(Calls.render)
    compact = blocking(Calls.compact)
    read = blocking(Calls.read)
    read_pages = blocking_iterator(Calls.read_pages)
    encode_turn = blocking(Calls.encode_turn)
    register_secrets = blocking(Calls.register_secrets)
    tool_definitions = blocking(Calls.tool_definitions)
    call_tool = blocking(Calls.call_tool)
    info = blocking(Calls.info)
    healthy = blocking(Calls.healthy)

    @property
    def stubs(self) -> Stubs:
        """The generated clients, for calls that this one has no method of."""
        return self._transport.stubs  # type: ignore[no-any-return]

    @property
    def channel(self) -> grpc.Channel:
        """The connection. Calls over it do not send the token; those of the stubs do."""
        return self._transport.channel

    def close(self) -> None:
        """End the connection. The sidecar goes on."""
        self.channel.close()

    def __enter__(self) -> "Client":
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the connection."""
        self.close()


def connect(
    address: Optional[str] = None,
    *,
    token: Optional[str] = None,
    start: bool = False,
    timeout: Optional[float] = None,
    session: str = "",
    ca: Optional[FilePath] = None,
    certificate: Optional[Tuple[FilePath, FilePath]] = None,
    options: Sequence[Tuple[str, Any]] = (),
) -> Client:
    """Return a client of the sidecar at an address or, without one, of that of this user. The first call makes the connection.

    Args:
        address: unix:///PATH or HOST:PORT. None: the sidecar of this user, by the variables TOOLRESULT_ADDRESS,
            TOOLRESULT_ADDRESS_FILE and TOOLRESULT_SOCKET, or in the runtime directory.
        token: what calls carry: that of the sidecar over TCP, or one of a session. None: over TCP that of the variable
            TOOLRESULT_TOKEN. Without TLS a token is sent to the loopback address and over a socket only.
        start: whether to start a sidecar where none runs, by `toolresult ensure`: the program that the variable TOOLRESULT_BINARY
            names, or that is in PATH.
        timeout: how long a call may take that has none of its own, in seconds. None: that of the service config. The shorter one
            of both counts. What `Client.stream` opens has none.
        session: the session of calls that name none. Empty: none.
        ca: a file with certificates, by which a server over TCP proves itself: calls are made with TLS. None: without.
        certificate: the files of a certificate and of its key, by which this client proves itself. None: it does not.
        options: further options of the channel of gRPC, which win over those of this package.

    Raises:
        NoSidecarError: none was found, and none was to be started or can be.
        UnavailableError: one was found that accepts nothing, or one could not be started.
        ValueError: a token would be sent in clear to another machine.
    """
    return Client(Settings(address or _discovery.find(start), token, ca, certificate, session, timeout, options))
