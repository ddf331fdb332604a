"""Does a grader that says 90 % come out right nine times in ten? And from where on should a person look?

Labels are drawn by verdict, so answers carry weights: how many answers of the run each labelled one stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from surefoot.stats import wilson
from surefoot.stats.design_effect import Member, each_counts

_BINS = 10


class Bin(Struct, frozen=True):
    """Verdicts of about the same confidence: what was stated on average, and how often people agreed."""

    low: float
    high: float
    n: int
    confidence: float
    agreed: float
    agreed_low: float
    agreed_high: float


def reliability(
    confidences: Sequence[float], correct: Sequence[bool], weights: Sequence[float], members: Sequence[Member],
    alike: float,
) -> tuple[list[Bin], float]:  # fmt: skip
    """Bins of equal width from 0 to 1 without the empty ones; and how far confidence and accuracy lie apart in them,
    averaged over answers (the expected calibration error).

    `members` and `alike` tell which answers go together and how much, which widens the intervals.
    """
    said, right, weight = (np.asarray(column, dtype=float) for column in (confidences, correct, weights))
    place = np.minimum((said * _BINS).astype(int), _BINS - 1)
    found, apart = [], 0.0
    for at in np.unique(place).tolist():
        mine = np.flatnonzero(place == at)
        share = weight[mine] / weight[mine].sum()
        stated, agreed = float(share @ said[mine]), float(share @ right[mine])
        together = Counter[Member]()
        for one, part in zip(mine.tolist(), share.tolist(), strict=True):
            together[members[one]] += part
        count = each_counts(together, alike)
        found.append(Bin(at / _BINS, (at + 1) / _BINS, len(mine), stated, agreed, *wilson(agreed * count, count)))
        apart += abs(stated - agreed) * float(weight[mine].sum() / weight.sum())
    return found, apart


def conformal_threshold(
    confidences: Sequence[float], wrong: Sequence[bool], risk: float, weights: Sequence[float]
) -> float | None:
    """Answers at or below this confidence go to a person, so that at most `risk` of all are wrong and not looked at.

    Conformal risk control: the lowest threshold t with (wrong answers above t + 1) / (n + 1) <= risk. It holds on
    average over new answers drawn like these. None when there are too few labels for such a risk. An answer weighs as
    many as it stands for, and a new one as much as the heaviest.
    """
    said, bad, weight = (np.asarray(column, dtype=float) for column in (confidences, wrong, weights))
    if not len(said):
        return None
    new = float(weight.max())
    thresholds, place = np.unique(np.append(said, 0.0), return_inverse=True)
    wrong_at = np.bincount(place[:-1], weight * bad, minlength=len(thresholds))
    kept_wrong = wrong_at[::-1].cumsum()[::-1] - wrong_at  # above each threshold
    low_enough = np.flatnonzero((kept_wrong + new) / (weight.sum() + new) <= risk)
    return float(thresholds[low_enough[0]]) if len(low_enough) else None
