"""Ways to get a worse pipeline shipped, each tried as somebody would try it: by commands, on real runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.types import Ask
from surefoot.services.run import run as run_pipeline

from .conftest import Done
from .gate.helpers import changed, label_of
from .in_process import surefoot
from .kept import add_labels

COUNT = 60
GOOD = "c" * COUNT


def question(number: int, **more: object) -> dict[str, Any]:
    return {"qid": f"q{number:03}", "q": f"What is the fee for item {number}?", "answerable": True,
            "gold_ids": [f"p{number}"], **more}  # fmt: skip


class Project:
    """A pipeline that says what it is told to, and the folder of its runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ask_about(question(number) for number in range(COUNT))

    def do(self, *arguments: str | Path) -> Done:
        return surefoot(*arguments, cwd=self.root)

    def ask_about(self, questions: Any, name: str = "questions.json") -> None:  # noqa: ANN401
        (self.root / name).write_text(json.dumps(list(questions)), encoding="utf-8")

    def asked(
        self, name: str, buckets: str, version: str, *, words: str = "", questions: str = "questions.json"
    ) -> str:
        """Asked, and not yet graded."""

        def fees(ask: Ask) -> dict[str, Any]:
            number = int(ask.id[1:])
            fee = number + {"c": 10, "w": 500}[buckets[number]]
            passage = {"id": f"p{number}", "text": f"The fee for item {number} is EUR {number + 10}. It is due in May."}
            said = f"{words or name}, the fee for item {number} is EUR {fee} [p{number}]."
            return {"answer": said, "retrieved": [passage]}

        with chdir(self.root):
            made = run_pipeline(fees, questions=questions, version=version)
        assert made.exit_code == 0
        return made.run

    def run(self, name: str, buckets: str, version: str, **more: str) -> str:
        made = self.asked(name, buckets, version, **more)
        assert self.do("grade", made, "--grader", "rules").code == 0
        return made

    def label(self, run: str, places: Sequence[int], value: str, drawn: str = "sample", who: str = "ann") -> None:
        add_labels(*(label_of(run, f"q{i:03}", value, who, drawn) for i in places))

    def gate(self, *arguments: str) -> Any:  # noqa: ANN401
        done = self.do("gate", *arguments, "--json")
        assert done.out, done.err
        return done.json


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def wrong(found: Any) -> dict[str, Any]:  # noqa: ANN401
    return next(check for check in found["checks"] if check["name"] == "wrong")


TRUTH = "--uncalibrated"


def test_running_again_until_one_is_lucky_pools_all_runs_and_spends_looks(project: Project) -> None:
    base = project.run("base", GOOD, "v1")
    looks, changes = [], []
    for number, newly_wrong in enumerate((9, 9, 0)):
        cand = project.run(f"cand{number}", changed(GOOD, range(newly_wrong)), "v2")
        found = project.gate(base, cand, TRUTH)
        looks.append(found["look"])
        changes.append(round(wrong(found)["change"] * COUNT, 3))
        assert found["outcome"] != "SHIP" and len(found["runs"]["cand"]) == number + 1
    assert looks == [1, 2, 3] and changes == [9, 9, 6]
    assert found["alpha_left"] < 0.05 / 9
    assert project.gate(base, cand, TRUTH)["look"] == 3, "to look again at the same answers is no other look"


def test_a_run_that_was_never_named_counts_as_well(project: Project) -> None:
    base = project.run("base", GOOD, "v1")
    unlucky = project.run("unlucky", changed(GOOD, range(30)), "v2")
    found = project.gate(base, lucky := project.run("lucky", GOOD, "v2"), TRUTH)
    assert found["runs"]["cand"] == [unlucky, lucky]
    assert wrong(found)["change"] == pytest.approx(15 / COUNT, abs=0.01)


def test_a_run_that_is_not_graded_cannot_be_kept_out_of_sight(project: Project) -> None:
    base = project.run("base", GOOD, "v1")
    unlucky = project.asked("unlucky", changed(GOOD, range(30)), "v2")
    done = project.do("gate", base, project.run("lucky", GOOD, "v2"), TRUTH)
    assert done.code == 4 and unlucky in done.err and "is not graded" in done.err
    assert "surefoot grade" in done.err and f"--without {unlucky}" in done.err


def test_a_run_against_itself_stands_for_itself_alone(project: Project) -> None:
    other = project.run("other", changed(GOOD, range(30)), "v1")
    run = project.run("base", GOOD, "v1")
    found = project.gate(run, run, TRUTH)
    assert [len(names) for names in found["runs"].values()] == [1, 1] and wrong(found)["change"] == 0
    assert project.do("gate", run, run, TRUTH, "--without", other, "--reason", "x").code == 2


def test_what_is_left_out_is_said_with_its_reason_for_ever(project: Project) -> None:
    base = project.run("base", GOOD, "v1")
    unlucky = project.run("unlucky", changed(GOOD, range(30)), "v2")
    lucky = project.run("lucky", GOOD, "v2")
    without = ("--without", unlucky)
    for reason in ((), ("--reason", " ")):
        done = project.do("gate", base, lucky, TRUTH, *without, *reason)
        assert done.code == 2 and "reason" in done.err and "hint:" in done.err
    unknown = project.do("gate", base, lucky, TRUTH, "--without", "nosuch", "--reason", "x")
    assert unknown.code == 2 and unlucky in unknown.err
    said = project.do("gate", base, lucky, TRUTH, *without, "--reason", "the server was down")
    assert said.code == 0 and f"Left out: {unlucky} (the server was down)" in said.out
    again = project.run("again", GOOD, "v2")
    later = project.gate(base, again, TRUTH)
    assert any("left out on" in note and f"{unlucky} (the server was down)" in note for note in later["notes"])
    assert len(later["runs"]["cand"]) == 3, "and it counts again unless it is left out again"


def test_a_replay_of_a_run_counts_once(project: Project) -> None:
    base, cand = project.run("base", GOOD, "v1"), project.run("cand", GOOD, "v2")
    alone = project.gate(base, cand, TRUTH)
    replayed = project.run("replayed", GOOD, "v2", words="cand")
    found = project.gate(base, replayed, TRUTH)
    assert wrong(found) == wrong(alone) and found["look"] == 1 and len(found["runs"]["cand"]) == 1


def test_labels_on_what_agrees_teach_nothing(project: Project) -> None:
    """Somebody labels where the grader is right, and says so of none of the others."""
    base, cand = project.run("base", GOOD, "v1"), project.run("cand", GOOD, "v2")
    for run in (base, cand):
        project.label(run, range(40), "correct", "chosen")
    found = project.gate(base, cand)
    assert found["outcome"] == "INCONCLUSIVE" and "nobody has labelled factuality" in wrong(found)["reason"]
    assert found["trust"]["drawn"] == 0 and "labelled by choice" in found["trust"]["in_words"]
    for run in (base, cand):
        project.label(run, range(40), "correct", "sample", "bob")
    assert "nobody has labelled" not in wrong(project.gate(base, cand))["reason"]


@pytest.mark.parametrize("side", ["base", "cand"])
def test_labels_on_one_side_only_do_not_block_an_unchanged_pipeline(project: Project, side: str) -> None:
    """The grader misses what people find, on both sides. They look at one of them."""
    base, cand = project.run("base", GOOD, "v1"), project.run("cand", GOOD, "v2")
    labelled = {"base": base, "cand": cand}[side]
    project.label(labelled, range(6), "wrong")
    project.label(labelled, range(6, 60), "correct")
    assert project.gate(base, cand)["outcome"] != "BLOCK"


def test_a_grader_that_sees_nothing_ships_nothing_that_people_reject(project: Project) -> None:
    base, cand = project.run("base", GOOD, "v1"), project.run("cand", GOOD, "v2")
    project.label(base, range(60), "correct")
    project.label(cand, range(17), "wrong")
    project.label(cand, range(17, 60), "correct")
    found = project.gate(base, cand)
    assert found["outcome"] == "BLOCK" and wrong(found)["low"] > 0


def test_hard_questions_dropped_from_both_sets_are_named(project: Project) -> None:
    worse = changed(GOOD, range(9))
    base = project.run("base", GOOD, "v1")
    assert project.gate(base, project.run("cand", worse, "v2"), TRUTH)["outcome"] != "SHIP"
    assert project.do("questions", "lock", "questions.json").code == 0
    project.ask_about((question(number) for number in range(9, COUNT)), "easy.json")
    shutil.copy(project.root / "questions.json.lock", project.root / "easy.json.lock")
    easy = [project.run(name, worse, version, questions="easy.json") for name, version in (("b2", "v1"), ("c2", "v2"))]
    found = project.gate(*easy, TRUTH)
    notes = " ".join([*found["notes"], *(problem["message"] for problem in found["problems"])])
    assert base in notes and "another question set" in notes
    assert "q000" in notes and "q008" in notes
    assert "q000" in project.do("gate", *easy, TRUTH).out


def test_an_older_baseline_is_named_once_a_newer_one_has_shipped(project: Project) -> None:
    """Step by step worse: each step is small, and the first baseline is the one to be held against."""
    first, second = project.run("first", GOOD, "v1"), project.run("second", GOOD, "v2")
    assert project.gate(first, second, TRUTH)["outcome"] == "SHIP"
    third = project.run("third", GOOD, "v3")
    found = project.gate(first, third, TRUTH)
    assert any("the baseline is v1, and v2 has shipped since" in note for note in found["notes"])
    assert project.gate(second, third, TRUTH)["notes"] == []


def test_what_shipped_by_other_rules_than_the_gate_file_has_not_shipped(project: Project) -> None:
    first, second = project.run("first", GOOD, "v1"), project.run("second", changed(GOOD, range(30)), "v2")
    by_rule = project.gate(first, second, "--rule", "wrong <= 30", TRUTH)
    assert by_rule["outcome"] == "SHIP" and by_rule["overridden"]
    assert project.gate(first, second, TRUTH)["outcome"] == "BLOCK"
    assert project.gate(first, project.run("third", GOOD, "v3"), TRUTH)["notes"] == []


def test_a_new_version_of_a_question_set_is_compared_by_what_is_untouched(project: Project) -> None:
    base = project.run("base", GOOD, "v1")
    assert project.do("questions", "lock", "questions.json").code == 0
    assert project.do("questions", "clone", "questions.json", "second.json", "--change", "q003").code == 0
    rows = json.loads((project.root / "second.json").read_text("utf-8"))
    renamed = next(row["qid"] for row in rows if row["qid"] not in {f"q{n:03}" for n in range(COUNT)})
    assert renamed != "q003"
    kept = [row for row in rows if row["qid"] != renamed]
    project.ask_about([*kept, question(COUNT)], "second.json")
    cand = project.run("cand", changed(GOOD, range(30)) + "c", "v2", questions="second.json")
    found = project.gate(base, cand, TRUTH)
    [note] = [one for one in found["notes"] if "question set" in one]
    assert "59 questions are the same and are compared" in note and "q003" in note and f"q{COUNT:03}" in note
    assert wrong(found)["candidate"] == pytest.approx(29 / 59, abs=0.001)
    assert "59 questions are the same" in project.do("gate", base, cand, TRUTH).out


def test_one_number_for_what_exists_in_score_and_compare(project: Project) -> None:
    """Three of four answers with citations cite nothing but what was retrieved; one of these cites twice."""
    said = [("p0", ["p0"]), ("p1] [p2", ["p1", "p2"]), ("p2] [x9", ["p2"]), ("p3", ["p3"])]
    traces = [
        {"qid": f"q{n:03}", "answer": f"The fee for item {n} is EUR {n + 10} [{cited}].",
         "retrieved": [{"id": id, "text": f"The fee for item {n} is EUR {n + 10}."} for id in ids]}
        for n, (cited, ids) in enumerate(said)
    ]  # fmt: skip
    (project.root / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in traces), encoding="utf-8")
    project.ask_about((question(number) for number in range(4)), "four.json")
    scored = project.do("score", "-q", "four.json", "-t", "log.jsonl", "--json").json
    exists = scored["metrics"]["citation_exists_rate"]
    assert project.do("run", "-p", "traces:log.jsonl", "-q", "four.json", "--version", "log").code == 0
    assert project.do("grade", "log", "--grader", "rules").code == 0
    compared = project.do("gate", "log", "log", TRUTH, "--json").json
    measured = compared["measures"]["cand"]["citation_exists_rate"]
    assert (measured["numerator"], measured["denominator"]) == (exists["numerator"], exists["denominator"]) == (3, 4)
    assert compared["changes"]["citation_exists_rate"]["baseline"] == pytest.approx(3 / 4)
