"""Figures with intervals that are drawn, or come from many questions at once: what needs numpy."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.intervals import ALPHA, beta_quantile, t_quantile
from surefoot.core.records import Interval

DRAWS = 20_000
Numbers = NDArray[np.float64]


def jeffreys(successes: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a plain share: equal tails of Beta(successes + 1/2, failures + 1/2), open at 0 and 1."""
    failures = n - successes
    low = beta_quantile(ALPHA / 2, successes + 0.5, failures + 0.5) if successes else 0.0
    high = beta_quantile(1 - ALPHA / 2, successes + 0.5, failures + 0.5) if failures else 1.0
    return low, high


def drawn_shares(n: Numbers, m: Numbers, k: Numbers, guess: Numbers) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    """Draw what may be true of groups of `n` answers each, of which `m` are known and `k` of those are hits.

    Return the size of each group, w ~ Dirichlet(n + 1/2), and its share of hits, p ~ Beta(k + guess, m - k + guess), a
    row a draw. The second shares take it that what nobody has seen in a group never happens there. As in Jeffreys'
    interval, one that covers both is open at 0 and 1; else the guess would decide rare shares.
    """
    rng = np.random.default_rng(0)
    weights = rng.standard_gamma(n + 0.5, (DRAWS, len(n)))
    weights /= weights.sum(axis=1, keepdims=True)
    shares = rng.beta(k + guess, m - k + guess, (DRAWS, len(n)))
    return weights, (shares, np.where((m > 0) & ((k == 0) | (k == m)), k > 0, shares))


def covering(ways: Sequence[Numbers]) -> tuple[float, float]:
    """Return the ends between which 95 % of the draws lie, each way."""
    low, high = np.quantile(ways, (ALPHA / 2, 1 - ALPHA / 2), axis=1)
    return float(low.min()), float(high.max())


FLIPS = 1_000
_SEED = 20_011
_AT_ONCE = 250  # so that many questions still fit into memory
_MOST_FREEDOM = 500  # beyond, Student's t is as good as normal


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


MOST_ANSWERS = 600  # whose pairs are formed across questions; more hardly narrow the interval
_SAME = 1e-9
Ints = NDArray[np.intp]


class Pairs(NamedTuple):
    """Pairs of answers, and the question of either."""

    one: Ints
    other: Ints
    question_of: Ints

    @property
    def questions(self) -> Ints:
        """All that some pair is on."""
        return np.unique(np.concatenate([self.question_of[self.one], self.question_of[self.other]]))

    def signs(self, values: Numbers) -> Numbers:
        """1 where the first of a pair has more, -1 where the second has, 0 where they have the same."""
        gaps = values[self.one] - values[self.other]
        return np.where(np.abs(gaps) <= _SAME, 0.0, np.sign(gaps))

    def at(self, kept: NDArray[np.bool_]) -> Pairs:
        return Pairs(self.one[kept], self.other[kept], self.question_of)

    def by_question(self, values: Numbers) -> Numbers:
        """Summed over the pairs that a question is part of."""
        first, second = self.question_of[self.one], self.question_of[self.other]
        size = int(self.question_of.max(initial=-1)) + 1
        apart = first != second
        once = np.bincount(first, values, minlength=size)
        return np.asarray(once + np.bincount(second[apart], values[apart], minlength=size), dtype=float)


def pairs_of(question_of: Ints, usable: NDArray[np.bool_]) -> Pairs:
    """Two answers to the same question each; where no question has two, any two answers."""
    places = np.flatnonzero(usable)
    owners = question_of[places]
    if len(np.unique(owners)) == len(owners):
        if len(places) > MOST_ANSWERS:
            places = np.sort(np.random.default_rng(_SEED).choice(places, MOST_ANSWERS, replace=False))
        one, other = np.triu_indices(len(places), 1)
        return Pairs(places[one], places[other], question_of)
    order = np.argsort(owners, kind="stable")
    groups = np.split(places[order], np.flatnonzero(np.diff(owners[order])) + 1)
    one, other = np.concatenate([group[np.array(np.triu_indices(len(group), 1))] for group in groups], axis=1)
    return Pairs(one, other, question_of)


def tau(pairs: Pairs, a: Numbers, b: Numbers) -> Influence | None:
    """Kendall's tau-b of two orders given as signs; None where one of them ties everything."""
    sums = [(float(v.sum()), pairs.by_question(v)) for v in (a * b, a * a, b * b)]
    (both, both_at), (of_a, a_at), (of_b, b_at) = sums
    if not of_a or not of_b:
        return None
    value = both / sqrt(of_a * of_b)
    scale = np.sqrt(np.maximum((of_a - a_at) * (of_b - b_at), 0))
    without = np.divide(both - both_at, scale, out=np.full_like(scale, value), where=scale > _SAME)
    return jackknife(value, without, pairs)


def share(pairs: Pairs, values: Numbers) -> Influence:
    """The mean over pairs."""
    count, total = pairs.by_question(np.ones(len(values))), pairs.by_question(values)
    left = len(values) - count
    mean = float(values.mean())
    without = np.divide(values.sum() - total, left, out=np.full_like(count, mean), where=left > 0)
    return jackknife(mean, without, pairs)


def jackknife(value: float, without: Numbers, pairs: Pairs) -> Influence:
    """From what a figure would be without each question."""
    seen = pairs.questions
    n, parts = len(seen), np.zeros(len(without))
    parts[seen] = (without[seen].mean() - without[seen]) * (n - 1) / n
    return Influence(value, parts, n)


def interval(figure: Influence) -> Interval:
    """The 95 % interval of one figure alone."""
    return figure.within(t_quantile(1 - ALPHA / 2, min(max(figure.n - 1, 1), _MOST_FREEDOM)))


def less(one: Influence, other: Influence) -> Influence:
    """The difference of two figures from the same questions."""
    return Influence(one.value - other.value, one.parts - other.parts, min(one.n, other.n))
