from __future__ import annotations

import pytest

from surefoot.graders.judging import Pair
from surefoot.graders.verbatim import Verbatim
from surefoot.text.normal import spoken


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The total cost is 12.5 million euros per year.", "5 million euros per year"),
        ("x.The total cost of the works.y", "The total cost of the works"),
        ("It is not true that the fee for the licence is due.", "the fee for the licence is due"),
        ("Rechnungen sind nach dem Erhalt sofort zu bezahlen.", "Rechnungen sind nach dem Erhalt sofort zu bezahlen."),
    ],
)
def test_only_a_whole_readable_sentence_counts(passage: str, claim: str) -> None:
    assert Verbatim().judge([Pair(passage, claim)])[0].label is None


def test_many_near_hits_cost_no_more_than_reading() -> None:
    passage = "the cat sat on the mat and " * 40_000
    assert Verbatim().judge([Pair(passage, "the cat sat on the mat")])[0].label is None


def test_signs_that_turn_a_sentence_round_are_spoken() -> None:
    assert "at most" in spoken("≤ 5 mg") and "at least" in spoken("≥ 5 mg") and spoken("5 mg") == "5 mg"
