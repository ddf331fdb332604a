from __future__ import annotations

import numpy as np
import pytest

from surefoot.calibration.results import AxisCalibration

from .helpers import RUBRIC, calibrate, label, verdict


def calibrated(stated: list[float], agreed: list[bool], **more: str) -> AxisCalibration:
    verdicts = [verdict(i, "correct", confidence=value, **more) for i, value in enumerate(stated)]
    labels = [label(i, "correct" if right else "wrong") for i, right in enumerate(agreed)]
    return calibrate(verdicts, labels, RUBRIC).axes["factuality"]


def test_a_grader_that_is_too_sure_is_found_out() -> None:
    generator = np.random.default_rng(3)
    right = generator.random(300) < 0.7
    found = calibrated([0.95] * 150 + [0.85] * 150, right.tolist())
    assert found.reliability is not None
    assert found.reliability.ece == pytest.approx(0.2, abs=0.05)


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


def test_no_confidence_is_said_so() -> None:
    verdicts = [verdict(0, "correct"), verdict(1, "correct", confidence=7.0)]
    axis = calibrate(verdicts, [label(0, "correct"), label(1, "wrong")], RUBRIC).axes["factuality"]
    assert axis.reliability is None
    assert "no confidence" in axis.reliability_reason
    assert axis.send_to_a_person is None
