"""The demo set is honest: what it calls answerable is in the corpus, what it calls unanswerable is not."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from surefoot.core.types import Question
from surefoot.datasets import demo
from surefoot.text.normal import normalise

CORPUS = demo.corpus()
QUESTIONS = demo.questions()
BY_ID = {passage.id: passage for passage in CORPUS}
WITH_GOLD = [question for question in QUESTIONS if question.gold_ids]
WITHOUT_GOLD = [question for question in QUESTIONS if not question.gold_ids]
SMALL_WORDS = frozenset(("the", "a", "of", "for", "in", "at", "has", "is", "by", "to", "and"))

# By our own reading: words that an answer would need, and that stand nowhere in the documents concerned ("" is all).
ABSENT = [
    (
        "c025",
        "quillon-brenmark-dpa-2024",
        r"(?:authority|regulator)[^.]{0,80}\bhours|hours[^.]{0,80}(?:authority|regulator)",
    ),
    ("c026", "brenmark-freight-msa-2024", r"\binterest\b"),
    ("c027", "pellworth-hollin-lease-2023", r"(?:VAT|value added tax)[^.]{0,30}\d+(?:\.\d+)? ?(?:%|per cent)"),
    ("c028", "fernwick-ostrand-secondment-2025", r"annual leave|paid leave|holiday|vacation"),
    ("c029", "maristow-tanswick-consultancy-2025", r"(?:months|years?) after[^.]*compet|non-compet"),
    ("c030", "pellworth-hollin-lease-2023", r"\bdeposit\b|security deposit"),
    ("c031", "fernwick-larkspur-reseller-2024", r"liab"),
    ("c034", "arvenne-hollin-supply-2024", r"rebate (?:for|of) 2025|rebate credited"),
    ("c035", "fernwick-ostrand-secondment-2025", r"salary (?:of|is) (?:EUR|GBP|NOK)"),
    ("c038", "", r"\brival |competing ledger"),
    ("c039", "", r"escrow"),
    ("c040", "", r"arrangement fee (?:of|is) "),
    ("c041", "quillon-brenmark-dpa-2024", r"accredited|certificate issued by"),
    ("c042", "maristow-tanswick-consultancy-2025", r"underwrit|insurer\b"),
    ("c043", "maristow-caldervane-nda-2024", r"solicit|poach|recruit|\bhire"),
    ("c044", "brenmark-foods-msa-2023", r"\bexit\b|transition|migrat|help transfer"),
    ("c045", "arvenne-hollin-supply-2024", r"2027 \(EUR\)"),
    ("c046", "fernwick-ostrand-licence-2023", r"uptime|availability"),
    ("p019", "tarnholt-infosec", r"\bcharacters\b"),
    ("p020", "", r"\btips\b|gratuit"),
    ("p021", "tarnholt-", r"Data Commissioner[^.]*hours"),
    ("p022", "tarnholt-procurement", r"days (?:of|after) (?:receipt|receiving)|payment term"),
    ("p023", "tarnholt-remote", r"electricity|internet (?:costs|connection)"),
    ("p024", "tarnpay-aml", r"prison|imprison|sentence"),
    ("p025", "pellisande-prospectus-2024", r"\brat(?:ed|ings?)\b"),
    ("p029", "", r"second quarter of fiscal 2024 (?:was|were|amounted)"),
    ("p031", "", r"Varnhagen[^.]*(?:salary|earn|bonus)"),
    ("p033", "dravonne-coatings-annual-2023", r"auditor|audited by|audit firm"),
    ("p034", "", r"\bISIN\b"),
    ("p035", "tarnholt-", r"\+\d{2} ?\d|\b\d{3}[- ]\d{3}\b"),
    ("p036", "dravonne-coatings-annual-2023", r"backlog"),
    ("p037", "dravonne-controls", r"[Ff]iscal 2021"),
    ("p038", "", r"footage|CCTV|camera recording"),
    ("r019", "ov-budget-review-2024", r"(?:standard|VAT) rate"),
    ("r020", "ov-health-bulletin-2024q4", r"nursery|kept away|exclu|stay (?:at )?home"),
    ("r021", "tq-", r"settlement period|paid within|business days"),
    ("r022", "ov-rail-hollin-2024", r"blood|per mille|alcohol limit"),
    ("r023", "ov-labour", r"one hour|at least \w+ hours"),
    ("r024", "ov-audit-flood", r"return period|one-in-|1-in-|once in"),
    ("r027", "", r"overdue[^.]*31 December 2025"),
    ("r029", "", r"Ostley"),
    ("r030", "", r"euro area"),
    ("r031", "ov-inspect-larchmere-2024", r"EUR|ORK|monthly fee|per month"),
    ("r032", "ov-rail-hollin-2024", r"compensation"),
    ("r033", "ov-audit-flood", r"software|supplied by|vendor"),
    ("r034", "tq-northern-dividend", r"dilution"),
    ("r036", "", r"influenza|\bflu\b"),
]


def test_there_is_enough_of_it() -> None:
    assert len({passage.doc for passage in CORPUS}) >= 40
    assert len(CORPUS) >= 600
    assert len(BY_ID) == len(CORPUS)
    assert all(passage.text and passage.doc and passage.page for passage in CORPUS)


def test_strata_and_probes() -> None:
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    strata = Counter(question.stratum for question in QUESTIONS)
    assert strata == {"grounded": 100, "unanswerable": 10, "adversarial": 10, "retrieval_null": 10}
    probes = Counter(question.probes for question in QUESTIONS if question.stratum == "grounded")
    assert probes == {"plain": 40, "bait_wrong": 20, "bait_unsupported": 20, "refuse": 20}
    assert all((q.retrieval == "null") == (q.stratum == "retrieval_null") for q in QUESTIONS)
    assert all(q.answerable == (q.probes in ("plain", "bait_wrong")) for q in QUESTIONS)


def test_no_question_is_asked_twice() -> None:
    assert len({normalise(question.text) for question in QUESTIONS}) == len(QUESTIONS)


def test_exactly_the_answerable_ones_and_the_null_ones_have_gold() -> None:
    assert {q.id for q in WITH_GOLD} == {q.id for q in QUESTIONS if q.answerable or q.retrieval == "null"}
    assert all(not question.gold_claims and not question.metadata.get("key") for question in WITHOUT_GOLD)


@pytest.mark.parametrize("question", WITH_GOLD, ids=lambda question: question.id)
def test_gold_is_in_the_corpus(question: Question) -> None:
    assert set(question.gold_ids) <= BY_ID.keys()
    texts = [_folded(BY_ID[gold].text) for gold in question.gold_ids]
    assert question.gold_claims
    for claim in question.gold_claims:
        assert any(_folded(claim) in text or _put_into_words(claim, text) for text in texts), claim
    keys = question.metadata["key"]
    assert isinstance(keys, list) and keys
    for key in keys:
        assert any(_folded(key) in text for text in texts), key
        assert _folded(key) not in _folded(question.text), key


@pytest.mark.parametrize(("question_id", "document", "pattern"), ABSENT, ids=[row[0] for row in ABSENT])
def test_what_is_unanswerable_is_not_in_the_corpus(question_id: str, document: str, pattern: str) -> None:
    assert question_id in {question.id for question in WITHOUT_GOLD}
    concerned = [passage for passage in CORPUS if passage.id.startswith(document)]
    assert concerned
    assert [passage.id for passage in concerned if re.search(pattern, passage.text)] == []


def test_our_reading_covers_most_of_what_has_no_gold() -> None:
    assert len({row[0] for row in ABSENT}) >= 30


def _folded(text: str) -> str:
    return " ".join(text.split())


def _put_into_words(claim: str, passage: str) -> bool:
    """A table row put into words: every number and every content word of the claim is in the table."""
    if "|" not in passage:
        return False
    words = [word.lower() for word in re.findall(r"\w+(?:[.,]\w+)*", claim)]
    return all(word in passage.lower() or word in SMALL_WORDS for word in words)
