"""`questions check` where it reads: the set against its corpus, its questions against each other."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Write
from .in_process import surefoot

LEASE = "Lease between Pellworth Estates and Hollin Ceramics"
LOAN = "Facility agreement between Tarnholm Bank and Veldin Foods"
PASSAGES = [
    {"id": "lease#1", "text": "The rent is EUR 48,000 a year, payable in advance on the first of each quarter.",
     "doc": LEASE},
    {"id": "lease#2", "text": "Hollin Ceramics shall keep the roof and the outer walls in repair.", "doc": LEASE},
    {"id": "lease#3", "text": "Either party may end this lease by giving six months' notice in writing.", "doc": LEASE},
    {"id": "loan#1", "text": "Tarnholm Bank lends Veldin Foods EUR 2,000,000, repayable on 30 June 2027.", "doc": LOAN},
]  # fmt: skip
RENT = {"qid": "rent", "q": "What rent does Hollin Ceramics pay a year?", "answerable": True, "gold_ids": ["lease#1"],
        "gold_claim": "The rent is EUR 48,000 a year."}  # fmt: skip
NOBODY = {"qid": "head", "q": "Who is the chief executive of Hollin Ceramics?", "answerable": False}
READING = {"gold_unsupported", "gold_contradicted", "gold_not_answering", "other_document", "answered", "duplicate"}


def findings(write: Write, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By question and kind: what reading found."""
    corpus, path = write("corpus.jsonl", PASSAGES), write("q.jsonl", rows)
    found = surefoot("questions", "check", path, "--corpus", corpus, "--json").json["findings"]
    return {f"{one['qid']} {one['kind']}": one for one in found if one["kind"] in READING}


def test_nothing_is_found_in_sound_questions(write: Write) -> None:
    assert findings(write, [RENT, NOBODY]) == {}


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        ({"gold_claim": "The rent is EUR 52,000 a year."}, "gold_contradicted"),
        ({"gold_claim": "The lease may be ended by giving six months' notice in writing."}, "gold_unsupported"),
        ({"gold_ids": ["loan#1"]}, "other_document"),
        ({"gold_ids": ["lease#2"], "gold_claim": "Hollin keeps the roof in repair."}, "gold_not_answering"),
        ({"answerable": False, "gold_ids": [], "gold_claim": None}, "answered"),
    ],
)
def test_damage_is_found(damage: dict[str, object], kind: str, write: Write) -> None:
    found = findings(write, [RENT | damage, NOBODY])
    assert 0.5 <= found[f"rent {kind}"]["confidence"] < 1


def test_a_claim_in_the_wrong_place_names_the_passage_that_has_it(write: Write) -> None:
    found = findings(write, [RENT | {"gold_ids": ["lease#2"]}, NOBODY])
    assert "'lease#1' supports it: The rent is EUR 48,000" in found["rent gold_unsupported"]["message"]


def test_an_unanswerable_question_shows_the_passage_that_answers_it(write: Write) -> None:
    asked = {"qid": "notice", "q": "How much notice ends the lease with Hollin Ceramics?", "answerable": False}
    assert "'lease#3' seems to answer it: Either party" in findings(write, [RENT, asked])["notice answered"]["message"]


def test_an_empty_retrieval_needs_no_unanswerable_question(write: Write) -> None:
    asked = RENT | {"answerable": False, "retrieval": "null"}
    assert findings(write, [RENT | {"qid": "other", "q": "And the yearly rent?"}, asked]) == {}


def test_a_question_in_other_words_is_a_duplicate_and_one_about_another_year_is_not(write: Write) -> None:
    texts = ["Which yearly rent does Hollin Ceramics pay for 2024?",
             "For 2024, what is the yearly rent Hollin Ceramics pays?",
             "Which yearly rent does Hollin Ceramics pay for 2025?"]  # fmt: skip
    rows = [{"qid": f"q{place}", "q": text, "answerable": False} for place, text in enumerate(texts)]
    path = write("q.jsonl", [*rows, RENT | {"q": "When is it due?"}])
    found = surefoot("questions", "check", path, "--json").json["findings"]
    assert [one["qid"] for one in found if one["kind"] == "duplicate"] == ["q1"]


def test_questions_about_one_document_are_no_duplicates_for_its_long_name(write: Write) -> None:
    name = "the facility agreement between Tarnholm Bank and Veldin Foods Trading"
    texts = [f"How many days' notice does it take to terminate {name}?", f"Which law governs {name}?",
             f"What rate of interest is due on late payments under {name}?"]  # fmt: skip
    path = write("q.jsonl", [{"qid": text[:9], "q": text, "answerable": False} for text in texts] + [RENT])
    found = surefoot("questions", "check", path, "--json").json["findings"]
    assert not [one for one in found if one["kind"] == "duplicate"]


def test_leaks_of_ids_and_into_the_prompt(write: Write, tmp_path: Any) -> None:  # noqa: ANN401
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Answer from the passages. For example: The rent is EUR 48,000 a year.", encoding="utf-8")
    path = write("q.jsonl", [RENT | {"q": "What does lease#1 say about rent?"}, NOBODY])
    found = surefoot("questions", "check", path, "--prompt", prompt, "--json").json["findings"]
    assert [one["message"] for one in found if one["kind"] == "leak"] == [
        "question 'rent' names its gold id 'lease#1'", "the prompt has the gold claim of question 'rent'",
    ]  # fmt: skip


def test_a_figure_with_another_unit_is_no_leak(write: Write) -> None:
    asked = RENT | {"q": "How many tablets does a 45 kg dog get at 4 mg/kg?", "gold_claims": ["4 tablets"]}
    told = asked | {"qid": "told", "q": "Why does a dog get 4 tablets?"}
    found = surefoot("questions", "check", write("q.jsonl", [asked, told, NOBODY]), "--json").json["findings"]
    assert [one["qid"] for one in found if one["kind"] == "leak"] == ["told"]


def test_a_set_of_easy_questions_is_told_what_it_cannot_show(write: Write) -> None:
    easy = [RENT | {"qid": f"q{number}", "q": f"What is the rent of unit {number}?"} for number in range(126)]
    hard = [{"qid": f"u{number}", "q": f"Who owns unit {number}?", "answerable": False} for number in range(4)]
    found = surefoot("questions", "check", write("q.jsonl", [*easy, *hard]), "--json").json["findings"]
    told = [one["message"] for one in found if one["kind"] == "mix"]
    assert len(told) == 1 and "so it hardly shows whether" in told[0] and "bait_wrong, " in told[0]
    assert "whether the pipeline makes things up" in told[0]


def test_strict_fails_for_what_else_is_a_warning(write: Write) -> None:
    corpus, path = write("corpus.jsonl", PASSAGES), write("q.jsonl", [RENT | {"gold_ids": ["lease#2"]}, NOBODY])
    loose = surefoot("questions", "check", path, "--corpus", corpus)
    assert loose.code == 0 and "warning:" in loose.err and "% sure)" in loose.err
    assert surefoot("questions", "check", path, "--corpus", corpus, "--strict").code == 1


def test_a_corpus_of_ids_alone_is_not_read_and_says_so(write: Write) -> None:
    corpus = write("ids.jsonl", [{"id": "lease#1"}])
    found = surefoot("questions", "check", write("q.jsonl", [RENT, NOBODY]), "--corpus", corpus, "--json")
    assert found.code == 0 and "not_read" in [one["kind"] for one in found.json["findings"]]


def test_a_document_in_another_language_is_named_once(write: Write) -> None:
    german = "Die Beschäftigten erhalten für jedes volle Jahr dreißig Tage Urlaub, der nicht übertragen werden kann."
    corpus = write("corpus.jsonl", [{"id": "urlaub#1", "text": german}])
    asked = [{"qid": f"u{n}", "q": f"How much is the fee in year {n}?", "answerable": False} for n in range(3)]
    found = surefoot("questions", "check", write("q.jsonl", asked), "--corpus", corpus, "--json").json["findings"]
    (told,) = [one["message"] for one in found if one["kind"] == "not_read"]
    assert "'urlaub' was not read for it, nor for others" in told
