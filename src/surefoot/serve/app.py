"""The runs of a project as a web app: which address shows which report. It only reads, but for the desks of labels.

A page is made anew when the project has changed since it was made.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, ExceptionHandler

from surefoot.core.errors import SurefootError, UsageError, words_of
from surefoot.core.records import CHANGE
from surefoot.core.result import NOBODY, Person
is_rule = None
MARGIN=GateFile=None
from surefoot.report import history as reports
from surefoot.report import of
from surefoot.report.blocks import Items, Report, overridden
from surefoot.report.history import run_address
from surefoot.report.html import Site, page, policy
from surefoot.serve.desks import Desks, desks_of
from surefoot.services.calibrate import calibrate
from surefoot.services.council_scores import council_scores
from surefoot.services.gate import GATE
from surefoot.services.gate import gate as decide
from surefoot.services.history import Archive, History, PastRun, Stamp
from surefoot.services.label_queue import label_queue
from surefoot.services.overview import overview
from surefoot.web.pages import static
from surefoot.web.serve import opened

_MENU = {"/": "Runs", "/calibrations": "Calibrations", "/labels": "Labels", "/councils": "Councils"}
_MOST_PAGES = 40  # that are kept
_HEADERS = {"Content-Security-Policy": f"{policy(is_served=True)}; frame-ancestors 'none'"}
Make = Callable[[History, Mapping[str, str]], Report]


class Opened(Struct, frozen=True):
    """The pages, ready to be used."""

    url: str
    db: str
    runs: int


class _Lost(SurefootError):
    """An address that leads nowhere."""


def serve_history(
    announce: Callable[[Opened], None],
    *,
    db: str | None,
    host: str,
    port: int | None,
    token: str | None,
    label: bool,
    person: Person,
) -> None:
    """Serve the runs of a project until Ctrl-C. `announce` is called when the pages are ready.

    They only read, unless people may `label` on them; a token of one's own lets whoever knows it label too.
    """
    archive = Archive(db)
    found = archive.read()  # what is wrong is said before a port is taken, and the first page is quick
    with (
        opened(host, port, token, person.tell) as door,
        desks_of(archive) if label or token else nullcontext() as desks,
    ):
        pages = Opened(door.url, found.project, len(found.runs))
        door.serve(app_for(archive, desks), lambda: announce(pages))


def app_for(archive: Archive, desks: Desks | None) -> ASGIApp:
    """Without `desks` nobody can label on these pages."""
    pages = _Pages(archive)
    can_label = desks is not None
    routes = [
        Route("/", pages.shown(lambda past, _: reports.report(past))),
        Route("/runs/{key:path}", pages.shown(pages.run)),
        Route("/compare", pages.shown(pages.comparison)),
        Route("/calibrations", pages.shown(lambda past, _: reports.calibrations(past))),
        Route("/calibrations/{key:path}", pages.shown(pages.calibration)),
        Route("/labels", pages.shown(lambda past, _: reports.labels(past, can_label))),
        Route("/labels/{key:path}", pages.shown(partial(pages.queue, can_label=can_label))),
        Route("/councils", pages.shown(lambda past, _: reports.councils(past))),
        Route("/councils/{key:path}", pages.shown(pages.council)),
        Route("/static/{name}", static),
        *([Mount("/label/{key}", desks)] if desks else []),
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
            return reports.unreadable("Surefoot comparison", "Choose a baseline and a candidate.")
        sides = [_known(past, asked[side]) for side in ("baseline", "candidate")]
        gate, uncalibrated, by = _rules(past)
        made = of(decide(*sides, gate=gate, uncalibrated=uncalibrated, db=self._archive.db, keep=False, person=NOBODY))
        note = f"decided for this page alone, by {by} and all labels there are"
        return replace(made, summary=(*made.summary, Items([note], "quiet")))

    def calibration(self, past: History, asked: Mapping[str, str]) -> Report:
        return of(calibrate(_known(past, asked["key"]), db=self._archive.db, person=NOBODY))

    def queue(self, past: History, asked: Mapping[str, str], can_label: bool) -> Report:
        waiting = label_queue(_known(past, asked["key"]), db=self._archive.db)
        return reports.queue(_run(past, asked["key"]), waiting.rows, waiting.notes, can_label)

    def council(self, past: History, asked: Mapping[str, str]) -> Report:
        runs = past.councils.get(asked["key"])
        if runs is None:
            raise _Lost(f"no council sat under {asked['key'][:100]!r}")
        found = council_scores(*(run.name for run in runs), db=self._archive.db)
        return of(found, links={run.name: run_address(run) for run in runs})


def _rules(past: History) -> tuple[GateFile | None, bool, str]:
    """Those that the project decided by last, else the usual ones; whether its verdicts were taken for the truth."""
    last = next((step for step in past.decisions if step.mode == CHANGE), None)
    checks: Any = last.document.get("checks", ()) if last else ()
    rules = {check["name"]: check["rule"] for check in checks if is_rule(check["rule"])}
    if last is None or not rules:
        return None, False, f"the rules of the gate {GATE}"
    by = f"the rules of the last decision ({last.at[:10]}: {last.outcome} of {last.release})"
    by += f", which were not as the gate file has it: {overridden(last.overridden)}," if last.overridden else ""
    by += ", without what was waived there," if last.waived else ""
    margin: Any = last.document.get("margin")
    return GateFile(rules, MARGIN if margin is None else margin), last.uncalibrated, by


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
    base, cand = _usual_pair(past, list(runs))
    key = asked.get("key", base)
    compared = asked.get("baseline", base), asked.get("candidate", key if key in runs and key != base else cand)
    return Site(_MENU, here if path == here or here != "/" else "", runs, compared)


def _usual_pair(past: History, keys: Sequence[str]) -> tuple[str, str]:
    """The last that was decided on; else the baseline, or the oldest, and the newest beside it."""
    if last := past.last_change:
        return last[1].key, last[2].key
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
