"""Questions that somebody writes: held against the documents, and added if these bear them out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import surefoot
from surefoot.errors import UsageError
from surefoot.text.normal import id_of_text

from ..in_process import surefoot as command
from .conftest import proposed, rows

ID = id_of_text("What colour is door 0?")
RED = "Door 0 of the mill was painted red in May."


def test_a_question_whose_passage_supports_its_claim_is_added(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    options = ["--question", "What colour  is door 0?", "--gold", "doors#0", "--claim", RED, "--name", "Ana"]
    done = command("questions", "add", path, "--corpus", corpus, *options)
    assert done.code == 0 and done.out == f"{path}: {ID} added\n"
    row = rows(path)[ID]
    assert (row["question"], row["answerable"], row["gold_ids"], row["gold_claims"], row["review"]) == (
        "What colour is door 0?", True, ["doors#0"], [RED], "accepted",
    )  # fmt: skip
    assert row["made"]["by"] == row["made"]["reviewed"]["by"] == "Ana" and "findings" not in row["made"]
    assert command("questions", "lock", path).code == 0
    again = command("questions", "add", path, "--corpus", corpus, *options)
    assert again.code == 2 and f"{ID!r} asks the same" in again.err


def test_a_claim_that_its_passage_does_not_bear_out_is_not_added(corpus: Path, built: Path) -> None:
    before = built.read_bytes()
    words = ["--question", "What is the roof made of?", "--gold", "doors#0", "--claim", "The roof is made of copper."]
    done = command("questions", "add", built, "--corpus", corpus, *words)
    assert done.code == 1 and "not added; --anyway" in done.out and "gold claim" in done.err
    assert built.read_bytes() == before
    told = command("questions", "add", built, "--corpus", corpus, *words, "--anyway", "--json")
    assert told.code == 0 and told.json["findings"]
    assert rows(built)[told.json["id"]]["made"]["findings"][0]["confidence"] >= 0.5
    assert built.read_bytes().startswith(before)


def test_an_unanswerable_question_that_a_passage_answers_is_not_added(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    found = surefoot.add_question(path, "What is the roof of the mill made of?", corpus=corpus, unanswerable=True)
    assert found.id is None and found.exit_code == 1 and not path.exists()
    assert [one.kind for one in found.findings] == ["answered"] and "roof#1" in found.findings[0].message
    null = surefoot.add_question(
        path, "What is the roof of the mill made of?", corpus=corpus, unanswerable=True, stratum="retrieval_null"
    )
    assert rows(path)[str(null.id)]["retrieval"] == "null"


@pytest.mark.parametrize(
    ("stratum", "filed"),
    [
        ("", ("unanswerable", "unanswerable", "normal")),
        ("adversarial", ("adversarial", "adversarial", "normal")),
        ("grounded", ("grounded", "refuse", "normal")),
        ("legal", ("legal", "unanswerable", "normal")),
        ("plain", ("plain", "unanswerable", "normal")),
    ],
)
def test_a_question_is_filed_in_the_words_of_the_protocol(
    stratum: str, filed: tuple[str, ...], corpus: Path, tmp_path: Path
) -> None:
    path = tmp_path / "own.jsonl"
    surefoot.add_question(path, "Who sings?", corpus=corpus, unanswerable=True, stratum=stratum, anyway=True)
    (row,) = rows(path).values()
    assert (row["stratum"], row["probes"], row["retrieval"]) == filed


def test_a_rejected_question_may_be_written_again(corpus: Path, built: Path) -> None:
    surefoot.review_questions(built, reject=["b0"])
    text = proposed(0)["question"]
    found = surefoot.add_question(built, text, corpus=corpus, gold=["doors#0"], claims=[RED], anyway=True)
    assert rows(built)[str(found.id)]["question"] == text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gold", "doors#9", "--claim", "x"], "has no passage 'doors#9'"),
        (["--gold", "doors#0"], "needs a gold claim"),
        (["--claim", "x"], "needs a gold passage"),
        ([], "either answerable or unanswerable"),
        (["--unanswerable", "--gold", "doors#0"], "either answerable or unanswerable"),
    ],
)
def test_half_a_question_is_a_sentence(options: list[str], words: str, corpus: Path, tmp_path: Path) -> None:
    done = command("questions", "add", tmp_path / "o.jsonl", "--corpus", corpus, "--question", "Why?", *options)
    assert done.code == 2 and words in done.err and "hint: " in done.err


def test_other_ways_to_say_too_little(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    assert command("questions", "add", path, "--corpus", corpus, "--gold", "doors#0").code == 2
    assert command("questions", "add", path, "--corpus", corpus, "--question", " ", "--unanswerable").code == 2
    assert command("questions", "add", path.with_suffix(".yaml"), "--corpus", corpus).code == 2
    with pytest.raises(UsageError, match="no folder"):
        surefoot.add_question(tmp_path / "no" / "o.jsonl", "Why?", corpus=corpus, unanswerable=True)


def test_somebody_at_the_terminal_is_asked(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    said = [
        "What colour is door 0?", "slate", "doors#0, doors#0", RED, "",  # other words first, then the passage
        "Who built the tower at sea?", "none",
        "What is the roof of the mill made of?", "none", "n",
        "What colour is door 0?", "1", RED, "",
        "Unfinished?",
    ]  # fmt: skip
    done = command("questions", "add", path, "--corpus", corpus, stdin="\n".join(said).encode())
    assert done.code == 0 and done.out == f"{path}: 2 questions added\n"
    assert "  1  roof#1  Roof\n     The roof of the mill is slate." in done.err
    assert "'roof#1' seems to answer it" in done.err and "Add it anyway?" in done.err
    assert f"{ID!r} asks the same" in done.err and "no passage was chosen" in done.err
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(row["gold_ids"], row["answerable"]) for row in found] == [(["doors#0"], True), ([], False)]
