"""Rates of answers that nobody labelled, by a grader whose errors were counted on others (Rogan and Gladen)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from surefoot.calibration.results import PICKED, Rate
from surefoot.calibration.tables import Confusion, Numbers, named
from surefoot.records import Value
from surefoot.stats.correction import rogan_gladen

Counted = tuple[float, float]  # successes, of; no whole numbers where labels are weighed
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
    counts = confusion.tally()
    inside, outside = counts[:, at], np.delete(counts, at, axis=1).sum(axis=1)
    if not inside.sum() or not outside.sum() or not confusion.speaks_for_all:
        return None
    bucket = confusion.columns[at]
    if confusion.is_plain(bucket):
        here = confusion.labels_count([bucket])
        elsewhere = confusion.labels_count(column for column in confusion.columns if column != bucket)
        return _times(here, inside[at], inside.sum()), _times(elsewhere, outside.sum() - outside[at], outside.sum())
    seen, drawn = (_two_shares(table, at) for table in (confusion.shares(), draws))
    sensitivity, specificity = (_worth(float(share), found) for share, found in zip(seen, drawn, strict=True))
    return sensitivity, specificity


def _times(each: float, hits: float, whole: float) -> Counted:
    return each * float(hits), each * float(whole)


def _two_shares(table: Numbers, at: int) -> tuple[Numbers, Numbers]:
    """Sensitivity and specificity of the bucket `at`, by a table of verdicts and labels or by many."""
    inside, outside = table[..., at], np.delete(table, at, axis=-1).sum(axis=-1)
    return inside[..., at] / inside.sum(axis=-1), 1 - outside[..., at] / outside.sum(axis=-1)


def _worth(share: float, draws: Numbers) -> Counted:
    """So many counts, with this share of successes, as leave a Jeffreys' posterior with the spread of the draws."""
    mean, spread = float(draws.mean()), max(float(draws.var()), _NO_SPREAD)
    of = max(1.0, mean * (1 - mean) / spread - 2)
    return share * of, of
