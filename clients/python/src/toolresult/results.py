"""What calls answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Union

from google.protobuf.message import Message

from toolresult.outputs import submessages
from toolresult.v1 import artifact_pb2, envelope_pb2, payload_pb2, service_pb2, tool_pb2, transport_pb2


class Result:
    """The projection of one output: what the model reads of it, and what the runtime keeps."""

    __slots__ = ("response", "_artifacts")

    def __init__(self, response: Union[service_pb2.ProjectResponse, service_pb2.CompactedResult, tool_pb2.CallToolResponse]) -> None:
        #: The whole answer.
        self.response = response
        self._artifacts: Optional[List[str]] = None

    @property
    def receipt(self) -> str:
        """The text for the model."""
        return self.response.receipt.text

    @property
    def tokens(self) -> int:
        """What the receipt costs, in tokens."""
        return self.response.receipt.tokens

    @property
    def canonical(self) -> envelope_pb2.CanonicalToolResult:
        """The canonical result, for the runtime to keep."""
        return self.response.canonical

    @property
    def family(self) -> str:
        """The family, such as "text"; "error" for a tool that failed."""
        if isinstance(self.response, service_pb2.ProjectResponse):
            return self.response.family
        return self.canonical.WhichOneof("result") or "error"

    @property
    def failed(self) -> bool:
        """Whether the tool could not do its work."""
        return self.canonical.status == envelope_pb2.TOOL_STATUS_ERROR

    @property
    def artifacts(self) -> List[str]:
        """The paths that the canonical result names, each once, for `Client.read`."""
        if self._artifacts is None:
            self._artifacts = list(dict.fromkeys(_paths(self.canonical)))
        return self._artifacts

    def __str__(self) -> str:
        """Return the receipt."""
        return self.receipt

    def __repr__(self) -> str:
        """Return the family, the tokens and the first line of the receipt."""
        return f"<Result {self.family}, {self.tokens} tokens: {self.receipt.partition(chr(10))[0]!r}>"


def _paths(message: Message) -> Iterator[str]:
    """Yield the paths of artifacts in a message, in the order of the fields."""
    if isinstance(message, payload_pb2.ArtifactReference):
        yield message.path
        return
    for part in submessages(message):
        yield from _paths(part)


@dataclass(frozen=True)
class Page:
    """A part of an artifact."""

    #: The whole answer.
    response: artifact_pb2.ReadArtifactResponse

    @property
    def data(self) -> bytes:
        """The bytes, exactly as the tool wrote them."""
        return self.response.data

    @property
    def text(self) -> str:
        """The bytes as text. What is no UTF-8 becomes U+FFFD, as a character does that a selection of bytes cuts."""
        return self.response.data.decode(errors="replace")

    @property
    def complete(self) -> bool:
        """Whether this is all that was selected."""
        return self.response.complete

    @property
    def next_page_token(self) -> str:
        """Where to read on; empty: nowhere."""
        return self.response.next_page_token

    @property
    def total_bytes(self) -> int:
        """The size of the whole artifact."""
        return self.response.total_bytes

    @property
    def total_lines(self) -> int:
        """The lines of the whole artifact."""
        return self.response.total_lines


@dataclass(frozen=True)
class Entry:
    """A result in a history, and what the runtime knows of it."""

    #: The result.
    result: Union[Result, envelope_pb2.CanonicalToolResult]
    #: The id of its call, by which other results name it. Empty: not known.
    call_id: str = ""
    #: The turn of the conversation in which the call was made. 0 for all: each result is a turn of its own.
    turn: int = 0
    #: What was asked, of a tool that reads, if that is not known of the result itself: a later result of the same supersedes it.
    subject: str = ""
    #: Tokens of the prompt between the result before and this one.
    preceding_tokens: int = 0


@dataclass(frozen=True)
class Changed:
    """A result that a compaction changed."""

    #: The index of its entry.
    index: int
    #: The result as it is now.
    result: Result


@dataclass(frozen=True)
class Compaction:
    """What a compaction did to a history, or would do."""

    #: The whole answer.
    response: service_pb2.CompactResponse

    @property
    def results(self) -> List[Changed]:
        """The results that changed, in the order of the history; none of a dry run."""
        return [Changed(changed.index, Result(changed)) for changed in self.response.results]

    @property
    def first_changed(self) -> Optional[int]:
        """The index of the first result that changed; None: none did."""
        return self.response.first_changed if self.response.HasField("first_changed") else None

    @property
    def tokens_before(self) -> int:
        """What all receipts cost before, in tokens."""
        return self.response.plan.tokens_before

    @property
    def tokens_after(self) -> int:
        """What all receipts cost afterwards, in tokens."""
        return self.response.plan.tokens_after

    @property
    def budget_met(self) -> bool:
        """Whether that is within the budget; True when there is none."""
        return self.response.plan.budget_met

    @property
    def overview(self) -> Optional[str]:
        """One short receipt over all results that are no longer shown whole; None: there are none, or it was a dry run."""
        return self.response.overview.text if self.response.HasField("overview") else None


@dataclass(frozen=True)
class Turn:
    """The messages of a turn for a provider."""

    #: The messages, to be put behind those of earlier turns.
    messages: List[Dict[str, Any]]
    #: The whole answer. Its messages_json have numbers as the model wrote them.
    response: transport_pb2.EncodeTurnResponse = field(repr=False)

    @property
    def native(self) -> bool:
        """Whether calls and results are native, and not text."""
        return self.response.native

    @property
    def changes(self) -> List[str]:
        """What is not as it was given, such as "TURN_CHANGE_ID"; of a later version the number."""
        known = {number: name for name, number in transport_pb2.TurnChange.items()}
        return [known.get(note.change, str(note.change)) for note in self.response.changes]


@dataclass(frozen=True)
class ToolDefinition:
    """A tool that a model can be given."""

    #: The name by which the model calls it.
    name: str
    #: Its definition, for "tools" of a request; for Gemini for "functionDeclarations" of one.
    definition: Dict[str, Any]
