"""The simulations behind docs/statistics.md keep what it says, on their hardest cases and with fewer repetitions."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import calibration  # noqa: E402
import calibration_clusters  # noqa: E402
import gate  # noqa: E402


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


@pytest.mark.parametrize("rate", gate.RATES)
def test_fifty_releases_run_again_at_will_are_not_blocked_by_chance(rate: float) -> None:
    assert gate.false_blocks(rate, 200, spend=True)[-1] <= gate.ALPHA
    assert gate.false_blocks(rate, 200, spend=False)[-1] > 5 * gate.ALPHA


def test_a_threefold_rise_is_blocked_within_five_runs() -> None:
    assert gate.true_blocks(0.03, 0.09, 1, 4_000)[4] >= 0.95


@pytest.mark.parametrize("after", [0.05, 0.055, 0.06])
def test_running_again_does_not_ship_a_bad_candidate(after: float) -> None:
    by_run = gate.shipped(0.03, after, 1_000)
    assert by_run[-1] <= gate.ALPHA
    assert by_run[-1] < gate.shipped(0.03, after, 1_000, spend=False)[-1]


def test_nor_does_it_when_the_same_questions_fail() -> None:
    assert gate.shipped_if_the_same_questions_fail(1_000)[-1] <= gate.ALPHA


def test_one_lucky_reference_run_would_block_for_ever() -> None:
    assert gate.blocked_by_one_lucky_run(0.03, 20, 2_000)[-1] > 0.2
    assert gate.blocked_by_fresh_pairs(0.03, 20, 2_000)[-1] < 0.03


def test_the_rules_of_others() -> None:
    unchanged, worse = gate.other_rules(0.03, 0.03, 1, 2_000), gate.other_rules(0.03, 0.09, 5, 2_000)
    raw, mcnemar, sequential = unchanged
    assert unchanged[raw] == pytest.approx(0.43, abs=0.04) and unchanged[sequential] < 0.01
    assert worse[mcnemar] < 0.1 and worse[sequential] >= 0.95


def test_the_page_shows_what_its_examples_print() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(shown) == 3
    for code, text in shown:
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == text
