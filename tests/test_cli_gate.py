"""The gate as a team uses it: runs of two versions, people who look at what differs, rules, and one decision."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import surefoot as api
from surefoot.core.types import Trace, Verdict
from surefoot.store import Project

from .conftest import Write
from .gate.helpers import GRADER, changed, decided, gate, kept_run, people_say, questions, rule, say, verdicts
from .in_process import surefoot
from .kept import kept

GOOD = "c" * 36 + "r" * 4
TRUTH = "--uncalibrated"


def pair(cand: str, base: str = GOOD, **more: Any) -> tuple[str, str]:  # noqa: ANN401
    """Two versions of a deterministic pipeline that say the same where their letters are the same."""
    made = {"told": "x", "deterministic": True, **more}
    return kept_run("b", base, version="v1", **made), kept_run("c", cand, version="v2", **made)


def all_looked_at(base: str = GOOD, cand: str = GOOD) -> None:
    people_say("b", base)
    people_say("c", cand)


# Deciding


def test_what_did_not_change_ships_without_a_look() -> None:
    pair(GOOD)
    found = decided("v1", "v2")
    assert (found["outcome"], found["differing"], found["looked_at"], found["next"]) == ("SHIP", 0, 0, [])
    assert found["pairs"] == 40 and (rule(found)["change"], rule(found)["high"]) == (0, 0)
    assert "nothing changed" in found["headline"]
    itself = decided("v1", "v1")
    assert itself["outcome"] == "SHIP" and any("both sides are the run" in note for note in itself["notes"])


def test_five_equal_runs_of_each_side_are_runs_though_nobody_called_them_deterministic() -> None:
    for version in ("v1", "v2"):
        kept_run(version, *[GOOD] * 5, told="x")
    assert decided("v1", "v2")["outcome"] == "SHIP"
    worse = changed(GOOD, [3])
    kept_run("v3", *[worse] * 5, told="x")
    people_say("v3", *["...w" + "." * 36] * 5)
    people_say("v1", "...c" + "." * 36)
    found = decided("v1", "v3")
    assert found["outcome"] == "BLOCK" and found["newly_wrong"] == ["q003"], "five runs are enough to count it"


def test_two_newly_wrong_and_one_mended_of_ten_that_differ_is_one_more_and_both_are_named() -> None:
    base, cand = changed(GOOD, [2]), changed(GOOD, [0, 1])
    pair(changed(cand, range(3, 10), "r"), base)  # seven more differ, and are as good
    all_looked_at(base, changed(cand, range(3, 10), "r"))
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and found["differing"] == found["looked_at"] == 10
    assert [rule(found)[key] for key in ("before", "after", "change", "low", "high")] == [1, 2, 1, 1, 1]
    assert (found["newly_wrong"], found["mended_wrong"]) == (["q000", "q001"], ["q002"])
    assert all(id in found["headline"] for id in ("q000", "q001", "q002"))
    lasting = rule(found, "lasting_wrong")
    assert (lasting["holds"], lasting["after"], lasting["before"], lasting["questions"]) == (
        False,
        2,
        1,
        ["q000", "q001"],
    )


def test_what_json_promises() -> None:
    pair(changed(GOOD, [0]), changed(GOOD, [1], "u"))
    all_looked_at(changed(GOOD, [1], "u"), changed(GOOD, [0]))
    found = decided("v1", "v2")
    assert {"outcome", "rules", "newly_wrong", "newly_unsupported", "mended_wrong", "mended_unsupported", "pairs",
            "differing", "looked_at", "unseen", "next", "headline", "notes"} <= found.keys()  # fmt: skip
    assert {"name", "before", "after", "change", "low", "high", "margin", "holds", "by"} <= rule(found).keys()
    assert rule(found)["margin"] == pytest.approx(0.03 * 40) and rule(found)["by"] == "people"
    assert (found["mended_unsupported"], found["newly_unsupported"], found["unseen"]) == (["q001"], [], 0)
    assert decided("v1", "v2") == found, "draws are seeded"
    first = found["changed"][0]
    assert (first["question_id"], first["turn"], first["cand"]["bucket"]) == ("q000", "newly wrong", "wrong")
    assert first["cand"]["answer"] == "x w q000" and first["question"] == "Question 0?"


def test_without_labels_it_leans_and_says_what_to_look_at() -> None:
    pair(changed(GOOD, range(7)))
    found = decided("v1", "v2")
    assert (found["outcome"], found["exit_code"], found["lean"]) == ("INCONCLUSIVE", 3, "BLOCK")
    assert found["headline"].startswith("leaning BLOCK: by the grader, 7 newly wrong; look at 7 pairs")
    assert found["next"] == ["look at 7 pairs, about 2 minutes: surefoot label v1 v2"]
    assert found["unseen"] == 7 and rule(found)["holds"] is None and rule(found)["by"] == "the grader"
    kept_run("v3", GOOD, told="y", deterministic=True)
    unsure = decided("v1", "v3")
    assert "leaning SHIP" in unsure["headline"] and "look at 20 pairs" in unsure["next"][0]


def test_the_grader_alone_decides_only_on_demand_and_that_is_said_first() -> None:
    pair(changed(GOOD, range(7)))
    found = decided("v1", "v2", TRUTH)
    assert found["outcome"] == "BLOCK" and found["looked_at"] == 0 and rule(found)["by"] == "the grader"
    assert "Uncalibrated: the grader's verdicts" in gate("v1", "v2", TRUTH).out
    kept_run("v3", changed(GOOD, [5], "r"), told="x", deterministic=True)
    assert decided("v1", "v3", TRUTH)["outcome"] == "SHIP" and decided("v1", "v3")["outcome"] == "INCONCLUSIVE"


def test_a_question_blocks_by_name_once_it_was_looked_at_again_and_again() -> None:
    pair(changed(GOOD, [0]))
    say("b", {"q000": "c"}, drawn="look"), say("c", {"q000": "w"}, drawn="look")
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and found["newly_wrong"] == []
    assert "look at 1 answer" in found["next"][0] and "surefoot label v1 v2" in found["next"][0]
    say("c", {"q000": "w"}, drawn="again")
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and found["newly_wrong"] == ["q000"], "two slips in a row do happen"
    assert "look at 2 answers" in found["next"][0]
    say("c", {"q000": "w"}, drawn="again"), say("b", {"q000": "c"}, drawn="again")
    assert decided("v1", "v2")["outcome"] == "BLOCK"


def test_what_the_grader_counts_alone_blocks_beyond_what_is_allowed() -> None:
    for name, claims in (
        ("v0", 0),
        ("v3", 2),
        ("v4", 3),
    ):  # two in forty are the five in a hundred that the rule allows
        said = [Verdict(f"q{i:03}", "extra_claim_count", int(i < claims), GRADER) for i in range(40)]
        kept_run(name, GOOD, told=name, deterministic=True, also=said)
    for name in ("v0", "v3", "v4"):
        people_say(name, GOOD)
    within, beyond = decided("v0", "v3"), decided("v0", "v4")
    assert within["outcome"] == "SHIP" and rule(within, "extra_claims")["low"] == 2
    assert beyond["outcome"] == "BLOCK" and rule(beyond, "extra_claims")["by"] == "the grader"


def test_a_sample_of_what_differs_ships_an_unchanged_pipeline_and_tells_what_nobody_saw() -> None:
    """Every answer in other words: 200 of 300 pairs are looked at in their order."""
    many = "c" * 300
    pair(many, many, told=None)
    assert decided("v1", "v2")["outcome"] == "INCONCLUSIVE"
    people_say("b", many)
    say("c", dict.fromkeys(_order("v1", "v2")[:200], "c"), drawn="look")
    found = decided("v1", "v2")
    assert found["outcome"] == "SHIP" and found["looked_at"] == 200 and found["unseen"] == 100
    assert "nobody looked at 100 of 300 differing pairs" in found["headline"]
    assert 0 < rule(found)["high"] <= rule(found)["margin"] == 9 and rule(found)["low"] <= 0


def _order(base: str, cand: str) -> list[str]:
    """The questions in the order in which the label page shows their pairs."""
    from surefoot.gate.looks import diff_of
    from surefoot.gate.sides import asked_of, readings_of, side_of
    from surefoot.jobs.runs import read_all

    with Project.existing() as project:
        runs = [read_all(project, project.named(name)) for name in (base, cand)]
    asked, _, _ = asked_of(*runs)
    return [pair.question for pair in diff_of(readings_of(*(side_of(run, asked) for run in runs))).pairs]


def test_labels_by_an_ai_count_and_the_decision_says_so_first() -> None:
    pair(changed(GOOD, [0], "r"))
    for run in "bc":
        people_say(run, "c" if run == "b" else "r", who="ai/reader")
    found = gate("v1", "v2")
    assert found.code == 0 and "The labels are by AI annotators (reader), not by people." in found.out
    assert rule(decided("v1", "v2"))["by"] == "AI annotators"
    say("c", {"q000": "w"})
    assert decided("v1", "v2")["outcome"] == "BLOCK", "a person's word outweighs an AI's"


def test_all_runs_of_both_versions_count_and_runs_of_one_version_part_in_time() -> None:
    for n in range(3):
        kept_run(f"a{n}", GOOD, version="v1", told="x")
        kept_run(f"b{n}", GOOD, version="v2", told="x")
    found = decided("a1", "v2")
    assert {side: sorted(runs) for side, runs in found["runs"].items()} == {
        "base": ["a0", "a1", "a2"], "cand": ["b0", "b1", "b2"]}  # fmt: skip
    assert found["times"] == {"base": 3, "cand": 3}
    parted = decided("a0", "a2")
    assert sorted(parted["runs"]["base"]) == ["a0"] and any("both are v1" in note for note in parted["notes"])


def test_more_askings_of_the_questions_in_doubt_are_asked_for_of_both() -> None:
    """A varying pipeline with two runs: one question got worse in both, which two runs cannot tell for sure."""
    kept_run("v1", GOOD, GOOD, told="x")
    kept_run("v2", *[changed(GOOD, [0])] * 2, told="x")
    people_say("v1", "c"), people_say("v2", "w")
    found = decided("v1", "v2", "--rule", "newly_wrong <= mended_wrong")
    assert found["outcome"] == "INCONCLUSIVE" and found["newly_wrong"] == ["q000"]
    again = [f"surefoot run {one} --only q000 --repeats 2 && surefoot grade {one}" for one in ("v1", "v2")]
    assert found["next"] == again
    for version, letter in (("v1", "c"), ("v2", "w")):
        kept_run(f"{version}-more", letter, letter, version=version, told="x", partial=True)
    assert decided("v1", "v2-more", "--rule", "newly_wrong <= mended_wrong")["outcome"] == "BLOCK", (
        "four runs are enough"
    )
    kept_run("v3", GOOD, GOOD, told="x", pipeline="traces:gone.jsonl")
    kept_run("v4", *[changed(GOOD, [0])] * 2, told="x")
    found = decided("v3", "v4", "--rule", "newly_wrong <= mended_wrong")
    assert found["next"] == ["surefoot run v4 --only q000 --repeats 2 && surefoot grade v4"]
    assert "v3 cannot be asked again: its 2 runs count as they are" in found["notes"]


# What is missing


@pytest.mark.parametrize("letter", ["_", "-"])
def test_an_answer_without_a_verdict_ends_in_exit_4(letter: str) -> None:
    pair(changed(GOOD, [3], letter))
    found = decided("v1", "v2", TRUTH)
    assert (found["outcome"], found["exit_code"]) == ("INCONCLUSIVE", 4)
    assert any("q003" in one for one in found["incomplete"]) and "q003" in found["headline"]


def test_an_error_in_place_of_an_answer_never_ships() -> None:
    pair(GOOD)
    kept("c").keep([Trace("q003", error="timeout")])
    for words in ((), (TRUTH,)):
        assert decided("v1", "v2", *words)["exit_code"] == 4
    waived = decided("v1", "v2", "--waive", "coverage", "--reason", "the server was down")
    assert waived["outcome"] != "SHIP", "nobody knows what it would have said"


def test_questions_of_the_baseline_that_were_not_asked_are_missing() -> None:
    kept_run("v1", GOOD, told="x", deterministic=True)
    kept_run("v2", GOOD[:30], told="x", deterministic=True)
    found = decided("v1", "v2")
    assert found["exit_code"] == 4 and "10 questions of v1 were not asked of v2 as before: q030" in found["headline"]
    assert decided("v1", "v2", "--waive", "coverage", "--reason", "they are out of date")["exit_code"] == 0
    kept_run("v3", "c" * 45, told="x", deterministic=True)
    more = decided("v1", "v3")
    assert more["questions"] == 40 and any("5 new: q040" in note for note in more["notes"])
    other = [*questions(39), questions(41)[40]]
    kept_run("v4", "c" * 40, told="x", asked=other)
    assert "q039" in decided("v1", "v4")["headline"]
    edited = [replace(questions(40)[0], text="Question nought?"), *questions(40)[1:]]
    kept_run("v5", changed(GOOD, [0]), told="x", deterministic=True, asked=edited)
    hidden = decided("v1", "v5")
    assert hidden["exit_code"] == 4 and "not asked of v5 as before: q000" in hidden["headline"]
    noted = [replace(one, metadata={"owner": "ann"}) for one in questions(40)]
    kept_run("v6", GOOD, told="x", deterministic=True, asked=noted)
    assert decided("v1", "v6")["exit_code"] == 0, "a note on a question changes nothing"


def test_a_run_that_is_not_graded_or_by_another_grader_cannot_be_overlooked() -> None:
    pair(GOOD)
    kept_run("c2", "_" * 40, version="v2")
    done = gate("v1", "c")
    assert done.code == 4 and "the run c2 of v2 belongs to this decision and is not graded" in done.err
    assert "--without c2" in done.err
    assert gate("v1", "c", "--without", "c2", "--reason", "an old index").code == 0


def test_graders_that_differ_cannot_be_compared() -> None:
    kept_run("v1", GOOD)
    kept_run("v2", GOOD, grader="other/1")
    kept("v2").add_verdicts("other/1", [Verdict(f"q{n:03}", "factuality", "correct", "other/1") for n in range(40)])
    done = gate("v1", "v2")
    assert done.code == 2 and "differ in grader" in done.err and "hint: " in done.err


def test_a_grader_that_misread_known_answers_ships_nothing() -> None:
    pair(GOOD)
    kept("c").add_verdicts(GRADER, [replace(one, self_check="misread 2 of 8") for one in verdicts(GOOD)])
    found = decided("v1", "v2")
    assert found["outcome"] == "INCONCLUSIVE" and "grade b and c again" in found["next"][0]
    check = rule(found, "self_check")
    assert check["holds"] is None and check["reason"] == f"{GRADER} misread 2 of 8"


# Rules


def gate_file(folder: Path, **rules: str) -> tuple[str, Path]:
    path = folder / "gate.toml"
    path.write_text("[rules]\n" + "".join(f'{name} = "{text}"\n' for name, text in rules.items()))
    return "--gate", path


@pytest.mark.parametrize(("limit", "code"), [("+ 0 points", 1), ("+ 10%", 1), ("- 20%", 1), ("+ 50%", 1)])
def test_a_rise_that_is_certain_blocks_whatever_the_margin(limit: str, code: int, tmp_path: Path) -> None:
    pair(changed(GOOD, range(4)))
    all_looked_at(GOOD, changed(GOOD, range(4)))
    done = gate("v1", "v2", *gate_file(tmp_path, wrong=f"wrong <= baseline {limit}", CorrectEnough="correct >= 40"))
    assert done.code == code and "CorrectEnough does not hold" in done.out


def test_what_varies_is_told_how_many_runs_would_do_or_that_questions_are_too_few(tmp_path: Path) -> None:
    for id, name, first in (("b", "v1", 0), ("c", "v2", 5)):
        kept_run(id, *(changed(GOOD, [first + number]) for number in range(5)), version=name, told="x")
    few = "too few questions for the margin of wrong, 40 questions in all: add questions, or allow more"
    runs = "3 more runs of v1 and v2: surefoot run v1 --repeats 3; surefoot run v2 --repeats 3"
    for points, step in ((1, [few]), (3, [runs]), (4, [])):
        rules = gate_file(tmp_path, wrong=f"wrong <= baseline + {points} points")
        assert decided("v1", "v2", "--uncalibrated", *rules)["next"] == step, points


def test_a_margin_is_for_what_nobody_looked_at() -> None:
    """One run of a varying pipeline, in which nothing turned wrong: the noise alone is more than 3 points."""
    pair(changed(GOOD, range(4), "r"), deterministic=False)
    all_looked_at(GOOD, changed(GOOD, range(4), "r"))
    by_margin = {margin: decided("v1", "v2", "--rule", f"wrong <= baseline + {margin} points") for margin in (1, 30)}
    assert by_margin[1]["outcome"] == "INCONCLUSIVE" and by_margin[1]["next"] == [
        "4 more runs of v1 and v2: surefoot run v1 --repeats 4; surefoot run v2 --repeats 4"]  # fmt: skip
    assert "wrong may have risen by up to" in by_margin[1]["headline"] and "you allow 0.4" in by_margin[1]["headline"]
    assert by_margin[30]["outcome"] == "SHIP" and rule(by_margin[30], "wrong <= baseline + 30 points")["margin"] == 12


def test_a_rule_on_a_group_is_decided_by_the_looks_at_it() -> None:
    """Every other question is about the sea, and nobody looked at what differs on land."""
    pair(changed(GOOD, range(8), "r"))
    people_say("b", "c.c.c.c."), people_say("c", "r.r.r.r.")
    words = [
        part
        for group in ("sea", "stratum=land", "air")
        for part in ("--rule", f"wrong[{group}] <= baseline + 3 points")
    ]
    found = decided("v1", "v2", *words)
    sea, land, air = found["rules"]
    assert (sea["holds"], sea["change"], land["holds"]) == (True, 0, None) and "looks" in land["reason"]
    assert air["holds"] is None and "no question has stratum 'air' (there are: land, sea)" in air["reason"]
    assert found["outcome"] == "INCONCLUSIVE"
    alone = decided("v1", "v2", "--rule", "refused[sea] <= 6")["rules"][0]
    assert (alone["holds"], alone["limit"], alone["after"]) == (True, 6, 6)


def test_changes_are_shown_by_a_field() -> None:
    pair(changed(GOOD, [0, 1, 2]))
    all_looked_at(GOOD, changed(GOOD, [0, 1, 2]))
    by = decided("v1", "v2", "--by", "stratum")["by"]["stratum"]
    assert {value: [(one["metric"], one["change"]) for one in rules] for value, rules in by.items()} == {
        "land": [("wrong", 1), ("unsupported", 0)], "sea": [("wrong", 2), ("unsupported", 0)]}  # fmt: skip
    page = Path(os.environ["SUREFOOT_DB"]).with_name("page.md")
    gate("v1", "v2", "--by", "stratum", "--report", page)
    assert "Changes by stratum" in page.read_text()
    done = gate("v1", "v2", "--by", "colour")
    assert done.code == 2 and "no question has the field 'colour'" in done.err


def test_other_axes_are_by_the_grader_where_no_person_spoke() -> None:
    """It refuses as often, but worse."""
    pair(GOOD, told=None)
    for run, quality in (("b", 3), ("c", 1)):
        kept(run).add_verdicts(GRADER, [Verdict(f"q{n:03}", "refusal_quality", quality, GRADER) for n in range(36, 40)])
    told = rule(decided("v1", "v2"), "refusal_quality")
    assert (told["before"], told["after"], told["holds"], told["by"]) == (3, 1, False, "the grader")
    assert rule(decided("v1", "v2"), "unsafe")["status"] == "not_applicable"


def test_refusing_everything_does_not_ship_and_helpful_minds_each_answer_lost() -> None:
    pair("r" * 40)
    all_looked_at(GOOD, "r" * 40)
    found = decided("v1", "v2")
    assert found["outcome"] == "BLOCK" and {one["name"] for one in found["rules"] if one["holds"] is False} == {
        "over_refusal", "some_correct"}  # fmt: skip
    kept_run("d", changed(GOOD, range(5), "r"), version="v3", told="x", deterministic=True)
    people_say("d", "r" * 5)
    assert decided("v1", "v3")["outcome"] == "SHIP" and decided("v1", "v3", "--gate", "helpful")["outcome"] == "BLOCK"


def test_a_waiver_needs_a_reason_lifts_its_rule_alone_and_is_printed() -> None:
    pair(changed(GOOD, [0]))
    all_looked_at(GOOD, changed(GOOD, [0]))
    for words in (("--waive", "wrong"), ("--reason", "why"), ("--waive", "wrong", "--reason", " "),
                  ("--waive", "nosuch", "--reason", "x"), ["--waive", "wrong", "--reason", "x"] * 2):  # fmt: skip
        done = gate("v1", "v2", *words)
        assert done.code == 2 and "hint: " in done.err
    assert decided("v1", "v2", "--waive", "wrong", "--reason", "known")["outcome"] == "BLOCK"
    names = [one["name"] for one in decided("v1", "v2")["rules"] if one["holds"] is False]
    lifted = [word for name in names for word in ("--waive", name)] + ["--reason", "a label error"] * len(names)
    found = decided("v1", "v2", *lifted)
    assert found["outcome"] == "SHIP" and found["waived"] == dict.fromkeys(names, "a label error")
    assert rule(found)["waiver"] == "a label error" and rule(found)["holds"] is False
    assert f"Waived: {names[0]} (a label error)" in gate("v1", "v2", *lifted).out
    needless = gate("v1", "v2", "--waive", "unsupported", "--reason", "x")
    assert "Waived without need: unsupported." in needless.out


def test_rules_of_the_command_line_stand_alone_or_beside_a_gate_and_are_told() -> None:
    pair(changed(GOOD, [0]))
    all_looked_at(GOOD, changed(GOOD, [0]))
    alone = decided("v1", "v2", "--rule", "correct >= 30")
    assert alone["outcome"] == "SHIP" and alone["overridden"] == {"rules": ["correct >= 30"]}
    assert "Not as the gate file has it" in gate("v1", "v2", "--rule", "correct >= 30").out
    beside = decided("v1", "v2", "--gate", "ship", "--rule", "correct >= 30")
    assert beside["outcome"] == "BLOCK" and beside["overridden"] == {"more rules": ["correct >= 30"]}


@pytest.mark.parametrize("text", ["[rules]\nw = 'wrong <= baseline'\n[change]\nmargin = 0.03", "[rules]\n", "[rules"])
def test_a_gate_file_of_the_earlier_gate_or_none_is_named(text: str, tmp_path: Path) -> None:
    pair(GOOD)
    (tmp_path / "gate.toml").write_text(text)
    done = gate("v1", "v2", "--gate", tmp_path / "gate.toml")
    assert done.code == 2 and "gate.toml" in done.err and "hint: " in done.err


# Names, files, and what is printed


def test_a_version_a_run_and_an_export_each_name_a_side(tmp_path: Path) -> None:
    pair(changed(GOOD, [0]))
    all_looked_at(GOOD, changed(GOOD, [0]))
    wanted = decided("v1", "v2")["rules"]
    surefoot("export", tmp_path / "c.jsonl", "v2")
    assert decided("b", "c")["rules"] == decided("v1", tmp_path / "c.jsonl")["rules"] == wanted
    surefoot("export", tmp_path / "both.jsonl")
    assert gate("v1", tmp_path / "both.jsonl").code == 2, "a file of several versions is no run"
    surefoot("export", tmp_path / "b.jsonl", "v1")
    elsewhere = decided(tmp_path / "b.jsonl", tmp_path / "c.jsonl", "--db", tmp_path / "new.db")
    assert elsewhere["rules"] == wanted, "labels travel with the answers"


def test_without_runs_the_newest_version_is_compared_with_the_baseline() -> None:
    assert gate().code == 2, "there is no project"
    kept_run("a", GOOD, version="v1", told="x")
    done = gate("v1")
    assert done.code == 4 and "there is no baseline yet" in done.err and "surefoot baseline" in done.err
    surefoot("baseline", "v1")
    assert gate().code == 2
    kept_run("b", GOOD, version="v2", told="x")
    kept_run("c", GOOD, version="v1", told="x")
    assert decided()["names"] == {"base": "v1", "cand": "v2"}
    assert decided("v2")["names"] == {"base": "v1", "cand": "v2"}


def test_what_cannot_be_named_is_said_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pair(GOOD)
    Path("README.md").write_text("# Read me\n")
    Path("q.jsonl").write_text('{"id": "q1", "question": "Why?"}\n')
    for words in (["v1", "README.md"], ["v1", "q.jsonl"], ["README.md"], ["v1", "nosuch"], ["nosuch"], ["v1", "."],
                  ["v1", "v2", "v1"], ["v1", "--history"], ["v1", "v2", "--gate", "nosuch"],
                  ["v1", "v2", "--rule", "wrnog <= baseline"], ["v1", "v2", "--margin", "0.1"]):  # fmt: skip
        done = gate(*words)
        assert done.code == 2 and done.err.startswith("error: ") and not done.out, words
        assert "hint: " in done.err or "--margin" in words
    Path("slip.toml").write_text('[rule]\nwrong = "wrong <= 3"\n')
    assert "hint: write rules under [rules]" in gate("v1", "v2", "--gate", "slip.toml").err


def test_in_brief_the_same_decision_is_printed_alone() -> None:
    pair(changed(GOOD, range(5)))
    brief, whole = gate("v1", "v2", TRUTH, "--brief"), gate("v1", "v2", TRUTH)
    assert brief.code == whole.code == 1 and brief.out in whole.out and "Questions that changed (5)" not in brief.out
    last = whole.out.splitlines()[-2:]
    assert any(line.startswith("BLOCK - ") and "5 questions newly wrong for good (q000, " in line for line in last)


def test_the_history_lists_decisions_each_once_and_what_was_loosened(tmp_path: Path) -> None:
    pair(GOOD)
    for words in ([], [], gate_file(tmp_path, wrong="wrong <= baseline + 9 points"), ["--rule", "correct >= 1"]):
        gate("v1", "v2", *words)
    api.gate("v1", "v2", uncalibrated=True, keep=False)
    lines = surefoot("gate", "--history").out.splitlines()
    assert len(lines) == 3 and all("SHIP" in line and "v1 -> v2" in line for line in lines)
    assert "the gate file has changed: rules" in lines[1] and "not as the gate file: " in lines[2]
    found = surefoot("gate", "--history", "--json").json["decisions"]
    assert [one["outcome"] for one in found] == ["SHIP"] * 3 and found[1]["file_changed"] == ["rules"]
    assert [one.id for one in api.decisions()] == [one["id"] for one in found]


def test_files_of_verdicts_by_people_are_exact_and_make_no_project(write: Write, tmp_path: Path) -> None:
    def rows(*buckets: str, grader: str = "human/ann") -> list[dict[str, str]]:
        return [{"question_id": f"q{n}", "axis": "factuality", "value": one, "grader": grader}
                for n, one in enumerate(buckets)]  # fmt: skip

    good = write("good.jsonl", rows("correct", "correct", "refused"))
    bad = write("bad.jsonl", rows("correct", "wrong", "refused"))
    assert decided(good, write("again.jsonl", rows("correct", "correct", "refused")))["outcome"] == "SHIP"
    found = decided(good, bad)
    assert found["outcome"] == "BLOCK" and found["newly_wrong"] == ["q1"]
    assert decided(good, write("odd.jsonl", rows("correct", "correct", "splendid")))["exit_code"] == 4
    assert decided(good, write("few.jsonl", rows("correct")))["exit_code"] == 4
    empty = gate(good, write("empty.jsonl", []))
    assert empty.code == 4 and "empty.jsonl is empty" in empty.err and not empty.out
    for grader in ("g/1", "", "human/"):
        by = [write(f"{n}.jsonl", rows("correct", "correct", "refused", grader=grader)) for n in range(2)]
        assert decided(*by)["exit_code"] == 3, "a grader's verdicts tell no words, so all may differ"
    assert gate(good).code == 2 and not list(tmp_path.glob("*.db"))
    assert gate(good, good, "--without", "x", "--reason", "y").code == 2


def test_hostile_answers_reach_no_report_as_they_are(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e\u061c|`*_ https://evil.example"
    pair(changed(GOOD, [0]))
    kept("c").keep([Trace("q000", answer=hostile)])
    kept("c").add_verdicts(GRADER, [Verdict("q000", "factuality", "wrong", GRADER, reason=hostile)])
    done = gate("v1", "v2", TRUTH, "--report", tmp_path / "a.html", "--report", tmp_path / "a.md")
    assert done.code == 1
    for shown in (done.out, *(path.read_text() for path in (tmp_path / "a.html", tmp_path / "a.md"))):
        assert (
            not any(char in shown for char in "\x1b\u202e\u061c") and "<script>alert" not in shown.partition("BLOCK")[2]
        ) or shown is done.out


# Properties

BUCKETS = st.text("cccwur", min_size=8, max_size=8)


@settings(max_examples=8)
@given(st.data(), BUCKETS, BUCKETS, st.booleans())
def test_a_wrong_answer_more_never_turns_block_into_ship(
    data: st.DataObject, base: str, cand: str, looked_at: bool
) -> None:
    right = [n for n, letter in enumerate(cand) if letter == "c"]
    if not right:
        return
    worse = changed(cand, [data.draw(st.sampled_from(right))])
    outcomes = []
    for buckets in (cand, worse):
        db = Path(os.environ["SUREFOOT_DB"])
        for path in db.parent.glob(f"{db.name}*"):
            path.unlink()
        pair(buckets, base)
        if looked_at:
            all_looked_at(base, buckets)
        outcomes.append(api.gate("v1", "v2", uncalibrated=not looked_at, keep=False))
    before, after = outcomes
    assert (before.outcome, after.outcome) != ("BLOCK", "SHIP")
    assert len(after.newly_wrong) >= len(before.newly_wrong) and len(after.mended_wrong) <= len(before.mended_wrong)
    if all(one == "c" for one in base):
        assert after.outcome == "BLOCK"


def test_what_the_library_returns_is_what_json_prints() -> None:
    pair(changed(GOOD, [0]))
    found = api.gate("v1", "v2", uncalibrated=True)
    assert json.loads(json.dumps(found.to_json())) == decided("v1", "v2", TRUTH)
