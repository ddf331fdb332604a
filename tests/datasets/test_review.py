"""Proposed questions: how they are read, decided on, locked; and files that several people change at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.core.errors import UsageError
from surefoot.core.types import Question
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import accepted_unread, decided, edited
from surefoot.io.questions import content_hash, load, made_of, question_of, row_of

from ..conftest import Write
from ..in_process import surefoot as command

MADE = {"kind": "amount", "by": "templates", "why": "The passage says 40 EUR.", "evidence": ["fees#1"]}


def row(number: int, review: str = "proposed", **more: object) -> dict[str, Any]:
    return {
        "qid": f"b{number}", "question": f"What is fee {number}?", "answerable": True, "stratum": "grounded",
        "probes": "plain", "gold_ids": ["fees#1"], "gold_claims": [f"Fee {number} is 40 EUR."], "retrieval": "normal",
        "review": review, "made": MADE, **more,
    }  # fmt: skip


def fee(number: int, review: str = "proposed", **more: object) -> Question:
    return question_of(row(number, review, **more))


def rows_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_rejected_questions_are_left_out_and_counted(write: Write) -> None:
    path = write("q.jsonl", [row(1), row(2, "accepted"), row(3, "rejected"), row(3), row(4, "by Ana, in May")])
    found = load(path)
    assert [question.id for question in found.questions] == ["b1", "b2", "b3", "b4"]
    assert (found.proposed, found.rejected) == (2, 1)
    assert [str(problem).partition(": ")[2] for problem in found.problems] == [
        "1 question is rejected and left out",
        "2 questions are proposed and not reviewed yet: `surefoot questions review` shows them",
    ]
    assert found.questions[3].metadata["review"] == "by Ana, in May"


@given(st.sampled_from(["proposed", "accepted", "checked"]), st.text(max_size=20), st.lists(st.text(max_size=5)))
def test_the_review_is_no_part_of_what_is_locked(review: str, why: str, evidence: list[str]) -> None:
    other = row(1, review, made={"why": why, "evidence": evidence})
    assert content_hash(question_of(other)) == content_hash(question_of(row(1)))


def test_a_set_is_locked_once_it_is_reviewed(write: Write) -> None:
    path = write("q.jsonl", [row(1), row(2), row(3, "rejected")])
    refused = command("questions", "lock", path)
    assert refused.code == 2 and "nobody has reviewed 2 proposed questions" in refused.err
    assert f"surefoot questions review {path}" in refused.err and "--accept-all" in refused.err
    assert not path.with_name("q.jsonl.lock").exists()
    assert surefoot.review_questions(path, accept=["b1"], by="Ana")["proposed"] == 1
    done = command("questions", "lock", path, "--accept-all")
    assert done.code == 0 and "2 questions locked, 1 of them accepted unread" in done.out
    assert json.loads(path.with_name("q.jsonl.lock").read_text("utf-8"))["accepted_unread"] == 1
    first, second, third = rows_in(path)
    assert first["made"]["reviewed"]["by"] == "Ana" and "accepted" not in first["made"]
    assert second["review"] == "accepted" and second["made"]["accepted"].startswith("unread, 20")
    assert third["review"] == "rejected" and second["made"]["why"] == MADE["why"]
    assert command("questions", "lock", path, "--json").json["accepted_unread"] == 1


def test_an_ordinary_lock_says_nothing_of_reviews(questions: Path) -> None:
    assert command("questions", "lock", questions).out.endswith("4 questions locked\n")
    assert "accepted" not in questions.with_name(f"{questions.name}.lock").read_text("utf-8")


def test_clones_leave_proposed_questions_open_and_rejected_ones_behind(write: Write, tmp_path: Path) -> None:
    path = write("q.jsonl", [row(1, "accepted"), row(2), row(3, "rejected")])
    done = command("questions", "clone", path, tmp_path / "new.jsonl")
    assert f"1 rejected question stayed behind in {path}" in done.out
    assert list(json.loads((tmp_path / "new.jsonl.lock").read_text("utf-8"))["questions"]) == ["b1"]


def test_a_run_is_told_once_how_many_questions_nobody_has_read(write: Write, tmp_path: Path) -> None:
    path = write("q.jsonl", [row(1), row(2), row(3, "rejected")])
    corpus = write("fees.jsonl", [{"id": "fees#1", "text": "The fee is 40 EUR."}])
    done = command("run", "-p", "reference", "-q", path, "--corpus", corpus)
    assert done.code == 0
    assert done.err.count("2 questions are proposed and not reviewed yet") == 1
    assert done.err.count("1 question is rejected and left out") == 1


def test_ids_that_are_not_there_or_named_twice_are_refused(write: Write) -> None:
    path = write("q.jsonl", [row(1)])
    with pytest.raises(UsageError, match="no question 'b9'"):
        surefoot.review_questions(path, accept=["b9"])
    with pytest.raises(UsageError, match="both accepted and rejected"):
        surefoot.review_questions(path, accept=["b1"], reject=["b1"])
    with pytest.raises(UsageError, match="not a file of JSON lines"):
        surefoot.review_questions(path.with_suffix(".yaml"))


def test_an_edit_keeps_what_the_row_said_besides_and_what_was_proposed() -> None:
    value = {"id": 7, "query": "Fee?", "expects": "answer", "gold_ids": ["a"], "gold_claim": "It is 40.", "key": [1]}
    question = question_of(value)
    now = decided(question, "accepted", "Ana", edited(question, "The new fee?", "answer", ("It is 41.",), ("a", "b")))
    written = row_of(now)
    assert (written["qid"], written["question"], written["key"]) == ("7", "The new fee?", [1])
    assert question_of(written) == now and written["gold_claims"] == ["It is 41."]
    assert written["made"]["proposed"] == {
        "question": "Fee?", "expects": "answer", "gold_claims": ["It is 40."], "gold_ids": ["a"]
    }  # fmt: skip
    again = row_of(decided(now, "rejected", "Ben", edited(now, "The fee?", "answer", ("It is 41.",), ("a",))))
    assert again["made"]["proposed"]["question"] == "Fee?" and again["made"]["reviewed"]["by"] == "Ben"
    assert again["question"] == "The fee?" and again["review"] == "rejected"


def test_a_question_whose_answer_comes_or_goes_is_filed_as_such() -> None:
    gone = edited(fee(1), "New?", "refusal")
    assert (gone.stratum, gone.probes, gone.retrieval) == ("unanswerable", "unanswerable", "normal")
    null = fee(1, answerable=False, stratum="retrieval_null", probes="retrieval_null", retrieval="null", gold_ids=[])
    now = edited(null, "What is fee 1?", "answer", ("Fee 1 is 40 EUR.",), ("fees#1",))
    assert (now.retrieval, now.stratum, now.probes) == ("normal", "grounded", "plain")
    assert edited(null, "And fee 1?", "refusal").retrieval == "null", "other words change nothing else"


def test_accepting_as_it_is_changes_nothing_else() -> None:
    accepted = decided(fee(1), "accepted", "Ana", fee(1))
    assert made_of(accepted).keys() == {*MADE, "reviewed"}
    assert row_of(accepted) | {"made": MADE, "review": "proposed"} == row(1)
    assert accepted_unread(fee(1)).gold_claims == ("Fee 1 is 40 EUR.",)


def test_changes_from_many_threads_lose_nothing_and_touch_no_other_line(write: Write) -> None:
    odd = ["", "{broken", '{"qid":  "own", "q": "Mine?",   "answerable": false}']
    path = write("q.jsonl", [*odd, *(row(number) for number in range(30))])
    path.chmod(0o600)

    def decide(number: int) -> int:
        def make(one: Entry) -> Question | None:
            return decided(one.question, "accepted", str(number)) if one.question.id == f"b{number}" else None

        return len(QuestionFile(path).change(make))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(decide, range(30))) == [1] * 30
    lines = path.read_text("utf-8").split("\n")
    assert lines[:3] == odd and lines[-1] == "" and len(lines) == 34
    assert [json.loads(line)["made"]["reviewed"]["by"] for line in lines[3:-1]] == [str(n) for n in range(30)]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_change_that_fails_leaves_the_file_as_it_was(write: Write) -> None:
    path = write("q.jsonl", [row(1), row(2)])
    before = path.read_bytes()

    def make(one: Entry) -> Question:
        if one.question.id == "b2":
            raise RuntimeError("the power fails")
        return decided(one.question, "rejected", "Ana")

    with pytest.raises(RuntimeError):
        QuestionFile(path).change(make)
    assert path.read_bytes() == before


def test_a_new_question_leaves_the_lines_before_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    file = QuestionFile(path)
    file.add(fee(0))
    assert file.add(fee(0)).id == "b0-2"  # an id of its own
    first = path.read_bytes()
    QuestionFile(path).add(fee(2))
    assert file.add(fee(2)).id == "b2-2"  # what another process added is seen
    assert path.read_bytes().startswith(first)
    assert file.entries() == QuestionFile(path).entries()


def test_a_file_without_a_last_line_break_is_added_to(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    QuestionFile(path).add(fee(0))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    QuestionFile(path).add(fee(1))
    assert [question.id for question in QuestionFile(path).questions()] == ["b0", "b1"]
