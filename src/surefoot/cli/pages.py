"""surefoot label, surefoot serve"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import Output, common, open_page, page_options


@click.command(epilog="Example: surefoot label v1 v2")
@click.argument("names", nargs=-1, required=True, metavar="BASE CAND | RUN")
@click.option("--annotator", metavar="NAME", help="Who looks.  [default: the page asks]")
@click.option(
    "--target", type=click.IntRange(1, 1_000_000), metavar="N",
    help="How many to look at.  [default: pairs until the gate decides, or 50 answers]",
)  # fmt: skip
@click.option("--axes", metavar="AXIS,...", help="Ask only for these; the first is required.")
@click.option("--rubric", metavar="NAME|FILE", help="Rubric to label by.  [default: the run's]")
@click.option(
    "--guidelines", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Markdown to show on the page.  [default: guidelines.md, if any]",
)  # fmt: skip
@page_options
@common()
def label(output: Output, names: tuple[str, ...], axes: str | None, **options: Any) -> int:  # noqa: ANN401
    """Open the look page: people say what is correct, before they see the grader's verdict.

    Of two versions it shows pairs of answers that differ, which is what the gate waits for; a file that `export
    --decision` wrote stands for both. Of one run or version it shows single answers, for `calibrate`. Labels are kept
    at once. Runs until Ctrl-C.
    """
    options["axes"] = [axis.strip() for axis in axes.split(",")] if axes else []
    state = "{looked_at} of {goal} looked at; labels go to {db}"
    return open_page(output, "the look page", "serve_looks", state, names, **options)


@click.command(epilog="Example: surefoot serve")
@click.option("--label", is_flag=True, help="Let people label on the pages, which otherwise only read.")
@click.option(
    "--questions", nargs=2, type=click.Path(exists=True, path_type=Path), metavar="FILE CORPUS",
    help="Let people review these questions too.",
)  # fmt: skip
@page_options
@common()
def serve(output: Output, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Browse the runs of a project: buckets over versions, every run, any two compared, councils, labels.

    Runs until Ctrl-C.
    """
    return open_page(output, "browsing runs", "serve_runs", "runs: {runs}", **options)
