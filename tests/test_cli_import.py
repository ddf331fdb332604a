"""Labels made elsewhere, imported without naming a run: which of all answers a row is on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from surefoot.core.records import Label, agreed_words, current
from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.store import Project
from tests.conftest import Done, Write
from tests.in_process import surefoot
from tests.kept import keep_run, kept

HEAD = "question_id,answer,run,attempt,factuality,annotator,drawn"


@pytest.fixture(autouse=True)
def runs() -> None:
    """q1 is answered in the same words on other passages, q2 alike in both runs, q3 in other words."""
    for id, passage, words in (("a", "It is red.", "Red."), ("b", "It was red.", "Dark red.")):
        questions = [Question(f"q{n}", f"Question {n}?", "answer") for n in (1, 2, 3)]
        said = {1: ("The  door is red", passage), 2: ("Yes [p].", "Yes."), 3: (words, "x")}
        traces = [Trace(f"q{n}", answer=answer, retrieved=Retrieved([Passage("p", text)]))
                  for n, (answer, text) in said.items()]  # fmt: skip
        keep_run(id, questions, traces)


def labels() -> Sequence[Label]:
    with Project.existing() as project:
        return project.labels()


def imported(write: Write, *rows: str) -> Done:
    return surefoot("import", write("labels.csv", [HEAD, *rows]))


def test_a_row_is_on_the_answer_with_its_words_or_at_its_place(write: Write) -> None:
    done = imported(write, "q3,dark RED.,,,wrong,ana,", "q3,,a,1,correct,ana,sample", "q2,,,,cannot tell,bo,")
    assert done.code == 0, done.err
    found = {(label.question_id, label.run): label for label in labels()}
    assert found["q3", "b"].version == kept("b").answer_keys()["q3", 1] and found["q3", "b"].drawn == "chosen"
    assert found["q3", "a"].drawn == "sample" and found["q3", "a"].value == "correct"
    assert found["q2", "a"].note == "cannot tell", "both runs say the same"
    assert imported(write, "q3,Dark red.,,,wrong,ana,").code == 0 and len(labels()) == 3


def test_a_label_that_comes_again_without_how_it_was_drawn_stays_drawn(write: Write) -> None:
    for row in ("q3,,a,1,wrong,ana,sample", "q3,,a,1,wrong,ana,", "q3,,a,1,correct,ana,"):
        assert imported(write, row).code == 0
    assert [(label.value, label.drawn) for label in labels()] == [("wrong", "sample"), ("correct", "sample")]
    assert imported(write, "q3,,a,1,correct,ana,chosen").code == 0 and current(labels())[0].drawn == "chosen"


def test_who_contradicts_what_they_said_before_is_told_so(write: Write) -> None:
    assert imported(write, "q2,,,,wrong,ana,", "q3,,a,1,wrong,ana,", "q3,,a,1,wrong,bo,").code == 0
    done = imported(write, "q2,,,,wrong,ana,", "q3,,a,1,correct,ana,")
    assert "1 label by annotators who said otherwise before now count instead: q3" in done.err, done.err
    assert "otherwise" not in imported(write, "q3,,a,1,correct,ana,").err


def test_a_correction_of_what_looks_called_bad_is_a_word_of_its_own(write: Write) -> None:
    looked = [f"q3,,a,1,wrong,ana,{drawn},2026-01-0{day}T00:00:00Z" for day, drawn in ((1, "look"), (2, "again"))]
    assert surefoot("import", write("looks.csv", [f"{HEAD},at", *looked])).code == 0
    assert agreed_words(labels())[labels()[0].version, "factuality"].value == "wrong"
    assert imported(write, "q3,,a,1,correct,ana,").code == 0 and labels()[-1].drawn == "chosen"
    assert agreed_words(labels())[labels()[0].version, "factuality"].value == "correct"


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("question_id,run,factuality,note,annotator\nq3,a,correct,,ana\nq2,a,wro", "breaks off before annotator"),
        ("question_id,axis,value,value,annotator\nq3,factuality,correct,wrong,ana\n", "two columns are called 'value'"),
    ],
)  # fmt: skip
def test_nothing_is_imported_of_a_table_whose_cells_may_be_others(table: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "cut.csv").write_text(table)
    done = surefoot("import", tmp_path / "cut.csv")
    assert done.code == 2 and fault in done.err and not labels()


def test_a_row_that_matches_several_readings_is_named_and_left_out(write: Write) -> None:
    done = imported(
        write, "q1,The door is red,,,wrong,ana,", "q3,,,,wrong,ana,", "q3,Green.,,,wrong,ana,", "q3,Red.,,,correct,ana,"
    )
    assert done.code == 4 and len(labels()) == 1
    assert "labels.csv:2: ana's factuality label on question 'q1' was left out: it fits 2 answers" in done.err
    assert "labels.csv:3: " in done.err and "name one by answer, or by run and attempt" in done.err
    assert "labels.csv:4: " in done.err and "was left out: no run gave this answer" in done.err
    assert imported(write, "q1,The door is red,a,1,wrong,ana,").code == 0 and len(labels()) == 2


def test_a_label_is_what_one_person_says_of_one_answer(write: Write) -> None:
    rows = ["question_id,run,factuality,citation_exists,annotator"]
    rows += ["q3,a,correct,yes,ana", "q3,a,wrong,no,bo", "q3,b,wrong,no,bo", "q9,b,wrong,no,bo"]
    done = surefoot("import", write("wide.csv", rows), "--json")
    assert (done.json["rows"], done.json["new"], done.json["left_out"]) == ({"labels": 3}, {"labels": 3}, 1)
    assert surefoot("import", write("wide.csv", rows), "--json").json["new"] == {"labels": 0}


def test_a_misspelt_column_is_named_with_the_word_that_is_near(write: Write) -> None:
    done = surefoot("import", write("wide.csv", ["question_id,facuality", "q3,correct"]))
    assert done.code == 4 and "are not read: 'facuality' - did you mean factuality?" in done.err


def test_where_no_row_fits_nothing_is_imported(write: Write) -> None:
    done = imported(write, "q9,,,,wrong,ana,")
    assert done.code == 4 and "no label in" in done.err and "hint: " in done.err and labels() == []
    assert "question 'q9' was left out: no run has a question 'q9'" in done.err


@pytest.mark.parametrize(("text", "why"), [("", "is empty"), ("question_id,value\n", "there is no label in it")])
def test_a_file_without_a_label_is_named_in_one_sentence(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text(text)
    done = surefoot("import", tmp_path / "none.csv")
    assert done.code in (2, 4) and why in done.err and len(done.err.splitlines()) == 2
    missing = surefoot("label", "none.jsonl")
    assert missing.code == 2 and "there is no file none.jsonl" in missing.err
