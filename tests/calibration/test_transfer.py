from __future__ import annotations

import pytest

from surefoot.calibration.answers import Graded, join
from surefoot.calibration.calibrate import calibrate as calibrated
from surefoot.calibration.results import Calibration

from .helpers import RUBRIC, label, verdict


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
