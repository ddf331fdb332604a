"""surefoot calibrate"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from surefoot import rubric
from surefoot.cli.options import Share, ledger_option
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.reports import check_reports, report_option, write_reports
from surefoot.errors import ExitCode, UsageError
from surefoot.problems import HARMLESS
from surefoot.report import calibration, terminal

if TYPE_CHECKING:
    from surefoot.calibration.results import Calibration
    from surefoot.cli.calibrate_inputs import Asked

_HARMLESS = HARMLESS | {"tie"}


@click.command(
    epilog="Example: surefoot calibrate runs/reference-1; "
    "surefoot calibrate --verdicts verdicts.jsonl --labels labels.csv --json",
)
@click.argument("runs", nargs=-1, type=click.Path(file_okay=False, path_type=Path), metavar="[RUN]...")
@click.option(
    "--verdicts",
    metavar="FILE",
    help="Instead of a run: rows of {question_id, axis, value, grader}, with `document` if known.",
)
@click.option(
    "--labels", multiple=True, metavar="FILE",
    help="Labels, JSON lines or CSV: {question_id, axis, value, annotator}, or a column per axis. An AI annotator is"
    " ai/NAME. They must be a random sample within each verdict; a column `drawn` says `chosen` where they are not.",
)  # fmt: skip
@click.option("--grader", metavar="NAME", help="Whose verdicts, where there are several.  [default: the run's own]")
@click.option(
    "--target", metavar="FILE|RUN", help="Verdicts on other, unlabelled answers, whose rates are to be corrected too."
)
@click.option(
    "--rubric", "rubric_name", default=rubric.DEFAULT, show_default=True, metavar="NAME",
    help="What the rows of --verdicts are on; a run knows its own.",
)  # fmt: skip
@click.option(
    "--risk", type=Share(inside=True), default=0.05, show_default=True, metavar="P",
    help="How many wrong verdicts may stay unseen, for the threshold below which a person should look.",
)  # fmt: skip
@report_option
@ledger_option
@click.option("--details", is_flag=True, help="Print the tables, kappa and the other axes too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead, with all details.")
def calibrate(
    runs: tuple[Path, ...], verdicts: str | None, labels: tuple[str, ...], grader: str | None, target: str | None,
    rubric_name: str, risk: float, reports: tuple[str, ...], ledger: str | None, details: bool, as_json: bool,
) -> int:  # fmt: skip
    """Hold a grader's verdicts against labels: how many bad answers it accepts, and how many it catches.

    For a RUN the labels are those of the ledger on its answers, and the result is kept there as a certificate, by
    which later runs without labels are read. Several runs by one grader are taken together. Exits 4 when nothing
    could be calibrated, or when rows could not be read.
    """
    from surefoot.calibration.results import NOTHING_SAID
    from surefoot.cli.calibrate_inputs import Asked, note, of_files

    if bool(runs) == bool(verdicts):
        raise UsageError("one thing to calibrate must be given", "pass a RUN, or --verdicts FILE with --labels FILE")
    check_reports(reports, as_json)
    asked = Asked(labels, grader, target, risk, datetime.now(UTC).isoformat(timespec="microseconds"))
    found = of_files(verdicts, rubric.load(rubric_name), asked) if verdicts else _of_runs(runs, ledger, asked)
    with quiet_if_nobody_reads():
        _write(found, reports, as_json, details)
    if all(axis.kappa_reason in NOTHING_SAID for axis in found.axes.values()):
        reasons = dict.fromkeys(axis.kappa_reason for axis in found.axes.values())
        note(f"nothing could be calibrated: {'; '.join(reasons) or 'no label is on an axis that was graded'}")
        return ExitCode.INCOMPLETE
    return ExitCode.INCOMPLETE if any(p.kind not in _HARMLESS for p in found.problems) else ExitCode.OK


def _of_runs(runs: Sequence[Path], ledger: str | None, asked: Asked) -> Calibration:
    from surefoot.cli.calibrate_runs import of_runs  # the ledger takes long to import, and files do without

    return of_runs(runs, ledger, asked)


def _write(found: Calibration, reports: Sequence[str], as_json: bool, details: bool) -> None:
    printed = write_reports(reports, lambda: calibration.report(found))
    if as_json:
        click.echo(msgspec.json.encode(found))
    elif not printed:
        terminal.show(calibration.report(found, details=details), console())
