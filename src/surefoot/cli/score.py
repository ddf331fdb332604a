"""surefoot score"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import gate_option
from surefoot.cli.output import console, quiet_if_nobody_reads
from surefoot.cli.reports import check_reports, files_of, report_option, write_lines, write_reports
from surefoot.cli.targets import check_outputs
from surefoot.errors import UsageError
from surefoot.io.sources import TRACE_SUFFIXES
from surefoot.report import junit as junit_report
from surefoot.report import score as words
from surefoot.report import terminal
from surefoot.scoring import ScoreResult
from surefoot.scoring import score as score_traces


@click.command(
    epilog="Example: surefoot score --questions qaset.json --traces runs/trace.jsonl --report report.md",
)
@click.option("--questions", "-q", required=True, metavar="FILE", help="Question set: JSON array, JSON lines or YAML.")
@click.option(
    "--traces", "-t", "traces", required=True, multiple=True, metavar="PATH",
    help="Trace file (JSON lines, also .gz/.zst; JSON; Parquet), folder, or - for stdin. Several are allowed.",
)  # fmt: skip
@click.argument("more_traces", nargs=-1, metavar="[MORE TRACES]...")
@gate_option("default, which has G1 to G5")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Decide by this rule as well as by those of --gate; without --gate, by it alone. Repeatable.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    help="What --json printed for an earlier run: shown beside, and for rules with `baseline`.",
)
@click.option(
    "--rerun", type=click.Choice(["error", "first", "last", "all"]), default="error", show_default=True,
    help="Several traces for one question: an error, take one, or count each as an attempt.",
)  # fmt: skip
@click.option(
    "--refusal", type=click.Choice(["detect", "exact"]), default="detect", show_default=True,
    help="Recognise refusals in natural language, or only the exact token `not in context`.",
)  # fmt: skip
@click.option("--by", multiple=True, metavar="FIELD", help="Break down by stratum or any other field. Repeatable.")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="FIELD=PATH",
    help="Where a field lies in your rows, e.g. answer=output.text. Repeatable.",
)
@report_option
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write JUnit XML.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
@click.option("--no-rows", is_flag=True, help="Leave the per-question rows out of --json.")
@click.option("--jobs", type=click.IntRange(1, 10**9), metavar="N", help="Processes to use. [default: one per core]")
def score(
    traces: tuple[str, ...],
    more_traces: tuple[str, ...],
    reports: tuple[str, ...],
    junit: str | None,
    as_json: bool,
    no_rows: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:
    """Score traces against a question set, and decide by the gate.

    No model, no key, no network: citations, refusals and gold ids decide. The exit code is the decision.
    """
    outputs = [*files_of(reports), *([junit] if junit is not None else [])]
    _check_outputs([Path(path) for path in (*traces, *more_traces)], outputs)
    check_reports(reports, as_json)
    progress = _Progress()
    result = score_traces(
        options["questions"],
        [*traces, *more_traces],
        gate=options["gate"],
        rules=options["rules"],
        baseline=options["baseline"],
        rerun=options["rerun"],
        refusal=options["refusal"],
        by=options["by"],
        mapping=read_mapping(options["mapping"]),
        jobs=options["jobs"],
        keep_rows=bool(reports or junit or (as_json and not no_rows)),
        progress=progress,
    )
    progress.close()
    with quiet_if_nobody_reads():
        _write(result, reports, junit, as_json, no_rows)
    return int(result.exit_code)


def _check_outputs(traces: list[Path], outputs: list[str]) -> None:
    """Before any work is done: every report has its own place, and none is an input."""
    check_outputs(outputs, ("reports", "junit"))
    folders = [path.resolve() for path in traces if path.is_dir()]
    taken = set[Path]()
    for path in outputs:
        place = Path(path).resolve()
        is_read = place.exists() and any(suffix in place.suffixes for suffix in TRACE_SUFFIXES)
        if place in taken or (is_read and any(place.is_relative_to(folder) for folder in folders)):
            raise UsageError(f"{path} would be overwritten", "write the report to a file of its own")
        taken.add(place)


def read_mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        field, equals, path = pair.partition("=")
        if not (field and equals and path):
            raise UsageError(f"--map {pair!r} is not FIELD=PATH", "write it like --map answer=output.text")
        mapping[field.strip()] = path.strip()
    return mapping


def _write(result: ScoreResult, reports: Sequence[str], junit: str | None, as_json: bool, no_rows: bool) -> None:
    printed = write_reports(reports, lambda: words.report(result.card, result.rows(), result.questions))
    if junit:
        write_lines(junit, junit_report.render(result.card, result.rows()))
    if as_json:
        result.write_json(sys.stdout.buffer, with_rows=not no_rows)
        sys.stdout.buffer.flush()
    elif not printed:
        terminal.show(words.report(result.card), console())


class _Progress:
    """A line on stderr that is rewritten in place; silent unless a person is watching a long run."""

    def __init__(self) -> None:
        self._start = self._shown = time.monotonic()
        self._visible = False

    def __call__(self, rows: int) -> None:
        now = time.monotonic()
        if now - self._shown > 0.5 and sys.stderr.isatty():
            self._shown, self._visible = now, True
            click.echo(f"\r{rows:,} rows, {rows / (now - self._start):,.0f}/s ", nl=False, err=True)

    def close(self) -> None:
        if self._visible:
            click.echo("\r\033[K", nl=False, err=True)
