"""What an axis changes: each of its values against the first, averaged over the other axes, on the same questions.

A question counts in a difference when every cell behind it has a verdict there: an endpoint that was down must not read
as fewer wrong answers. How many questions are left out for that stands beside the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.intervals import ALPHA, t_quantile
from surefoot.core.table import BUCKETS
from surefoot.core.types import Question
from surefoot.factors.results import RATES, CellResult
from surefoot.gate.metrics import METRICS, UNGRADED, UNKNOWN, Metric, Part
from surefoot.gate.sides import document_of

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]

_METRICS = {name: METRICS[name] for name in (*BUCKETS, UNGRADED)} | dict(RATES)
MEASURED = tuple(_METRICS)
ONE_VALUE = "it has one value only"
NOTHING_TO_COMPARE = "no two cells to compare have verdicts"
DRAWS = 2_000
FEWEST = 10  # clusters: below, a bootstrap promises more than it can keep
_SEED = 20_260
_AT_ONCE = 100
_AS_GOOD_AS_NORMAL = 500  # degrees of freedom
_MOST_UNDEFINED = 0.05
_PER = 100
_ROUNDING_ERROR = 1e-9


class Difference(Struct, frozen=True):
    """Per 100 of what the measure is counted over, of a mean in its points; `low` and `high` are the 95 % interval."""

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
    """For every cell, measure and question: what it adds above and below a rate, and whether that is known.

    A paired bootstrap draws whole documents anew, and with a document all its questions in every cell, so two cells are
    always compared on the same questions. The draws come from a fixed seed and do not depend on the order in which
    questions or cells are given.
    """

    def __init__(self, cells: Sequence[CellResult], documents: Mapping[str, str]) -> None:
        questions = {answer.question_id: question for cell in cells for answer, question in cell.answers}
        place = {id: at for at, id in enumerate(sorted(questions))}
        shape = (len(cells), len(MEASURED), len(place))
        self.above, self.below, self.known = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
        for row, cell in enumerate(cells):
            for (column, id), parts in _parts(cell).items():
                known = [part for part in parts if part is not UNKNOWN]
                numbers = [part for part in known if isinstance(part, int)]
                if known:  # the attempts of one question count together as one
                    at = row, column, place[id]
                    self.known[at] = True
                    self.above[at], self.below[at] = sum(numbers) / len(known), len(numbers) / len(known)
        names, self._cluster = np.unique([_cluster(id, questions[id], documents) for id in place], return_inverse=True)
        size, generator = len(names), np.random.default_rng(_SEED)
        drawn = [
            generator.multinomial(size, np.full(size, 1 / size), size=_AT_ONCE).astype(np.uint8)
            for _ in range(0, DRAWS, _AT_ONCE)
        ]
        self._weights = np.concatenate([np.ones((1, size), dtype=np.uint8), *drawn])

    def everywhere(self, cells: Sequence[int], columns: Sequence[int]) -> Mask:
        """The questions on which these measures are known in these cells."""
        return np.asarray(self.known[np.ix_(cells, columns)].all(axis=(0, 1)))

    def rates(self, cells: Sequence[int], column: int, used: Mask) -> tuple[Numbers, Mask]:
        """Each cell's rate as observed (first row) and as drawn (all others), and in which rows every cell has one."""
        above, below = (self._sums((part[list(cells), column] * used).T) for part in (self.above, self.below))
        return np.divide(above, below, out=np.zeros_like(above), where=below > 0), np.asarray((below > 0).all(axis=1))

    def _sums(self, columns: Numbers) -> Numbers:
        """`columns` is (questions, k); the result (1 + DRAWS, k)."""
        by_cluster = np.zeros((self._weights.shape[1], columns.shape[1]))
        np.add.at(by_cluster, self._cluster, columns)
        steps = range(0, len(self._weights), _AT_ONCE)
        return np.concatenate([self._weights[at : at + _AT_ONCE].astype(float) @ by_cluster for at in steps])

    def estimate(self, drawn: Numbers, defined: Mask, used: Mask, left_out: int) -> Difference:
        between, reason = interval(drawn[1:][defined[1:]], len(np.unique(self._cluster[used])))
        low, high = between or (None, None)
        return Difference(_clean(drawn[0]), _clean(low), _clean(high), int(used.sum()), left_out, reason)


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


def _parts(cell: CellResult) -> dict[tuple[int, str], list[Part]]:
    """By measure and question, what every attempt adds."""
    found: dict[tuple[int, str], list[Part]] = {}
    for answer, question in cell.answers:
        for column, name in enumerate(MEASURED):
            found.setdefault((column, answer.question_id), []).append(_METRICS[name].part(answer, question))
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
    found = {name: _difference(_METRICS[name], column, pairs, tallies) for column, name in enumerate(MEASURED)}
    return Effect(axis, *named, len(pairs), lost, found)


def _difference(measure: Metric, column: int, pairs: Sequence[tuple[int, int]], tallies: _Tallies) -> Difference:
    if not pairs:
        return Difference(None, reason=NOTHING_TO_COMPARE)
    involved = sorted({cell for pair in pairs for cell in pair})
    known = tallies.everywhere(involved, (column,))
    about = tallies.below[involved, column].any(axis=0)
    used, left_out = np.asarray(known & about), int((~known).sum())
    rates, defined = tallies.rates(involved, column, used)
    if not defined[0]:
        return Difference(None, left_out=left_out, reason=f"a cell has no {measure.unit}")
    at = {cell: place for place, cell in enumerate(involved)}
    drawn = sum(rates[:, at[one]] - rates[:, at[other]] for one, other in pairs) / len(pairs)
    drawn = drawn * (1 if measure.shape == "mean" else _PER)
    return tallies.estimate(np.asarray(drawn), defined, used, left_out)


def interval(draws: Numbers, clusters: int) -> tuple[tuple[float, float] | None, str]:
    """95 % of the draws, a little more where clusters are few; or why there is no interval.

    Plain percentiles are too narrow by the factor by which a normal interval is narrower than Student's.
    """
    if clusters < FEWEST:
        return None, f"an interval takes {FEWEST} questions (of different documents), there are {clusters}"
    if len(draws) < (1 - _MOST_UNDEFINED) * DRAWS:
        return None, "too few cases for an interval"
    freedom = min(clusters - 1, _AS_GOOD_AS_NORMAL)
    tail = NormalDist().cdf(-sqrt(clusters / (clusters - 1)) * t_quantile(1 - ALPHA / 2, freedom))
    low, high = np.quantile(draws, [tail, 1 - tail])
    return (float(low), float(high)), ""


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
    by_bucket = [tallies.rates(everyone, bucket, used) for bucket in buckets]
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
        apart = tallies.estimate(drawn[first] - drawn[second], defined, used, int((~used).sum()))
        contests.append(Contest(first, second, apart))
    return tuple(movements), tuple(contests)


def _moved(shares: Numbers, pairs: Sequence[tuple[int, int]]) -> Numbers:
    """Half of all changes: an answer that leaves one bucket arrives in another. `shares` is (bucket, draw, cell)."""
    changes = _mean(shares[:, :, one] - shares[:, :, other] for one, other in pairs)
    return np.asarray(np.abs(changes).sum(axis=0) / 2 * _PER)


def _mean(arrays: Iterable[Numbers]) -> Numbers:
    return np.asarray(np.mean(np.stack(list(arrays)), axis=0))


UNIT = (
    "Differences are per 100 questions (over_refusal: answerable ones; under_refusal: unanswerable ones;"
    " citation_supports_rate: answers with citations; acceptable[...]: questions of that stratum, correct or refused;"
    " refusal_quality: points of 3 for a refusal), with a 95 % interval from a paired bootstrap over questions,"
    " by document where it is known. Each interval stands for itself: of twenty, one misses by chance."
)


def signed(value: float) -> str:
    """One decimal; what rounds to nought has no sign."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}"


def in_words(found: Difference) -> str:
    if found.value is None:
        return "-"
    if found.low is None or found.high is None:
        return f"{signed(found.value)} (no interval)"
    return f"{signed(found.value)} [{signed(found.low)}, {signed(found.high)}]"


def reading(effect: Effect) -> str:
    """What can be said of it: the differences whose interval leaves 0 out."""
    known = {name: found for name, found in effect.differences.items() if found.low is not None}
    if not known:
        return "nothing can be said without intervals"
    settled = [f"{name} {in_words(found)}" for name, found in known.items() if found.settled]
    return ", ".join(settled) if settled else "no difference can be told: every interval covers 0"


def _contest(found: Contest, movements: dict[str, Movement]) -> str:
    """Which axis moves the buckets more, as far as the interval allows to say it."""
    one, other = (f"{movements[axis].moved or 0.0:.1f}" for axis in (found.first, found.second))
    apart = found.difference
    seen = f"{found.first} moves {one} of 100 answers to another bucket, {found.second} {other}"
    if apart.low is None:
        return f"{seen}; whether that is more than chance cannot be told: {apart.reason}"
    if apart.settled:
        return f"{found.first} moves the buckets more than {found.second}: {seen}; difference {in_words(apart)}"
    return f"{seen}; which moves more cannot be told: the difference {in_words(apart)} covers 0"


def _better(effect: Effect) -> str:
    """Which of two values to take, by wrong answers and else by correct ones."""
    for bucket, sign in (("wrong", -1), ("correct", 1)):
        found = effect.differences[bucket]
        if found.settled and found.value is not None:
            pair = (effect.value, effect.reference)
            better, other = pair if found.value * sign > 0 else pair[::-1]
            count = f"{abs(found.value):.1f} {'fewer' if sign < 0 else 'more'} of 100 answers are {bucket}"
            price = _price(effect, better) if bucket == "wrong" else ""
            return f"{effect.axis}: {better} is better than {other}: {count}{price}"
    return f"{effect.axis}: which of {effect.value} and {effect.reference} is better cannot be told"


def _price(effect: Effect, better: str) -> str:
    """Correct answers that fewer wrong ones cost."""
    found = effect.differences["correct"]
    gain = (found.value or 0.0) * (1 if better == effect.value else -1)
    return f", but {abs(gain):.1f} fewer are correct" if found.settled and gain < 0 else ""


def conclusions(matrix: Matrix) -> Iterator[str]:
    movements = {movement.axis: movement for movement in matrix.effects.movements}
    if not movements:
        yield "no cell has verdicts, so nothing can be compared"
    yield from (_better(effect) for effect in matrix.effects.effects if effect.differences["wrong"].value is not None)
    yield from (_contest(found, movements) for found in matrix.effects.contests)
    for movement in movements.values():
        if movement.moved is None:
            yield f"{movement.axis}: no effect can be measured, {movement.reason}"
    measured = [movement for movement in movements.values() if movement.moved is not None]
    if len(measured) == 1:
        yield f"{measured[0].axis} moves {measured[0].moved:.1f} of 100 answers to another bucket"
