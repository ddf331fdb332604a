"""Starting and stopping the label page: a port, an address to print, a browser."""

from __future__ import annotations

import errno
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from surefoot.errors import Incomplete, UsageError
from surefoot.web.guarding import is_local

PORT = 8321  # the same at every start, so that what a browser keeps of a form not yet sent is found again
_SHORTEST_TOKEN = 12


def bound(host: str, port: int | None) -> socket.socket:
    """A socket at the port; where none was asked for and the usual one is taken, at any that is free."""
    family = _family(host)
    for wanted in (PORT, 0) if port is None else (port,):
        try:
            return socket.create_server((host, wanted), family=family, backlog=128)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                hint = "write one of its addresses, or 0.0.0.0 for all of them"
                raise UsageError(f"{host} is no address of this machine", hint) from error
            taken, reason, number = wanted, os.strerror(error.errno) if error.errno else str(error), error.errno
    is_taken = number == errno.EADDRINUSE
    hint = "another page may be open there: " if is_taken else ""
    raise Incomplete(f"{host} port {taken} cannot be used: {reason}", f"{hint}choose another --port, or leave it out")


def _family(host: str) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError(f"there is no host {host[:100]!r}", "write a name or an address of this machine") from error


def checked_token(host: str, given: str | None) -> str | None:
    """None where only this machine can come in and nobody asked for a token."""
    if given is None:
        return None if is_local(host) else secrets.token_urlsafe(24)
    if len(given) < _SHORTEST_TOKEN or not given.isascii() or not given.isprintable():
        message = f"a token has at least {_SHORTEST_TOKEN} characters, none of them outside ASCII"
        raise UsageError(message, "leave --token out and one is made")
    return given


def address(host: str, port: int, token: str | None) -> str:
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + (f"?token={quote(token)}" if token else "")


def open_browser(url: str) -> None:
    """Only where there is a screen: a browser for text would take the terminal."""
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        threading.Timer(0.5, webbrowser.open, [url]).start()


class _Server(uvicorn.Server):
    """Says where it is only once Ctrl-C ends it cleanly: people press it as soon as they see the address."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()


def serve(app: ASGIApp, listening: socket.socket, announce: Callable[[], None]) -> None:
    """Until Ctrl-C. A request that is being answered is answered first."""
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", server_header=False, date_header=False,
        timeout_graceful_shutdown=40, proxy_headers=False,
    )  # fmt: skip
    _Server(config, announce).run(sockets=[listening])
