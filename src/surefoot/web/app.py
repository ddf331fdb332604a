"""The web app: the look page, and the runs of a project, whose pages only read.

A page of runs is made anew when the project has changed since it was made.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from surefoot.core import rubric as rubrics
from surefoot.core.errors import SurefootError, UsageError, words_of
from surefoot.core.files import printable
from surefoot.core.records import CHANGE, called, is_ai
from surefoot.core.result import NOBODY, Person, Tell
from surefoot.core.words import plain
from surefoot.gate.trust import SELF_CHECK
from surefoot.io.labels import names_a_grader
from surefoot.report import history as reports
from surefoot.report import of
from surefoot.report.blocks import Items, Report, overridden
from surefoot.report.history import run_address
from surefoot.report.html import Site, page, policy
from surefoot.report.prose import plain_markdown, visible
from surefoot.services.calibrate import calibrate
from surefoot.services.council import council_scores
from surefoot.services.gate import GATE
from surefoot.services.gate import gate as decide
from surefoot.services.history import Archive, History, PastRun, Stamp, overview
from surefoot.services.looks import list_of
from surefoot.services.runs import Name, graders_of
from surefoot.services.runs import opened as opened_runs
from surefoot.store import Project, Run
from surefoot.web.forms import fields_of
from surefoot.web.looks import LookSession, Sent, name_of
from surefoot.web.pages import Pages, Words, body_of, checked_name, root_of, static, to
from surefoot.web.serve import opened

GUIDELINES = "guidelines.md"
_MENU = {"/": "Runs", "/looks": "Look at what differs", "/calibrations": "Calibrations", "/councils": "Councils"}
_MOST_PAGES = 40  # that are kept
_HEADERS = {"Content-Security-Policy": f"{policy(is_served=True)}; frame-ancestors 'none'"}
Make = Callable[[History, Mapping[str, str]], Report]


class OpenedLooks(Struct, frozen=True):
    """The look page, ready to be used."""

    url: str
    names: tuple[str, ...]
    db: str
    looked_at: int
    goal: int


class OpenedRuns(Struct, frozen=True):
    """The pages of a project, ready to be used."""

    url: str
    db: str
    runs: int


class _Lost(SurefootError):
    """An address that leads nowhere."""


def serve_looks(
    names: Sequence[Name], announce: Callable[[OpenedLooks], None], *, annotator: str | None, target: int | None,
    axes: Sequence[str], rubric: str | None, guidelines: Path | None, host: str, port: int | None, token: str | None,
    db: str | None, person: Person,
) -> None:  # fmt: skip
    """Serve the look page of two versions, or of one, until Ctrl-C. `announce` is called when it is ready."""

    def note(words: str) -> None:
        person.tell(f"note: {plain(words, 500)}")

    words = guidelines_in(guidelines)
    with opened_runs(names, db) as (project, runs), opened(host, port, token, person.tell) as door:
        name = checked_name(annotator)
        if name and any(names_a_grader(name, graders_of(run)) for run in runs):
            hint = "write the name of a person"
            raise UsageError(f"{name!r} is the name of a grader, and labels are by people", hint)
        looks = list_of(project, names, runs, target)
        chosen = _rubric(looks.runs[-1], rubric, note)
        session = LookSession(looks, chosen, fields_of(chosen, axes), project, db)
        for told in looks.notes:
            note(told)
        page = OpenedLooks(door.url, looks.names, project.name, session.progress(name).seen, session.goal)
        door.serve(LookPages(session, name, words).app(), lambda: announce(page))
        session.check()
        done = session.progress(name)
        of = "pairs that differ" if looks.is_of_two else "answers"
        note(f"{done.seen} of {done.goal} {of} looked at; the labels are in {project.name}")


def serve_runs(
    announce: Callable[[OpenedRuns], None], *, db: str | None, host: str, port: int | None, token: str | None,
    label: bool, person: Person,
) -> None:  # fmt: skip
    """Serve the runs of a project until Ctrl-C. `announce` is called when the pages are ready.

    They only read, unless people may `label` on them; a token of one's own lets whoever knows it label too.
    """
    archive = Archive(db)
    found = archive.read()  # what is wrong is said before a port is taken, and the first page is quick
    with opened(host, port, token, person.tell) as door, ExitStack() as opening:
        sessions = _Sessions(archive, opening) if label or token else None
        pages = OpenedRuns(door.url, found.project, len(found.runs))
        door.serve(app_for(archive, sessions), lambda: announce(pages))


def guidelines_in(given: Path | None = None) -> Markup | None:
    """How this project wants answers to be labelled: Markdown, from the file named or from one beside the work."""
    path = given or Path(GUIDELINES)
    if given is None and not path.is_file():
        return None
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the guidelines {printable(path)} cannot be read: {words_of(error)}", "write Markdown in UTF-8"
        ) from error
    return plain_markdown(visible(text)) if text.strip() else None


def _rubric(run: Run, given: str | None, note: Tell) -> rubrics.Rubric:
    """The rubric asked for, or the run's own; labels by another one could not be compared with its verdicts."""
    chosen = rubrics.read(given or run.manifest.rubric or rubrics.DEFAULT)
    if run.manifest.rubric_sha256 not in ("", chosen.sha256):
        note(f"the run was graded by another rubric than this {chosen.name}: the labels will not fit its verdicts")
    return chosen


class _Post(Struct):
    sending: str = ""
    settling: bool = False


class LookPages(Pages):
    """The look page: which address shows what."""

    def __init__(self, session: LookSession, annotator: str, guidelines: Markup | None) -> None:
        super().__init__(annotator)
        self._templates.filters["name"] = lambda who: called(who).removeprefix("settled by ") + " (AI)" * is_ai(who)
        self._session, self._guidelines = session, guidelines
        what = "two answers to a question" if session.looks.is_of_two else "one answer at a time"
        task = f"You will see {what}, with the passages behind them, and say which bucket each belongs in."
        self.words = Words(
            who="Who looks?", task=f"{task} What a grader thinks is shown only afterwards.", again="Go on looking",
            kept="It is kept with each of your labels. Use the same name each time.", option="--annotator",
            lost="What you looked at is kept.",
        )  # fmt: skip

    def app(self) -> ASGIApp:
        return self.app_of([
            Route("/", self.named(self._start)),
            Route("/looks/{name}", self.named(self._look)),
            Route("/settle/{name}", self.named(self._look)),
            Route("/settle", self.named(self._disputes)),
            Route("/done", self.named(self._done)),
            Route("/gate", lambda _: JSONResponse({"says": self._session.ask_gate()})),
            *(Route(path, self._act, methods=["POST"]) for path in ("/look", "/undo", "/more")),
        ])  # fmt: skip

    def _start(self, request: Request, person: str) -> Response:
        look = self._session.next_look(person)
        return to(request, f"/looks/{name_of(look.keys)}" if look else "/done")

    def _look(self, request: Request, person: str) -> Response:
        look = self._session.look_named(request.path_params["name"])
        if look is None:
            return self.lost(request, None)
        page = self._session.page(person, look, settling=_path(request).startswith("/settle"))
        if page is None:
            return to(request, "/settle")
        return self.shown(request, "look.html", page=page, guidelines=self._guidelines)

    def _disputes(self, request: Request, _person: str) -> Response:
        return self.shown(request, "settle.html", entries=self._session.disputes())

    def _done(self, request: Request, person: str) -> Response:
        return self.shown(request, "done.html", progress=self._session.progress(person))

    async def _act(self, request: Request) -> Response:
        """What the address says; the reply says where to go then."""
        person, path = self.known(request), _path(request)
        if path == "/look":
            sent = await body_of(request, Sent)
            return JSONResponse({"next": await run_in_threadpool(self._session.save, person, sent)})
        post = await body_of(request, _Post)
        if path == "/more":
            await run_in_threadpool(self._session.go_on)
            return JSONResponse({"next": "/"})
        undo = await run_in_threadpool(lambda: self._session.undo(person, post.sending, settling=post.settling))
        return JSONResponse({"next": undo})

    def shown(self, request: Request, template: str, code: int = 200, **more: object) -> Response:
        return super().shown(request, template, code, session=self._session, **more)


def _path(request: Request) -> str:
    return str(request.scope["path"]).removeprefix(root_of(request))


class _Sessions:
    """Look pages under addresses of their own, for whoever browses the runs and may label.

    One is opened when somebody first comes to it, and anew when its runs have changed.
    """

    def __init__(self, archive: Archive, opening: ExitStack) -> None:
        self._archive, self._opening, self._guidelines = archive, opening, guidelines_in()
        self._apps: dict[tuple[str, ...], tuple[Stamp, ASGIApp]] = {}
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["path_params"]
        try:
            app = await run_in_threadpool(self._app, tuple(asked[name] for name in ("base", "cand") if name in asked))
        except SurefootError as error:
            code = 404 if isinstance(error, UsageError) else 503
            app = PlainTextResponse(f"{error.message}\nhint: {error.hint}\n", code)
        await app(scope, receive, send)

    def _app(self, names: tuple[str, ...]) -> ASGIApp:
        with self._lock:
            stamp = tuple(one for one in self._archive.stamp() if not isinstance(one, tuple) or one[0] != "verdicts")
            kept = self._apps.get(names)
            if kept is None or kept[0] != stamp:
                project = self._opening.enter_context(Project.existing(self._archive.db))
                looks = list_of(project, names, [run for name in names for run in project.named(name)])
                rubric = _rubric(looks.runs[-1], None, NOBODY.tell)
                session = LookSession(looks, rubric, fields_of(rubric), project, self._archive.db)
                kept = self._apps[names] = stamp, LookPages(session, "", self._guidelines).app()
            return kept[1]


def app_for(archive: Archive, sessions: ASGIApp | None) -> ASGIApp:
    """Without `sessions` nobody can label on these pages."""
    pages = _Pages(archive)
    can_label = sessions is not None
    routes = [
        Route("/", pages.shown(lambda past, _: reports.report(past))),
        Route("/runs/{key:path}", pages.shown(pages.run)),
        Route("/compare", pages.shown(pages.comparison)),
        Route("/calibrations", pages.shown(lambda past, _: reports.calibrations(past))),
        Route("/calibrations/{key:path}", pages.shown(pages.calibration)),
        Route("/looks", pages.shown(lambda past, _: reports.looks(past, _usual_pair(past), can_label))),
        Route("/councils", pages.shown(lambda past, _: reports.councils(past))),
        Route("/councils/{key:path}", pages.shown(pages.council)),
        Route("/static/{name}", static),
        *([Mount("/pairs/{base}/{cand}", sessions), Mount("/answers/{base}", sessions)] if sessions else []),
    ]
    handlers: dict[Any, ExceptionHandler] = {
        404: _lost, 405: _lost, _Lost: _lost, SurefootError: _unreadable, Exception: _unreadable
    }  # fmt: skip
    return Starlette(routes=routes, exception_handlers=handlers)


class _Pages:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._kept: dict[str, tuple[Stamp, str]] = {}
        self._reading = threading.Lock()  # one page is made at a time: others wait rather than make it too

    def shown(self, make: Make) -> Callable[[Request], Response]:
        def reply(request: Request) -> Response:
            with self._reading:
                return _html(self._page(request, make))

        return reply

    def _page(self, request: Request, make: Make) -> str:
        address, stamp = f"{request.url.path}?{request.url.query}", self._archive.stamp()
        kept = self._kept.pop(address, None)
        if kept is None or kept[0] != stamp:
            past = self._archive.read()
            asked = {**request.query_params, **request.path_params}
            kept = stamp, page(make(past, asked), _site(past, request.url.path, asked))
        self._kept[address] = kept  # the last one asked for is the last to go
        for old in list(self._kept)[:-_MOST_PAGES]:
            del self._kept[old]
        return kept[1]

    def run(self, past: History, asked: Mapping[str, str]) -> Report:
        return of(overview(_known(past, asked["key"]), db=self._archive.db))

    def comparison(self, past: History, asked: Mapping[str, str]) -> Report:
        if not (asked.get("baseline") and asked.get("candidate")):
            return reports.unreadable("Surefoot decision", "Choose a baseline and a candidate.")
        sides = [_known(past, asked[side]) for side in ("baseline", "candidate")]
        gate, uncalibrated, by = _rules(past)
        made = of(decide(*sides, gate=gate, uncalibrated=uncalibrated, db=self._archive.db, keep=False, person=NOBODY))
        note = f"decided for this page alone, by {by} and all labels there are"
        return replace(made, summary=(*made.summary, Items([note], "quiet")))

    def calibration(self, past: History, asked: Mapping[str, str]) -> Report:
        return of(calibrate(_known(past, asked["key"]), db=self._archive.db, person=NOBODY))

    def council(self, past: History, asked: Mapping[str, str]) -> Report:
        runs = past.councils.get(asked["key"])
        if runs is None:
            raise _Lost(f"no council sat under {asked['key'][:100]!r}")
        found = council_scores(*(run.name for run in runs), db=self._archive.db)
        return of(found, links={run.name: run_address(run) for run in runs})


def _rules(past: History) -> tuple[dict[str, str] | None, bool, str]:
    """Those that the project decided by last, else the usual ones; whether its verdicts were taken for the truth."""
    last = next((step for step in past.decisions if step.mode == CHANGE), None)
    found: Any = last.document.get("rules", ()) if last else ()
    rules = {rule["name"]: rule["rule"] for rule in found if rule["name"] != SELF_CHECK}
    if last is None or not rules:
        return None, False, f"the rules of the gate {GATE}"
    by = f"the rules of the last decision ({last.at[:10]}: {last.outcome} of {last.release})"
    by += f", which were not as the gate file has it: {overridden(last.overridden)}," if last.overridden else ""
    by += ", without what was waived there," if last.waived else ""
    return rules, last.uncalibrated, by


def _lost(_: Request, error: Exception) -> Response:
    message = error.message if isinstance(error, _Lost) else "this address leads nowhere"
    report = reports.unreadable("There is no such page", message, "all runs are on the first page")
    return _html(page(report, Site(_MENU)), 404)


def _unreadable(_: Request, error: Exception) -> Response:
    """What cannot be read is said on the page; a fault of ours also where the server was started."""
    if isinstance(error, SurefootError):
        return _html(page(reports.unreadable("This cannot be shown", error.message, error.hint), Site(_MENU)))
    print(f"error: {words_of(error)}", file=sys.stderr)  # noqa: T201
    return _html(page(reports.unreadable("This cannot be shown", words_of(error)), Site(_MENU)), 500)


def _html(text: str, code: int = 200) -> Response:
    return HTMLResponse(text, code, headers=_HEADERS)


def _site(past: History, path: str, asked: Mapping[str, str]) -> Site:
    runs = {one.key: _called(one) for one in past.runs if one.measured}
    here = next((address for address in reversed(_MENU) if path.startswith(address)), "")
    base, cand = _usual_pair(past)
    key = asked.get("key", base)
    compared = asked.get("baseline", base), asked.get("candidate", key if key in runs and key != base else cand)
    return Site(_MENU, here if path == here or here != "/" else "", runs, compared)


def _usual_pair(past: History) -> tuple[str, str]:
    """The last that was decided on; else the baseline, or the oldest, and the newest beside it."""
    if last := past.last_change:
        return last[1].key, last[2].key
    keys = [one.key for one in past.runs if one.measured]
    base = past.baseline.key if past.baseline else next(reversed(keys), "")
    return base, next((key for key in keys if key != base), "")


def _called(run: PastRun) -> str:
    return run.name if run.version in ("", run.name) else f"{run.name} ({run.version})"


def _run(past: History, key: str) -> PastRun:
    found = past.run(key)
    if found is None:
        raise _Lost(f"no run is called {key[:100]!r}")
    return found


def _known(past: History, key: str) -> str:
    """The id of a run that can be shown; if it cannot, its problem says why."""
    found = _run(past, key)
    if found.problem:
        raise UsageError(f"{found.name}: {found.problem}")
    return found.name
