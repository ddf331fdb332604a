from __future__ import annotations

import numpy as np
import pytest

from surefoot.calibration.results import Rate
from surefoot.core.rubric import load

from .helpers import RUBRIC, calibrate, label, verdict


def mean(scores: list[int], labels: dict[int, int]) -> tuple[Rate, str]:
    verdicts = [verdict(i, score, "extra_claim_count") for i, score in enumerate(scores)]
    given = [label(i, value, axis="extra_claim_count") for i, value in labels.items()]
    axis = calibrate(verdicts, given, RUBRIC).axes["extra_claim_count"]
    return axis.corrected["mean"], axis.explanation


def test_the_mean_is_that_of_the_labels() -> None:
    generator = np.random.default_rng(1)
    truth = generator.poisson(1.2, 400)
    scores = truth + generator.integers(0, 2, 400)  # counts half a claim too many
    found, _ = mean(scores.tolist(), {i: int(truth[i]) for i in range(80)})
    assert found.value == pytest.approx(float(truth[:80].mean()))
    assert found.graded == pytest.approx(float(scores.mean()))
    half = np.std(truth[:80], ddof=1) * 1.99 / np.sqrt(80)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.01)  # type: ignore[operator]


def test_few_events_leave_a_wide_interval() -> None:
    found, why = mean([0] * 90 + [3] * 10, {i: int(i < 3) for i in range(30)})
    assert found.method == "labels alone"
    assert found.value == pytest.approx(0.1)
    assert found.low == 0
    assert "labels alone" in why


def test_labels_that_are_all_the_same_give_no_interval() -> None:
    found, _ = mean([0] * 50, dict.fromkeys(range(10), 0))
    assert (found.value, found.low, found.high) == (0, None, None)
    assert "all labels are the same" in found.warning


def test_one_label_gives_no_mean() -> None:
    found, why = mean([0] * 50, {0: 4})
    assert found.value is None
    assert "two labels" in why


def test_every_answer_labelled_is_counted() -> None:
    found, why = mean([1, 2, 3, 4], {0: 1, 1: 2, 2: 3, 3: 5})
    assert (found.value, found.method) == (2.75, "counted")
    assert "counted" in why


def test_flagged_answers_are_weighed_down_to_their_number() -> None:
    verdicts, labels = [], []
    for number in range(100):
        flagged = number < 10
        verdicts += [verdict(number, "wrong" if flagged else "correct"), verdict(number, 1, "extra_claim_count")]
        if number < 20:
            labels.append(label(number, (4 + number % 2) if flagged else number % 2, axis="extra_claim_count"))
    found = calibrate(verdicts, labels, RUBRIC).axes["extra_claim_count"].corrected["mean"]
    assert found.value == pytest.approx(0.1 * 4.5 + 0.9 * 0.5)


def test_scores_of_the_council_have_a_mean_and_no_buckets() -> None:
    verdicts = [verdict(i, 5.0 + i % 4, "accuracy") for i in range(40)]
    labels = [label(i, 6.5 + i % 3, axis="accuracy") for i in range(20)]
    axis = calibrate(verdicts, labels, load("council")).axes["accuracy"]
    assert axis.table == {}
    assert axis.kappa is None
    assert axis.corrected["mean"].method == "labels alone"


def test_a_very_large_count_is_a_number_and_not_a_bucket() -> None:
    verdicts = [verdict(i, 10**6, "extra_claim_count") for i in range(4)]
    labels = [label(i, 10**6 + i, axis="extra_claim_count") for i in range(4)]
    axis = calibrate(verdicts, labels, RUBRIC).axes["extra_claim_count"]
    assert axis.table == {}
    assert axis.corrected["mean"].value == 10**6 + 1.5
