"""What a number of questions and repeats can detect, told before anything is run."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

from surefoot.stats import ALPHA
from surefoot.stats.sequential import chance_of_rise

POWER = 0.8
_W2 = 1 / 9  # a usual variance between questions
_MOST_PAIRS = 10_000_000


def fewest_pairs_that_ship(worse: int, better: int, margin: float, alpha: float = ALPHA) -> int | None:
    """How many pairs it takes to ship, if so many of them get worse and better; None when not even very many do."""
    too_few, enough = worse + better, worse + better + 1
    while chance_of_rise(worse, better, enough, margin) > alpha:
        too_few, enough = enough, 2 * enough
        if enough > _MOST_PAIRS:
            return None
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        ships = chance_of_rise(worse, better, middle, margin) <= alpha
        too_few, enough = (too_few, middle) if ships else (middle, enough)
    return enough


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
