from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.io.questions import load

from .conftest import GOOD_TRACES, QUESTIONS, Write
from .in_process import surefoot


@pytest.mark.parametrize(
    ("rows", "kind", "line"),
    [
        ([*QUESTIONS, dict(QUESTIONS[0], q="Other?")], "duplicate_question", 5),
        ([*QUESTIONS, dict(QUESTIONS[0], qid="q9", q="WHAT is  X?")], "duplicate_text", 5),
        (QUESTIONS[:2], "one_sided", None),
        (QUESTIONS[2:], "one_sided", None),
        ([*QUESTIONS, {"qid": "q9", "q": "Q?", "answerable": "no"}], "bad_question", 5),
        ([*QUESTIONS, "{broken"], "bad_question", 5),
        ([], "bad_question", None),
    ],
)
def test_check_finds_errors(rows: list[object], kind: str, line: int | None, write: Write) -> None:
    path = write("q.jsonl", rows)
    done = surefoot("questions", "check", path, "--json")
    assert done.code == (1 if rows else 4)
    assert (kind, line) in [(error["kind"], error.get("line")) for error in done.json["errors"]]
    told = surefoot("questions", "check", path)
    assert told.code == done.code and f"error: {path}" in told.err


def test_a_set_without_a_question_is_one_error_and_incomplete(tmp_path: Path) -> None:
    (tmp_path / "q.json").touch()
    done = surefoot("questions", "check", tmp_path / "q.json")
    assert done.code == 4 and done.err.count("error: ") == 1 and "q.json: is empty" in done.err


def test_a_gold_id_that_is_gone_names_what_came_closest_in_its_document(write: Write) -> None:
    question = {"qid": "a", "q": "How long is the notice?", "answerable": True, "gold_ids": ["lease.md#2-aa"]}
    passages = [
        {"id": "lease.md#1-bb", "text": "The rent is EUR 900."},
        {"id": "lease.md#2-cc", "text": "The notice period is now six months."},
        {"id": "other.md#1", "text": "The notice period is one year."},
    ]
    path = write("q.jsonl", [{**question, "gold_claim": "The notice period is three months."}])
    done = surefoot("questions", "check", path, "--corpus", write("corpus.jsonl", passages))
    assert "'lease.md#2-aa' is not in the corpus; the closest passage in that document is 'lease.md#2-cc'" in done.err


def test_warnings_for_gold_that_cannot_hit_and_questions_that_leak(write: Write) -> None:
    leak = {
        "qid": "a",
        "q": "Is the notice period thirty days?",
        "answerable": True,
        "gold_claim": "notice period thirty days",
    }
    done = surefoot("questions", "check", write("q.jsonl", [*QUESTIONS, leak]), "--json")
    assert {"no_gold", "leak"} <= {warning["kind"] for warning in done.json["warnings"]}


def test_check_says_what_missing_gold_claims_cost(write: Write) -> None:
    rows = [{"qid": f"q{i}", "q": f"How long is term {i}?", "answerable": True, "gold_ids": ["a"]} for i in range(5)]
    rows += [{"qid": "r", "q": "Who knows?", "answerable": False}]
    warnings = surefoot("questions", "check", write("bare.jsonl", rows), "--json").json["warnings"]
    (said,) = [warning["message"] for warning in warnings if warning["kind"] == "no_gold_claim"]
    assert said.startswith("5 of 5 answerable questions have no gold_claim ('q0', 'q1', 'q2' ...)")
    assert "can pass" in said


def test_questions_that_come_or_go_are_noted(questions: Path, write: Write) -> None:
    surefoot("questions", "lock", questions)
    rows = [*QUESTIONS[:3], {"qid": "q9", "q": "New?", "answerable": False}]
    questions.write_text(json.dumps(rows), encoding="utf-8")
    traces = write("t.jsonl", [*GOOD_TRACES[:3], {"qid": "q9", "answer": "N/A"}])
    done = surefoot("score", "-q", questions, "-t", traces, "--json")
    assert done.code == 0
    assert ["q9" in p["message"] or "q4" in p["message"] for p in done.json["input"]["problems"]] == [True, True]


@pytest.mark.parametrize("name", ["new.json", "new.jsonl", "new.yaml"])
def test_a_clone_keeps_every_field_in_every_format(name: str, write: Write, tmp_path: Path) -> None:
    row = {"qid": "a", "q": "Q?", "expects": "refusal", "gold_ids": ["x"], "gold_claims": ["b", "c"],
           "retrieval": "null", "stratum": "s", "probes": "p", "why": {"deep": [1]}}  # fmt: skip
    path = write("q.jsonl", [row, *QUESTIONS])
    assert surefoot("questions", "clone", path, tmp_path / name).code == 0
    assert load(tmp_path / name).questions == load(path).questions


def test_a_damaged_lock_file_is_a_usage_error(questions: Path) -> None:
    Path(f"{questions}.lock").write_text("{", encoding="utf-8")
    assert surefoot("questions", "diff", questions).code == 2


def test_a_set_with_errors_cannot_be_locked(write: Write) -> None:
    path = write("q.jsonl", [*QUESTIONS, {"qid": "q9"}])
    done = surefoot("questions", "lock", path)
    assert done.code == 2 and "q9" in done.err
