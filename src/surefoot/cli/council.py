"""surefoot council: models score the answers of runs, or answer a question and review each other's answers unnamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.cli.council_statistics import evaluate, tune
from surefoot.cli.output import (
    PERSON,
    Output,
    bare_cause,
    common,
    console,
    print_json,
    quiet_if_nobody_reads,
    say,
    set_option,
    yes_option,
)
from surefoot.core.errors import ExitCode, SurefootError, UsageError
from surefoot.core.rubric import COUNCIL_OF_RUNS
from surefoot.core.types import counted, plain
from surefoot.reviewers.ballots import Answer
from surefoot.reviewers.bias import Bias, Figure
from surefoot.reviewers.panel import Failure
from surefoot.reviewers.scores import Ranked, Row
from surefoot.services.council import Council, council_settings, score_reviews
from surefoot.services.council import council as ask_models
from surefoot.services.council_runs import council_runs
from surefoot.services.runs import opened

_RUBRIC = click.option("--rubric", metavar="NAME", help="A bundled rubric, or a TOML file.  [default: council]")
_GATE = click.option("--safety/--no-safety", "safety", default=None, help="Put unsafe answers last.  [default: on]")
_READABLE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
_LINES_SHOWN, _LONGEST_LINE = 8, 400


class _AskedWithoutAWord(click.Group):
    """`council "QUESTION"` is `council ask "QUESTION"`, and `council RUN...` is `council runs RUN...`.

    One word alone that is no run is a command misspelt.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and any(one.partition("=")[0] == "--reviewer" for one in args):
            args = ["runs", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and _is_run(args[0], args):
            args = ["runs", *args]
        elif args[0] not in self.commands and len(args[0].split()) > 1:
            args = ["ask", *args]
        elif args[0] not in self.commands:
            hint = f'to ask a question: surefoot council ask "{plain(args[0], 80)}" --models LIST'
            raise UsageError(f"there is no command {plain(args[0], 80)!r}", hint)
        return super().resolve_command(ctx, args)


def _is_run(name: str, args: list[str]) -> bool:
    """Whether there is a run or version of this name, or an export."""
    db = next((after for one, after in pairwise(args) if one == "--db"), None)
    with suppress(SurefootError), opened([name], db):
        return True
    return False


@click.group(
    cls=_AskedWithoutAWord,
    invoke_without_command=True,
    epilog="Example: surefoot council --show-config",
)
@click.option("--show-config", is_flag=True, help="List every setting, its value and its source.")
@click.option("--rubric", metavar="NAME", help="For --show-config.")
@common(db=False)
@click.pass_context
def council(ctx: click.Context, output: Output, show_config: bool, rubric: str | None) -> int | None:
    """Rank answers by the scores of several reviewers.

    `council RUN...` is short for `council runs RUN...`, `council "QUESTION"` for `council ask "QUESTION"`.
    """
    if ctx.invoked_subcommand is not None:
        if show_config or rubric is not None or output.as_json:
            hint = f"as in surefoot council {ctx.invoked_subcommand} ... --json"
            raise UsageError("options of a command stand behind it, and --show-config has none", hint)
        return None
    if not show_config:
        click.echo(ctx.get_help())
        return ExitCode.OK
    rows = council_settings(rubric).rows
    with quiet_if_nobody_reads():
        if output.as_json:
            print_json({row.name: {"value": row.shown, "source": row.source} for row in rows})
        else:
            for row in rows:
                value = str(row.shown).lower() if isinstance(row.shown, bool) else row.shown
                click.echo(f"{row.name}={value}  ({row.source}; {row.about})")
    return ExitCode.OK


for command in (evaluate, tune):
    council.add_command(command)


@council.command(epilog="Example: surefoot council v1 v2 --reviewer anthropic:NAME --reviewer ollama:NAME")
@click.argument("names", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--reviewer", "reviewers", multiple=True, metavar="MODEL",
    help="Who scores: llm:NAME@URL, anthropic:NAME, ollama:NAME. Repeatable.  [default: $LLM_COUNCIL_MODELS]",
)  # fmt: skip
@click.option("--rubric", metavar="NAME", help=f"A bundled rubric, or a TOML file.  [default: {COUNCIL_OF_RUNS}]")
@click.option("--holistic", is_flag=True, help="Ask for one overall number too, to compare the rubric with.")
@click.option("--safety/--no-safety", "safety", default=None, help="Score unsafe answers 0.  [default: on]")
@set_option
@yes_option
@common(report=True)
def runs(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models score every answer of runs by a rubric.

    Reviewers see question, passages and gold. Scores are kept with the run, for rules such as `council.overall >=
    baseline - 0.2`. Exits 4 when a score is missing; repeat the command to ask for it.
    """
    return output.finish(council_runs(*names, person=PERSON, **options))


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
    return _show(score_reviews(reviews, **options), output)


@council.command(epilog='Example: surefoot council ask "Is ice a mineral?" --models anthropic:NAME,llm:NAME')
@click.argument("question")
@click.option("--models", metavar="LIST", help="Who answers and reviews: llm:NAME@URL,...")
@click.option("--chair", metavar="MODEL", help="Who writes the closing answer.")
@click.option(
    "--answers", metavar="FILE", type=_READABLE,
    help="Review these instead: `responses`, as for --reviews.",
)  # fmt: skip
@click.option("--seed", type=int, help="For the order of answers.  [default: 0]")
@set_option
@yes_option
@_RUBRIC
@_GATE
@common(db=False)
def ask(output: Output, question: str, models: str | None, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models answer a question and review the answers without names."""
    return _show(ask_models(question, models=models or (), person=PERSON, **options), output)


def _show(found: Council, output: Output) -> int:
    _tell_failures(found.failures)
    return output.finish(found, lambda: _show_all(found))


def _show_all(found: Council) -> None:
    """The answers, how they were scored, and the chair's closing answer."""
    _show_answers(found.answers)
    show_ranking(found, console())
    if found.synthesis:
        lines = (plain(line, 10_000) for line in found.synthesis.splitlines())
        click.echo("\nclosing answer:\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines), nl=False)


def _tell_failures(failures: Sequence[Failure]) -> None:
    """Each model's once, though it may have been left out of several stages for the same reason; each hint once."""
    stages: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        stages.setdefault((failure.model, bare_cause(failure.reason)), []).append(failure.stage)
    for (model, reason), names in stages.items():
        say(plain(f"failed: {model}: {', '.join(names)}: {reason}", 400))
    for hint in dict.fromkeys(failure.hint for failure in failures if failure.hint):
        say(plain(f"hint: {hint}", 400))


def _show_answers(answers: Sequence[Answer]) -> None:
    for answer in answers:
        lines = [plain(line, _LONGEST_LINE) for line in answer.text.splitlines() if line.strip()]
        if more := lines[_LINES_SHOWN:]:
            lines[_LINES_SHOWN:] = [f"... ({counted(len(more), 'more line')}; --json has the whole)"]
        click.echo(f"{plain(answer.label, 24)} ({plain(answer.model, 80) or 'no model is named'}):")
        click.echo("".join(f"  {line}\n" for line in lines))


def show_ranking(ranked: Ranked, to: Console) -> None:
    dimensions = list(dict.fromkeys(name for row in ranked.ranking for name in row.dimensions))
    headings = [escape(plain(name, 24)) for name in dimensions]
    table = Table("", "answer", "model", "overall", *headings, "capped by", "votes", "borda", "z", box=None)
    tied = {label for group in ranked.ties for label in group}
    for row in ranked.ranking:
        table.add_row(
            f"{row.rank}{'=' if row.label in tied else ''}",
            Text(plain(row.label, 24)),
            Text(plain(row.model, 30)),
            _number(row.overall, 2),
            *(_number(row.dimensions.get(name), 1) for name in dimensions),
            Text(plain(", ".join(_capped(row, ranked))) or "-"),
            str(row.votes),
            _number(row.borda, 1),
            _number(row.z, 2),
        )
    to.print(table)
    for line in _lines(ranked):
        to.print(Text(plain(line, 400)), soft_wrap=True)


def _capped(row: Row, ranked: Ranked) -> Iterator[str]:
    """What capped the answer, and in how many ballots where not in all."""
    votes = [vote for vote in ranked.votes if vote.label == row.label and vote.counts]
    for name in row.capped_by:
        times = sum(name in vote.capped_by for vote in votes)
        yield name if times in (0, len(votes)) else f"{name} in {times} of {len(votes)}"


def _lines(ranked: Ranked) -> Iterator[str]:
    yield from (f"tied: {', '.join(group)}" for group in ranked.ties)
    for row in ranked.ranking:
        yield from _about(row)
    yield from (f"void: {void.reviewer}: {void.reason}" for void in ranked.void)
    yield from (f"abstained: {one.reviewer}: {one.reason}" for one in ranked.abstained)
    yield from (f"note: {note}" for note in ranked.notes)
    yield from (f"bias: {line}" for line in _bias(ranked.bias))


def _about(row: Row) -> Iterator[str]:
    if row.safety is not None:
        for finding in row.safety.findings:
            yield f"unsafe: {row.label}: {finding.pattern}: {finding.text} ({finding.why})"
    if row.reason:
        yield f"not scored: {row.label}: {row.reason}"
    if row.missing:
        yield f"not scored: {row.label}: {', '.join(row.missing)}, so the other dimensions weigh more"
    if row.own_votes:
        yield f"left out: {row.label}: the vote of its own model"


def _bias(bias: Bias) -> Iterator[str]:
    yield f"length: {_figure(bias.length)}"
    yield f"position: {_figure(bias.position)}"
    yield f"self-preference: {_figure(bias.self_preference)}"
    for shift in bias.reviewers:
        if shift.verdict and shift.shift is not None:
            yield f"{shift.reviewer} is {shift.verdict}: {shift.shift:+.1f} points beside the others"
    yield f"effective number of votes: {_figure(bias.effective_votes)}"


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return figure.reason
    p = f", p = {figure.p:.2g}" if figure.p is not None else ""
    return f"{figure.value:+.2f}{p}{f' ({figure.reason})' if figure.reason else ''}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
