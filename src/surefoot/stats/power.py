"""What a number of questions, repeats and runs can detect, told before anything is run."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from surefoot.stats import ALPHA, questions_to_be_sure
from surefoot.stats.sequential import chance_of_rise, log_e_value, spent

POWER = 0.8
_TRIES = 4_000
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


def clean_questions_for(limit: float) -> int | None:
    """How many questions without a single event show that a rate is at most `limit`; None for 0 or 1."""
    return questions_to_be_sure(0, limit)


def most_new_wrong_that_ships(pairs: int, margin: float, alpha: float = ALPHA) -> int | None:
    """How many pairs may get worse, none better, and still ship; None when not even a clean comparison does."""
    most = None
    for worse in range(pairs + 1):
        if chance_of_rise(worse, 0, pairs, margin) > alpha:
            break
        most = worse
    return most


def questions_for_difference(
    d: float, *, w2: float = 1 / 9, s2a: float = 0.0, s2b: float = 0.0, ka: int = 1, kb: int = 1,
    alpha: float = ALPHA, power: float = POWER,
) -> int:  # fmt: skip
    """Questions that show a difference of `d` (Miller 2024).

    `w2` is the variance of the questions' true differences, `s2a` and `s2b` that of one answer around its question's
    mean, `ka` and `kb` the repeats.
    """
    return ceil(_reach(alpha, power) ** 2 * (w2 + s2a / ka + s2b / kb) / d**2)


def detectable_difference(
    n: int, *, w2: float = 1 / 9, s2a: float = 0.0, s2b: float = 0.0, ka: int = 1, kb: int = 1,
    alpha: float = ALPHA, power: float = POWER,
) -> float:  # fmt: skip
    """The smallest difference that `n` questions show with this power."""
    return _reach(alpha, power) * sqrt((w2 + s2a / ka + s2b / kb) / n)


def _reach(alpha: float, power: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)


def chance_to_block(
    n: int, rate_before: float, rate_after: float, *, runs: int = 1, alpha: float = ALPHA, seed: int = 0,
    tries: int = _TRIES,
) -> float:  # fmt: skip
    """How often the gate blocks within so many pairs of runs, by simulation with independent answers."""
    worse, better = draw_pairs(n, rate_before, rate_after, (tries, runs), seed)
    return float(blocks(worse, better, alpha).any(axis=1).mean())


def chance_to_ship(
    n: int, rate_before: float, rate_after: float, *, margin: float, runs: int = 1, alpha: float = ALPHA, seed: int = 0,
    tries: int = _TRIES,
) -> float:  # fmt: skip
    """How often the gate ships within so many pairs of runs, before it blocks; each look spends its part of alpha."""
    worse, better = draw_pairs(n, rate_before, rate_after, (tries, runs), seed)
    blocked = np.logical_or.accumulate(blocks(worse, better, alpha), axis=1)
    return float((ships(worse, better, n, margin, alpha) & ~blocked).any(axis=1).mean())


def draw_pairs(n: int, before: float, after: float, shape: tuple[int, ...], seed: int = 0) -> tuple[Counts, Counts]:
    """Pairs of independent answers that got worse and better, added up over the runs along the last axis."""
    worse, better = after * (1 - before), before * (1 - after)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(n, [worse, better, 1 - worse - better], shape).cumsum(axis=-2)
    return drawn[..., 0], drawn[..., 1]


def blocks(worse: Counts, better: Counts, alpha: float | Numbers) -> NDArray[np.bool_]:
    """Where the gate blocks."""
    return np.asarray(_each(log_e_value, worse, better) >= -np.log(alpha))


def ships(
    worse: Counts, better: Counts, n: int, margin: float, alpha: float, *, spend: bool = True
) -> NDArray[np.bool_]:
    """Where the gate would ship, with `n` pairs per run; `spend` False gives every look the whole alpha."""
    looks = np.broadcast_to(np.arange(1, worse.shape[-1] + 1), worse.shape)
    chances = _each(lambda b, c, look: chance_of_rise(b, c, look * n, margin), worse, better, looks)
    return np.asarray(chances <= (spent(alpha, 1) / looks**2 if spend else alpha))


def _each(figure: Callable[..., float], *columns: Counts) -> Numbers:
    """The figure at each place; every distinct case is computed once."""
    sizes = tuple(int(column.max()) + 1 for column in columns)
    cases, place = np.unique(np.ravel_multi_index(columns, sizes), return_inverse=True)
    figures = [figure(*map(int, case)) for case in zip(*np.unravel_index(cases, sizes), strict=True)]
    return np.asarray(figures)[place].reshape(columns[0].shape)
