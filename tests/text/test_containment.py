from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.scoring.outcomes import contains, phrases_of
from surefoot.text.normal import normalise


@pytest.mark.parametrize(
    ("claim", "answer", "expected"),
    [
        ("X is a constrained mapping.", "We know that X is a constrained mapping, don't we.", True),
        ("X is a constrained mapping.", "X  is a\nconstrained mapping", True),
        ("X is a constrained mapping.", "X is a free mapping.", False),
        ("The fee is EUR 50, paid yearly.", "It is paid yearly.", True),  # any phrase suffices
        ("the rate is 5", "the rate is 50 per cent", False),  # whole words only
        ("notice period of thirty days", "It is not true that the notice period of thirty days applies.", False),
        ("thirty days notice", "The claim that thirty days notice is wrong.", False),
        ("sixty days apply", "not sixty days apply but ninety", False),
        ("Termination for convenience", "“Termination for convenience” is false.", False),
        ("合同期限为两年", "根据文件，合同期限为两年。", True),
        ("Führung übernommen", "FÜHRUNG ÜBERNOMMEN hat sie", True),
        ("The salary is $84,000 a year.", "The salary is $99,000 a year.", False),
        ("The salary is $84,000 a year.", "The salary is $84,000 a year.", True),
        ("It costs 2.50 euros", "It costs 2.75 euros.", False),
        ("$84,000", "It is $84,000, paid monthly.", True),
        ("$84,000", "It is $84,000.50 or $84,000,000.", False),
        ("The fee is 2,50", "The fee is 2,50.", True),
        ("42", "42", False),  # too short to mean anything
        ("", "anything", False),
    ],
)
def test_contains(claim: str, answer: str, expected: bool) -> None:
    assert contains(phrases_of([claim] if claim else []), answer) is expected


@given(st.text(min_size=1))
def test_a_claim_contains_its_own_phrases_unless_it_denies_them(claim: str) -> None:
    phrases = phrases_of([claim])
    if phrases:
        assert contains((phrases[0],), f"; {phrases[0]};")


@given(st.text())
def test_normal_form_is_stable(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_normal_form_joins_what_looks_the_same() -> None:
    assert normalise("Caf\u00e9\u00a0 No.\u200b1") == normalise("cafe\u0301 no.1")
