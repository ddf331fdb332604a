from __future__ import annotations

import pytest

from surefoot.graders.gold import agreement
from surefoot.text.claims import claims_of

MILLIONS = "What was the cash balance at year end (in USD millions)?"
BILLIONS = "What was net property at year end? Answer in USD billions."
PERCENT = "What was the margin? Answer in units of percents and round to one decimal place."


def agree(question: str, gold: str, answer: str) -> str:
    return agreement(question, [gold], answer, claims_of(answer).claims)


@pytest.mark.parametrize(
    ("question", "gold", "answer"),
    [
        (MILLIONS, "$382.00", "Cash was $381,603,000."),
        (MILLIONS, "$382.00", "Cash was $381.6 million."),
        (MILLIONS, "382", "Cash was $381,603 thousand."),
        (MILLIONS, "1577", "Cash was $(1,577) million."),
        (MILLIONS, "2018", "Cash was $2,018 million."),
        (BILLIONS, "$8.70", "It was $8.738 billion."),
        (BILLIONS, "8.7", "It was $8,738 million."),
        (BILLIONS, "0.4", "It was $389 million."),
        (PERCENT, "0.019", "The margin was 1.9 %."),
        (PERCENT, "0.019", "The margin was 1.92%."),
        (PERCENT, "1.9%", "The margin was 0.019."),
        ("What was the ratio?", "0.83", "The ratio was 0.8257."),
        ("What was the write-down?", "$53.1 million", "The write-down was $53.1 million."),
        ("By how much did sales change?", "-1.7%", "Sales changed by a decrease of 1.7 %."),
        ("How large was the cash flow?", "It was $1.8 bn.", "It was $1,824 million."),
        ("How large was the grant?", "About EUR 2.4 million.", "It was EUR 2,389,000."),
        ("What is the notice period in days?", "The notice period is 90 days.", "It is 90 days."),
        ("What is the notice period in days?", "90", "The notice period is ninety days."),
        ("What was the turnover?", "4.83", "The average is (149 + 151) / 2 = 150. So it is 724.5 / 150 = 4.83."),
        ("Was the roof repaired?", "Yes.", "Yes, the roof was repaired in May."),
        ("Are dogs or cats allowed?", "No.", "No, neither of them is."),
        ("How long did it last?", "The outage lasted 48 hours.", "The outage lasted two days."),
        ("How many days was it outstanding, on average?", "54.58", "It was roughly 54.6 days."),
        ("What does it cost?", "A card is replaced at no charge the first time.", "The first card is free of charge."),
        ("In which quarter was it?", "In Q3.", "It was in the third quarter, after a weak Q2."),
    ],
)  # fmt: skip
def test_figures_agree_as_a_person_reads_them(question: str, gold: str, answer: str) -> None:
    assert agree(question, gold, answer) == "agrees"


@pytest.mark.parametrize(
    ("question", "gold", "answer"),
    [
        (MILLIONS, "$382.00", "Cash was $352.1 million."),
        (MILLIONS, "382", "Cash was $382 billion."),
        (BILLIONS, "$8.70", "It was $8.866 billion."),
        (BILLIONS, "1.577", "It was $2 billion."),
        (PERCENT, "0.019", "The margin was 19 %."),
        ("What was the ratio?", "0.83", "The ratio was 0.8157."),
        ("What is the rate?", "5%", "The rate is 4.6 %."),
        ("What is the ceiling?", "The ceiling is 3.25 : 1.", "The ceiling is 3.26 : 1."),
        ("What is the price?", "The price is EUR 48,000.", "The price is EUR 48,050."),
        ("How long is the term?", "Two years.", "The term is 18 months."),
        ("By how much did sales change?", "-1.7%", "Sales increased by 1.7 %."),
        ("What is the dose?", "The dose is 5mg a day.", "The dose is 5g a day."),
        ("How long is the pause?", "The pause is 20min.", "The pause is 20s."),
        ("How much did the rate rise?", "The rate rose by 2 percentage points.", "The rate rose by 2 percent."),
        ("How cold may it be?", "It may be as cold as -40 °C.", "It may be as cold as 40 °C."),
        ("What was revenue?", "9178", "9,178 - 7,000 = 2,178. Therefore, revenue was 2,178."),
        ("What is the notice period in days?", "90", "The notice period is 60 days."),
        ("What does it cost?", "It costs RMB500.", "It costs RMB800."),
        ("When does it close?", "At 18:00.", "It closes at 10:00."),
        ("Was the roof repaired?", "Yes.", "No, the roof was not repaired."),
        ("The roof was repaired, correct?", "Yes.", "No, the roof was not repaired."),
        ("What is the dose?", "40 mg.", "The dose is 4ο0 mg."),
        ("How long is the boat?", "9.5 metres", "The boat is about 25 feet long."),
        ("What is the price?", "48,000", "The price is EUR 45,000."),
    ],
)  # fmt: skip
def test_figures_conflict(question: str, gold: str, answer: str) -> None:
    assert agree(question, gold, answer) == "conflicts"


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("What is the notice period in days?", "The notice period is 90 days."),
        ("What is the notice period in days?", "90"),
        ("Is the notice period 90 days?", "The notice period is 90 days."),
        ("Is the roof flat?", "The roof is flat."),
        ("Is the roof flat?", "Yes."),
        (MILLIONS, "382.00"),
        ("How much of the fee is returned?", "Half of it."),
    ],
)
def test_a_gold_that_adds_no_words_does_not_agree_with_just_anything(question: str, gold: str) -> None:
    assert agree(question, gold, "The landlord is Harrow Estates.") == "silent"


@pytest.mark.parametrize(
    ("question", "gold", "answer"),
    [
        ("What is the price of the boat?", "EUR 48,000", "The boat is 9.5 metres long."),
        ("How long is the boat?", "9.5 metres", "The boat costs EUR 48,000."),
        ("How long is the boat?", "9.5 metres", "The boat weighs 3 tonnes."),
        ("How long is the boat?", "9.5 metres", "The boat has 12 cabins."),
        ("How many cabins are there?", "The boat has 12 cabins.", "The boat is 9.5 metres long."),
        ("What share is exported?", "12%", "The plant has 40 staff."),
    ],
)
def test_a_figure_of_another_dimension_tells_nothing(question: str, gold: str, answer: str) -> None:
    assert agree(question, gold, answer) == "silent"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("5.2 metres", "It is about 17 feet."),
        ("It is 5.2 metres wide.", "It is roughly 17 ft wide."),
        ("10 km", "It is around 6 miles."),
        ("200 °C", "Approximately 390 °F."),
    ],
)
def test_what_rounds_to_the_gold_agrees_in_any_unit(gold: str, answer: str) -> None:
    assert agree("How large is it?", gold, answer) == "agrees"
