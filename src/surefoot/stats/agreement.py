"""How far a grader and people, or several people, agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.records import Value

Weights = Literal["none", "quadratic"]
Numbers = NDArray[np.float64]


def used_values(shares: Numbers) -> NDArray[np.intp]:
    """Which values of a table either of the two gave at all; below two there is nothing to agree on beyond chance."""
    return np.flatnonzero(shares.sum(axis=0) + shares.sum(axis=1))


def kappas(shares: Numbers, weights: Weights = "none") -> Numbers:
    """Cohen's kappa of each of many tables of shares at once (the last two axes). Two values must be in use."""
    agree = _agreement(shares.shape[-1], weights)
    total = shares.sum(axis=(-2, -1))
    seen = (shares * agree).sum(axis=(-2, -1)) / total
    by_chance = np.einsum("...i,ij,...j->...", shares.sum(axis=-1), agree, shares.sum(axis=-2)) / total**2
    return np.asarray((seen - by_chance) / (1 - by_chance))


def _agreement(buckets: int, weights: Weights) -> Numbers:
    """1 where two agree, 0 where they are as far apart as can be."""
    if weights == "none" or buckets == 1:
        return np.eye(buckets)
    apart = np.abs(np.subtract.outer(np.arange(buckets), np.arange(buckets))) / (buckets - 1)
    return np.asarray(1 - apart**2)


def percent_agreement(units: Iterable[Mapping[str, Value]]) -> float | None:
    """Return the share of pairs of people who gave one answer the same value; None if no answer has two values."""
    pairs = [one == other for unit in units for one, other in combinations(unit.values(), 2)]
    return sum(pairs) / len(pairs) if pairs else None
