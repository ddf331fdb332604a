"""What a number of questions and repeats can detect, told before anything is run."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

from surefoot.stats import ALPHA
from surefoot.stats.sequential import chance_of_rise

POWER = 0.8
_W2 = 1 / 9  # a usual variance between questions


def most_new_wrong_that_ships(pairs: int, margin: float, alpha: float = ALPHA) -> int | None:
    """How many pairs may get worse, none better, and still ship; None when not even a clean comparison does."""
    most = None
    for worse in range(pairs + 1):
        if chance_of_rise(worse, 0, pairs, margin) > alpha:
            break
        most = worse
    return most


def questions_for_difference(
    d: float, *, w2: float = _W2, s2a: float = 0.0, s2b: float = 0.0, ka: int = 1, kb: int = 1,
    alpha: float = ALPHA, power: float = POWER,
) -> int:  # fmt: skip
    """Questions that show a difference of `d` (Miller 2024).

    `w2` is the variance of the questions' true differences, `s2a` and `s2b` that of one answer around its question's
    mean, `ka` and `kb` the repeats: they average out the second kind and not the first.
    """
    return ceil(_reach(alpha, power) ** 2 * (w2 + s2a / ka + s2b / kb) / d**2)


def detectable_difference(
    n: int, *, w2: float = _W2, s2a: float = 0.0, s2b: float = 0.0, ka: int = 1, kb: int = 1,
    alpha: float = ALPHA, power: float = POWER,
) -> float:  # fmt: skip
    """The smallest difference that `n` questions show with this power."""
    return _reach(alpha, power) * sqrt((w2 + s2a / ka + s2b / kb) / n)


def _reach(alpha: float, power: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
