"""Measures of a grader: ranking, decisions at a threshold, reliability, and intervals from resampled groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RESAMPLES, SEED, BLOCK = 1000, 20261115, 50


def auroc(truth: Bools, scores: Floats, weights: Floats | None = None) -> Floats:
    """Area under the ROC curve, ties counted half; one value per row of `weights` (rows x examples)."""
    weights = np.ones((1, len(truth))) if weights is None else weights
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    good = np.add.reduceat(np.where(truth[order], weights[:, order], 0.0), starts, axis=1)
    bad = np.add.reduceat(np.where(truth[order], 0.0, weights[:, order]), starts, axis=1)
    below = np.cumsum(bad, axis=1) - bad
    total = good.sum(1) * bad.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        area: Floats = (good * (below + bad / 2)).sum(1) / total
    return area


def balanced_accuracy(truth: Bools, said: Bools, weights: Floats | None = None) -> Floats:
    weights = np.ones((1, len(truth))) if weights is None else weights
    with np.errstate(invalid="ignore", divide="ignore"):
        found = weights @ (truth & said) / (weights @ truth)
        spared = weights @ (~truth & ~said) / (weights @ ~truth)
    both: Floats = (found + spared) / 2
    return both


def best_threshold(truth: Bools, scores: Floats, weights: Floats | None = None) -> float:
    """The threshold with the highest balanced accuracy, halfway between two scores."""
    values = np.unique(scores)
    cuts = np.r_[values[0], (values[1:] + values[:-1]) / 2]
    weights = np.ones((1, len(truth))) if weights is None else weights
    return float(max(cuts, key=lambda cut: balanced_accuracy(truth, scores >= cut, weights)[0]))


def f1(truth: Bools, said: Bools) -> float:
    hits = int((truth & said).sum())
    return 2 * hits / max(1, int(truth.sum()) + int(said.sum()))


def ece(truth: Bools, probability: Floats, bins: int = 10) -> float:
    """Expected calibration error: how far shares lie from the probabilities given, in bins of equal width."""
    place = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [abs((truth[place == b] - probability[place == b]).sum()) for b in range(bins)]
    return float(sum(gaps) / len(truth))


def resampled(groups: Sequence[str]) -> Floats:
    """How often each example counts in each resample of whole groups."""
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    generator = np.random.default_rng(SEED)
    counts = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    drawn: Floats = counts.astype(np.float64)[:, place]
    return drawn


def interval(values: Floats) -> tuple[float, float]:
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def auroc_interval(truth: Bools, scores: Floats, groups: Sequence[str]) -> tuple[float, float]:
    return interval(_blocks(auroc, truth, scores, resampled(groups)))


def against(
    truth: Bools, one: tuple[Floats, Bools], other: tuple[Floats, Bools], groups: Sequence[str]
) -> dict[str, Any]:
    """Paired differences one - other of (scores, decisions), with intervals and a word for each."""
    weights = resampled(groups)
    found = {}
    measures: tuple[tuple[str, Any, int], ...] = (("auroc", auroc, 0), ("bacc", balanced_accuracy, 1))
    for name, measure, place in measures:
        drawn = _blocks(measure, truth, one[place], weights) - _blocks(measure, truth, other[place], weights)
        point = float((measure(truth, one[place]) - measure(truth, other[place]))[0])
        low, high = interval(drawn)
        verdict = "better" if low > 0 else "worse" if high < 0 else "no difference"
        found[name] = {"difference": point, "low": low, "high": high, "verdict": verdict}
    return found


def _blocks(measure: Any, truth: Bools, values: Any, weights: Floats) -> Floats:  # noqa: ANN401
    """In blocks, so that a large source does not need a large matrix several times over."""
    parts = [measure(truth, values, weights[at : at + BLOCK]) for at in range(0, len(weights), BLOCK)]
    joined: Floats = np.concatenate(parts)
    return joined


def within(truth: Bools, scores: Floats, makers: Sequence[str | None]) -> float | None:
    """AUROC inside each generator's answers, weighted by the pairs it has; None where generators are not named."""
    area, pairs = 0.0, 0
    for maker in sorted({maker for maker in makers if maker is not None}):
        own = np.array([other == maker for other in makers])
        count = int((truth & own).sum() * (~truth & own).sum())
        if count:
            area, pairs = area + count * float(auroc(truth[own], scores[own])[0]), pairs + count
    return area / pairs if pairs else None


def caught(faithful: Floats, false: Floats, alarms: float = 0.05) -> tuple[float, float]:
    """The threshold that at most this share of faithful claims falls below, and the share of false claims below it."""
    cut = float(np.sort(faithful)[int(alarms * len(faithful))])
    return cut, float((false < cut).mean())
