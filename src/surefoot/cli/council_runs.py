"""surefoot council RUN...: reviewers score the answers of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.cli.options import asking_options, json_option, ledger_option
from surefoot.cli.output import console, finish
from surefoot.cli.reports import check_reports, report_option, write_reports
from surefoot.cli.terminal import PERSON
from surefoot.report.words import counted, names, plain
from surefoot.reviewers.run_scores import Mean, RunScores
from surefoot.rubric import COUNCIL_OF_RUNS
from surefoot.services.council_runs import RunsScored, council_runs
from surefoot.services.council_scores import council_scores
from surefoot.services.graders import Terms

_NAMED = 10  # questions of unsafe answers


@click.command(
    epilog="Example: surefoot council runs/a runs/b --reviewer anthropic:NAME --reviewer llm:NAME@http://localhost:8080/v1"
)
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option(
    "--reviewer", "reviewers", multiple=True, metavar="MODEL",
    help="Who scores: llm:NAME@URL, anthropic:NAME. Repeatable.  [default: $LLM_COUNCIL_MODELS]",
)  # fmt: skip
@click.option("--rubric", metavar="NAME", help=f"A bundled rubric, or a TOML file.  [default: {COUNCIL_OF_RUNS}]")
@click.option("--holistic", is_flag=True, help="Ask for one number as well, to hold the rubric against.")
@click.option("--safety/--no-safety", "safety", default=None, help="Score unsafe answers 0.  [default: on]")
@asking_options
@ledger_option
@report_option
@json_option("Print one JSON object, with every score.")
def runs(folders: tuple[Path, ...], reviewers: tuple[str, ...], as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models score every answer of runs by a rubric.

    Reviewers see the question, the passages and what the question set says of the right answer. Scores are kept with
    the run, for rules such as `council.overall >= baseline - 0.2`. Exits 4 when some answer has no score.
    """
    reports = options.pop("reports")
    check_reports(reports, as_json)
    terms = Terms(**{name: options.pop(name) for name in Terms.__struct_fields__ if name in options})
    found = council_runs(*folders, reviewers=reviewers, terms=terms, person=PERSON, **options)
    printed = write_reports(reports, lambda: council_scores(*folders).report())
    return finish(found, as_json, lambda: None if printed else _show(found))


def _show(found: RunsScored) -> None:
    dimensions = list(dict.fromkeys(name for run in found.runs for name in run.dimensions))
    table = Table("", "run", "overall", *(escape(plain(name, 24)) for name in dimensions), "capped", "unsafe", box=None)
    short = {run.run: Path(run.run).name for run in found.runs}
    for run in found.runs:
        table.add_row(
            "-" if run.rank is None else str(run.rank),
            Text(plain(short[run.run] if len(set(short.values())) == len(short) else run.run, 60)),
            _with_interval(run.overall),
            *(_mean(run.dimensions.get(name)) for name in dimensions),
            str(sum(run.capped.values())),
            str(len(run.unsafe)),
        )
    to = console()
    to.print(table)
    for line in _lines(found):
        to.print(Text(plain(line, 400)), soft_wrap=True)


def _lines(found: RunsScored) -> Iterator[str]:
    for run in found.runs:
        yield from (f"{run.run}: {line}" for line in _about(run))
    failed: Counter[str] = Counter()
    for (reviewer, _), count in found.failures.items():
        failed[reviewer] += count
    yield from (
        f"failed: {reviewer} left {counted(count, 'answer')} without a score" for reviewer, count in failed.items()
    )
    if len(found.sitting.reviewers) == 1:
        yield "note: one reviewer: nobody checks the scores, and no bias can be seen"
    if any(run.overall for run in found.runs):
        yield f"kept with the runs under {found.sitting.pooled}"


def _about(run: RunScores) -> Iterator[str]:
    if run.capped:
        yield "capped by " + ", ".join(f"{name} ({count})" for name, count in run.capped.items())
    if run.unsafe:
        yield f"unsafe: {names(run.unsafe, len(run.unsafe), _NAMED)}"
    for reason, count in run.not_scored.items():
        yield f"not scored: {counted(count, 'answer')}: {reason}"
    for reviewer in run.own:
        yield f"{reviewer} gave these answers, so its scores of them are not counted"


def _with_interval(mean: Mean | None) -> str:
    return "-" if mean is None else f"{mean.value:.2f} ({mean.low:.2f} to {mean.high:.2f})"


def _mean(mean: Mean | None) -> str:
    return "-" if mean is None else f"{mean.value:.1f}"
