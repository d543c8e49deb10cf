"""The output of a tool that still runs."""

from __future__ import annotations

from typing import Dict, Optional

from toolresult._blocking import Blocking, blocking
from toolresult._transport import OpenCall, Transport
from toolresult.outputs import Data, Output, chunks, header, set_end, to_bytes
from toolresult.results import Result
from toolresult.v1 import command_pb2, envelope_pb2, service_pb2

_OUTPUT, _STDOUT, _STDERR = "output", "stdout", "stderr"
_NAMES = [_OUTPUT, _STDOUT, _STDERR]


class AsyncStream:
    """Sends the output of a tool that still runs.

    `write` it, and `finish` when the tool has ended. The context manager gives the stream up when it is left without that, and nothing
    of it is kept. Errors of the sidecar are those of the first method behind them.
    """

    def __init__(self, transport: Transport, output: Output, family: str, command_line: str, media_type: str) -> None:
        self._transport = transport
        self._output = output
        self._family = family
        self._command_line = command_line
        self._media_type = media_type
        self._call: Optional[OpenCall] = None
        self._sent: Dict[str, int] = {}  # bytes, by stream
        self._ended = ""  # why there is nothing more to send

    async def write(self, data: Data, stream: str = _OUTPUT) -> None:
        """Send bytes of the output, or a string as UTF-8.

        Args:
            data: of any size. Cuts between writes mean nothing.
            stream: "output" for what is one stream, "stdout" and "stderr" for what was captured apart.

        Raises:
            ValueError: the stream is another, or "output" beside one of the others.
        """
        if stream not in _NAMES:
            raise ValueError(f"there is no stream {stream!r}, only output, stdout and stderr")
        if self._sent and (_OUTPUT in self._sent) != (stream == _OUTPUT):
            raise ValueError("a stream has one output, or standard output and standard error, and not both")
        self._sent.setdefault(stream, 0)
        for chunk in chunks(to_bytes(data)):
            await self._send(service_pb2.ProjectStreamRequest(chunk=service_pb2.StreamChunk(stream=stream, data=chunk)))
            self._sent[stream] += len(chunk)

    async def snapshot(self, task_id: str = "") -> Result:
        """Project what was sent until now.

        Args:
            task_id: of a command: the background task as which it goes on. Of a text: not used.
        """
        output = envelope_pb2.CompleteToolOutput(tool_name=self._output.message.tool_name)
        if self._family == "command":
            command = output.command
            command.disposition = command_pb2.COMMAND_DISPOSITION_PROMOTED_TO_TASK
            command.command_line = self._command_line
            command.task_handle.task_id = task_id
            command.initial_output.stream = _STDOUT if _STDOUT in self._sent else _OUTPUT
        else:
            self._set_text(output)
        await self._send(service_pb2.ProjectStreamRequest(snapshot=service_pb2.StreamSnapshot(output=output)))
        return Result((await self._receive()).snapshot)

    async def finish(
        self,
        *,
        exit_status: Optional[int] = None,
        signal: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        cancelled: bool = False,
    ) -> Result:
        """End the stream, and return the result.

        Args:
            exit_status: of a command: the exit code; None: there is none.
            signal: the number of the signal that ended it; None: none did.
            timeout_ms: the time that it was given, if it was ended because that was over; None: it was not.
            cancelled: whether it was ended because the call was cancelled.
        """
        output = envelope_pb2.CompleteToolOutput(tool_name=self._output.message.tool_name)
        if self._family == "command":
            command = output.command
            set_end(command, self._command_line, exit_status, signal, timeout_ms, cancelled)
            if _STDOUT in self._sent:
                command.stdout.stream = _STDOUT
            if _STDERR in self._sent:
                command.stderr.stream = _STDERR
            if _OUTPUT in self._sent or not self._sent:
                command.combined_output.stream = _OUTPUT
        else:
            self._set_text(output)
        return await self.finish_with(output)

    async def finish_with(self, output: envelope_pb2.CompleteToolOutput) -> Result:
        """End the stream with an output of its family, or an error, with payloads that name its streams. Return the result."""
        finish = service_pb2.StreamFinish(output=output, stream_bytes=self._sent)
        await self._send(service_pb2.ProjectStreamRequest(finish=finish))
        answer = await self._receive()
        # Until the call has ended, the answer may be followed by an error.
        if self._call is not None and await self._call.read() is not None:
            raise RuntimeError("the server sent more than the result")
        self._ended = "was finished"
        return Result(answer.result)

    def _cancel(self) -> None:
        """Give the stream up, unless it was finished."""
        if self._call is not None and not self._ended:
            self._call.cancel()
        self._ended = self._ended or "was given up"

    async def cancel(self) -> None:
        """Give the stream up, unless it was finished. Nothing of it is kept."""
        self._cancel()

    async def __aenter__(self) -> "AsyncStream":
        """Return the stream."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Give the stream up, unless it was finished."""
        self._cancel()

    def _set_text(self, output: envelope_pb2.CompleteToolOutput) -> None:
        output.text.media_type = self._media_type
        output.text.content.stream = _STDOUT if _STDOUT in self._sent else _OUTPUT

    async def _send(self, message: service_pb2.ProjectStreamRequest) -> None:
        """Send a message, behind the header."""
        if self._ended:
            raise ValueError(f"the stream {self._ended}")
        if self._call is None:
            self._call = self._transport.begin(self._transport.stubs.results.ProjectStream, self._output.options.get("timeout"))
            made = header(self._output.request, self._family, self._command_line, _NAMES)
            await self._call.write(service_pb2.ProjectStreamRequest(header=made))
        await self._call.write(message)

    async def _receive(self) -> service_pb2.ProjectStreamResponse:
        answer = None if self._call is None else await self._call.read()
        if answer is None:
            raise RuntimeError("the server ended the call without an answer")
        return answer  # type: ignore[no-any-return]


class Stream(Blocking):
    """Sends the output of a tool that still runs.

    `write` it, and `finish` when the tool has ended. The context manager gives the stream up when it is left without that, and nothing
    of it is kept. Errors of the sidecar are those of the first method behind them. One thread at a time may use it.
    """

    write = blocking(AsyncStream.write)
    snapshot = blocking(AsyncStream.snapshot)
    finish = blocking(AsyncStream.finish)
    finish_with = blocking(AsyncStream.finish_with)
    cancel = blocking(AsyncStream.cancel)

    def __enter__(self) -> "Stream":
        """Return the stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the stream up, unless it was finished."""
        self.cancel()
