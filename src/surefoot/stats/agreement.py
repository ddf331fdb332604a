"""How far two graders, or several people, agree beyond what chance would give."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.records import Interval, Value
from surefoot.stats import Z

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Numbers = NDArray[np.float64]
_ALL_BUT_ONE = 1e-12  # rounding error below which only one category was ever used


def cohen_kappa(
    table: Sequence[Sequence[float]], weights: Weights = "none", *, n: float | None = None
) -> Interval | None:
    """Cohen's kappa with its large-sample interval; None where only one category was ever used.

    `table[i][j]` counts what the one put into i and the other into j. Where it holds shares, `n` says of how many.
    The interval is that of Fleiss, Cohen and Everitt (1969): it has no width when all agree, so prefer the posterior
    of `correction.confusion_draws` for small tables.
    """
    counts = np.asarray(table, dtype=float)
    size = float(counts.sum()) if n is None else n
    if not counts.sum():
        return None
    shares = counts / counts.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    agree = _agreement(len(shares), weights)
    by_chance = float(rows @ agree @ columns)
    if by_chance > 1 - _ALL_BUT_ONE:
        return None
    kappa = float(kappas(shares, weights))
    # how much each cell pulls: its own agreement less that of its margins
    margins = (agree @ columns)[:, None] + (rows @ agree)[None, :]
    pull = agree - margins * (1 - kappa)
    variance = float((shares * pull**2).sum()) - (kappa - by_chance * (1 - kappa)) ** 2
    return _around(kappa, sqrt(max(0.0, variance) / size) / (1 - by_chance))


def kappas(shares: Numbers, weights: Weights = "none") -> Numbers:
    """Kappa of each of many tables of shares at once (the last two axes). Chance agreement must be below 1."""
    agree = _agreement(shares.shape[-1], weights)
    total = shares.sum(axis=(-2, -1))
    seen = (shares * agree).sum(axis=(-2, -1)) / total
    by_chance = np.einsum("...i,ij,...j->...", shares.sum(axis=-1), agree, shares.sum(axis=-2)) / total**2
    return np.asarray((seen - by_chance) / (1 - by_chance))


def ac1s(shares: Numbers) -> Numbers:
    """AC1 of each of many tables of shares at once (the last two axes), of two buckets or more."""
    total = shares.sum(axis=(-2, -1))
    used = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2 / total[..., None]
    by_chance = (used * (1 - used)).sum(axis=-1) / (shares.shape[-1] - 1)
    return np.asarray((np.trace(shares, axis1=-2, axis2=-1) / total - by_chance) / (1 - by_chance))


def gwet_ac1(table: Sequence[Sequence[float]], *, n: float | None = None) -> Interval | None:
    """Gwet's AC1, which stays sensible when nearly all answers are in one bucket; None for a table of one bucket."""
    counts = np.asarray(table, dtype=float)
    size, buckets = (float(counts.sum()) if n is None else n), len(counts)
    if not counts.sum() or buckets < 2:
        return None
    shares = counts / counts.sum()
    used = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    by_chance = float(used @ (1 - used)) / (buckets - 1)
    value = float(ac1s(shares))
    # each answer's own share in the coefficient (Gwet 2008); they average to it
    chance_of = ((1 - used)[:, None] + (1 - used)[None, :]) / 2 / (buckets - 1)
    own = (np.eye(buckets) - by_chance) / (1 - by_chance) - 2 * (1 - value) * (chance_of - by_chance) / (1 - by_chance)
    spread = float((shares * (own - value) ** 2).sum())
    return _around(value, sqrt(spread / max(size - 1, 1)))


def krippendorff_alpha(
    units: Sequence[Mapping[str, Value]], level: Level = "nominal", *, order: Sequence[Value] = ()
) -> float | None:
    """Krippendorff's alpha between any number of people, not all of whom have seen everything.

    A unit maps people to values. `order` lists the values from low to high where they are not numbers; others come
    last. None when no unit has two values, or all values are the same: then there is nothing to agree on.
    """
    kept = [[value for value in unit.values() if value is not None] for unit in units]
    pairable = [values for values in kept if len(values) > 1]
    used: set[Any] = {value for values in pairable for value in values}
    if len(used) < 2:
        return None
    values = [*(value for value in order if value in used), *sorted(used.difference(order), key=_sortable)]
    place: dict[Hashable, int] = {value: at for at, value in enumerate(values)}
    together = np.zeros((len(values), len(values)))
    for unit in pairable:
        counts = np.bincount([place[value] for value in unit], minlength=len(values)).astype(float)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    total = together.sum(axis=1)
    apart = _distances(values, total, level)
    expected = (np.outer(total, total) - np.diag(total)) / (total.sum() - 1)
    return 1 - float((together * apart).sum()) / float((expected * apart).sum())


def _agreement(buckets: int, weights: Weights) -> Numbers:
    """1 where two agree, 0 where they are as far apart as can be."""
    if weights == "none" or buckets == 1:
        return np.eye(buckets)
    apart = np.abs(np.subtract.outer(np.arange(buckets), np.arange(buckets))) / (buckets - 1)
    return np.asarray(1 - (apart if weights == "linear" else apart**2))


def _distances(values: Sequence[Any], total: Numbers, level: Level) -> Numbers:
    """Krippendorff's squared differences between every two values."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "ordinal":
        middle = np.cumsum(total) - total / 2
        return np.asarray(np.subtract.outer(middle, middle) ** 2)
    numbers = np.asarray(values, dtype=float)
    apart = np.subtract.outer(numbers, numbers)
    if level == "interval":
        return np.asarray(apart**2)
    both = np.add.outer(numbers, numbers)
    return np.asarray(np.divide(apart, both, out=np.zeros_like(apart), where=both != 0) ** 2)


def _sortable(value: Value) -> tuple[bool, float, str]:
    return (True, 0.0, value) if isinstance(value, str) else (False, float(value or 0), "")


def _around(value: float, error: float) -> Interval:
    return Interval(value, max(-1.0, value - Z * error), min(1.0, value + Z * error))
