"""What the combiners are fitted to: inputs as the product makes them, directions they may not go against, weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.graders.features import FEATURE_NAMES, Probabilities, Reading, sum_up
from surefoot.graders.tiers import Floats, input_names, inputs_of, probabilities_of
from training.cases import Case, placed
from training.english.lists import words

STRONG_WINDOWS = 5
_RISING = words(
    """word_overlap term_overlap bigram_overlap best_pair_share weakest_part_share longest_run
    rules_supported quick_log_supported strong_log_supported"""
)
_FALLING = words("terms_missing digits_missing_share log_windows")
_LISTED = ("answers_policyqa",)  # its questions come from a list, and other passages may answer them as well
_MORE_OR_LESS = {"contractnli": 3.0, "qa": 0.7, "docnli_mnli": 0.5, "docnli_fever": 0.7}


def names_of(tier: str) -> list[str]:
    """The inputs of a tier's combiner."""
    tiers = ("quick", "strong") if tier == "strong" else ("quick",)
    logs = [f"{one}_log_{label}" for one in tiers for label in ("supported", "contradicted", "not_enough")]
    return [*logs, *FEATURE_NAMES]


def directions(names: Sequence[str]) -> list[int]:
    """1 where more of an input can only speak for a claim, -1 where it can only speak against it."""
    return [int(name in _RISING) - int(name in _FALLING) for name in names]


def table(cases: Sequence[Case], quick: Floats, strong: Floats, tier: str) -> Floats:
    """One row for each claim and response; its columns are those of `names_of`."""
    every = input_names("strong")
    rows = [
        inputs_of(case.features, *_both_tiers(case.reading, quick[at], strong[at]))
        for case, at in placed(cases)
        if case.about != "question"
    ]
    found: Floats = np.array(rows)[:, [every.index(name) for name in names_of(tier)]]
    return found


def _both_tiers(reading: Reading, quick: Floats, strong: Floats) -> tuple[Probabilities, Probabilities]:
    """The strong tier reads the windows that say most to the quick one."""
    by_quick, by_strong = probabilities_of(quick[:, :3]), probabilities_of(strong[:, :3])
    size = len(reading.windows)
    telling = [max(1 - found[2] for found in by_quick[place::size]) for place in range(size)]
    kept = sorted({0, *sorted(range(size), key=lambda place: -telling[place])[:STRONG_WINDOWS]})
    again = [by_strong[start + place] for start in range(0, len(by_strong), size) for place in kept]
    return sum_up(reading, by_quick).probabilities, sum_up(reading.narrowed(kept), again).probabilities


def weights_of(cases: Sequence[Case]) -> Floats:
    """A source counts as the square root of its size, its supported half as much as its other half."""
    sources = np.array([f"{case.about}/{case.source}" for case in cases])
    supported = is_supported(cases)
    weights = np.ones(len(cases))
    for source in sorted(set(sources.tolist())):
        of_source = sources == source
        for value in (True, False):
            half = of_source & (supported == value)
            if half.any():
                weights[half] = np.sqrt(of_source.sum()) / 2 / half.sum()
    weights *= len(weights) / weights.sum()
    for source, factor in _MORE_OR_LESS.items():
        weights[sources == f"claim/{source}"] *= factor
    return weights


def is_supported(cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.array([case.label == "supported" for case in cases], dtype=np.bool_)


def answering(cases: Sequence[Case], logits: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Of the questions: the logit of the window that answers best, whether it is answered, and a weight."""
    asked = [
        (case, logits[at, 3].max())
        for case, at in placed(cases)
        if case.about == "question" and case.source not in _LISTED
    ]
    sources = [case.source for case, _ in asked]
    weights = np.array([1 / np.sqrt(sources.count(source)) for source in sources])
    return np.array([best for _, best in asked]), np.array([int(case.label) for case, _ in asked]), weights
