"""surefoot report"""

from __future__ import annotations

import click

from surefoot.cli.options import db_option, json_option
from surefoot.cli.output import check_reports, finish_with_reports
from surefoot.report.run import summary
from surefoot.services.history import overview


@click.command(epilog="Example: surefoot report v1 --out page.html")
@click.argument("run")
@click.option(
    "--out", multiple=True, type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
    help="A page to .html, Markdown to .md, or - for stdout. Repeatable.",
)  # fmt: skip
@db_option
@json_option()
def report(run: str, out: tuple[str, ...], db: str | None, as_json: bool) -> int:
    """Show one graded run: buckets, axes, what to look into, and every answer with its evidence.

    RUN is a run, a version for its newest one, or a file of verdicts.
    """
    check_reports(out, as_json, "out")
    found = overview(run, db=db)
    return finish_with_reports(found, as_json, out, (lambda: summary(found.overview)) if out else None)
