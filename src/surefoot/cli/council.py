"""surefoot council: models score the answers of runs, or answer a question and review each other's answers unnamed;
and what such scores are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.output import PERSON, Output, common, paid_options, refuse_idle
from surefoot.core.errors import ExitCode
from surefoot.core.rubric import COUNCIL_OF_RUNS
from surefoot.jobs import council as councils

_RUBRIC = click.option("--rubric", metavar="NAME",
                       help=f"A bundled rubric, or a TOML file.  [default: {COUNCIL_OF_RUNS}]")  # fmt: skip
_GATE = click.option("--safety/--no-safety", default=None, help="Put unsafe answers last, with 0.  [default: on]")
_HOLISTIC = click.option("--holistic", is_flag=True, help="Ask for one overall number too, to compare the rubric with.")
_LABELS = "Scores, buckets or preferences by people."
_READABLE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group(invoke_without_command=True, epilog="Example: surefoot council --show-config")
@click.option("--show-config", is_flag=True, help="List every setting, its value and its source.")
@click.option("--rubric", metavar="NAME", help="For --show-config.")
@common(db=False)
@click.pass_context
def council(ctx: click.Context, output: Output, show_config: bool, rubric: str | None) -> int | None:
    """Rank answers by the scores of several reviewers."""
    if ctx.invoked_subcommand is not None:
        refuse_idle(ctx.invoked_subcommand, "in front of a command", "show_config", "rubric", "as_json")
        return None
    if not show_config:
        refuse_idle(not show_config, "without --show-config", "rubric", "as_json")
        click.echo(ctx.get_help())
        return ExitCode.OK
    rows = councils.council_settings(rubric).rows
    values = ((row, str(row.shown).lower() if isinstance(row.shown, bool) else row.shown) for row in rows)
    output.print({row.name: {"value": row.shown, "source": row.source} for row in rows},
                 [f"{row.name}={value}  ({row.source}; {row.about})" for row, value in values])  # fmt: skip
    return ExitCode.OK


@council.command(epilog="Example: surefoot council runs v1 v2 --reviewer anthropic:NAME --reviewer ollama:NAME")
@click.argument("names", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--reviewer", "reviewers", multiple=True, metavar="MODEL",
    help="Who scores: llm:NAME@URL, anthropic:NAME, ollama:NAME. Repeatable.  [default: $LLM_COUNCIL_MODELS]",
)  # fmt: skip
@_RUBRIC
@_HOLISTIC
@_GATE
@paid_options
@common(report=True)
def runs(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models score every answer of runs by a rubric.

    Reviewers see question, passages and gold. Scores are kept with the run, for rules such as `council.overall >=
    baseline - 0.2`. Exits 4 when a score is missing; repeat the command to ask for it.
    """
    return output.finish(councils.council_runs(*names, person=PERSON, **options))


@council.command(epilog="Example: surefoot council score --reviews reviews.json --rubric factual --json")
@click.option(
    "--reviews", required=True, metavar="FILE", type=_READABLE,
    help="Answers and reviewers' texts as one JSON object; - for stdin.",
)  # fmt: skip
@_RUBRIC
@_GATE
@common(db=False)
def score(output: Output, reviews: Path, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Score reviews that you have, without a model."""
    return output.finish(councils.score_reviews(reviews, **options))


@council.command(epilog='Example: surefoot council ask "Is ice a mineral?" --models anthropic:NAME,llm:NAME')
@click.argument("question")
@click.option("--models", metavar="LIST", help="Who answers and reviews: llm:NAME@URL,...")
@click.option("--chair", metavar="MODEL", help="Who writes the closing answer.")
@click.option("--answers", metavar="FILE", type=_READABLE, help="Review these instead: `responses`, as for --reviews.")
@click.option("--seed", type=int, help="For the order of answers.  [default: 0]")
@paid_options
@_RUBRIC
@_HOLISTIC
@_GATE
@common()
def ask(output: Output, question: str, models: str | None, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models answer a question and review the answers without names.

    Each answer is kept in the project as a run of its model, with its scores.
    """
    return output.finish(councils.council(question, models=models or (), person=PERSON, **options))


@council.command(epilog="Example: surefoot council evaluate v1 v2 --labels labels.csv --compare holistic")
@click.argument("names", nargs=-1, metavar="[RUN...]")
@click.option("--labels", metavar="FILE", type=_FILE, help=_LABELS)
@click.option("--compare", type=click.Choice(["holistic"]), help="Require a holistic score to compare with.")
@common()
def evaluate(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Say what a council's scores are worth on your answers.

    Shows whether reviewers agree with each other and with people, which of them are biased or add nothing, and
    whether the rubric beats a holistic score. Without RUN, uses all runs that a council scored.
    """
    return output.finish(councils.evaluate_council(*names, person=PERSON, **options))


@council.command(epilog="Example: surefoot council tune v1 v2 --labels labels.csv --rubric council --out mine.toml")
@click.argument("names", nargs=-1, metavar="[RUN...]")
@click.option("--labels", required=True, metavar="FILE", type=_FILE, help=_LABELS)
@click.option("--rubric", required=True, metavar="NAME", help="Rubric to start from: bundled, or a TOML file.")
@click.option("--out", required=True, metavar="FILE", type=_FILE, help="Where to write the new rubric.")
@common()
def tune(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Fit a rubric's weights to what people prefer.

    Without RUN, uses all runs that a council scored. Exits 3, writes nothing and says what hides a gain, unless the
    new rubric orders unseen questions better.
    """
    return output.finish(councils.tune_rubric(*names, person=PERSON, **options))
