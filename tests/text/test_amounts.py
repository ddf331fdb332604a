"""Amounts are put into the passage's own words where they are equal, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.graders.figures import worded_as


@pytest.mark.parametrize(
    ("claim", "passage", "found"),
    [
        ("It lasts 2 years.", "The warranty lasts 24 months.", "It lasts 24 months."),
        ("It lasts one year.", "The warranty lasts 12 months.", "It lasts 12 months."),
        ("Reply within two days.", "Reply within 48 hours.", "Reply within 48 hours."),
        ("Reply within 7 days.", "Reply within one week.", "Reply within one week."),
        ("It closes at 7 pm.", "It closes at 19:00.", "It closes at 19:00."),
        ("It closes at 19:30.", "It closes at 7:30 p.m. daily.", "It closes at 7:30 p.m.."),
        ("It cost $1.2 billion in all.", "It cost $1,200 million.", "It cost $1,200 million in all."),
        ("A quarter of the staff left.", "25 % of the staff left.", "25 % of the staff left."),
        ("Paid on 3 May 2024.", "Paid on May 3, 2024.", "Paid on May 3, 2024."),
        ("It is about 17 feet wide.", "It is 5.2 metres wide.", "It is about 5.2 metres wide."),
        ("Heat it to about 390 °F.", "Heat it to 200 °C.", "Heat it to about 200 °C."),
        ("It cost about EUR 1.2 million.", "It cost EUR 1,198,400.", "It cost about EUR 1,198,400."),
        ("It is around 3,000 feet up.", "It is 900 m up.", "It is around 900 m up."),
        ("2 years for A, 36 months for B.", "A: 24 months. B: 3 years.", "24 months for A, 3 years for B."),
    ],
)
def test_equal_amounts_are_worded_as(claim: str, passage: str, found: str) -> None:
    assert worded_as(claim, passage) == found


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("It lasts 3 years.", "It lasts 24 months."),
        ("It is about 15 feet wide.", "It is 5.2 metres wide."),
        ("It is 16 feet wide.", "It is 5.2 metres wide."),
        ("It is over 5 metres wide.", "It is 4.9 metres wide."),
        ("It takes about 30 days.", "It takes 28 days."),
        ("It was built around 1900.", "It was built in 1904."),
        ("It costs about £110.", "It weighs 50 kg."),
        ("It is about 50 °F.", "It is -10 °C."),
        ("The radius is 2.6 m.", "It is 5.2 m in diameter, with a radius of 2.7 m."),
        ("It lasts 2 years.", "It lasts 24 months, in the USA 2 years."),
        ("It costs 24 euros.", "It lasts 24 months."),
        ("It costs USD 5 million.", "It costs EUR 5,000,000."),
        ("It closes at 7 am.", "It closes at 19:00."),
        ("There are 24 houses.", "There are two dozen houses, built over 24 months."),
        ("A quarter later it was sold.", "25 % of it was sold."),
    ],
)
def test_everything_else_stays_as_it_is(claim: str, passage: str) -> None:
    assert worded_as(claim, passage) == claim


@given(st.text(), st.text())
def test_any_text_can_be_held_against_any_other(claim: str, passage: str) -> None:
    assert worded_as(claim, "") == claim
    assert worded_as(claim, claim) == claim
    worded_as(claim, passage)


def test_a_long_passage_full_of_dates_is_read_number_by_number() -> None:
    passage = "On 3 May 2024 a fee of 200 euros fell due within 30 days. " * 4_000 + "It lasts 24 months."
    assert worded_as("It lasts 2 years.", passage) == "It lasts 24 months."
