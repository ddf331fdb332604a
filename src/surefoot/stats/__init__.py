"""Intervals for rates and the sample sizes they ask for.

Written out rather than taken from scipy (ADR 6); the tests hold every function against it.
"""

from __future__ import annotations

from math import ceil, log, sqrt
from statistics import NormalDist

ALPHA = 0.05
Z = NormalDist().inv_cdf(1 - ALPHA / 2)  # so many standard errors to either side


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
