"""Two numbers fitted to labels: by how much to shift and to scale the log-odds of support of the local grader.

A judge that says its log-odds are x takes a claim for supported with the chance that x plus logistic noise is above
zero. So a bucket has the chance that the noise moves the odds of an answer to where it has this bucket, and labels have
a likelihood. It is weighed against the shipped values, shift 0 and scale 1, by normal priors; the best point of a grid
counts. What the fit gains is told by leaving each label out in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

FEWEST = 20  # labels
_WORTHWHILE = 2  # labels more that agree: one is chance
SHIFTS: tuple[float, ...] = tuple(np.arange(-5, 5.01, 0.25).tolist())  # at which the bucket of each answer is looked up
_CANDIDATES = np.arange(-2, 2.01, 0.1), np.exp(np.arange(-1, 1.01, 0.1))  # of shift and scale
_SPREAD = 1.0, 0.5  # of the priors of the shift and of the logarithm of the scale
_SLIP = 0.02  # chance of a label, or of a rule beside the model, that no odds explain
_DRAWS, _SEED = 2_000, 1
Numbers = NDArray[np.float64]


class Fitted(Struct, frozen=True):
    """`agreement` is that of the shipped values with the labels; `gain` what is added, with its 95 % interval."""

    shift: float
    scale: float
    labels: int
    agreement: float
    gain: float
    low: float
    high: float

    @property
    def is_better(self) -> bool:
        return round(self.gain * self.labels, 6) >= _WORTHWHILE


def fit(buckets: Sequence[Sequence[str | None]], labels: Sequence[str], weights: Sequence[float]) -> Fitted:
    """`buckets` has those of each answer at SHIFTS; `weights`, how many answers each labelled one stands for."""
    same = np.array([[bucket == label for bucket in row] for row, label in zip(buckets, labels, strict=True)])
    weight = np.array(weights) / np.mean(weights)
    chances = np.einsum("abk,nk->abn", _noise(), same.astype(float))
    each = weight * np.log(_SLIP + (1 - 2 * _SLIP) * chances)
    together = each.sum(axis=2) + _prior()
    before = same[:, _place(0.0, 1.0)].astype(float)
    after = np.array([row[_place(*_best(together - each[:, :, n]))] for n, row in enumerate(same)], dtype=float)
    gain, low, high = _mean_with_interval(after - before, weight)
    shift, scale = _best(together)
    return Fitted(shift, scale, len(labels), float(np.average(before, weights=weight)), gain, low, high)


@cache
def _noise() -> Numbers:
    """By shift and scale: the chance that noise moves odds from where they are fitted to each of SHIFTS."""
    at = np.array(SHIFTS)
    edges = np.concatenate([[-np.inf], (at[1:] + at[:-1]) / 2, [np.inf]])
    shift, scale = (values[..., None] for values in np.meshgrid(*_CANDIDATES, indexing="ij"))
    below = 1 / (1 + np.exp(-np.clip(scale * edges - shift, -500, 500)))
    found: Numbers = np.diff(below, axis=2)
    return found


def _prior() -> Numbers:
    shift, scale = np.meshgrid(_CANDIDATES[0] / _SPREAD[0], np.log(_CANDIDATES[1]) / _SPREAD[1], indexing="ij")
    found: Numbers = -(shift**2 + scale**2) / 2
    return found


def _best(likelihood: Numbers) -> tuple[float, float]:
    shift, scale = np.unravel_index(int(likelihood.argmax()), likelihood.shape)
    return round(float(_CANDIDATES[0][shift]), 4), round(float(_CANDIDATES[1][scale]), 4)


def _place(shift: float, scale: float) -> int:
    """Odds that are scaled and shifted lie on the same side of even odds as those shifted by this alone."""
    return int(np.abs(np.array(SHIFTS) - shift / scale).argmin())


def _mean_with_interval(values: Numbers, weight: Numbers) -> tuple[float, float, float]:
    """By drawing the answers again."""
    drawn = np.random.default_rng(_SEED).integers(0, len(values), (_DRAWS, len(values)))
    means = (values * weight)[drawn].sum(axis=1) / weight[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(np.average(values, weights=weight)), float(low), float(high)
