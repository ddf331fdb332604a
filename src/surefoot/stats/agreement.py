"""How far two graders, or several people, agree beyond what chance would give."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.records import Value

Weights = Literal["none", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
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


def ac1s(shares: Numbers) -> Numbers:
    """Gwet's AC1 of each of many tables at once, which stays sensible when nearly all answers are in one bucket."""
    total = shares.sum(axis=(-2, -1))
    used = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2 / total[..., None]
    by_chance = (used * (1 - used)).sum(axis=-1) / (shares.shape[-1] - 1)
    return np.asarray((np.trace(shares, axis1=-2, axis2=-1) / total - by_chance) / (1 - by_chance))


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
    return np.asarray(1 - apart**2)


def _distances(values: Sequence[Any], total: Numbers, level: Level) -> Numbers:
    """Krippendorff's squared differences between every two values."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "ordinal":
        middle = np.cumsum(total) - total / 2
        return np.asarray(np.subtract.outer(middle, middle) ** 2)
    numbers = np.asarray(values, dtype=float)
    return np.asarray(np.subtract.outer(numbers, numbers) ** 2)


def _sortable(value: Value) -> tuple[bool, float, str]:
    return (True, 0.0, value) if isinstance(value, str) else (False, float(value or 0), "")
