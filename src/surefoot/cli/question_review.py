"""surefoot questions review"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import json_option, page_options, without_pages
from surefoot.cli.output import print_json, quiet_if_nobody_reads
from surefoot.cli.terminal import PERSON
from surefoot.errors import ExitCode

_CORPUS = click.option(
    "--corpus", required=True, type=click.Path(path_type=Path), help="The passages that the questions are about."
)


@click.command(epilog="Example: surefoot questions review built.jsonl --corpus passages.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_CORPUS
@click.option("--name", metavar="NAME", help="Who reviews. Without it the page asks everyone for their name.")
@page_options
@json_option("Print the address and how many questions are reviewed as one JSON object.")
def review(file: Path, no_browser: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Open the page on which people accept, edit or reject the questions that `surefoot build` proposed.

    Each decision goes into FILE at once. Runs until Ctrl-C.
    """
    try:
        from surefoot.review.server import Opened, serve_review  # noqa: PLC0415 - of an extra
        from surefoot.web.serve import open_browser  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise without_pages("the review page") from error

    def announce(page: Opened) -> None:
        with quiet_if_nobody_reads():
            print_json(page) if as_json else click.echo(page.url)
        if not as_json:
            done = f"{page.reviewed} of {page.total} questions are reviewed"
            PERSON.tell(f"note: open this address in a browser; {done}; Ctrl-C ends it")
        if not no_browser:
            open_browser(page.url)

    serve_review(file, announce, person=PERSON, **options)
    return ExitCode.OK
