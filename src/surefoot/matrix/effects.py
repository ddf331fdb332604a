"""What an axis changes: each of its values against the first, averaged over the other axes, on the same questions.

A question counts in a difference when every cell behind it has a verdict there: an endpoint that was down must not read
as fewer wrong answers. How many questions are left out for that stands beside the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.gate.metrics import METRICS, UNGRADED, UNKNOWN, Metric, Part
from surefoot.gate.sides import document_of
from surefoot.matrix.resampling import Numbers, Resamples, interval
from surefoot.matrix.results import RATES, CellResult
from surefoot.table import BUCKETS
from surefoot.types import Question

Mask = NDArray[np.bool_]

MEASURED = (*BUCKETS, UNGRADED, *RATES)
ONE_VALUE = "it has one value only"
NOTHING_TO_COMPARE = "no two cells to compare have verdicts"
_PER = 100
_ROUNDING_ERROR = 1e-9


class Difference(Struct, frozen=True):
    """Per 100 of what the measure is counted over; `low` and `high` are the 95 % interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    questions: int = 0
    left_out: int = 0  # questions without a verdict in one of the cells
    reason: str = ""  # why there is no value, or no interval

    @property
    def settled(self) -> bool:
        """The interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class Effect(Struct, frozen=True):
    """One value of an axis against its reference."""

    axis: str
    value: str
    reference: str
    pairs: int  # of cells that differ in this axis alone
    pairs_lost: int  # because a cell has failed
    differences: dict[str, Difference]


class Movement(Struct, frozen=True):
    """How many of 100 answers end in another bucket, net, between two values of an axis, on average."""

    axis: str
    moved: float | None
    reason: str = ""


class Contest(Struct, frozen=True):
    """Which of two axes moves the buckets more; `difference` is by how many answers of 100 the first does."""

    first: str
    second: str
    difference: Difference


class Effects(Struct, frozen=True):
    effects: tuple[Effect, ...]
    movements: tuple[Movement, ...]
    contests: tuple[Contest, ...]


class Matrix(Struct, frozen=True):
    """All that a report shows."""

    name: str
    axes: dict[str, tuple[str, ...]]  # only those that a cell lies on; the reference first
    cells: tuple[CellResult, ...]
    effects: Effects
    question_count: int
    repeats: int
    grader: str
    trust: str = ""  # how far the grader can be trusted, in words


class _Tallies:
    """For every cell, measure and question: what it adds above and below a rate, and whether that is known."""

    def __init__(self, cells: Sequence[CellResult], documents: Mapping[str, str]) -> None:
        questions = {said.question_id: question for cell in cells for said, question in cell.answers}
        self.ids = sorted(questions)
        place = {id: at for at, id in enumerate(self.ids)}
        shape = (len(cells), len(MEASURED), len(self.ids))
        self.above, self.below = np.zeros(shape), np.zeros(shape)
        self.known = np.zeros(shape, dtype=bool)
        for row, cell in enumerate(cells):
            for id, parts in _parts(cell).items():
                for column, given in enumerate(parts):
                    self._add((row, column, place[id]), given)
        self.resamples = Resamples([_cluster(id, questions[id], documents) for id in self.ids])

    def everywhere(self, cells: Sequence[int], columns: Sequence[int]) -> Mask:
        """The questions on which these measures are known in these cells."""
        return np.asarray(self.known[np.ix_(cells, columns)].all(axis=(0, 1)))

    def _add(self, place: tuple[int, int, int], parts: list[Part]) -> None:
        """The attempts of one question count together as one."""
        told = [part for part in parts if part is not UNKNOWN]
        numbers = [part for part in told if isinstance(part, int)]
        if told:
            self.known[place] = True
            self.above[place], self.below[place] = sum(numbers) / len(told), len(numbers) / len(told)


def effects_of(cells: Sequence[CellResult], axes: Mapping[str, Sequence[str]], documents: Mapping[str, str]) -> Effects:
    """`axes` has the names of each axis, the reference first; `documents` the document of each passage, if known."""
    usable = sorted((cell for cell in cells if cell.graded), key=lambda cell: cell.name)
    if not usable:
        return Effects((), (), ())
    tallies = _Tallies(usable, documents)
    effects = [
        _effect(axis, (value, values[0]), cells, usable, tallies)
        for axis, values in axes.items()
        for value in values[1:]
    ]
    return Effects(tuple(effects), *_movements(usable, axes, tallies))


def _parts(cell: CellResult) -> dict[str, list[list[Part]]]:
    """By question, for each measure what every attempt adds."""
    found: dict[str, list[list[Part]]] = {}
    for said, question in cell.answers:
        rows = found.setdefault(said.question_id, [[] for _ in MEASURED])
        for row, name in zip(rows, MEASURED, strict=True):
            row.append(METRICS[name].part(said, question))
    return found


def _cluster(id: str, question: Question | None, documents: Mapping[str, str]) -> str:
    document = document_of(question, documents) if question else None
    return f"question {id}" if document is None else f"document {document}"


def _matched(cells: Sequence[CellResult], axis: str, value: str, reference: str) -> list[tuple[int, int]]:
    """Cells that differ in this axis alone; one that does not lie on another axis matches all that do."""
    return [
        (at, other)
        for at, one in enumerate(cells)
        for other, two in enumerate(cells)
        if one.values.get(axis) == value
        and two.values.get(axis) == reference
        and all(one.values[a] == two.values[a] for a in (one.values.keys() & two.values.keys()) - {axis})
    ]


def _effect(
    axis: str, named: tuple[str, str], planned: Sequence[CellResult], usable: Sequence[CellResult], tallies: _Tallies
) -> Effect:
    pairs = _matched(usable, axis, *named)
    lost = len(_matched(planned, axis, *named)) - len(pairs)
    found = {name: _difference(METRICS[name], column, pairs, tallies) for column, name in enumerate(MEASURED)}
    return Effect(axis, *named, len(pairs), lost, found)


def _difference(measure: Metric, column: int, pairs: Sequence[tuple[int, int]], tallies: _Tallies) -> Difference:
    if not pairs:
        return Difference(None, reason=NOTHING_TO_COMPARE)
    involved = sorted({cell for pair in pairs for cell in pair})
    known = tallies.everywhere(involved, (column,))
    about = tallies.below[involved, column].any(axis=0)
    used, left_out = np.asarray(known & about), int((~known).sum())
    rates, defined = _rates(involved, column, used, tallies)
    if not defined[0]:
        return Difference(None, left_out=left_out, reason=f"a cell has no {measure.unit}")
    at = {cell: place for place, cell in enumerate(involved)}
    drawn = sum(rates[:, at[one]] - rates[:, at[other]] for one, other in pairs) / len(pairs) * _PER
    return _estimated(np.asarray(drawn), defined, used, left_out, tallies)


def _rates(cells: Sequence[int], column: int, used: Mask, tallies: _Tallies) -> tuple[Numbers, Mask]:
    """Each cell's rate as observed and as drawn, and in which of these rows every cell has one."""
    above = tallies.resamples.sums((tallies.above[list(cells), column] * used).T)
    below = tallies.resamples.sums((tallies.below[list(cells), column] * used).T)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0), np.asarray((below > 0).all(axis=1))


def _estimated(drawn: Numbers, defined: Mask, used: Mask, left_out: int, tallies: _Tallies) -> Difference:
    between, reason = interval(drawn[1:][defined[1:]], tallies.resamples.count(used))
    low, high = between or (None, None)
    return Difference(_clean(drawn[0]), _clean(low), _clean(high), int(used.sum()), left_out, reason)


def _clean(number: float | None) -> float | None:
    """Without what floating point leaves of a nought."""
    return None if number is None else 0.0 if abs(number) < _ROUNDING_ERROR else float(number)


def _movements(
    cells: Sequence[CellResult], axes: Mapping[str, Sequence[str]], tallies: _Tallies
) -> tuple[tuple[Movement, ...], tuple[Contest, ...]]:
    """On the questions that are graded in every cell, so that axes are held against each other on the same ones."""
    everyone, buckets = range(len(cells)), range(len(BUCKETS))
    used = tallies.everywhere(everyone, buckets)
    if not used.any():
        return tuple(Movement(axis, None, "no question is graded in every cell") for axis in axes), ()
    by_bucket = [_rates(everyone, bucket, used, tallies) for bucket in buckets]
    shares, defined = np.stack([rates for rates, _ in by_bucket]), by_bucket[0][1]
    drawn: dict[str, Numbers] = {}
    movements = []
    for axis, values in axes.items():
        contrasts = [pairs for two in combinations(values, 2) if (pairs := _matched(cells, axis, *two))]
        if contrasts:
            drawn[axis] = _mean(_moved(shares, pairs) for pairs in contrasts)
            movements.append(Movement(axis, _clean(float(drawn[axis][0]))))
        else:
            movements.append(Movement(axis, None, ONE_VALUE if len(values) == 1 else NOTHING_TO_COMPARE))
    contests = []
    for two in combinations(drawn, 2):
        first, second = sorted(two, key=lambda axis: -drawn[axis][0])
        apart = _estimated(drawn[first] - drawn[second], defined, used, int((~used).sum()), tallies)
        contests.append(Contest(first, second, apart))
    return tuple(movements), tuple(contests)


def _moved(shares: Numbers, pairs: Sequence[tuple[int, int]]) -> Numbers:
    """Half of all changes: an answer that leaves one bucket arrives in another. `shares` is (bucket, draw, cell)."""
    changes = _mean(shares[:, :, one] - shares[:, :, other] for one, other in pairs)
    return np.asarray(np.abs(changes).sum(axis=0) / 2 * _PER)


def _mean(arrays: Iterable[Numbers]) -> Numbers:
    return np.asarray(np.mean(np.stack(list(arrays)), axis=0))
