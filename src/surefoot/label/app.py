"""The label page as a web app: which address shows what. What it does is in `desk`."""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup
from msgspec import Struct
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from surefoot.label.desk import Desk, Page, Sent
from surefoot.label.lists import name_of, settler
from surefoot.web.guard import cookie, set_cookie
from surefoot.web.pages import Pages, Words, body_of, number_in, root_of, to

_PROOF = re.compile(r"[0-9a-f]{32}")
_MOST_PROOFS = 20


class _Post(Struct):
    """What a page sends: some of this, as its address needs it."""

    label: Sent = Sent(0, "", "")
    number: int = 0
    sending: str = ""
    settling: bool = False  # it is about a label that settles what others disagree on


def app_for(desk: Desk, *, annotator: str = "", guidelines: Markup | None) -> ASGIApp:
    """`guidelines` are how the project wants answers to be labelled."""
    pages = _Pages(desk, annotator, guidelines)
    routes = [
        Route("/", pages.named(pages.start)),
        Route("/answers/{number}", pages.named(pages.answer)),
        Route("/done", pages.named(pages.done)),
        Route("/mine", pages.named(pages.mine)),
        Route("/settle", pages.named(pages.disputes)),
        Route("/settle/{number}", pages.named(pages.dispute)),
        *(Route(path, pages.act, methods=["POST"]) for path in ("/label", "/skip", "/undo", "/settle", "/take-back")),
    ]
    return pages.app(routes)


class _Pages(Pages):
    def __init__(self, desk: Desk, annotator: str, guidelines: Markup | None) -> None:
        super().__init__("surefoot.label", annotator)
        self._templates.filters["name"] = name_of
        self._desk, self._guidelines = desk, guidelines
        self.words = Words(
            who="Who labels?",
            task="You will see one answer at a time, with the passages it cites, and say which bucket it belongs in. "
            "What a grader thinks of it is not shown.",
            kept="It is kept with each of your labels. Use the same name each time, so that you get your own queue.",
            lost=f"The run has {len(desk.queue.sheets)} answers to label.",
            again="Go on labelling",
            option="--annotator",
        )

    def start(self, request: Request, person: str) -> Response:
        return to(request, self._desk.onwards(person))

    def answer(self, request: Request, person: str) -> Response:
        proofs = _proofs_of(request)
        page = self._desk.page(_number_of(request), person, proofs)
        reply = self._form(request, page)
        if page is not None and page.proof and page.proof not in proofs:
            set_cookie(reply, "offers", ".".join([*proofs, page.proof][-_MOST_PROOFS:]), request.scope)
        return reply

    def dispute(self, request: Request, person: str) -> Response:
        return self._form(request, self._desk.page_to_settle(_number_of(request), person))

    def _form(self, request: Request, page: Page | None) -> Response:
        if page is None:
            return self.lost(request, None)
        return self.shown(request, "answer.html", page=page, guidelines=self._guidelines)

    def mine(self, request: Request, person: str) -> Response:
        undo = self._desk.last_sent(person)
        return self.shown(request, "mine.html", entries=self._desk.own(person), undo=undo)

    def disputes(self, request: Request, _person: str) -> Response:
        return self.shown(request, "disputes.html", entries=self._desk.disputes())

    def done(self, request: Request, person: str) -> Response:
        next_one = self._desk.onwards(person)
        return self.shown(
            request, "done.html", progress=self._desk.progress(person),
            more="" if next_one == "/done" else next_one, undo=self._desk.last_sent(person),
        )  # fmt: skip

    async def act(self, request: Request) -> Response:
        """What the address says; the reply says where to go then."""
        post, person, proofs = await body_of(request, _Post), self.known(request), _proofs_of(request)
        who = settler(person) if post.settling else person
        acts: dict[str, Callable[[], str]] = {
            "/label": lambda: self._desk.save(person, post.label, proofs),
            "/skip": lambda: self._desk.skip(person, post.number, proofs),
            "/settle": lambda: self._desk.settle(person, post.label),
            "/undo": lambda: self._desk.undo(who, post.sending),
            "/take-back": lambda: self._desk.take_back(who, post.number),
        }
        return JSONResponse(
            {"next": await run_in_threadpool(acts[request.scope["path"].removeprefix(root_of(request))])}
        )

    def shown(self, request: Request, template: str, code: int = 200, **more: object) -> Response:
        reply = super().shown(request, template, code, desk=self._desk, **more)
        reply.background = BackgroundTask(self._desk.labels.refresh_if_old)
        return reply


def _number_of(request: Request) -> int:
    return number_in(request.path_params["number"])


def _proofs_of(request: Request) -> list[str]:
    """That the queue offered an answer to the one at this browser."""
    return _PROOF.findall(cookie("offers", request.scope, request.headers))[-_MOST_PROOFS:]
