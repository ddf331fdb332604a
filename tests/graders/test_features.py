from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.graders.features import FEATURE_NAMES, _passage, features

PASSAGE = (
    "Invoices are payable within sixty (60) days of receipt. Quillon Data may charge interest of 12 % a year. "
    "The contract is worth EUR 1.2m and was signed by Marta Olsen."
)


def found(claim: str, passage: str = PASSAGE, question: str = "") -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, features(passage, claim, question), strict=True))


@pytest.mark.parametrize(
    "claim",
    ["Invoices are payable within 60 days.", "Interest is 12 percent.", "The contract is worth 1,200,000 euros."],
)
def test_numbers_in_any_written_form_are_there(claim: str) -> None:
    assert found(claim)["numbers"] == 1 and found(claim)["rules_supported"] > 0


def test_a_number_that_no_sentence_has_is_missing() -> None:
    seen = found("Invoices are payable within 30 days of receipt.")
    assert seen["digits_missing_share"] == 1
    assert seen["rules_contradicted"] > 0 and seen["rules_supported"] == 0


def test_words_names_and_sense() -> None:
    said = found("Quillon Data may charge interest of 12 % a year.")
    assert said["longest_run"] == said["word_overlap"] == said["best_pair_share"] == 1


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_have_finite_features(passage: str, claim: str) -> None:
    values = features(passage, claim)
    assert len(values) == len(FEATURE_NAMES) and all(map(math.isfinite, values))


def test_a_passage_is_taken_apart_once_for_all_its_claims() -> None:
    _passage.cache_clear()
    for number in range(20):
        features(PASSAGE, f"Invoices are payable within {number} days of receipt.")
    assert _passage.cache_info().misses == 1
