"""Many figures from the same questions, with intervals that hold for all of them together.

A figure comes with its `parts`: what each question adds to its error. Chance turns the sign of a question's parts in
all figures at once, so figures that move together are not paid for twice, as they would be by dividing alpha.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.records import Interval
from surefoot.stats import ALPHA
from surefoot.stats.quantiles import t_quantile

FLIPS = 1_000
_SEED = 20_011
_AT_ONCE = 250  # so that many questions still fit into memory
_MOST_FREEDOM = 500  # beyond, Student's t is as good as normal
Numbers = NDArray[np.float64]


class Influence(NamedTuple):
    """A figure from `n` questions. `parts` has one number per question of the report, 0 where one says nothing.

    `shares` say how much of the figure each question decides; without, all decide as much.
    """

    value: float
    parts: Numbers
    n: int
    shares: Numbers | None = None

    @property
    def added(self) -> Numbers:
        """What each question adds to the figure itself."""
        shares = (self.parts != 0) / self.n if self.shares is None else self.shares
        return np.asarray(self.parts + self.value * shares)

    @property
    def error(self) -> float:
        """The standard error."""
        return sqrt(float(self.parts @ self.parts) * self.n / (self.n - 1))

    @property
    def strength(self) -> float:
        """How many standard errors the figure is from 0."""
        error = self.error
        return self.value / error if error else float(np.sign(self.value)) * _MOST_FREEDOM

    def within(self, reach: float) -> Interval:
        half = reach * self.error
        return Interval(self.value, self.value - half, self.value + half)


def mean_of(values: Numbers, given: NDArray[np.bool_]) -> Influence:
    """The mean over the questions that have a value."""
    n = int(given.sum())
    mean = float(values[given].mean())
    return Influence(mean, np.where(given, values - mean, 0.0) / n, n)


def reach(figures: Sequence[Influence], alpha: float = ALPHA) -> float:
    """By how many standard errors intervals must reach, so that at most this share of reports has a miss."""
    usable = [one for one in figures if one.error]
    if not usable:
        return t_quantile(1 - alpha / 2, 1)
    n = np.array([one.n for one in usable], dtype=float)
    alone = t_quantile(1 - alpha / 2, min(int(n.min()) - 1, _MOST_FREEDOM))
    # Turning what questions add is exact where there is nothing to be found, however few they are; turning their
    # errors is what an interval asks for. With many questions the two come to the same.
    ways = np.stack([one.added for one in usable], axis=1), np.stack([one.parts for one in usable], axis=1)
    return max(alone, *(float(np.quantile(_largest(parts, n), 1 - alpha)) for parts in ways))


def _largest(parts: Numbers, n: Numbers) -> Numbers:
    """How far the farthest figure is from 0, in standard errors, each time that chance turns the signs."""
    squares, generator = (parts**2).sum(axis=0), np.random.default_rng(_SEED)
    largest = []
    for start in range(0, FLIPS, _AT_ONCE):
        signs = generator.choice((-1.0, 1.0), size=(min(_AT_ONCE, FLIPS - start), len(parts)))
        sums = signs @ parts
        errors = np.sqrt(np.maximum(squares - sums**2 / n, 0) * n / (n - 1))
        strengths = np.divide(np.abs(sums), errors, out=np.full_like(sums, _MOST_FREEDOM), where=errors > 0)
        largest.append(strengths.max(axis=1))
    return np.concatenate(largest)
