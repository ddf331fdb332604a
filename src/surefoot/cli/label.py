"""surefoot label"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import Share, db_option, json_option
from surefoot.cli.output import PERSON, announce, page_options, without_pages
from surefoot.core.errors import ExitCode


@click.command(
    epilog="Example: surefoot label v1 --target 200",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--annotator", metavar="NAME", help="Who labels.  [default: the page asks]")
@click.option(
    "--target", type=click.IntRange(1, 1_000_000), default=50, show_default=True, metavar="N",
    help="How many answers to label.",
)  # fmt: skip
@click.option(
    "--overlap", type=Share(), default=0.2, show_default=True, metavar="SHARE",
    help="Share of answers that everyone labels.",
)  # fmt: skip
@click.option("--axes", metavar="AXIS,...", help="Ask only for these; the first is required.")
@click.option("--rubric", metavar="NAME|FILE", help="Rubric to label by.  [default: the run's]")
@click.option("--only-gate", is_flag=True, help="Only answers that the gate is waiting for.")
@click.option(
    "--guidelines", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Markdown to show beside the form.  [default: guidelines.md, if any]",
)  # fmt: skip
@page_options
@db_option
@json_option()
def label(runs: tuple[str, ...], axes: str | None, no_browser: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Open the label page: people put answers into buckets, without seeing the grader's verdict.

    Labels are kept at once. Runs until Ctrl-C.
    """
    try:
        from surefoot.label.server import Opened, serve_page  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise without_pages("the label page") from error

    def show(page: Opened) -> None:
        left = f"{page.labelled} labelled so far, {page.target} wanted; labels go to {page.db}"
        announce(page, left, as_json, no_browser)

    names = [axis.strip() for axis in axes.split(",")] if axes else []
    serve_page(runs, show, axes=names, person=PERSON, **options)
    return ExitCode.OK
