from __future__ import annotations

import pytest

from surefoot.calibration.answers import Graded, Joined, join
from surefoot.calibration.calibrate import by_other_runs
from surefoot.calibration.calibrate import calibrate as calibrated
from surefoot.calibration.results import Calibration
from surefoot.core.intervals import rogan_gladen

from .helpers import RUBRIC, calibrate, from_table, label, unlabelled, verdict

TABLE = {"wrong": {"wrong": 180, "correct": 60}, "correct": {"wrong": 20, "correct": 140}}
OTHERS = ["wrong"] * 400 + ["correct"] * 600


def test_another_run_is_corrected_by_what_was_counted_here() -> None:
    found = calibrate(*from_table(TABLE), RUBRIC, unlabelled(OTHERS))
    assert found.target is not None
    rate = found.target["factuality"]["wrong"]
    assert rate.method == "rogan-gladen"
    assert rate.graded == 0.4
    assert rate.value == pytest.approx(0.1667, abs=0.0001)
    assert [rate.low, rate.high] == pytest.approx([0.0564, 0.2627], abs=0.0001)
    assert "Rogan-Gladen" in found.target_explanation
    assert "400 labelled answers" in found.target_explanation


def test_a_run_that_nobody_labelled_is_corrected_by_the_labels_on_others() -> None:
    verdicts, labels = from_table(TABLE)
    found = by_other_runs(Joined("g/1", unlabelled(OTHERS)), join([Graded(verdicts, labels)]), RUBRIC, ["runs/a"])
    axis = found.axes["factuality"]
    assert axis.corrected["wrong"].value == pytest.approx(0.1667, abs=0.0001)
    assert axis.answers == {"correct": 160, "wrong": 240}
    assert axis.answers_here == {"wrong": 400, "correct": 600}
    assert found.labels == axis.n == 400 and found.target is None
    assert "400 labelled answers of runs/a" in axis.explanation


def two_runs(large: list[str], small: list[str]) -> Calibration:
    """Of 980 answers graded correct the first have these labels, and of 80 in another run."""
    sizes, told = (980, 80), (large, small)
    runs = []
    for number, (size, said) in enumerate(zip(sizes, told, strict=True)):
        names = [f"{number}/{at}" for at in range(size)]
        labels = [label(name, value) for name, value in zip(names, said, strict=False)]
        runs.append(Graded([verdict(name, "correct") for name in names], labels))
    return calibrated(join(runs), RUBRIC)


def test_labels_of_two_runs_are_weighed_by_the_answers_they_stand_for() -> None:
    """5 of 10 labels on the many say wrong, none of 80 on the few: nearly half of all are, and not 5 of 90."""
    found = two_runs(["wrong", "correct"] * 5, ["correct"] * 80)
    assert found.accepted_but_bad is not None
    assert found.accepted_but_bad.value == pytest.approx(980 / 1060 / 2)
    assert found.axes["factuality"].table["correct"]["wrong"] == 5, "shown as counted"


def test_a_few_labels_that_speak_for_many_answers_are_not_drowned() -> None:
    """Below five labels a run is taken together with the others, unless these few speak for most answers."""
    drowned = two_runs(["wrong"] * 4, ["correct"] * 80).accepted_but_bad
    assert drowned is not None and drowned.value == pytest.approx(980 / 1060)


def test_labels_drawn_by_verdict_are_worth_what_they_tell() -> None:
    """A tenth of the answers graded correct is labelled: errors are known less well, and the interval is wider."""
    drawn = {"wrong": {"wrong": 180, "correct": 60}, "correct": {"wrong": 2, "correct": 14}}
    sampled = calibrate(*from_table(drawn, {"wrong": 240, "correct": 160}), RUBRIC, unlabelled(OTHERS)).target
    assert sampled is not None
    rate, counted = sampled["factuality"]["wrong"], rogan_gladen(400, 1000, (180, 200), (140, 200))
    assert rate.low is not None and rate.high is not None
    assert rate.high - rate.low > counted.high - counted.low
    assert rate.value == pytest.approx(0.1667, abs=0.06)


def test_the_errors_that_are_shown_are_those_that_correct() -> None:
    """So the shares of two buckets that are all there is add up to one."""
    drawn = {"wrong": {"wrong": 9, "correct": 4}, "correct": {"wrong": 1, "correct": 36}}
    found = calibrate(*from_table(drawn, {"wrong": 13, "correct": 117}), RUBRIC, unlabelled(OTHERS))
    assert found.target is not None
    wrong, correct = (found.target["factuality"][name] for name in ("wrong", "correct"))
    known = found.axes["factuality"].per_bucket["wrong"]
    assert known.sensitivity is not None and known.specificity is not None
    se, sp = known.sensitivity.value, known.specificity.value
    assert wrong.value == pytest.approx((0.4 + sp - 1) / (se + sp - 1), abs=1e-6)
    assert wrong.value is not None and correct.value == pytest.approx(1 - wrong.value, abs=1e-6)


def test_a_bucket_nobody_labelled_cannot_be_corrected() -> None:
    found = calibrate(*from_table(TABLE), RUBRIC, unlabelled(OTHERS)).target
    assert found is not None
    assert found["factuality"]["refused"].value is None
    assert "not known" in found["factuality"]["refused"].warning


def test_what_no_rate_can_be_is_said() -> None:
    found = calibrate(*from_table(TABLE), RUBRIC, unlabelled(["correct"] * 200)).target
    assert found is not None
    rate = found["factuality"]["wrong"]
    assert rate.value == 0
    assert (rate.low, rate.high) == (None, None)
    assert "which no rate can be" in rate.warning
