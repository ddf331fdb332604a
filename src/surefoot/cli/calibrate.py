"""surefoot calibrate"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec.structs import replace

from surefoot import rubric
from surefoot.cli.options import Share, ledger_option
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.reports import check_reports, report_option, write_reports
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.problems import HARMLESS
from surefoot.report.words import counted, plain
from surefoot.rows import printable

if TYPE_CHECKING:
    from surefoot.calibration.results import Calibration
    from surefoot.cli.calibrating import Source
    from surefoot.ledger import Ledger
    from surefoot.records import Certificate

_HARMLESS = HARMLESS | {"tie"}
_SHOWN = 20


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
    from surefoot.cli.calibrating import from_files

    if bool(runs) == bool(verdicts):
        raise UsageError("one thing to calibrate must be given", "pass a RUN, or --verdicts FILE with --labels FILE")
    check_reports(reports, as_json)
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    if verdicts is not None:
        source = from_files(verdicts, labels, grader, rubric.load(rubric_name))
        if not source.joined.people:
            raise _nothing_labelled(source, verdicts, labels)
        found = _calibrated(source, target, risk, now)
    else:
        found = _of_runs(runs, labels, grader, ledger, (target, risk, now))
    with quiet_if_nobody_reads():
        _write(found, reports, as_json, details)
    if all(axis.kappa_reason in NOTHING_SAID for axis in found.axes.values()):
        reasons = dict.fromkeys(axis.kappa_reason for axis in found.axes.values())
        _note(f"nothing could be calibrated: {'; '.join(reasons) or 'no label is on an axis that was graded'}")
        return ExitCode.INCOMPLETE
    return ExitCode.INCOMPLETE if any(p.kind not in _HARMLESS for p in found.problems) else ExitCode.OK


def _of_runs(
    runs: Sequence[Path], labels: Sequence[str], grader: str | None, place: str | None,
    asked: tuple[str | None, float, str],
) -> Calibration:  # fmt: skip
    from surefoot.calibration.axes import by_certificate
    from surefoot.calibration.certificates import standing
    from surefoot.cli.borne_out import certificates_in
    from surefoot.cli.calibrating import from_runs
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import find
    from surefoot.services.versions import labelled_beside

    where = find(runs[0], place)
    with contextlib.ExitStack() as opened:
        book = Ledger.existing(where)
        if book is None and labels:
            from_runs(runs, labels, grader, None, asked[-1])  # what cannot be read is said before a ledger is made
            book = Ledger.open(where)
        if book is not None:
            opened.enter_context(book)
        source = from_runs(runs, labels, grader, book, asked[-1])
        known = certificates_in(book, source.joined.grader) if book else []
        valid, why = standing(known, source.joined.grader, source.rubric.sha256, source.corpus)
        if valid and why:
            _note(why)
        if source.joined.sampled or (source.joined.people and valid is None):
            book = book or opened.enter_context(Ledger.open(where))
            found = _kept(_calibrated(source, *asked), book, valid)
            if others := labelled_beside(book, runs[0], runs[1:]):
                together = shlex.join([*others, *map(printable, runs)])
                _note(f"more answers by this grader are labelled; on all labels: surefoot calibrate {together}")
            return found
    if valid is None:
        if labels:
            _name(source)
        names = " or ".join(printable(run) for run in runs)
        hint = f"label some: surefoot label {printable(runs[0])}, or pass --labels FILE"
        raise Incomplete(f"nobody has labelled an answer of {names}, and {why}", hint)
    return replace(by_certificate(source.answers, valid, source.rubric), problems=tuple(source.joined.problems))


def _calibrated(source: Source, target: str | None, risk: float, now: str) -> Calibration:
    from surefoot.calibration.axes import calibrate_joined
    from surefoot.calibration.certificates import certificate_of, why_none
    from surefoot.cli.calibrating import target_answers

    joined = source.joined
    others = target_answers(target, joined.grader, source.rubric, joined.problems) if target else None
    found = calibrate_joined(joined, source.rubric, others, risk=risk)
    if reason := why_none(found):
        return replace(found, certificate_reason=reason)
    bound_to = {"grader": joined.grader, "rubric_sha256": source.rubric.sha256, "corpus": source.corpus}
    return replace(found, certificate=certificate_of(found, **bound_to, at=now))


def _kept(found: Calibration, ledger: Ledger, before: Certificate | None) -> Calibration:
    """The certificate goes to the ledger, unless it says what one that stands says."""
    from surefoot.calibration.certificates import says_the_same

    made = found.certificate
    if made is None:
        _note(f"no certificate: {found.certificate_reason}")
        return found
    if before is not None and says_the_same(made, before):
        _note(f"the certificate of {before.at[:10]} in {ledger.name} says the same, and stands")
        return replace(found, certificate=before)
    ledger.add([made])
    _note(f"the certificate, on {counted(made.labels, 'label')}, is kept in {ledger.name}")
    if before is not None and before.labels > made.labels:
        _note(f"the one of {before.at[:10]}, which it replaces, was on {before.labels}")
    return found


def _nothing_labelled(source: Source, verdicts: str, labels: Sequence[str]) -> Incomplete:
    names = " and ".join(labels) or verdicts
    strangers = sum(problem.kind == "unknown_question" for problem in source.joined.problems)
    if strangers:
        message = f"no label in {names} is on an answer that has a verdict in {verdicts}"
        return Incomplete(message, "both files must call questions by the same question_id (and attempt)")
    _name(source)
    return Incomplete(f"there is no label in {names}", "pass --labels FILE with at least one label")


def _write(found: Calibration, reports: Sequence[str], as_json: bool, details: bool) -> None:
    from surefoot.report import calibration, calibration_page

    printed = write_reports(reports, lambda: calibration_page.render(found), lambda: calibration.markdown(found))
    if as_json:
        click.echo(msgspec.json.encode(found))
    elif not printed:
        calibration.show(found, console(), details=details)


def _name(source: Source) -> None:
    """What is in no report, because there is none."""
    for problem in source.joined.problems[:_SHOWN]:
        _note(str(problem))


def _note(words: str) -> None:
    click.echo(f"note: {plain(words, 500)}", err=True)
