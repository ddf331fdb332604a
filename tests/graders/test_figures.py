"""What a text says of a figure, as people write figures: read where it is true, and caught where it is false."""

from __future__ import annotations

import pytest

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.figures import figures_of, scales_of, shown_changes, stated, worded_as
from surefoot.graders.grader import FindingsGrader, Graded
from surefoot.graders.local import LocalJudge
from surefoot.graders.rules import Rules

ACCOUNTS = """Statements of operations (in thousands)
Item | 2022 | 2023
Revenue | $11,020,300 | $12,384,120
Net income | $1,204,500 | $1,398,002"""
METALS = "metal,deposit,term\nSilver,EUR 480,24 months\nGold,EUR 960,36 months"
WEEKS, RANGE = "Delivery takes six to eight weeks from the order.", "The project will cost $5-10 million."
GREW = "Revenue grew by {} in 2023, from $11,020,300 thousand to $12,384,120 thousand."


@pytest.mark.parametrize(
    ("text", "claim", "is_there"),
    [
        (ACCOUNTS, "Revenue was $12.4 billion.", True),
        (ACCOUNTS, "Revenue was $12.9 billion.", False),
        (ACCOUNTS, "Revenue was $12,384,120 thousand.", True),
        (ACCOUNTS, "Revenue was $12,384,120.", True),
        ("Of the members, 20 % voted.", "One in five members voted.", True),
        ("Of the members, 20 % voted.", "One in four members voted.", False),
        ("75% of the seats are sold.", "Three-quarters of the seats are sold.", True),
        (WEEKS, "Delivery takes up to 56 days.", True),
        (WEEKS, "Delivery takes up to 8 days.", False),
        (RANGE, "It costs at least $5 million.", True),
        (RANGE, "It costs at least $5.", False),
        ("The office has 1,200 sq ft.", "The office has 1,200 square feet.", True),
        ("The office has 1,200 sq ft.", "The office has about 111 m².", True),
        ("The office has 1,200 sq ft.", "The office has 1,200 square metres.", False),
    ],
)
def test_whether_a_text_states_a_figure(text: str, claim: str, is_there: bool) -> None:
    (amount,) = figures_of(claim)
    assert (stated(amount, figures_of(text), scales_of(text)) is not None) == is_there


@pytest.mark.parametrize(
    ("claim", "is_so"),
    [
        (GREW.format("12.4%"), [True]),
        (GREW.format("21.4%"), [False]),
        (GREW.format("12.4%").replace("grew", "fell"), [False]),
        ("Sales fell 20% from $50 million to $40 million.", [True]),
        ("Sales grew 9% at constant currency, from $40 million to $50 million.", []),
        ("The margin rose to 21.4%, as revenue grew from $40 million to $50 million.", []),
        ("Sales grew 25%, and costs went from $40 million to $50 million.", []),
    ],
)
def test_a_change_is_held_against_the_figures_beside_it(claim: str, is_so: list[bool]) -> None:
    assert [one.is_so for one in shown_changes(claim)] == is_so


def test_a_claim_is_read_in_the_words_of_the_text() -> None:
    assert worded_as("Revenue was $12.4 billion.", ACCOUNTS) == "Revenue was $12,384,120 thousand."
    assert worded_as(GREW.format("12.4%"), ACCOUNTS).startswith("Revenue grew in 2023, from $11,020,300")
    assert worded_as("It takes 42 to 56 days.", WEEKS) == "It takes six weeks to eight weeks."


def item(question: str, text: str, answer: str, gold: str) -> Item:
    asked = Question("q", question, "answer", gold_claims=(gold,) if gold else (), gold_ids=("p",) if gold else ())
    return Item(asked, Trace("q", answer=f"{answer[:-1]} [p].", retrieved=Retrieved([Passage("p", text)])))


COST, LARGE = "What will the project cost?", "How large is the office?"
OFFICE = "The office has a floor area of 1,200 sq ft."
CASES = [
    ("What was revenue in 2023?", ACCOUNTS, "Revenue in 2023 was $12.4 billion.", "Revenue in 2023 was $12.9 billion.",
     "$12,384,120 thousand"),
    ("How fast did revenue grow in 2023?", ACCOUNTS, GREW.format("12.4%"), GREW.format("21.4%"), "12.4%"),
    ("How many members voted in 2021?", "Of the members, 20 % voted in 2021.", "One in five members voted in 2021.",
     "One in four members voted in 2021.", "20%"),
    ("How long does delivery take?", WEEKS, "Delivery takes 42 to 56 days from the order.",
     "Delivery takes 6 to 8 days from the order.", "six to eight weeks"),
    ("How long does delivery take?", "Delivery takes 6-8 weeks from the order.", WEEKS, WEEKS.replace("eight", "nine"),
     "6-8 weeks"),
    (LARGE, OFFICE, "The office has 1,200 square feet of floor area.",
     "The office has 1,200 square metres of floor area.", "1,200 sq ft"),
    (LARGE, OFFICE, "The office has a floor area of about 111 m².", "The office has a floor area of about 150 m².",
     "1,200 sq ft"),
    (COST, "The project will cost between $5 million and $10 million.", RANGE, RANGE.replace("10", "12"),
     "$5-10 million"),
    (COST, RANGE, "The project will cost between $5 million and $10 million.",
     "The project will cost between $5 million and $15 million.", "$5-10 million"),
    ("What is the deposit for Silver?", METALS, "The deposit for Silver is EUR 480.",
     "The deposit for Silver is EUR 960.", "EUR 480"),
    ("What is the term of Gold?", METALS, "The term of Gold is 36 months.", "The term of Gold is 24 months.",
     "36 months"),
]  # fmt: skip


@pytest.mark.parametrize("judge", [Rules, LocalJudge])
@pytest.mark.parametrize("with_gold", [False, True])
def test_a_true_figure_is_correct_and_a_false_one_is_not(judge: type[Rules | LocalJudge], with_gold: bool) -> None:
    def graded(answers: list[str]) -> list[Graded]:
        items = [item(case[0], case[1], one, case[4] * with_gold) for case, one in zip(CASES, answers, strict=True)]
        return FindingsGrader(judge()).read(items)

    true, false = graded([case[2] for case in CASES]), graded([case[3] for case in CASES])
    assert [(case[2], one.bucket) for case, one in zip(CASES, true, strict=True) if one.bucket != "correct"] == []
    assert [case[3] for case, one in zip(CASES, false, strict=True) if one.bucket == "correct"] == []
