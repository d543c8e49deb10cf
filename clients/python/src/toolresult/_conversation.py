"""The turns of a session, and what its compaction needs of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from toolresult.outputs import Output
from toolresult.results import Entry, Result
from toolresult.turns import Answer, Call
from toolresult.v1 import policy_pb2, transport_pb2

#: The size of outputs in one message, in bytes.
_MAX_TOGETHER = 3 << 20

#: How many last turns a compaction leaves as they are.
_PROTECTED_TURNS = 2

#: The field of an error that says that the arguments of a call are no JSON object.
_ARGUMENTS = re.compile(r"assistant\.tool_calls\[(\d+)\]\.arguments.*")


@dataclass
class SessionTurn:
    """An answer of the model with the results of its calls, or something that the user said."""

    model: bool = False  # the model said it
    content: str = ""
    calls: Sequence[Call] = ()
    blocks: Sequence[transport_pb2.ProviderBlock] = ()
    answers: Dict[str, Answer] = field(default_factory=dict)
    notices: List[str] = field(default_factory=list)
    user_text: str = ""
    mended: Set[int] = field(default_factory=set)  # calls with other arguments than the model wrote
    encoded: Optional[Sequence[str]] = None  # its messages as JSON texts; None: to be made

    def is_empty(self) -> bool:
        """Report whether there is nothing to be said, as of an empty answer of the model."""
        return not (self.content or self.calls or self.blocks or self.notices or self.user_text)

    def is_unanswered(self) -> bool:
        """Report whether it is an answer of the model without calls, to which nobody said anything yet."""
        return self.model and not (self.calls or self.notices or self.user_text)

    def go_on(self, turn: SessionTurn) -> None:
        """Append another answer of the model: providers take one message of it."""
        self.content = "\n\n".join(filter(None, (self.content, turn.content)))
        self.calls, self.blocks, self.encoded = turn.calls, (*self.blocks, *turn.blocks), None

    def pending(self) -> List[str]:
        """Return the ids of the calls that have no answer."""
        return [call.id for call in self.calls if call.id not in self.answers]

    def is_open(self) -> bool:
        """Report whether calls are to be answered before the messages are made."""
        return self.encoded is None and bool(self.pending())

    def answer(self, answer: Answer) -> None:
        """Answer a call, in place of an answer before."""
        self.answers[answer.call_id] = answer
        self.encoded = None

    def results(self) -> List[Tuple[str, Result]]:
        """Return the results with the ids of their calls, in the order of the calls."""
        answers = (self.answers.get(call.id) for call in self.calls)
        return [(answer.call_id, answer.result) for answer in answers if answer is not None and isinstance(answer.result, Result)]

    def tokens(self) -> int:
        """Return what the receipts cost."""
        return sum(result.tokens for _, result in self.results())

    def mend(self, rejected: str) -> bool:
        """Replace arguments of a call, which are no JSON object, by an object with their text.

        It reports whether the rejected field is of such arguments, and they were not replaced before.
        """
        found = _ARGUMENTS.fullmatch(rejected)
        if found is None or int(found[1]) in self.mended:
            return False
        index = int(found[1])
        mended = replace(self.calls[index], arguments={"input": self.calls[index].arguments_json})
        self.calls = (*self.calls[:index], mended, *self.calls[index + 1 :])
        self.mended.add(index)
        return True


class History:
    """The results of all turns, for a compaction."""

    def __init__(self, turns: Iterable[SessionTurn]) -> None:
        self.entries: List[Entry] = []
        self._turns: List[SessionTurn] = []  # of each entry
        self._sent = 0  # results before those of the last turn: the provider has them in its cache
        for number, turn in enumerate(turns, 1):
            self._sent = len(self.entries)
            said = (len(turn.content) + sum(len(call.arguments_json) for call in turn.calls)) // 4  # tokens, about
            subjects = {call.id: call.arguments_json for call in turn.calls if call.reads}
            for call_id, result in turn.results():
                self.entries.append(Entry(result, call_id, number, subjects.get(call_id, ""), said))
                self._turns.append(turn)
                said = 0

    def policy(self, total_tokens: int, render: policy_pb2.RenderPolicy) -> policy_pb2.CompactionPolicy:
        """Return a policy that leaves the last turns as they are, and the provider's cache as far as it can."""
        policy = policy_pb2.CompactionPolicy(total_tokens=total_tokens, render=render)
        policy.render.ClearField("budget")  # that of one receipt
        policy.protect.last_turns = _PROTECTED_TURNS
        policy.cache.cached_results = self._sent
        policy.cache.cache_break = policy_pb2.CACHE_BREAK_WHEN_NEEDED
        return policy

    def replace(self, index: int, result: Result) -> None:
        """Put a compacted result in the place of an entry."""
        self._turns[index].answer(Answer(self.entries[index].call_id, result))


def too_large(outputs: Sequence[Output]) -> List[int]:
    """Return the outputs that do not fit one message together with the others: the largest ones."""
    sizes = {index: output.size for index, output in enumerate(outputs)}
    large: List[int] = []
    for index in sorted(sizes, key=lambda index: -sizes[index]):
        if sum(sizes.values()) <= _MAX_TOGETHER:
            break
        large.append(index)
        del sizes[index]
    return large
