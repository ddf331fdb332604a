"""surefoot council RUN...: reviewers score the answers of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import asking_options, json_option, ledger_option
from surefoot.cli.reports import check_reports, finish_with_reports, report_option
from surefoot.cli.terminal import PERSON
from surefoot.rubric import COUNCIL_OF_RUNS
from surefoot.services.council_runs import council_runs
from surefoot.services.graders import Terms


@click.command(epilog="Example: surefoot council runs/a runs/b --reviewer anthropic:NAME --reviewer ollama:NAME")
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option(
    "--reviewer", "reviewers", multiple=True, metavar="MODEL",
    help="Who scores: llm:NAME@URL, anthropic:NAME, ollama:NAME. Repeatable.  [default: $LLM_COUNCIL_MODELS]",
)  # fmt: skip
@click.option("--rubric", metavar="NAME", help=f"A bundled rubric, or a TOML file.  [default: {COUNCIL_OF_RUNS}]")
@click.option("--holistic", is_flag=True, help="Ask for one overall number too, to compare the rubric with.")
@click.option("--safety/--no-safety", "safety", default=None, help="Score unsafe answers 0.  [default: on]")
@asking_options
@report_option
@ledger_option
@json_option()
def runs(
    folders: tuple[Path, ...], reviewers: tuple[str, ...], reports: tuple[str, ...], as_json: bool,
    **options: Any,  # noqa: ANN401 - as click hands them over
) -> int:  # fmt: skip
    """Let models score every answer of runs by a rubric.

    Reviewers see question, passages and gold. Scores are kept with the run, for rules such as `council.overall >=
    baseline - 0.2`. Exits 4 when a score is missing; repeat the command to ask for it.
    """
    check_reports(reports, as_json)
    terms = Terms(**{name: options.pop(name) for name in Terms.__struct_fields__ if name in options})
    found = council_runs(*folders, reviewers=reviewers, terms=terms, person=PERSON, **options)
    return finish_with_reports(found, as_json, reports)
