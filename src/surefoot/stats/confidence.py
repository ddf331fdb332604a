"""Does a grader that says 90 % come out right nine times in ten? And from where on should a person look?

Labels are drawn by verdict, so answers carry weights: how many answers of the run each labelled one stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.stats import wilson
from surefoot.stats.design_effect import Member, each_counts

_BINS = 10
_FEWEST_OF_EACH = 10  # right and wrong answers: below, a curve would be drawn through noise
_ENOUGH_FOR_ANY_SHAPE = 200  # verdicts: from here on a curve of no given shape, below a logistic one
_EDGE = 1e-6  # a confidence of 0 or 1 has no finite log odds
_STEPS = 100
Numbers = NDArray[np.float64]


class Bin(Struct, frozen=True):
    """Verdicts of about the same confidence: what was stated on average, and how often people agreed."""

    low: float
    high: float
    n: int
    confidence: float
    agreed: float
    agreed_low: float
    agreed_high: float


class Fit(Struct, frozen=True, kw_only=True):
    """From a stated confidence to the chance that people agree; `kind` None where there is too little to fit.

    Platt's curve is 1 / (1 + exp(-(slope * log odds of the confidence + intercept))); an isotonic one never falls, and
    is straight between the points (`confidences`, `right`).
    """

    kind: Literal["platt", "isotonic"] | None
    n: int
    reason: str = ""
    slope: float | None = None
    intercept: float | None = None
    confidences: tuple[float, ...] = ()
    right: tuple[float, ...] = ()


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


def fit(confidences: Sequence[float], correct: Sequence[bool], weights: Sequence[float]) -> Fit:
    """The curve for verdicts of one source: Platt's where they are few, isotonic where they are many."""
    n, agreed = len(correct), sum(correct)
    if min(agreed, n - agreed) < _FEWEST_OF_EACH:
        reason = (
            f"it takes {_FEWEST_OF_EACH} verdicts that the labels agree with and {_FEWEST_OF_EACH} that they do not"
        )
        return Fit(kind=None, n=n, reason=f"{reason}; there are {agreed} and {n - agreed}")
    said, right, weight = (np.asarray(column, dtype=float) for column in (confidences, correct, weights))
    if n < _ENOUGH_FOR_ANY_SHAPE:
        slope, intercept = _platt(said, right, weight * n / weight.sum())
        return Fit(kind="platt", n=n, slope=slope, intercept=intercept)
    corners = _isotonic(said, right, weight)
    return Fit(
        kind="isotonic", n=n, confidences=tuple(at for at, _ in corners), right=tuple(mean for _, mean in corners)
    )


def _platt(said: Numbers, right: Numbers, weight: Numbers) -> tuple[float, float]:
    """Slope and intercept of the highest likelihood, with Platt's guard against certainty, by Newton's method."""
    yes, no = float(weight @ right), float(weight @ (1 - right))
    target = np.where(right == 1, (yes + 1) / (yes + 2), 1 / (no + 2))
    inside = np.clip(said, _EDGE, 1 - _EDGE)
    inputs = np.stack([np.log(inside / (1 - inside)), np.ones(len(said))])
    fitted = np.array([0.0, np.log((yes + 1) / (no + 1))])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(fitted @ inputs, -500, 500)))
        bend = (inputs * (weight * chance * (1 - chance))) @ inputs.T + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, inputs @ (weight * (target - chance)))
        longest = float(np.abs(step).max())
        fitted = fitted + step / max(1.0, longest)  # short steps cannot overshoot far
        if longest < 1e-10:
            break
    return float(fitted[0]), float(fitted[1])


def _isotonic(said: Numbers, right: Numbers, weight: Numbers) -> list[tuple[float, float]]:
    """Pool adjacent violators: the corners of the best curve that never falls."""
    places, of = np.unique(said, return_inverse=True)
    totals, sizes = np.bincount(of, weight * right), np.bincount(of, weight)
    pools: list[tuple[float, float, float, float]] = []  # total, weight, first and last confidence
    for place, total, size in zip(places.tolist(), totals.tolist(), sizes.tolist(), strict=True):
        pool = (total, size, place, place)
        while pools and pools[-1][0] / pools[-1][1] >= pool[0] / pool[1]:
            before = pools.pop()
            pool = (before[0] + pool[0], before[1] + pool[1], before[2], place)
        pools.append(pool)
    return [(at, total / size) for total, size, first, last in pools for at in dict.fromkeys((first, last))]


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
