"""The person at the terminal: told on stderr, shown how far the work has come, and asked before money is spent."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import click

from surefoot.cli.model_options import tell_causes_last
from surefoot.report.words import counted, plain
from surefoot.services.result import Failing, Person, Watch


class Progress(Watch):
    """A rewritten line for a person, a plain one every ten seconds for a log."""

    def __init__(self, total: int, of: str) -> None:
        self._total, self._of, self._done, self._errors = total, of, 0, 0
        self._start = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()

    def count(self, one: Failing) -> None:
        self._done += 1
        self._errors += bool(one.error)
        now = time.monotonic()
        if now - self._shown >= (0.2 if self._watched else 10):
            self._shown = now
            rate = self._done / (now - self._start)
            left = (self._total - self._done) / rate
            errors = counted(self._errors, "error")
            line = f"{self._done}/{self._total} {self._of}, {errors}, {rate:,.1f}/s, {left:,.0f} s left"
            click.echo(f"\r\033[K{line}" if self._watched else line, nl=not self._watched, err=True)

    def close(self) -> None:
        if self._watched:
            click.echo("\r\033[K", nl=False, err=True)


class AtTerminal(Person):
    def tell(self, line: str) -> None:
        click.echo(plain(line, 2_000), err=True)

    def tell_causes(self, causes: Sequence[tuple[str, str]]) -> None:
        tell_causes_last(causes)

    def agrees(self) -> bool:
        """Nobody is asked who is not there."""
        watched = sys.stdin.isatty() and sys.stderr.isatty()
        return not watched or click.confirm("Go on?", default=True, err=True)

    def watch(self, total: int, of: str) -> Watch:
        return Progress(total, of)


PERSON = AtTerminal()
