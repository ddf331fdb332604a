"""The simulations behind benchmarks/RESULTS.md keep what it says, with fewer repetitions."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import gate  # noqa: E402

SMALL = gate.World(questions=80, runs=5, unsupported=0.05, only_wrong=True)
FIXED = replace(gate.World(), runs=1, varying=0.0, unsupported=0.0, words=0.3, deterministic=True)


def outcomes(world: gate.World, count: int = 4) -> Counter[str]:
    return Counter(gate.programme(world, seed).outcome for seed in range(count))


def test_an_unchanged_pipeline_is_not_blocked_and_a_fixed_one_ships() -> None:
    assert outcomes(SMALL)["BLOCK"] == 0
    assert outcomes(FIXED) == {"SHIP": 4}


def test_a_rise_that_the_grader_cannot_see_does_not_ship() -> None:
    assert outcomes(replace(SMALL, rise=0.1, unseen=True)) == {"BLOCK": 4}


def test_slips_do_not_block_a_fixed_pipeline() -> None:
    assert outcomes(replace(FIXED, slips=0.05))["BLOCK"] == 0
