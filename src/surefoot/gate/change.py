"""The change of a metric between two versions: one quantity, one interval.

The interval holds what the grader may have got wrong (`belief.py`) and what another run of the same pipelines would
have changed. Where nothing is uncertain it shrinks to the count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.records import is_person
from surefoot.core.table import BUCKETS
from surefoot.core.types import Question
from surefoot.gate.metrics import Metric, Value
from surefoot.gate.sides import BUCKET_AXIS, Said, Side

DRAWS, FEWEST_DRAWS = 4_000, 200
_MOST_CELLS = 8_000_000  # of draws times answers, to fit into memory
_PRIOR = 0.5  # of a label that nobody gave, for each thing the grader could have said (Jeffreys)
_APART = 0.7  # how far the sides may differ, one standard deviation in log-odds
_NEVER = 1e-12
Numbers = NDArray[np.float64]


class Answer(Struct, frozen=True):
    """One of the different answers. `side` is 0 for the baseline, 1 for the candidate, None where both gave it."""

    key: str
    side: int | None
    verdict: Value | None
    label: Value | None = None
    drawn: bool = False


class Truths(Struct):
    """Numbers for the metric that may be true, one row for each draw, one column for each answer."""

    values: Numbers
    weights: Numbers  # of the draws; they add up to 1


def truths(answers: Sequence[Answer], worth: Mapping[Value, float], most: int = DRAWS, seed: int = 0) -> Truths:
    """Draw the truths of answers. `worth` is what each label counts for the metric.

    Draws come in twos that mirror each other: exchanging the sides exchanges the two.
    """
    opened = [number for number, answer in enumerate(answers) if answer.label is None]
    draws = min(most, max(FEWEST_DRAWS, _MOST_CELLS // len(opened))) // 2 * 2 if opened else 1
    values = np.empty((draws, len(answers)))
    for number, answer in enumerate(answers):
        if answer.label is not None:
            values[:, number] = worth[answer.label]
    log_weights = np.zeros(draws)
    generator = np.random.default_rng(seed)
    for verdict in sorted({answers[number].verdict for number in opened}, key=str):
        mine = [number for number in opened if answers[number].verdict == verdict]
        labels = [answer for answer in answers if answer.verdict == verdict and answer.drawn]
        shares, log_weight = _shares(labels, worth, draws, generator)
        log_weights += log_weight
        lots = np.tile(generator.random((draws // 2, len(mine))), (2, 1))
        for side in (None, 0, 1):
            columns = [place for place, number in enumerate(mine) if answers[number].side == side]
            numbers = [mine[place] for place in columns]
            values[:, numbers] = _drawn(shares[side], sorted(set(worth.values())), lots[:, columns])
    weights = np.exp(log_weights - log_weights.max())
    return Truths(values, weights / weights.sum())


def _shares(
    labels: Sequence[Answer], worth: Mapping[Value, float], draws: int, generator: np.random.Generator
) -> tuple[dict[int | None, Numbers], Numbers]:
    """How often each number is true of answers with one verdict, by side, and how well each draw fits the labels."""
    numbers = sorted(set(worth.values()))
    place = {label: numbers.index(number) for label, number in worth.items()}
    counts: dict[int | None, Numbers] = {side: np.zeros(len(numbers)) for side in (None, 0, 1)}
    for answer in labels:
        if answer.label is not None:
            counts[answer.side][place[answer.label]] += 1
    alpha = sum(counts.values(), np.zeros(len(numbers)))
    for label in worth:
        alpha[place[label]] += _PRIOR
    both = np.maximum(np.tile(generator.dirichlet(alpha, draws // 2), (2, 1)), _NEVER)
    apart = generator.normal(0, _APART, draws // 2)
    apart = np.concatenate([apart, -apart])[:, None]
    height = (np.array(numbers) - numbers[0]) / (numbers[-1] - numbers[0] or 1)
    shares: dict[int | None, Numbers] = {None: both / both.sum(axis=1, keepdims=True)}
    fit = np.zeros(draws)
    for side, sign in ((0, -0.5), (1, 0.5)):
        tilted = shares[None] * np.exp(sign * apart * height)
        shares[side] = tilted / tilted.sum(axis=1, keepdims=True)
        fit += (np.log(shares[side]) - np.log(shares[None])) @ counts[side]
    return shares, fit


def _drawn(shares: Numbers, numbers: Sequence[float], lots: Numbers) -> Numbers:
    """A number for each lot, as often as its share."""
    up_to = np.cumsum(shares, axis=1)
    values = np.full(lots.shape, numbers[0], dtype=float)
    for place in range(1, len(numbers)):
        values += (numbers[place] - numbers[place - 1]) * (lots > up_to[:, place - 1 : place])
    return values


SEED = 20
_FEW = 10  # draws
_SAME = 1e-9  # thirds and sevenths do not add up to the last bit


class Occurrence(Struct, frozen=True):
    """That a side gave an answer to a question."""

    question: int
    side: int
    answer: int


class Evidence(Struct, frozen=True):
    """All that is known about one metric, in numbers."""

    answers: Sequence[Answer]
    occurrences: Sequence[Occurrence]
    questions: int
    worth: Mapping[Value, float]
    attempts: tuple[int, int] = (1, 1)  # of each side at every question
    deterministic: tuple[bool, bool] = (False, False)
    is_ratio: bool = False
    scale: float = 1

    @property
    def labels(self) -> int:
        """How many labels tell something of answers without one."""
        return sum(one.drawn and one.label is not None and one.verdict is not None for one in self.answers)

    @property
    def unchecked(self) -> set[Value | None]:
        """The verdicts on answers without a label of which no label tells anything, as far as the sides differ."""
        told = {one.verdict for one in self.answers if one.drawn and one.label is not None}
        return {one.verdict for one in self.answers if one.label is None and one.side is not None} - told


class Draws(Struct, frozen=True):
    """What the change may be."""

    change: Numbers
    weights: Numbers
    means: tuple[float, float]  # of the two sides
    truth: Numbers  # what each answer adds to the change, one row for each draw
    noise: float  # the variance of running again
    reach: float = float("inf")  # luck is normal, and shares are not: none moves by more than all of it

    @property
    def mean(self) -> float:
        return float(self.change @ self.weights)

    @property
    def variance(self) -> float:
        return float((self.change - self.mean) ** 2 @ self.weights)

    def quantile(self, share: float) -> float:
        """Halfway between the draws where both are right, so that turning all signs turns the quantiles.

        Where few draws lie beyond it, the normal curve is asked as well, and the farther of the two counts.
        """
        order = np.argsort(self.change, kind="stable")
        ordered, reached = self.change[order], np.cumsum(self.weights[order])
        low, high = (min(int(np.searchsorted(reached, at)), len(order) - 1) for at in (share - _SAME, share + _SAME))
        found = round(float(ordered[low] + ordered[high]) / 2, 12) + 0.0
        spread = sqrt(self.variance)
        if spread > _SAME and min(share, 1 - share) * len(self.change) < _FEW:
            normal = self.mean + spread * NormalDist().inv_cdf(share)
            found = min(found, normal) if share < 0.5 else max(found, normal)
        return min(self.reach, max(-self.reach, found))


def draw(evidence: Evidence, draws: int = DRAWS) -> Draws:
    """What the change on these questions may be."""
    known = truths(evidence.answers, evidence.worth, draws, SEED)
    generator = np.random.default_rng(SEED + 1)
    base, cand = (_totals(evidence, known.values, side) for side in (0, 1))
    noise = _noise(evidence, cand.adds - base.adds, (base.spread, cand.spread))
    draws = len(known.weights)
    if draws == 1 and noise.any():  # the truth is known, and chance is not
        draws, known.weights = DRAWS, np.full(DRAWS, 1 / DRAWS)
    luck = generator.normal(size=draws - draws // 2)
    change = cand.value - base.value + np.sqrt(noise) * np.concatenate([luck, -luck])[:draws]
    reach = max(evidence.worth.values()) - min(evidence.worth.values())
    means = [float((one.value * np.ones(draws)) @ known.weights) for one in (base, cand)]
    return Draws(
        change, known.weights, (means[0], means[1]), _added(evidence, known.values), float(noise.mean()), reach
    )


class _Totals(Struct, frozen=True):
    """A side's questions, draw by draw."""

    value: Numbers  # of the metric
    adds: Numbers  # what each question adds to the value; of a ratio, its straight line
    spread: Numbers  # the variance between attempts at each question


def _totals(evidence: Evidence, values: Numbers, side: int) -> _Totals:
    occurrences, times = [one for one in evidence.occurrences if one.side == side], evidence.attempts[side]
    answers = values[:, [one.answer for one in occurrences]] / times
    questions = np.array([one.question for one in occurrences], dtype=int)
    above = _by_question(answers, questions, evidence.questions)
    squares = _by_question(answers**2 * times, questions, evidence.questions)
    value = above.mean(axis=1)
    if evidence.is_ratio:
        below = np.bincount(questions, minlength=evidence.questions) / times
        value = value / below.mean()
        centre = value[:, None]
        squares = (squares - 2 * centre * above + centre**2 * below) / below.mean() ** 2
        above = (above - centre * below) / below.mean()
    return _Totals(value, above, np.maximum(squares - above**2, 0) * times / max(times - 1, 1))


def _by_question(answers: Numbers, questions: NDArray[np.intp], many: int) -> Numbers:
    """The columns of answers, added up by question."""
    order = np.argsort(questions, kind="stable")
    sums = np.zeros((len(answers), many))
    if len(order):
        first = np.flatnonzero(np.diff(questions[order], prepend=-1))
        sums[:, questions[order][first]] = np.add.reduceat(answers[:, order], first, axis=1)
    return sums


def _noise(evidence: Evidence, difference: Numbers, spreads: tuple[Numbers, Numbers]) -> Numbers:
    """The variance that running both versions again would add, for each draw, with one answer more that moved."""
    questions, one = evidence.questions, evidence.scale**2
    if all(evidence.deterministic):
        return np.zeros(len(difference))
    times = [float("inf") if fixed else count
             for fixed, count in zip(evidence.deterministic, evidence.attempts, strict=True)]  # fmt: skip
    if not any(1 < count < float("inf") for count in times):
        return np.asarray((difference**2).sum(axis=1) + one) / questions**2
    # A side that was asked once is taken to vary as much as the other.
    spread = [spreads[1 - side] if times[side] == 1 else spreads[side] for side in (0, 1)]
    again = sum((spread[side] / times[side]).sum(axis=1) for side in (0, 1))
    return np.asarray(again + one) / questions**2


def _added(evidence: Evidence, values: Numbers) -> Numbers:
    """What each answer adds to the change, draw by draw."""
    weight = np.zeros(len(evidence.answers))
    for one in evidence.occurrences:
        weight[one.answer] += (1 if one.side else -1) / evidence.attempts[one.side] / evidence.questions
    return values * weight


def evidence_on(
    metric: Metric, sides: tuple[Side, Side], asked: Mapping[str, Question | None], *, taken_for_truth: bool
) -> Evidence:
    """The answers of both sides to some questions as evidence on a metric."""
    found: defaultdict[str, list[tuple[int, Said]]] = defaultdict(list)
    given: list[tuple[str, int, str]] = []
    for id, question in asked.items():
        for place, side in enumerate(sides):
            for said in side.answers[id]:
                if metric.over(said, question):
                    found[said.key].append((place, said))
                    given.append((id, place, said.key))
    # Of what every answer has a share in, each question counts; of the rest, those that have such answers.
    kept = sorted({id for id, _, _ in given}) if metric.axis == BUCKET_AXIS else sorted(asked)
    numbers, keys = {id: number for number, id in enumerate(kept)}, {key: n for n, key in enumerate(sorted(found))}
    certain = taken_for_truth or metric.needs_no_labels
    answers = [_answer(key, found[key], metric, certain=certain) for key in keys]
    occurrences = [Occurrence(numbers[id], side, keys[key]) for id, side, key in given]
    is_ratio = metric.axis != BUCKET_AXIS and metric.shape != "count"
    return Evidence(
        answers, occurrences, len(kept), _worth(metric, answers), (sides[0].attempts, sides[1].attempts),
        (sides[0].deterministic, sides[1].deterministic), is_ratio, metric.scale,
    )  # fmt: skip


def _answer(key: str, given: Sequence[tuple[int, Said]], metric: Metric, *, certain: bool) -> Answer:
    sides, axis = {side for side, _ in given}, str(metric.axis)
    said = min((one for _, one in given), key=lambda one: str(one.graded.get(axis)))
    settled, graded = said.verdicts.get(axis), said.graded.get(axis)
    value = _usable(metric, settled.value if settled else None)
    verdict = None if graded is None or is_person(graded.grader) else _usable(metric, graded.value)
    is_known = certain or said.is_labelled(axis)
    drawn = any(one.is_drawn(axis) for _, one in given)
    return Answer(key, min(sides) if len(sides) == 1 else None, verdict, value if is_known else None, drawn)


def _usable(metric: Metric, value: Value | None) -> Value | None:
    return None if value is None or metric.of(value) is None else value


def _worth(metric: Metric, answers: Sequence[Answer]) -> dict[Value, float]:
    """What may be true of an answer, and what that counts: everything that an axis knows, or that was seen on it."""
    if metric.axis == BUCKET_AXIS:
        known: set[Value] = set(BUCKETS)
    elif metric.most is not None and metric.most > 1:
        known = set(range(metric.most + 1))
    elif metric.most == 1:
        known = {"yes", "partly", "no"}
    else:
        known = {0, 1}
    known |= {value for one in answers for value in (one.verdict, one.label) if value is not None}
    return {value: float(metric.of(value) or 0) for value in sorted(known, key=str)}
