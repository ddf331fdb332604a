"""The person at the terminal: reads stderr, sees how far the work has come, and agrees before money is spent."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Sequence

import click

from surefoot.report.words import counted, plain
from surefoot.services.result import Failing, Person, Watch

_NOT_ASKED = "not asked: "
_HOW_LONG = re.compile(r" \(given up after [^()]*\)$")
_NUMBERED = re.compile(r"\S*\d\S*")
_STATUS = len("HTTP 404")
_MOST_CAUSES = 5
_REPLIES = "replies"


class Progress(Watch):
    """A rewritten line for a person, a plain one every ten seconds for a log; a sign of life while nothing comes."""

    def __init__(self, total: int | None, of: str) -> None:
        self._total, self._of, self._done, self._errors = total, of, 0, 0
        self._share: float | None = None  # of the work, where the total is not known in numbers
        self._start = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()
        self._closed, self._guard = threading.Event(), threading.Lock()
        if of == _REPLIES:  # of models, which may take minutes; other work forks, and threads do not go with that
            threading.Thread(target=self._live, daemon=True).start()

    def count(self, one: Failing) -> None:
        self._errors += bool(one.error)
        self.reach(self._done + 1)

    def reach(self, done: int, share: float | None = None) -> None:
        """So many are done, and this share of the work."""
        self._done, self._share = done, share
        self._show(0.2 if self._watched else 10)

    def _live(self) -> None:
        while not self._closed.wait(1):
            self._show(1 if self._watched else 60)

    def _show(self, after: float) -> None:
        with self._guard:
            now = time.monotonic()
            if self._closed.is_set() or now - self._shown < after:
                return
            self._shown = now
            line = self._line(now - self._start)
            click.echo(f"\r\033[K{line}" if self._watched else line, nl=not self._watched, err=True)

    def _line(self, seconds: float) -> str:
        rate = self._done / seconds
        if self._total is None:
            left = f", {self._share:.0%}, {seconds * (1 / self._share - 1):,.0f} s left" if self._share else ""
            return f"{self._done:,} {self._of}, {rate:,.0f}/s{left}"
        done = f"{self._done}/{self._total} {self._of}, {counted(self._errors, 'error')}"
        if not self._done:
            return f"{done}, {seconds:,.0f} s"
        one = "s per reply" if self._of == _REPLIES else "s each"
        pace = f"{rate:,.1f}/s" if rate >= 1 else f"{1 / rate:,.1f} {one}"
        return f"{done}, {pace}, {(self._total - self._done) / rate:,.0f} s left"

    def close(self) -> None:
        with self._guard:
            self._closed.set()
        if self._watched:
            click.echo("\r\033[K", nl=False, err=True)


class AtTerminal(Person):
    def tell(self, line: str) -> None:
        click.echo(plain(line, 2_000), err=True)

    def tell_causes(self, causes: Sequence[tuple[str, str]]) -> None:
        """At the end of the command, behind all that followed from them: there they are seen."""
        if context := click.get_current_context(silent=True):
            context.call_on_close(lambda: show_causes(causes))
        else:
            show_causes(causes)

    def agrees(self) -> bool:
        """Nobody is asked who is not there."""
        watched = sys.stdin.isatty() and sys.stderr.isatty()
        return not watched or click.confirm("Go on?", default=True, err=True)

    def watch(self, total: int | None, of: str) -> Watch:
        return Progress(total, of)


PERSON = AtTerminal()


def show_causes(causes: Sequence[tuple[str, str]]) -> None:
    """Why something was not answered, each with a hint: once in a command, and no more than a few."""
    context = click.get_current_context(silent=True)
    shown: set[str] = context.meta.setdefault(__name__, set()) if context else set()
    new: dict[str, tuple[str, str]] = {}
    for cause, hint in causes:
        if (kind := _kind(cause)) not in shown:
            new.setdefault(kind, (cause, hint))
    shown.update(new)
    for cause, hint in list(new.values())[:_MOST_CAUSES]:
        click.echo(plain(f"error: {cause.removeprefix(_NOT_ASKED)}", 500), err=True)
        if hint and hint not in shown:
            click.echo(plain(f"hint: {hint}", 500), err=True)
        shown.add(hint)
    if len(new) > _MOST_CAUSES:
        click.echo(f"and {counted(len(new) - _MOST_CAUSES, 'other error')}", err=True)


def bare_cause(error: str) -> str:
    """Without how long it took to find out."""
    return _HOW_LONG.sub("", error.removeprefix(_NOT_ASKED))


def _kind(cause: str) -> str:
    """Errors of one kind differ only in times, counts and ids; the HTTP status comes first, and is no such number."""
    why = bare_cause(cause)
    return why[:_STATUS] + _NUMBERED.sub("", why[_STATUS:])
