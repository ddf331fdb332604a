"""surefoot questions review | add"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import json_option
from surefoot.cli.output import finish
from surefoot.cli.pages import announce, page_options, without_pages
from surefoot.cli.terminal import PERSON
from surefoot.cli.write_questions import show_findings, write_questions
from surefoot.corpus.corpus import load_corpus
from surefoot.errors import ExitCode, UsageError
from surefoot.report.words import plain
from surefoot.services import new_question as service

_CORPUS = click.option(
    "--corpus", required=True, type=click.Path(path_type=Path), help="The passages that the questions rest on."
)


@click.command(epilog="Example: surefoot questions review built.jsonl --corpus passages.jsonl")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_CORPUS
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


@click.command(epilog="Example: surefoot questions add mine.jsonl --corpus passages.jsonl")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_CORPUS
@click.option("--question", metavar="TEXT", help="Add this question, without prompting.")
@click.option("--gold", multiple=True, metavar="ID", help="A passage that answers it. Repeatable.")
@click.option("--claim", multiple=True, metavar="TEXT", help="What the answer says. Repeatable.")
@click.option("--unanswerable", is_flag=True, help="No passage answers it.")
@click.option("--stratum", metavar="NAME", default="", help="[default: grounded or unanswerable]")
@click.option("--anyway", is_flag=True, help="Add it even if the check fails.")
@click.option("--name", metavar="NAME", default="author", help="Who writes the questions.")
@json_option()
def add(
    file: Path, corpus: Path, question: str | None, gold: tuple[str, ...], claim: tuple[str, ...], unanswerable: bool,
    stratum: str, anyway: bool, name: str, as_json: bool,
) -> int:  # fmt: skip
    """Write questions of your own, each checked against the documents.

    Exits 1 when a question fails the check and is not added.
    """
    if question is None:
        if gold or claim or unanswerable or as_json:
            raise UsageError("no question was given", "write it with --question")
        return write_questions(service.Author(file, load_corpus(corpus)), stratum, name)
    found = service.add_question(
        file, question, corpus=corpus, gold=gold, claims=claim, unanswerable=unanswerable, stratum=stratum, by=name,
        anyway=anyway,
    )  # fmt: skip

    def show() -> None:
        show_findings(found.findings)
        click.echo(f"{file}: {plain(found.id)} added" if found.id else "not added; --anyway adds it all the same")

    return finish(found, as_json, show)
