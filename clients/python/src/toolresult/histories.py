"""Histories of results as requests."""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Optional, Union

from toolresult.outputs import to_text
from toolresult.results import Entry, Result
from toolresult.v1 import policy_pb2, service_pb2

#: The levels of compaction, by word.
LEVELS: Dict[str, policy_pb2.CompactionLevel] = {
    "trimmed": policy_pb2.COMPACTION_LEVEL_TRIMMED,
    "handles": policy_pb2.COMPACTION_LEVEL_HANDLES,
    "line": policy_pb2.COMPACTION_LEVEL_LINE,
}

#: The size of a history in one message, in bytes.
_MAX_WHOLE = 3 << 20


def compact_request(
    entries: Iterable[Union[Result, Entry, service_pb2.CompactEntry]],
    *,
    total_tokens: Optional[int],
    level: Optional[str],
    preview_tokens: Optional[int],
    protect_last_turns: Optional[int],
    policy: Optional[policy_pb2.CompactionPolicy],
    dry_run: bool,
    session: str,
) -> service_pb2.CompactRequest:
    """Return the request for a compaction. `Client.compact` has the arguments.

    Raises:
        ValueError: no level has that word.
    """
    request = service_pb2.CompactRequest(session_id=session, dry_run=dry_run, entries=[_entry(entry) for entry in entries])
    if policy is not None:
        request.policy.CopyFrom(policy)
    if level is not None:
        if level not in LEVELS:
            raise ValueError(f"there is no level {level!r}, only {', '.join(LEVELS)}")
        request.policy.level = LEVELS[level]
    if total_tokens is not None:
        request.policy.total_tokens = total_tokens
    if preview_tokens is not None:
        request.policy.preview_tokens = preview_tokens
    if protect_last_turns is not None:
        request.policy.protect.last_turns = protect_last_turns
    return request


def _entry(entry: Union[Result, Entry, service_pb2.CompactEntry]) -> service_pb2.CompactEntry:
    if isinstance(entry, service_pb2.CompactEntry):
        return entry
    if isinstance(entry, Result):
        entry = Entry(entry)
    return service_pb2.CompactEntry(
        canonical=entry.result.canonical if isinstance(entry.result, Result) else entry.result,
        call_id=entry.call_id,
        turn=entry.turn,
        subject=to_text(entry.subject),
        preceding_tokens=entry.preceding_tokens,
    )


def fits_message(request: service_pb2.CompactRequest) -> bool:
    """Report whether a history is sent in one message."""
    return request.ByteSize() <= _MAX_WHOLE


def messages(request: service_pb2.CompactRequest) -> Iterator[service_pb2.CompactStreamRequest]:
    """Yield a history as messages of a stream, for one of any length."""
    header = service_pb2.CompactHeader(
        policy=request.policy, session_id=request.session_id, dry_run=request.dry_run, canonical_form=request.canonical_form
    )
    yield service_pb2.CompactStreamRequest(header=header)
    for entry in request.entries:
        yield service_pb2.CompactStreamRequest(entry=entry)


def collect(answer: List[service_pb2.CompactStreamResponse]) -> service_pb2.CompactResponse:
    """Put the messages of an answer together: those of a plan, changed results, and the summary at the end."""
    summary = answer[-1].summary
    summary.results.extend(message.result for message in answer if message.HasField("result"))
    summary.plan.results.extend(message.planned for message in answer if message.HasField("planned"))
    return summary
