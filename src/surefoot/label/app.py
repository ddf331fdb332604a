"""The label page as a web app: which address shows what. What it does is in `desk`, who may use it in `guard`."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, ExceptionHandler

from surefoot.errors import SurefootError, UsageError, words_of
from surefoot.io.labels import names_a_grader
from surefoot.label.desk import Desk, Sent
from surefoot.label.form import BadForm
from surefoot.label.guard import Guard, cookie, set_cookie
from surefoot.label.view import visible
from surefoot.records import SKIPPED, PassedOver

_LARGEST_BODY = 100_000
LONGEST_NAME = 60
_NUMBER = re.compile(r"[0-9]{1,9}")
_PROOF = re.compile(r"[0-9a-f]{32}")
_MOST_PROOFS = 20
_TYPES = {"label.js": "text/javascript", "label.css": "text/css", "icon.svg": "image/svg+xml"}
_FILES = {name: (files("surefoot.label") / "static" / name).read_bytes() for name in _TYPES}
# Part of their addresses: a browser keeps them, and a new release has new ones.
_VERSION = hashlib.sha256(b"".join(_FILES.values())).hexdigest()[:12]


class _Post(Struct):
    """What a page sends: some of this, as its address needs it."""

    name: str = ""
    label: Sent = Sent(0, "", "")
    number: int = 0
    why: PassedOver = SKIPPED
    sending: str = ""


def app_for(desk: Desk, *, host: str, token: str | None = None, annotator: str = "") -> ASGIApp:
    pages = _Pages(desk, annotator)
    routes = [
        Route("/", pages.start),
        Route("/answers/{number}", pages.answer),
        Route("/done", pages.done),
        Route("/who", pages.who),
        Route("/static/{name}", _static),
        Route("/name", pages.name, methods=["POST"]),
        *(Route(path, pages.act, methods=["POST"]) for path in ("/label", "/skip", "/undo")),
    ]
    handlers: dict[Any, ExceptionHandler] = {
        404: pages.lost, 405: pages.lost, SurefootError: _in_words, Exception: _in_words, ClientDisconnect: _to_nobody,
    }  # fmt: skip
    return Guard(Starlette(routes=routes, exception_handlers=handlers), host, token)


class _Pages:
    def __init__(self, desk: Desk, annotator: str) -> None:
        self._desk = desk
        self._annotator = annotator
        self._templates = Environment(
            loader=PackageLoader("surefoot.label"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters["visible"] = lambda text: visible(str(text))

    def start(self, request: Request) -> Response:
        person = self._person(request)
        return RedirectResponse(self._desk.onwards(person) if person else "/who", 303)

    def who(self, request: Request) -> Response:
        if self._annotator:
            return RedirectResponse("/", 303)
        return self._shown(request, "who.html")

    def answer(self, request: Request) -> Response:
        person = self._person(request)
        if not person:
            return RedirectResponse("/who", 303)
        number, proofs = request.path_params["number"], _proofs_of(request)
        page = self._desk.page(int(number), person, proofs) if _NUMBER.fullmatch(number) else None
        if page is None:
            return self.lost(request, None)
        reply = self._shown(request, "answer.html", page=page)
        if page.proof and page.proof not in proofs:
            set_cookie(reply, "offers", ".".join([*proofs, page.proof][-_MOST_PROOFS:]), request.scope)
        return reply

    def done(self, request: Request) -> Response:
        person = self._person(request)
        if not person:
            return RedirectResponse("/who", 303)
        next_one = self._desk.onwards(person)
        return self._shown(
            request, "done.html", progress=self._desk.progress(person),
            more="" if next_one == "/done" else next_one, undo=self._desk.last_sent(person),
        )  # fmt: skip

    def lost(self, request: Request, _: Exception | None) -> Response:
        return self._shown(request, "lost.html", 404)

    async def name(self, request: Request) -> Response:
        name = _name_of((await _body(request)).name)
        if not name:
            raise BadForm(f"a name has 1 to {LONGEST_NAME} ordinary characters, and is no grader's", "write another")
        if self._annotator:
            raise BadForm(f"this page is for {self._annotator} alone", "it was started with --annotator")
        reply = JSONResponse({"next": "/"})
        set_cookie(reply, "name", quote(name), request.scope)
        return reply

    async def act(self, request: Request) -> Response:
        """A label, a skip or an undo, as the address says; the reply says where to go then."""
        post, person, proofs = await _body(request), self._person(request), _proofs_of(request)
        if not person:
            raise BadForm("it is not known who you are", "open the page anew and give your name")
        acts: dict[str, Callable[[], str]] = {
            "/label": lambda: self._desk.save(person, post.label, proofs),
            "/skip": lambda: self._desk.skip(person, post.number, post.why, proofs),
            "/undo": lambda: self._desk.undo(person, post.sending),
        }
        return JSONResponse({"next": await run_in_threadpool(acts[request.scope["path"]])})

    def _person(self, request: Request) -> str:
        return self._annotator or _name_of(unquote(cookie("name", request.scope, request.headers)))

    def _shown(self, request: Request, template: str, code: int = 200, **more: object) -> Response:
        words = {
            "desk": self._desk, "person": self._person(request), "named_by_command": bool(self._annotator),
            "files": _VERSION, **more,
        }  # fmt: skip
        again = BackgroundTask(self._desk.labels.refresh_if_old)
        return HTMLResponse(self._templates.get_template(template).render(words), code, background=again)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        return Response("there is no such file\n", 404, media_type="text/plain")
    kept = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(_FILES[name], media_type=_TYPES[name], headers=kept)


def clean_name(given: str) -> str:
    """A name as it is kept; "" where it is none."""
    name = " ".join(visible(given).split())
    return "" if len(name) > LONGEST_NAME or "\ufffd" in name else name


def _name_of(given: str) -> str:
    name = clean_name(given)
    return "" if names_a_grader(name) else name


def _proofs_of(request: Request) -> list[str]:
    """That the queue offered an answer to the one at this browser."""
    return _PROOF.findall(cookie("offers", request.scope, request.headers))[-_MOST_PROOFS:]


async def _body(request: Request) -> _Post:
    """What the page sent."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST_BODY:
            raise BadForm("what was sent is too large", "shorten the note")
    try:
        return msgspec.json.decode(data, type=_Post)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadForm(f"what was sent cannot be read: {error}", "reload the page") from error


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
