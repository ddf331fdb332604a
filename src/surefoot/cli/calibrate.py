"""surefoot calibrate"""

from __future__ import annotations

from pathlib import Path

import click

from surefoot.cli.output import PERSON, Output, check_outputs, common, print_page
from surefoot.core.errors import UsageError
from surefoot.core.rubric import DEFAULT
from surefoot.jobs import calibrate as service
from surefoot.jobs.calibrate import refit as refit_local
from surefoot.report import of as page_of


@click.command(epilog="Example: surefoot calibrate v1 --report calibration.html")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--verdicts", metavar="FILE", help="Instead of a run: rows of {question_id, axis, value, grader}.")
@click.option(
    "--labels", multiple=True, type=click.Path(), metavar="FILE",
    help="Labels as for `surefoot import`, randomly drawn unless `drawn` says `chosen`.",
)  # fmt: skip
@click.option("--grader", metavar="NAME", help="Whose verdicts.  [default: the run's own]")
@click.option(
    "--rubric", metavar="NAME",
    help=f"Of the rows of --verdicts.  [default: {DEFAULT}]",
)  # fmt: skip
@click.option(
    "--refit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Instead, fit the local grader to the labels, for `grade --grader local@FILE`.",
)  # fmt: skip
@click.option("--details", is_flag=True, help="Print the other axes too.")
@common(report=True)
def calibrate(
    output: Output, runs: tuple[str, ...], verdicts: str | None, labels: tuple[str, ...], grader: str | None,
    rubric: str | None, refit: Path | None, db: str | None, details: bool,
) -> int:  # fmt: skip
    """Compare a grader's verdicts with labels: how many it wrongly calls correct, and how many bad ones it finds.

    Labels on other runs of the same grader, rubric and corpus count too. Exits 4 when nothing could be
    calibrated, or rows could not be read.
    """
    if refit is not None:
        if verdicts or grader or rubric or output.reports or details:
            raise UsageError("--refit goes with RUN, --labels and --db alone", "calibrate first, then refit")
        check_outputs([refit], ["refit"])
        made = refit_local(*runs, out=refit, labels=labels, db=db)
        return output.finish(made, lambda: click.echo(made.words))
    result = service.calibrate(
        *runs, verdicts=verdicts, labels=labels, grader=grader, rubric=rubric, db=db, person=PERSON
    )
    return output.finish(result, lambda: print_page(page_of(result, details=details)))
