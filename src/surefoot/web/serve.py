"""Serving a page until Ctrl-C: a door with a token, an address to announce, a browser."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import Tell
from surefoot.web.guard import Guard, is_local

PORT = 8321  # the same at every start, so that what a browser keeps of a form not yet sent is found again
_SHORTEST_TOKEN = 12
_UNENCRYPTED = "whoever has this address can use it, and what is sent is not encrypted: use it in a network you trust"


class Door(NamedTuple):
    """Where a page is served, and whom it lets in."""

    host: str
    listening: socket.socket
    token: str | None  # None: whoever can reach this machine from itself may come in

    def url(self, tab: str) -> str:
        """Where a tab is; a token lets in by the first address, which leads to the first tab."""
        found = address(self.host, self.listening)
        return f"{found}?token={quote(self.token)}" if self.token else found + tab.lstrip("/")

    def serve(self, app: ASGIApp, announce: Callable[[], None]) -> None:
        serve(Guard(app, self.host, self.token), self.listening, announce=announce)


@contextlib.contextmanager
def opened(host: str, port: int | None, token: str | None, tell: Tell) -> Iterator[Door]:
    secret = _checked_token(host, token)
    with bound(host, port) as listening:
        tell_if_open(host, tell)
        yield Door(host, listening, secret)


def tell_if_open(host: str, tell: Tell) -> None:
    if not is_local(host):
        tell(f"note: {_UNENCRYPTED}")


def serve(app: ASGIApp, *listening: socket.socket, announce: Callable[[], None]) -> None:
    """Returns when somebody presses Ctrl-C. `announce` is called when the page is ready."""
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", server_header=False, date_header=False,
        timeout_graceful_shutdown=40, proxy_headers=False,
    )  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):  # how this is meant to end
        _Server(config, announce).run(sockets=[*listening])


class _Server(uvicorn.Server):
    """Says where it is only once Ctrl-C ends it cleanly: people press it as soon as they see the address."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def open_browser(url: str) -> None:
    """Only where there is a screen: a browser for text would take the terminal."""
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        threading.Timer(0.5, webbrowser.open, [url]).start()


def _checked_token(host: str, given: str | None) -> str | None:
    """None where only this machine can come in and nobody asked for a token."""
    if given is None:
        return None if is_local(host) else secrets.token_urlsafe(24)
    if len(given) < _SHORTEST_TOKEN or not given.isascii() or not given.isprintable():
        message = f"a token has at least {_SHORTEST_TOKEN} characters, none of them outside ASCII"
        raise UsageError(
            message, "write a longer one; where --host lets other machines in, one is made without --token"
        )
    return given


def bound(host: str, port: int | None, other: str = "choose another --port, or leave it out") -> socket.socket:
    """A socket at the port; where none was asked for and the usual one is taken, at any that is free. `other` is what
    to do where it cannot be had."""
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError(f"there is no host {host[:100]!r}", "write a name or an address of this machine") from error
    try:
        listening = socket.create_server((host, PORT if port is None else port), family=family, backlog=128)
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "write one of its addresses, or 0.0.0.0 for all of them"
            raise UsageError(f"{host} is no address of this machine", hint) from error
        if port is None:
            return bound(host, 0)
        message = f"{host} port {port} cannot be used: {os.strerror(error.errno) if error.errno else error}"
        hint = "another program may listen there: " if error.errno == errno.EADDRINUSE else ""
        raise Incomplete(message, f"{hint}{other}") from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a reply waits 40 ms for its second packet
    return listening


def address(host: str, listening: socket.socket) -> str:
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{listening.getsockname()[1]}/"
