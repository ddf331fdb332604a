from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.compare import Request, compare
from surefoot.gate import Rule
from surefoot.records import AxisRecord, Discordant
from surefoot.sequential.grader_error import chances_of_rise, doubt
from surefoot.stats.sequential import chance_of_rise

from .helpers import certificate, side, sure

NOTHING = Discordant(0, 0, 0)


def record(table: dict[str, dict[str, int]]) -> AxisRecord:
    return AxisRecord(n=1, kappa=None, table=table, answers=dict.fromkeys(table, 100))


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize(("worse", "better"), [(0, 0), (1, 0), (3, 3), (7, 1)])
def test_what_people_labelled_leaves_the_plain_chance(worse: int, better: int, margin: float) -> None:
    moves = {"correct!>wrong!": worse, "wrong!>correct!": better, "correct!>correct!": 130 - worse - better}
    (found,) = chances_of_rise(moves, "wrong", record({}), NOTHING, (margin,))
    assert found == pytest.approx(chance_of_rise(worse, better, 130, margin), abs=0.006)
    fixed = Discordant(worse, better, 130)
    assert chances_of_rise({}, "wrong", record({}), fixed, (margin,))[0] == pytest.approx(found, abs=0.006)


def test_one_answer_has_one_truth() -> None:
    poor = record({"correct": {"wrong": 5, "correct": 5}})
    same, other = ({f"correct{sign}correct": 130} for sign in "=>")
    clean = chance_of_rise(0, 0, 130, 0.02)
    assert chances_of_rise(same, "wrong", poor, NOTHING, (0.02,))[0] == pytest.approx(clean, abs=0.003)
    assert chances_of_rise(other, "wrong", poor, NOTHING, (0.02,))[0] > 0.2


def test_a_poor_grader_leaves_more_open_than_a_good_one() -> None:
    moves = {"correct>wrong": 8, "correct=correct": 122}
    graders = [record({**sure(100), "wrong": {"wrong": right, "correct": 20 - right}}) for right in (20, 10, 2)]
    chances = [chances_of_rise(moves, "wrong", grader, NOTHING, (0.0,))[0] for grader in graders]
    assert chances[0] > 0.99 and chances == sorted(chances, reverse=True) and chances[2] < 0.9


def test_doubt_is_largest_where_nobody_has_looked_or_people_are_split() -> None:
    table = {"wrong": {"wrong": 5, "correct": 5}, "correct": {"correct": 50}}
    known, split, unseen = (doubt(record(table), verdict, "wrong") for verdict in ("correct", "wrong", "refused"))
    assert known < 0.02 < split == unseen == 0.25


def test_labels_count_as_much_as_they_are_worth() -> None:
    """A thousand labels on one question are no thousand labels."""
    known = record({"correct": {"correct": 1_000}, "wrong": {"wrong": 1_000}})
    few = replace(known, worth={"correct": {"correct": 10.0}, "wrong": {"wrong": 2.5}})
    moves = {"correct>correct": 120, "wrong>wrong": 10}
    sure_of, unsure = (chances_of_rise(moves, "wrong", one, NOTHING, (0.02,))[0] for one in (known, few))
    assert sure_of < 0.03 < 0.1 < unsure
    assert doubt(known, "wrong", "wrong") < 0.001 < 0.1 < doubt(few, "wrong", "wrong")


cells = st.sampled_from([f"{a}{s}{b}" for a in ("correct", "wrong!") for b in ("wrong", "refused") for s in ">="])


@settings(max_examples=30)
@given(st.dictionaries(cells, st.integers(0, 60), max_size=5), st.integers(0, 20))
def test_chances_are_chances_and_fall_with_the_margin(moves: dict[str, int], labelled: int) -> None:
    found = chances_of_rise(moves, "wrong", record(sure(labelled)), NOTHING, (-0.5, 0.0, 0.02, 0.5))
    assert all(0 <= chance <= 1 for chance in found) and list(found) == sorted(found, reverse=True)


@pytest.mark.parametrize(("labels", "outcome"), [(55, "INCONCLUSIVE"), (100, "SHIP")])
def test_fifty_labels_are_few_to_ship_by(labels: int, outcome: str) -> None:
    """As docs/gate.md has it: ten of 300 are wrong before and after, and people have never contradicted the grader."""
    buckets = "c" * 290 + "w" * 10
    known = certificate({"correct": {"correct": labels - 10}, "wrong": {"wrong": 10}})
    rules = [Rule.parse("wrong <= baseline"), Rule.parse("unsupported <= baseline")]
    found = compare(side(buckets), side(buckets), rules, Request(certificates=[known], mode="sequential"))
    assert found.decision.outcome == outcome
