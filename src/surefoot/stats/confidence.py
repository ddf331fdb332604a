"""Does a grader that says 90 % come out right nine times in ten? And from where on should a person look?

Labels are drawn by verdict, so answers may carry weights: how many answers of the run each labelled one stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.stats import wilson

BINS = 10
Numbers = NDArray[np.float64]


class Bin(Struct, frozen=True):
    """Verdicts of about the same confidence: what was said on average, and how often people agreed."""

    low: float
    high: float
    n: int
    confidence: float
    agreed: float
    agreed_low: float
    agreed_high: float


def _apart(share: Numbers, _: NDArray[np.intp]) -> float:
    return 1 / float(share @ share)


def reliability(
    confidences: Sequence[float], correct: Sequence[bool], weights: Sequence[float] | None = None,
    worth: Callable[[Numbers, NDArray[np.intp]], float] = _apart,
) -> tuple[list[Bin], float]:  # fmt: skip
    """Bins of equal width from 0 to 1 without the empty ones; and how far confidence and accuracy lie apart in them,
    averaged over answers (the expected calibration error).

    `worth` says how many equally weighted answers those of a bin are worth, from their shares of it and their places.
    """
    said, right, weight = _columns(confidences, correct, weights)
    place = np.minimum((said * BINS).astype(int), BINS - 1)
    found, apart = [], 0.0
    for at in np.unique(place).tolist():
        mine = place == at
        share = weight[mine] / weight[mine].sum()
        stated, agreed, count = (
            float(share @ said[mine]),
            float(share @ right[mine]),
            worth(share, np.flatnonzero(mine)),
        )
        ends = wilson(agreed * count, count)
        found.append(Bin(at / BINS, (at + 1) / BINS, int(mine.sum()), stated, agreed, *ends))
        apart += abs(stated - agreed) * float(weight[mine].sum() / weight.sum())
    return found, apart


def conformal_threshold(
    confidences: Sequence[float], wrong: Sequence[bool], risk: float, weights: Sequence[float] | None = None
) -> float | None:
    """Answers at or below this confidence go to a person, so that at most `risk` of all are wrong and not looked at.

    Conformal risk control: the lowest threshold t with (wrong answers above t + 1) / (n + 1) <= risk. It holds on
    average over new answers drawn like these. None when there are too few labels for such a risk. With weights,
    a new answer is taken to weigh as much as the heaviest.
    """
    said, bad, weight = _columns(confidences, wrong, weights)
    if not len(said):
        return None
    new = float(weight.max())
    thresholds, place = np.unique(np.append(said, 0.0), return_inverse=True)
    wrong_at = np.bincount(place[:-1], weight * bad, minlength=len(thresholds))
    kept_wrong = wrong_at[::-1].cumsum()[::-1] - wrong_at  # above each threshold
    low_enough = np.flatnonzero((kept_wrong + new) / (weight.sum() + new) <= risk)
    return float(thresholds[low_enough[0]]) if len(low_enough) else None


def _columns(
    confidences: Sequence[float], outcomes: Sequence[bool], weights: Sequence[float] | None
) -> tuple[Numbers, Numbers, Numbers]:
    said, outcome = np.asarray(confidences, dtype=float), np.asarray(outcomes, dtype=float)
    weight = np.ones(len(said)) if weights is None else np.asarray(weights, dtype=float)
    if not len(said) == len(outcome) == len(weight):
        raise ValueError("one outcome and one weight per confidence")
    if len(said) and (said.min() < 0 or said.max() > 1):
        raise ValueError("a confidence is a number from 0 to 1")
    return said, outcome, weight
