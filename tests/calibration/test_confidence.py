from __future__ import annotations

from surefoot.calibration.results import AxisCalibration

from .helpers import RUBRIC, calibrate, label, verdict


def calibrated(stated: list[float], agreed: list[bool], **more: str) -> AxisCalibration:
    verdicts = [verdict(i, "correct", confidence=value, **more) for i, value in enumerate(stated)]
    labels = [label(i, "correct" if right else "wrong") for i, right in enumerate(agreed)]
    return calibrate(verdicts, labels, RUBRIC).axes["factuality"]


def test_below_the_threshold_a_person_looks() -> None:
    found = calibrated([0.5] * 20 + [0.9] * 80, [False] * 20 + [True] * 80)
    assert found.send_to_a_person is not None
    assert found.send_to_a_person.threshold == 0.5
    assert found.send_to_a_person.share == 0.2
    few = calibrated([0.9] * 5, [True] * 5)
    assert few.send_to_a_person is not None
    assert few.send_to_a_person.threshold is None
    assert "5 labelled verdicts are too few" in few.send_to_a_person.reason
    one = calibrated([0.9], [True])
    assert one.send_to_a_person is not None
    assert "one labelled verdict is too little" in one.send_to_a_person.reason


def test_without_a_confidence_there_is_no_threshold() -> None:
    verdicts = [verdict(0, "correct"), verdict(1, "correct", confidence=7.0)]
    axis = calibrate(verdicts, [label(0, "correct"), label(1, "wrong")], RUBRIC).axes["factuality"]
    assert axis.send_to_a_person is None
