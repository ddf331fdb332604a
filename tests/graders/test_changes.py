"""Figures in another role: by for to, old for new."""

from __future__ import annotations

import pytest

from surefoot.graders.changes import is_misplaced
from surefoot.text.amounts import worded_alike


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The notice period was extended from 30 to 60 days in March.", "The notice period is 30 days."),
        ("The notice period was extended from 30 to 60 days in March.", "Tenants must give 30 days' notice."),
        ("Until 2021 the deposit was EUR 200. It is now EUR 250.", "The deposit is EUR 200."),
        ("The fare, previously $2.50, is now $2.75.", "A ride costs $2.50."),
        ("Amendment 2 replaces the cap of 4% with a cap of 6%.", "The cap is 4%."),
        ("The death toll, first put at 12, was later corrected to 15.", "The death toll was 12."),
        ("The plant originally employed 400 people; today it employs 310.", "The plant employs 400 people."),
        ("The speed limit was reduced from 50 km/h to 30 km/h.", "The speed limit is 50 km/h."),
        ("The limit used to be 5 kg. Since May it has been 8 kg.", "Bags may weigh up to 5 kg."),
        (
            "The old rate of 12 cents no longer applies; customers now pay 15 cents per kWh.",
            "Customers pay 12 cents per kWh.",
        ),
        ("Revenue rose from $40 million to $44 million.", "Revenue rose by $44 million."),
        ("Revenue rose by $4 million.", "Revenue rose to $4 million."),
        ("Unemployment fell by 3% last year.", "Unemployment fell to 3% last year."),
        ("Unemployment fell to 3% last year.", "Unemployment fell by 3% last year."),
        ("Staff numbers declined by 120.", "Staff numbers declined to 120."),
        ("Water use was cut by 15 percent to 85 litres a day.", "Water use was reduced by 85 litres."),
        ("The price increased to 12 euros, up 2 euros.", "The price increased by 12 euros."),
        ("Sales rose 12% in May.", "Sales rose to 12% in May."),
        ("Turnout climbed to 61%.", "There was a 61% increase in turnout."),
    ],
)
def test_a_figure_in_another_role_is_told(passage: str, claim: str) -> None:
    assert is_misplaced(passage, worded_alike(claim, passage))


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The notice period was extended from 30 to 60 days in March.", "The notice period is 60 days."),
        ("The notice period was extended from 30 to 60 days in March.", "The notice period was once 30 days."),
        ("Until 2021 the deposit was EUR 200. It is now EUR 250.", "The deposit amounts to EUR 250."),
        ("The fare, previously $2.50, is now $2.75.", "A ride costs $2.75."),
        ("Amendment 2 replaces the cap of 4% with a cap of 6%.", "The cap is 6%."),
        ("The death toll, first put at 12, was later corrected to 15.", "The death toll was 15."),
        ("The plant originally employed 400 people; today it employs 310.", "The plant originally had 400 employees."),
        ("The limit used to be 5 kg. Since May it has been 8 kg.", "Bags may weigh up to 8 kg."),
        ("Revenue rose from $40 million to $44 million.", "Revenue was $40 million before it rose."),
        ("Revenue rose from $40 million to $44 million.", "Revenue rose to $44 million."),
        ("Revenue rose from $40 million to $44 million.", "Revenue rose by $4 million."),
        ("Unemployment fell to 3% last year.", "Unemployment dropped to 3%."),
        ("Staff numbers declined by 120.", "There was a decline of 120 in staff numbers."),
        ("Staff numbers declined by 120 from 400 to 280.", "Staff numbers went down to 280."),
        ("Water use was cut by 15 percent to 85 litres a day.", "Water use was reduced to 85 litres."),
        ("The price increased to 12 euros, up 2 euros.", "The price went up by 2 euros."),
        ("From 1 May the fee is 30 euros, from 1 July 40 euros.", "The fee is 30 euros from 1 May."),
        ("Prices range from 10 to 30 euros.", "The cheapest costs 10 euros."),
        ("The trip takes from 2 to 3 hours.", "The trip takes 2 hours at best."),
        ("It is open from 9 to 17. Visitors drop by 200 in winter.", "Visitor numbers fall by 200 in winter."),
        ("The earlier model weighs 3 kg, the new one 2 kg.", "The earlier model weighs 3 kg."),
        (
            "The new terminal handles 9 million passengers, the old one 4 million.",
            "The old terminal handles 4 million passengers.",
        ),
        (
            "The new terminal handles 9 million passengers, the old one 4 million.",
            "The smaller terminal handles 4 million passengers.",
        ),
        ("There was a 12% rise in sales.", "Sales were up 12%."),
        ("It could raise output by up to 35%.", "It comes with a 35% increase in output."),
    ],
)
def test_a_figure_in_its_own_role_is_let_be(passage: str, claim: str) -> None:
    assert not is_misplaced(passage, worded_alike(claim, passage))
