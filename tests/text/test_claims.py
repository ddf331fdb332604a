from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.text.claims import claims_of, is_claim
from surefoot.text.numbers import quantities
from tests.growth import grows_evenly


@pytest.mark.parametrize(
    "sentence",
    ["Is that so?", "Yes.", "No!", "Let me know if you need more.", "Please contact the archive.", "## Fees", "Answer:",
     "The documents do not mention a fee.", "I could not find it.", "The closest passage is about rent.",
     "You may want to check the archive.", "...", "If you send me the holding, I can work it out."],
)  # fmt: skip
def test_what_is_no_claim(sentence: str) -> None:
    assert not is_claim(sentence)


@pytest.mark.parametrize(
    "sentence", ["The fee is 5 euros.", "Tenants may not sublet.", "Eight hours.", "It ends in May."]
)
def test_what_is_a_claim(sentence: str) -> None:
    assert is_claim(sentence)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for claim in claims_of(text, ["a"]).claims:
        assert 0 <= claim.start < claim.end <= len(text)
    quantities(text)


def test_long_answers_take_linear_time() -> None:
    assert grows_evenly(lambda count: claims_of("The fee is 5 euros [a#1]. " * count, ["a#1"]), 500)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("sixty (60) days", 60, "days"),
        ("two weeks", 14, "days"),
        ("EUR 2,000,000", 2_000_000, "EUR"),
        ("2 million euros", 2_000_000, "EUR"),
        ("$9.0 million", 9_000_000, "USD"),
        ("12.5 %", 12.5, "%"),
        ("twelve per cent", 12, "%"),
        ("150 basis points", 1.5, "%"),
        ("three years", 36, "months"),
        ("1 April 2025", 20250401, "date"),
        ("April 1, 2025", 20250401, "date"),
        ("2025-04-01", 20250401, "date"),
    ],
)
def test_quantities_in_any_written_form(text: str, value: float, kind: str) -> None:
    found = quantities(text)
    assert [(q.value, q.kind) for q in found] == [(value, kind)]


def test_references_are_no_quantities_and_kinds_keep_apart() -> None:
    assert quantities("clause 4.2 and Section 12") == ()
    euros, dollars = quantities("EUR 750")[0], quantities("USD 750")[0]
    assert not euros.agrees(dollars) and euros.agrees(quantities("750")[0])
    assert quantities("1 July 2024")[0].agrees(quantities("July 2024")[0])
    assert not quantities("1 July 2024")[0].agrees(quantities("July 2025")[0])
