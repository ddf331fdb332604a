"""From a model's probabilities and the counted features to calibrated probabilities and a label.

`calibration.json` holds what was fitted: per tier small boosted trees over the inputs they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.errors import Incomplete
from surefoot.graders.features import FEATURE_NAMES
from surefoot.table import Support

LABELS: tuple[Support, Support, Support] = ("supported", "contradicted", "not_enough")
Probabilities = tuple[float, float, float]
Floats = NDArray[np.float64]
_SMALLEST = 1e-6


def input_names(tier: str) -> tuple[str, ...]:
    """What a combiner may name: probabilities and their logarithms by tier, and the features."""
    tiers = ("quick", "strong") if tier == "strong" else ("quick",)
    return tuple(f"{one}_{kind}{label}" for one in tiers for kind in ("", "log_") for label in LABELS) + FEATURE_NAMES


def inputs_of(features: Sequence[float], *by_tier: Probabilities) -> list[float]:
    """One row of inputs in the order of `input_names`; the quick tier first."""
    row: list[float] = []
    for probabilities in by_tier:
        row += probabilities
        row += [float(np.log(max(value, _SMALLEST))) for value in probabilities]
    return [*row, *features]


class Tree(Struct, frozen=True, forbid_unknown_fields=True):
    """Nodes in parallel lists; a node whose feature is below 0 is a leaf. A row goes left if it is at most the
    threshold."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]

    def values(self, rows: Floats) -> Floats:
        feature, threshold = np.array(self.feature), np.array(self.threshold)
        left, right = np.array(self.left), np.array(self.right)
        at = np.zeros(len(rows), dtype=np.int64)
        everyone = np.arange(len(rows))
        for _ in self.feature:  # no path is longer than there are nodes
            inner = feature[at] >= 0
            if not inner.any():
                break
            goes_left = rows[everyone, np.maximum(feature[at], 0)] <= threshold[at]
            at = np.where(inner, np.where(goes_left, left[at], right[at]), at)
        found: Floats = np.array(self.value)[at]
        return found


class Trees(Struct, frozen=True, forbid_unknown_fields=True):
    """Small boosted trees that say how likely a claim is supported."""

    inputs: list[str]
    base: float
    trees: list[Tree]

    @property
    def splits_on(self) -> frozenset[str]:
        """The inputs that decide something; others may be named that are not counted any more."""
        return frozenset(self.inputs[place] for tree in self.trees for place in tree.feature if place >= 0)

    def supported(self, rows: Floats) -> Floats:
        margins: Floats = np.full(len(rows), self.base)
        for tree in self.trees:
            margins += tree.values(rows)
        return _sigmoid(margins)


class TierFit(Struct, frozen=True):
    combiner: Trees
    answers_temperature: float = 1.0
    answers_bias: float = 0.0


class Calibration(Struct, frozen=True):
    """What the weights were fitted to: who reads what, and from where on a label is given."""

    quick: TierFit
    strong: TierFit
    quick_low: float  # between these two of p(supported) the strong tier reads
    quick_high: float
    supported_from: float
    contradicted_from: float  # share of contradicted in what is not supported
    sure_from: float = 0.0  # a less sure label is left open
    answers_low: float = 0.0
    answers_high: float = 1.0
    strong_windows: int = 3

    def combined(self, tier: Literal["quick", "strong"], rows: Sequence[Sequence[float]]) -> list[Probabilities]:
        """Calibrated probabilities of rows made by `inputs_of`; what is not supported is split as the model says."""
        if not rows:
            return []
        fit: TierFit = getattr(self, tier)
        names, table = input_names(tier), np.array(rows, dtype=np.float64)
        columns = [names.index(name) if name in names else 0 for name in fit.combiner.inputs]
        supported = fit.combiner.supported(table[:, columns])
        against, silent = (table[:, names.index(f"{tier}_{label}")] for label in LABELS[1:])
        share = against / np.maximum(against + silent, _SMALLEST)
        split = np.column_stack([supported, (1 - supported) * share, (1 - supported) * (1 - share)])
        return [(row[0], row[1], row[2]) for row in split.tolist()]

    def answering(self, tier: Literal["quick", "strong"], logits: Sequence[float]) -> list[float]:
        fit: TierFit = getattr(self, tier)
        margins = np.array(logits, dtype=np.float64) / fit.answers_temperature + fit.answers_bias
        found: list[float] = _sigmoid(margins).tolist()
        return found

    def label(self, probabilities: Probabilities) -> tuple[Support | None, float]:
        """The label with its probability; None where that is less than sure."""
        supported, contradicted, not_enough = probabilities
        place = 0 if supported >= self.supported_from else 2
        if place and contradicted >= self.contradicted_from * (contradicted + not_enough):
            place = 1
        sure = probabilities[place]
        return (LABELS[place] if sure >= self.sure_from else None), sure


def load_calibration(folder: Path) -> Calibration:
    path = folder / "calibration.json"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Calibration)
    except msgspec.MsgspecError as error:
        raise Incomplete(f"{path}: {error}", "install surefoot again") from error
    for tier in ("quick", "strong"):
        unknown = getattr(found, tier).combiner.splits_on - set(input_names(tier))
        if unknown:
            raise Incomplete(f"{path}: {tier} names an unknown input {sorted(unknown)[0]!r}", "install surefoot again")
    return found


def _sigmoid(margins: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.clip(margins, -500, 500)))
    return found


def probabilities_of(logits: Floats) -> list[Probabilities]:
    """Softmax, row by row."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    found = (shifted / shifted.sum(axis=1, keepdims=True)).tolist()
    return [(row[0], row[1], row[2]) for row in found]
