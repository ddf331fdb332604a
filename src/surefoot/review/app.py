"""The review page as a web app: how it is served, and which address shows what. What it does is in `desk`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from surefoot.core.result import Person
from surefoot.core.types import Passage
from surefoot.core.words import counted
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.question_file import QuestionFile
from surefoot.io.questions import PROPOSED
from surefoot.report.prose import visible
from surefoot.review.desk import Desk, Sent, address
from surefoot.review.form import NewFields
from surefoot.review.writing import are_against
from surefoot.web.pages import Pages, Words, body_of, checked_name, number_in, to
from surefoot.web.serve import opened

_FOUND = 8


class Opened(Struct, frozen=True):
    """The review page, ready to be used."""

    url: str
    file: str
    reviewed: int
    total: int


class _Words(Struct, frozen=True):
    words: str = ""


def serve_review(
    file: Path,
    announce: Callable[[Opened], None],
    *,
    corpus: Path,
    name: str | None,
    host: str,
    port: int | None,
    token: str | None,
    person: Person,
) -> None:
    """Serve the review page of a question file until Ctrl-C. `announce` is called when it is ready."""
    named = checked_name(name)
    with opened(host, port, token, person.tell) as door:
        desk = Desk(QuestionFile(file), load_corpus(corpus, tell=person.tell))
        progress = desk.progress()
        page = Opened(door.url, str(file), progress.decided, progress.total)
        door.serve(app_for(desk, name=named), lambda: announce(page))
    counts = desk.counts()
    left = counted(counts[PROPOSED], "question")
    person.tell(f"note: {counts['accepted']} accepted, {counts['rejected']} rejected, {left} left; all is in {file}")


def app_for(desk: Desk, *, name: str) -> ASGIApp:
    pages = _Pages(desk, name)
    routes = [
        Route("/", pages.named(pages.start)),
        Route("/questions/{number}", pages.named(pages.question)),
        Route("/done", pages.named(pages.done)),
        Route("/new", pages.named(pages.new)),
        Route("/search", pages.search, methods=["POST"]),
        Route("/add", pages.add, methods=["POST"]),
        Route("/decide", pages.decide, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
    ]
    return pages.app_of(routes)


class _Pages(Pages):
    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__(name, "surefoot.review")
        self._desk = desk
        self._reading = threading.Lock()  # the model reads for one person at a time
        self.words = Words(
            who="Who reviews?",
            task="You will see one proposed question at a time, with the passages it rests on, and accept, edit or "
            "reject it.",
            kept="It is kept with each question you decide.",
            lost=f"The file has {desk.progress().total} questions to review.",
            again="Go on reviewing",
            option="--name",
        )

    def start(self, request: Request, person: str) -> Response:
        """The next question; `after` is the number of the one that is skipped."""
        number = number_in(request.query_params.get("after", ""))
        return to(request, self._desk.onwards(person, _stratum(request), number))

    def question(self, request: Request, person: str) -> Response:
        page = self._desk.page(number_in(request.path_params["number"]), person, _stratum(request))
        if page is None:
            return self.lost(request, None)
        skip = address("/", page.stratum)
        skip += f"{'&' if '?' in skip else '?'}after={page.number}"
        return self.shown(request, "question.html", page=page, skip=skip, file=self._desk.file.path.name)

    def done(self, request: Request, person: str) -> Response:
        stratum = _stratum(request)
        every, here = self._desk.progress(), self._desk.progress(stratum)
        return self.shown(
            request, "done.html", stratum=stratum, counts=self._desk.counts(), left=every.total - every.decided,
            left_here=here.total - here.decided, file=str(self._desk.file.path), can_undo=self._desk.can_undo(person),
        )  # fmt: skip

    def new(self, request: Request, _person: str) -> Response:
        return self.shown(request, "new.html", file=self._desk.file.path.name)

    async def search(self, request: Request) -> Response:
        sent = await body_of(request, _Words)
        found = await run_in_threadpool(self._desk.author.nearest, sent.words, _FOUND)
        return JSONResponse({"passages": [_found(one) for one in found]})

    async def add(self, request: Request) -> Response:
        """Where the new question is then, or why it was not added."""
        sent, person = await body_of(request, NewFields), self.known(request)
        return JSONResponse(await run_in_threadpool(self._add, person, sent))

    def _add(self, person: str, sent: NewFields) -> dict[str, object]:
        question, author = sent.question(), self._desk.author
        with self._reading:
            findings = author.read(question)
        if are_against(findings) and not sent.anyway:
            return {"objections": [visible(one.message) for one in findings]}
        return {"next": self._desk.address_of(author.write(question, findings, by=person))}

    async def decide(self, request: Request) -> Response:
        """Where to go then, or what speaks against an edit; sent again with `anyway` it is taken all the same."""
        sent, person = await body_of(request, Sent), self.known(request)
        return JSONResponse(await run_in_threadpool(self._decide, person, sent))

    def _decide(self, person: str, sent: Sent) -> dict[str, object]:
        with self._reading:
            objections = self._desk.objections(sent)
        if objections:
            return {"objections": [visible(one.message) for one in objections]}
        return {"next": self._desk.decide(person, sent)}

    async def undo(self, request: Request) -> Response:
        person = self.known(request)
        return JSONResponse({"next": await run_in_threadpool(self._desk.undo, person)})


def _found(passage: Passage) -> dict[str, str]:
    shown = {"name": passage.id, "title": passage.doc, "text": passage.text}
    return {"id": passage.id, **{key: visible(text) for key, text in shown.items()}}


def _stratum(request: Request) -> str:
    return request.query_params.get("stratum", "")
