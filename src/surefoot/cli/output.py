"""Printing that survives a reader who has gone: `surefoot score ... | head` still ends with the decision's code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console


def say(line: str) -> None:
    """To the person, not into the output."""
    click.echo(line, err=True)


def console() -> Console:
    """A console for this terminal, or of a fixed width where there is none."""
    from rich.console import Console

    made = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    made.on_broken_pipe = _raise_broken_pipe  # type: ignore[method-assign]
    return made


@contextlib.contextmanager
def quiet_if_nobody_reads() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _raise_broken_pipe() -> None:
    raise BrokenPipeError
