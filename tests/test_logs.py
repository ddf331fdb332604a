"""Logs without a question set, and logs that name passages by id alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot
from surefoot.core.errors import UsageError
from surefoot.core.types import Passage, Question, Retrieved, Trace
from surefoot.corpus.corpus import PassageTexts
from surefoot.graders.judges import items_of
from surefoot.jobs.grade import read_log
from surefoot.store import Project
from surefoot.text.normal import id_of_text
from tests.conftest import Done, Write
from tests.in_process import surefoot as command
from tests.kept import kept

TEXTS = {"p1": "The notice period is three months.", "p2": "The monthly fee is EUR 40.", "p3": "Support opens at 9."}
ROWS: list[dict[str, Any]] = [
    {"q": "What is the notice period?", "answer": "The notice period is three months [p1].", "retrieved": ["p1", "p2"]},
    {"q": "What is the monthly fee?", "answer": "The monthly fee is EUR 45 [p2].", "retrieved": ["p2"]},
    {"q": "what is the  monthly fee?", "answer": "The monthly fee is EUR 40 [p2].", "retrieved": ["p2", "p3"]},
    {"q": "When does support open?", "answer": "Support is in Lisbon on Sundays [p3].", "retrieved": ["p3"]},
    {"q": "Which court is it?", "answer": "I could not find that in the documents.", "retrieved": ["p1"]},
]


def with_texts(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "retrieved": [{"id": name, "text": TEXTS[name]} for name in row["retrieved"]]}


@pytest.fixture
def log(write: Write) -> Path:
    return write("log.jsonl", map(with_texts, ROWS))


@pytest.fixture
def ids_only(write: Write) -> Path:
    return write("ids.jsonl", ROWS)


@pytest.fixture
def corpus(write: Write) -> Path:
    return write("corpus.jsonl", [{"id": name, "text": text} for name, text in TEXTS.items()])


def grade(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> Done:
    return command("grade", *arguments, "--grader", "rules", "--json", stdin=stdin, cwd=cwd)


def rows_of(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def test_the_same_log_goes_on_with_its_run_and_another_log_gets_its_own(log: Path) -> None:
    for _ in range(2):
        grade("--traces", log)
    with Project.existing() as project:
        [run] = project.runs()
        with project.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM answers WHERE attempt = 2")  # as if killed
    assert len(rows_of(grade("--traces", log))) == len(kept(run.id).traces()) == len(ROWS)
    log.write_text(json.dumps(with_texts(ROWS[0])), "utf-8")
    grade("--traces", log)
    with Project.existing() as project:
        assert [len(one.traces()) for one in project.runs()] == [len(ROWS), 1]


def test_ids_come_from_the_log_and_one_id_for_two_questions_is_not_shared(write: Write) -> None:
    asked = (
        {"qid": "a", "q": "What is X?"},
        {"qid": "a", "q": "What is Y?"},
        {"q": "What is Z?"},
        {"id": 7, "q": "And?"},
    )
    found = read_log([write("log.jsonl", [{**row, "answer": "It is 1."} for row in asked])])
    ids = [question.id for question in found.questions]
    assert ids == ["a", id_of_text("what is y?"), id_of_text("What is Z?"), "7"]


def test_a_row_with_an_id_keeps_it_though_another_asks_the_same(write: Write) -> None:
    rows = [{"qid": name, "q": "What is X?", "answer": "It is 1."} for name in ("a", "c", "a")]
    found = read_log([write("log.jsonl", rows)])
    assert [(trace.question_id, trace.attempt) for trace in found.traces] == [("a", 1), ("c", 1), ("a", 2)]


def test_a_row_too_long_to_read_is_named_and_holds_nothing_up(log: Path, write: Write, tmp_path: Path) -> None:
    huge = {"q": "What is X?", "answer": "It is 1.", "retrieved": [{"id": "p", "text": "All of it. " * 200_000}]}
    endless = {"q": "What is X?", "answer": "It is 1. " * 12_000}
    done = grade("--traces", log, "--traces", write("huge.jsonl", [huge, endless]), "--version", "run")
    assert done.code == 4 and len(rows_of(done)) == len(ROWS)
    assert "huge.jsonl:1" in done.err and "over 2,000,000 characters of passages" in done.err
    assert "huge.jsonl:2" in done.err and "the answer has over 100,000 characters" in done.err
    alone = grade("--traces", write("huge.jsonl", [endless]))
    assert alone.code == 4 and "hint: log only what it answered" in alone.err


def test_gold_in_a_log_counts(write: Write, tmp_path: Path) -> None:
    row = {**with_texts(ROWS[2]), "reference": "The monthly fee is EUR 39."}
    done = grade("--traces", write("log.jsonl", [row]), "--version", "run")
    assert rows_of(done)[0]["reason"] == "conflicts_gold"
    assert "no question has gold" not in done.err


def test_rows_without_an_answer_are_named(log: Path, write: Write, tmp_path: Path) -> None:
    more = write("more.jsonl", ["{broken", {"answer": "to nothing"}])
    done = grade("--traces", log, "--traces", more, "--version", "run")
    assert done.code == 4 and len(rows_of(done)) == len(ROWS)
    assert "more.jsonl:1" in done.err and "more.jsonl:2" in done.err


def test_stdin_is_a_log_too(log: Path) -> None:
    assert len(rows_of(grade("--traces", "-", stdin=log.read_bytes()))) == len(ROWS)
    with Project.existing() as project:
        assert project.runs()[0].version == "stdin"


def test_a_run_of_a_log_is_labelled_and_not_resumed_or_compared(log: Path, tmp_path: Path) -> None:
    run = "run"
    grade("--traces", log, "--version", run)
    assert len(surefoot.look_list(run).table()) == len(ROWS)
    resumed = command("run", "--resume", run)
    assert resumed.code == 2 and "was made of a log" in resumed.err
    compared = command("gate", run, run, "--uncalibrated")
    assert compared.code == 2 and "more answers to some questions" in compared.err


def test_ids_that_the_corpus_lacks_are_counted_and_named(write: Write, corpus: Path, tmp_path: Path) -> None:
    log = write("log.jsonl", [*ROWS, {"q": "What now?", "answer": "That [p8].", "retrieved": ["p8", "p9", "p1"]}])
    done = grade("--traces", log, "--corpus", corpus, "--version", "run")
    assert done.code == 4
    assert "2 retrieved passages not in the corpus: p8, p9" in done.err or "p9, p8" in done.err


passages = st.builds(Passage, st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["", " ", "logged"]))


@given(st.none() | st.lists(passages))
def test_filling_changes_nothing_but_blank_texts(found: list[Passage] | None) -> None:
    texts = PassageTexts([Passage("a", "of the corpus"), Passage("b", "of the corpus")])
    trace = Trace("q", retrieved=None if found is None else Retrieved(found))
    filled = texts.filled(trace)
    assert [one.id for one in filled.retrieved or ()] == [one.id for one in found or ()]
    for before, after in zip(found or (), filled.retrieved or (), strict=True):
        is_filled = not before.text.strip() and before.id in ("a", "b")
        assert after.text == ("of the corpus" if is_filled else before.text)
    assert set(texts.lacking) == {one.id for one in found or () if one.id == "c" and not one.text.strip()}


def test_a_log_of_nothing_is_an_error_in_python_too(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no log"):
        surefoot.grade_log(tmp_path / "none.jsonl")


def test_rules_that_need_no_gold_decide_a_log(write: Write, ids_only: Path) -> None:
    rule = ("--rule", "citation_exists_rate >= 1")
    assert command("score", "-t", ids_only, *rule).code == 0
    invented = write("invented.jsonl", [{**ROWS[0], "citations": ["nowhere"]}, *ROWS[1:]])
    done = command("score", "-t", invented, *rule, "--json")
    assert done.code == 1
    assert done.json["gate"]["checks"][0]["questions"] == [id_of_text(ROWS[0]["q"])]
    assert [one["finding"] for one in done.json["next"]] == ["sources cited that were never retrieved"]


def test_a_log_is_joined_by_its_texts_and_by_ids_where_there_are_none(write: Write) -> None:
    rows = [
        {"qid": "a", **ROWS[0]},
        {"qid": "a", **ROWS[1]},
        {"qid": "b", **ROWS[2]},
        {"qid": "c", "answer": "It is so."},
        {"qid": "a", "answer": "It is not."},
    ]
    done = command("score", "-t", write("log.jsonl", rows), "--json")
    assert done.json["settings"]["questions"] == 4 and done.json["input"]["scored"] == 5
    assert not done.json["input"]["problem_counts"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_score_names_the_passages_that_a_corpus_lacks(
    write: Write, corpus: Path, jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "surefoot.toml").write_text(f"jobs = {jobs}\n")
    again = [{"q": "What now?", "answer": f"That [{one}].", "retrieved": [one]} for one in ("p9", "p8")]
    log = write("log.jsonl", [*ROWS, *again])
    questions = write("questions.jsonl", [{"qid": "q", "q": "What now?", "answerable": True, "gold_ids": ["p9"]}])
    for asked in ([], ["-q", str(questions)]):
        done = command("score", "-t", log, *asked, "--corpus", corpus, "--json")
        named = [one["message"] for one in done.json["input"]["problems"] if one["kind"] == "unknown_passage"]
        assert named == ["2 retrieved passages not in the corpus: p9, p8"]


def test_stdin_cannot_be_scored_without_questions(ids_only: Path) -> None:
    done = command("score", "-t", "-", stdin=ids_only.read_bytes())
    assert done.code == 2 and "write it to a file" in done.err


def test_of_uneven_logs_only_what_was_answered_counts() -> None:
    asked = [Question(name, name, "answer") for name in "abc"]
    answers = [Trace(name, attempt=attempt) for name, attempt in [("b", 3), ("b", 1), ("a", 1), ("b", 9), ("x", 1)]]

    def keys(uneven: bool) -> list[tuple[str | None, int]]:
        return [(one.trace.question_id, one.trace.attempt) for one in items_of(asked, answers, 3, uneven)]

    assert keys(uneven=True) == [("a", 1), ("b", 1), ("b", 3)]
    assert keys(uneven=False) == [(name, attempt) for name in "abc" for attempt in (1, 2, 3)]


def test_a_log_without_a_list_of_what_was_retrieved_says_where_to_name_it(corpus: Path, write: Write) -> None:
    rows = [{"q": row["q"], "answer": row["answer"], "found": ["p1"]} for row in ROWS]
    done = grade("--traces", write("bare.jsonl", rows), "--corpus", corpus, cwd=corpus.parent)
    assert "4 answers citing passages of the corpus cannot be graded" in done.err and "--map retrieved=PATH" in done.err


@pytest.mark.parametrize(("expects", "status"), [(None, "not_applicable"), ("answer", "fail"), ("refusal", "pass")])
def test_a_refusal_in_a_log_is_one_too_many_only_where_an_answer_was_due(
    tmp_path: Path, expects: str | None, status: str
) -> None:
    passages = [{"id": "a#1", "text": "The fee is ten euros."}]
    said = [("What is the fee?", "The fee is ten euros [a#1].", {"expects": "answer"} if expects == "refusal" else {}),
            ("What is the rent?", "The documents do not say.", {"expects": expects} if expects else {})]  # fmt: skip
    rows = [{"q": asked, "answer": answer, "retrieved": passages, **more} for asked, answer, more in said]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for version in ("a", "b"):
        assert command("grade", "--traces", "log.jsonl", "--version", version, cwd=tmp_path).code == 0
    found = json.loads(command("gate", "a", "b", "--json", cwd=tmp_path).out)
    (rule,) = [one for one in found["rules"] if one["name"] == "over_refusal"]
    assert rule["status"] == status
