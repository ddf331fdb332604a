"""surefoot serve"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import PERSON, announce, db_option, json_option, page_options, without_pages
from surefoot.core.errors import ExitCode
from surefoot.core.types import counted


@click.command(epilog="Example: surefoot serve")
@click.option("--label", is_flag=True, help="Let people label on the pages, which otherwise only read.")
@click.option(
    "--questions", nargs=2, type=click.Path(exists=True, path_type=Path), metavar="FILE CORPUS",
    help="Let people review these questions too.",
)  # fmt: skip
@page_options
@db_option
@json_option()
def serve(no_browser: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Browse the runs of a project: buckets over versions, every run, any two compared, councils, labels.

    Runs until Ctrl-C.
    """
    try:
        from surefoot.web.app import Opened, serve_runs  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise without_pages("browsing runs") from error

    def show(page: Opened) -> None:
        announce(page, f"{counted(page.runs or 0, 'run')} are there", as_json, no_browser)

    serve_runs(show, person=PERSON, **options)
    return ExitCode.OK
