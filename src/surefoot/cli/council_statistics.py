"""surefoot council evaluate and surefoot council tune: what a council's scores are worth, and better weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.cli.output import PERSON, Output, common, console
from surefoot.core.records import Interval
from surefoot.core.types import counted, plain
from surefoot.reviewers.habits import Habit
from surefoot.reviewers.sheet import OVERALL
from surefoot.reviewers.success import Compared, Figure
from surefoot.reviewers.voices import Voices
from surefoot.services.council_statistics import CouncilEvaluation, RubricTuned, evaluate_council, tune_rubric

_FILE = click.Path(dir_okay=False, path_type=Path)
_HABITS = {
    "shift": "points beside the others",
    "spread": "times the others' spread",
    "length": "points more than the others for twice the length",
    "self_preference": "points more for own answers",
}


@click.command(epilog="Example: surefoot council evaluate v1 v2 --labels labels.csv --compare holistic")
@click.argument("names", nargs=-1, required=True, metavar="RUN...")
@click.option("--labels", metavar="FILE", type=_FILE, help="Scores, buckets or preferences by people.")
@click.option("--compare", type=click.Choice(["holistic"]), help="Require a holistic score to compare with.")
@common()
def evaluate(output: Output, names: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Say what a council's scores are worth on your answers.

    Shows whether reviewers agree with each other and with people, which of them are biased or add nothing, and
    whether the rubric beats a holistic score.
    """
    found = evaluate_council(*names, person=PERSON, **options)
    return output.finish(found, lambda: _show(found))


@click.command(epilog="Example: surefoot council tune v1 v2 --labels labels.csv --rubric council --out mine.toml")
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
    found = tune_rubric(*names, person=PERSON, **options)
    return output.finish(found, lambda: _show_tuned(found))


def _show(found: CouncilEvaluation) -> None:
    table = Table("", "reviewers differ by (variance)", "less the holistic score's", "due to the answer", box=None)
    for one in found.success.dimensions:
        cells = (one.variance, one.against_holistic, one.reliability)
        named = "overall, before caps" if one.dimension == OVERALL else plain(one.dimension, 24)
        table.add_row(escape(named), *map(_cell, cells))
    to = console()
    to.print(table)
    for line in _lines(found):
        to.print(Text(plain(line, 1_000)), soft_wrap=True)


def _lines(found: CouncilEvaluation) -> Iterator[str]:
    made = found.success
    yield f"order with other reviewers (Kendall's tau): {_compared(made.stability)}"
    yield f"order as people see it (Kendall's tau): {_compared(made.people)}"
    yield f"conciseness with length (Kendall's tau): {_cell(made.conciseness_against_length)}"
    yield from _votes(found.voices)
    yield from _biases(found.bias)
    yield from _missing(found)
    yield f"does the rubric earn its cost here? {made.earns_its_cost}: {made.because}"


def _compared(one: Compared) -> str:
    return f"rubric {_cell(one.rubric)}; holistic {_cell(one.holistic)}; difference {_cell(one.difference)}"


def _votes(found: Voices) -> Iterator[str]:
    votes = "not measured" if found.effective_votes is None else f"{_interval(found.effective_votes)} of {found.votes}"
    yield f"independent votes: {votes}{f': {found.reason}' if found.reason else ''}"
    yield from (f"{one.reviewer} adds nothing: {one.why}" for one in found.adds_nothing)
    for pair in found.alike:
        yield f"{' and '.join(pair.reviewers)} err alike: correlation {_interval(pair.correlation)}"


def _biases(bias: tuple[Habit, ...]) -> Iterator[str]:
    """One line for each reviewer and kind, with the dimensions that stand out."""
    clear: dict[tuple[str, str], list[str]] = {}
    for one in bias:
        if one.stands_out and one.figure is not None:
            clear.setdefault((one.reviewer, one.kind), []).append(f"{one.dimension} {_interval(one.figure)}")
    for (reviewer, kind), figures in clear.items():
        yield f"bias: {reviewer}: {_HABITS[kind]}: {', '.join(figures)}"
    known = sum(one.figure is not None for one in bias)
    shown = sum(one.stands_out for one in bias)
    yield f"bias: {shown} of {counted(known, 'figure')} stand out; all their intervals hold together at 95 %"


def _missing(found: CouncilEvaluation) -> Iterator[str]:
    """Which figures are missing and why, each reason once."""
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
    everything = list(dict.fromkeys(one.dimension for one in found.bias))
    kinds: dict[tuple[str, str], dict[str, None]] = {}
    for one in found.bias:
        if one.figure is None:
            kinds.setdefault((one.reason, one.kind), {})[one.dimension] = None
    for (reason, kind), dimensions in kinds.items():
        of = "" if len(dimensions) == len(everything) else f" of {', '.join(dimensions)}"
        missing.setdefault(reason, []).append(f"{kind.replace('_', ' ')}{of}")
    yield from (f"not shown: {', '.join(whats)}: {reason}" for reason, whats in missing.items())


def _show_tuned(found: RubricTuned) -> None:
    to = console()
    if found.weights is None or found.before is None or found.alone is None or found.gain is None:
        to.print(Text(plain(f"nothing was fitted: {found.reason}", 400)), soft_wrap=True)
        return
    table = Table("", "now", "fitted", "by the labels alone", box=None)
    for name, now in found.before.items():
        table.add_row(escape(plain(name, 24)), f"{now:.2f}", f"{found.weights[name]:.2f}", _interval(found.alone[name]))
    to.print(table)
    to.print(f"pairs in people's order: {found.agrees:.1%} of {found.pairs:,} on {found.questions:,} questions")
    gain = (f"{100 * value:+.1f}" for value in (found.gain.value, found.gain.low, found.gain.high))
    to.print("gain on unseen questions: {} points ({} to {})".format(*gain))
    kept = "not written: a gain is not shown, so keep the weights you have"
    to.print(Text(f"wrote {found.written}" if found.written else kept), soft_wrap=True)


def _cell(one: Figure) -> str:
    return "-" if one.figure is None else _interval(one.figure)


def _interval(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
