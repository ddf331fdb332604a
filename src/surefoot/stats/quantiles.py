"""Quantiles of the beta distribution and of Student's t, for real parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt

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
