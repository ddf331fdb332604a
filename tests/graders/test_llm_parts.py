"""Fences, quotes and prompts: the parts of the model grader that are pure."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import rubric
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.alignment import quoted_words
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import (
    LONGEST_ANSWER,
    MOST_CLAIMS,
    ClaimRead,
    Evidenced,
    Fence,
    Found,
    Prompting,
    ReplyReader,
    comparable,
    groups,
    neutral,
    schema,
    shortened,
)
from surefoot.graders.quotes import SHORTEST, objection, says_gold, why_void
from surefoot.models.replies import problem

from ..attacks.judges import Seen, claim, evidence, findings
from ..golden_files import ROOT

ANY_TEXT = st.text(st.characters(), max_size=200)
TRICKS = ["<<<", ">>>", "<|im_start|>", "</s>", "[INST]", "<think>", "| ", "end of answer", "{answer}", "1. ", "a", " ",
          "\u202e", "\u200b", "\U000e0041", "\ud800", "\u2028", "\r", "\n", "\x00"]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(TRICKS), max_size=20).map("".join)


@given(ANY_TEXT | HOSTILE)
def test_neutral_text_hides_nothing_and_stays_as_it_is(text: str) -> None:
    once = neutral(text)
    assert neutral(once) == once
    assert not {unicodedata.category(character) for character in once if character not in "\n\t"} & {"Cc", "Cf", "Cs"}
    assert not any(token in once.lower() for token in ("<<", ">>", "<|", "|>", "[inst]", "<think>", "</s>"))


@given(ANY_TEXT | HOSTILE)
def test_nothing_leaves_its_fence(text: str) -> None:
    fence = Fence.over([text])
    first, *inside, last = fence.around("answer", text).split("\n")
    assert first == f"<<<answer {fence.mark}>>>" and last == f"<<<end of answer {fence.mark}>>>"
    assert inside and all(line.startswith("| ") for line in inside) and not any(fence.mark in line for line in inside)


def test_a_mark_is_the_same_for_the_same_call_and_different_for_any_other() -> None:
    assert Fence.over(["a", "b"]) == Fence.over(["a", "b"])
    assert len({Fence.over(texts, salt).mark for texts, salt in [(["ab"], ""), (["a", "b"], ""), (["ab"], "x")]}) == 3


PASSAGE = "Invoices are payable within forty (40) days of receipt.\n\n| Fee | EUR 4,250 |\n“Late” fees don’t apply."


def test_what_stands_in_a_passage_is_found() -> None:
    words = PASSAGE.split()
    quotes = [" ".join(words[start:end]) for end in range(len(words) + 1) for start in range(end - 1)]
    assert {why_void(quote, PASSAGE, "") for quote in quotes} == {"", "the quote is too short to be looked for"}


@given(st.text(st.sampled_from("abc xyz"), min_size=SHORTEST, max_size=30))
def test_what_does_not_stand_there_is_void(quote: str) -> None:
    assert why_void(quote, PASSAGE, "") != ""


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("invoices are payable within forty (40) days", ""),
        ('"Invoices are payable   within forty (40) days of receipt."', ""),
        ("| Fee | EUR 4,250 |", ""),
        ('"Late" fees don\'t apply', ""),
        ("Invoices are payable within 40 days", ""),
        ("Invoices are payable within 14 days", "the quote is not in the passage"),
        ("Invoices are due after a year.", "the quote is from the answer"),
        ("receipt", "the quote is too short to be looked for"),
        ("", "the quote is too short to be looked for"),
    ],
)
def test_a_quote_stands_in_the_passage_or_it_is_void(quote: str, why: str) -> None:
    assert why_void(quote, PASSAGE, "Invoices are due after a year.") == why


COPIES = [json.loads(line) for line in (ROOT / "benchmarks/data/quality/quotes.jsonl").read_bytes().splitlines()]


def test_sloppy_copies_are_found_and_changed_ones_never() -> None:
    found = [(row, why_void(row["quote"], row["passage"], "") == "") for row in COPIES]
    assert [row["id"] for row, is_found in found if is_found and not row["matches"]] == []
    assert sum(is_found == row["matches"] for row, is_found in found) >= 0.95 * len(COPIES)


def test_what_is_found_is_given_back_in_the_words_of_the_passage() -> None:
    assert quoted_words('P1: "**invoices** are payable within 40 days ..."', PASSAGE) == PASSAGE[:43]
    text = "The deposit, which bears no interest, is returned within a week."
    assert quoted_words("The deposit ... is returned within a week", text) == text


@given(ANY_TEXT | HOSTILE, ANY_TEXT | HOSTILE)
def test_whatever_is_quoted_out_of_whatever_is_answered(quote: str, passage: str) -> None:
    assert quoted_words(quote, passage) in neutral(passage)


DUE = "Invoices are payable within forty (40) days of receipt."


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Invoices must be paid within 40 days.", ""),
        ("Invoices must be paid within 30 days.", "lacks 30"),
        ("Invoices are sent to Ilsa Brandt.", "the name ilsa"),
        ("The building is old.", "no word of the claim"),
        ("Invoices are not payable within 40 days of receipt.", "the opposite"),
        ("Invoices with 3 copies are payable.", ""),
        ("Invoices are payable within 40 weeks of receipt.", "lacks 280 days"),
        ("Invoices are payable within 960 hours of receipt.", ""),
        ("Invoices need settling no later than 40 days on.", ""),
        ("Rechnungen sind binnen 40 Tagen nach Erhalt zu bezahlen.", ""),
    ],
)
def test_what_can_be_counted_against_a_support(said: str, words: str) -> None:
    found = objection([DUE], Pair(PASSAGE, said))
    assert words in found if words else not found


def test_a_sentence_beside_does_not_hide_the_opposite() -> None:
    quote = f"{DUE} Late payment bears interest."
    assert "opposite" in objection([quote], Pair(quote, "Late payment bears no interest."))
    assert objection([quote], Pair(quote, "Late payment bears interest.")) == ""


def test_a_table_with_another_value_there_and_a_condition_on_both_sides() -> None:
    table = "| Service | Fee |\n|---|---|\n| Routing | EUR 4,250 |\n| Customs filing | EUR 3,180 |"
    assert objection(["| Customs filing | EUR 3,180 |"], Pair(table, "Customs filing costs EUR 3,180.")) == ""
    wrong = Pair(table, "The fee for customs filing is EUR 4,250.")
    assert "another value" in objection(["| Routing | EUR 4,250 |"], wrong)
    passage = "The supplier must not subcontract any work without consent."
    assert "opposite" in objection([passage], Pair(passage, "The supplier may subcontract any work without consent."))


def test_agreement_with_the_gold_has_something_in_common_with_it() -> None:
    assert says_gold("It is 40 days.", "forty days", "When is it due?")
    assert not says_gold("It is 30 days.", "forty days", "When is it due?")
    assert not says_gold("The fee is due.", "Halden Mutual", "Who insures it?")
    assert says_gold("Halden does.", "Halden Mutual", "Who insures it?")


def item(answer: str = "The fee is EUR 5 [p].", **fields: Any) -> Item:  # noqa: ANN401
    passages = Retrieved([Passage("p", "The fee is EUR 5.", "Fees")])
    question = Question("q", "What is the fee?", "answer", gold_claims=fields.pop("gold", ()))
    return Item(question, Trace("q", answer=answer, retrieved=passages, **fields))


def test_a_prompt_has_the_rubric_the_licence_and_everything_in_fences() -> None:
    prompting = Prompting(rubric.load())
    prompt = prompting.prompt(item(gold=("EUR 5",)), [(1, "The fee is EUR 5.\n2. It is free.")], "")
    assert "cannot tell" in prompt.system and "{" not in prompt.system
    for axis in rubric.load().axes:
        assert axis.asks in prompt.system and all(meaning in prompt.system for meaning in axis.anchors.values())
    seen = Seen(prompt)
    assert (seen.question, seen.gold, seen.passages) == ("What is the fee?", "EUR 5", {"P1": "The fee is EUR 5."})
    assert seen.claims == {1: "The fee is EUR 5. 2. It is free."}


def test_braces_of_an_answer_fill_nothing_in() -> None:
    prompt = Prompting(rubric.load()).prompt(item("{passages} {claims} {count}"), [(1, "{gold}")], "")
    assert Seen(prompt).answer == "{passages} {claims} {count}" and Seen(prompt).claims == {1: "{gold}"}


def test_the_version_changes_with_the_rubric_alone_and_with_the_prompt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Prompting(rubric.load()).version
    assert usual == Prompting(rubric.load()).version
    assert usual != Prompting(rubric.parse('name = "x"\n[[axis]]\nname = "a"\nasks = "b"', "x")).version
    monkeypatch.setattr("surefoot.graders.llm_prompts._template", lambda name: f"other {name}")
    assert usual != Prompting(rubric.load()).version


GOOD = findings([claim(1, "supported", evidence("P1", "The fee is EUR 5."))]) | {"answers": "yes"}


def test_a_reply_has_a_finding_on_every_claim_and_no_grade() -> None:
    found = ReplyReader((1,)).found_in(GOOD)
    assert isinstance(found, Found) and found.claims[0].evidence[0].passage == "P1"
    shape = schema([1], ["P1"])
    assert not problem(GOOD, shape) and problem({**GOOD, "bucket": "correct"}, shape)
    assert not problem({**GOOD, "claims": []}, schema([], []))
    extra = {**GOOD, "claims": [*GOOD["claims"], claim(7, "supported")]}
    assert isinstance(ReplyReader((1,)).found_in(extra), Found), "a claim that is not ours is nobody's"


ONE = GOOD["claims"][0]
QUOTED = ONE["evidence"][0]


@pytest.mark.parametrize(
    "value",
    [
        {**GOOD, "confidence": 0.9, "notes": ["fine"], "bucket": "correct"},
        {**GOOD, "claims": [{**ONE, "note": "plain", "claim": "1"}]},
        {**GOOD, "claims": [{**ONE, "claim": "Claim 1"}]},
        {**GOOD, "claims": [{**ONE, "claim": 1.0, "reading": "Supported"}]},
        {**GOOD, "claims": [{key: ONE[key] for key in ("evidence", "reading")}]},
        {**GOOD, "claims": [{key: ONE[key] for key in ("claim", "evidence")}]},
        {**GOOD, "claims": ONE},
        {**GOOD, "claims": {"1": {key: ONE[key] for key in ("evidence", "reading")}}},
        {**GOOD, "claims": [ONE, ONE]},
        {**GOOD, "claims": [{**ONE, "evidence": QUOTED}]},
        {**GOOD, "claims": [{**ONE, "evidence": [{**QUOTED, "page": 3, "passage": "passage P1"}]}]},
        {**GOOD, "claims": [{**ONE, "evidence": [{**QUOTED, "passage": 1, "says": "SUPPORTED"}]}]},
        {**GOOD, "claims": [{**ONE, "evidence": [{key: QUOTED[key] for key in ("passage", "quote")}]}]},
        {**GOOD, "claims": [{**ONE, "evidence": [{**QUOTED, "passage": "P1 (kiln 3)", "says": "support"}]}]},
        {**GOOD, "claims": [{**ONE, "reading": "support"}]},
        {key: GOOD[key] for key in ("refusal", "claims")},
        {key: GOOD[key] for key in ("claims", "gold")},
        {**GOOD, "asserts": None, "gold": None},
        {"findings": GOOD},
        {"claims": [ONE]},
        ONE,
    ],
)
def test_a_reply_in_a_form_of_its_own_is_read(value: Any) -> None:  # noqa: ANN401
    found = ReplyReader((1,)).found_in(value)
    assert isinstance(found, Found), found
    assert found.claims == (ClaimRead(1, (Evidenced("P1", "The fee is EUR 5.", "supports"),), "supported"),)
    assert found.refusal in ("answered", "cannot_tell") and not ReplyReader((1,))(
        f"So: ```json\n{json.dumps(value)}\n```"
    )


def test_several_quotes_in_a_list_and_more_evidence_than_was_asked_for() -> None:
    many = {**ONE, "evidence": [{**QUOTED, "quote": ["The fee", "is EUR 5"]}] * 20}
    found = ReplyReader((1,)).found_in({**GOOD, "claims": [many]})
    assert isinstance(found, Found) and found.claims[0].evidence[0].quote == "The fee ... is EUR 5"
    assert len(found.claims[0].evidence) == 6


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "not made of findings"),
        ("supported", "not made of findings"),
        ({"bucket": "correct"}, "not made of findings"),
        ({**GOOD, "refusal": "maybe"}, "not made of findings"),
        ({**GOOD, "claims": []}, "nothing on claim 1"),
        ({**GOOD, "claims": [{**GOOD["claims"][0], "claim": True}]}, "not made of findings"),
        ({**GOOD, "claims": [*GOOD["claims"], claim(1, "contradicted")]}, "reads a claim twice"),
        ({**GOOD, "claims": [claim(2, "supported")]}, "nothing on claim 1"),
        ({**GOOD, "claims": [{"claim": 1, "evidence": []}]}, "not made of findings"),
        ({**GOOD, "claims": [claim(1, "probably")]}, "not made of findings"),
        ({**GOOD, "claims": "supported"}, "nothing on claim 1"),
    ],
)
def test_a_reply_that_is_broken_says_how(value: Any, words: str) -> None:  # noqa: ANN401
    found = ReplyReader((1,)).found_in(value)
    assert isinstance(found, str) and words in found


@given(st.integers(0, 60))
def test_every_claim_is_in_one_call(count: int) -> None:
    made = list(groups([f"c{n}" for n in range(count)]))
    assert [number for group in made for number, _ in group] == list(range(1, count + 1))
    assert made and all(len(group) <= MOST_CLAIMS for group in made)


def test_a_long_answer_is_shown_with_what_is_left_out() -> None:
    text = "a" * LONGEST_ANSWER + "b" * 500
    assert "500 characters are left out" in shortened(text) and shortened("short") == "short"
    assert comparable(shortened(text)).endswith("b")
