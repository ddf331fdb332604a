"""Where output goes: files that may be written, and a stdout whose reader may be gone.

`surefoot score ... | head` still ends with the decision's code.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from surefoot.errors import ExitCode
from surefoot.records import where
from surefoot.services import targets
from surefoot.services.result import Result

if TYPE_CHECKING:
    from rich.console import Console


def say(line: str) -> None:
    """To the person, not into the output."""
    click.echo(line, err=True)


def print_json(value: object) -> None:
    """On one line."""
    click.echo(msgspec.json.encode(value).decode())


def finish(result: Result, as_json: bool, show: Callable[[], object]) -> ExitCode:
    """The end of a command: what it found, as JSON or as `show` prints it, and the exit code."""
    with quiet_if_nobody_reads():
        if as_json:
            print_json(result.to_json())
        else:
            show()
    return result.exit_code


def console() -> Console:
    """A console for this terminal, or of a fixed width where there is none."""
    from rich.console import Console  # noqa: PLC0415 - half of a start-up, and --json needs none

    made = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    made.on_broken_pipe = _raise_broken_pipe  # type: ignore[method-assign]
    return made


def check_outputs(names: Iterable[str | Path], options: Collection[str]) -> None:
    """`options` are those of the command at hand that give `names`; the others may name inputs."""
    context = click.get_current_context(silent=True)
    given = {key: value for key, value in context.params.items() if key not in options} if context else {}
    several = (value if isinstance(value, tuple) else (value,) for value in given.values())
    inputs = [one for values in several for one in values if isinstance(one, (str, Path)) and one]
    database = where(given["db"]) if "db" in given else ""
    targets.check_outputs(names, inputs, targets.files_of(database))


@contextlib.contextmanager
def quiet_if_nobody_reads() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _raise_broken_pipe() -> None:
    raise BrokenPipeError
