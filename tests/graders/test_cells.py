from __future__ import annotations

import itertools

import pytest

from surefoot.graders.cells import cell_check
from surefoot.graders.judges import Pair
from surefoot.graders.rules import Rules
from tests.growth import grows_evenly

BAKERY = """Hollin Bakeries, results by year ($ million)
 | 2021 | 2022 | 2023
Revenue | 412.6 | 455.0 | 431.8
Cost of revenue | 251.3 | 270.4 | 268.9
Operating profit (1) | 38.2 | (4.5) | 12.7
Net margin | 6.1% | n/a | 2.4%
Stores | 118 | 118 | 121
The 2020 figures were not audited."""
PARKS = """Visits to the parks of Norrdal (thousands)
| Park | 2019 | 2021 | 2023 |
|---|---|---|---|
| Elkmoor | 310 | 182 | 295 |
| Stone Lake | 96 | 101 | 140 |
| Birch Fell | 54 | - | 61 |
| Total | 460 | 283 | 496 |"""
LEAGUE = """Autumn League, final table
Team | Won | Drawn | Points
Varg | 9 | 2 | 29
Otter Bay | 8 | 4 | 28
Lindholm | 3 | 1 | 10"""
YEARS = """Tunnel tolls
Year | Cars | Lorries | Toll income (€m)
2020 | 80,412 | 9,120 | 1.9
2021 | 91,077 | 9,845 | 2.2"""
FEES = "Item | Fee\nCrane permit | EUR 640\nNight work permit | EUR 1,150\nSite survey | EUR 85"
LICENCES = "Licence | Expires | Seats\nAlpha | 3 May 2026 | 40\nBeta | 12 June 2027 | 25"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BAKERY, "Revenue in 2022 was $455 million."),
        (BAKERY, "Revenue was $455.0 million in 2022."),
        (BAKERY, "In 2021, revenue amounted to 412,600,000 dollars."),
        (BAKERY, "Revenue was about $430 million in 2023."),
        (BAKERY, "Revenue was $432 million in 2023."),
        (BAKERY, "Cost of revenue was $270.4 million in 2022."),
        (BAKERY, "Operating profit was $38.2 million in 2021."),
        (BAKERY, "In 2023 the net margin was 2.4 percent."),
        (PARKS, "Elkmoor had 182 thousand visits in 2021."),
        (PARKS, "Elkmoor had 182,000 visits in 2021."),
        (LEAGUE, "Otter Bay has 28 points."),
        (YEARS, "In 2021, 9,845 lorries were recorded."),
        (FEES, "The crane permit fee is EUR 640."),
        (FEES, "The fee for a night work permit is 1,150 euros."),
        (LICENCES, "The Alpha licence expires on 3 May 2026."),
    ],
)
def test_the_cell_holds_it(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "agrees"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BAKERY, "Revenue in 2022 was $431.8 million."),
        (BAKERY, "Revenue was $270.4 million in 2022."),
        (BAKERY, "Cost of revenue was $455 million in 2022."),
        (BAKERY, "In 2023 the net margin was 6.1 percent."),
        (BAKERY, "Revenue was about $250 million in 2023."),
        (PARKS, "Elkmoor had 295 thousand visits in 2021."),
        (PARKS, "Stone Lake had 182,000 visits in 2021."),
        (LEAGUE, "Lindholm has 28 points."),
        (YEARS, "In 2021, 9,120 lorries were recorded."),
        (FEES, "The crane permit fee is EUR 1,150."),
        (LICENCES, "The Alpha licence expires on 12 June 2027."),
    ],
)
def test_the_cell_holds_another(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "conflicts"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BAKERY, "Revenue in 2022 was not $431.8 million."),
        (BAKERY, "Operating loss was $4.5 million in 2022."),
        (BAKERY, "The net margin in 2022 was 3 percent."),  # an empty cell holds nothing
        (BAKERY, "Revenue grew by $42.4 million in 2022."),  # a change, and from when is not said
        (BAKERY, "Revenue was $42.4 million higher in 2022 than in 2021."),
        (BAKERY, "Gross profit was $161.3 million in 2021."),  # follows, but has no row
        (BAKERY, "Average revenue was $433.1 million from 2021 to 2023."),
        (BAKERY, "Revenue in 2020 was $390 million."),
        (BAKERY, "Revenue was $390 million."),
        (BAKERY, "Deferred revenue was $9 million in 2022."),
        (BAKERY, "Revenue exceeded $400 million in 2022."),
        (BAKERY, "Revenue was more than $450 million in 2022."),
        (BAKERY, "Revenue of at least $300 million was recorded in 2022."),
        (BAKERY, "Revenue per store was $3.9 million in 2022."),
        (BAKERY, "Stores in 2022 took 3 days to refit."),
        (BAKERY, "Cost of revenue was 61% of revenue in 2021."),
        (BAKERY, "Operating profit did not rise from 2021 to 2022."),
        (BAKERY, "The operating result was highest in 2021."),
        (PARKS, "Birch Fell had 75 thousand visits in 2021."),
        (PARKS, "Elkmoor and Stone Lake together had 406 thousand visits in 2019."),
        (PARKS, "Elkmoor had 128 thousand fewer visits in 2021 than in 2019."),
        (PARKS, "Elkmoor lost 128 thousand visits between 2019 and 2021."),
        (PARKS, "One of the three parks, Elkmoor, had 200 staff in 2019."),
        (PARKS, "Elkmoor had twice as many visits as Stone Lake in 2023."),
        (PARKS, "Elkmoor would have had 400 thousand visits in 2021 without the storm."),
        (LEAGUE, "Otter Bay has the second most points."),
        (LEAGUE, "Varg won 9 of the 12 matches."),
        (FEES, "Two permits cost EUR 1,790."),
        (FEES, "Permits are valid for 30 days."),
        (LICENCES, "Alpha has to be renewed by May."),
        ("Elkmoor had 182 visits in 2021.", "Elkmoor had 190 visits in 2021."),
    ],
)
def test_what_a_table_does_not_decide(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "silent"


def test_a_number_of_the_text_around_is_no_conflict() -> None:
    restated = f"{BAKERY} Revenue in 2022 was later restated to $449.2 million."
    assert cell_check(BAKERY, "Revenue in 2022 was $449.2 million.") == "conflicts"
    assert cell_check(restated, "Revenue in 2022 was $449.2 million.") == "silent"


def test_an_answer_is_read_with_its_question() -> None:
    question = "What was the cost of revenue in 2023?"
    assert cell_check(BAKERY, "$268.9 million", question) == "agrees"
    assert cell_check(BAKERY, "$431.8 million", question) == "conflicts"
    assert cell_check(BAKERY, "$431.8 million", "What was the cost of staff in 2023?") == "silent"


def test_rows_of_one_name_are_not_told_apart() -> None:
    twice = " | 2022 | 2023\nLoans: | | \nOther | 5 | 7\nDeposits: | | \nOther | 11 | 13"
    assert cell_check(twice, "Other was 5 in 2022.") == "silent"


def test_the_rules_go_by_the_cell() -> None:
    wrong, right = Rules().judge([
        Pair(BAKERY, "Revenue in 2022 was $431.8 million."), Pair(BAKERY, "Revenue in 2022 was $455 million."),
    ])  # fmt: skip
    assert (wrong.label, right.label) == ("contradicted", "supported")


def test_long_tables_take_linear_time() -> None:
    def read_rows(count: int) -> None:
        rows = "\n".join(f"Depot {number} | {number * 3} | {number * 7}" for number in range(count))
        cell_check(f"Depot {next(different)} | 2022 | 2023\n{rows}", "Depot 77 had 231 vans in 2022.")

    different = itertools.count()  # a table that was read before is not read again
    assert grows_evenly(read_rows, 390)
