"""Files of verdicts, as people and other tools write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.core.errors import UsageError
from surefoot.core.table import BUCKETS
from surefoot.core.types import Problem, Verdict
from surefoot.io.labels import checked, load_verdicts
from tests.conftest import Write


def test_verdict_files(write: Write, tmp_path: Path) -> None:
    rows = [{"question_id": "a", "axis": "factuality", "value": "correct", "grader": "g", "reason": "so"},
            {"qid": 7, "axis": "refusal_quality", "value": 2.0, "attempt": 3},
            {"question_id": "a", "axis": "citation_supports", "value": "partly"},
            {"question_id": "a", "axis": "factuality", "value": "correct", "grader": "g"}]  # fmt: skip
    found = load_verdicts(write("v.jsonl", rows))
    assert [(v.question_id, v.axis, v.value, v.attempt) for v in found] == [
        ("a", "factuality", "correct", 1), ("7", "refusal_quality", 2, 3), ("a", "citation_supports", "partly", 1),
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        load_verdicts(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"question_id": "a", "axis": "factuality", "value": "Correct"}, "must be correct, wrong"),
        ({"question_id": "a", "axis": "factuality", "value": True}, "true or false"),
        ({"question_id": "a", "axis": "citation_exists", "value": "partly"}, "yes or no"),
        ({"question_id": "a", "axis": "citation_supports", "value": ["yes"]}, "a list"),
        ({"question_id": "a", "axis": "refusal_quality", "value": 4}, "0, 1, 2 or 3"),
        ({"question_id": "a", "axis": "refusal_quality", "value": "2"}, "0, 1, 2 or 3"),
        ({"question_id": "a", "axis": "extra_claim_count", "value": -1}, "from 0"),
        ({"question_id": "a", "axis": "refusal_quality", "value": 0.5}, "a number"),
        ({"question_id": "a", "axis": "factuality", "value": "maybe"}, "not 'maybe'"),
        ({"question_id": "a", "axis": "citation_supports", "value": "correct"}, "which is a value of factuality"),
        ({"question_id": "a", "axis": "factualty", "value": "wrong"}, "did you mean factuality?"),
        ({"question_id": "a", "axis": "tone", "value": "curt"}, "the axes are factuality, citation_exists"),
        ({"question_id": "a", "axis": "factuality", "value": "correct", "confidence": "high"}, "confidence"),
        ({"question_id": "a" * 9000, "axis": "factuality", "value": "maybe"}, "aaa...: factuality must be"),
        ({"question_id": "a", "axis": "factuality"}, "no value"),
        ({"question_id": "a", "value": "correct"}, "no axis"),
        ({"axis": "factuality", "value": "correct"}, "no question"),
        ({"question_id": "a", "axis": "factuality", "value": "correct", "attempt": 0}, "attempt"),
        ({"question_id": "a", "axis": "factuality", "value": "correct", "grader": 3}, "grader"),
        ({"question_id": "a", "axis": "factuality", "value": "correct", "evidence": [3]}, "evidence"),
        ([1], "an object"),
        ("{broken", "not valid JSON"),
        ('{"axis": "fact', "not valid JSON"),
    ],
)
def test_a_bad_verdict_is_named_by_file_and_line(write: Write, row: object, words: str) -> None:
    good = {"question_id": "b", "axis": "factuality", "value": "wrong"}
    problems: list[Problem] = []
    path = write("v.jsonl", [good, row])
    found = load_verdicts(path, problems)
    assert [(p.line, p.source) for p in problems] == [(2, str(path))] and words in problems[0].message
    assert not problems[0].message.endswith(" at"), "a sentence without its end"
    assert found[0].value == "wrong" and all(v.value is None for v in found[1:])
    with pytest.raises(UsageError, match=":2: "):
        load_verdicts(path)


def test_verdicts_that_contradict_each_other_leave_none(write: Write) -> None:
    rows = [{"question_id": "a", "axis": "factuality", "value": v} for v in (None, "correct", "wrong", "correct")]
    problems: list[Problem] = []
    (only_one,) = load_verdicts(write("v.jsonl", rows), problems)
    assert only_one.value is None and [(p.kind, p.line) for p in problems] == [("duplicate_verdict", 3)]
    assert "line 2" in problems[0].message and "line 3" in problems[0].message


def test_the_reader_and_the_table_know_the_same_buckets() -> None:
    assert all(checked(Verdict("q", "factuality", bucket, "g"))[1] == "" for bucket in BUCKETS)


def test_a_verdict_that_is_there_twice_is_said(write: Write) -> None:
    row = {"question_id": "a", "axis": "factuality", "value": "correct"}
    problems: list[Problem] = []
    assert len(load_verdicts(write("v.jsonl", [row, row]), problems)) == 1
    assert [(p.kind, p.line) for p in problems] == [("note", 2)] and "repeats line 1" in problems[0].message
