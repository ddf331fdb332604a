"""Student's t, by which an interval from few independent pieces is wider than a normal one."""

from __future__ import annotations

from functools import lru_cache
from math import atan, pi, sqrt


@lru_cache(maxsize=4096)
def t_quantile(share: float, freedom: int) -> float:
    """Student's t, for a share above one half. Its distribution is a finite sum, so halving finds the place."""
    low, high = 0.0, 1.0
    while _t_share(high, freedom) < share and high < 1e9:
        low, high = high, high * 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_share(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _t_share(t: float, freedom: int) -> float:
    angle = atan(t / sqrt(freedom))
    cosine2 = freedom / (freedom + t * t)
    odd = freedom % 2
    term = sqrt(cosine2) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= cosine2 * (step - 1) / step
        total += term
    sine = t / sqrt(freedom + t * t)
    inside = 2 / pi * (angle + sine * total) if odd else sine * total
    return (1 + inside) / 2
