from __future__ import annotations

import pytest

from surefoot.graders.quotes import derivable_of
from surefoot.text.amounts import amounts_of
from surefoot.text.numbers import quantities

DEPOT = (
    "Sales were $40 million in 2021 and $50 million in 2022. The depot has 12 vans and 8 cars. Of the 200 members, 50 "
    "voted. The bridge was opened in 1931 and closed in 1988. The course takes three days. Rent is EUR 900 a month."
)
HARVEST = "Harvest (tonnes)\nFarm | 2022 | 2023\nUpper | 120 | 150\nLower | 80 | 60\nMarsh | 40 | 45"


def derived(claim: str, passage: str = DEPOT) -> tuple[int, int]:
    """How many of the claim's numbers the passage lacks, and how many of those follow from it."""
    there = quantities(passage)
    missing = [amount for amount in amounts_of(claim) if not any(amount.agrees(other) for other in there)]
    return len(missing), derivable_of(passage, claim, missing)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Sales rose by 25% in 2022.", DEPOT),
        ("Sales rose by $10 million in 2022.", DEPOT),
        ("Sales in the two years were $90 million.", DEPOT),
        ("The depot has 20 vehicles, vans and cars.", DEPOT),
        ("A quarter of the members, 25 percent, voted.", DEPOT),
        ("The bridge was open for 57 years.", DEPOT),
        ("Rent is EUR 10,800 for 12 months.", DEPOT),
        ("The farms together had 240 tonnes in 2022.", HARVEST),
        ("Upper had 30 tonnes more in 2023 than in 2022.", HARVEST),
        ("Upper had 25 percent more in 2023 than in 2022.", HARVEST),
    ],
)
def test_numbers_that_follow(claim: str, passage: str) -> None:
    missing, follow = derived(claim, passage)
    assert missing >= 1 and follow > 0


def test_another_unit_is_the_same_number() -> None:
    assert derived("The course takes 72 hours.") == (0, 0)


@pytest.mark.parametrize(
    "claim",
    [
        "Sales rose by 31% in 2022.",
        "The depot has 23 vehicles.",
        "The bridge was open for 61 years.",
        "Sales were $77 million.",
    ],
)
def test_numbers_that_do_not(claim: str) -> None:
    assert derived(claim) == (1, 0)
