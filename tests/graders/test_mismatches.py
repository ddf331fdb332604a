"""A figure that the passage gives under another quantity's name."""

from __future__ import annotations

import pytest

from surefoot.graders.figures import misnamed
from surefoot.graders.judges import Pair
from surefoot.graders.local import LocalJudge

BASIN = "The basin is 5.2 metres in diameter."


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BASIN, "The radius is 5.2 m."),
        (BASIN, "The basin is 5.2 metres high."),
        ("The diameter is 5.2 m and the radius 2.6 m.", "The radius is 5.2 m."),
        ("Diameter: 5.2 m\nHeight: 3 m", "The height is 5.2 m."),
        ("The gate is 3 m wide and 2 m high.", "It is 3 m high."),
        ("A 3-metre-wide gate.", "The gate is 3 m high."),
        ("The net salary is EUR 3,000 per month.", "The gross salary is EUR 3,000."),
        ("Maximum load: 12 tonnes", "The minimum load is 12 tonnes."),
        ("You may take at most 5 days.", "You may take at least 5 days."),
        ("The median age is 40 years.", "The average age is 40 years."),
        ("The rent is EUR 900 a month.", "The weekly rent is EUR 900."),
        ("The rent is EUR 900 per month.", "The rent is EUR 900/year."),
        ("It costs EUR 100 plus VAT.", "It costs EUR 100 including VAT."),
        ("It costs EUR 100 exclusive of VAT.", "It costs EUR 100, inclusive of VAT."),
        ("It costs EUR 100 (VAT included).", "It costs EUR 100 before VAT."),
    ],
)
def test_the_figure_of_another_quantity(passage: str, claim: str) -> None:
    assert misnamed(passage, claim)


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        (BASIN, "The diameter is 5.2 m."),
        (BASIN, "The basin is 5.2 metres wide."),
        ("The width and height are 3 m and 2 m.", "The height is 2 m."),
        ("The gate is 3 m wide and 3 m high.", "The gate is 3 m high."),
        ("The annual fee is EUR 240 (EUR 20 per month).", "It costs EUR 20 a month."),
        ("The annual fee, which is EUR 500, is paid in monthly instalments.", "The annual fee is EUR 500."),
        ("The rent of EUR 900 is due on the first of every month.", "The monthly rent is EUR 900."),
        ("The quarterly revenue was EUR 5m.", "According to the annual report, revenue was EUR 5m."),
        ("Revenue rose 6% on a year earlier.", "Quarterly revenue rose 6%."),
        ("The crane lifts up to 12 tonnes.", "The maximum load is 12 tonnes."),
        ("Cash shall at no time be less than $15,000.", "It must hold at least $15,000 in cash."),
        ("At its maximum, the river reaches at least 5 m.", "The maximum is 5 m."),
        ("Limits: 120/min per key.", "Up to 120 requests a minute are allowed."),
        ("The price is EUR 100, plus VAT.", "It costs EUR 100 excluding VAT."),
        (
            "Net revenue was $5,240 million.",
            "$2,096 / $5,240 million is a gross margin of 40%.",
        ),
    ],
)
def test_the_figure_of_the_same_quantity(passage: str, claim: str) -> None:
    assert not misnamed(passage, claim)


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The basin is about 17 feet in diameter.", "supported"),
        ("The basin is about 15 feet in diameter.", "contradicted"),
    ],
)
def test_the_local_grader_sees_it(claim: str, label: str) -> None:
    assert LocalJudge().judge([Pair(BASIN, claim)])[0].label == label
