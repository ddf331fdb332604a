"""The simulations behind benchmarks/RESULTS.md keep what it says, on their hardest cases and with fewer repetitions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import calibration


@pytest.mark.parametrize("case", calibration.QUICK, ids=str)
def test_the_intervals_of_a_calibration_hold_the_truth(case: calibration.Case) -> None:
    covered, width, naive = calibration.measure(case, 60)
    assert min(covered.values()) >= 0.88, "95 % of 60 is hardly ever below 53"
    assert width < 1.2 and naive < 0.99
