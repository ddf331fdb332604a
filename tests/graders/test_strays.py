"""Numbers from another row or column than the one that a claim names."""

from __future__ import annotations

import pytest

from surefoot.graders.strays import is_stray

ENERGY = """Energy use by building (MWh)

| Building | 2020 | 2021 | 2022 |
|---|---|---|---|
| Library | 412 | 398 | 371 |
| Gymnasium | 655 | 610 | 598 |
| Kitchen | 233 | 240 | 251 |
"""
TRIAL = """| Arm | Patients | Responders | Median survival (months) | Dropouts |
| Placebo | 120 | 31 | 8.4 | 12 |
| 10 mg | 118 | 55 | 11.2 | 17 |
| 20 mg | 121 | 60 | 11.9 | 29 |
"""


@pytest.mark.parametrize(
    ("table", "claim"),
    [
        (ENERGY, "The library used 398 MWh in 2022."),
        (ENERGY, "In 2021 the gymnasium's consumption came to 598 MWh."),
        (ENERGY, "Electricity consumption at the kitchen stood at 233 MWh in 2022."),
        (ENERGY, "In 2020, 655 MWh of energy were needed for the library."),
        (TRIAL, "Median survival in the placebo group was 11.2 months."),
    ],
)
def test_a_number_of_another_line_is_told(table: str, claim: str) -> None:
    assert is_stray(table, claim)


@pytest.mark.parametrize(
    ("table", "claim"),
    [
        (ENERGY, "The library consumed 371 MWh in 2022."),
        (ENERGY, "The library got down from 412 to 371."),
        (ENERGY, "The library used 41 MWh less in 2022 than in 2020."),
        (ENERGY, "All buildings together used 1,300 MWh in 2020."),
        (ENERGY, "The gymnasium used 598 MWh, more than the 371 MWh of the library."),
        (ENERGY, "In 2022 the gymnasium needed 598 MWh after 610 MWh the year before."),
        (ENERGY, "The library is not the one that used 655 MWh in 2020."),
        (f"{ENERGY}\nThe library also bought 240 MWh of heat in 2022.", "The library bought 240 MWh of heat in 2022."),
        (TRIAL, "31 of the 120 placebo patients were responders."),
        ("There is no table.", "The library used 398 MWh in 2022."),
    ],
)
def test_all_else_is_let_be(table: str, claim: str) -> None:
    assert not is_stray(table, claim)
