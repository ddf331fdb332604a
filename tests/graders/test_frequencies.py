"""How often something happens, in other words or otherwise."""

from __future__ import annotations

import pytest

from surefoot.graders.numbers import is_of_another_frequency
from surefoot.text.amounts import worded_alike


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The filters are changed weekly.", "The filters are changed monthly."),
        ("The board meets four times a year.", "The board meets every month."),
        ("Alarms are tested every two weeks.", "Alarms are tested twice a month."),
        ("The lift is inspected once a year.", "The lift is inspected twice a year."),
        ("The rota changes every 6 months.", "The rota changes every year."),
        ("Audits take place every second year.", "Audits take place annually."),
    ],
)
def test_another_frequency_is_told(passage: str, claim: str) -> None:
    assert is_of_another_frequency(passage, worded_alike(claim, passage))


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The filters are changed weekly.", "The filters are changed every week."),
        ("The board meets four times a year.", "The board meets quarterly."),
        ("Alarms are tested every other week.", "Alarms are tested fortnightly."),
        ("The lift is inspected once a year.", "The lift is inspected annually."),
        ("The bus runs daily; the ferry runs twice a week.", "The ferry runs daily."),
        ("Staff report every Friday.", "Staff report weekly."),
        ("Rent is EUR 500 per month.", "Rent is EUR 6,000 per year."),
        ("The rota changes every six months.", "The rota changes twice a year."),
        ("The annual report lists monthly sales.", "The report lists sales by month."),
    ],
)
def test_the_same_or_an_open_frequency_is_let_be(passage: str, claim: str) -> None:
    assert not is_of_another_frequency(passage, worded_alike(claim, passage))
