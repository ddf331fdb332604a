"""Questions that somebody writes: checked against the documents, and added if these support them."""

from __future__ import annotations

from pathlib import Path

import pytest

import surefoot
from surefoot.core.errors import UsageError
from surefoot.corpus.corpus import load_corpus
from surefoot.review.writing import Author, are_against, written_question

from .conftest import proposed, rows

RED = "Door 0 of the mill was painted red in May."


@pytest.fixture
def author(corpus: Path, built: Path) -> Author:
    return Author(built, load_corpus(corpus))


def test_a_question_whose_passage_supports_its_claim_is_added(author: Author, built: Path) -> None:
    question = written_question("What colour  is the first door of the mill?", ["doors#0"], [RED])
    findings = author.read(question)
    assert not are_against(findings)
    id_ = author.write(question, findings, by="Ana")
    added = rows(built)[id_]
    assert (added["question"], added["answerable"], added["gold_ids"], added["gold_claims"], added["review"]) == (
        "What colour is the first door of the mill?", True, ["doors#0"], [RED], "accepted",
    )  # fmt: skip
    assert added["made"]["by"] == added["made"]["reviewed"]["by"] == "Ana"
    with pytest.raises(UsageError, match="asks the same"):
        author.read(question)


def test_a_claim_that_its_passage_does_not_support_is_found_and_kept_with_the_question(
    author: Author, built: Path
) -> None:
    question = written_question("What is the roof made of?", ["doors#0"], ["The roof is made of copper."])
    findings = author.read(question)
    assert are_against(findings) and "gold claim" in findings[0].message
    id_ = author.write(question, findings, by="Ana")
    assert rows(built)[id_]["made"]["findings"][0]["confidence"] >= 0.5


def test_an_unanswerable_question_that_a_passage_answers_is_found(author: Author) -> None:
    question = written_question("What is the roof of the mill made of?")
    (found,) = author.read(question)
    assert found.kind == "answered" and "roof#1" in found.message
    assert (question.stratum, question.probes, question.retrieval) == ("unanswerable", "unanswerable", "normal")


def test_a_rejected_question_may_be_written_again(author: Author, built: Path) -> None:
    surefoot.review_questions(built, reject=["b0"])
    question = written_question(proposed(0)["question"], ["doors#0"], [RED])
    id_ = author.write(question, author.read(question), by="Ana")
    assert rows(built)[id_]["question"] == question.text


def test_half_a_question_is_refused(author: Author) -> None:
    for question, words in (
        (written_question(" "), "has no text"),
        (written_question("Why?", ["doors#9"], ["x"]), "has no passage"),
    ):
        with pytest.raises(UsageError, match=words):
            author.read(question)
