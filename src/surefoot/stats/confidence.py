"""Does a grader that says 90 % come out right nine times in ten? And from where on should a person look?

Labels are drawn by verdict, so answers may carry weights: how many answers of the run each labelled one stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.stats import wilson

FEWEST_OF_EACH = 10  # right and wrong answers: below, a curve would be drawn through noise
_EDGE = 1e-6  # a confidence of 0 or 1 has no finite log odds
_STEPS = 100
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


class Platt(Struct, frozen=True):
    """right = 1 / (1 + exp(-(slope * log odds of the confidence + intercept)))."""

    slope: float
    intercept: float

    def apply(self, confidence: float) -> float:
        return _logistic(self.slope * _log_odds(confidence) + self.intercept)


class Isotonic(Struct, frozen=True):
    """A curve that never falls, straight between its corners."""

    confidences: tuple[float, ...]
    right: tuple[float, ...]

    def apply(self, confidence: float) -> float:
        return float(np.interp(confidence, self.confidences, self.right))


def _apart(share: Numbers, _: NDArray[np.intp]) -> float:
    return 1 / float(share @ share)


def reliability(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10, *, weights: Sequence[float] | None = None,
    worth: Callable[[Numbers, NDArray[np.intp]], float] = _apart,
) -> list[Bin]:  # fmt: skip
    """Bins of equal width from 0 to 1; empty ones are left out.

    `worth` says how many equally weighted answers those of a bin are worth, from their shares of it and their places.
    """
    said, right, weight = _columns(confidences, correct, weights)
    place = np.minimum((said * bins).astype(int), bins - 1)
    found = []
    for at in np.unique(place):
        mine = place == at
        share = weight[mine] / weight[mine].sum()
        accuracy, count = float(share @ right[mine]), worth(share, np.flatnonzero(mine))
        low, high = wilson(accuracy * count, count)
        found.append(
            Bin(
                float(at / bins),
                float((at + 1) / bins),
                int(mine.sum()),
                float(share @ said[mine]),
                accuracy,
                low,
                high,
            )
        )
    return found


def expected_calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10, *, weights: Sequence[float] | None = None
) -> float | None:
    """How far confidence and accuracy lie apart, averaged over answers; None without answers."""
    said, right, weight = _columns(confidences, correct, weights)
    if not len(said):
        return None
    place = np.minimum((said * bins).astype(int), bins - 1)
    gaps = np.bincount(place, weight * (said - right))
    return float(np.abs(gaps).sum() / weight.sum())


def fit_platt(
    confidences: Sequence[float], correct: Sequence[bool], *, weights: Sequence[float] | None = None
) -> Platt | None:
    """Platt's fit on log odds, with his guard against certainty; None with too few right or wrong answers."""
    if _one_sided(correct):
        return None
    said, right, weight = _columns(confidences, correct, weights)
    weight = weight * len(weight) / weight.sum()
    yes, no = float(weight @ right), float(weight @ (1 - right))
    target = np.where(right == 1, (yes + 1) / (yes + 2), 1 / (no + 2))
    inputs = np.stack([np.array([_log_odds(value) for value in said]), np.ones(len(said))])
    fitted = np.array([0.0, log((yes + 1) / (no + 1))])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(fitted @ inputs, -500, 500)))
        slope = inputs @ (weight * (target - chance))
        bend = (inputs * (weight * chance * (1 - chance))) @ inputs.T + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        fitted = fitted + step / max(1.0, float(np.abs(step).max()))  # short steps cannot overshoot far
        if float(np.abs(step).max()) < 1e-10:
            break
    return Platt(float(fitted[0]), float(fitted[1]))


def fit_isotonic(
    confidences: Sequence[float], correct: Sequence[bool], *, weights: Sequence[float] | None = None
) -> Isotonic | None:
    """Pool adjacent violators: the best curve that never falls; None with too few right or wrong answers."""
    if _one_sided(correct):
        return None
    said, right, weight = _columns(confidences, correct, weights)
    places, of = np.unique(said, return_inverse=True)
    weights_at = np.bincount(of, weight)
    pools: list[list[float]] = []  # mean, weight, first and last confidence
    for place, total, size in zip(places, np.bincount(of, weight * right), weights_at, strict=True):
        pools.append([float(total / size), float(size), float(place), float(place)])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            mean, size, _, last = pools.pop()
            before = pools[-1]
            joint = before[1] + size
            pools[-1] = [(before[0] * before[1] + mean * size) / joint, joint, before[2], last]
    corners = [(place, mean) for mean, _, first, last in pools for place in dict.fromkeys((first, last))]
    return Isotonic(tuple(place for place, _ in corners), tuple(mean for _, mean in corners))


def conformal_threshold(
    confidences: Sequence[float],
    wrong: Sequence[bool],
    alpha: float,
    bound: float = 1.0,
    *,
    weights: Sequence[float] | None = None,
) -> float | None:
    """Answers at or below this confidence go to a person, so that at most `alpha` of all are wrong and not looked at.

    Conformal risk control: the lowest threshold t with (wrong answers above t + bound) / (n + 1) <= alpha. It holds on
    average over new answers drawn like these. None when there are too few labels for such an alpha. With weights,
    a new answer is taken to weigh as much as the heaviest.
    """
    said, bad, weight = _columns(confidences, wrong, weights)
    if not len(said):
        return None
    new = float(weight.max())
    thresholds, place = np.unique(np.append(said, 0.0), return_inverse=True)
    wrong_at = np.bincount(place[:-1], weight * bad, minlength=len(thresholds))
    kept_wrong = wrong_at[::-1].cumsum()[::-1] - wrong_at  # above each threshold
    low_enough = np.flatnonzero((kept_wrong + new * bound) / (weight.sum() + new) <= alpha)
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


def _one_sided(correct: Sequence[bool]) -> bool:
    right = sum(bool(value) for value in correct)
    return min(right, len(correct) - right) < FEWEST_OF_EACH


def _log_odds(confidence: float) -> float:
    inside = min(1 - _EDGE, max(_EDGE, confidence))
    return log(inside / (1 - inside))


def _logistic(odds: float) -> float:
    return 1 / (1 + exp(-odds)) if odds > -500 else 0.0
