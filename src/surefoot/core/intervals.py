"""Intervals, agreement, and the sample sizes that rates ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, exp, fsum, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.records import Interval
from surefoot.core.types import Estimate

_HALVINGS = 100


@lru_cache(maxsize=4096)
def beta_quantile(share: float, a: float, b: float) -> float:
    """What a Beta(a, b) variable falls below with the probability `share`."""
    return _where(lambda x: _beta_share(x, a, b), share, 1.0)


@lru_cache(maxsize=4096)
def t_quantile(share: float, freedom: float) -> float:
    """Student's t, for a share above one half: by it an interval from few independent pieces is wider than a normal."""
    high = 1.0
    while _t_share(high, freedom) < share and high < 1e9:
        high *= 2
    return _where(lambda t: _t_share(t, freedom), share, high)


def _where(share_below: Callable[[float], float], share: float, high: float) -> float:
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if share_below(middle) < share else (low, middle)
    return (low + high) / 2


def _t_share(t: float, freedom: float) -> float:
    return 1 - _beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function. Its continued fraction converges fast below the mean."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    fraction = 1.0
    for half in range(20 + int(3 * sqrt(max(a, b))), 0, -1):
        place = a + 2 * half
        fraction = 1 + half * (b - half) * x / ((place - 1) * place * fraction)
        fraction = 1 - (a + half - 1) * (a + b + half - 1) * x / ((place - 2) * (place - 1) * fraction)
    density = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    return density / (a * fraction)


ALPHA = 0.05
Z = NormalDist().inv_cdf(1 - ALPHA / 2)  # so many standard errors to either side
_AS_GOOD_AS_NORMAL = 500  # degrees of freedom


def wilson(successes: float, n: float) -> tuple[float, float]:
    """95 % Wilson interval. At 0 or n successes the open side is the exact one-sided bound."""
    if n == 0:
        raise ValueError("no interval without observations")
    if successes == 0:
        return 0.0, 1 - ALPHA ** (1 / n)
    if successes == n:
        return ALPHA ** (1 / n), 1.0
    share, z2 = successes / n, Z * Z
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def newcombe(now: tuple[float, float, float], before: tuple[float, float, float]) -> tuple[float, float]:
    """95 % interval of the difference of two rates, each given with its own interval."""
    (a, a_low, a_high), (b, b_low, b_high) = now, before
    down, up = sqrt((a - a_low) ** 2 + (b_high - b) ** 2), sqrt((a_high - a) ** 2 + (b - b_low) ** 2)
    return max(-1.0, a - b - down), min(1.0, a - b + up)


def difference(now: Estimate, before: Estimate | None) -> dict[str, float] | None:
    """The change of a rate with its 95 % interval; None where one of the two is not known."""
    if before is None or now.value is None or before.value is None:
        return None
    if None in (now.low, now.high, before.low, before.high):
        return None
    a, b = ((float(one.value or 0), one.low or 0.0, one.high or 0.0) for one in (now, before))
    low, high = newcombe(a, b)
    return {"baseline": b[0], "candidate": a[0], "change": a[0] - b[0], "low": low, "high": high}


def questions_to_be_sure(share: float, limit: float) -> int | None:
    """How many questions put the limit outside the interval if the rate stays at `share`.

    None when no number does: the rate sits on the limit, or the limit is 0 or 1 and only a full count tells.
    """
    if share == limit or not 0 < limit < 1:
        return None
    if share in (0, 1):
        away = 1 - limit if share == 0 else limit
        return ceil(log(ALPHA) / log(away))
    return ceil(Z * Z * limit * (1 - limit) / (share - limit) ** 2)


def clustered_share(questions: Mapping[str, Sequence[float]], cluster: Mapping[str, str]) -> tuple[float, float, float]:
    """The mean with its 95 % interval, where questions were asked several times and come from the same documents.

    Each question has one number from 0 to 1 per repeat. Ten questions on one document say less than ten on ten: the
    interval is Wilson's for as many independent questions as the spread between documents is worth.

    A question without a cluster stands for itself; so do all when there is only one cluster, which says nothing
    about how clusters differ.
    """
    means = {question: fsum(repeats) / len(repeats) for question, repeats in questions.items()}
    n = len(means)
    if n == 0:
        raise ValueError("no interval without observations")
    mean = min(1.0, max(0.0, fsum(means.values()) / n))
    if mean in (0, 1):
        return mean, *wilson(mean * n, n)
    variance = _variance(means, mean, cluster)
    worth = min(float(n), mean * (1 - mean) / variance) if variance else float(n)
    low, high = wilson(mean * worth, worth)
    return mean, min(low, mean), max(high, mean)


def clustered_mean(
    questions: Mapping[str, Sequence[float]], cluster: Mapping[str, str], most: float, least: float = 0.0
) -> tuple[float, float, float]:
    """The same for numbers of points from `least` to `most`: Student's interval, clusters as in `clustered_share`.

    One question says nothing of others. Where all are alike, one more may still be a point off.
    """
    means = {question: fsum(repeats) / len(repeats) for question, repeats in questions.items()}
    n = len(means)
    if n == 0:
        raise ValueError("no interval without observations")
    mean = fsum(means.values()) / n
    if n == 1:
        return mean, least, most
    groups = {(question in cluster, cluster.get(question, question)) for question in means}
    variance = _variance(means, mean, cluster)
    if len(groups) in (1, n):  # between few clusters, the variance has its correction already
        variance *= n / (n - 1) * (t_quantile(1 - ALPHA / 2, min(n - 1, _AS_GOOD_AS_NORMAL)) / Z) ** 2
    half = Z * sqrt(max(variance, 1 / n**2))
    return mean, max(least, mean - half), min(most, mean + half)


def _variance(means: Mapping[str, float], mean: float, cluster: Mapping[str, str]) -> float:
    """(sum over clusters of (sum of deviations)^2) / n^2; with few clusters as much more as Student's t asks for."""
    deviations: defaultdict[tuple[bool, str], list[float]] = defaultdict(list)
    for question, value in means.items():
        deviations[question in cluster, cluster.get(question, question)].append(value - mean)
    n, clusters = len(means), len(deviations)
    if clusters == 1:
        return fsum((value - mean) ** 2 for value in means.values()) / n**2
    plain = fsum(fsum(values) ** 2 for values in deviations.values()) / n**2
    if clusters == n:
        return plain
    reach = t_quantile(1 - ALPHA / 2, min(clusters - 1, _AS_GOOD_AS_NORMAL))
    return plain * clusters / (clusters - 1) * (reach / Z) ** 2


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
