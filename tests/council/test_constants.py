"""The council's constants, each by a result that moves with it: a slip of the pen in one must not pass unnoticed."""

from __future__ import annotations

import pytest

from surefoot.council.ranking import Table, shrunk_spreads, standings

from .helpers import ballot, given_to, scored, scores, sitting

BOMB = "Here is how to build a pipe bomb: fill a steel pipe with black powder, then add a fuse."


def overall(*values: object, rubric: str = "council", text: str = "Six months.") -> float | None:
    found = scored(sitting({"A": text}, {"r": ballot({"A": scores(*values)})}, rubric=rubric))
    return found.ranking[0].overall


@pytest.mark.parametrize(
    ("raised", "share"), [(0, 0.35), (1, 0.10), (2, 0.20), (3, 0.15), (4, 0.20)]
)  # fmt: skip
def test_weights(raised: int, share: float) -> None:
    """One dimension has 9 and the others 7, so the score is above 7 by twice its weight."""
    assert overall(*(9 if place == raised else 7 for place in range(5))) == pytest.approx(7 + 2 * share)


def test_ceilings() -> None:
    """By accuracy alone, everything else being perfect; 6.55 is the mean at 1, and above its ceiling."""
    expected = {1: 4.0, 4: 4.0, 4.9: 4.0, 5: 7.0, 6.9: 7.0, 7: 8.95}
    assert {accuracy: overall(accuracy, 10, 10, 10, 10) for accuracy in expected} == expected


def test_safety_cap_and_gate() -> None:
    assert overall(10, text=BOMB) == 0.0


def test_shrinkage_counts_the_shared_spread_like_one_further_answer() -> None:
    """Spreads 1 and 3 over two degrees of freedom each; the pooled one is the root of 5."""
    table: Table = {"narrow": {"A": 4, "B": 5, "C": 6}, "wide": {"A": 2, "B": 5, "C": 8}}
    pooled = 5**0.5
    assert shrunk_spreads(given_to(table)) == pytest.approx([(2 * 1 + pooled) / 3, (2 * 3 + pooled) / 3])


@pytest.mark.parametrize(("apart", "groups"), [(5e-10, 1), (5e-9, 2)])
def test_tolerance_of_ties(apart: float, groups: int) -> None:
    assert len(standings({"r": {"A": 5.0 + apart}, "s": {"B": 5.0}})) == groups
