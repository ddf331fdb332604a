from __future__ import annotations

import numpy as np
import pytest

from surefoot.calibration.results import AxisCalibration

from .helpers import RUBRIC, calibrate, label, verdict


def calibrated(stated: list[float], agreed: list[bool], **more: str) -> AxisCalibration:
    verdicts = [verdict(i, "correct", confidence=value, **more) for i, value in enumerate(stated)]
    labels = [label(i, "correct" if right else "wrong") for i, right in enumerate(agreed)]
    return calibrate(verdicts, labels, RUBRIC).axes["factuality"]


def test_a_grader_that_is_too_sure_is_found_out_and_mended() -> None:
    generator = np.random.default_rng(3)
    right = generator.random(300) < 0.7
    found = calibrated([0.95] * 150 + [0.85] * 150, right.tolist())
    assert found.reliability is not None
    assert found.reliability.ece == pytest.approx(0.2, abs=0.05)
    fit = found.reliability.fits["g/1"]
    assert fit.kind == "isotonic"
    assert fit.right[-1] == pytest.approx(0.7, abs=0.1)


def test_less_data_gets_a_curve_of_a_given_shape_and_none_gets_none() -> None:
    some = calibrated([0.9, 0.6] * 50, [True, False] * 50)
    assert some.reliability is not None
    assert some.reliability.fits["g/1"].kind == "platt"
    few = calibrated([0.9, 0.6] * 5, [True, False] * 5)
    assert few.reliability is not None
    unfitted = few.reliability.fits["g/1"]
    assert unfitted.kind is None
    assert "there are 5 and 5" in unfitted.reason


def test_each_source_has_its_own_curve() -> None:
    verdicts = [verdict(i, "correct", confidence=0.9, via=("quick", "strong")[i % 2]) for i in range(60)]
    labels = [label(i, "wrong" if i % 2 and i % 3 else "correct") for i in range(60)]
    found = calibrate(verdicts, labels, RUBRIC).axes["factuality"].reliability
    assert found is not None
    assert {source: fit.kind for source, fit in found.fits.items()} == {"quick": None, "strong": "platt"}


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
