"""surefoot council: models score the answers of runs, or answer a question and review each other's answers unnamed;
and what such scores are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.cli.output import (
    PERSON,
    Output,
    bare_cause,
    common,
    console,
    print_json,
    quiet_if_nobody_reads,
    set_option,
    yes_option,
)
from surefoot.core.errors import ExitCode, SurefootError, UsageError
from surefoot.core.records import Interval
from surefoot.core.rubric import COUNCIL_OF_RUNS
from surefoot.core.types import counted, plain
from surefoot.jobs import council as councils
from surefoot.jobs.council import CouncilEvaluation
from surefoot.jobs.runs import opened
from surefoot.reviewers import bias, success
from surefoot.reviewers.panel import Council
from surefoot.reviewers.scores import Ranked, Row
from surefoot.reviewers.sheet import OVERALL
from surefoot.reviewers.weights import RubricTuned

_RUBRIC = click.option("--rubric", metavar="NAME", help="A bundled rubric, or a TOML file.  [default: council]")
_GATE = click.option("--safety/--no-safety", "safety", default=None, help="Put unsafe answers last.  [default: on]")
_READABLE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)
_LINES_SHOWN, _LONGEST_LINE = 8, 400
_HABITS = {
    "shift": "points beside the others",
    "spread": "times the others' spread",
    "length": "points more than the others for twice the length",
    "self_preference": "points more for own answers",
}


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
        if args[0] not in self.commands:
            named = "ask" if len(args[0].split()) > 1 else ""
            db = next((after for one, after in pairwise(args) if one == "--db"), None)
            with suppress(SurefootError), opened([args[0]], db):
                named = "runs"
            if not named:
                hint = f'to ask a question: surefoot council ask "{plain(args[0], 80)}" --models LIST'
                raise UsageError(f"there is no command {plain(args[0], 80)!r}", hint)
            args = [named, *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_AskedWithoutAWord, invoke_without_command=True, epilog="Example: surefoot council --show-config")
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
    rows = councils.council_settings(rubric).rows
    with quiet_if_nobody_reads():
        if output.as_json:
            print_json({row.name: {"value": row.shown, "source": row.source} for row in rows})
        else:
            for row in rows:
                value = str(row.shown).lower() if isinstance(row.shown, bool) else row.shown
                click.echo(f"{row.name}={value}  ({row.source}; {row.about})")
    return ExitCode.OK


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
    return _finish(councils.score_reviews(reviews, **options), output)


@council.command(epilog='Example: surefoot council ask "Is ice a mineral?" --models anthropic:NAME,llm:NAME')
@click.argument("question")
@click.option("--models", metavar="LIST", help="Who answers and reviews: llm:NAME@URL,...")
@click.option("--chair", metavar="MODEL", help="Who writes the closing answer.")
@click.option("--answers", metavar="FILE", type=_READABLE, help="Review these instead: `responses`, as for --reviews.")
@click.option("--seed", type=int, help="For the order of answers.  [default: 0]")
@set_option
@yes_option
@_RUBRIC
@_GATE
@common(db=False)
def ask(output: Output, question: str, models: str | None, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Let models answer a question and review the answers without names."""
    return _finish(councils.council(question, models=models or (), person=PERSON, **options), output)


@council.command(epilog="Example: surefoot council evaluate v1 v2 --labels labels.csv --compare holistic")
@click.argument("names", nargs=-1, required=True, metavar="RUN...")
@click.option("--labels", metavar="FILE", type=_FILE, help="Scores, buckets or preferences by people.")
@click.option("--compare", type=click.Choice(["holistic"]), help="Require a holistic score to compare with.")
@common()
def evaluate(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Say what a council's scores are worth on your answers.

    Shows whether reviewers agree with each other and with people, which of them are biased or add nothing, and
    whether the rubric beats a holistic score.
    """
    found = councils.evaluate_council(*names, person=PERSON, **options)
    return output.finish(found, lambda: _show_evaluation(found))


@council.command(epilog="Example: surefoot council tune v1 v2 --labels labels.csv --rubric council --out mine.toml")
@click.argument("names", nargs=-1, metavar="[RUN...]")
@click.option("--labels", required=True, metavar="FILE", type=_FILE, help="Scores, buckets or preferences by people.")
@click.option("--rubric", required=True, metavar="NAME", help="Rubric to start from: bundled, or a TOML file.")
@click.option("--out", required=True, metavar="FILE", type=_FILE, help="Where to write the new rubric.")
@common()
def tune(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Fit a rubric's weights to what people prefer.

    Without RUN, uses all runs that a council scored. Exits 3, and writes nothing, unless the new rubric
    orders unseen questions better.
    """
    found = councils.tune_rubric(*names, person=PERSON, **options)
    return output.finish(found, lambda: _show_tuned(found))


def _finish(found: Council, output: Output) -> int:
    """A model that was left out of several stages for the same reason is told once, and so is each hint."""
    stages: dict[tuple[str, str], list[str]] = {}
    for failure in found.failures:
        stages.setdefault((failure.model, bare_cause(failure.reason)), []).append(failure.stage)
    for (model, reason), names in stages.items():
        PERSON.tell(f"failed: {model}: {', '.join(names)}: {reason}")
    for hint in dict.fromkeys(failure.hint for failure in found.failures if failure.hint):
        PERSON.tell(f"hint: {hint}")
    return output.finish(found, lambda: _show(found))


def _show(found: Council) -> None:
    """The answers, how they were scored, and the chair's closing answer."""
    for answer in found.answers:
        lines = [plain(line, _LONGEST_LINE) for line in answer.text.splitlines() if line.strip()]
        if more := lines[_LINES_SHOWN:]:
            lines[_LINES_SHOWN:] = [f"... ({counted(len(more), 'more line')}; --json has the whole)"]
        click.echo(f"{plain(answer.label, 24)} ({plain(answer.model, 80) or 'no model is named'}):")
        click.echo("".join(f"  {line}\n" for line in lines))
    show_ranking(found, console())
    if found.synthesis:
        lines = [plain(line, 10_000) for line in found.synthesis.splitlines()]
        click.echo("\nclosing answer:\n" + "".join(f"  {line}".rstrip() + "\n" for line in lines), nl=False)


def show_ranking(ranked: Ranked, to: Console) -> None:
    dimensions = list(dict.fromkeys(name for row in ranked.ranking for name in row.dimensions))
    headings = [escape(plain(name, 24)) for name in dimensions]
    table = Table("", "answer", "model", "overall", *headings, "capped by", "votes", "borda", "z", box=None)
    tied = {label for group in ranked.ties for label in group}
    for row in ranked.ranking:
        table.add_row(
            f"{row.rank}{'=' if row.label in tied else ''}", Text(plain(row.label, 24)), Text(plain(row.model, 30)),
            _number(row.overall, 2), *(_number(row.dimensions.get(name), 1) for name in dimensions),
            Text(plain(", ".join(_capped(row, ranked))) or "-"), str(row.votes), _number(row.borda, 1),
            _number(row.z, 2),
        )  # fmt: skip
    _print(to, table, _lines(ranked), 400)


def _print(to: Console, table: Table, lines: Iterable[str], longest: int) -> None:
    to.print(table)
    for line in lines:
        to.print(Text(plain(line, longest)), soft_wrap=True)


def _capped(row: Row, ranked: Ranked) -> Iterator[str]:
    """What capped the answer, and in how many ballots where not in all."""
    votes = [vote for vote in ranked.votes if vote.label == row.label and vote.counts]
    for name in row.capped_by:
        times = sum(name in vote.capped_by for vote in votes)
        yield name if times in (0, len(votes)) else f"{name} in {times} of {len(votes)}"


def _lines(ranked: Ranked) -> Iterator[str]:
    yield from (f"tied: {', '.join(group)}" for group in ranked.ties)
    for row in ranked.ranking:
        for finding in row.safety.findings if row.safety else ():
            yield f"unsafe: {row.label}: {finding.pattern}: {finding.text} ({finding.why})"
        if row.reason:
            yield f"not scored: {row.label}: {row.reason}"
        if row.missing:
            yield f"not scored: {row.label}: {', '.join(row.missing)}, so the other dimensions weigh more"
        if row.own_votes:
            yield f"left out: {row.label}: the vote of its own model"
    yield from (f"void: {void.reviewer}: {void.reason}" for void in ranked.void)
    yield from (f"abstained: {one.reviewer}: {one.reason}" for one in ranked.abstained)
    yield from (f"note: {note}" for note in ranked.notes)
    found = ranked.bias
    yield f"bias: length: {_figure(found.length)}"
    yield f"bias: position: {_figure(found.position)}"
    yield f"bias: self-preference: {_figure(found.self_preference)}"
    for shift in found.reviewers:
        if shift.verdict and shift.shift is not None:
            yield f"bias: {shift.reviewer} is {shift.verdict}: {shift.shift:+.1f} points beside the others"
    yield f"bias: effective number of votes: {_figure(found.effective_votes)}"


def _figure(figure: bias.Figure) -> str:
    p = f", p = {figure.p:.2g}" if figure.p is not None else ""
    why = f" ({figure.reason})" if figure.reason else ""
    return figure.reason if figure.value is None else f"{figure.value:+.2f}{p}{why}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _show_evaluation(found: CouncilEvaluation) -> None:
    table = Table("", "reviewers differ by (variance)", "less the holistic score's", "due to the answer", box=None)
    for one in found.success.dimensions:
        named = "overall, before caps" if one.dimension == OVERALL else plain(one.dimension, 24)
        table.add_row(escape(named), *map(_cell, (one.variance, one.against_holistic, one.reliability)))
    _print(console(), table, _evaluated(found), 1_000)


def _evaluated(found: CouncilEvaluation) -> Iterator[str]:
    made, heard = found.success, found.voices
    for what, one in (("with other reviewers", made.stability), ("as people see it", made.people)):
        both = f"rubric {_cell(one.rubric)}; holistic {_cell(one.holistic)}; difference {_cell(one.difference)}"
        yield f"order {what} (Kendall's tau): {both}"
    yield f"conciseness with length (Kendall's tau): {_cell(made.conciseness_against_length)}"
    votes = "not measured" if heard.effective_votes is None else f"{_interval(heard.effective_votes)} of {heard.votes}"
    yield f"independent votes: {votes}{f': {heard.reason}' if heard.reason else ''}"
    yield from (f"{one.reviewer} adds nothing: {one.why}" for one in heard.adds_nothing)
    for pair in heard.alike:
        yield f"{' and '.join(pair.reviewers)} err alike: correlation {_interval(pair.correlation)}"
    clear: dict[tuple[str, str], list[str]] = {}
    for habit in found.bias:
        if habit.stands_out and habit.figure is not None:
            figure = f"{habit.dimension} {_interval(habit.figure)}"
            clear.setdefault((habit.reviewer, _HABITS[habit.kind]), []).append(figure)
    yield from (f"bias: {reviewer}: {kind}: {', '.join(figures)}" for (reviewer, kind), figures in clear.items())
    known, shown = sum(one.figure is not None for one in found.bias), sum(one.stands_out for one in found.bias)
    yield f"bias: {shown} of {counted(known, 'figure')} stand out; all their intervals hold together at 95 %"
    yield from (f"not shown: {', '.join(whats)}: {reason}" for reason, whats in _missing(found).items())
    yield f"does the rubric earn its cost here? {made.earns_its_cost}: {made.because}"


def _missing(found: CouncilEvaluation) -> dict[str, list[str]]:
    """Which figures are missing, by the reason."""
    made = found.success
    named = [("conciseness with length", made.conciseness_against_length),
             ("order with other reviewers", made.stability.difference),
             ("order as people see it", made.people.difference)]  # fmt: skip
    named += [(f"variance of {one.dimension}", one.variance) for one in made.dimensions]
    named += [(f"{one.dimension} beside the holistic score", one.against_holistic) for one in made.dimensions]
    missing: dict[str, list[str]] = {}
    for what, figure in named:
        if figure.figure is None and figure.reason:
            missing.setdefault(figure.reason, []).append(what)
    kinds: dict[tuple[str, str], dict[str, None]] = {}
    for one in found.bias:
        if one.figure is None:
            kinds.setdefault((one.reason, one.kind), {})[one.dimension] = None
    for (reason, kind), dimensions in kinds.items():
        of = "" if len(dimensions) == len({one.dimension for one in found.bias}) else f" of {', '.join(dimensions)}"
        missing.setdefault(reason, []).append(f"{kind.replace('_', ' ')}{of}")
    return missing


def _show_tuned(found: RubricTuned) -> None:
    if found.weights is None or found.before is None or found.alone is None or found.gain is None:
        return console().print(Text(plain(f"nothing was fitted: {found.reason}", 400)), soft_wrap=True)
    table = Table("", "now", "fitted", "by the labels alone", box=None)
    for name, now in found.before.items():
        table.add_row(escape(plain(name, 24)), f"{now:.2f}", f"{found.weights[name]:.2f}", _interval(found.alone[name]))
    value, low, high = (f"{100 * one:+.1f}" for one in (found.gain.value, found.gain.low, found.gain.high))
    kept = "not written: a gain is not shown, so keep the weights you have"
    lines = (
        f"pairs in people's order: {found.agrees:.1%} of {found.pairs:,} on {found.questions:,} questions",
        f"gain on unseen questions: {value} points ({low} to {high})",
        f"wrote {found.written}" if found.written else kept,
    )
    return _print(console(), table, lines, 1_000)


def _cell(one: success.Figure) -> str:
    return "-" if one.figure is None else _interval(one.figure)


def _interval(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
