from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.io.questions import load
from surefoot.services.questions import next_id

from .conftest import GOOD_TRACES, QUESTIONS, Write
from .conftest import surefoot as as_a_user_runs_it
from .in_process import surefoot


def edit(path: Path, qid: str, **changes: object) -> None:
    rows = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([row | changes if row["qid"] == qid else row for row in rows]), encoding="utf-8")


def test_check_passes_a_sound_set_with_warnings(questions: Path) -> None:
    done = as_a_user_runs_it("questions", "check", questions, "--json")
    assert done.code == 0 and done.json["ok"] and done.json["questions"] == 4
    assert {warning["kind"] for warning in done.json["warnings"]} == {"few_unanswerable", "mix"}


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
    assert done.code == 1
    assert (kind, line) in [(error["kind"], error.get("line")) for error in done.json["errors"]]
    told = surefoot("questions", "check", path)
    assert told.code == 1 and f"error: {path}" in told.err


def test_check_compares_gold_ids_with_the_corpus(questions: Path, write: Write) -> None:
    corpus = write("corpus.jsonl", [{"id": "p1#1", "text": "X"}, {"chunk_id": "other"}])
    done = surefoot("questions", "check", questions, "--corpus", corpus, "--json")
    assert done.code == 1
    assert [(e["kind"], "p2#1" in e["message"]) for e in done.json["errors"]] == [("missing_gold", True)]
    assert surefoot("questions", "check", questions, "--corpus", questions.parent / "none").code == 2


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


def test_a_locked_question_cannot_change_under_its_id(questions: Path, write: Write, tmp_path: Path) -> None:
    traces = write("t.jsonl", GOOD_TRACES)
    assert surefoot("questions", "diff", questions).code == 2
    assert surefoot("questions", "lock", questions).code == 0
    assert surefoot("questions", "diff", questions).code == 0
    assert surefoot("score", "-q", questions, "-t", traces).code == 0
    edit(questions, "q1", note="metadata may change freely")
    assert surefoot("score", "-q", questions, "-t", traces).code == 0
    edit(questions, "q1", gold_claim="X is loose.")
    done = surefoot("score", "-q", questions, "-t", traces)
    assert done.code == 2 and "q1" in done.err and "questions clone" in done.err
    assert surefoot("questions", "check", questions).code == 1
    assert "1 question changed under its old id since the lock: q1" in done.err
    assert as_a_user_runs_it("questions", "lock", questions).code == 1
    blocked = surefoot("questions", "lock", questions, "--json")
    assert blocked.code == 1 and [one["kind"] for one in blocked.json["changed"]] == ["changed_question"]
    diff = surefoot("questions", "diff", questions, "--json")
    assert diff.code == 1 and diff.json["changed"] == ["q1"] and diff.json["unchanged"] == 3

    new = tmp_path / "v2.json"
    done = surefoot("questions", "clone", questions, new, "--change", "q3", "--json")
    assert done.code == 0 and done.json["renamed"] == {"q1": "q1@v2", "q3": "q3@v2"}
    cloned = load(new)
    assert [question.id for question in cloned.questions] == ["q1@v2", "q2", "q3@v2", "q4"]
    assert cloned.questions[0].metadata["replaces"] == "q1"
    assert surefoot("score", "-q", new, "-t", traces).code == 0
    assert surefoot("questions", "diff", questions, new, "--json").json["added"] == ["q1@v2", "q3@v2"]
    assert surefoot("questions", "clone", questions, new).code == 2  # never overwritten
    assert surefoot("questions", "clone", questions, tmp_path / "v3.json", "--change", "nobody").code == 2


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


def test_ids_of_versions() -> None:
    assert next_id("q7", {"q7"}) == "q7@v2"
    assert next_id("q7@v2", {"q7@v2", "q7@v3"}) == "q7@v4"
