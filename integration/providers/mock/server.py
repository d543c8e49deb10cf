"""A local endpoint that is all providers, and refuses what they would refuse.

    python server.py FIXTURES

prints its address and serves until its standard input ends. The first step of a
path names the SDK that sends, the second the provider: /python-openai/openai/v1/...
The name of the model says which fixture is meant: turns-native-CASE, turns-text-CASE
or streams-CASE; a stream is answered with the body of its fixture.
GET /changed lists the turns that arrived otherwise than the fixture has them.
"""

import http.server
import json
import pathlib
import re
import sys
import threading
import traceback
import urllib.parse

import changes
import providers

_model = re.compile(r"(turns-(?P<form>native|text)|streams)-(?P<case>.+)")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200, {}, self.server.changed)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, sdk, path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).split("/", 2)
        for name, provider in providers.ALL.items():
            if match := provider.PATH.fullmatch("/" + path):
                try:
                    self.serve(sdk, name, provider, match, json.loads(body))
                except Exception:  # a fault of the mock, which must not look like one of the SDK
                    self.reply(500, {}, {"error": "the mock failed: " + traceback.format_exc()})
                return
        self.reply(404, {}, {"error": f"no provider has the path {self.path}"})

    def serve(self, sdk, name, provider, match, body):
        model = match.groupdict().get("model") or body.get("model", "")
        if hasattr(provider, "normal"):
            body = provider.normal(body)
        faults = list(provider.schema(body, model)) or list(provider.rules(body))
        if faults:
            self.reply(*provider.refusal("\n".join(faults)))
            return
        meant = _model.fullmatch(model)
        if meant and not meant["form"]:
            self.stream(self.server.fixtures / "streams" / name / f"{meant['case']}.body")
            return
        if meant:
            self.compare(sdk, name, meant, body[provider.MESSAGES])
        self.reply(200, {}, provider.answer(model))

    def compare(self, sdk, name, meant, messages):
        suffix = ".text.json" if meant["form"] == "text" else ".json"
        given = json.loads((self.server.fixtures / "turns" / meant["case"] / (name + suffix)).read_bytes())
        # A user speaks before a turn and, where that ends with the model, after it.
        for change in changes.between(given, messages[1:-1] if messages[-1] == messages[0] else messages[1:]):
            self.server.changed.append({"sdk": sdk, "provider": name, "model": meant.string, "change": change})

    def stream(self, fixture):
        body = fixture.read_bytes()
        kind = "application/x-ndjson" if fixture.parent.name == "ollama" else "text/event-stream"
        self.send(200, {"Content-Type": kind}, body)

    def reply(self, status, headers, value):
        self.send(status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode())

    def send(self, status, headers, body):
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Writes nothing: what matters is in the answers."""


def start(fixtures):
    """Returns a server that serves in a thread of its own."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.fixtures, server.changed = pathlib.Path(fixtures), []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    print(f"http://127.0.0.1:{start(sys.argv[1]).server_port}", flush=True)
    sys.stdin.read()
