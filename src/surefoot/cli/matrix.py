"""surefoot matrix"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import (
    cache_option,
    chat_options,
    concurrency_option,
    db_option,
    json_option,
    retries_option,
    timeout_option,
    yes_option,
)
from surefoot.cli.output import PERSON, check_outputs, console, finish, say
from surefoot.pipelines.specs import Asking
from surefoot.report import terminal
from surefoot.services.graders import Terms
from surefoot.services.matrix import REPORTS, MatrixResult
from surefoot.services.matrix import matrix as run_cells

_INTERRUPTED = 130


@click.command(epilog="Example: surefoot matrix licence.toml")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the reports. [default: matrix-NAME]"
)
@concurrency_option
@timeout_option
@retries_option
@chat_options
@cache_option
@yes_option
@db_option
@json_option()
def matrix(file: Path, out: Path | None, db: str | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Run pipelines x models x prompts over one question set, and say what each of them changes.

    FILE is TOML with [[pipeline]], [[model]] and [[prompt]] tables. Every cell is a version of its own. Repeat the
    command to continue.
    """
    if out is not None and out.is_dir():
        check_outputs([out / name for name in REPORTS], ("out",))
    asking = Asking(**{name: options.pop(name) for name in ("concurrency", "timeout", "retries")})
    found = run_cells(file, out=out, db=db, asking=asking, terms=Terms(**options), person=PERSON)
    if found.interrupted:
        say("interrupted; the same `surefoot matrix` command goes on from here")
        return _INTERRUPTED
    return finish(found, as_json, lambda: _show(found))


def _show(found: MatrixResult) -> None:
    terminal.show(found.report(), console())
    if found.kept:
        click.echo(f"reports: {found.folder / REPORTS[0]} and {found.folder / REPORTS[1]}")
