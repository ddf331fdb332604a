"""The simulations behind benchmarks/RESULTS.md keep what it says, on their hardest cases and with fewer repetitions."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import calibration  # noqa: E402
import calibration_clusters  # noqa: E402
import gate  # noqa: E402
from simulated_gate import Setting, outcome_of  # noqa: E402


@pytest.mark.parametrize("cell", calibration.QUICK, ids=str)
def test_corrected_intervals_hold_the_true_rate(cell: calibration.Cell) -> None:
    result = calibration.measure(cell, 2_000)
    assert result.covered >= 0.93
    assert result.covered_run >= 0.93
    assert result.covered_naive < 0.6


def test_the_grader_is_worth_having() -> None:
    cells = [cell for cell in calibration.grid() if cell.sensitivity == cell.specificity == 0.9]
    results = [calibration.measure(cell, 40) for cell in cells]
    assert sum(one.width for one in results) / sum(one.width_alone for one in results) < 0.9


@pytest.mark.parametrize(
    "case", [calibration_clusters.Case(20, 1, 10, labels=100), calibration_clusters.Case(20, 10, icc=0.3)], ids=str
)
def test_answers_that_go_together_are_not_independent(case: calibration_clusters.Case) -> None:
    generator, true = np.random.default_rng(3), calibration_clusters.truth(case)
    runs = [calibration_clusters.simulated(case, generator) for _ in range(30)]
    held = [calibration_clusters.held(run, true)["rate of wrong"] for run in runs]
    as_many = [calibration_clusters.held(calibration_clusters.apart(run), true)["rate of wrong"] for run in runs]
    assert sum(map(bool, held)) >= 27 > sum(map(bool, as_many))


def test_labels_are_given_as_told() -> None:
    n, m, k, in_run = calibration.simulate(calibration.Cell(0.4, 0.9, 0.7, 130, 100), 500, np.random.default_rng(0))
    assert (m.sum(axis=1) == 100).all() and (k <= m).all() and (m <= n).all()
    assert (m[:, 0] >= np.minimum(n[:, 0], 50)).all()
    assert in_run.mean() == pytest.approx(0.4, abs=0.01)


def test_four_buckets_are_covered_too() -> None:
    found = calibration.four_buckets((0.8, 0.03, 0.07, 0.1), 0.8, 130, 50, 600)
    assert min(covered for covered, _ in found) >= 0.93


def outcomes(setting: Setting, *, more_labels: bool = False) -> Counter[str]:
    return Counter(outcome_of(setting, seed, more_labels=more_labels) for seed in range(12))


def test_an_unchanged_pipeline_ships_and_is_not_blocked() -> None:
    for setting in (gate.S, replace(gate.S, label_side=1)):
        found = outcomes(setting)
        assert found["BLOCK"] <= 1 and found["SHIP"] >= 6


def test_a_rise_does_not_ship_and_the_labels_asked_for_block_it() -> None:
    found = outcomes(replace(gate.S, rise=0.06), more_labels=True)
    assert found["SHIP"] == 0 and found["BLOCK"] >= 8
    assert outcomes(replace(gate.S, rise=0.03))["SHIP"] <= 1
    assert outcomes(replace(gate.S, rise=0.06, sensitivity=0.0))["SHIP"] <= 2


def test_intervals_of_the_change_hold_it() -> None:
    for wrong, sensitivity, runs, labels in (gate.GRID[0], gate.GRID[-1]):
        setting = replace(gate.S, wrong=wrong, sensitivity=sensitivity, runs=runs, labels=labels, rise=0.02)
        assert sum(gate.covers(setting, seed) for seed in range(30)) >= 25
