"""The label pages of runs under addresses of their own, for whoever browses the runs and may label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from surefoot.errors import SurefootError
from surefoot.label.app import app_for
from surefoot.label.server import desk_of, guidelines_in
from surefoot.ledger import Ledger
from surefoot.services.history import Archive, Stamp, stamp_of


class _Desk(NamedTuple):
    run: Path
    stamp: Stamp
    app: ASGIApp


class Desks:
    """A desk is set up when somebody first comes to it, and anew when its run or the decision on it has changed."""

    def __init__(self, archive: Archive, opened: ExitStack) -> None:
        self._archive, self._opened, self._guidelines = archive, opened, guidelines_in()
        self._apps: dict[str, _Desk] = {}
        self._setting_up = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            app = await run_in_threadpool(self._app, scope["path_params"]["key"])
        except SurefootError as error:
            app = PlainTextResponse(f"{error.message}\nhint: {error.hint}\n", 503)
        await app(scope, receive, send)

    def _app(self, key: str) -> ASGIApp:
        with self._setting_up:
            kept = self._apps.get(key)
            if kept is None or stamp_of(kept.run) != kept.stamp:
                run = self._archive.read().found.run(key)
                if run is None or not run.folder:
                    return PlainTextResponse("there is no such run to label\n", 404)
                kept = self._apps[key] = self._set_up(Path(run.folder))
            return kept.app

    def _set_up(self, run: Path) -> _Desk:
        book = self._opened.enter_context(Ledger.open(self._archive.place))
        return _Desk(run, stamp_of(run), app_for(desk_of(run, book), guidelines=self._guidelines))


@contextmanager
def desks_of(archive: Archive) -> Iterator[Desks]:
    with ExitStack() as opened:
        yield Desks(archive, opened)
