"""A session of an agent: the messages for the model, with receipts within budgets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence

from toolresult._blocking import Blocking, blocking
from toolresult._conversation import History, SessionTurn, too_large
from toolresult._projecting import projecting
from toolresult.errors import ToolResultError
from toolresult.outputs import Output, command_output, error_output, given_output, text_output, to_text
from toolresult.results import Compaction, Result
from toolresult.turns import Answer, Call, Provider, provider_of
from toolresult.v1 import policy_pb2, transport_pb2

if TYPE_CHECKING:
    from toolresult._calls import Calls

#: The most that a focus has, in bytes.
_MAX_FOCUS = 8 << 10

#: The least that an output may cost, in tokens.
_MIN_SHARE = 16

#: What one page of read_result costs at most, in tokens.
_PAGE_TOKENS = 4000


class AsyncSession:
    """A session of an agent. `AsyncClient.session` has its arguments.

    `user` and `assistant` say what was said. Each call of the model is then answered: by `project_text` and its like with the id of the
    call, by `call_tool` or by `answer`. Behind the last answer `messages` has all messages for the next request to the provider. When
    an error is between, what was done stays, and `end_turn` goes on from there.

    The receipts of a turn share its budget: each has an equal part of what is left of it. When all receipts of the session cost more
    than theirs, older ones are compacted to half of it, so that the prompt cache of the provider is good for many turns between.

    What does not fit is chosen by what the agent looks for: its `task` or, without one, what the user said last, and what the model said
    in the turn.
    """

    def __init__(
        self,
        calls: Calls,
        id: str,
        *,
        task: str,
        provider: Optional[Provider],
        turn_tokens: int,
        history_tokens: int,
        policy: Optional[policy_pb2.ProjectionPolicy],
        read_result: bool,
        opening: Iterable[Mapping[str, Any]],
    ) -> None:
        self._calls = calls
        #: The id of the session.
        self.id = id
        #: What the agent looks for in the outputs that are projected from now on. Empty: what the user said last.
        self.task = task
        self._provider = None if provider is None else provider_of(provider)
        self._turn_tokens, self._history_tokens = turn_tokens, history_tokens
        self._policy = policy_pb2.ProjectionPolicy()
        if policy is not None:
            self._policy.CopyFrom(policy)
        if read_result:
            self._policy.render.handles = policy_pb2.HANDLE_FORM_CALL
        self._opening = json.dumps([dict(message) for message in opening])
        self._turns: List[SessionTurn] = []
        self._definitions: Optional[List[Dict[str, Any]]] = None
        self._lock = calls._transport.lock()
        #: The last compaction; None: there was none yet.
        self.compaction: Optional[Compaction] = None

    project_text = projecting(text_output)
    project_command = projecting(command_output)
    project_error = projecting(error_output)
    project = projecting(given_output)

    @property
    def messages(self) -> List[Dict[str, Any]]:
        """All messages, in the form of the provider, for the next request. They are yours: changes do not stay.

        Raises:
            RuntimeError: calls of the model have no answer yet, or an error was between. `end_turn` goes on.
        """
        if self._turns and self._turns[-1].is_open():
            raise RuntimeError(f"calls have no answer yet: {', '.join(self._turns[-1].pending())}")
        messages: List[Dict[str, Any]] = json.loads(self._opening)
        for turn in self._turns:
            if turn.encoded is None:
                raise RuntimeError("messages were not made because of an error: call end_turn")
            messages += map(json.loads, turn.encoded)
        return messages

    @property
    def tokens(self) -> int:
        """What all receipts of the messages cost."""
        return sum(turn.tokens() for turn in self._turns)

    async def user(self, text: str) -> None:
        """Say what the user said. Behind results it is a part of their turn."""
        async with self._lock:
            last = self._turns[-1] if self._turns else None
            if last is None or last.model and not last.calls:
                last = self._begin(SessionTurn())
            last.user_text = f"{last.user_text}\n\n{text}" if last.user_text else text
            last.encoded = None
            await self._settle()

    async def assistant(self, content: str = "", calls: Sequence[Call] = (), *, blocks: Sequence[transport_pb2.ProviderBlock] = ()) -> None:
        """Say what the model answered, and begin a turn. An empty answer is none; one behind an answer without calls goes on with that.

        Args:
            content: its text.
            calls: the calls that it made, which are to be answered.
            blocks: what the provider wants to have back, such as its reasoning.
        """
        async with self._lock:
            turn = SessionTurn(True, content, tuple(calls), blocks)
            last = self._turns[-1] if self._turns else None
            if turn.is_empty():
                return
            if last is not None and last.is_unanswered():
                last.go_on(turn)
            else:
                self._begin(turn)
            if not calls:
                await self._settle()

    async def project_turn(self, outputs: Sequence[Output]) -> List[Result]:
        """Project the outputs of parallel calls together, so that one that needs less leaves more to the others.

        Args:
            outputs: of `text_output` and its like, each with the call_id of a call that has no answer yet.
        """
        async with self._lock:
            return await self._project_together(outputs)

    async def call_tool(self, call: Call) -> Result:
        """Execute a call of `read_result` that the model made, and answer it."""
        async with self._lock:
            share = self._share(1, [call.id])
            result = await self._calls.call_tool(
                call.tool,
                call.arguments,
                session=self.id,
                call_id=call.id,
                policy=self._policy,
                max_tokens=min(share, _PAGE_TOKENS),
            )
            self._record(Answer(call.id, result))
            await self._settle_answered()
            return result

    async def answer(self, call_id: str, text: str, *, error: bool = False) -> None:
        """Answer a call that no tool was run for.

        Args:
            call_id: of the call.
            text: for the model, such as that the user did not allow it.
            error: whether the call failed.
        """
        async with self._lock:
            if self._provider is None:
                raise ValueError("the session has no provider, and so no messages")
            self._share(1, [call_id])
            self._record(Answer(call_id, text, error))
            await self._settle_answered()

    async def notice(self, text: str) -> None:
        """Say something to the model behind the results of the last turn, such as that a limit is near."""
        async with self._lock:
            if not self._turns:
                raise ValueError("there is no turn yet")
            self._turns[-1].notices.append(text)
            self._turns[-1].encoded = None
            await self._settle_answered()

    async def end_turn(self) -> None:
        """Make the messages now. Calls without an answer, such as those of a run that was interrupted, are answered by a text."""
        async with self._lock:
            await self._settle()

    async def tool_definitions(self) -> List[Dict[str, Any]]:
        """Return the definitions of `read_result` in the form of the provider, for the tools of a request."""
        if self._provider is None:
            raise ValueError("the session has no provider")
        if self._definitions is None:
            self._definitions = [tool.definition for tool in await self._calls.tool_definitions(self._provider)]
        return self._definitions

    async def __aenter__(self) -> "AsyncSession":
        """Return the session."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Do nothing: what the session stored stays readable."""

    async def _project(self, output: Output) -> Result:
        async with self._lock:
            return (await self._project_together([output]))[0]

    async def _project_together(self, outputs: Sequence[Output]) -> List[Result]:
        """Project outputs within their part of the budget of the turn, and answer their calls."""
        ids = [output.request.call.call_id for output in outputs]
        left = self._share(len(outputs), ids)
        for output in outputs:
            output.request.call.session_id = self.id
            own = policy_pb2.ProjectionPolicy()
            own.CopyFrom(self._policy)
            own.MergeFrom(output.request.policy)
            own.focus = self._focus(own.focus)
            output.request.policy.CopyFrom(own)
        results: Dict[int, Result] = {}
        for index in too_large(outputs):
            share = max(left // (len(outputs) - len(results)), _MIN_SHARE)
            results[index] = await self._project_large(outputs[index], share)
            left -= results[index].tokens
        rest = [index for index in range(len(outputs)) if index not in results]
        if rest:
            alone = outputs[rest[0]].options if len(rest) == 1 else {}
            together = await self._calls.project_turn(
                [outputs[index] for index in rest],
                total_tokens=max(left, _MIN_SHARE),
                request_id=alone.get("request_id"),
                timeout=alone.get("timeout"),
            )
            results.update(zip(rest, together))
        for index, call_id in enumerate(ids):
            self._record(Answer(call_id, results[index]))
        await self._settle_answered()
        return [results[index] for index in range(len(outputs))]

    def _focus(self, own: str) -> str:
        """Return what the agent looks for: its task, and the focus of the call or else what the model said in the turn."""
        task = self.task or next((turn.user_text for turn in reversed(self._turns) if turn.user_text), "")
        said = self._turns[-1].content if self._turns else ""
        return own and _joined(task, own) or _joined(task, _beginning(said, _MAX_FOCUS // 2))

    async def _project_large(self, output: Output, share: int) -> Result:
        """Project an output that is too large for a turn: with its own budget, or with its share where that is less."""
        result = await self._calls._project(output)
        if result.tokens <= share:
            return result
        output.request.request_id = ""  # of another request
        output.request.policy.render.budget.max_tokens = share
        return await self._calls._project(output)

    def _share(self, count: int, ids: Sequence[str]) -> int:
        """Return what a number of calls may cost together.

        Raises:
            ValueError: a call has an id that no call of the model without an answer has.
        """
        pending = self._turns[-1].pending() if self._turns else []
        for call_id in ids:
            if call_id and self._provider is not None and call_id not in pending:
                raise ValueError(f"no call without an answer has the id {call_id!r}")
        if not pending or not set(ids) & set(pending):
            return self._turn_tokens
        return max((self._turn_tokens - self._turns[-1].tokens()) * count // len(pending), _MIN_SHARE)

    def _begin(self, turn: SessionTurn) -> SessionTurn:
        if self._provider is None:
            raise ValueError("the session has no provider, and so no messages")
        if self._turns and self._turns[-1].is_open():
            raise ValueError(f"calls have no answer yet: {', '.join(self._turns[-1].pending())}")
        self._turns.append(turn)
        return turn

    def _record(self, answer: Answer) -> None:
        """Answer a call of the last turn, if it is one."""
        if self._turns and answer.call_id in self._turns[-1].pending():
            self._turns[-1].answer(answer)

    async def _settle_answered(self) -> None:
        """Make the messages if all calls have an answer."""
        if self._turns and not self._turns[-1].pending():
            await self._settle()

    async def _settle(self) -> None:
        """Compact the history if it is too large, and make all messages that are to be made."""
        if self._turns and self._turns[-1].encoded is None and self.tokens > self._history_tokens:
            await self._compact()
        for turn in self._turns:
            while turn.encoded is None and self._provider is not None:
                await self._encode(turn, self._provider)

    async def _compact(self) -> None:
        """Compact the history to half of its budget."""
        history = History(self._turns)
        policy = history.policy(max(self._history_tokens // 2, _MIN_SHARE), self._policy.render)
        self.compaction = await self._calls.compact(history.entries, policy=policy, session=self.id)
        for changed in self.compaction.results:
            history.replace(changed.index, changed.result)

    async def _encode(self, turn: SessionTurn, provider: Provider) -> None:
        """Make the messages of a turn, or mend the arguments of a call that a provider would not take back."""
        try:
            made = await self._calls.encode_turn(
                provider,
                content=turn.content,
                calls=turn.calls,
                results=list(turn.answers.values()),
                notices=turn.notices,
                user_text=turn.user_text,
                blocks=turn.blocks,
                session=self.id,
            )
            turn.encoded = list(made.response.messages_json)
        except ToolResultError as error:
            if not turn.mend(error.field):
                raise


def _joined(task: str, focus: str) -> str:
    """Return a task, or as much of its beginning as there is space for, and a focus on the lines behind it."""
    end = f"\n{focus}" if focus else ""
    return (_beginning(task, _MAX_FOCUS - len(to_text(end).encode())) + end).strip("\n")


def _beginning(text: str, size: int) -> str:
    """Return the beginning of a text that has at most a number of bytes."""
    return to_text(text).encode()[: max(size, 0)].decode(errors="ignore")


class Session(Blocking):
    """A session of an agent. `Client.session` has its arguments.

    `user` and `assistant` say what was said. Each call of the model is then answered: by `project_text` and its like with the id of the
    call, by `call_tool` or by `answer`. Behind the last answer `messages` has all messages for the next request to the provider. When
    an error is between, what was done stays, and `end_turn` goes on from there. Threads may answer the calls of a turn.

    The receipts of a turn share its budget: each has an equal part of what is left of it. When all receipts of the session cost more
    than theirs, older ones are compacted to half of it, so that the prompt cache of the provider is good for many turns between.

    What does not fit is chosen by what the agent looks for: its `task` or, without one, what the user said last, and what the model said
    in the turn.
    """

    _inner: AsyncSession

    project_text = blocking(AsyncSession.project_text)
    project_command = blocking(AsyncSession.project_command)
    project_error = blocking(AsyncSession.project_error)
    project = blocking(AsyncSession.project)
    project_turn = blocking(AsyncSession.project_turn)
    user = blocking(AsyncSession.user)
    assistant = blocking(AsyncSession.assistant)
    call_tool = blocking(AsyncSession.call_tool)
    answer = blocking(AsyncSession.answer)
    notice = blocking(AsyncSession.notice)
    end_turn = blocking(AsyncSession.end_turn)
    tool_definitions = blocking(AsyncSession.tool_definitions)

    @property
    def id(self) -> str:
        """The id of the session."""
        return self._inner.id

    @property
    def task(self) -> str:
        """What the agent looks for in the outputs that are projected from now on. Empty: what the user said last."""
        return self._inner.task

    @task.setter
    def task(self, task: str) -> None:
        self._inner.task = task

    @property
    def messages(self) -> List[Dict[str, Any]]:
        """All messages, in the form of the provider, for the next request. They are yours: changes do not stay.

        Raises:
            RuntimeError: calls of the model have no answer yet, or an error was between. `end_turn` goes on.
        """
        return self._inner.messages

    @property
    def tokens(self) -> int:
        """What all receipts of the messages cost."""
        return self._inner.tokens

    @property
    def compaction(self) -> Optional[Compaction]:
        """The last compaction; None: there was none yet."""
        return self._inner.compaction

    def __enter__(self) -> "Session":
        """Return the session."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: what the session stored stays readable."""
