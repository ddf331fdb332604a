"""The label pages of runs under addresses of their own, for whoever browses the runs and may label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from surefoot.core.errors import SurefootError
from surefoot.label.app import app_for
from surefoot.label.server import desk_of, guidelines_in
from surefoot.services.history import Archive, Stamp
from surefoot.store import Project


class _Desk(NamedTuple):
    stamp: Stamp  # of all but the labels, which a desk reads itself
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
            stamp = tuple(one for one in self._archive.stamp() if not isinstance(one, tuple) or one[0] != "verdicts")
            kept = self._apps.get(key)
            if kept is None or kept.stamp != stamp:
                project = self._opened.enter_context(Project.existing(self._archive.db))
                if (run := project.run(key)) is None:
                    return PlainTextResponse("there is no such run to label\n", 404)
                app = app_for(desk_of(run, project), guidelines=self._guidelines)
                kept = self._apps[key] = _Desk(stamp, app)
            return kept.app


@contextmanager
def desks_of(archive: Archive) -> Iterator[Desks]:
    with ExitStack() as opened:
        yield Desks(archive, opened)
