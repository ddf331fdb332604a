"""Money and shares that a passage neither has nor gives by reckoning."""

from __future__ import annotations

import pytest

from surefoot.graders.grounds import is_groundless
from surefoot.text.amounts import worded_alike


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("Membership costs EUR 40 a year.", "Membership costs $40 a year."),
        ("The rate rose by 3 percentage points to 12%.", "The rate rose by 3 percent to 12%."),
        ("The rate rose by 3% to 12%.", "The rate rose by 3 percentage points."),
        ("The first phase costs EUR 200,000 and the second EUR 350,000.", "Together they cost EUR 650,000."),
        (
            "The first phase costs EUR 200,000 and the second EUR 350,000.",
            "The second costs EUR 250,000 more than the first.",
        ),
        ("The loan of 12,000 euros is repaid in 24 equal instalments.", "Each instalment is 600 euros."),
        ("Three grants of EUR 15,000 each were made.", "The grants came to EUR 50,000 in all."),
        ("The budget is $90,000, of which $35,000 has been spent.", "$65,000 remains."),
        ("The drug costs 12 euros per dose and 3 doses are needed.", "A course costs 46 euros."),
    ],
)
def test_an_amount_without_ground_is_told(passage: str, claim: str) -> None:
    assert is_groundless(passage, worded_alike(claim, passage))


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The first phase costs EUR 200,000 and the second EUR 350,000.", "Together they cost EUR 550,000."),
        ("The budget is $90,000, of which $35,000 has been spent.", "$55,000 remains."),
        ("The loan of 12,000 euros is repaid in 24 equal instalments.", "Each instalment is 500 euros."),
        ("Membership costs EUR 20 a month.", "A year of membership costs EUR 240."),
        ("Of 80 seats 52 were taken, 10% more than in May.", "65% of the seats were taken."),
        ("Of 80 seats 52 were taken, 10% more than in May.", "More than 60% of the seats were taken."),
        ("31% of staff work part-time and 12% abroad.", "About a third of staff work part-time."),
        ("The rate rose from 2.25% to 2.75%.", "The rate rose by 50 basis points."),
        ("Sales were $4.2bn, up from $3.9bn.", "Sales were 4,200 million dollars."),
        ("Turnover grew 8% to EUR 54 million.", "Turnover had been EUR 50 million the year before."),
        ("The fee: £25 + VAT at 20%.", "With VAT the fee is £30."),
        (
            "A ticket costs 9 euros, 7 euros reduced. Groups of ten pay 60 euros.",
            "Two adults and one child on a reduced ticket pay 25 euros.",
        ),
        ("Delivery is free for orders above 50 euros.", "Customers spending 60 euros do not pay for delivery."),
        ("The fee is 2% of the price, at least 50 euros.", "On a price of 4,000 euros the fee is 80 euros."),
        ("The site has 24 staff.", "The site spent EUR 5,000."),
        ("The plot is 20 m by 30 m.", "The plot covers 600 square metres."),
    ],
)
def test_what_is_given_or_can_be_reckoned_is_let_be(passage: str, claim: str) -> None:
    assert not is_groundless(passage, worded_alike(claim, passage))
