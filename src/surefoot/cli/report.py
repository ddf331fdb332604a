"""surefoot report"""

from __future__ import annotations

from pathlib import Path

import click

from surefoot.cli.options import json_option, ledger_option
from surefoot.cli.reports import check_reports, finish_with_reports
from surefoot.report.run import summary
from surefoot.services.overview import overview


@click.command(epilog="Example: surefoot report runs/reference-1 --out page.html")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--out", multiple=True, type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
    help="A page to .html, Markdown to .md, or - for stdout. Repeatable.",
)  # fmt: skip
@ledger_option
@json_option()
def report(run: Path, out: tuple[str, ...], ledger: str | None, as_json: bool) -> int:
    """Show one graded run: buckets, axes, what to look into, and every answer with its evidence.

    RUN is a folder, or a file of verdicts.
    """
    check_reports(out, as_json, "out")
    found = overview(run, ledger=ledger)
    return finish_with_reports(found, as_json, out, (lambda: summary(found.found)) if out else None)
