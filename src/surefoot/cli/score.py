"""surefoot score"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import engine_options, gate_option, json_option, map_option, rule_option
from surefoot.cli.output import check_outputs, console, quiet_if_nobody_reads, say
from surefoot.cli.reports import STDOUT, check_reports, files_of, report_option, write_lines, write_reports
from surefoot.cli.terminal import Progress
from surefoot.errors import SurefootError, UsageError
from surefoot.report import junit as junit_report
from surefoot.report import score as words
from surefoot.report import terminal
from surefoot.report.words import plain
from surefoot.scoring import ScoreResult
from surefoot.scoring import score as score_traces
from surefoot.services.runs import is_same_file
from surefoot.store import QUESTIONS, RunStore


@click.command(
    epilog="Example: surefoot score --questions qaset.json --traces trace.jsonl",
)
@click.option(
    "--questions", "-q", type=click.Path(), metavar="FILE",
    help="Question set; without one, only what needs no gold is scored.",
)  # fmt: skip
@click.option(
    "--traces", "-t", "traces", type=click.Path(), multiple=True, metavar="PATH",
    help="A log: file, folder, address such as s3://..., or - for stdin. Repeatable.",
)  # fmt: skip
@click.argument("more_traces", nargs=-1, type=click.Path(), metavar="[TRACES]...")
@click.option("--corpus", type=click.Path(), metavar="PATH", help="Report retrieved passages that it lacks.")
@gate_option("default")
@rule_option
@click.option(
    "--baseline", type=click.Path(), metavar="FILE",
    help="What --json printed for an earlier run.",
)  # fmt: skip
@click.option(
    "--rerun", type=click.Choice(["error", "first", "last", "all"]), default="error", show_default=True,
    help="Several traces for one question: refuse, take one, or count all (default without -q).",
)  # fmt: skip
@click.option(
    "--refusal", type=click.Choice(["detect", "exact"]), default="detect", show_default=True,
    help="Refusals in natural language, or only the token `not in context`.",
)  # fmt: skip
@click.option("--by", multiple=True, metavar="FIELD", help="Break down by any field. Repeatable.")
@map_option
@report_option
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write JUnit XML.")
@json_option()
@click.option("--no-rows", is_flag=True, help="Leave the rows out of --json.")
@click.option("--jobs", type=click.IntRange(1, 10**9), metavar="N", help="Processes to use. [default: one per core]")
@engine_options
def score(
    questions: str | None, traces: tuple[str, ...], more_traces: tuple[str, ...], reports: tuple[str, ...],
    junit: str | None, as_json: bool, no_rows: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Score traces against a question set, and decide by the gate.

    No model, no key, no network: citations, refusals and gold ids decide. The exit code is the decision.
    """
    if not (traces or more_traces):
        raise UsageError("there is nothing to score", "pass a log: surefoot score LOG --questions FILE")
    check_outputs([*files_of(reports), *([] if junit is None else [junit])], ("reports", "junit"))
    check_reports(reports, as_json)
    logs = [*traces, *more_traces]
    _tell_left_out(logs, questions)
    progress = Progress(None, "rows")
    result = score_traces(
        questions, logs, **options, progress=progress.reach,
        keep_rows=bool(reports or junit or (as_json and not no_rows)),
    )  # fmt: skip
    progress.close()
    with quiet_if_nobody_reads():
        _write(result, reports, junit, as_json, no_rows)
    return int(result.exit_code)


def _tell_left_out(logs: Sequence[str], questions: str | None) -> None:
    """What a run left out on purpose is missing all the same, where it is scored by the whole set."""
    for log in logs if questions else ():
        asked = Path(log, QUESTIONS)
        with suppress(SurefootError):  # most logs are no run
            notes = RunStore.open(log).manifest.question_notes
            if not is_same_file(asked, str(questions)):
                for note in notes:
                    say(f"note: {plain(log)}: {plain(note, 500)}; to score by what was asked, pass --questions {asked}")


def _write(result: ScoreResult, reports: Sequence[str], junit: str | None, as_json: bool, no_rows: bool) -> None:
    write_reports(reports, result.report)
    if junit:
        write_lines(junit, junit_report.render(result.card, result.rows()))
    if as_json:
        result.write_json(sys.stdout.buffer, with_rows=not no_rows)
        sys.stdout.buffer.flush()
    elif STDOUT not in reports:
        terminal.show(words.report(result.card), console())
