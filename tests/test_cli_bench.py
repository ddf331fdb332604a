"""surefoot bench: a public dataset becomes a corpus and questions, and pipelines are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import surefoot
from surefoot.corpus.corpus import load_rows
from surefoot.io.questions import load
from surefoot.types import Ask, Passage, Retrieved, Trace

from .datasets import published_files as made
from .datasets.test_published import MADE
from .in_process import surefoot as command

REFUSES = """cmd:while read -r line; do echo '{"answer": "The documents do not say."}'; done"""


def test_the_list_says_where_to_get_each() -> None:
    done = command("bench")
    for one in surefoot.public_datasets():
        assert f"{one.name} " in done.out
        assert one.url in done.out
    assert len(command("bench", "--json").json) == 6


def test_nothing_is_downloaded() -> None:
    done = command("bench", "contract-nli")
    assert done.code == 2
    assert "https://stanfordnlp.github.io/contract-nli/" in done.err
    for data in ([], ["--data", "x"]):
        assert "choose one of contract-nli, cuad" in command("bench", "nothing", *data).err


@pytest.mark.parametrize("name", MADE)
def test_each_becomes_a_corpus_and_questions_with_gold(name: str, tmp_path: Path) -> None:
    made_of = surefoot.bench(name, data=MADE[name](tmp_path), out=tmp_path / "out", size=20)
    rows = {row.id: row for row in load_rows(made_of.corpus)}
    questions = load(made_of.questions)
    assert not questions.problems
    assert len(rows) == made_of.passages
    assert {question.expects for question in questions.questions} == {"answer", "refusal"}
    assert sum(made_of.asked.values()) == len(questions.questions)
    for question in questions.questions:
        assert set(question.gold_ids) <= set(rows)
        assert not question.answerable or question.gold_ids


def test_gold_is_the_passage_with_the_evidence(tmp_path: Path) -> None:
    found = surefoot.bench("contract-nli", data=made.contract_nli(tmp_path / "c.zip"), out=tmp_path / "out", size=13)
    rows = {row.id: row.text for row in load_rows(found.corpus)}
    for question in load(found.questions).questions:
        clause = made.CLAUSES.get(question.id.partition("-")[2])
        if question.answerable and clause:
            assert all(clause in rows[gold] for gold in question.gold_ids)
            assert clause in question.gold_claims
    checked = surefoot.check_questions(found.questions, corpus=found.corpus)
    assert not checked.errors


def test_pipelines_are_asked_and_graded(tmp_path: Path) -> None:
    data, out = made.contract_nli(tmp_path / "c.zip"), tmp_path / "out"
    arguments = ("bench", "contract-nli", "--data", data, "--out", out, "--size", "13", "-p", REFUSES)
    done = command(*arguments)
    assert done.code == 0, done.err
    assert "13 questions" in done.out
    row = done.out.splitlines()[-1].split()
    assert row[-7:] == ["0", "0", "0", "13", "0", "6", "0"]
    assert "calibration: contracts of train.json and dev.json trained the bundled grader" in done.err
    assert "nobody has labelled" in done.err
    again = command(*arguments, "--json").json
    assert again["runs"][0]["buckets"] == {"correct": 0, "wrong": 0, "unsupported": 0, "refused": 13}
    other = command(*arguments, "--seed", "1")
    assert (other.code, "another --out" in other.err) == (2, True)


def test_a_function_is_a_pipeline(tmp_path: Path) -> None:
    def quote(ask: Ask) -> Trace:
        passage = Passage("p", "The lighthouse of Orrin was built in 1843.")
        return Trace(ask.id, answer=f"{passage.text[:-1]} [p].", retrieved=Retrieved([passage]))

    found = surefoot.bench("squad", data=made.squad(tmp_path / "d.json"), out=tmp_path / "o", pipelines=[quote])
    assert found.table()[0]["answered_unanswerable"] == 1
    assert ": 2 of 130 in all" in found.notes[0]


def test_files_of_others_are_not_replaced(tmp_path: Path) -> None:
    data, mine = made.squad(tmp_path / "d.json"), tmp_path / "questions.jsonl"
    mine.write_text("mine\n")
    done = command("bench", "squad", "--data", data, "--out", tmp_path)
    assert (done.code, "another --out" in done.err) == (2, True)
    assert f"{mine} is there already" in done.err
    assert mine.read_text() == "mine\n" and not (tmp_path / "corpus.jsonl").exists()
