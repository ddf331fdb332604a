"""Levels of refusals in wordings of many kinds; what a level rests on is shown."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from surefoot.core.types import Evidence, Item, Passage, Question, Retrieved, Trace
from surefoot.graders.refusals import Quality, refusal_quality
from tests.growth import grows_evenly

ROOT = Path(__file__).parent.parent.parent
LEAVE = (
    Passage("hr#1", "Full-time employees are entitled to 25 days of paid annual leave. Unused days lapse on 31 March.",
            "Staff Handbook"),
    Passage("hr#2", "Sick employees notify their manager before 9:00. A certificate is needed after three days.",
            "Staff Handbook"),
)  # fmt: skip
REPAIRS = (
    Passage(
        "d#1", "Emergency repairs are carried out within 24 hours. Report a gas leak immediately on 0800 111.", "Terms"
    ),
    Passage("d#2", "The tenant pays the water bill quarterly. The rent is due on the first of each month.", "Terms"),
)
PARENTAL = Question("q", "How long is parental leave?", "refusal")
EMERGENCY = Question("q", "Who pays for emergency repairs?", "refusal")


def quality(question: Question, answer: str, passages: Iterable[Passage], cited: tuple[str, ...] = ()) -> Quality:
    return refusal_quality(Item(question, Trace(answer=answer, retrieved=Retrieved(passages), citations=cited)))


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        ("Not specified.", 0),
        ("The Staff Handbook excerpts provided do not contain an answer.", 0),
        ("I cannot find this in the documents. Please let me know if you have any other questions.", 0),
        ("I'm afraid I have to disappoint you: I looked high and low but came up empty-handed.", 0),
        ("There is no information on parental leave.", 1),
        ("I cannot find this in the documents. Please consult your HR department.", 1),
        ("I can't answer that. Full-time staff have 25 days of paid annual leave [hr#1].", 1),
        ("Nothing on parental leave, I'm afraid. HR would know.", 2),
        ("The handbook says nothing about parental leave. Do you have the benefits guide at hand?", 2),
        ("I don't see parental leave in here, just holiday (25 days a year) and the sick-note rules. [hr#1]", 2),
        ("Parental leave isn't mentioned; full-time employees get 25 days of annual leave [hr#1].", 2),
        ("How long parental leave lasts is left open. The nearest rule is the 25 days of annual leave [hr#1]. It would "
         "be best to get the leaflet from the labour office.", 3),
        ("Parental leave: not covered. The handbook has 25 days of paid annual leave [hr#1]. Next step: ask HR.", 3),
        ("Parental leave is not in here. Sick employees notify their manager before 9:00 [hr#2], nothing more. Please "
         "upload the family policy so I can check it.", 3),
    ],
)  # fmt: skip
def test_levels(answer: str, level: int) -> None:
    assert quality(PARENTAL, answer, LEAVE).level == level


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Who pays for repairs isn't stated; they take 24 hours [d#1]. Call a lawyer right now or you will lose!",
         "capped at 1: false urgency"),
        ("The terms don't cover the cost of repairs, which you would know if you had read them. Ask the landlord.",
         "capped at 1: blame"),
        ("The terms don't cover the cost of repairs. Under the Housing Act the landlord always bears such costs. You "
         "could ask the council.", "capped at 1: new uncited claims"),
        ("The terms don't cover the cost of repairs. Landlords pay 80 percent of it. You could ask the council.",
         "capped at 1: new uncited claims"),
        ("The terms don't say who pays for repairs. The form for it has 80 pages. You could ask the council.",
         "capped at 1: new uncited claims"),
        ("The terms don't say who pays for repairs. They take 24 hours (terms#71). Ask the landlord.",
         "what is missing, next step"),
        ("The terms don't say who pays for repairs. A gas leak is reported immediately [d#1]. Ask the landlord.",
         "what is missing, closest evidence, next step"),
        ("Who pays for an emergency is not stated. The landlord would have the emergency tariff.",
         "what is missing, next step"),
        ("Nobody is named as at fault or to blame for repairs. Section 9 of the 2019 rent book normally lists it.",
         "what is missing, next step"),
    ],
)  # fmt: skip
def test_what_caps_a_refusal_is_judged_in_context(answer: str, reason: str) -> None:
    assert quality(EMERGENCY, answer, REPAIRS).reason == reason


def test_every_part_that_counts_is_shown_with_the_words_it_was_held_against() -> None:
    answer = "Parental leave isn't mentioned; 25 days of annual leave are [hr#1]. HR would know."
    assert quality(PARENTAL, answer, LEAVE) == (
        3,
        "what is missing, closest evidence, next step",
        (
            Evidence("Parental leave isn't mentioned"),
            Evidence("25 days of annual leave are [hr#1].", "hr#1",
                     "Full-time employees are entitled to 25 days of paid annual leave."),
            Evidence("HR would know."),
        ),
    )  # fmt: skip
    blamed = quality(PARENTAL, answer + " It is your own fault.", LEAVE)
    assert blamed == (1, "capped at 1: blame", (Evidence("It is your own fault."),))
    assert quality(PARENTAL, "No idea.", LEAVE) == (0, "a flat refusal", ())
    assert quality(PARENTAL, "No idea. Ask HR.", LEAVE).reason == "next step; what is missing is not named"


def test_a_passage_that_is_only_named_must_be_called_the_closest() -> None:
    named = "The documents do not say how long parental leave is. {} [hr#2] and [x#9]."
    assert quality(PARENTAL, named.format("There are"), LEAVE).level == 1
    assert quality(PARENTAL, named.format("The closest passages are"), LEAVE).level == 2
    gold = Question("q", PARENTAL.text, "answer", gold_ids=("hr#2",))
    assert quality(gold, named.format("The closest passages are"), LEAVE).level == 1


def test_passages_without_text_and_no_passages_at_all() -> None:
    question = Question("q", "How many employees does Acme have?", "refusal")
    told = "The number of employees is not given. The closest passage covers revenue and profit [x1]."
    assert quality(question, told, [Passage("x1")]).level == 2
    assert quality(question, "No documents were found.", []).level == 0


def test_written_refusals_are_told_apart() -> None:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import quality_refusals as benchmark

    rows = [json.loads(line) for line in benchmark.DATA.read_text(encoding="utf-8").splitlines()]
    for split in ("development", "held-out"):
        mine = [row for row in rows if row["split"] == split]
        found = [refusal_quality(benchmark.item_of(row)).level for row in mine]
        assert cohen_kappa_score([row["level"] for row in mine], found, weights="quadratic") > 0.9, split
    assert benchmark._kappa(Counter({(0, 0): 40, (1, 1): 28, (3, 3): 24})).startswith("1.00 (without a disagreement")


@given(st.text(max_size=200))
def test_any_answer_has_a_level(answer: str) -> None:
    assert quality(PARENTAL, answer, LEAVE).level in range(4)


@pytest.mark.parametrize(
    "piece", ["I do not know, which is [hr#1] so: it is no use, ", "Ask HR [hr#1]. ", "closest and so "]
)
def test_long_refusals_take_linear_time(piece: str) -> None:
    assert grows_evenly(lambda times: quality(PARENTAL, piece * times, LEAVE), 100)
