from __future__ import annotations

import pytest

from surefoot.graders.arithmetic import misderived
from surefoot.graders.features import FEATURE_NAMES, features

DEPOT = (
    "Sales were $40 million in 2021 and $50 million in 2022. The depot has 12 vans and 8 cars. Of the 200 members, 50 "
    "voted. The bridge was opened in 1931 and closed in 1988. The course takes three days. Rent is EUR 900 a month."
)
HARVEST = "Harvest (tonnes)\nFarm | 2022 | 2023\nUpper | 120 | 150\nLower | 80 | 60\nMarsh | 40 | 45"


def found(claim: str, passage: str = DEPOT) -> dict[str, float]:
    return dict(zip(FEATURE_NAMES, features(passage, claim), strict=True))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Sales rose by 25% in 2022.", DEPOT),
        ("Sales rose by $10 million in 2022.", DEPOT),
        ("Sales in the two years were $90 million.", DEPOT),
        ("The depot has 20 vehicles, vans and cars.", DEPOT),
        ("A quarter of the members, 25 percent, voted.", DEPOT),
        ("The bridge was open for 57 years.", DEPOT),
        ("The course takes 72 hours.", DEPOT),
        ("Rent is EUR 10,800 for 12 months.", DEPOT),
        ("The farms together had 240 tonnes in 2022.", HARVEST),
        ("Upper had 30 tonnes more in 2023 than in 2022.", HARVEST),
        ("Upper had 25 percent more in 2023 than in 2022.", HARVEST),
    ],
)
def test_numbers_that_follow(claim: str, passage: str) -> None:
    seen = found(claim, passage)
    assert seen["numbers_missing"] >= 1 and seen["numbers_derivable"] > 0


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
    seen = found(claim)
    assert seen["numbers_derivable"] == 0 and seen["numbers_underived"] == seen["numbers_missing"] == 1


@pytest.mark.parametrize(
    "claim",
    [
        "Sales rose by 20% from $40 million in 2021 to $50 million in 2022.",
        "Sales went from $40 million to $50 million, an increase of $12 million.",
        "There was a 30% rise from $40 million to $50 million.",
        "The depot has 12 vans and 8 cars, a total of 22 vehicles.",
        "12 plus 8 makes 21.",
        "The depot has 12 vans, 5 more than its 8 cars.",
    ],
)
def test_sums_that_do_not_add_up(claim: str) -> None:
    assert misderived(DEPOT, claim) and found(claim)["misderived"] == 1


@pytest.mark.parametrize(
    "claim",
    [
        "Sales rose by 25% from $40 million in 2021 to $50 million in 2022.",
        "Sales went from $40 million to $50 million, an increase of $10 million.",
        "Sales rose by about 20% from $40 million to $50 million.",  # rough
        "Sales did not rise by 20% from $40 million to $50 million, it was more.",
        "The depot has 12 vans and 8 cars, a total of 20 vehicles.",
        "The depot has 12 vans and 9 cars, a total of 30 vehicles.",  # not the numbers of the passage
        "The depot has 12 vans, 4 more than its 8 cars.",
        "Between 2021 and 2022, 12 vans were used, and 8 cars.",
        "In 2021 a total of 12 vans and 8 cars drove 30 routes.",
    ],
)
def test_sums_that_do_or_are_none(claim: str) -> None:
    assert not misderived(DEPOT, claim)
