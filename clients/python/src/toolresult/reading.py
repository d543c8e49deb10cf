"""Parts of artifacts as requests."""

from __future__ import annotations

from typing import Optional, Tuple, TypedDict

from toolresult.v1 import artifact_pb2


class Selection(TypedDict, total=False):
    """What to read of an artifact, and for whom. At most one of the first six selects a part; with none it is everything."""

    #: The first and the last line, from 1 and inclusive; 0: that of the artifact.
    lines: Tuple[int, int]
    #: The first byte, from 0, and the one behind the last; 0: the end of the artifact.
    bytes: Tuple[int, int]
    #: The number of last lines.
    tail: int
    #: A line, and how many before it and behind it.
    around: Tuple[int, int]
    #: A regular expression of RE2: the lines that match.
    match: str
    #: A JSON pointer (RFC 6901), such as "/items/3/name": the value there, as it was written.
    pointer: str
    #: Lines before and behind each line that matches. Default: 0.
    context: int
    #: The session that it is read for: what is of another is answered as if it did not exist. Default: that of the client, or any.
    session: str
    #: The most that one answer has, in bytes. Default: 32,768.
    max_bytes: int
    #: The most that one answer has, in lines. Default: 2,000.
    max_lines: int
    #: Where to read on: `Page.next_page_token` of the answer before to the same selection.
    page_token: str
    #: Seconds; None or absent: the timeout of the client, or that of the service config. The shorter one counts.
    timeout: Optional[float]


_PARTS = ("lines", "bytes", "tail", "around", "match", "pointer")


def read_request(path: str, session: str, selection: Selection) -> artifact_pb2.ReadArtifactRequest:
    """Return the request for a part of an artifact.

    Raises:
        ValueError: there are two selections, or context without match.
    """
    chosen = [name for name in _PARTS if selection.get(name) is not None]
    if len(chosen) > 1:
        raise ValueError(f"a read selects one part, and not {' and '.join(chosen)}")
    if selection.get("context") and chosen != ["match"]:
        raise ValueError("context is of lines that match")
    request = artifact_pb2.ReadArtifactRequest(path=path, page_token=selection.get("page_token", ""))
    wanted = selection.get("session")
    request.session_id = session if wanted is None else wanted
    if selection.get("max_bytes") or selection.get("max_lines"):
        request.budget.max_bytes = selection.get("max_bytes") or 0
        request.budget.max_lines = selection.get("max_lines") or 0
    if chosen:
        _select(request, chosen[0], selection)
    return request


def _select(request: artifact_pb2.ReadArtifactRequest, part: str, selection: Selection) -> None:
    if part == "lines":
        request.lines.SetInParent()
        request.lines.first, request.lines.last = selection["lines"]
    elif part == "bytes":
        request.bytes.SetInParent()
        request.bytes.start, request.bytes.end = selection["bytes"]
    elif part == "tail":
        request.tail.lines = selection["tail"]
    elif part == "around":
        line, context = selection["around"]
        request.around.line, request.around.before, request.around.after = line, context, context
    elif part == "match":
        context = selection.get("context") or 0
        request.match.pattern, request.match.before, request.match.after = selection["match"], context, context
    else:
        request.json_pointer = selection["pointer"]
