"""surefoot council evaluate and surefoot council tune: what a council's scores are worth, and better weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.cli.options import json_option, ledger_option
from surefoot.cli.output import console, finish
from surefoot.cli.terminal import PERSON
from surefoot.records import Interval
from surefoot.report.words import counted, plain
from surefoot.reviewers.habits import Habit
from surefoot.reviewers.success import Compared, Figure
from surefoot.reviewers.voices import Voices
from surefoot.reviewers.weights import Refused
from surefoot.services.council_statistics import CouncilEvaluation, RubricTuned, evaluate_council, tune_rubric

_FOLDER = click.Path(path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)
_HABITS = {
    "shift": "points beside the others",
    "spread": "times the others' spread",
    "length": "points more than the others for twice the length",
    "position": "points for each place further down",
    "self_preference": "points more for own answers",
}


@click.command(epilog="Example: surefoot council evaluate runs/a runs/b --labels labels.csv --compare holistic")
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=_FOLDER)
@click.option("--labels", metavar="FILE", type=_FILE, help="Scores, buckets or preferences by people.")
@click.option("--compare", type=click.Choice(["holistic"]), help="Insist on a holistic score to compare with.")
@json_option("Print one JSON object, with every figure.")
def evaluate(folders: tuple[Path, ...], as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Say what a council's scores are worth on your answers.

    Shows whether reviewers agree, with each other and with people, which of them are biased or add nothing, and
    whether the rubric earns its cost beside a holistic score.
    """
    found = evaluate_council(*folders, person=PERSON, **options)
    return finish(found, as_json, lambda: _show(found))


@click.command(
    epilog="Example: surefoot council tune runs/a runs/b --labels labels.csv --rubric council --out mine.toml"
)
@click.argument("folders", nargs=-1, metavar="[RUN...]", type=_FOLDER)
@click.option("--labels", required=True, metavar="FILE", type=_FILE, help="Scores, buckets or preferences by people.")
@click.option("--rubric", required=True, metavar="NAME", help="Whose weights to start from: bundled, or a TOML file.")
@click.option("--out", required=True, metavar="FILE", type=_FILE, help="Where to write the new rubric.")
@ledger_option
@json_option()
def tune(folders: tuple[Path, ...], as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Fit a rubric's weights to what people prefer.

    Without RUN, all runs of the ledger that a council scored are used. The new rubric is written only if it orders
    unseen questions better; otherwise the command exits 3.
    """
    found = tune_rubric(*folders, person=PERSON, **options)
    return finish(found, as_json, lambda: _show_tuned(found))


def _show(found: CouncilEvaluation) -> None:
    table = Table("", "reviewers differ by (variance)", "less the holistic score's", "due to the answer", box=None)
    for one in found.success.dimensions:
        cells = (one.variance, one.against_holistic, one.reliability)
        table.add_row(escape(plain(one.dimension, 24)), *map(_cell, cells))
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
    why = f" ({found.reason})" if found.reason and found.effective_votes is not None else ""
    votes = "-" if found.effective_votes is None else f"{_interval(found.effective_votes)} of {found.votes}"
    yield f"independent votes: {votes}{why}"
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
    """Why figures are missing, each reason once."""
    made = found.success
    figures = [made.conciseness_against_length, made.stability.difference, made.people.difference]
    figures += [figure for one in made.dimensions for figure in (one.variance, one.against_holistic)]
    reasons = dict.fromkeys(one.reason for one in figures if one.figure is None)
    if found.voices.effective_votes is None:
        reasons |= {found.voices.reason: None}
    yield from (f"not shown: {reason}" for reason in _furthest(filter(None, reasons)))
    kinds: dict[str, list[str]] = {}
    for kind in dict.fromkeys(one.kind for one in found.bias):
        for reason in _furthest(one.reason for one in found.bias if one.kind == kind and one.reason):
            kinds.setdefault(reason, []).append(kind.replace("_", " "))
    yield from (f"not shown: {', '.join(named)}: {reason}" for reason, named in kinds.items())


def _furthest(reasons: Iterable[str]) -> list[str]:
    """Of reasons that differ in how much there is, the one with the most."""
    found: dict[str, tuple[int, str]] = {}
    for reason in reasons:
        lacks, _, has = reason.partition(", has ")
        found[lacks] = max(found.get(lacks, (-1, "")), (int(has) if has.isdigit() else 0, reason))
    return [reason for _, reason in found.values()]


def _show_tuned(result: RubricTuned) -> None:
    to, found = console(), result.found
    if isinstance(found, Refused):
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
    to.print(Text(f"wrote {result.written}" if result.written else kept), soft_wrap=True)


def _cell(one: Figure) -> str:
    return "-" if one.figure is None else _interval(one.figure)


def _interval(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
