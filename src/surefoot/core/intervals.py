"""Intervals, agreement, and the sample sizes that rates ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, exp, fsum, lgamma, log, log1p, sqrt
from statistics import NormalDist

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
