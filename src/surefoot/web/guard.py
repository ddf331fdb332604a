"""Who may use a page: no other site, no other host name, and in a team nobody without the token.

Every reply forbids scripts, frames and requests other than the page's own.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_YEAR = 365 * 24 * 3600
# A redirect would still count as coming from the site on which the link was; a page of ours does not.
_WELCOME = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="/static/icon.svg"><title>Surefoot</title><p><a href="/">Go on</a></p></html>"""


class Guard:
    """Stands before the app. `token` None: whoever can reach this machine from itself may come in."""

    def __init__(self, app: ASGIApp, host: str, token: str | None) -> None:
        self._app = app
        self._token = token
        self._names = _names(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {**_HEADERS, "Cache-Control": "no-store"}.items():
                    headers.setdefault(name, value)  # a report says itself what its page may do
            await send(message)

        headers = Headers(scope=scope)
        reply = self._refusal(scope, headers) or self._welcome(scope) or self._locked_out(scope, headers)
        await (reply or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse(f"this page is not served under the name {host[:100]!r}\n", 421)
        if scope["method"] in ("GET", "HEAD"):
            return None
        # A browser always says from which page it sends, and no page can make it say something else.
        is_ours = headers.get("origin", "") == f"{scope['scheme']}://{host}"
        if not is_ours or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return JSONResponse({"error": "this was sent from another page, so it was not saved"}, 403)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return JSONResponse({"error": "this is not what the page sends, so it was not saved"}, 415)
        return None

    def _is_ours(self, host: str) -> bool:
        """A name that leads here today may be anybody's: only our own names and bare addresses will do."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self._names or ("*" in self._names and _is_address(name))

    def _welcome(self, scope: Scope) -> Response | None:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self._token is None or not given or scope["path"] != "/":
            return None
        if not _same(given, self._token):
            return _locked()
        reply = HTMLResponse(_WELCOME)
        set_cookie(reply, "token", quote(self._token), scope)
        return reply

    def _locked_out(self, scope: Scope, headers: Headers) -> Response | None:
        if self._token is None or _same(cookie("token", scope, headers), quote(self._token)):
            return None
        if scope["method"] in ("GET", "HEAD"):
            return _locked()
        why = "the token is not the one this page was opened with: open the page by its new address"
        return JSONResponse({"error": why}, 403)


def cookie(name: str, scope: Scope, headers: Headers) -> str:
    """What a browser keeps for this server; another one on the same machine has its own."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(name, scope))
    except CookieError:
        return ""
    return found.value if found else ""


def set_cookie(reply: Response, name: str, value: str, scope: Scope) -> None:
    reply.set_cookie(_cookie_name(name, scope), value, httponly=True, samesite="strict", max_age=_YEAR)


def _cookie_name(name: str, scope: Scope) -> str:
    server = scope.get("server")
    return f"surefoot_{name}_{server[1] if server else 0}"


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), wanted.encode("utf-8", "replace"))


def _locked() -> Response:
    return PlainTextResponse("this page needs its token: open it by the address that the command printed\n", 403)


def _names(host: str) -> frozenset[str]:
    if is_local(host):
        return frozenset({"localhost", "127.0.0.1", "::1", host})
    here = socket.gethostname().lower()
    return frozenset({"localhost", host.lower(), here, socket.getfqdn().lower(), "*"})


def is_local(host: str) -> bool:
    """True where only this machine can reach the server."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
