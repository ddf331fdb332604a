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
        ("Rent is EUR 10,800 for 12 months.", DEPOT),
        ("The farms together had 240 tonnes in 2022.", HARVEST),
        ("Upper had 30 tonnes more in 2023 than in 2022.", HARVEST),
        ("Upper had 25 percent more in 2023 than in 2022.", HARVEST),
    ],
)
def test_numbers_that_follow(claim: str, passage: str) -> None:
    seen = found(claim, passage)
    assert seen["numbers_missing"] >= 1 and seen["numbers_derivable"] > 0


def test_another_unit_is_the_same_number() -> None:
    assert found("The course takes 72 hours.")["numbers_missing"] == 0


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


WEIGHTS = (
    "Weight was 90 kg in January, 81 kg in March and 78 kg in May. Sales were 200 units in spring and 250 units in "
    "autumn. There are 12 vans, 8 cars and 3 bikes. The parcel weighed 2 kg and, opened, 1.5 kg."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Weight fell by 12 kg in all, from 90 to 81 and then to 78 kg.",
        "Weight fell by 13% from 90 to 81 and then to 78 kg.",
        "Weight fell 12 kg from 90 kg to 81 kg and finally 78 kg.",
        "Weight fell by 12 kg from 90 kg in January to 78 kg in May.",
        "Weight fell by 9 kg from 90 kg to 81 kg, then by 3 kg to 78 kg.",
        "Sales rose by 25% from 200 to 250 units.",
        "Sales rose by 50 from 200 to 250 units.",
        "There are 3 bikes, 12 vans and 8 cars, a total of 23.",
        "12 vans plus 8 cars plus 3 bikes makes 23.",
        "The parcel's weight fell by 500 g from 2 kg to 1.5 kg.",
    ],
)
def test_chains_and_other_units_add_up(claim: str) -> None:
    assert not misderived(WEIGHTS, claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Weight fell by 15 kg from 90 kg in January to 78 kg in May.",
        "Sales rose by 20% from 200 to 250 units.",
        "There were 3 bikes. Sales rose by 60 from 200 to 250 units.",
    ],
)
def test_other_sentences_do_not_hide_a_wrong_sum(claim: str) -> None:
    assert misderived(WEIGHTS, claim)
