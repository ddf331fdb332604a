"""Surefoot as a library: the functions behind the commands, called with paths and with a user's own function."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import surefoot
from surefoot import report
from surefoot.core.errors import UsageError
from surefoot.graders.local import grade_texts
from surefoot.jobs.doctor import doctor


def said(path: Path, buckets: str, grader: str = "human/ann") -> Path:
    names = {"c": "correct", "w": "wrong"}
    rows = [{"question_id": f"q{n}", "axis": "factuality", "value": names[letter], "grader": grader}
            for n, letter in enumerate(buckets)]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows = [{"id": f"q{n}", "question": f"How long is term {n}?", "expects": "answer"} for n in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_public_name_is_a_function_or_a_class_after_every_module_was_imported() -> None:
    for module in pkgutil.walk_packages(surefoot.__path__, "surefoot."):
        import_module(module.name)
    for name in surefoot.__all__:
        found = getattr(surefoot, name)
        assert isinstance(found, str) if name == "__version__" else callable(found), name
        assert isinstance(found, type) is (name[0].isupper()) or name == "__version__", name
    with pytest.raises(AttributeError, match="no attribute 'gone'"):
        surefoot.gone  # noqa: B018


def test_a_comparison_reads_like_its_json(tmp_path: Path) -> None:
    found = surefoot.gate(said(tmp_path / "a", "ccc"), said(tmp_path / "b", "ccw"))
    assert (found.outcome, int(found.exit_code), found["outcome"]) == ("BLOCK", 1, "BLOCK")
    assert found.to_json()["buckets"] == found["buckets"] == found.buckets
    with pytest.raises(KeyError):
        found["comparison"]
    assert {row["name"]: row["status"] for row in found.table()}["wrong"] == "fail"
    assert "wrong" in surefoot.gate(tmp_path / "a", tmp_path / "b").table()[0]["name"]
    assert "BLOCK" in found._repr_html_() and "BLOCK" in repr(found) and report.of(found).title == "Surefoot decision"


def test_a_function_is_asked_and_its_run_resumed(
    questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    heard: list[str] = []

    class Heard(surefoot.Person):
        def tell(self, line: str) -> None:
            heard.append(line)

    def pipeline(question: str) -> str:
        asked.append(question)
        if len(asked) == 1:
            raise ValueError("not today")
        return "Thirty days [d#1]."

    once = {"concurrency": 1, "retries": 0}
    found = surefoot.run(pipeline, questions=questions, version="mine", settings=once, person=Heard())
    assert (found["answers"], found["errors"], int(found.exit_code)) == (2, 1, 4)
    assert [row["error"] is None for row in found.table()].count(True) == 2
    assert len(heard) == 1 and "what was retrieved" in heard[0]
    again = surefoot.run(pipeline, resume="mine", settings=once, retry_errors=True)
    assert (again["answers"], int(again.exit_code), again.interrupted) == (3, 0, False) and len(asked) == 4
    assert "answers=3" in repr(again) and again.run == found.run
    with pytest.raises(UsageError, match="no pipeline"):
        surefoot.run(questions=questions)


def test_a_frame_needs_a_library_for_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = surefoot.gate(said(tmp_path / "a", "c"), said(tmp_path / "b", "c"))

    class Frames:
        DataFrame = list

    def imported(name: str) -> type[Frames]:
        if name == "pandas":
            return Frames
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("surefoot.core.result.import_module", imported)
    assert found.to_frame() == found.table()
    monkeypatch.setattr(Frames, "DataFrame", None)
    monkeypatch.setattr("surefoot.core.result.import_module", lambda name: imported("polars"))
    with pytest.raises(UsageError, match="data frames"):
        found.to_frame()


def test_what_was_decided_is_listed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no project"):
        surefoot.decisions(tmp_path / "none.db")


def test_a_calibration_reads_like_its_json(tmp_path: Path) -> None:
    verdicts, labels = said(tmp_path / "v", "ccccww", "g/1"), said(tmp_path / "l", "cccwww")
    found = surefoot.calibrate(verdicts=verdicts, labels=labels)
    assert int(found.exit_code) == 0 and found["labels"] == 6
    assert found["false_correct"]["value"] == 1 / 4 and found["bad_found"]["value"] == pytest.approx(2 / 3)
    assert [row["graded"] for row in found.table()] == ["correct", "wrong"] and found.table()[0]["wrong"] == 1
    assert "g/1" in repr(found) and found._repr_html_().startswith("<iframe")
    with pytest.raises(UsageError, match="pass either RUN or --verdicts FILE"):
        surefoot.calibrate()


def test_labels_come_in_and_a_project_moves(questions: Path, tmp_path: Path) -> None:
    answers = surefoot.run(lambda _: "Thirty days [d#1].", questions=questions)
    labels = tmp_path / "labels.csv"
    labels.write_text("question_id,factuality,annotator\nq0,correct,ann\nq9,wrong,ann\n")
    done = surefoot.import_(labels, run=answers.run)
    assert (done["new"], done.left_out, done.exit_code) == ({"labels": 1}, 1, 4)
    moved = surefoot.export(tmp_path / "all.jsonl")
    again = surefoot.import_(tmp_path / "all.jsonl", db=tmp_path / "copy.db")
    assert moved.lines == sum(again.new.values()) == sum(again.rows.values()) and again.exit_code == 0


def test_a_question_set_is_checked_locked_and_cloned(questions: Path, tmp_path: Path) -> None:
    found = surefoot.check_questions(questions)
    assert [error.kind for error in found.errors] == ["one_sided"] and found.exit_code == 1
    assert surefoot.lock_questions(questions)["questions"] == 3
    questions.write_text(questions.read_text().replace("term 1", "notice 1"))
    assert surefoot.diff_questions(questions).changed == ("q1",)
    again = surefoot.lock_questions(questions)
    assert again.exit_code == 1 and surefoot.diff_questions(questions).changed == ("q1",), "nothing was locked"
    cloned = surefoot.clone_questions(questions, tmp_path / "next.jsonl", change=["q2"])
    assert cloned.renamed == {"q1": "q1@v2", "q2": "q2@v2"} and cloned["to_edit"] == ["q2@v2"]
    assert surefoot.lock_questions(questions, accept_changes=True).exit_code == 0


def test_the_doctor_examines_a_function(tmp_path: Path) -> None:
    rows = [{"id": "q1", "question": "What is the fee?", "expects": "answer", "gold_ids": ["fees#1"]},
            {"id": "q2", "question": "Who is the judge?", "expects": "refusal"}]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def eager(_: str) -> dict[str, object]:
        return {"answer": "40 EUR [fees#1].", "retrieved": [{"id": "fees#1", "text": "The fee is 40 EUR."}]}

    found = doctor(eager, questions=tmp_path / "q.jsonl")
    assert not found["ready"] and int(found.exit_code) == 1 and "eager" in found["pipeline"]
    assert [row["ok"] for row in found.table()] == [True, False]


def test_bare_texts_are_graded_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"id": 1, "text": "The documents do not say."}\n{"text": "No id."}\n')
    refused, unnamed = grade_texts(str(tmp_path / "r.jsonl"))
    assert refused["refusal"] == "refused" and "reason" not in refused
    assert unnamed["id"] is None and unnamed["refusal"] is None and "no id" in unnamed["reason"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: surefoot.run("reference", settings={"concurrency": 0}),
        lambda: surefoot.run("reference", settings={"timeout": -1}),
        lambda: surefoot.run(str, repeats=-1),
        lambda: surefoot.run("reference", settings={"map": {"answr": "output"}}),
        lambda: surefoot.import_("nowhere.csv"),
    ],
)
def test_numbers_and_files_that_cannot_be_are_refused_in_a_sentence(call: Callable[[], object]) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert caught.value.hint
