"""Outputs of tools as requests.

`Client.project_text` and its like make one of these and send it. Make them yourself for the parallel calls of a turn, which share a
budget (`Client.project_turn`, `Session.project_turn`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Iterator, List, Mapping, Optional, Tuple, TypedDict, Union

from google.protobuf.message import Message

from toolresult.v1 import command_pb2, envelope_pb2, payload_pb2, policy_pb2, service_pb2

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What a tool printed: bytes are sent as they are, a string as UTF-8.
Data = Union[str, bytes, bytearray, memoryview]

_CHUNK = 256 << 10  # bytes; smaller chunks are slow


class Options(TypedDict, total=False):
    """How an output is projected. All are optional."""

    #: The session that owns the artifacts. Default: that of the client, or none.
    session: str
    #: The id of the call, such as the provider's tool_call_id. It needs a session.
    call_id: str
    #: Which agent of the session made the call. It needs a session.
    agent_id: str
    #: The most that the receipt costs, in tokens. Default: by tool, model and family.
    max_tokens: int
    #: What the agent looks for, in its own words: the question, the last message. At most 8 KiB of UTF-8. Default: not known.
    focus: str
    #: How the output is projected. max_tokens and focus are set in a copy of it.
    policy: policy_pb2.ProjectionPolicy
    #: By which a call that is made again has the same answer. Default: a new one for each call; "" is none.
    request_id: str
    #: Seconds; None or absent: the timeout of the client, or that of the service config. The shorter one counts.
    timeout: Optional[float]


class Output:
    """The complete output of one tool call, and how to project it."""

    def __init__(self, tool: str, options: Options) -> None:
        self.options = options
        self.request = service_pb2.ProjectRequest()
        self.message = self.request.output
        self.message.tool_name = tool
        #: Payloads of the message, and their bytes, which are not in it yet.
        self.parts: List[Tuple[payload_pb2.Payload, bytes]] = []
        self.apply(options)

    @property
    def chose_id(self) -> bool:
        """Whether the caller chose the request id, which may be none."""
        return self.options.get("request_id") is not None or self.request.request_id != ""

    def apply(self, options: Options) -> None:
        """Set in the request what the options have."""
        request = self.request
        for name, field in (("session", "session_id"), ("call_id", "call_id"), ("agent_id", "agent_id")):
            if options.get(name):
                setattr(request.call, field, options[name])  # type: ignore[literal-required]
        if options.get("policy") is not None:
            request.policy.CopyFrom(options["policy"])
        if options.get("max_tokens") is not None:
            request.policy.render.budget.max_tokens = options["max_tokens"]
        if options.get("focus"):
            request.policy.focus = to_text(options["focus"])
        if options.get("request_id") is not None:
            request.request_id = options["request_id"]

    def add(self, payload: payload_pb2.Payload, data: Optional[Data]) -> None:
        """Give a payload of the message its bytes; None: it was not captured."""
        if data is not None:
            self.parts.append((payload, to_bytes(data)))

    @property
    def size(self) -> int:
        """What the message is about, in bytes."""
        return sum(len(data) for _, data in self.parts) or self.message.ByteSize()

    def whole(self) -> service_pb2.ProjectRequest:
        """Return the request in one message."""
        for payload, data in self.parts:
            payload.inline = data
        return self.request

    def messages(self) -> Iterator[service_pb2.ProjectStreamRequest]:
        """Yield the request as messages of a stream, for an output of any size."""
        if not self.parts:
            self.parts = list(_inlined(self.message))
        names = [f"payload-{index}" for index in range(len(self.parts))]
        for name, (payload, _) in zip(names, self.parts):
            payload.stream = name
        line = self.message.command.command_line if self.message.HasField("command") else ""
        yield service_pb2.ProjectStreamRequest(header=header(self.request, family_of(self.message), line, names))
        for name, (_, data) in zip(names, self.parts):
            for chunk in chunks(data):
                yield service_pb2.ProjectStreamRequest(chunk=service_pb2.StreamChunk(stream=name, data=chunk))
        sizes = {name: len(data) for name, (_, data) in zip(names, self.parts)}
        yield service_pb2.ProjectStreamRequest(finish=service_pb2.StreamFinish(output=self.message, stream_bytes=sizes))


def text_output(tool: str, text: Data, *, media_type: str = "", **options: Unpack[Options]) -> Output:
    """Describe what a tool answered: any text, any bytes, of any size.

    Args:
        tool: the name of the tool.
        text: what it answered. In a string, surrogates without their other half become U+FFFD.
        media_type: such as "text/markdown". Empty: not known.
        **options: session, call_id, agent_id, max_tokens, focus, policy, request_id and timeout; see `toolresult.Options`.
    """
    output = Output(tool, options)
    output.message.text.media_type = media_type
    output.add(output.message.text.content, text)
    return output


def command_output(
    command_line: str = "",
    *,
    exit_status: Optional[int] = None,
    stdout: Optional[Data] = None,
    stderr: Optional[Data] = None,
    output: Optional[Data] = None,
    signal: Optional[int] = None,
    timeout_ms: Optional[int] = None,
    cancelled: bool = False,
    tool: str = "exec_command",
    **options: Unpack[Options],
) -> Output:
    """Describe what a command printed, and how it ended.

    Args:
        command_line: as it was given to the shell. Empty: not known.
        exit_status: the exit code; None: there is none.
        stdout: the standard output; None: it was not captured.
        stderr: the standard error; None: it was not captured.
        output: both in the order in which they were written, in place of stdout and stderr; None: not captured so.
        signal: the number of the signal that ended it; None: none did.
        timeout_ms: the time that it was given, if it was ended because that was over; None: it was not.
        cancelled: whether it was ended because the call was cancelled.
        tool: the name of the tool.
        **options: session, call_id, agent_id, max_tokens, focus, policy, request_id and timeout; see `toolresult.Options`.
    """
    made = Output(tool, options)
    command = made.message.command
    set_end(command, command_line, exit_status, signal, timeout_ms, cancelled)
    made.add(command.stdout, stdout)
    made.add(command.stderr, stderr)
    made.add(command.combined_output, output)
    return made


def set_end(
    command: command_pb2.CommandOutput,
    command_line: str,
    exit_status: Optional[int],
    signal: Optional[int],
    timeout_ms: Optional[int],
    cancelled: bool,
) -> None:
    """Set the command line of a command, and how it ended."""
    command.SetInParent()
    command.command_line = to_text(command_line)
    if exit_status is not None:
        command.exit_status = exit_status
    if signal is not None:
        command.signal = signal
    if timeout_ms is not None:
        command.timeout_ms = timeout_ms
        command.disposition = command_pb2.COMMAND_DISPOSITION_TIMED_OUT
    elif cancelled:
        command.disposition = command_pb2.COMMAND_DISPOSITION_CANCELLED


def error_output(
    tool: str,
    kind: str,
    message: Data,
    *,
    details: Union[Data, Mapping[str, Any], None] = None,
    recovery_hint: Optional[str] = None,
    retryable: Optional[bool] = None,
    **options: Unpack[Options],
) -> Output:
    """Describe a tool that could not do its work.

    Args:
        tool: the name of the tool.
        kind: machine-readable, such as "file_not_found". Empty: "tool_execution_failed".
        message: what went wrong, for the model.
        details: an object, or best JSON text. None: there are none.
        recovery_hint: advice for the model. None: that of the kind; empty: none.
        retryable: whether the same call may succeed when it is made again. None: not known.
        **options: session, call_id, agent_id, max_tokens, focus, policy, request_id and timeout; see `toolresult.Options`.
    """
    output = Output(tool, options)
    error = output.message.error
    error.SetInParent()
    error.kind = to_text(kind)
    output.add(error.message, message)
    output.add(error.details, json.dumps(details) if isinstance(details, Mapping) else details)
    if recovery_hint is not None:
        error.recovery_hint = to_text(recovery_hint)
    if retryable is not None:
        error.retryable = retryable
    return output


def given_output(given: Union[envelope_pb2.CompleteToolOutput, service_pb2.ProjectRequest, Output], **options: Unpack[Options]) -> Output:
    """Describe the output of a tool of any family, of any size.

    Args:
        given: the output, or a whole request for it. It is not changed. An `Output` has options of its own.
        **options: session, call_id, agent_id, max_tokens, focus, policy, request_id and timeout; see `toolresult.Options`.
            They win over what a request has.
    """
    if isinstance(given, Output):
        return given
    output = Output("", {})
    if isinstance(given, service_pb2.ProjectRequest):
        output.request.CopyFrom(given)
    else:
        output.message.CopyFrom(given)
    output.options = options
    output.apply(options)
    return output


def to_bytes(data: Data) -> bytes:
    """Return the bytes of a payload. Surrogates without their other half, which UTF-8 cannot have, become U+FFFD."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError:
            return to_text(data).encode()
    return memoryview(data).tobytes()


def to_text(text: str) -> str:
    """Return a text that a message can have: surrogates without their other half become U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def chunks(data: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces that are good to send."""
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK]


def header(request: service_pb2.ProjectRequest, family: str, line: str, names: List[str]) -> service_pb2.StreamHeader:
    """Return the header of a stream. The names are of streams that may have no byte."""
    made = service_pb2.StreamHeader(
        family=family,
        command_line=line,
        request_id=request.request_id,
        canonical_form=request.canonical_form,
        tool_name=request.output.tool_name,
        streams=names,
    )
    for field in ("policy", "call", "audit"):
        if request.HasField(field):
            getattr(made, field).CopyFrom(getattr(request, field))
    return made


def family_of(output: envelope_pb2.CompleteToolOutput) -> str:
    """Return the family of an output, as the server names it."""
    if output.HasField("custom"):
        return output.custom.type
    return output.WhichOneof("result") or "text"  # of an error, which any family may have


def _inlined(message: Message) -> Iterator[Tuple[payload_pb2.Payload, bytes]]:
    """Yield the payloads of a message that have their bytes in it."""
    if isinstance(message, payload_pb2.Payload):
        if message.WhichOneof("source") == "inline":
            yield message, message.inline
        return
    for part in submessages(message):
        yield from _inlined(part)


def submessages(message: Message) -> Iterator[Message]:
    """Yield the messages that are fields of a message, in the order of their declaration."""
    for field, value in sorted(message.ListFields(), key=lambda pair: pair[0].index):
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        if isinstance(value, Message):
            yield value
        else:
            yield from value
