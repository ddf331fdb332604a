"""Intervals for rates and the sample sizes they ask for.

Written out rather than taken from scipy (ADR 6); the tests hold every function against it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, fsum, log, sqrt
from statistics import NormalDist

from surefoot.stats.quantiles import t_quantile

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
    questions: Mapping[str, Sequence[float]], cluster: Mapping[str, str], most: float
) -> tuple[float, float, float]:
    """The same for numbers of points from 0 to `most`: Student's interval, clusters as in `clustered_share`.

    One question says nothing of others. Where all are alike, one more may still be a point off.
    """
    means = {question: fsum(repeats) / len(repeats) for question, repeats in questions.items()}
    n = len(means)
    if n == 0:
        raise ValueError("no interval without observations")
    mean = fsum(means.values()) / n
    if n == 1:
        return mean, 0.0, most
    groups = {(question in cluster, cluster.get(question, question)) for question in means}
    variance = _variance(means, mean, cluster)
    if len(groups) in (1, n):  # between few clusters, the variance has its correction already
        variance *= n / (n - 1) * (t_quantile(1 - ALPHA / 2, min(n - 1, _AS_GOOD_AS_NORMAL)) / Z) ** 2
    half = Z * sqrt(max(variance, 1 / n**2))
    return mean, max(0.0, mean - half), min(most, mean + half)


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
