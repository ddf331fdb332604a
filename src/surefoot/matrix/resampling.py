"""The paired bootstrap: whole documents are drawn anew, and with a document all its questions in every cell.

Two cells are therefore always compared on the same questions. The draws come from a fixed seed and do not depend on
the order in which questions or cells are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from surefoot.stats import ALPHA
from surefoot.stats.quantiles import t_quantile

DRAWS = 2_000
FEWEST = 10  # clusters: below, a bootstrap promises more than it can keep
_SEED = 20_260
_AT_ONCE = 100
_AS_GOOD_AS_NORMAL = 500  # degrees of freedom
_MOST_UNDEFINED = 0.05

Numbers = NDArray[np.float64]


class Resamples:
    """Sums over the questions as they are (first row) and as drawn anew (all others)."""

    def __init__(self, clusters: Sequence[str]) -> None:
        """`clusters` has one entry per question."""
        names, self._of = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
        self._size = size = len(names)
        generator = np.random.default_rng(_SEED)
        shares = np.full(size, 1 / size)
        drawn = [generator.multinomial(size, shares, size=_AT_ONCE).astype(np.uint8) for _ in range(0, DRAWS, _AT_ONCE)]
        self._weights = np.concatenate([np.ones((1, size), dtype=np.uint8), *drawn])

    def sums(self, columns: Numbers) -> Numbers:
        """`columns` is (questions, k); the result (1 + DRAWS, k)."""
        by_cluster = np.zeros((self._size, columns.shape[1]))
        np.add.at(by_cluster, self._of, columns)
        steps = range(0, len(self._weights), _AT_ONCE)
        return np.concatenate([self._weights[at : at + _AT_ONCE].astype(float) @ by_cluster for at in steps])

    def count(self, used: NDArray[np.bool_]) -> int:
        """How many clusters these questions are from."""
        return len(np.unique(self._of[used]))


def interval(draws: Numbers, clusters: int) -> tuple[tuple[float, float] | None, str]:
    """95 % of the draws, a little more where clusters are few; or why there is no interval.

    Plain percentiles are too narrow by the factor by which a normal interval is narrower than Student's.
    """
    if clusters < FEWEST:
        return None, f"an interval takes {FEWEST} questions (of different documents), there are {clusters}"
    if len(draws) < (1 - _MOST_UNDEFINED) * DRAWS:
        return None, "too few cases for an interval"
    freedom = min(clusters - 1, _AS_GOOD_AS_NORMAL)
    tail = NormalDist().cdf(-sqrt(clusters / (clusters - 1)) * t_quantile(1 - ALPHA / 2, freedom))
    low, high = np.quantile(draws, [tail, 1 - tail])
    return (float(low), float(high)), ""
