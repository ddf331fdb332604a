"""The simulations behind benchmarks/RESULTS.md keep what it says, on their hardest cases and with fewer repetitions."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from simulated_gate import Setting, outcome_of  # noqa: E402

import gate  # noqa: E402


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
