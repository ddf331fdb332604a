"""The web app, of three tabs: the runs of a project, answers to look at, questions to review.

Each command shows the tabs that it has something for. A page of runs only reads, and is made anew when the project has
changed since it was made.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from surefoot.core import rubric as rubrics
from surefoot.core.errors import SurefootError, UsageError, words_of
from surefoot.core.files import printable
from surefoot.core.records import where
from surefoot.core.result import NOBODY, Person, Tell
from surefoot.core.types import counted, plain
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.question_file import QuestionFile
from surefoot.io.labels import names_a_grader
from surefoot.io.questions import ACCEPTED, PROPOSED, REJECTED
from surefoot.jobs.calibrate import calibrate
from surefoot.jobs.council import council_scores
from surefoot.jobs.gate import gate as decide
from surefoot.jobs.looks import list_of
from surefoot.jobs.overview import History, PastRun, Stamp, history, overview, stamp
from surefoot.jobs.runs import Name, graders_of
from surefoot.jobs.runs import opened as opened_runs
from surefoot.report import history as reports
from surefoot.report import of
from surefoot.report.blocks import Headline, Items, Report, Span
from surefoot.report.history import run_address
from surefoot.report.html import Site, page, policy
from surefoot.report.prose import rendered, visible
from surefoot.store import Project, Run
from surefoot.web.forms import fields_of
from surefoot.web.looks import Looks
from surefoot.web.pages import Pages, checked_name, static
from surefoot.web.questions import Questions
from surefoot.web.serve import opened

GUIDELINES = "guidelines.md"
_RUNS, _LOOK, _LOOKS, _QUESTIONS = "/", "/looks/", "/looks", "/questions/"
_TABS = {_RUNS: "Runs", _LOOK: "Look", _LOOKS: "Look", _QUESTIONS: "Questions"}
_MOST_PAGES = 40  # that are kept
_HEADERS = {"Content-Security-Policy": f"{policy(is_served=True)}; frame-ancestors 'none'"}
Make = Callable[[History, Mapping[str, str]], Report]


Opened = dict[str, Any]  # the app, ready to be used: its `url`, and how far people have come


class _Lost(SurefootError):
    """An address that leads nowhere."""


def serve_looks(
    names: Sequence[Name], announce: Callable[[Opened], None], *, annotator: str | None, target: int | None,
    axes: Sequence[str], rubric: str | None, guidelines: Path | None, host: str, port: int | None, token: str | None,
    db: str | None, person: Person,
) -> None:  # fmt: skip
    """Serve two versions, or one, to be looked at until Ctrl-C. `announce` is called when the page is ready.

    Whoever comes by a token is there to label, and sees no runs.
    """

    def note(words: str) -> None:
        person.tell(f"note: {plain(words, 500)}")

    with opened_runs(names, db) as (project, runs), opened(host, port, token, person.tell) as door:
        name = checked_name(annotator)
        if name and any(names_a_grader(name, graders_of(run)) for run in runs):
            hint = "write the name of a person"
            raise UsageError(f"{name!r} is the name of a grader, and labels are by people", hint)
        looks = list_of(project, names, runs, target)
        chosen = _rubric(looks.runs[-1], rubric, note)
        queue = Looks(looks, chosen, fields_of(chosen, axes), project, db, guidelines_in(guidelines))
        for told in looks.notes:
            note(told)
        browsed = where(db) if door.token is None else None
        tabs = _tabs(_RUNS if browsed else "", _LOOK)
        work = Pages(queue, name, tabs, _LOOK).app()
        seen = queue.progress(name).seen
        ready = Opened(url=door.url(_LOOK), db=project.name, names=looks.names, looked_at=seen, goal=queue.goal)
        door.serve(app_for(tabs, browsed, {_LOOK: work}), lambda: announce(ready))
        queue.check()
        done = queue.progress(name)
        what = "pairs that differ" if looks.is_of_two else "answers"
        note(f"{done.seen} of {done.goal} {what} looked at; the labels are in {project.name}")


def serve_runs(
    announce: Callable[[Opened], None], *, db: str | None, host: str, port: int | None, token: str | None,
    label: bool, questions: tuple[Path, Path] | None, person: Person,
) -> None:  # fmt: skip
    """Serve the runs of a project until Ctrl-C. `announce` is called when the pages are ready.

    They only read, unless people may `label` on them; a token of one's own lets whoever knows it label too. With a
    question file and its corpus, questions can be reviewed.
    """
    place = where(db)
    found = _past(place, stamp(place))  # what is wrong is said before a port is taken, and the first page is quick
    tabs, review = _tabs(_RUNS, _LOOKS, _QUESTIONS if questions else ""), dict[str, ASGIApp]()
    if questions:
        queue = Questions(QuestionFile(questions[0]), load_corpus(questions[1], tell=person.tell))
        review = {_QUESTIONS: Pages(queue, "", tabs, _QUESTIONS).app()}
    with opened(host, port, token, person.tell) as door, ExitStack() as opening:
        sessions = _Sessions(place, opening, tabs) if label or token else None
        work = {"/pairs/{base}/{cand}": sessions, "/answers/{base}": sessions} if sessions else {}
        ready = Opened(url=door.url(_RUNS), db=found.project, runs=len(found.runs))
        door.serve(app_for(tabs, place, {**review, **work}), lambda: announce(ready))


def serve_questions(
    file: Path, announce: Callable[[Opened], None], *, corpus: Path, name: str | None, host: str, port: int | None,
    token: str | None, person: Person,
) -> None:  # fmt: skip
    """Serve the questions of a file to be reviewed until Ctrl-C. `announce` is called when the page is ready."""
    named, tabs = checked_name(name), _tabs(_QUESTIONS)
    with opened(host, port, token, person.tell) as door:
        queue = Questions(QuestionFile(file), load_corpus(corpus, tell=person.tell))
        total, left = queue.counts().total(), queue.counts()[PROPOSED]
        ready = Opened(url=door.url(_QUESTIONS), file=str(file), reviewed=total - left, total=total)
        work = Pages(queue, named, tabs, _QUESTIONS).app()
        door.serve(app_for(tabs, None, {_QUESTIONS: work}), lambda: announce(ready))
    counts = queue.counts()
    told = f"{counts[ACCEPTED]} accepted, {counts[REJECTED]} rejected, {counted(counts[PROPOSED], 'question')} left"
    person.tell(f"note: {told}; all is in {file}")


def _tabs(*addresses: str) -> dict[str, str]:
    return {address: _TABS[address] for address in addresses if address}


def guidelines_in(given: Path | None = None) -> Markup | None:
    """How this project wants answers to be labelled: Markdown, from the file named or from one beside the work."""
    path = given or Path(GUIDELINES)
    if given is None and not path.is_file():
        return None
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = f"the guidelines {printable(path)} cannot be read: {words_of(error)}"
        raise UsageError(message, "write Markdown in UTF-8") from error
    return rendered(visible(text)) if text.strip() else None


def _rubric(run: Run, given: str | None, note: Tell) -> rubrics.Rubric:
    """The rubric asked for, or the run's own; labels by another one could not be compared with its verdicts."""
    chosen = rubrics.read(given or run.manifest.rubric or rubrics.DEFAULT)
    if run.manifest.rubric_sha256 not in ("", chosen.sha256):
        note(f"the run was graded by another rubric than this {chosen.name}: the labels will not fit its verdicts")
    return chosen


class _Sessions:
    """Look pages under addresses of their own, for whoever browses the runs and may label.

    One is opened when somebody first comes to it, and anew when its runs have changed.
    """

    def __init__(self, db: str, opening: ExitStack, tabs: Mapping[str, str]) -> None:
        self._db, self._opening, self._tabs, self._guidelines = db, opening, tabs, guidelines_in()
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
            now = tuple(one for one in stamp(self._db) if not isinstance(one, tuple) or one[0] != "verdicts")
            kept = self._apps.get(names)
            if kept is None or kept[0] != now:
                project = self._opening.enter_context(Project.existing(self._db))
                looks = list_of(project, names, [run for name in names for run in project.named(name)])
                rubric = _rubric(looks.runs[-1], None, NOBODY.tell)
                queue = Looks(looks, rubric, fields_of(rubric), project, self._db, self._guidelines)
                kept = self._apps[names] = now, Pages(queue, "", self._tabs, _LOOKS).app()
            return kept[1]


def app_for(tabs: Mapping[str, str], db: str | None, work: Mapping[str, ASGIApp]) -> ASGIApp:
    """The runs of a project, if one is to be browsed, and what people work on, by its address."""
    routes: list[BaseRoute] = [Route("/static/{name}", static)]
    routes += [Mount(address.rstrip("/"), app) for address, app in work.items()]
    home = [Route("/", lambda _: RedirectResponse(next(iter(tabs)), 303))]
    routes += _Runs(tabs, db, any(isinstance(one, _Sessions) for one in work.values())).routes() if db else home
    handlers: dict[Any, ExceptionHandler] = dict.fromkeys(
        (404, 405, SurefootError, Exception), lambda _, error: _reply(tabs, error)
    )
    return Starlette(routes=routes, exception_handlers=handlers)


@lru_cache(maxsize=1)
def _past(db: str, _stamp: Stamp) -> History:
    """Read anew when something about the project has changed."""
    return history(db)


class _Runs:
    """The tab of runs, and the list of what to look at."""

    def __init__(self, tabs: Mapping[str, str], db: str, can_label: bool) -> None:
        self._tabs, self._db, self._can_label = tabs, db, can_label
        self._made = lru_cache(maxsize=_MOST_PAGES)(self._make)
        self._reading = threading.Lock()  # one page is made at a time: others wait rather than make it too

    def routes(self) -> list[Route]:
        made: dict[str, Make] = {
            "/": lambda past, _: reports.report(past),
            "/runs/{key:path}": self.run,
            "/compare": self.comparison,
            "/calibrations/{key:path}": self.calibration,
            "/councils/{key:path}": self.council,
        }
        if _LOOKS in self._tabs:
            made[_LOOKS] = lambda past, _: reports.looks(past, self._can_label)
        return [Route(address, self._shown(make)) for address, make in made.items()]

    def _shown(self, make: Make) -> Callable[[Request], Response]:
        def reply(request: Request) -> Response:
            asked = {**request.query_params, **request.path_params}
            with self._reading:
                return _html(self._made(make, request.url.path, tuple(asked.items()), stamp(self._db)))

        return reply

    def _make(self, make: Make, path: str, given: tuple[tuple[str, str], ...], now: Stamp) -> str:
        past, asked = _past(self._db, now), dict(given)
        return page(make(past, asked), self._site(past, path, asked))

    def run(self, past: History, asked: Mapping[str, str]) -> Report:
        return of(overview(_known(past, asked["key"]).name, db=self._db))

    def comparison(self, past: History, asked: Mapping[str, str]) -> Report:
        if not (asked.get("baseline") and asked.get("candidate")):
            return _told("Surefoot decision", "Choose a baseline and a candidate.")
        sides = [_known(past, asked[side]).name for side in ("baseline", "candidate")]
        gate, uncalibrated, by = reports.rules_of(past)
        made = of(decide(*sides, gate=gate, uncalibrated=uncalibrated, db=self._db, keep=False, person=NOBODY))
        note = f"decided for this page alone, by {by} and all labels there are"
        return replace(made, summary=(*made.summary, Items([note], "quiet")))

    def calibration(self, past: History, asked: Mapping[str, str]) -> Report:
        return of(calibrate(_known(past, asked["key"]).name, db=self._db, person=NOBODY))

    def council(self, past: History, asked: Mapping[str, str]) -> Report:
        review = _known(past, asked["key"]).council_review
        runs = [run.name for run in past.runs if review and run.council_review == review]
        if not runs:
            raise _Lost(f"no council scored {asked['key'][:100]!r}")
        return of(council_scores(*runs, db=self._db), links={name: run_address(name) for name in runs})

    def _site(self, past: History, path: str, asked: Mapping[str, str]) -> Site:
        runs = {one.name: one.name + f" ({one.version})" * (one.version not in ("", one.name))
                for one in past.runs if one.overview}  # fmt: skip
        base, cand = past.usual_pair
        key = asked.get("key", base)
        compared = asked.get("baseline", base), asked.get("candidate", key if key in runs and key != base else cand)
        return Site(self._tabs, _LOOKS if path == _LOOKS else _RUNS, runs, compared)


def _told(title: str, message: str, hint: str = "") -> Report:
    """What a page says where there is nothing to show."""
    lines = (Span(message, "strong"), hint and f"hint: {hint}")
    return Report(title, (Headline("", tuple(filter(None, lines))),), ())


def _reply(tabs: Mapping[str, str], error: Exception) -> Response:
    """What is not there, or cannot be read, is said on the page; a fault of ours also where the server was started."""
    if isinstance(error, (_Lost, HTTPException)):
        message = error.message if isinstance(error, _Lost) else "this address leads nowhere"
        return _html(page(_told("There is no such page", message, "choose a tab above"), Site(tabs)), 404)
    is_told = isinstance(error, SurefootError)
    words = (error.message, error.hint) if isinstance(error, SurefootError) else (words_of(error),)
    if not is_told:
        print(f"error: {words[0]}", file=sys.stderr)  # noqa: T201
    return _html(page(_told("This cannot be shown", *words), Site(tabs)), 200 if is_told else 500)


def _html(text: str, code: int = 200) -> Response:
    return HTMLResponse(text, code, headers=_HEADERS)


def _known(past: History, key: str) -> PastRun:
    """A run that can be shown; if it cannot, its problem says why."""
    found = past.run(key)
    if found is None:
        raise _Lost(f"no run is called {key[:100]!r}")
    if found.problem:
        raise UsageError(f"{found.name}: {found.problem}")
    return found
