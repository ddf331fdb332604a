"""The baseline moves to a run that may ship, and to no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import surefoot as api

from .gate.helpers import changed, kept_run
from .in_process import surefoot

GOOD = "c" * 38 + "r" * 2
WORSE = changed(GOOD, range(6))
TRUTH = "--uncalibrated"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(name: str, buckets: str = GOOD) -> str:
    return kept_run(name, buckets, deterministic=True)


def update(run: str, *options: str) -> tuple[int, dict[str, Any]]:
    done = surefoot("baseline", "update", run, "--json", *options)
    return done.code, done.json["baseline"]


def base_of(candidate: str) -> str:
    return str(surefoot("gate", candidate, TRUTH, "--json").json["names"]["base"])


def test_it_moves_only_to_what_ships_and_the_gate_follows(project: Path) -> None:
    first, better, worse = run("v1"), run("v2"), run("v3", WORSE)
    done = surefoot("baseline", "update", first, TRUTH)
    assert done.code == 0 and done.out.splitlines()[-2].startswith("SHIP - ")
    assert done.out.splitlines()[-1] == ("the baseline is now v1 (there was none; the run was compared with itself)")
    assert base_of(better) == "v1"
    done = surefoot("baseline", "update", worse, TRUTH)
    assert done.code == 1 and "BLOCK - " in done.out and "wrong rose by 15 points" in done.out
    assert done.out.splitlines()[-1] == "the baseline stays v1"
    assert api.baseline() == "v1"
    assert update(better, TRUTH) == (0, {"before": "v1", "now": "v2", "moved": True})
    assert update(better, TRUTH) == (0, {"before": "v2", "now": "v2", "moved": False})
    assert base_of(worse) == "v2"
    lines = surefoot("gate", "--history").out.splitlines()
    assert sum("new baseline" in line for line in lines) == 2 and "v1 -> v2" in lines[-1] + lines[-2]


def test_a_decision_alone_does_not_move_a_baseline_that_was_set(project: Path) -> None:
    first, second, third = run("v1"), run("v2"), run("v3")
    assert update(first, TRUTH)[0] == 0
    assert surefoot("gate", first, second, TRUTH).code == 0
    assert base_of(third) == "v1", "v2 may ship, but nobody said that it did"


def test_before_it_is_first_moved_the_baseline_is_what_shipped_last(project: Path) -> None:
    first, second, third = run("v1"), run("v2"), run("v3")
    assert surefoot("gate", first, second, TRUTH).code == 0
    assert update(third, TRUTH) == (0, {"before": "v2", "now": "v3", "moved": True})


def test_what_was_blocked_cannot_begin_anew_compared_with_itself(project: Path) -> None:
    first, worse = run("v1"), run("v2", WORSE)
    assert surefoot("gate", first, worse, TRUTH).code == 1
    assert update(worse, TRUTH) == (1, {"before": None, "now": None, "moved": False})


def test_without_labels_nothing_moves(project: Path) -> None:
    done = surefoot("baseline", "update", run("v1"))
    assert done.code == 3 and done.out.splitlines()[-1] == (
        "there is still no baseline; label some answers: surefoot label v1"
    )


def test_a_baseline_that_refuses_everything_is_none(project: Path) -> None:
    assert update(run("v1", "r" * 40), TRUTH)[0] == 1


def test_what_is_no_run_cannot_be_a_baseline(project: Path) -> None:
    Path("verdicts.jsonl").write_text(json.dumps({"question_id": "q", "axis": "factuality", "value": "correct"}))
    run("v1")
    for name in ("verdicts.jsonl", "nosuch"):
        done = surefoot("baseline", "update", name)
        assert done.code == 2 and f"has no run or version {name!r}" in done.err and "hint: " in done.err
    assert api.baseline() is None


def test_a_comparison_that_is_not_kept_leaves_no_trace(project: Path) -> None:
    first, second = run("v1"), run("v2")
    assert api.gate(first, second, uncalibrated=True, keep=False).outcome == "SHIP" and not api.decisions()
    assert surefoot("gate", first, second, TRUTH).code == 0
    before = api.decisions()
    assert api.gate(first, run("v3", WORSE), uncalibrated=True, keep=False).outcome == "BLOCK"
    assert api.decisions() == before
