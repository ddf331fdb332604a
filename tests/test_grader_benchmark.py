"""The benchmark of the grader measures what it says: its split, its measures, its own sets."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import grader_stats as stats  # noqa: E402
from grader_edits import load  # noqa: E402
from grader_labels import confusion, reliability  # noqa: E402
from grader_systems import overlap  # noqa: E402
from heldout import held_out, sample  # noqa: E402
from surefoot.graders.judges import Judgement, Pair  # noqa: E402


def row(source: str, group: str, use: str = "train") -> dict[str, str]:
    return {"source": source, "group": group, "use": use}


def test_a_fifth_of_the_groups_is_held_out_and_all_that_may_only_be_measured() -> None:
    share = np.mean([held_out(row("vitaminc", f"page {i}")) for i in range(5000)])
    assert 0.18 < share < 0.22
    assert held_out(row("qags", "any", "eval"))
    assert held_out(row("squad2", "squad-Steam_engine"))
    assert not held_out(row("squad2", "squad-Force"))


def test_a_sample_keeps_the_proportions_and_is_always_the_same() -> None:
    rows = [{"id": i, "label": "a" if i % 4 else "b"} for i in range(400)]
    chosen = sample(rows, 40, lambda one: one["label"])
    assert Counter(one["label"] for one in chosen) == {"a": 30, "b": 10}
    assert chosen == sample(rows[::-1], 40, lambda one: one["label"])
    assert sample(rows, 0, lambda one: one["label"]) == rows


def test_auroc_is_the_share_of_pairs_in_the_right_order() -> None:
    generator = np.random.default_rng(1)
    truth, scores = generator.random(60) < 0.4, generator.integers(0, 9, 60) / 8
    weights = generator.integers(0, 4, (3, 60)).astype(float)
    for own, found in zip(weights, stats.auroc(truth, scores, weights), strict=True):
        good, bad = np.repeat(scores[truth], own[truth].astype(int)), np.repeat(scores[~truth], own[~truth].astype(int))
        wins = (good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2
        assert found == pytest.approx(wins)


def test_edits_are_caught_below_what_five_per_cent_of_the_faithful_fall_below() -> None:
    faithful = np.arange(100) / 100
    cut, share = stats.caught(faithful, np.array([0.01, 0.04, 0.05, 0.9]))
    assert (cut, share) == (0.05, 0.5)
    assert stats.caught(np.ones(20), np.ones(20)) == (1.0, 0.0)  # a tie is not a catch


def test_calibration_and_verdicts() -> None:
    truth = np.arange(200) % 2 == 0
    assert stats.ece(truth, np.full(200, 0.5)) == pytest.approx(0)
    assert stats.ece(truth, truth.astype(float)) == pytest.approx(0)
    assert stats.ece(truth, np.full(200, 0.9)) == pytest.approx(0.4)
    groups = [str(i // 4) for i in range(200)]
    right, blind = (truth.astype(float), truth), (np.full(200, 0.5), np.ones(200, dtype=bool))
    found = stats.against(truth, right, blind, groups)
    assert (found["auroc"]["verdict"], found["bacc"]["verdict"]) == ("better", "better")
    assert stats.against(truth, blind, right, groups)["bacc"]["verdict"] == "worse"
    assert stats.against(truth, right, right, groups)["auroc"]["verdict"] == "no difference"


def test_overlap_counts_the_content_words_and_numbers_of_the_claim() -> None:
    scored = overlap().support([Pair("The fee is 12 euros.", "The fee is 15 euros."), Pair("", "Of the")])
    assert list(scored.supported) == [pytest.approx(2 / 3), 0.0]


def test_the_edit_set_is_whole() -> None:
    rows = load()
    assert len({one["id"] for one in rows}) == len({(one["group"], one["text"]) for one in rows}) == len(rows)
    labels = Counter((one["group"], one["label"] == "supported") for one in rows)
    assert {n for (_, faithful), n in labels.items() if faithful} == {5}
    assert {n for (_, faithful), n in labels.items() if not faithful} <= {6, 7, 8}
    assert all(30 <= len(one["passage"].split()) <= 180 for one in rows)


def test_the_sentences_are_labelled() -> None:
    text = (BENCHMARKS / "data" / "sentences.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert len({one["text"] for one in rows}) == len(rows) >= 200
    assert 0.4 < np.mean([one["claim"] for one in rows]) < 0.6


def test_three_labels_are_counted_by_what_is_true_and_what_is_said() -> None:
    said = [Judgement("contradicted"), Judgement("not_enough"), Judgement("contradicted"), Judgement(None)]
    found = confusion(["contradicted", "contradicted", "not_enough", "supported"], said)
    assert found["said"] == {"supported": [0, 0, 0], "contradicted": [0, 1, 1], "not_enough": [0, 1, 0]}
    assert (found["n"], found["ungraded"]) == (4, 1)
    assert (found["precision"], found["recall"], found["contradiction_f1"]) == (0.5, 0.5, 0.5)


def test_reliability_holds_probabilities_against_shares() -> None:
    truth, probability = np.array([True, False, True, True]), np.array([0.72, 0.8, 0.05, 1.0])
    found = {(one["from"], one["to"]): (one["n"], one["share"]) for one in reliability(truth, probability)}
    assert found == {(0.0, 0.1): (1, 1.0), (0.7, 0.9): (2, 0.5), (0.9, 1.0): (1, 1.0)}
