"""What a page sends, sent by hand."""

from __future__ import annotations

import http.client
import json

from .page import Server


class Reply:
    def __init__(self, found: http.client.HTTPResponse) -> None:
        self.code, self.headers = found.status, found.headers
        self.text = found.read().decode()
        self.cookies = [value.partition(";")[0] for value in found.headers.get_all("set-cookie") or []]


def ask(server: Server, path: str, body: object = None, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        connection.request("GET", path, headers=given)
    else:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, {"Content-Type": "application/json", **given})
    reply = Reply(connection.getresponse())
    connection.close()
    return reply


def label(server: Server, number: int = 1, **headers: str) -> tuple[dict[str, object], dict[str, str]]:
    """A label as the page sends it, and the headers that it is sent with."""
    page = ask(server, f"/answers/{number}", **headers)
    version = page.text.partition('data-version="')[2].partition('"')[0]
    sent = {"number": number, "version": version, "id": "a" * 32, "values": {"factuality": "wrong"}}
    return {"label": sent}, {"Origin": f"http://127.0.0.1:{server.port}"}
