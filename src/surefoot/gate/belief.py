"""What may be true of each answer, given what the grader says of it and what people said of some.

Answers with the same words have one truth, on both sides and in every run. What people said of an answer is its truth.
How often the others are truly what the grader calls them is learnt from the labels that chance drew. The two versions
may differ in that, as far as their own labels allow, so that labels on one side alone tip no scales.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.gate.metrics import Value

DRAWS, FEWEST_DRAWS = 4_000, 200
_MOST_CELLS = 8_000_000  # of draws times answers, to fit into memory
_PRIOR = 0.5  # of a label that nobody gave, for each thing the grader could have said (Jeffreys)
_APART = 0.7  # how far the sides may differ, one standard deviation in log-odds
_NEVER = 1e-12
Numbers = NDArray[np.float64]
Counts = Mapping[Value | None, Mapping[Value, float]]  # verdict -> label -> how many


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


def truths(
    answers: Sequence[Answer], worth: Mapping[Value, float], earlier: Counts, most: int = DRAWS, seed: int = 0
) -> Truths:
    """Draw the truths of answers. `worth` is what each label counts for the metric, `earlier` labels on other answers.

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
        shares, log_weight = _shares(labels, worth, earlier.get(verdict, {}), draws, generator)
        log_weights += log_weight
        lots = np.tile(generator.random((draws // 2, len(mine))), (2, 1))
        for side in (None, 0, 1):
            columns = [place for place, number in enumerate(mine) if answers[number].side == side]
            numbers = [mine[place] for place in columns]
            values[:, numbers] = _drawn(shares[side], sorted(set(worth.values())), lots[:, columns])
    weights = np.exp(log_weights - log_weights.max())
    return Truths(values, weights / weights.sum())


def _shares(
    labels: Sequence[Answer],
    worth: Mapping[Value, float],
    earlier: Mapping[Value, float],
    draws: int,
    generator: np.random.Generator,
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
        alpha[place[label]] += _PRIOR + earlier.get(label, 0)
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
