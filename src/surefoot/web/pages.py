"""Pages on which people work through a queue: the next thing, a form about it, save, undo.

Answers to label and questions to review are such queues. What they share is here: who is before the page, what others
have before them, what is sent, and errors as sentences.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from threading import RLock
from typing import Any, Generic, TypeVar
from urllib.parse import quote, unquote

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler

from surefoot.core.errors import SurefootError, UsageError, words_of
from surefoot.core.records import called, is_ai, is_settler
from surefoot.core.types import plain
from surefoot.io.labels import names_a_grader
from surefoot.report.prose import visible
from surefoot.web.forms import BadForm
from surefoot.web.guard import cookie, set_cookie

_LARGEST_BODY = 100_000
LONGEST_NAME = 60
_OPEN_FOR = 30 * 60.0  # seconds that a thing stays with whoever has it before them
_TYPES = {"page.js": "text/javascript", "page.css": "text/css", "icon.svg": "image/svg+xml"}
_FILES = {name: (files("surefoot.web") / "static" / name).read_bytes() for name in _TYPES}
# Part of their addresses: a browser keeps them, and a new release has new ones.
_VERSION = hashlib.sha256(b"".join(_FILES.values())).hexdigest()[:12]

Thing = TypeVar("Thing")
Shown = tuple[str, Mapping[str, object]] | str | None  # a template with its values, where to go, or no such page


class Words(Struct, frozen=True):
    """What the pages that all queues share say in this one."""

    who: str
    task: str
    kept: str
    lost: str
    again: str
    option: str  # with which the command names the person


class SentSide(Struct, frozen=True):
    """What somebody says of one thing, and of others that are grouped with it."""

    key: str
    values: dict[str, str | list[str]]
    also: tuple[str, ...] = ()
    note: str = ""


class Sent(Struct, frozen=True):
    """What a page sends. `id` is made by the page, and an undo names it."""

    id: str = ""
    sides: tuple[SentSide, ...] = ()
    again: bool = False  # a second look
    settling: bool = False
    anyway: bool = False  # although something speaks against it
    name: str = ""  # of the person


class Queue(Generic[Thing]):
    """Any number of people at once work through it."""

    words: Words

    def __init__(self) -> None:
        self.lock = RLock()
        self._open: dict[str, tuple[Thing, str, float]] = {}  # by person: what, its subject, since when

    def page(self, person: str, path: str, asked: Mapping[str, str]) -> Shown:
        """What a person sees at an address."""
        raise NotImplementedError

    def acts(self) -> Mapping[str, Callable[[str, Sent], dict[str, object]]]:
        """What a page may send, `save` and `undo` among it, and what becomes of it; `next` is where to go then."""
        raise NotImplementedError

    def lay(self, person: str, things: Iterable[tuple[Thing, str]]) -> Thing | None:
        """Lay the first of some things before a person of whose subject nobody else has any."""
        with self.lock:
            oldest = time.monotonic() - _OPEN_FOR
            taken = {one[1] for who, one in self._open.items() if who != person and one[2] > oldest}
            thing, subject = next((one for one in things if one[1] not in taken), (None, ""))
            if thing is None:
                self._open.pop(person, None)
            elif self.before(person) != thing:
                self.hold(person, thing, subject)
            return thing

    def hold(self, person: str, thing: Thing, subject: str) -> None:
        self._open[person] = thing, subject, time.monotonic()

    def before(self, person: str) -> Thing | None:
        found = self._open.get(person)
        return found[0] if found else None

    def taken_up(self, person: str) -> float:
        """How many seconds a person had before them what they have dealt with now."""
        with self.lock:
            found = self._open.pop(person, None)
        return time.monotonic() - found[2] if found else 0.0


class Pages:
    """A queue as a web app. `person`: who uses it, where the command says so; else everyone is asked for their name."""

    def __init__(self, queue: Queue[Any], person: str, tabs: Mapping[str, str], here: str) -> None:
        self._queue, self._named, self._tabs, self._here = queue, person, tabs, here
        self._templates = Environment(
            loader=PackageLoader("surefoot.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters["visible"] = lambda text: visible(str(text))
        self._templates.filters["name"] = lambda who: called(who).removeprefix("settled by ") + " (AI)" * is_ai(who)

    def app(self) -> ASGIApp:
        """Without a guard before it."""
        routes = [
            Route("/who", self._who), Route("/name", self._name, methods=["POST"]),
            Route("/{path:path}", self._page), Route("/{act}", self._act, methods=["POST"]),
        ]  # fmt: skip
        handlers: dict[Any, ExceptionHandler] = {
            404: self._lost, 405: self._lost, SurefootError: _in_words, Exception: _in_words,
            ClientDisconnect: _to_nobody,
        }  # fmt: skip
        return Starlette(routes=routes, exception_handlers=handlers)

    def _person(self, request: Request) -> str:
        """Who is before the page; "" if nobody has said so yet."""
        return self._named or _name_of(unquote(cookie("name", request.scope, request.headers)))

    def _page(self, request: Request) -> Response:
        """Who has not given a name yet is asked for it."""
        if not (person := self._person(request)):
            return _to(request, "/who")
        found = self._queue.page(person, request.path_params["path"], request.query_params)
        if found is None:
            return self._lost(request, None)
        return _to(request, found) if isinstance(found, str) else self._html(request, *found)

    async def _act(self, request: Request) -> Response:
        act = self._queue.acts().get(request.path_params["act"])
        if act is None:
            return self._lost(request, None)
        sent, person = await body_of(request), self._person(request)
        if not person:
            raise BadForm("it is not known who you are", "open the page anew and give your name")
        return JSONResponse(await run_in_threadpool(act, person, sent))

    def _html(self, request: Request, template: str, values: Mapping[str, object], code: int = 200) -> Response:
        shared = {
            "person": self._person(request), "named_by_command": bool(self._named), "files": _VERSION,
            "root": request.scope["root_path"], "tabs": self._tabs, "here": self._here,
        }  # fmt: skip
        return HTMLResponse(self._templates.get_template(template).render({**shared, **values}), code)

    def _who(self, request: Request) -> Response:
        words = self._queue.words
        return _to(request, "/") if self._named else self._html(request, "card.html", {
            "title": words.who, "lines": (words.task,), "asks_name": True, "quiet": words.kept,
        })  # fmt: skip

    def _lost(self, request: Request, _: Exception | None) -> Response:
        words, title = self._queue.words, "There is no such page"
        return self._html(request, "card.html", {"title": title, "lines": (words.lost,), "go_on": words.again}, 404)

    async def _name(self, request: Request) -> Response:
        name = _name_of((await body_of(request)).name)
        if not name:
            raise BadForm(f"a name has 1 to {LONGEST_NAME} ordinary characters, and is no grader's", "write another")
        if self._named:
            raise BadForm(f"this page is for {self._named} alone", f"it was started with {self._queue.words.option}")
        reply = JSONResponse({"next": "/"})
        set_cookie(reply, "name", quote(name), request.scope)
        return reply


def thanks(person: str, words: str) -> Markup:
    return Markup("Thank you, <bdi>{}</bdi>. {}").format(visible(person), words)


def _to(request: Request, address: str) -> Response:
    return RedirectResponse(request.scope["root_path"] + address, 303)


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


async def body_of(request: Request) -> Sent:
    """What the page sent."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST_BODY:
            raise BadForm("what was sent is too large", "shorten it")
    try:
        return msgspec.json.decode(data, type=Sent)
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
