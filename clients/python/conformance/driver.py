"""The driver of the Python client for the list of integration/conformance.

It reads a call from each line of its standard input, makes it, and writes what it got as a line. It knows no expectations. With the
argument --asyncio the calls are those of the client for asyncio.
"""

from __future__ import annotations

import base64
import json
import statistics
import sys
import time
from typing import Any, Callable, Dict, Optional

import blocked

import toolresult

Object = Dict[str, Any]

_OPTIONS = ("session", "call_id", "agent_id", "max_tokens", "request_id")
_ENDS = ("exit_status", "signal", "cancelled")


def data(value: Any) -> Any:
    """Return a text, or the bytes of {"base64": ...}; None: it is absent."""
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


def shown(content: bytes) -> Any:
    """Return bytes as the list has them."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def described(error: Exception) -> Object:
    """Return an error as the list has it."""
    if not isinstance(error, toolresult.ToolResultError):
        return {"class": "ArgumentError", "message": str(error)}
    names = ("reason", "field", "hint", "retryable", "message", "code")
    return {"class": type(error).__name__, **{name: getattr(error, name) for name in names}}


class Driver:
    """Has the client, and what calls have saved."""

    def __init__(self, connect: Callable[..., Any]) -> None:
        self.connect = connect
        self.client: Any = None
        self.open_stream: Any = None
        self.saved: Dict[str, toolresult.Result] = {}
        self.last: Optional[toolresult.Result] = None

    def call(self, line: Object) -> Object:
        """Make the call of a line."""
        method: Optional[Callable[[Object], Any]] = getattr(self, "do_" + line["call"], None)
        if method is None:
            raise ValueError(f"there is no call {line['call']}")
        answer = method(line.get("with") or {})
        if isinstance(answer, toolresult.Result):
            answer = self.result(answer)
        if line.get("save") and self.last is not None:
            self.saved[line["save"]] = self.last
        return dict(answer)

    def result(self, result: toolresult.Result) -> Object:
        """Return a result as the list has it."""
        self.last = result
        return {name: getattr(result, name) for name in ("receipt", "tokens", "family", "artifacts", "failed")}

    def options(self, given: Object, *more: str) -> Object:
        """Return the options of a projection that a call has."""
        options = {name: given[name] for name in (*_OPTIONS, *more) if given.get(name) is not None}
        if given.get("timeout_ms") is not None:
            options["timeout"] = given["timeout_ms"] / 1000
        return options

    def ending(self, given: Object) -> Object:
        """Return how a command ended."""
        ending = {name: given[name] for name in _ENDS if given.get(name) is not None}
        if given.get("timed_out_ms") is not None:
            ending["timeout_ms"] = given["timed_out_ms"]
        return ending

    def do_connect(self, given: Object) -> Object:
        """Connect, in place of the client before."""
        if self.client is not None:
            self.client.close()
        timeout = given.get("timeout_ms")
        self.client = self.connect(
            given.get("address"),
            token=given.get("token"),
            start=given.get("start", False),
            session=given.get("session", ""),
            timeout=timeout / 1000 if timeout else None,
            ca=given.get("ca"),
        )
        return {"address": self.client.address}

    def do_close(self, given: Object) -> Object:
        """End the connection."""
        self.client.close()
        return {}

    def do_project_text(self, given: Object) -> Any:
        """Project a text."""
        return self.client.project_text(given.get("tool", ""), data(given.get("text", "")), **self.options(given, "media_type"))

    def do_project_command(self, given: Object) -> Any:
        """Project a command."""
        streams = {name: data(given[name]) for name in ("stdout", "stderr", "output") if given.get(name) is not None}
        options = self.options(given, "tool")
        return self.client.project_command(given.get("command_line", ""), **streams, **self.ending(given), **options)

    def do_project_error(self, given: Object) -> Any:
        """Project a tool that failed."""
        options = self.options(given, "details", "recovery_hint", "retryable")
        return self.client.project_error(given.get("tool", ""), given.get("kind", ""), data(given.get("message", "")), **options)

    def do_stream_open(self, given: Object) -> Object:
        """Open a stream."""
        self.open_stream = self.client.stream(given.get("tool", ""), **self.options(given, "family", "command_line", "media_type"))
        return {}

    def do_stream_write(self, given: Object) -> Object:
        """Write to the stream."""
        self.open_stream.write(data(given["data"]), given["stream"])
        return {}

    def do_stream_snapshot(self, given: Object) -> Any:
        """Project what was written."""
        return self.open_stream.snapshot(given.get("task_id", ""))

    def do_stream_finish(self, given: Object) -> Any:
        """Finish the stream."""
        return self.open_stream.finish(**self.ending(given))

    def do_stream(self, given: Object) -> Any:
        """Open, write and finish a stream, or leave it."""
        self.do_stream_open(given)
        snapshots = []
        with self.open_stream:
            for write in given.get("writes", []):
                if "snapshot" in write:
                    snapshots.append(self.open_stream.snapshot(write["snapshot"]).receipt)
                else:
                    self.do_stream_write(write)
            if given.get("finish") is None:
                return {}
            return {**self.result(self.do_stream_finish(given["finish"])), "snapshots": snapshots}

    def do_render(self, given: Object) -> Object:
        """Render a result."""
        receipt = self.client.render(self.saved[given["result"][1:]], max_tokens=given.get("max_tokens"))
        return {"receipt": receipt.text, "tokens": receipt.tokens}

    def do_compact(self, given: Object) -> Object:
        """Compact results."""
        entries = [
            toolresult.Entry(self.saved[e["result"][1:]], e.get("call_id", ""), e.get("turn", 0), e.get("subject", ""))
            for e in given["entries"]
        ]
        names = ("total_tokens", "level", "preview_tokens", "protect_last_turns", "dry_run", "session")
        compaction = self.client.compact(entries, **{name: given[name] for name in names if given.get(name) is not None})
        for changed in compaction.results:
            if given.get("save_as"):
                self.saved[f"{given['save_as']}{changed.index}"] = changed.result
        facts = ("first_changed", "tokens_before", "tokens_after", "budget_met", "overview")
        return {
            "changed": [{"index": changed.index, "receipt": changed.result.receipt} for changed in compaction.results],
            **{name: getattr(compaction, name) for name in facts},
        }

    def do_read(self, given: Object) -> Object:
        """Read a part of an artifact."""
        names = ("lines", "tail", "match", "context", "pointer", "bytes", "around", "session", "max_bytes", "max_lines")
        selection = {name: given[name] for name in names if given.get(name) is not None}
        if given.get("all_pages"):
            pages = list(self.client.read_pages(given["path"], **selection))
        else:
            pages = [self.client.read(given["path"], **selection)]
        last = pages[-1]
        content = b"".join(page.data for page in pages)
        return {"data": shown(content), "complete": last.complete, "has_next": last.next_page_token != "", "pages": len(pages)}

    def do_encode_turn(self, given: Object) -> Object:
        """Make the messages of a turn."""
        turn = self.client.encode_turn(
            given["provider"],
            content=given.get("content", ""),
            calls=[toolresult.Call(c["tool"], c["arguments"], c["id"], c.get("server", "")) for c in given.get("calls", [])],
            results=[
                toolresult.Answer(r["call_id"], self.saved[r["result"][1:]] if "result" in r else r["text"], r.get("error", False))
                for r in given.get("results", [])
            ],
            notices=given.get("notices", []),
            user_text=given.get("user_text", ""),
        )
        return {"messages": turn.messages, "native": turn.native, "changes": turn.changes}

    def do_register_secrets(self, given: Object) -> Object:
        """Register values."""
        values = {name: data(value) for name, value in given["values"].items()}
        return {"set_id": self.client.register_secrets(values, given.get("session", ""))}

    def do_tool_definitions(self, given: Object) -> Object:
        """Return the names of the tools."""
        return {"names": [tool.name for tool in self.client.tool_definitions(given["provider"])]}

    def do_call_tool(self, given: Object) -> Object:
        """Execute a call of read_result."""
        return {"receipt": self.client.call_tool(given["name"], given["arguments"], **self.options(given)).receipt}

    def do_info(self, given: Object) -> Object:
        """Return what the sidecar is."""
        info = self.client.info()
        durability = type(info).DESCRIPTOR.fields_by_name["durability"].enum_type.values_by_number[info.durability].name
        return {"families": list(info.families), "durability": durability}

    def do_health(self, given: Object) -> Object:
        """Return whether the sidecar serves."""
        return {"serving": self.client.healthy()}

    def do_raw_info(self, given: Object) -> Object:
        """Call a raw stub."""
        from toolresult.v1 import service_pb2

        return {"version_is_set": self.client.stubs.results.GetServerInfo(service_pb2.GetServerInfoRequest()).version != ""}

    def do_time(self, given: Object) -> Object:
        """Make a call many times, one after the other."""
        times = []
        for turn in range(given["warmup"] + given["times"]):
            began = time.perf_counter_ns()
            self.call(given["call"])
            if turn >= given["warmup"]:
                times.append((time.perf_counter_ns() - began) / 1000)
        return {"p50_us": statistics.median(times), "p95_us": sorted(times)[int(0.95 * (len(times) - 1))]}


def main() -> None:
    """Answer each line."""
    driver = Driver(blocked.connect if "--asyncio" in sys.argv else toolresult.connect)
    for text in sys.stdin.buffer:
        try:
            reply = {"answer": driver.call(json.loads(text))}
        except Exception as error:
            reply = {"error": described(error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
