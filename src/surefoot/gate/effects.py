"""What an axis of a matrix changes: each of its values against the first, averaged over matched cells, per question.

A question counts in a difference when every cell behind it has a verdict there: an endpoint that was down must not read
as fewer wrong answers. How many questions are left out for that stands beside the difference.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from surefoot.core.table import BUCKETS
from surefoot.core.types import Estimate, Question
from surefoot.gate.looks import mean_change
from surefoot.gate.metrics import METRICS, UNGRADED, UNKNOWN, Metric, Part, buckets, measured
from surefoot.gate.sides import Run, Said, asked_of, document_of, failed_checks, side_of

STRATA = ("unanswerable", "adversarial", "retrieval_null")  # where pipelines differ most
# What decides which of two values is better, the first that is settled, and which way is better.
ORDER = (("wrong", -1), ("unsupported", -1), ("correct", 1))
UNIT = (
    "Differences are per 100 questions (over_refusal: answerable ones; under_refusal: unanswerable ones;"
    " citation_supports_rate: those answered with citations in every cell; acceptable[...]: questions of that stratum,"
    " correct or refused; refusal_quality: points of 3, over questions refused in every cell). The interval is the"
    " gate's, from 1 % to 97.5 % of what asking again could show, not adjusted for how many there are: about one in"
    " thirty misses."
)


def _acceptable_in(stratum: str) -> Metric:
    """The share of answers that are correct or refused, of the questions in one stratum."""
    whole = METRICS["acceptable"]
    return whole._replace(
        name=f"{whole.name}[{stratum}]", unit=f"{stratum} questions",
        over=lambda said, question: question is not None and question.stratum == stratum and whole.over(said, question),
    )  # fmt: skip


_NAMED = ("over_refusal", "under_refusal", "citation_supports_rate", "refusal_quality")
RATES = {one.name: one for one in (*(METRICS[name] for name in _NAMED), *map(_acceptable_in, STRATA))}
MEASURED: Mapping[str, Metric] = {name: METRICS[name] for name in (*BUCKETS, UNGRADED)} | RATES


class CellResult(Struct, frozen=True):
    """What the answers of a cell come to, or why there are no verdicts on them."""

    name: str
    values: dict[str, str]
    run: str  # id
    buckets: dict[str, int] = {}
    rates: dict[str, Estimate] = {}
    tokens: int | None = None
    cost_usd: float | None = None
    notes: tuple[str, ...] = ()  # what went wrong with single answers
    failed: str = ""
    complete: bool = False  # every answer has a verdict, by a grader that passed its self-check

    @property
    def graded(self) -> int:
        return sum(self.buckets.get(bucket, 0) for bucket in BUCKETS)


class Answered(NamedTuple):
    """The answers of a cell with their questions."""

    answers: tuple[tuple[Said, Question | None], ...]
    deterministic: bool


def result_of(
    name: str, values: Mapping[str, str], side: Run, notes: tuple[str, ...] = ()
) -> tuple[CellResult, Answered]:
    asked = asked_of([side], [side])[0]
    given = side_of([side], asked)
    answers, found = tuple((one, asked[id]) for id in asked for one in given.answers[id]), buckets(given, asked)
    tokens = [trace.tokens for trace in side.traces.values() if trace.tokens is not None]
    costs = [trace.cost_usd for trace in side.traces.values() if trace.cost_usd is not None]
    is_graded = any(found[bucket] for bucket in BUCKETS)  # without, a rate of 0 would be a claim
    made = CellResult(
        name, dict(values), side.name, buckets=found, notes=notes,
        rates={name: measured(metric, answers)[0] for name, metric in RATES.items() if is_graded},
        tokens=sum(tokens) if tokens else None, cost_usd=sum(costs) if costs else None,
        complete=not failed_checks([side]) and not found[UNGRADED],
    )  # fmt: skip
    return made, Answered(answers, side.deterministic)


class Difference(Struct, frozen=True):
    """Per 100 of what the measure is counted over, of a mean in its points."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    questions: int = 0
    left_out: int = 0  # questions without a verdict in one of the cells

    @property
    def settled(self) -> bool:
        """The interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "-"
        return f"{signed(self.value)} [{signed(self.low)}, {signed(self.high)}]"


class Effect(Struct, frozen=True):
    """One value of an axis against its reference."""

    axis: str
    value: str
    reference: str
    pairs: int  # of cells that differ in this axis alone
    pairs_lost: int  # because a cell has failed
    differences: dict[str, Difference]
    reading: str  # what can be said of it: the differences whose interval leaves 0 out


Pairs = list[tuple[CellResult, CellResult]]
Axes = Mapping[str, Sequence[str]]  # the names on each axis that a cell lies on, the reference first


def effects_of(
    cells: Sequence[CellResult], given: Mapping[str, Answered], axes: Axes, documents: Mapping[str, str]
) -> tuple[Effect, ...]:
    """`given` has the answers of the cells by their names; `documents` the document of each passage, if known."""
    usable = [cell for cell in cells if cell.graded]
    pairs = {(axis, value, values[0]): _matched(usable, axis, value, values[0])
             for axis, values in axes.items() if usable for value in values[1:]}  # fmt: skip
    found = []
    for named, some in pairs.items():
        differences = {name: _difference(metric, some, given, documents) for name, metric in MEASURED.items()}
        settled = ", ".join(f"{name} {one}" for name, one in differences.items() if one.settled)
        reading = settled or "no difference can be told: every interval covers 0"
        found.append(Effect(*named, len(some), len(_matched(cells, *named)) - len(some), differences, reading))
    return tuple(found)


def _matched(cells: Sequence[CellResult], axis: str, value: str, reference: str) -> list[tuple[CellResult, CellResult]]:
    """Cells that differ in this axis alone; one that does not lie on another axis matches all that do."""
    return [
        (one, two)
        for one in cells
        for two in cells
        if one.values.get(axis) == value
        and two.values.get(axis) == reference
        and all(one.values[a] == two.values[a] for a in (one.values.keys() & two.values.keys()) - {axis})
    ]


def _difference(
    metric: Metric, pairs: Pairs, given: Mapping[str, Answered], documents: Mapping[str, str]
) -> Difference:
    """Compare the mean over the cells on either side, question by question and asking by asking."""
    sides = [[pair[place] for pair in pairs] for place in (1, 0)]  # the reference first
    parts = {cell.name: _parts(given[cell.name], metric) for pair in pairs for cell in pair}
    questions = {said.question_id: question for pair in pairs for said, question in given[pair[0].name].answers}
    values: tuple[dict[str, list[float | None]], dict[str, list[float | None]]] = {}, {}
    left_out = 0
    for id in sorted({id for one in parts.values() for id in one}):
        known = {name: [float(part) for part in one[id] if isinstance(part, (int, Fraction))]
                 for name, one in parts.items()}  # fmt: skip
        if not all(known.values()):
            left_out += any(UNKNOWN in one[id] for name, one in parts.items() if not known[name])
            continue
        for cells, found in zip(sides, values, strict=True):
            found[id] = list(np.mean(list(zip(*(known[cell.name] for cell in cells), strict=False)), axis=1))
    if not values[0]:
        return Difference(left_out=left_out)
    about = {id: document for id, question in questions.items()
             if question and (document := document_of(question, documents))}  # fmt: skip
    fixed = [all(given[cell.name].deterministic for cell in cells) for cells in sides]
    change = mean_change(*values, about, (fixed[0], fixed[1]))
    per, most = (1, math.inf) if metric.shape == "mean" else (100, 1.0)
    low, high = per * max(-most, change.low), per * min(most, change.high)
    return Difference(per * change.value, low, high, len(values[0]), left_out)


def _parts(cell: Answered, metric: Metric) -> defaultdict[str, list[Part]]:
    """By question, what every asking adds."""
    found: defaultdict[str, list[Part]] = defaultdict(list)
    for said, question in cell.answers:
        found[said.question_id].append(metric.part(said, question))
    return found


def signed(value: float) -> str:
    """One decimal; what rounds to nought has no sign."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}"


def conclusions(cells: Sequence[CellResult], effects: Sequence[Effect], axes: Axes) -> Iterator[str]:
    if not any(cell.graded for cell in cells):
        yield "no cell has verdicts, so nothing can be compared"
    for effect in effects:
        both = f"{effect.axis}: {effect.value} and {effect.reference}"
        yield _better(effect) if effect.pairs else f"{both} have no two cells with verdicts to compare"
    for axis, values in axes.items():
        if len(values) == 1 and len(axes) > 1:
            yield f"{axis}: no effect can be measured, it has one value only"


def _better(effect: Effect) -> str:
    """Which of two values to take, by the first count in ORDER that is settled, and which others are against it."""
    gains = {name: way * (effect.differences[name].value or 0.0) for name, way in ORDER}
    decided = next((name for name, _ in ORDER if effect.differences[name].settled), None)
    if decided is None:
        return f"{effect.axis}: which of {effect.value} and {effect.reference} is better cannot be told"
    wins = gains[decided] > 0
    better, other = (effect.value, effect.reference) if wins else (effect.reference, effect.value)
    fewer = {name: "fewer" if way < 0 else "more" for name, way in ORDER}
    told = f"{abs(gains[decided]):.1f} {fewer[decided]} of 100 answers are {decided}"
    against = [
        f"{abs(gain):.1f} {'more' if fewer[name] == 'fewer' else 'fewer'} are {name}"
        + ("" if effect.differences[name].settled else " (may be chance)")
        for name, gain in gains.items()
        if (gain < 0 if wins else gain > 0) and signed(gain) != "0.0"
    ]
    price = f", but {' and '.join(against)}" if against else ""
    return f"{effect.axis}: {better} is better than {other}: {told}{price}"
