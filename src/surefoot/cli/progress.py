"""How far the asking has come, on stderr."""

from __future__ import annotations

import sys
import time

import click

from surefoot.report.words import counted
from surefoot.types import Trace


class Progress:
    """A rewritten line for a person, a plain one every ten seconds for a log."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._errors = total, 0, 0
        self._start = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()

    def count(self, trace: Trace) -> None:
        self._done += 1
        self._errors += trace.error is not None
        now = time.monotonic()
        if now - self._shown >= (0.2 if self._watched else 10):
            self._shown = now
            rate = self._done / (now - self._start)
            left = (self._total - self._done) / rate
            errors = counted(self._errors, "error")
            line = f"{self._done}/{self._total} asked, {errors}, {rate:,.1f}/s, {left:,.0f} s left"
            click.echo(f"\r\033[K{line}" if self._watched else line, nl=not self._watched, err=True)

    def close(self) -> None:
        if self._watched:
            click.echo("\r\033[K", nl=False, err=True)
