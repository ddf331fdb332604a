"""The parts of which pages are drawn, and the words that are marked in them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.table import TABLE as DECISIONS
from surefoot.core.types import Evidence, Passage, Question, Retrieved, Trace, Verdict, in_plain_words
from surefoot.gate.sides import Said
from surefoot.report.blocks import TERMS, Paragraph, Quote, spans
from surefoot.report.html import quoted
from surefoot.report.run import answer, excerpt


def pieces(quote: Quote) -> tuple[str, str, str]:
    return quote.text[: quote.start], quote.text[quote.start : quote.end], quote.text[quote.end :]


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n  "])
def test_a_quote_is_marked_in_its_passage_whatever_its_line_breaks(gap: str) -> None:
    passage = f"{'before ' * 2_000}The rent{gap}is EUR 900.{' after' * 2_000}"
    shown = excerpt(passage, "The rent is EUR 900.", "contradicted")
    before, marked, after = pieces(shown)
    assert marked == f"The rent{gap}is EUR 900." and shown.style == "contradicted"
    assert before.startswith("... ") and after.endswith("\n...") and len(shown.text) < 2_100


@pytest.mark.parametrize("reason", ["correct", "conflicts_gold"])
def test_support_of_an_answer_that_is_wrong_all_the_same_is_no_praise(reason: str) -> None:
    question = Question("q", "How much for 30 kg?", "answer", gold_claims=("1 1/2 tablets",))
    bucket, row = "correct" if reason == "correct" else "wrong", "| 25.1 - 37.5 | 1 1/2 | 3 |"
    claim = Evidence("A dog of 30 kg gets 3 tablets.", "a", row, "supported")
    verdict = Verdict("q", "factuality", bucket, "g", reason=reason, evidence=(claim,))
    table = f"Dosage\n| kg | 2 mg/kg | 4 mg/kg |\n| --- | --- | --- |\n{row}"
    trace = Trace("q", answer=f"{claim.claim} [a]", retrieved=Retrieved([Passage("a", table)]))
    blocks = list(answer(Said("q", 1, "", {"factuality": verdict}, {"factuality": verdict}, trace), question))
    shown = next(one for one in blocks[1:] if isinstance(one, Quote) and one.text == table)
    assert pieces(shown)[1] == row and quoted(shown).count("<mark") == 3
    styles = {span.style for one in blocks if isinstance(one, Paragraph) for span in spans(one.line)} | {shown.style}
    told = spans(blocks[0].line)[-1].text  # type: ignore[union-attr]
    assert ("supported" in styles) == (reason == "correct")
    assert told.endswith("disagrees with the expected answer: 1 1/2 tablets") == (reason == "conflicts_gold")


def test_the_cited_passage_comes_first() -> None:
    evidence = (Evidence("It is.", "b", "It is so.", "supported"), Evidence("It was.", "a", "It was.", "supported"))
    verdict = Verdict("q", "factuality", "unsupported", "g", reason="miscited", evidence=evidence)
    passages = [Passage("a", "It was."), Passage("b", "It is so."), Passage("c", "It never was.")]
    trace = Trace("q", answer="It is [c]. It was [a].", retrieved=Retrieved(passages))
    blocks = list(answer(Said("q", 1, "", {"factuality": verdict}, {"factuality": verdict}, trace), None))
    assert [one.text for one in blocks[1:] if isinstance(one, Quote)][1:] == ["It never was.", "It was.", "It is so."]


def test_an_excerpt_of_a_table_keeps_its_head() -> None:
    rows = "\n".join(f"| Product {n} | {n}.00 |" for n in range(200))
    shown = excerpt(f"Prices\n| what | EUR |\n| --- | --- |\n{rows}", "| Product 150 | 150.00 |", "read")
    assert shown.text.startswith("| what | EUR |\n| --- | --- |\n| Product 1") and shown.text.endswith(" |\n...")
    assert len(shown.text) < 900 and quoted(shown).count("<mark") == 2 and quoted(shown).count("<th ") == 2


def test_a_quote_that_is_nowhere_stands_alone() -> None:
    shown = excerpt("The fee is EUR 5.", "The rent is EUR 900.", "supported")
    assert pieces(shown) == ("", "", "The rent is EUR 900.")
    assert excerpt("The fee is EUR 5.", "", "supported").text == "The fee is EUR 5."


@given(st.text(max_size=400), st.text(max_size=40), st.text(max_size=400))
def test_an_excerpt_marks_the_quote_and_changes_nothing(before: str, quote: str, after: str) -> None:
    shown = excerpt(before + quote + after, quote, "supported")
    assert "".join(pieces(shown)) == shown.text
    if quote.split():
        assert pieces(shown)[1].split() == quote.split()
        assert pieces(shown)[1] in before + quote + after


def test_every_reason_has_plain_words() -> None:
    for row in DECISIONS:
        assert in_plain_words(row.reason) != row.reason and "_" not in in_plain_words(row.reason)
    assert in_plain_words("contradicted, partial refusal") == "a passage says something else, and declines in part"
    assert in_plain_words("seen by Ann") == "seen by Ann"
    assert all(re.fullmatch(r"[A-Z].*\.", meaning) for meaning in TERMS.values())
