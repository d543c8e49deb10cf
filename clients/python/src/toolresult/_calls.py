"""The calls of a client, once for both of them. `AsyncClient` has these methods, and `Client` the same ones that block."""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterable, List, Mapping, Optional, Sequence, Union

from toolresult import histories
from toolresult._projecting import projecting
from toolresult._transport import Transport
from toolresult.errors import UnavailableError
from toolresult.outputs import Options, Output, command_output, error_output, given_output, text_output, to_bytes, to_text
from toolresult.reading import Selection, read_request
from toolresult.reasons import AuditDisabledError, DeadlineError
from toolresult.results import Compaction, Entry, Page, Result, ToolDefinition, Turn
from toolresult.session import AsyncSession
from toolresult.stream import AsyncStream
from toolresult.turns import Answer, Call, Provider, provider_of, render_policy, turn_request
from toolresult.v1 import access_pb2, envelope_pb2, policy_pb2, service_pb2, tool_pb2, transport_pb2

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The size of an output in one message, in bytes.
MAX_WHOLE = 1 << 20

_SERVING = 1  # of the health service
_RECONNECTS = 1.3  # seconds until a connection that was lost is made again


class Calls:
    """The calls. Those that name no session are of the session of the client.

    Errors of all calls are `toolresult.ToolResultError`, with a class for each reason in `toolresult.reasons`.
    """

    def __init__(self, transport: Transport, session: str = "") -> None:
        self._transport = transport
        self._session = session
        self._takes_ids = True  # until a sidecar without an audit log says that it does not

    project_text = projecting(text_output)
    project_command = projecting(command_output)
    project_error = projecting(error_output)
    project = projecting(given_output)

    async def project_turn(
        self,
        outputs: Sequence[Output],
        *,
        total_tokens: int,
        failure_tokens: Optional[int] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Result]:
        """Project the outputs of parallel calls, which share a budget: an output that needs less leaves more to the others.

        Args:
            outputs: of `text_output` and its like; together at most what a message has, 4 MiB by default.
            total_tokens: the most that all receipts cost together.
            failure_tokens: what a failure may have before the rest is shared. None: 1,000.
            request_id: by which the call has the same answer when it is made again. None: a new one; empty: none.
            timeout: seconds; None: that of the client, or of the service config. The shorter one counts.
        """
        request = service_pb2.ProjectTurnRequest(total_tokens=total_tokens, failure_tokens=failure_tokens)
        for output in outputs:
            self._own(output.request)
            request.outputs.append(output.whole())
            request.outputs[-1].request_id = ""  # the turn has one
        request.request_id = self._new_id() if request_id is None else request_id
        method = self._transport.stubs.results.ProjectTurn
        try:
            response = await self._transport.unary(method, request, timeout)
        except AuditDisabledError:
            if request_id is not None:
                raise
            self._takes_ids, request.request_id = False, ""
            response = await self._transport.unary(method, request, timeout)
        return [Result(result) for result in response.results]

    def session(
        self,
        id: str,
        *,
        task: str = "",
        provider: Optional[Provider] = None,
        turn_tokens: int = 8000,
        history_tokens: int = 40_000,
        policy: Optional[policy_pb2.ProjectionPolicy] = None,
        read_result: bool = False,
        opening: Iterable[Mapping[str, Any]] = (),
    ) -> AsyncSession:
        """Return a session of an agent: its messages, and results within budgets. It is a context manager.

        Args:
            id: of the session, which owns all artifacts.
            task: what the agent looks for; `task` of the session changes it. Of a long one the beginning counts, 8 KiB. Empty: what the
                user said last.
            provider: as for `encode_turn`. None: the session has no messages.
            turn_tokens: the most that all receipts of one turn cost.
            history_tokens: the most that all receipts cost. When they cost more, older ones are compacted to half of it.
            policy: how outputs are projected. What a policy of their own sets wins. None: every default.
            read_result: whether the model has the tool of `tool_definitions`: receipts then name a call of it, and not a path.
            opening: messages of the provider that are before all others, such as a system prompt.

        Raises:
            ValueError: no provider has that word.
        """
        return AsyncSession(
            self,
            id,
            task=task,
            provider=provider,
            turn_tokens=turn_tokens,
            history_tokens=history_tokens,
            policy=policy,
            read_result=read_result,
            opening=opening,
        )

    def stream(
        self, tool: str, *, family: str = "command", command_line: str = "", media_type: str = "", **options: Unpack[Options]
    ) -> AsyncStream:
        """Return a stream for the output of a tool that still runs. It is a context manager, and opens with what is sent first.

        Args:
            tool: the name of the tool.
            family: "command" or "text"; another one, as `info` names it, ends with `finish_with`.
            command_line: of a command, by which lines are ranked while they arrive.
            media_type: of a text, such as "text/markdown". Empty: not known.
            **options: session, call_id, agent_id, max_tokens, focus, policy, request_id and timeout; see `toolresult.Options`.
                The timeout is that of the whole stream; without one it has none.
        """
        output = Output(tool, options)
        self._own(output.request)  # and no request id is made: a stream is not sent again
        return AsyncStream(self._transport, output, family, to_text(command_line), media_type)

    async def render(
        self,
        result: Union[Result, envelope_pb2.CanonicalToolResult],
        *,
        max_tokens: Optional[int] = None,
        policy: Optional[policy_pb2.RenderPolicy] = None,
        timeout: Optional[float] = None,
    ) -> policy_pb2.Receipt:
        """Return the receipt of a result, made again: its `text` for the model, and its `tokens`.

        Nothing is cut: what does not fit is a `BudgetTooSmallError`, and `compact` makes it smaller.

        Args:
            result: the result, or a canonical result that was kept.
            max_tokens: the most that the receipt costs. None: by tool, model and family.
            policy: how it is rendered. None: every default. max_tokens is set in a copy of it.
            timeout: seconds; None: that of the client, or of the service config. The shorter one counts.
        """
        canonical = result.canonical if isinstance(result, Result) else result
        request = service_pb2.RenderRequest(canonical=canonical, policy=render_policy(policy, max_tokens))
        response = await self._transport.unary(self._transport.stubs.results.Render, request, timeout)
        return response.receipt  # type: ignore[no-any-return]

    async def compact(
        self,
        entries: Iterable[Union[Result, Entry, service_pb2.CompactEntry]],
        *,
        total_tokens: Optional[int] = None,
        level: Optional[str] = None,
        preview_tokens: Optional[int] = None,
        protect_last_turns: Optional[int] = None,
        policy: Optional[policy_pb2.CompactionPolicy] = None,
        dry_run: bool = False,
        session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Compaction:
        """Bring a history of results to fewer tokens. The answer has those that changed.

        Args:
            entries: the results, the oldest first; of any number.
            total_tokens: what all receipts may cost together. None: it is the level that counts.
            level: the lowest that a result may get: "trimmed", "handles" or "line". None: "line", with total_tokens.
            preview_tokens: what each preview may keep. None: 256.
            protect_last_turns: the results of this number of last turns stay as they are. None: none do.
            policy: what else there is to set, such as what the provider has in its cache. The arguments are set in a copy of it.
            dry_run: whether only the plan is wanted.
            session: the session of the results. None: that of the client, or none.
            timeout: seconds; None: that of the client, or of the service config. The shorter one counts.
        """
        request = histories.compact_request(
            entries,
            total_tokens=total_tokens,
            level=level,
            preview_tokens=preview_tokens,
            protect_last_turns=protect_last_turns,
            policy=policy,
            dry_run=dry_run,
            session=self._session if session is None else session,
        )
        results = self._transport.stubs.results
        if histories.fits_message(request):
            return Compaction(await self._transport.unary(results.Compact, request, timeout))
        return Compaction(histories.collect(await self._transport.exchange(results.CompactStream, histories.messages(request), timeout)))

    async def read(self, path: str, **selection: Unpack[Selection]) -> Page:
        """Read a part of an artifact: as much as one answer has, which says whether that is all.

        Args:
            path: as a receipt or `Result.artifacts` names it.
            **selection: lines, bytes, tail, around, match with context, or pointer; session, max_bytes, max_lines, page_token and timeout;
                see `toolresult.Selection`. Without a part everything is read.

        Raises:
            ValueError: there are two selections.
        """
        request = read_request(path, self._session, selection)
        return Page(await self._transport.unary(self._transport.stubs.artifacts.ReadArtifact, request, selection.get("timeout")))

    async def read_pages(self, path: str, **selection: Unpack[Selection]) -> AsyncIterator[Page]:
        """Read a part of an artifact in as many answers as it takes. Of a log that is still written it is what is there now.

        The arguments and errors are those of `read`.
        """
        request = read_request(path, self._session, selection)
        while True:
            page = Page(await self._transport.unary(self._transport.stubs.artifacts.ReadArtifact, request, selection.get("timeout")))
            yield page
            if page.complete or not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def encode_turn(
        self,
        provider: Provider,
        *,
        content: str = "",
        calls: Iterable[Call] = (),
        results: Iterable[Answer] = (),
        notices: Iterable[str] = (),
        user_text: str = "",
        blocks: Sequence[transport_pb2.ProviderBlock] = (),
        session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Turn:
        """Return the messages of one turn for a provider.

        Args:
            provider: "chat", "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "mistral" or "ollama".
            content: what the model said.
            calls: the calls that it made.
            results: their answers. A call without one is answered by a text that says so.
            notices: what the runtime has to say behind them, such as that a limit is near.
            user_text: what the user said behind all of this. Empty: nothing.
            blocks: what the provider wants to have back, such as its reasoning.
            session: for which images of results are read. None: that of the client, or any.
            timeout: seconds; None: that of the client, or of the service config. The shorter one counts.

        Raises:
            ValueError: no provider has that word.
        """
        request = turn_request(
            provider,
            content=content,
            calls=calls,
            results=results,
            notices=notices,
            user_text=user_text,
            blocks=blocks,
            session=self._session if session is None else session,
        )
        response = await self._transport.unary(self._transport.stubs.transport.EncodeTurn, request, timeout)
        return Turn([json.loads(message) for message in response.messages_json], response)

    async def register_secrets(self, values: Mapping[str, Union[str, bytes]], session: str = "", *, timeout: Optional[float] = None) -> str:
        """Say which values must not be in anything that is made of an output, and return the id of the list.

        Args:
            values: by name. "[redacted:NAME]" takes their place. The list takes the place of an earlier one.
            session: the session of the outputs. Empty: all, also where the client has a session.
            timeout: seconds; None: that of the client, or of the service config. The shorter one counts.
        """
        secrets = [access_pb2.RegisteredSecret(name=name, value=to_bytes(value)) for name, value in values.items()]
        request = access_pb2.RegisterSecretsRequest(session_id=session, secrets=secrets)
        response = await self._transport.unary(self._transport.stubs.access.RegisterSecrets, request, timeout)
        return response.set_id  # type: ignore[no-any-return]

    async def tool_definitions(self, provider: Provider, *, timeout: Optional[float] = None) -> List[ToolDefinition]:
        """Return the definitions of `read_result` for a provider: the tool by which a model reads what receipts do not show."""
        request = tool_pb2.GetToolDefinitionsRequest(provider=provider_of(provider))
        response = await self._transport.unary(self._transport.stubs.tools.GetToolDefinitions, request, timeout)
        return [ToolDefinition(tool.name, json.loads(tool.definition_json)) for tool in response.tools]

    async def call_tool(self, name: str, arguments: Union[str, Mapping[str, Any]], **options: Unpack[Options]) -> Result:
        """Execute a call of `read_result` that a model made. What the model did wrong is in the receipt.

        Args:
            name: as the model wrote it.
            arguments: as the model wrote them: an object, or its JSON text.
            **options: the session, call_id, agent_id, max_tokens, the render policy of policy, and the timeout have an effect.
        """
        with_options = Output("", options)
        self._own(with_options.request)
        request = tool_pb2.CallToolRequest(name=to_text(name), arguments_json=Call(name, arguments, "").arguments_json)
        if with_options.request.HasField("call"):
            request.call.CopyFrom(with_options.request.call)
        if with_options.request.policy.HasField("render"):
            request.policy.CopyFrom(with_options.request.policy.render)
        return Result(await self._transport.unary(self._transport.stubs.tools.CallTool, request, options.get("timeout")))

    async def info(self, *, timeout: Optional[float] = None) -> service_pb2.GetServerInfoResponse:
        """Return what the sidecar is and what it accepts."""
        request = service_pb2.GetServerInfoRequest()
        return await self._transport.unary(self._transport.stubs.results.GetServerInfo, request, timeout)  # type: ignore[no-any-return]

    async def healthy(self, *, timeout: Optional[float] = None) -> bool:
        """Return whether the sidecar serves. An error says that it did not answer, for a second at least."""
        check = self._transport.stubs.health
        try:
            answer = await self._transport.unary(check, b"", timeout)
        except UnavailableError:
            # gRPC says so of a connection that was lost before, too, until the time for the next one is there.
            patience = _RECONNECTS if timeout is None else min(timeout, _RECONNECTS)
            try:
                answer = await self._transport.unary(functools.partial(check, wait_for_ready=True), b"", patience)
            except DeadlineError:
                answer = None
            if answer is None:
                raise
        return bool(answer.status == _SERVING)

    async def _project(self, output: Output) -> Result:
        """Send an output in one message, or its payloads in a stream if it is large."""
        self._own(output.request)
        made = not output.chose_id and self._takes_ids
        if made:
            output.request.request_id = self._new_id()
        try:
            return await self._send(output)
        except AuditDisabledError:
            if not made:
                raise
            self._takes_ids, output.request.request_id = False, ""
            return await self._send(output)

    async def _send(self, output: Output) -> Result:
        results, timeout = self._transport.stubs.results, output.options.get("timeout")
        if output.size <= MAX_WHOLE:
            return Result(await self._transport.unary(results.Project, output.whole(), timeout))
        answers = await self._transport.exchange(results.ProjectStream, output.messages(), timeout)
        return Result(answers[-1].result)

    def _own(self, request: service_pb2.ProjectRequest) -> None:
        """Give a request that names no session the session of the client."""
        if self._session and not request.call.session_id:
            request.call.session_id = self._session

    def _new_id(self) -> str:
        """Return a new request id; empty if the sidecar takes none."""
        return os.urandom(16).hex() if self._takes_ids else ""
