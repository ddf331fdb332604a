"""surefoot report"""

from __future__ import annotations

import click

from surefoot.cli.output import Output, common, print_page
from surefoot.jobs.overview import overview
from surefoot.report.run import summary


@click.command(epilog="Example: surefoot report v1 --report page.html")
@click.argument("run")
@common(report=True)
def report(output: Output, run: str, db: str | None) -> int:
    """Show one graded run: buckets, axes, what to look into, and every answer with its evidence.

    RUN is a run, a version for its newest one, or a file of verdicts.
    """
    found = overview(run, db=db)
    return output.finish(found, (lambda: print_page(summary(found))) if output.reports else None)
