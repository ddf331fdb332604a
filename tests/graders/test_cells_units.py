"""Claims that say a cell's value in another unit, sign, currency, scale or form, or that speak of a change to it."""

from __future__ import annotations

import pytest

from surefoot.graders.cells import cell_check

POOLS = "Pools of Ansby\nPool | Depth (m) | Length (m)\nLido | 2.2 | 50\nBaths | 1.4 | 25"
LAKES = "Lake | Depth | Area\nOsk | 12 m | 3 km²\nTarn | 450 cm | 1 km²"
RIVERS = "River lengths in km\nRiver | Length\nAra | 84\nBen | 112"
MENU = "Menu, prices in pounds\nDish | Price\nSoup | 6.50\nPie | 9.20"
FEES = "Fee | Amount (euros)\nParking | 2.50\nStorage | 12.00"
PARCELS = "Parcel | Weight (kg) | Fee\nSmall | 0.5 | £3.20\nLarge | 12 | £14"
EXAM = "Exam results\nSubject | Entered | Passed | Failed\nMaths | 200 | 150 | 50\nLatin | 40 | 40 | 0"
HOURS = "Timesheet, week 12\nName | Hours\nBen Oduya | 7.5\nMia Falk | 6"
RUNS = "Runner | Time (min)\nAda | 95\nBo | 120"
JOBS = "Job | Duration\nPaint | 3 weeks\nRoof | 2 months"
COLD = "Mean temperature by station (°C)\nStation | January | July\nKolvik | -40 | 12\nDane | 3 | 18"
ACCOUNTS = """Results (EUR thousand)
 | 2022 | 2023
Revenue | 9,800 | 10,450
Operating profit | 210 | (320)
Staff costs | (2,100) | (2,300)
Staff | 84 | 90"""
FILING = """(in millions, except per share)
 | 2022 | 2023
Net income (loss) | $4.2 | $(7.7)
Change in cash | (1.1) | 2.4
Earnings per share | 1.20 | (2.10)"""
TOWNS = "Town | Population (thousands) | Area (km²)\nAske | 48.2 | 31\nBorre | 12.5 | 18"
BUDGETS = """Council budgets, £m
| Department | 2024 budget | 2024 actual | 2025 budget |
|---|---|---|---|
| Roads | 14.0 | 14.6 | 13.5 |
| Parks | 3.0 | 2.4 | 3.2 |"""
LOANS = "Library use | 2020 | 2021\nBook loans | 9,800 | 11,400\nE-book loans | 1,200 | 2,900\nVisits | 30,100 | 28,400"
TICKETS = "Pool prices (£)\n | Adult | Child\nWeekday | 8.00 | 4.00\nWeekend | 9.50 | 5.00"
MOONS = "Planets of Hesk\nPlanet | Moons | Rings\nTesk | 14 | 2\nVeld | 2 | 1\nOruna | 0 | 3"
LEAGUE = "Team | Played | Won | Lost\nVarg | 11 | 9 | 0\nOtter | 11 | 6 | 3"
REGIONS = "Revenue by region (EUR million)\nRegion | Revenue\nNorth | 128.7\nSouth | 110.3"
DOSES = """Doses for adults (mg)
Drug | Morning | Evening
Felcor | 40 | 60
Tarin | 5 | 10

Doses for children (mg)
Drug | Morning | Evening
Felcor | 10 | 15
Tarin | 1 | 2"""
PLANTS = """## North plant
| Month | Output (t) |
|---|---|
| May | 40 |
| June | 44 |

## South plant
| Month | Output (t) |
|---|---|
| May | 31 |
| June | 29 |"""


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (RIVERS, "The length of the Ara is 84,000 m."),
        (MENU, "The price of the soup is 650p."),
        (FEES, "The parking fee is 250 cents."),
        (PARCELS, "The weight of a small parcel is 500 grams."),
        (PARCELS, "The fee for a small parcel is 320 pence."),
        (RUNS, "Bo's time was two hours."),
        (JOBS, "The duration of the paint job is 21 days."),
        (COLD, "Kolvik had a mean temperature of -40 °C in January."),
        (COLD, "Kolvik had a mean temperature of 12 °C in July."),
        (ACCOUNTS, "Revenue was EUR 10,450 thousand in 2023."),
        (ACCOUNTS, "Revenue was EUR 10.45 million in 2023."),
        (ACCOUNTS, "Revenue was 10,450 in 2023."),  # the figure as it stands there
        (ACCOUNTS, "Operating profit was (320) in 2023."),
        (FILING, "Net income was -$7.7 million in 2023."),
        (FILING, "Earnings per share were $1.20 in 2022."),
        (TOWNS, "Aske has a population of 48,200."),
        (MOONS, "Oruna has 0 moons."),
        (DOSES, "The morning dose of Felcor for children is 10 mg."),
        (DOSES, "The adult dose of Felcor in the evening is 0.06 g."),
        (PLANTS, "The output of the South plant was 29 t in June."),
        (RIVERS, "The length of the Ara is 52 miles."),
        (PARCELS, "The weight of a large parcel is 26 lb."),
    ],
)
def test_the_same_in_another_form(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "agrees"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (RIVERS, "The length of the Ara is 112 km."),
        (RIVERS, "The Ara has a length of 84 m."),
        (PARCELS, "The fee for a large parcel is €14."),
        (COLD, "Kolvik had a mean temperature of 40 °C in January."),
        (COLD, "Kolvik had a mean temperature of -12 °C in July."),
        (ACCOUNTS, "Operating profit was EUR 320 thousand in 2023."),
        (ACCOUNTS, "Revenue was USD 10,450 thousand in 2023."),
        (ACCOUNTS, "Revenue was EUR 10,450 million in 2023."),
        (ACCOUNTS, "Revenue was EUR 9,800 thousand in 2023."),
        (ACCOUNTS, "Revenue was 10,450% in 2023."),
        (MENU, "The soup price is £9.20."),
        (TOWNS, "Aske has a population of 48.2 million."),
        (TOWNS, "Aske has a population of 12,500."),
        (REGIONS, "Revenue in South was EUR 128.7 million."),
        (MOONS, "Tesk has 3 moons."),
        (DOSES, "The morning dose of Felcor for adults is 10 mg."),
        (PLANTS, "The output of the South plant was 44 t in June."),
    ],
)
def test_another_value_sign_currency_or_scale(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "conflicts"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (LAKES, "The depth of Osk is 12."),
        (HOURS, "Ben Oduya worked 5 shifts."),
        (HOURS, "Ben Oduya worked 7h30."),
        (RUNS, "Ada's time was 1:35."),
        (JOBS, "The duration of the paint job is 15 working days."),
        (EXAM, "Three in four passed maths."),
        (EXAM, "In maths 1 in 4 failed."),
        (EXAM, "In maths 3/4 passed."),
        (EXAM, "Three quarters passed maths."),
        (COLD, "Kolvik had a mean temperature of 54 °F in July."),
        (COLD, "Kolvik had a mean temperature of minus 40 °C in January."),
        (ACCOUNTS, "Revenue was EUR 10,450 in 2023."),
        (FILING, "Net income was $7.7 million in 2023."),
        (FILING, "Change in cash was $1.1 million in 2022."),
        (TOWNS, "Aske has a population of 48."),
    ],
)
def test_what_cannot_be_converted_is_left_open(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "silent"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BUDGETS, "The Roads budget is £500,000 smaller in 2025."),
        (BUDGETS, "Parks underspent its budget by 20% in 2024."),
        (BUDGETS, "The Parks 2025 budget is £0.2 million bigger."),
        (BUDGETS, "Roads went £600,000 over budget in 2024."),
        (LOANS, "Book loans were up 1,600 in 2021."),
        (LOANS, "Book and e-book loans rose by 3,300 from 2020 to 2021."),
        (LOANS, "Book loans rose by a quarter from 2020 to 2021."),
        (TICKETS, "A family of two adults and two children pays £24 on a weekday."),
        (TICKETS, "Admission for two adults at the weekend is £19."),
        (MOONS, "Tesk has 10 or more moons."),
        (MOONS, "Tesk has 14 moons, 12 more than Veld."),
        (MOONS, "Tesk leads Veld by 12 moons."),
    ],
)
def test_changes_bounds_and_sums_are_no_levels(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "silent"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (MOONS, "Oruna has no moons."),
        (MOONS, "Oruna has no moons and 3 rings."),
        (EXAM, "Nobody failed in Latin."),
        (EXAM, "No one failed Latin."),
        (LEAGUE, "Varg did not lose a match."),
        (LEAGUE, "Varg won 9 and lost none."),
        (REGIONS, "Revenue in South was not EUR 128.7 million."),
        (REGIONS, "It is false that revenue in South was EUR 128.7 million."),
        (REGIONS, "Revenue in South was EUR 110.3 million, not EUR 128.7 million."),
    ],
)
def test_nothing_and_denials_are_no_conflict(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) != "conflicts"


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (DOSES, "The morning dose of Felcor is 10 mg."),
        (DOSES, "The morning dose of Felcor for adults and children is 50 mg."),
        (PLANTS, "Output in June was 44 t."),
    ],
)
def test_of_two_tables_none_is_read_unless_its_title_is_said(passage: str, claim: str) -> None:
    assert cell_check(passage, claim) == "silent"
