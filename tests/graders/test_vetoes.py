from __future__ import annotations

import pytest

from surefoot.graders.features import veto
from surefoot.graders.mismatches import misnumbered
from surefoot.graders.tiers import _vetoed

TABLE = "Rent by town (EUR)\nTown | 2022 | 2023\nAske | 640 | 690\nBorre | 510 | 560"


def judged(supported: float, veto: str) -> tuple[float, float, float]:
    return _vetoed((supported, (1 - supported) / 2, (1 - supported) / 2), veto)


def test_a_wrong_cell_or_number_takes_support_away() -> None:
    assert judged(0.9, "against") == pytest.approx((0.2, 0.75, 0.05))
    assert judged(0.5, "against") == pytest.approx((0.125, 0.625, 0.25))
    assert judged(0.0, "against") == (0.0, 0.5, 0.5)


def test_a_cell_that_holds_the_whole_claim_gives_support() -> None:
    assert judged(0.4, "for") == pytest.approx((0.8, 0.1, 0.1))
    assert judged(0.95, "for")[0] == 0.95


def test_nothing_counted_changes_nothing() -> None:
    assert judged(0.6, "") == (0.6, 0.2, 0.2)


@pytest.mark.parametrize(
    ("claim", "decided"),
    [
        ("Rent in Aske was EUR 690 in 2023.", "for"),
        ("Rent in Aske was EUR 690 in 2023, as demand was high.", ""),
        ("Rent in Aske was EUR 560 in 2023.", "against"),
        ("Rent in Aske rose by EUR 50.", ""),
    ],
)
def test_what_a_table_decides(claim: str, decided: str) -> None:
    assert veto(TABLE, claim) == decided


@pytest.mark.parametrize(
    ("passage", "claim", "is_mistaken"),
    [
        ("It supplies 5mg of folate.", "It supplies 5 g of folate.", True),
        ("Dairy goods fall under Tier 2 and frozen goods under Tier 3.", "Dairy goods fall under Tier 3.", True),
        ("Dairy goods fall under Tier 2 and frozen goods under Tier 3.", "Frozen goods are in Tier 3.", False),
        ("Tier 2 costs EUR 5 a month, while Tier 3 costs EUR 9 a month.", "Tier 3 costs EUR 5 a month.", True),
        ("Tier 2 costs EUR 5 a month, while Tier 3 costs EUR 9 a month.", "Tier 3 costs EUR 9 a month.", False),
        ("Sales were EUR 5m in Q1 and EUR 6m in Q2.", "Sales in Q2 were EUR 5m.", True),
        ("Sales were EUR 5m in Q1 and EUR 6m in Q2.", "Sales in Q1 were EUR 5m.", False),
        ("Support is included in Tier 2 and Tier 3.", "Support is included in Tier 3.", False),
        ("It supplies 5mg of folate.", "It supplies 0.005 g of folate.", False),
        ("Allow a pause of 20 min.", "Allow a pause of 20 s.", True),
        ("The bank is 12 metres long.", "The bank is 12 feet long.", True),
        ("The bank is 12 metres long and 4 feet wide.", "The bank is 12 metres long.", False),
        ("Rated from -40 °C to +80 °C.", "Rated from 40 °C to 80 °C.", True),
        ("Rated from -40 °C to +80 °C.", "Rated down to minus 40 °C.", False),
        ("Rated down to -40 °C.", "Rated down to 40 °C below zero.", False),
        ("The rate rose by 2 percentage points.", "The rate rose by 2 percent.", True),
        ("The rate rose by 2 percentage points, from 5% to 7%.", "It rose from 5 % to 7 %.", False),
        ("The discount is 7½ %.", "The discount is 7½ ‰.", True),
        ("20 km of the 100 km are tolled.", "20 % of the way is tolled.", False),
        ("Stored at 8 °C for 3 days.", "Stored at 8 °C.", False),
    ],
)
def test_the_number_of_the_passage_in_another_unit(passage: str, claim: str, is_mistaken: bool) -> None:
    assert misnumbered(passage, claim) == is_mistaken


@pytest.mark.parametrize(
    ("passage", "claim", "question", "is_mistaken"),
    [
        ("Write to EMAIL-2 within 1 day.", "Write to EMAIL-1.", "", True),
        ("Write to EMAIL-1 or EMAIL-2.", "Write to EMAIL-1.", "", False),
        ("Write to EMAIL-2.", "EMAIL-1 is not yet known.", "Is EMAIL-1 known?", False),
        ("Write to us.", "Call PHONE-1.", "", False),
    ],
)
def test_what_stands_for_personal_data_is_told_apart(
    passage: str, claim: str, question: str, is_mistaken: bool
) -> None:
    assert misnumbered(passage, claim, question) == is_mistaken
