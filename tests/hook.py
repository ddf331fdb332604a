"""An address to which alarms are sent, which fails at first."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


class Hook(HTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.tries = 0
        self.heard: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Hook)
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        self.server.tries += 1
        is_taken = self.server.tries > 1
        self.server.heard += [text] if is_taken else []
        self.send_response(200 if is_taken else 500)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@contextmanager
def listening() -> Iterator[Hook]:
    with Hook() as hook:
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        yield hook
        hook.shutdown()
