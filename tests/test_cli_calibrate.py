from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from surefoot.core.rubric import load
from surefoot.core.types import Question, Trace, Verdict
from surefoot.store import Project

from .conftest import Write
from .conftest import surefoot as as_a_user_runs_it
from .in_process import surefoot
from .kept import keep_run

Rows = list[dict[str, Any]]
RUBRIC = load()


def rows(values: dict[str, int], grader: str = "g/1", **more: object) -> Rows:
    listed = [value for value, count in values.items() for _ in range(count)]
    return [
        {"question_id": f"q{i}", "axis": "factuality", "value": value, "grader": grader, "drawn": "sample", **more}
        for i, value in enumerate(listed)
    ]


def a_run(
    id: str, wrong: int = 10, answers: int = 100, words: str = "same", grader: str = "g/1", db: Path | None = None
) -> str:
    """The first answers are graded wrong; their texts depend on `words`."""
    questions = [Question(id=f"q{i}", text=f"Question {i}?", expects="answer") for i in range(answers)]
    traces = [Trace(f"q{i}", answer=f"{words} answer {i} [p]", citations=("p",)) for i in range(answers)]
    said = ["wrong" if i < wrong else "correct" for i in range(answers)]
    return keep_run(
        id, questions, traces, [Verdict(f"q{i}", "factuality", value, grader) for i, value in enumerate(said)], db,
        questions_sha256="a" * 64, rubric="refusal", rubric_sha256=RUBRIC.sha256, created=id,
    )  # fmt: skip


def labels_for(write: Write, name: str = "labels.csv", count: int = 60) -> Path:
    lines = [f"q{i},{'wrong' if i < 8 or i == 30 else 'correct'},anna,sample" for i in range(count)]
    return write(name, ["question_id,factuality,annotator,drawn", *lines])


def test_the_promised_object(write: Write) -> None:
    """13 flagged answers, all labelled, 9 of them bad; 37 of the 117 others, 1 bad."""
    verdicts = write("v.jsonl", rows({"wrong": 13, "correct": 117}))
    people = [{**row, "grader": "human/anna"} for row in rows({"wrong": 9, "correct": 4 + 36})]
    people.append({**people[0], "question_id": "q49", "value": "wrong"})
    done = as_a_user_runs_it("calibrate", "--verdicts", verdicts, "--labels", write("l.jsonl", people), "--json")
    assert done.code == 0, done.err
    found = done.json
    assert list(found)[:3] == ["headline", "false_correct", "bad_found"]
    assert found["false_correct"]["value"] == pytest.approx(1 / 37)
    assert found["bad_found"]["value"] == pytest.approx(9 / (9 + 117 / 37))
    axis = found["axes"]["factuality"]
    assert axis["n"] == 50 and axis["buckets"].keys() == {"correct", "wrong", "unsupported", "refused"}
    wrong = axis["buckets"]["wrong"]
    assert [round(wrong["rate"][end], 3) for end in ("value", "low", "high")] == [0.105, 0.05, 0.187]
    assert wrong["sensitivity"].keys() == wrong["specificity"].keys() == {"value", "low", "high"}
    assert (found["grader"], found["labels"], found["corpus"]) == ("g/1", 50, "")
    assert found["rubric_sha256"] == RUBRIC.sha256
    again = surefoot("calibrate", "--verdicts", verdicts, "--labels", write("l.jsonl", people), "--json").json
    assert again["axes"] == found["axes"]
    said = surefoot("calibrate", "--verdicts", verdicts, "--labels", write("l.jsonl", people)).out
    assert said.startswith("Of the answers it calls correct, 2.7% (") and "of the bad ones, it finds 74.0% (" in said
    assert "50 answers labelled by people (anna)" in said


def test_skipped_answers_are_counted_and_said(write: Write) -> None:
    verdicts = write("v.jsonl", rows({"wrong": 20, "correct": 60}))
    people = rows({"wrong": 60}, "human/anna")
    for number, row in enumerate(people):
        row["value"] = "wrong" if number < 20 else "correct"
    for row in people[:8]:
        row |= {"value": None, "note": "skipped"}
    for row in people[30:33]:
        row |= {"value": None, "note": "cannot tell"}
    found = surefoot("calibrate", "--verdicts", verdicts, "--labels", write("l.jsonl", people), "--json").json
    assert (found["skipped"], found["cannot_tell"], found["labels"]) == (8, 3, 49)
    said = "Answers that count as not labelled: 8 skipped, 3 nobody could tell."
    assert any(note.startswith(said) for note in found["notes"])
    assert said in surefoot("calibrate", "--verdicts", verdicts, "--labels", write("l.jsonl", people)).out


def test_cannot_tell_is_imported_counted_and_exported_and_never_scored(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    lines = ["question_id,factuality,annotator,drawn,note"]
    lines += [f"q{i},{'wrong' if i < 8 else 'correct'},anna,sample," for i in range(60)]
    lines += ["q3,Cannot tell,ben,sample,the page is cut off", "q70,cannot tell,ben,sample,"]
    lines += ["q8,correct,ben,sample,", "q9,wrong,ben,sample,"]
    surefoot("import", write("l.csv", lines), "--run", run)
    found = surefoot("calibrate", run, "--json").json
    assert (found["cannot_tell"], found["labels"], found["disputed"]) == (1, 59, 1), "one answer is in dispute"
    without = [line for line in lines if "annot tell" not in line]
    plain = a_run("first", db=tmp_path / "other.db")
    surefoot("import", write("m.csv", without), "--run", plain, "--db", tmp_path / "other.db")
    scored = surefoot("calibrate", plain, "--db", tmp_path / "other.db", "--json").json
    assert scored["false_correct"] == found["false_correct"]
    surefoot("export", tmp_path / "all.jsonl", "--labels")
    rows_out = [json.loads(line).get("row", {}) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    unsure = [(row["question_id"], row["value"], row["reason"]) for row in rows_out if row["grader"] == "human/ben"]
    assert ("q3", None, "cannot tell: the page is cut off") in unsure and ("q70", None, "cannot tell") in unsure


def test_what_is_settled_counts(write: Write) -> None:
    run = a_run("first")
    lines = ["question_id,factuality,annotator,drawn"]
    lines += [f"q{i},{'wrong' if i < 8 else 'correct'},anna,sample" for i in range(60)]
    surefoot("import", write("l.csv", [*lines, "q20,wrong,ben,sample"]), "--run", run)
    before = surefoot("calibrate", run, "--json").json
    assert (before["labels"], before["disputed"]) == (59, 1)
    assert "not labelled: 1 that annotators call differently (q20)" in surefoot("calibrate", run).out
    surefoot("import", write("s.csv", ["question_id,factuality,annotator", "q20,wrong,settled/cid"]), "--run", run)
    after = surefoot("calibrate", run, "--json").json
    assert (after["labels"], after["disputed"]) == (60, 0)
    table, then = (one["axes"]["factuality"]["table"]["correct"] for one in (before, after))
    assert then["wrong"] == table["wrong"] + 1
    assert "people (anna, ben, settled by cid)" in surefoot("report", run).out
    nobody = surefoot(
        "import", write("n.csv", ["question_id,factuality,annotator", "q20,wrong,settled/"]), "--run", run
    )
    assert "has no name behind settled/" in nobody.err


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ([], 2, "pass either RUN or --verdicts FILE"),
        (["--verdicts", "none.jsonl", "--labels", "l.jsonl"], 2, "there is no file none.jsonl"),
        (["--verdicts", "v.jsonl", "--labels", "none.csv"], 2, "there is no file none.csv"),
        (["--verdicts", "v.jsonl"], 4, "no label in v.jsonl"),
        (["--verdicts", "v.jsonl", "--labels", "empty.jsonl"], 4, "no label in empty.jsonl"),
        (["--verdicts", "v.jsonl", "--labels", "others.jsonl"], 4, "no label in others.jsonl is on an answer"),
        (["--verdicts", "v.jsonl", "--labels", "v.jsonl"], 2, "v.jsonl holds the verdicts that are to be checked"),
        (["--verdicts", "two.jsonl", "--labels", "l.jsonl"], 2, "name one with --grader: there are those of g/1, g/2"),
        (["--verdicts", "v.jsonl", "--labels", "l.jsonl", "--grader", "g/9"], 2, "no verdicts by g/9"),
        (["--verdicts", "v.jsonl", "--labels", "l.jsonl", "--report", "r.pdf"], 2, "unknown report format"),
        (["."], 2, "there is no project"),
        ([".", "--rubric", "nope"], 2, "--rubric goes with --verdicts FILE alone"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    write: Write, tmp_path: Path, given: list[str], code: int, said: str
) -> None:
    write("v.jsonl", rows({"wrong": 3, "correct": 3}))
    write("l.jsonl", rows({"wrong": 2}, "human/anna"))
    write("empty.jsonl", [])
    write("others.jsonl", [{**row, "question_id": f"x{row['question_id']}"} for row in rows({"wrong": 2}, "anna")])
    write("two.jsonl", [*rows({"wrong": 3}), *rows({"wrong": 3}, "g/2")])
    done = surefoot("calibrate", *given, cwd=tmp_path)
    assert done.code == code, done.err
    assert said in done.err
    assert "hint: " in done.err


def test_a_run_and_its_labels(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    nobody = surefoot("calibrate", run)
    assert nobody.code == 4
    assert "nobody has labelled an answer" in nobody.err
    labels = labels_for(write)
    done = surefoot("calibrate", run, "--labels", labels, "--json")
    assert done.code == 0, done.err
    assert done.json["corpus"] == f"questions:{'a' * 64}"
    again = surefoot("calibrate", run, "--labels", labels, "--json")  # nothing new
    assert again.json == done.json and "is kept in" not in again.err
    with Project.existing() as project:
        assert len(project.labels()) == 60
        assert {label.run for label in project.labels()} == {project.runs()[0].id}
    plain = surefoot("calibrate", run, "--json")  # the labels are in the project now
    assert plain.json["axes"] == done.json["axes"]


def test_a_run_without_labels_goes_by_those_on_other_runs_of_its_grader(write: Write, tmp_path: Path) -> None:
    first, second = a_run("first"), a_run("second", wrong=40, words="other")
    surefoot("calibrate", first, "--labels", labels_for(write))
    done = surefoot("calibrate", second, "--json")
    assert done.code == 0, done.err
    assert sum(done.json["axes"]["factuality"]["answers"].values()) == 200
    assert any("rests on those of the other runs" in problem["message"] for problem in done.json["problems"])
    assert "g/1: 60 answers labelled of first" in surefoot("calibrate", second).out
    other = a_run("third", words="third", grader="g/2")
    refused = surefoot("calibrate", other)
    assert refused.code == 4
    assert "or of another run by g/2" in refused.err


def test_an_answer_counts_as_often_as_it_was_given_and_one_label_covers_all(write: Write) -> None:
    first = a_run("first")
    once = surefoot("calibrate", first, "--labels", labels_for(write), "--json").json
    twice = surefoot("calibrate", a_run("same"), "--json").json
    assert set(twice["runs"]) == {first, "same"} and twice["labels"] == once["labels"] == 60
    assert sum(twice["axes"]["factuality"]["answers"].values()) == 200
    assert twice["false_correct"] == once["false_correct"], "the same questions again are no more evidence"


def test_several_runs_are_taken_together(write: Write, tmp_path: Path) -> None:
    first, second = a_run("first"), a_run("second", words="other")
    labels = labels_for(write)
    surefoot("calibrate", first, "--labels", labels)
    fewer = surefoot("calibrate", second, "--labels", labels_for(write, "few.csv", 30), "--json")
    both = surefoot("calibrate", first, second, "--json")
    assert both.json["labels"] == 90 and len(both.json["runs"]) == 2
    alone = surefoot("calibrate", first, "--json")
    told = [{**done.json, "problems": len(done.json["problems"])} for done in (both, fewer, alone)]  # as one would type
    assert told[0] == told[1] == told[2], "whichever of them is named"
    page = surefoot("calibrate", second, "--report", "-").out
    assert "90 answers labelled of " in page and "(90 labels by people" in page
    assert len(both.json["differ"]) == sum(one["graded"] != one["label"] for one in both.json["differ"]) > 0
    assert both.json["differ"][0]["question"] in page and both.json["differ"][0]["answer"].split()[0] in page
    assert both.json["axes"]["factuality"]["answers"] == {"correct": 180, "wrong": 20}
    with_file = surefoot("calibrate", first, second, "--labels", labels)
    assert with_file.code == 2
    assert "on the answers of one run" in with_file.err
    other = a_run("third", words="third", grader="g/2")
    mixed = surefoot("calibrate", first, other)
    assert mixed.code == 2
    assert "has another grader than" in mixed.err


def test_labels_that_do_not_fit_the_run_are_named(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    path = write(
        "l.jsonl", [{**row, "question_id": f"q{i + 95}"} for i, row in enumerate(rows({"correct": 10}, "anna"))]
    )
    done = surefoot("calibrate", run, "--labels", path, "--json")
    assert done.code == 0
    assert done.json["labels"] == 5
    assert sum(problem["kind"] == "unknown_question" for problem in done.json["problems"]) == 5


def test_labels_by_another_rubric_are_not_used(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    surefoot("calibrate", run, "--labels", labels_for(write))
    with Project.existing() as project:
        one = project.labels()[0]
        project.add_new_labels(
            (), lambda _: [replace(one, id="new", annotator="ben", value="refused", rubric_sha256="of old")]
        )
    found = surefoot("calibrate", run, "--json").json
    assert found["annotators"] == ["anna"]
    assert "labels by another rubric (1) are not used" in [problem["message"] for problem in found["problems"]]


def test_a_grader_cannot_vouch_for_itself(write: Write, tmp_path: Path) -> None:
    """Its verdicts are no labels, under whatever name a file has them."""
    run = a_run("first")
    own = write("own.jsonl", rows({"wrong": 10, "correct": 90}))
    done = surefoot("calibrate", run, "--labels", own)
    assert done.code == 2 and "by people" in done.err
    nameless = write("nameless.jsonl", [{**row, "grader": None} for row in rows({"wrong": 3, "correct": 5})])
    done = surefoot("calibrate", "--verdicts", nameless, "--labels", nameless)
    assert done.code == 2
    others = write("others.jsonl", rows({"wrong": 3, "correct": 5}, "rules@2"))
    done = surefoot("calibrate", "--verdicts", own, "--labels", others)
    assert done.code == 2
    assert "this is a verdict by 'rules@2', a grader" in done.err
    mixed = write("mixed.jsonl", [*rows({"wrong": 3}), *rows({"wrong": 3, "correct": 4}, "human/anna")])
    done = surefoot("calibrate", "--verdicts", own, "--labels", mixed, "--json")
    assert done.code == 4
    assert done.json["annotators"] == ["anna"]
    assert [problem["line"] for problem in done.json["problems"]] == [1, 2, 3]


def test_where_people_are_divided_is_said(write: Write, tmp_path: Path) -> None:
    """They disagree just where the grader may err, so the answers left are those it is right on."""
    run, other = a_run("first", answers=110), a_run("second", answers=110, words="new")
    told = rows({"wrong": 10, "correct": 100}, "human/ana") + rows({"wrong": 50}, "human/bo")[10:]
    report: list[str | Path] = ["--report", tmp_path / "r.html", "--report", tmp_path / "r.md"]
    done = surefoot("calibrate", run, "--labels", write("l.jsonl", told), *report, "--json")
    assert (done.json["labels"], done.json["disputed"], done.json["axes"]["factuality"]["kappa"]) == (70, 40, 1.0)
    for said in ("not labelled: 40 that annotators call differently (q10, q11, ",):
        assert said in (tmp_path / "r.html").read_text("utf-8") and said in (tmp_path / "r.md").read_text("utf-8")
        assert said in surefoot("calibrate", run).out and said in surefoot("calibrate", other).out
    assert "by people (ana, bo); they put 40 answers into different buckets" in surefoot("report", run).out


def test_where_people_are_divided_on_all_nothing_is_calibrated(write: Write) -> None:
    both = rows({"wrong": 20}, "human/anna") + rows({"correct": 20}, "human/bob")
    done = surefoot("calibrate", "--verdicts", write("v.jsonl", rows({"wrong": 20}) + both))
    assert done.code == 4
    assert "Nothing could be calibrated: no answer has a label that annotators agree on" in done.out


def test_labels_that_were_picked_are_no_calibration(write: Write, tmp_path: Path) -> None:
    lines = [f"q{i},{'wrong' if i < 7 else 'correct'},anna,chosen" for i in range(10)]
    labels = write("gate.csv", ["question_id,factuality,annotator,drawn", *lines])
    verdicts = write("v.jsonl", rows({"correct": 60, "wrong": 21}))
    done = surefoot("calibrate", "--verdicts", verdicts, "--labels", labels, "--json")
    assert done.code == 4
    assert "Nothing could be calibrated: no label was drawn by chance" in done.out
    assert done.json["false_correct"] is None and done.json["axes"]["factuality"]["buckets"] == {}
    run = a_run("first")
    done = surefoot("calibrate", run, "--labels", labels)
    assert done.code == 4 and "Nothing could be calibrated: no label was drawn by chance" in done.out


def test_labels_on_easy_answers_alone_are_pointed_out(write: Write) -> None:
    """All labels are on answers graded correct, and none on the eight graded wrong."""
    lines = [f"q{i},correct,anna,sample" for i in range(20, 75)]
    easy = write("easy.csv", ["question_id,factuality,annotator,drawn", *lines])
    done = surefoot("calibrate", a_run("first", wrong=8), "--labels", easy)
    assert done.code == 0 and "8 of 100 answers are graded wrong and have no label" in done.out


def test_labels_that_turn_out_to_be_picked_no_longer_count_as_a_sample(write: Write, tmp_path: Path) -> None:
    run = a_run("first")
    lines = labels_for(write).read_text(encoding="utf-8").splitlines()
    assert surefoot("calibrate", run, "--labels", tmp_path / "labels.csv").code == 0
    picked = write("picked.csv", [line.replace(",sample", ",chosen") for line in lines])
    assert surefoot("import", picked, "--run", run).code == 0
    assert "labelled by choice, which tells nothing of the others" in surefoot("report", run).out
    again = surefoot("calibrate", run)
    assert again.code == 4 and again.out.count("no label was drawn by chance") == 1


def test_a_run_that_nobody_labelled_is_named_beside_others(write: Write, tmp_path: Path) -> None:
    first, second = a_run("first"), a_run("second", words="other")
    surefoot("calibrate", first, "--labels", labels_for(write))
    both = surefoot("calibrate", first, second, "--json")
    [note] = [str(problem) for problem in both.json["problems"] if "rests on those of the other runs" in str(problem)]
    assert "second" in note and both.code == 0


def test_a_grader_without_a_single_verdict_is_not_calibrated(write: Write) -> None:
    verdicts = write("v.jsonl", [{**row, "value": None} for row in rows({"wrong": 10})])
    labels = write("l.jsonl", rows({"wrong": 4, "correct": 6}, "human/anna"))
    done = surefoot("calibrate", "--verdicts", verdicts, "--labels", labels)
    assert done.code == 4
    assert "Nothing could be calibrated: the grader gave no verdict on any answer" in done.out


def test_every_surface_says_the_same_two_numbers(write: Write) -> None:
    run = a_run("first")
    surefoot("calibrate", run, "--labels", labels_for(write))
    known = surefoot("calibrate", run, "--json").json
    trust = surefoot("report", run, "--json").json["trust"]
    for name in ("false_correct", "bad_found"):
        assert known[name] and trust[name] == known[name]
    told = "; ".join(trust["two_numbers"])
    assert told and told in known["headline"].replace("Of the", "of the")
    assert told in surefoot("report", run).out
