"""Rates of answers that nobody labelled, by a grader whose errors were counted on others (Rogan and Gladen)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from surefoot.calibration.results import PICKED, Rate
from surefoot.calibration.tables import Confusion, Numbers, named
from surefoot.records import Value
from surefoot.stats.correction import rogan_gladen

Counted = tuple[int, int]  # successes, of
_NO_SPREAD = 1e-12
_UNKNOWN = "the grader's error on this is not known: no labelled answer is in it, or all are"


def rates_elsewhere(verdicts: Iterable[Value], confusion: Confusion) -> dict[str, Rate]:
    """The share of each bucket among other answers, from their verdicts and the errors in `confusion`."""
    seen = Counter(map(named, verdicts))
    total = seen.total()
    draws = confusion.views()[0]
    found = {}
    for at, bucket in enumerate(confusion.columns):
        graded = seen[bucket] / total
        errors = _errors(confusion, draws, at)
        if errors is None:
            reason = _UNKNOWN if confusion.speaks_for_all else PICKED
            found[bucket] = Rate(value=None, low=None, high=None, method="rogan-gladen", graded=graded, warning=reason)
            continue
        rate = rogan_gladen(seen[bucket], total, *errors)
        # An interval that lies beyond 0 or 1 altogether says that something is wrong, and not that all is known.
        low, high = (rate.low, rate.high) if rate.low < rate.high else (None, None)
        found[bucket] = Rate(
            value=rate.value, low=low, high=high, method="rogan-gladen", graded=graded, warning=rate.warning
        )
    return found


def _errors(confusion: Confusion, draws: Numbers, at: int) -> tuple[Counted, Counted] | None:
    """Sensitivity and specificity as counts; where labels were drawn by verdict, as counts worth as much."""
    counts = confusion.counts()
    inside, outside = counts[:, at], np.delete(counts, at, axis=1).sum(axis=1)
    if not inside.sum() or not outside.sum() or not confusion.speaks_for_all:
        return None
    if confusion.is_plain(confusion.columns[at]):
        return (int(inside[at]), int(inside.sum())), (int(outside.sum() - outside[at]), int(outside.sum()))
    rest = np.delete(draws, at, axis=2).sum(axis=2)
    found = draws[:, at, at] / draws[:, :, at].sum(axis=1)
    return _worth(found), _worth(1 - rest[:, at] / rest.sum(axis=1))


def _worth(draws: Numbers) -> Counted:
    """The counts after which Jeffreys' posterior has the mean and the spread of the draws."""
    mean, spread = float(draws.mean()), max(float(draws.var()), _NO_SPREAD)
    size = mean * (1 - mean) / spread - 1
    of = max(1, round(size - 1))
    return min(of, max(0, round(mean * size - 0.5))), of
