"""A share over questions that were asked several times and come from the same documents.

Ten questions on one document say less than ten on ten. The interval is Wilson's for as many independent questions as
the spread between documents is worth. Nothing heavy is imported, so every report can afford it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from surefoot.stats import ALPHA, Z, wilson
from surefoot.stats.quantiles import t_quantile

_AS_GOOD_AS_NORMAL = 500  # degrees of freedom


def clustered_share(questions: Mapping[str, Sequence[float]], cluster: Mapping[str, str]) -> tuple[float, float, float]:
    """The mean with its 95 % interval. Each question has one number from 0 to 1 per repeat.

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
