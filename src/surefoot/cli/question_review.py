"""surefoot questions review"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import json_option
from surefoot.cli.pages import announce, page_options, without_pages
from surefoot.cli.terminal import PERSON
from surefoot.errors import ExitCode


@click.command(epilog="Example: surefoot questions review built.jsonl --corpus passages.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--corpus", required=True, type=click.Path(path_type=Path), help="The passages that the questions rest on."
)
@click.option("--name", metavar="NAME", help="Who reviews.  [default: the page asks]")
@page_options
@json_option()
def review(file: Path, no_browser: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Open the page where people accept, edit or reject proposed questions.

    Each decision goes into FILE at once. Runs until Ctrl-C.
    """
    try:
        from surefoot.review.app import Opened, serve_review  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise without_pages("the review page") from error

    def show(page: Opened) -> None:
        announce(page, f"{page.reviewed} of {page.total} questions are reviewed", as_json, no_browser)

    serve_review(file, show, person=PERSON, **options)
    return ExitCode.OK
