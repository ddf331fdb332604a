"""The label page as a web app: which address shows what. What it does is in `desk`, who may use it in `guard`."""

from __future__ import annotations

import hashlib
import re
import secrets
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar
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
_STATIC = {"label.js": "text/javascript", "label.css": "text/css", "icon.svg": "image/svg+xml"}


class _StaleForm(BadForm):
    """The secret of the page is not the one of the browser's cookie."""


class _Post(Struct, kw_only=True):
    form: str  # the secret of the page it was sent from


class _Name(_Post):
    name: str


class _Skip(_Post):
    number: int
    why: PassedOver = SKIPPED


class _Undo(_Post):
    sending: str


class _Label(_Post):
    label: Sent


_Kind = TypeVar("_Kind", bound=_Post)


def app_for(desk: Desk, *, host: str, token: str | None = None, annotator: str = "") -> ASGIApp:
    pages = _Pages(desk, annotator)
    routes = [
        Route("/", pages.start),
        Route("/answers/{number}", pages.answer),
        Route("/done", pages.done),
        Route("/who", pages.who),
        Route("/static/{name}", _static),
        Route("/name", pages.name, methods=["POST"]),
        Route("/label", pages.label, methods=["POST"]),
        Route("/skip", pages.skip, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
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
        return self._shown(request, "who.html", person=self._person(request))

    def answer(self, request: Request) -> Response:
        person = self._person(request)
        if not person:
            return RedirectResponse("/who", 303)
        number, proofs = request.path_params["number"], _proofs_of(request)
        page = self._desk.page(int(number), person, proofs) if _NUMBER.fullmatch(number) else None
        if page is None:
            return self.lost(request, None)
        reply = self._shown(request, "answer.html", person=person, page=page)
        if page.proof and page.proof not in proofs:
            set_cookie(reply, "offers", ".".join([*proofs, page.proof][-_MOST_PROOFS:]), request.scope)
        return reply

    def done(self, request: Request) -> Response:
        person = self._person(request)
        if not person:
            return RedirectResponse("/who", 303)
        next_one = self._desk.onwards(person)
        return self._shown(
            request, "done.html", person=person, progress=self._desk.progress(person),
            more="" if next_one == "/done" else next_one, undo=self._desk.last_sent(person),
        )  # fmt: skip

    def lost(self, request: Request, _: Exception | None) -> Response:
        return self._shown(request, "lost.html", 404, person=self._person(request))

    async def name(self, request: Request) -> Response:
        name = _name_of((await _body(request, _Name)).name)
        if not name:
            raise BadForm(f"a name has 1 to {LONGEST_NAME} ordinary characters, and is no grader's", "write another")
        if self._annotator:
            raise BadForm(f"this page is for {self._annotator} alone", "it was started with --annotator")
        reply = JSONResponse({"next": "/"})
        set_cookie(reply, "name", quote(name), request.scope)
        return reply

    async def label(self, request: Request) -> Response:
        sent = (await _body(request, _Label)).label
        return await self._do(request, lambda person: self._desk.save(person, sent, _proofs_of(request)))

    async def skip(self, request: Request) -> Response:
        sent = await _body(request, _Skip)
        return await self._do(
            request, lambda person: self._desk.skip(person, sent.number, sent.why, _proofs_of(request))
        )

    async def undo(self, request: Request) -> Response:
        sending = (await _body(request, _Undo)).sending
        return await self._do(request, lambda person: self._desk.undo(person, sending))

    async def _do(self, request: Request, what: Callable[[str], str]) -> Response:
        person = self._person(request)
        if not person:
            raise BadForm("it is not known who you are", "open the page anew and give your name")
        return JSONResponse({"next": await run_in_threadpool(what, person)})

    def _person(self, request: Request) -> str:
        return self._annotator or _name_of(unquote(cookie("name", request.scope, request.headers)))

    def _shown(self, request: Request, template: str, code: int = 200, **more: object) -> Response:
        secret = _form_of(request)
        made = secret or secrets.token_urlsafe(24)
        words = {"desk": self._desk, "form": made, "named_by_command": bool(self._annotator), **more}
        words["files"] = _files_version()
        again = BackgroundTask(self._desk.labels.refresh_if_old)
        reply = HTMLResponse(self._templates.get_template(template).render(words), code, background=again)
        if not secret and code == 200:  # browsers ask for things nobody told them of; those must not change it
            set_cookie(reply, "form", made, request.scope)
        return reply


@cache
def _files() -> dict[str, bytes]:
    return {name: (files("surefoot.label") / "static" / name).read_bytes() for name in _STATIC}


@cache
def _files_version() -> str:
    """Part of their addresses: a browser keeps them, and a new release has new ones."""
    return hashlib.sha256(b"".join(_files().values())).hexdigest()[:12]


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response("there is no such file\n", 404, media_type="text/plain")
    kept = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(_files()[name], media_type=_STATIC[name], headers=kept)


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


def _form_of(request: Request) -> str:
    return cookie("form", request.scope, request.headers)


async def _body(request: Request, kind: type[_Kind]) -> _Kind:
    """What the page sent, if it was sent from a page of ours: the secret is in the page and in a cookie."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _LARGEST_BODY:
            raise BadForm("what was sent is too large", "shorten the note")
    try:
        found = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadForm(f"what was sent cannot be read: {error}", "reload the page") from error
    secret = _form_of(request)
    if not secret or not secrets.compare_digest(found.form.encode(), secret.encode()):
        raise _StaleForm("this page was opened in another browser, or its cookies are gone", "reload the page")
    return found


def _to_nobody(_: Request, __: Exception) -> Response:
    """Whoever sent it hung up in the middle of it; nothing was saved, and nobody is there to be told."""
    return Response(status_code=400)


def _in_words(request: Request, error: Exception) -> Response:
    """An error is a sentence, on the page and where the server was started."""
    told = error.message if isinstance(error, SurefootError) else words_of(error)
    hint = error.hint if isinstance(error, SurefootError) else "see what the server printed"
    code = 400 if isinstance(error, UsageError) else 503
    if code == 503:
        print(f"error: {told}", file=sys.stderr)  # noqa: T201
    if isinstance(error, _StaleForm):
        # Two first visits at once, or cookies that were cleared. No page but ours can read this reply and try again.
        form = _form_of(request) or secrets.token_urlsafe(24)
        reply = JSONResponse({"error": told, "hint": hint, "form": form}, 409)
        set_cookie(reply, "form", form, request.scope)
        return reply
    if request.method == "POST":
        return JSONResponse({"error": told, "hint": hint}, code)
    return Response(f"{told}\nhint: {hint}\n", code, media_type="text/plain")
