"""The review page as a web app: which address shows what. What it does is in `desk`."""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from surefoot.review.desk import Desk, Sent, address
from surefoot.web.pages import BadForm, Pages, Words, body_of

_NUMBER = re.compile(r"[0-9]{1,9}")


def app_for(desk: Desk, *, host: str, token: str | None = None, name: str = "") -> ASGIApp:
    pages = _Pages(desk, name)
    routes = [
        Route("/", pages.start),
        Route("/questions/{number}", pages.question),
        Route("/done", pages.done),
        Route("/decide", pages.decide, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
    ]
    return pages.app(routes, host=host, token=token)


class _Pages(Pages):
    def __init__(self, desk: Desk, name: str) -> None:
        super().__init__("surefoot.review", name)
        self._desk = desk
        self.words = Words(
            who="Who reviews?",
            task="You will see one proposed question at a time, with the passages it rests on, and accept, edit or "
            "reject it.",
            kept="It is kept with each question you decide.",
            lost=f"The file has {desk.progress().total} questions to review.",
            again="Go on reviewing",
            option="--name",
        )

    def start(self, request: Request) -> Response:
        """The next question; `after` is the number of the one that is skipped."""
        person, after = self.person(request), request.query_params.get("after", "")
        if not person:
            return RedirectResponse("/who", 303)
        number = int(after) if _NUMBER.fullmatch(after) else 0
        return RedirectResponse(self._desk.onwards(person, _stratum(request), number), 303)

    def question(self, request: Request) -> Response:
        person, number = self.person(request), request.path_params["number"]
        if not person:
            return RedirectResponse("/who", 303)
        page = self._desk.page(int(number), person, _stratum(request)) if _NUMBER.fullmatch(number) else None
        if page is None:
            return self.lost(request, None)
        skip = address("/", page.stratum)
        skip += f"{'&' if '?' in skip else '?'}after={page.number}"
        return self.shown(request, "question.html", page=page, skip=skip, file=self._desk.file.path.name)

    def done(self, request: Request) -> Response:
        person, stratum = self.person(request), _stratum(request)
        if not person:
            return RedirectResponse("/who", 303)
        every, here = self._desk.progress(), self._desk.progress(stratum)
        return self.shown(
            request, "done.html", stratum=stratum, counts=self._desk.counts(), left=every.total - every.decided,
            left_here=here.total - here.decided, file=str(self._desk.file.path), can_undo=self._desk.can_undo(person),
        )  # fmt: skip

    async def decide(self, request: Request) -> Response:
        sent, person = await body_of(request, Sent), self._known(request)
        return JSONResponse({"next": await run_in_threadpool(self._desk.decide, person, sent)})

    async def undo(self, request: Request) -> Response:
        person = self._known(request)
        return JSONResponse({"next": await run_in_threadpool(self._desk.undo, person)})

    def _known(self, request: Request) -> str:
        person = self.person(request)
        if not person:
            raise BadForm("it is not known who you are", "open the page anew and give your name")
        return person


def _stratum(request: Request) -> str:
    return request.query_params.get("stratum", "")
