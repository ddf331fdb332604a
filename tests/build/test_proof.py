from __future__ import annotations

import pytest

from surefoot.build.proof import READ, Answering, Proof
from surefoot.core.types import Passage

LEASE = "Lease between Pellworth Estates and Hollin Ceramics"
LOAN = "Facility agreement between Tarnholm Bank and Veldin Foods"
CORPUS = [
    Passage("lease#1", "The rent is EUR 48,000 a year, payable in advance on the first day of each quarter.", LEASE),
    Passage("lease#2", "Hollin Ceramics shall keep the roof and the outer walls in repair.", LEASE),
    Passage("lease#3", "Either party may end this lease by giving six months' notice in writing.", LEASE),
    Passage("loan#1", "Tarnholm Bank lends Veldin Foods EUR 2,000,000, repayable on 30 June 2027.", LOAN),
    Passage("loan#2", "Interest is 4.5 % a year, payable at the end of each month.", LOAN),
]


@pytest.fixture(scope="module")
def proof() -> Proof:
    return Proof(CORPUS)


def ids(found: list[Answering]) -> list[str]:
    return [one.passage.id for one in found]


def test_the_passage_that_answers_comes_first_with_the_sentence_that_does(proof: Proof) -> None:
    found = proof.answered("How much notice must be given to end the lease with Hollin Ceramics?")
    assert ids(found)[0] == "lease#3" and "six months" in found[0].quote
    assert found[0].probability is not None and found[0].probability > 0.5


def test_nothing_answers_what_no_passage_speaks_of(proof: Proof) -> None:
    assert proof.answered("Who is the chief executive of Hollin Ceramics?") == []


def test_a_document_that_does_not_know_the_name_asked_about_does_not_answer(proof: Proof) -> None:
    """The loan's interest is no answer for the lease's tenant."""
    assert "loan#2" in ids(proof.answered("What interest does Veldin Foods pay?"))
    assert "loan#2" not in ids(proof.answered("What interest does Hollin Ceramics pay?"))


def test_a_name_that_no_document_knows_rules_none_out() -> None:
    proof = Proof(CORPUS)
    assert all(proof.is_about("What rent does the tenant of Gannet Quay pay?", passage) for passage in CORPUS)


def test_a_question_of_when_is_not_answered_where_no_time_stands(proof: Proof) -> None:
    assert "lease#2" not in ids(proof.answered("When does Hollin Ceramics repair the roof?"))


def test_what_cannot_be_read_is_shown_with_the_reason() -> None:
    russian = Passage("ru", "Договор может быть расторгнут любой стороной с уведомлением за шесть месяцев.")
    found = Proof([russian]).answered("How long is the notice?")
    assert ids(found) == ["ru"] and found[0].probability is None and found[0].reason


def test_the_same_question_has_the_same_answer(proof: Proof) -> None:
    question = "When must the loan be repaid?"
    assert proof.answered(question) == Proof(CORPUS).answered(question) != []


def test_a_small_corpus_is_read_whole_and_a_large_one_by_the_words_it_shares() -> None:
    assert len(Proof(CORPUS).nearest("nothing in common", READ)) == len(CORPUS)
    assert [passage.id for passage in Proof(CORPUS).nearest("the roof", 1)] == ["lease#2"]


@pytest.mark.parametrize("limit", range(1, len(CORPUS) + 2))
def test_no_more_passages_are_near_than_asked_for(limit: int, proof: Proof) -> None:
    near = [passage.id for passage in proof.nearest("the rent, the roof and the loan", limit)]
    assert len(near) == len(set(near)) <= limit


def test_claims_are_supported_contradicted_or_neither(proof: Proof) -> None:
    claims = ("The yearly rent amounts to EUR 48,000.", "The rent is EUR 52,000 a year.", "The roof is green.")
    found = [proof.read(claim, CORPUS[:1])[0].label for claim in claims]
    assert found == ["supported", "contradicted", "not_enough"]


def test_an_empty_corpus_answers_nothing() -> None:
    assert Proof([]).answered("Who?") == []


def test_a_passage_is_looked_at_sentence_by_sentence() -> None:
    text = "Hollin Ceramics shall keep the roof in repair. Either party may end the lease by giving six months' notice."
    proof, question = Proof([Passage("p", text, LEASE)]), "How much notice must be given to end the lease?"
    found = proof.answered(question)[0]
    assert proof.looked_at(question, found).quote == "Either party may end the lease by giving six months' notice."
    whole, sentence = found.probability, proof.looked_at(question, found).probability
    assert whole is not None and sentence is not None and 0 <= sentence <= 1
