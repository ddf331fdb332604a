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
from surefoot.graders.judges import Pair
from surefoot.graders.llm_prompts import Fence, Found, Prompting, findings_in, neutral, schema
from surefoot.graders.quotes import SHORTEST, objection, quoted_words, says_gold, why_void
from surefoot.models.replies import problem
from surefoot.models.seam import Reply

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
        ("Invoices are payable within 40 weeks of receipt.", "lacks 40"),
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
    prompt = prompting.prompt(item(gold=("EUR 5",)), ["The fee is EUR 5.\n2. It is free."])
    assert "cannot tell" in prompt.system and "{" not in prompt.system
    for axis in rubric.load().axes:
        assert axis.asks in prompt.system and all(meaning in prompt.system for meaning in axis.anchors.values())
    seen = Seen(prompt)
    assert (seen.question, seen.gold, seen.passages) == ("What is the fee?", "EUR 5", {"P1": "The fee is EUR 5."})
    assert seen.claims == {1: "The fee is EUR 5. 2. It is free."}


def test_braces_of_an_answer_fill_nothing_in() -> None:
    prompt = Prompting(rubric.load()).prompt(item("{passages} {claims} {system}"), ["{gold}"])
    assert Seen(prompt).answer == "{passages} {claims} {system}" and Seen(prompt).claims == {1: "{gold}"}


def test_the_version_changes_with_the_rubric_alone_and_with_the_prompt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Prompting(rubric.load()).version
    assert usual == Prompting(rubric.load()).version
    assert usual != Prompting(rubric.parse('name = "x"\n[[axis]]\nname = "a"\nasks = "b"', "x")).version
    monkeypatch.setattr("surefoot.graders.llm_prompts._TEMPLATES", ("grade", "grade"))
    assert usual != Prompting(rubric.load()).version


GOOD = findings([claim(1, "supported", evidence("P1", "The fee is EUR 5."))])


def test_a_reply_has_a_finding_on_every_claim_and_no_grade() -> None:
    found = findings_in(Reply(value=GOOD), 1)
    assert isinstance(found, Found) and found.claims[0].evidence[0].passage == "P1"
    assert not problem(GOOD, schema(1, 1)) and problem({**GOOD, "bucket": "correct"}, schema(1, 1))
    assert not problem({**GOOD, "claims": []}, schema(0, 0))
    assert problem(GOOD, schema(2, 1)) and problem(findings([claim(1, "supported", evidence("P2", "x"))]), schema(1, 1))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "not made of findings"),
        ("supported", "not made of findings"),
        ({"bucket": "correct"}, "not made of findings"),
        ({**GOOD, "refusal": "maybe"}, "not made of findings"),
        ({**GOOD, "claims": [claim(1, "probably")]}, "not made of findings"),
        ({**GOOD, "claims": []}, "each claim once"),
        ({**GOOD, "claims": [*GOOD["claims"], claim(1, "contradicted")]}, "each claim once"),
        ({**GOOD, "claims": [claim(2, "supported")]}, "each claim once"),
    ],
)
def test_a_reply_that_is_broken_says_how(value: Any, words: str) -> None:  # noqa: ANN401
    found = findings_in(Reply(value=value), 1)
    assert isinstance(found, str) and words in found


def test_no_reply_may_go_on_without_end() -> None:
    found = schema(2, 3)["properties"]["claims"]
    assert (found["maxItems"], found["items"]["properties"]["evidence"]["maxItems"]) == (2, 6)
