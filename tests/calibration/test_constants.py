"""What decides by a number: each of these fails when its number moves."""

from __future__ import annotations

import pytest

from surefoot.calibration import words
from surefoot.calibration.answers import Answer, Graded, join
from surefoot.calibration.calibrate import calibrate as calibrated
from surefoot.calibration.confusion import confusion_of
from surefoot.core.records import Interval

from .helpers import RUBRIC, calibrate, from_table, label, verdict


@pytest.mark.parametrize(("labels", "share"), [(4, 4 / 24), (5, 30 / 200)])
def test_below_five_labels_a_run_is_taken_together_with_the_others(labels: int, share: float) -> None:
    """30 answers with these labels, all wrong, and 170 with 20, none of them wrong."""
    runs = []
    for size, given in ((30, ["wrong"] * labels), (170, ["correct"] * 20)):
        names = [f"{size}/{n}" for n in range(size)]
        told = [label(name, value) for name, value in zip(names, given, strict=False)]
        runs.append(Graded([verdict(name, "correct") for name in names], told))
    found = calibrated(join(runs), RUBRIC).accepted_but_bad
    assert found is not None and found.value == pytest.approx(share)


@pytest.mark.parametrize(("labels", "share"), [(4, 4 / 28), (3, 50 / 200)])
def test_unless_these_few_speak_for_over_twice_their_share(labels: int, share: float) -> None:
    """50 of 200 answers have 3 labels of 27, which is less than half of a quarter, or 4 of 28, which is not."""
    runs = []
    for size, given in ((50, ["wrong"] * labels), (150, ["correct"] * 24)):
        names = [f"{size}/{n}" for n in range(size)]
        told = [label(name, value) for name, value in zip(names, given, strict=False)]
        runs.append(Graded([verdict(name, "correct") for name in names], told))
    found = calibrated(join(runs), RUBRIC).accepted_but_bad
    assert found is not None and found.value == pytest.approx(share)


@pytest.mark.parametrize(("largest", "columns"), [(20, 21), (21, 0)])
def test_above_twenty_a_count_is_a_number_and_no_bucket(largest: int, columns: int) -> None:
    axis = RUBRIC.axis("extra_claim_count")
    assert axis is not None
    given = [Answer(f"q{n}", 1, n, n, {"a": n}) for n in (0, 1, largest)]
    assert len(confusion_of(given, axis).columns) == columns


@pytest.mark.parametrize(("labels", "is_said"), [(49, True), (50, False)])
def test_fifty_labels_are_the_least_to_go_by(labels: int, is_said: bool) -> None:
    notes = calibrate(*from_table({"correct": {"correct": labels}}, {"correct": 80})).axes["factuality"].notes
    assert any(note.startswith(f"{labels} labels are few: 50 is the least") for note in notes) == is_said


@pytest.mark.parametrize(("labels", "is_said"), [(29, False), (30, True)])
def test_a_verdict_that_a_fair_draw_would_have_met_three_times_is_missed(labels: int, is_said: bool) -> None:
    table = confusion_of(join([Graded(*from_table({"correct": {"correct": labels}, "wrong": {}},
                                                  {"correct": 90, "wrong": 10}))]).axes["factuality"],
                         RUBRIC.axes[0])  # fmt: skip
    assert any("these labels are no sample" in note for note in words.notes(table, None, None)) == is_said


@pytest.mark.parametrize(("kappa", "agreement", "is_said"), [(0.39, 0.8, True), (0.4, 0.8, False), (0.39, 0.79, False)])
def test_a_low_kappa_beside_a_high_agreement_is_explained(kappa: float, agreement: float, is_said: bool) -> None:
    table = confusion_of([Answer("q", 1, "correct", "correct", {"a": "correct"})], RUBRIC.axes[0])
    notes = words.notes(table, Interval(kappa, kappa, kappa), agreement)
    assert any(note.startswith("Kappa is low") for note in notes) == is_said


def test_fifty_strangers_are_named() -> None:
    labels = [label(0, "correct"), *(label(f"x{n}", "correct") for n in range(60))]
    told = [problem.message for problem in calibrate([verdict(0, "correct")], labels).problems]
    assert sum("has a label, and no verdict" in message for message in told) == 50
    assert "60 answers in all have labels and no verdict" in told


def test_fifty_more_labels_are_foretold() -> None:
    found = calibrate(*from_table({"correct": {"correct": 20, "wrong": 2}}, {"correct": 200})).axes["factuality"]
    assert found.labels_needed.startswith("50 more labels")
