"""The calibration of both tiers from their logits over the fit cases.

`python -m training.fit CASES.jsonl.gz QUICK.npy STRONG.npy OUT.json`

Per tier: boosted trees of one or two splits, kept from going against what an input can mean, the mean of three seeds;
and a line through the logits of the answers head.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from surefoot.graders.tiers import Calibration, Floats, TierFit, Tree, Trees
from training.cases import Case, read_cases
from training.fit_inputs import STRONG_WINDOWS, answering, directions, is_supported, names_of, table, weights_of

SEEDS = 3
_ITERATIONS, _LEAVES, _RATE, _L2, _FEWEST, _SHARE = 100, 3, 0.08, 5.0, 60, 0.6


def fitted(cases: Sequence[Case], quick: Floats, strong: Floats) -> Calibration:
    """The bounds were chosen by hand: where the quick tier alone is right on the fit cases."""
    return Calibration(
        quick=_tier(cases, quick, strong, "quick"),
        strong=_tier(cases, quick, strong, "strong"),
        quick_low=0.03,
        quick_high=0.98,
        supported_from=0.5,
        contradicted_from=0.95,  # on the fit cases of contracts: precision .42 to .56, recall .93 to .64
        answers_low=0.05,
        strong_windows=STRONG_WINDOWS,
    )


def _tier(cases: Sequence[Case], quick: Floats, strong: Floats, tier: str) -> TierFit:
    claims = [case for case in cases if case.about != "question"]
    trees = _trees(table(cases, quick, strong, tier), is_supported(claims), weights_of(claims), names_of(tier))
    temperature, bias = _line(*answering(cases, quick if tier == "quick" else strong))
    return TierFit(trees, temperature, bias)


def _trees(rows: Floats, supported: np.ndarray, weights: Floats, names: list[str]) -> Trees:
    models = [
        HistGradientBoostingClassifier(
            max_iter=_ITERATIONS, max_leaf_nodes=_LEAVES, learning_rate=_RATE, l2_regularization=_L2,
            min_samples_leaf=_FEWEST, max_features=_SHARE, monotonic_cst=directions(names), random_state=seed,
        ).fit(rows, supported, sample_weight=weights)
        for seed in range(SEEDS)
    ]  # fmt: skip
    trees = [_tree(found.nodes) for model in models for (found,) in model._predictors]
    base = float(np.mean([np.ravel(model._baseline_prediction)[0] for model in models]))
    made = Trees(names, base, trees)
    expected = sum(model.decision_function(rows) for model in models) / SEEDS
    if not np.allclose(made.supported(rows), 1 / (1 + np.exp(-expected)), atol=1e-6):
        raise ValueError("the trees do not say what the fitted model says")
    return made


def _tree(nodes: np.ndarray) -> Tree:
    leaf = [bool(node["is_leaf"]) for node in nodes]
    return Tree(
        feature=[-1 if is_leaf else int(node["feature_idx"]) for node, is_leaf in zip(nodes, leaf, strict=True)],
        threshold=[0.0 if is_leaf else float(node["num_threshold"]) for node, is_leaf in zip(nodes, leaf, strict=True)],
        left=[int(node["left"]) for node in nodes],
        right=[int(node["right"]) for node in nodes],
        value=[float(node["value"]) / SEEDS if is_leaf else 0.0 for node, is_leaf in zip(nodes, leaf, strict=True)],
    )


def _line(logits: Floats, answered: np.ndarray, weights: Floats) -> tuple[float, float]:
    """Temperature and bias."""
    found = LogisticRegression(C=1e4).fit(logits[:, None], answered, sample_weight=weights)
    return 1 / float(found.coef_[0, 0]), float(found.intercept_[0])


def main(cases: Path, quick: Path, strong: Path, out: Path) -> None:
    found = fitted(read_cases(cases), *(np.load(path).astype(np.float64) for path in (quick, strong)))
    out.write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]))
