"""Pages of a local web app: their files, the name of the person before them, and errors as sentences."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import msgspec
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler

from surefoot.core.errors import SurefootError, UsageError, words_of
from surefoot.core.records import is_settler
from surefoot.core.words import plain
from surefoot.io.labels import names_a_grader
from surefoot.report.prose import visible
from surefoot.web.guard import cookie, set_cookie

_LARGEST_BODY = 100_000
_NUMBER = re.compile(r"[0-9]{1,9}")
LONGEST_NAME = 60
_TYPES = {
    "page.js": "text/javascript", "look.js": "text/javascript", "review.js": "text/javascript",
    "page.css": "text/css", "icon.svg": "image/svg+xml",
}  # fmt: skip
_FILES = {name: (files("surefoot.web") / "static" / name).read_bytes() for name in _TYPES}
# Part of their addresses: a browser keeps them, and a new release has new ones.
_VERSION = hashlib.sha256(b"".join(_FILES.values())).hexdigest()[:12]

Sent = TypeVar("Sent")


class BadForm(UsageError):
    """What was sent is no answer to what was asked."""


class Words(Struct, frozen=True):
    """What the pages that all apps share say in this one."""

    who: str
    task: str
    kept: str
    lost: str
    again: str
    option: str  # with which the command names the person


class _Name(Struct):
    name: str = ""


class Pages:
    """`person`: who uses the page, where the command says so; else everyone is asked for their name."""

    words: Words

    def __init__(self, person: str, package: str = "surefoot.web") -> None:
        self._named = person
        loader = ChoiceLoader([PackageLoader(package), PackageLoader("surefoot.web")])
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.filters["visible"] = lambda text: visible(str(text))

    def app_of(self, routes: Sequence[Route]) -> ASGIApp:
        """Without a guard before it."""
        shared = [
            Route("/who", self.who), Route("/static/{name}", static), Route("/name", self.name, methods=["POST"])
        ]  # fmt: skip
        handlers: dict[Any, ExceptionHandler] = {
            404: self.lost, 405: self.lost, SurefootError: _in_words, Exception: _in_words,
            ClientDisconnect: _to_nobody,
        }  # fmt: skip
        return Starlette(routes=[*routes, *shared], exception_handlers=handlers)

    def person(self, request: Request) -> str:
        """Who is before the page; "" if nobody has said so yet."""
        return self._named or _name_of(unquote(cookie("name", request.scope, request.headers)))

    def known(self, request: Request) -> str:
        """Who sent something."""
        person = self.person(request)
        if not person:
            raise BadForm("it is not known who you are", "open the page anew and give your name")
        return person

    def named(self, show: Callable[[Request, str], Response]) -> Callable[[Request], Response]:
        """A page for somebody; who has not given a name yet is asked for it."""

        def reply(request: Request) -> Response:
            person = self.person(request)
            return show(request, person) if person else to(request, "/who")

        return reply

    def shown(self, request: Request, template: str, code: int = 200, **more: object) -> Response:
        shared = {
            "person": self.person(request), "named_by_command": bool(self._named), "files": _VERSION,
            "words": self.words, "root": root_of(request),
        }  # fmt: skip
        return HTMLResponse(self._templates.get_template(template).render(shared | more), code)

    def who(self, request: Request) -> Response:
        return to(request, "/") if self._named else self.shown(request, "who.html")

    def lost(self, request: Request, _: Exception | None) -> Response:
        return self.shown(request, "lost.html", 404)

    async def name(self, request: Request) -> Response:
        name = _name_of((await body_of(request, _Name)).name)
        if not name:
            raise BadForm(f"a name has 1 to {LONGEST_NAME} ordinary characters, and is no grader's", "write another")
        if self._named:
            raise BadForm(f"this page is for {self._named} alone", f"it was started with {self.words.option}")
        reply = JSONResponse({"next": "/"})
        set_cookie(reply, "name", quote(name), request.scope)
        return reply


def number_in(given: str) -> int:
    """Of what a page shows; 0 where this is none."""
    return int(given) if _NUMBER.fullmatch(given) else 0


def root_of(request: Request) -> str:
    """What the addresses of an app begin with where it is part of another; else ""."""
    return str(request.scope.get("root_path", ""))


def to(request: Request, address: str) -> Response:
    return RedirectResponse(root_of(request) + address, 303)


def clean_name(given: str) -> str:
    """A name as it is kept; "" where it is none."""
    name = " ".join(visible(given).split())
    return "" if len(name) > LONGEST_NAME or "\ufffd" in name or is_settler(name) else name


def checked_name(given: str | None) -> str:
    """The name that a page is started with; "" where it asks."""
    if given is not None and (not given or clean_name(given) != given):
        raise UsageError(f"{plain(given, 80)!r} is not a name", f"write 1 to {LONGEST_NAME} ordinary characters")
    return given or ""


def _name_of(given: str) -> str:
    name = clean_name(given)
    return "" if names_a_grader(name) else name


async def body_of(request: Request, kind: type[Sent]) -> Sent:
    """What the page sent."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST_BODY:
            raise BadForm("what was sent is too large", "shorten it")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadForm(f"what was sent cannot be read: {error}", "reload the page") from error


def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        return Response("there is no such file\n", 404, media_type="text/plain")
    kept = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(_FILES[name], media_type=_TYPES[name], headers=kept)


def _to_nobody(_: Request, __: Exception) -> Response:
    """Whoever sent it hung up in the middle of it; nothing was saved, and nobody waits for a reply."""
    return Response(status_code=400)


def _in_words(request: Request, error: Exception) -> Response:
    """An error is a sentence, on the page and where the server was started."""
    message = error.message if isinstance(error, SurefootError) else words_of(error)
    hint = error.hint if isinstance(error, SurefootError) else "see what the server printed"
    code = 400 if isinstance(error, UsageError) else 503
    if code == 503:
        print(f"error: {message}", file=sys.stderr)  # noqa: T201
    if request.method == "POST":
        return JSONResponse({"error": message, "hint": hint}, code)
    return Response(f"{message}\nhint: {hint}\n", code, media_type="text/plain")
