from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.core.records import BY_CHOICE, Drawn, Label, current
from surefoot.core.rubric import load
from surefoot.core.types import Problem
from surefoot.io.labels import Known, bound, load_labels, not_yet_in, sealed

from ..conftest import Write

DAYS = [f"2026-01-0{day}T00:00:00.000000+00:00" for day in (1, 2, 3)]


def read(path: Path) -> tuple[list[Label], list[Problem]]:
    problems: list[Problem] = []
    return load_labels(path, problems), problems


def csv(tmp_path: Path, text: str | bytes, name: str = "labels.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_json_lines_in_the_words_of_verdicts_and_of_labels(write: Write) -> None:
    rows = [
        {"question_id": "q1", "axis": "factuality", "value": "wrong", "grader": "human/anna", "reason": "see 4.2"},
        {"qid": "q2", "axis": "refusal_quality", "value": 2.0, "annotator": "ben", "attempt": 3, "note": "fine"},
        {"id": 7, "axis": "factuality", "value": "correct", "grader": "zoe", "at": "2026-01-02T03:04:05+02:00"},
    ]
    labels, problems = read(write("labels.jsonl", rows))
    assert [(one.annotator, one.question_id, one.attempt, one.value, one.note) for one in labels] == [
        ("anna", "q1", 1, "wrong", "see 4.2"), ("ben", "q2", 3, 2, "fine"), ("zoe", "7", 1, "correct", ""),
    ]  # fmt: skip
    assert labels[2].at == "2026-01-02T01:04:05.000000+00:00"
    assert not problems


def test_csv_long_and_wide_with_any_delimiter(tmp_path: Path) -> None:
    long, _ = read(
        csv(tmp_path, "question_id,axis,value,annotator\nq1,factuality,WRONG,anna\nq1,refusal_quality,2,anna\n")
    )
    wide, problems = read(
        csv(
            tmp_path,
            "\ufeffQuestion ID;Factuality;refusal_quality;annotator;text\nq1; wrong ;2.0;anna;x\n;;;;\nq2;;;anna;\n",
        )
    )
    assert [(one.axis, one.value) for one in long] == [("factuality", "wrong"), ("refusal_quality", 2)]
    assert [replace(one, id="") for one in wide] == [replace(one, id="") for one in long]
    told = "\n".join(map(str, problems))
    assert "not read: 'text'" in told
    assert "rows without a label (1)" in told


def test_a_spreadsheet_saved_as_utf_16_is_read(tmp_path: Path) -> None:
    labels, _ = read(csv(tmp_path, "question_id\tfactuality\nfür\twrong\n".encode("utf-16")))
    assert [(one.question_id, one.value, one.annotator) for one in labels] == [("für", "wrong", "unnamed")]


def test_a_cell_with_line_breaks_and_quotes(tmp_path: Path) -> None:
    labels, _ = read(csv(tmp_path, 'question_id,factuality,note\nq1,wrong,"says ""no"",\nthen yes"\nq2,correct,\n'))
    assert [(one.question_id, one.note) for one in labels] == [("q1", 'says "no",\nthen yes'), ("q2", "")]


def test_what_cannot_be_used_is_named_with_its_line(write: Write) -> None:
    good = {"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "a"}
    rows = [
        good, {**good, "value": "bad"}, {**good, "axis": "truth"}, {**good, "drawn": "guess"}, {**good, "at": "soon"},
        {**good, "annotator": ["a"]}, "{oops", {"axis": "factuality", "value": "wrong"}, 7,
    ]  # fmt: skip
    labels, problems = read(write("labels.jsonl", rows))
    assert len(labels) == 1
    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6, 7, 8, 9]


def test_one_person_twice(write: Write) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "a"}
    labels, problems = read(write("labels.jsonl", [row, row]))
    assert len(labels) == 1
    assert [problem.kind for problem in problems] == ["note"]
    labels, problems = read(write("labels.jsonl", [row, {**row, "value": "correct"}, {**row, "annotator": "b"}]))
    assert [one.annotator for one in labels] == ["b"]
    assert "'wrong' on line 1 and 'correct' on line 2; neither is used" in str(problems[0])
    later = [{**row, "at": "2026-01-01"}, {**row, "value": "correct", "at": "2026-01-02"}]
    labels, problems = read(write("labels.jsonl", later))
    assert len(labels) == 2  # a change of mind
    assert not problems


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        load_labels(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="has no question_id"):
        load_labels(csv(tmp_path, "name,factuality\nq1,wrong\n"))
    with pytest.raises(UsageError, match="two columns have the same name"):
        load_labels(csv(tmp_path, "id,factuality,Factuality\nq,wrong,correct\n"))
    with pytest.raises(UsageError, match="not valid CSV from line 2 on"):
        load_labels(csv(tmp_path, 'id,factuality\nq1,"wrong\nq2,correct\n'))
    with pytest.raises(UsageError, match="factuality must be"):
        load_labels(csv(tmp_path, "question_id,factuality\nq,bad\n"))


def test_scores_by_another_rubric(write: Write) -> None:
    row = {"question_id": "q1", "axis": "accuracy", "value": "8.5/10", "annotator": "a"}
    problems: list[Problem] = []
    labels = load_labels(write("labels.jsonl", [row]), problems, rubric=load("council"))
    assert [one.value for one in labels] == [8.5]


def test_labels_are_bound_to_the_answers_of_a_run(write: Write) -> None:
    rows = [{"question_id": q, "axis": "factuality", "value": "wrong", "annotator": "a"} for q in ("q1", "q2")]
    labels, problems = read(write("labels.jsonl", rows))
    found = bound(labels, [Known("v1", "q1", run="run", rubric_sha256="r")], problems)
    assert [(one.version, one.run, one.rubric_sha256) for one in found] == [("v1", "run", "r")]
    assert found[0].id != labels[0].id
    assert [problem.kind for problem in problems] == ["unknown_question"]


def test_a_file_may_be_read_in_again_and_says_only_what_is_new(write: Write) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "a"}
    first = bound(read(write("a.jsonl", [row]))[0], [Known("v1", "q1")], [])
    kept = not_yet_in([], first, DAYS[0])
    assert [one.at for one in kept] == [DAYS[0]]
    assert not_yet_in(kept, first, DAYS[1]) == []
    changed = bound(read(write("b.jsonl", [{**row, "value": "correct"}]))[0], [Known("v1", "q1")], [])
    kept += not_yet_in(kept, changed, DAYS[1])
    kept += not_yet_in(kept, first, DAYS[2])  # and back again
    assert [one.value for one in kept] == ["wrong", "correct", "wrong"]
    assert len({one.id for one in kept}) == 3


def told(*rows: Mapping[str, object]) -> list[Label]:
    """Labels on one answer as a file has them, bound to it."""
    given: dict[str, Any] = {"id": "", "at": "", "annotator": "a", "question_id": "q1", "axis": "factuality"}
    labels = [Label(**{**given, "value": "wrong", **row}) for row in rows]
    return bound([one if one.id else sealed(one) for one in labels], [Known("v1", "q1")], [])


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        ({}, {"drawn": "chosen"}, ("wrong", "chosen", "")),
        ({"drawn": "chosen"}, {}, ("wrong", "chosen", "")),
        ({"drawn": "chosen"}, {"value": "correct"}, ("correct", "chosen", "")),  # nor does another value launder it
        ({"drawn": "look"}, {}, ("wrong", "look", "")),
        ({"drawn": "flagged"}, {}, ("wrong", "flagged", "")),  # by chance, too
        ({}, {"note": "clause 2"}, ("wrong", "sample", "clause 2")),
        ({"note": "clause 2"}, {}, ("wrong", "sample", "clause 2")),  # a file without notes takes none back
        ({"note": "clause 2"}, {"note": "clause 3"}, ("wrong", "sample", "clause 3")),
    ],
)
@pytest.mark.parametrize("at", ["", DAYS[0]])
def test_what_has_changed_is_a_new_row_and_what_was_picked_stays_picked(
    before: dict[str, object], after: dict[str, object], standing: tuple[str, str, str], at: str
) -> None:
    """Also where a file gives both the same time."""
    kept = not_yet_in([], told({**before, "at": at}), DAYS[0])
    changed = told({**after, "at": at})
    kept += not_yet_in(kept, changed, DAYS[1])
    assert [(one.value, one.drawn, one.note) for one in current(kept)] == [standing]
    assert not_yet_in(kept, changed, DAYS[2]) == []  # read in again, it says nothing new


def test_a_picked_label_taken_back_and_given_again_is_no_sample() -> None:
    kept: list[Label] = []
    rows: list[dict[str, object]] = [{"drawn": "chosen"}, {"value": None}, {"value": "correct"}]
    for day, row in zip(DAYS, rows, strict=True):
        kept += not_yet_in(kept, told(row), day)
    assert [(one.value, one.drawn) for one in current(kept)] == [("correct", "chosen")]
    others = not_yet_in(kept, told({"annotator": "b"}, {"axis": "citation_exists", "value": "yes"}), DAYS[2])
    assert {one.drawn for one in others} == {"sample"}  # each person and axis for itself


def test_a_pick_that_is_told_late_counts_for_what_was_said_since() -> None:
    kept = not_yet_in([], told({"value": "correct", "at": DAYS[1]}), DAYS[1])
    picked = told({"drawn": "chosen", "at": DAYS[0]})
    kept += not_yet_in(kept, picked, DAYS[2])
    assert [(one.value, one.drawn) for one in current(kept)] == [("correct", "chosen")]
    assert not_yet_in(kept, picked, DAYS[2]) == []
    assert not_yet_in(kept, told({"value": "correct", "at": DAYS[1]}), DAYS[2]) == []


@pytest.mark.parametrize("value", ["wrong", None])
def test_a_label_dated_ahead_can_be_changed(value: str | None) -> None:
    ahead = "2026-01-01T20:00:00.000000+00:00"
    kept = not_yet_in([], told({"at": ahead, "value": value}), DAYS[0])
    for value in ("correct", "unsupported"):
        changed = told({"value": value})
        kept += not_yet_in(kept, changed, DAYS[0])
        assert [one.value for one in current(kept)] == [value]
        assert not_yet_in(kept, changed, DAYS[0]) == []
    odd = [Label(id="x", at="zzzz", annotator="a", question_id="q1", axis="factuality", value="wrong", version="v1")]
    with pytest.raises(UsageError, match="cannot be changed: it has the time 'zzzz'"):
        not_yet_in(odd, changed, DAYS[0])


def test_in_one_file_too_what_was_picked_is_no_sample(write: Write) -> None:
    rows = [{"question_id": "q1", "axis": "factuality", "value": "wrong", "drawn": drawn} for drawn in ("", "chosen")]
    for order in (rows, rows[::-1]):
        labels, problems = read(write("a.jsonl", order))
        assert [one.drawn for one in labels] == ["chosen"] and "repeats line 1" in str(problems[0])


@pytest.mark.parametrize(
    "name",
    ["rules", "rules@2", "local@1+0123456789ab", "llm:qwen@localhost:8000+01234567",
     "anthropic:claude+01234567", "local@1+0123456789ab<0.9+llm:m@h+01234567", "recorded:calls.jsonl", "judge+deadbeef",
     "Rules@2", "g/1", "G/1 ", "human/g/1"],
)  # fmt: skip
def test_a_verdict_by_a_grader_is_no_label(write: Write, name: str) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong"}
    for key in ("grader", "annotator"):
        mixed = write("mixed.jsonl", [{**row, key: name}, {**row, "grader": "human/anna"}])
        problems: list[Problem] = []
        labels = load_labels(mixed, problems, graders={"g/1", "", "other"})
        assert [one.annotator for one in labels] == ["anna"]
        assert [(problem.kind, problem.line) for problem in problems] == [("by_a_grader", 1)]
        with pytest.raises(UsageError, match="has no label by a person: this is a verdict by"):
            load_labels(
                write("all.jsonl", [{**row, key: name}, {**row, key: name, "value": None}]), [], graders={"g/1"}
            )


@pytest.mark.parametrize("grader", ["rules@2", "local@1+0123456789ab", "g/1", "human/g/1"])
def test_no_annotator_makes_a_label_of_a_graders_verdict(write: Write, grader: str) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong", "grader": grader, "annotator": "ana"}
    person = {**row, "grader": "human/ana", "annotator": "ana@example.com"}
    problems: list[Problem] = []
    labels = load_labels(write("l.jsonl", [row, person]), problems, graders={"g/1"})
    assert [one.annotator for one in labels] == ["ana@example.com"]
    assert [(problem.kind, problem.line) for problem in problems] == [("by_a_grader", 1)]
    for key in ("annotator", "note"):
        with pytest.raises(UsageError, match="this is a verdict by"):
            load_labels(write("all.jsonl", [{**row, key: "human/ana"}]), [], graders={"g/1"})


@pytest.mark.parametrize("mark", [{"via": "rules@2"}, {"evidence": [{"claim": "c", "passage": "p", "quote": "q"}]}])
@pytest.mark.parametrize("who", [{}, {"annotator": "ana"}, {"grader": "ana"}])
def test_rows_that_only_a_grader_writes_are_no_labels_without_its_name(
    write: Write, mark: dict[str, object], who: dict[str, str]
) -> None:
    bare: dict[str, object] = {"question_id": "q1", "axis": "factuality", "value": "wrong", "via": "", "evidence": []}
    with pytest.raises(UsageError, match="which graders write") as caught:
        load_labels(write("all.jsonl", [{**bare, "question_id": "q2", **who}, {**bare, **who, **mark}]), [])
    assert "all.jsonl:2" in caught.value.message and "human/NAME" in caught.value.hint
    named = [{**bare, **mark, "annotator": "human/ana"}, {**bare, **mark, "grader": "human/bo", "question_id": "q3"}]
    labels, problems = read(write("l.jsonl", [*named, {**bare, "annotator": "zoe"}]))
    assert [one.annotator for one in labels] == ["ana", "bo", "zoe"] and not problems


def test_people_may_say_how_sure_they_are_and_why(tmp_path: Path) -> None:
    table = "question_id,factuality,annotator,confidence,evidence,via\nq1,wrong,ana,high,see clause 4,\n"
    labels, problems = read(csv(tmp_path, f"{table}q2,correct,ana,0.9,[],\n"))
    assert [one.annotator for one in labels] == ["ana", "ana"]
    assert not problems


@pytest.mark.parametrize(
    "row", ["q10,number is right,wrong,correct,ana", "q10,number is right,wrong,correct,", "q10,a,correct,ana,,"]
)
def test_a_row_with_a_cell_too_many_is_never_used(tmp_path: Path, row: str) -> None:
    """Its cells may be in the wrong columns: `number, is right` was one cell."""
    labels, problems = read(csv(tmp_path, f"question_id,note,factuality,annotator\nq9,,correct,ana\n{row}\n,,,,,\n"))
    assert [one.question_id for one in labels] == ["q9"]
    assert [(problem.kind, problem.line) for problem in problems] == [("malformed", 3)]
    assert "has more cells than the first line" in str(problems[0])


def test_cells_missing_at_the_end_are_empty(tmp_path: Path) -> None:
    head = "question_id,annotator,factuality,refusal_quality,note"
    labels, problems = read(csv(tmp_path, f"{head}\nq1,ana,refused,2,so\nq2,ana,correct\nq3,ana\nq4\n"))
    assert [(one.question_id, one.axis) for one in labels] == [
        ("q1", "factuality"), ("q1", "refusal_quality"), ("q2", "factuality"),
    ]  # fmt: skip
    assert [problem.kind for problem in problems] == ["note"]
    broken = "question_id,factuality,note,annotator\nq1,wrong,first line\nof two,ana\nq2,correct,,ana\nq3\n"
    labels, problems = read(csv(tmp_path, broken))
    assert [(one.question_id, one.annotator) for one in labels] == [("q1", "unnamed"), ("q2", "ana")]
    assert {(p.kind, p.line) for p in problems} == {("bad_label", 2), ("bad_label", 3), ("note", None)}
    nobody, _ = read(csv(tmp_path, "question_id,factuality,annotator,note\nq1,wrong,\nq2,correct,,x\n"))
    assert [one.annotator for one in nobody] == ["unnamed", "unnamed"]


@pytest.mark.parametrize(
    "name", ["human/anna", "human", "anna", "expert", "ann@example.org", "ann+eval@example.org", "ann@2degrees.org",
             "local expert", "Ruleson", "human/local@1", "Zoë (QA)", ""],
)  # fmt: skip
def test_people_are_called_as_they_like(write: Write, name: str) -> None:
    rows = [{"question_id": "q1", "axis": "factuality", "value": "wrong", key: name} for key in ("grader", "annotator")]
    for row in rows:
        problems: list[Problem] = []
        labels = load_labels(write("l.jsonl", [row]), problems, graders={"g/1"})
        assert [one.annotator for one in labels] == [name.removeprefix("human/") or "unnamed"]
        assert all(problem.kind == "note" for problem in problems)


def test_times_are_real_in_one_zone_and_not_in_the_future(write: Write) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "a"}
    soon = (datetime.now(UTC) + timedelta(hours=20)).isoformat()
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    given = ["2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05.5-01:00", soon]
    labels, problems = read(write("l.jsonl", [{**row, "at": at} for at in given]))
    assert not problems
    assert [one.at for one in labels[:3]] == [
        "2026-01-02T00:00:00.000000+00:00", "2026-01-02T03:04:05.000000+00:00", "2026-01-02T04:04:05.500000+00:00",
    ]  # fmt: skip
    bad = [later, "9999-12-31T23:59:59-10:00", "0001-01-01T00:00+10:00", "2026-13-01", "now"]
    labels, problems = read(write("l.jsonl", [{**row, "at": at} for at in bad]))
    assert not labels
    assert ["future" in str(problem) for problem in problems] == [True, False, False, False, False]


def test_names_that_cannot_be_printed_are_named(write: Write) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong"}
    labels, problems = read(write("l.jsonl", [{**row, "annotator": name} for name in ("a\nb", "a\u2028b", "a" * 201)]))
    assert not labels
    assert [problem.kind for problem in problems] == ["bad_label"] * 3


def test_a_file_without_a_label_is_a_problem(tmp_path: Path) -> None:
    _, problems = read(csv(tmp_path, "question_id,factuality\nq1,\n"))
    assert "no_labels" in [problem.kind for problem in problems]


def test_a_zst_file_that_breaks_off_is_noticed_wherever_it_does(tmp_path: Path) -> None:
    rows = [
        f'{{"question_id":"q{i}","axis":"factuality","value":"wrong","annotator":"p"}}\n'.encode() for i in range(10)
    ]
    packing = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    first = packing.compress(b"".join(rows[:5])) + packing.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    whole = first + packing.compress(b"".join(rows[5:])) + packing.flush()
    for cut in range(4, len(whole)):
        _, problems = read(csv(tmp_path, whole[:cut], "l.jsonl.zst"))
        assert any("breaks off" in str(problem) for problem in problems), cut
    for content, count in ((whole, 10), (zstandard.compress(b"".join(rows[:5])) + zstandard.compress(rows[5]), 6)):
        labels, problems = read(csv(tmp_path, content, "l.jsonl.zst"))
        assert (len(labels), problems) == (count, [])


@given(st.binary(max_size=200))
def test_any_bytes_are_labels_problems_or_a_usage_error(tmp_path: Path, content: bytes) -> None:
    for name in ("labels.csv", "labels.jsonl", "labels.txt"):
        try:
            labels, problems = read(csv(tmp_path, content, name))
        except UsageError:
            continue
        assert all(isinstance(one, Label) for one in labels)
        assert all(str(problem) for problem in problems)


def test_numbered_rows_of_two_people_do_not_meet(tmp_path: Path) -> None:
    head = "id,question_id,factuality,annotator,at\n"
    first, _ = read(csv(tmp_path, head + "1,q1,wrong,ana,2024-01-01T10:00:00\n"))
    other, _ = read(csv(tmp_path, head + "1,q3,correct,bo,2024-01-02T10:00:00\n"))
    assert first[0].question_id == "q1" and first[0].id != other[0].id


def test_who_does_not_say_how_an_answer_was_drawn_picked_it(tmp_path: Path) -> None:
    table = "question_id,factuality,annotator,drawn\nq1,wrong,ana,\nq2,wrong,ana,flagged\n"
    assert [label.drawn for label in current(read(csv(tmp_path, table))[0])] == ["chosen", "flagged"]


def test_evidence_in_the_words_of_people_is_theirs(write: Write) -> None:
    row = {"question_id": "q1", "axis": "factuality", "value": "wrong", "annotator": "ana", "evidence": ["page 3"]}
    assert len(read(write("labels.jsonl", [row]))[0]) == 1


def test_people_may_be_numbered(tmp_path: Path) -> None:
    labels, problems = read(csv(tmp_path, "question_id,factuality,refusal_quality,annotator\nq1,refused,2,2\n"))
    assert [label.annotator for label in labels] == ["2", "2"] and not problems


@pytest.mark.parametrize("drawn", [("chosen", "sample"), ("sample", "chosen"), ("look", "sample")])
def test_what_was_once_picked_is_picked_in_whatever_order_ledgers_were_joined(drawn: tuple[Drawn, Drawn]) -> None:
    rows = [
        Label(id=str(at), at=f"2026-11-0{at}", annotator="ana", question_id="q", axis="factuality", value="wrong",
              version="v", drawn=how)
        for at, how in enumerate(drawn, 1)
    ]  # fmt: skip
    assert [row.drawn in BY_CHOICE for row in current(rows)] == [True]
