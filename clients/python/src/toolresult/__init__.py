"""The client of the tool-result sidecar: hand over what a tool printed, and get the receipt that a model reads.

    import toolresult

    with toolresult.connect(start=True) as client:
        result = client.project_text("search", text)
        print(result.receipt)

`connect` finds the sidecar of this user, and starts one if it is asked to. `toolresult.aio` has the same for asyncio. Calls have
deadlines, and are made again when the sidecar was away; a request id makes that safe. What the sidecar rejects is a
`ToolResultError`, with a class for each reason in `toolresult.reasons`.
"""

from toolresult import aio, reasons
from toolresult._channel import SERVICE_CONFIG, Stubs
from toolresult._status import error_of
from toolresult.client import Client, connect
from toolresult.errors import NoSidecarError, ToolResultError, UnavailableError
from toolresult.outputs import Options, Output, command_output, error_output, given_output, text_output
from toolresult.reading import Selection
from toolresult.results import Changed, Compaction, Entry, Page, Result, ToolDefinition, Turn
from toolresult.session import Session
from toolresult.stream import Stream
from toolresult.turns import Answer, Call

__version__ = "0.1.0"

__all__ = [
    "SERVICE_CONFIG",
    "Answer",
    "Call",
    "Changed",
    "Client",
    "Compaction",
    "Entry",
    "NoSidecarError",
    "Options",
    "Output",
    "Page",
    "Result",
    "Selection",
    "Session",
    "Stream",
    "Stubs",
    "ToolDefinition",
    "ToolResultError",
    "Turn",
    "UnavailableError",
    "aio",
    "command_output",
    "connect",
    "error_of",
    "error_output",
    "given_output",
    "reasons",
    "text_output",
]
