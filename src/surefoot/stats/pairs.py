"""Orders compared pair by pair: Kendall's tau-b, and what each question adds to its error."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.records import Interval
from surefoot.stats import ALPHA
from surefoot.stats.quantiles import t_quantile
from surefoot.stats.simultaneous import Influence

MOST_ANSWERS = 600  # whose pairs are formed across questions; more hardly narrow the interval
_SEED = 20_011
_SAME = 1e-9
_MOST_FREEDOM = 500
Numbers = NDArray[np.float64]
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
