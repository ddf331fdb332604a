"""The local grader with its last step fitted to labels of a user's own: what `surefoot calibrate --refit` writes.

Two numbers fitted to labels: by how much to shift and to scale the log-odds of support of the local grader.

A judge that says its log-odds are x takes a claim for supported with the chance that x plus logistic noise is above
zero. So a bucket has the chance that the noise moves the odds of an answer to where it has this bucket, and labels have
a likelihood. It is weighed against the shipped values, shift 0 and scale 1, by normal priors; the best point of a grid
counts. What the fit gains is told by leaving each label out in turn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.errors import UsageError
from surefoot.core.files import fault_in
from surefoot.graders.judges import Judge, Judgement, Pair, moved
from surefoot.graders.local import LocalJudge

_AGAIN = "make it again with surefoot calibrate RUN --refit FILE"

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


class RefitFile(Struct, frozen=True, forbid_unknown_fields=True):
    """`grader` is the one it was fitted to: with other weights it means nothing."""

    grader: str
    fitted: Fitted


class RefitJudge:
    """Reads like the local judge, and moves the odds of support."""

    def __init__(self, judge: Judge, fitted: Fitted) -> None:
        self._judge, self._fitted = judge, fitted
        digest = hashlib.sha256(f"{fitted.shift} {fitted.scale}".encode()).hexdigest()
        self.name = f"{judge.name}+refit+{digest[:8]}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return [moved(one, self._fitted.shift, self._fitted.scale) for one in self._judge.judge(pairs)]

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        return self._judge.answering(asked)


def refit_judge(path: str | Path) -> RefitJudge:
    """The judge that a file makes of the local one."""
    judge = LocalJudge()
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=RefitFile)
    except OSError as error:
        raise UsageError(f"{path}: the refitted grader cannot be read: {error.strerror}", _AGAIN) from error
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is not a refitted grader: {fault_in(error, RefitFile)}", _AGAIN) from error
    if found.grader != judge.name:
        raise UsageError(f"{path} was fitted to {found.grader}, and this is {judge.name}", _AGAIN)
    return RefitJudge(judge, found.fitted)
