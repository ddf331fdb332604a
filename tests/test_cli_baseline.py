"""The anchor: a baseline is set once with nothing to compare with, and only a person moves it."""

from __future__ import annotations

from pathlib import Path

import pytest

import surefoot as api
from surefoot.core.types import Question, Trace

from .gate.helpers import changed, decided, kept_run, people_say
from .in_process import surefoot
from .kept import keep_run

GOOD = "c" * 38 + "r" * 2


def version(name: str, buckets: str = GOOD) -> str:
    return kept_run(name, buckets, told="x", deterministic=True)


def test_the_first_has_nothing_to_compare_with_and_tells_its_four_counts() -> None:
    version("v1", "c" * 30 + "w" * 3 + "u" * 2 + "r" * 5)
    assert surefoot("baseline").code == 2
    done = surefoot("baseline", "v1")
    assert done.code == 0 and "SHIP" not in done.out and not done.err
    assert done.out == (
        "baseline set; nothing to compare with: v1 (1 run), 30 correct, 3 wrong, 2 unsupported, 5 refused\n"
    )
    shown = surefoot("baseline", "--json").json
    assert (shown["version"], shown["run"], shown["moved"]) == ("v1", "v1", False) and api.baseline().run == "v1"
    assert shown["buckets"] == {"correct": 30, "wrong": 3, "unsupported": 2, "refused": 5, "ungraded": 0}


def test_it_is_not_compared_with_itself() -> None:
    version("v1"), version("v2")
    surefoot("baseline", "v1")
    done = surefoot("gate", "v1")
    assert done.code == 2 and "v1 is the baseline, so there is nothing to compare it with" in done.err
    assert "hint: name a new version" in done.err and surefoot("gate", "v2").code == 0


def test_answers_that_only_a_council_scored_are_no_version_to_decide_on() -> None:
    version("v1"), version("v2")
    surefoot("baseline", "v1")
    asked = [Question("ask-1", "Is ice a mineral?", "answer")]
    keep_run("ask-1-1", asked, [Trace("ask-1", answer="It is.")], version="a-model", council="council@1")
    done = surefoot("gate", "--json")
    assert done.code == 0 and done.json["names"] == {"base": "v1", "cand": "v2"}


def test_a_first_baseline_whose_answers_are_mostly_bad_is_warned_of() -> None:
    version("v1", "w" * 15 + "u" * 10 + "c" * 15)
    done = surefoot("baseline", "v1")
    assert done.code == 0 and done.err.startswith("warning: most of its answers are bad (25 of 40)")


def test_a_version_that_ships_leaves_it_where_it_is() -> None:
    version("v1"), version("v2"), version("v3")
    surefoot("baseline", "v1")
    found = decided("v2")
    assert found["outcome"] == "SHIP" and "the baseline stays v1" in found["baseline"]
    assert "surefoot baseline v2" in found["baseline"] and decided("v3")["names"]["base"] == "v1"
    moved = surefoot("baseline", "v2")
    assert moved.code == 0 and moved.out.startswith("baseline moved: v2 (1 run), 38 correct")
    assert decided("v3")["names"]["base"] == "v2"
    assert surefoot("baseline", "v2", "--json").json["moved"] is False, "it is there already"
    assert "the baseline is v2, not v1" in decided("v1", "v3")["baseline"]


def test_a_worse_version_needs_a_reason_which_is_kept() -> None:
    version("v1"), version("v2", changed(GOOD, [0]))
    people_say("v1", "c"), people_say("v2", "w")
    surefoot("baseline", "v1")
    stays = surefoot("baseline", "v2")
    assert stays.code == 1 and stays.out == "the baseline stays v1: v2 has more wrong than it\n"
    assert "q000" in stays.err and "--accept-worse" in stays.err and api.baseline().run == "v1"
    assert surefoot("baseline", "v2", "--accept-worse", " ").code == 2
    assert surefoot("baseline", "v2", "--json").json["exit_code"] == 1
    assert surefoot("baseline", "v2", "--accept-worse", "the law changed").code == 0
    assert api.baseline().run == "v2"
    moves = [one for one in api.decisions() if one.mode == "baseline"]
    assert [one.waived for one in moves] == [{}, {"worse": "the law changed"}]
    first, _, last = surefoot("gate", "--history").out.splitlines()
    assert "new baseline  v1  " in first and "new baseline  v1 -> v2  waived: worse (the law changed)  " in last


def test_what_is_not_decided_does_not_move_it_either() -> None:
    version("v1"), version("v2", changed(GOOD, [0]))
    surefoot("baseline", "v1")
    stays = surefoot("baseline", "v2")
    assert stays.code == 3 and "v2 is INCONCLUSIVE against it" in stays.out and "look at 1 pair" in stays.err


def test_what_is_estimated_above_the_anchor_does_not_move_it_though_it_ships() -> None:
    """One answer turned unsupported, another is no longer: as many; then wrong ones likewise."""
    version("v1", changed(GOOD, [0])), version("v2", changed(GOOD, [1]))
    people_say("v1", "wc"), people_say("v2", "cw")
    surefoot("baseline", "v1")
    assert decided("v2")["outcome"] == "SHIP" and surefoot("baseline", "v2").code == 0, "one newly wrong, one mended"


def test_without_grades_or_a_run_there_is_no_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    version("v1", changed(GOOD, [3], "-"))
    done = surefoot("baseline", "v1")
    assert done.code == 4 and "1 answer of v1 is not graded" in done.err and "surefoot grade v1" in done.err
    Path("README.md").write_text("# Read me")
    for name in ("nosuch", "README.md"):
        assert surefoot("baseline", name).code == 2
    assert surefoot("baseline").code == 2


def test_a_baseline_can_be_an_export_of_another_project(tmp_path: Path) -> None:
    version("v1")
    surefoot("export", tmp_path / "v1.jsonl", "v1")
    done = surefoot("baseline", tmp_path / "v1.jsonl", "--db", tmp_path / "new.db")
    assert done.code == 0 and api.baseline(db=tmp_path / "new.db").run == "v1"
