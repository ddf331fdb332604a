from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.sequential.planning import MOST_PAIRS, Plan, plan
from surefoot.stats.sequential import chance_of_rise, e_value, spent
from tests.growth import grows_evenly


@pytest.fixture(scope="module")
def usual() -> Plan:
    return plan(130, repeats=1, alpha=0.05, margin=0.02, rate=0.03, labels=50)


def test_at_130_questions_one_pair_ships_only_with_no_new_wrong(usual: Plan) -> None:
    assert usual.new_wrong_that_ship == 0
    assert usual.questions_to_ship is not None and 59 <= usual.questions_to_ship <= 130
    assert usual.detectable == pytest.approx(0.082, abs=0.001)
    few = plan(20, repeats=1, alpha=0.05, margin=0.02, rate=0.03, labels=50)
    assert few.new_wrong_that_ship is None and few.labels == ()


def test_three_times_as_much_wrong_is_blocked_within_five_runs(usual: Plan) -> None:
    tripled = next(change for change in usual.changes if change.after == pytest.approx(0.09))
    assert tripled.blocked[4].chance >= 0.95 and tripled.shipped[4].chance < 0.01
    unchanged = usual.changes[0]
    assert unchanged.after == unchanged.before == 0.03 and unchanged.blocked[4].chance < 0.03
    at_margin = next(change for change in usual.changes if change.after == pytest.approx(0.05))
    assert at_margin.shipped[4].chance <= 0.05, "running again does not help"


def test_more_runs_and_more_labels_tell_more(usual: Plan) -> None:
    for change in usual.changes:
        for chances in (change.blocked, change.shipped):
            assert [one.chance for one in chances] == sorted(one.chance for one in chances)
    assert [one.labels for one in usual.labels] == [50, 100]
    assert usual.labels[0].half_width > usual.labels[1].half_width > 0


@pytest.mark.parametrize(("rate", "margin"), [(0.0, 0.02), (1.0, 0.5), (0.4, 0.9)])
def test_odd_numbers_make_a_plan_too(rate: float, margin: float) -> None:
    made = plan(30, repeats=2, alpha=0.05, margin=margin, rate=rate, labels=10)
    assert made.pairs == 60 and made.changes[0].before == rate


def test_what_is_blocked_does_not_ship_at_a_wide_margin_either() -> None:
    made = plan(130, repeats=1, alpha=0.05, margin=0.5, rate=0.03, labels=50)
    most = made.new_wrong_that_ship
    assert most is not None and e_value(most, 0) < 1 / spent(0.05, 1) <= e_value(most + 1, 0)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.floats(0.005, 0.6), st.floats(1e-6, 0.5))
def test_the_most_new_wrong_that_ship(questions: int, margin: float, alpha: float) -> None:
    made = plan(questions, repeats=1, alpha=alpha, margin=margin, rate=0.0, labels=1)
    first = spent(alpha, 1)

    def ships(worse: int) -> bool:
        return chance_of_rise(worse, 0, questions, margin) <= first and e_value(worse, 0) < 1 / first

    most = made.new_wrong_that_ship
    assert not ships(0) if most is None else ships(most) and (most == questions or not ships(most + 1))
    assert (most is None) == (made.questions_to_ship is None or questions < made.questions_to_ship)


def test_repeats_and_runs_never_replace_questions(usual: Plan) -> None:
    repeated = plan(40, repeats=100, alpha=0.05, margin=0.02, rate=0.03, labels=50)
    assert repeated.new_wrong_that_ship is None and repeated.questions_to_ship == usual.questions_to_ship
    assert all(one.chance == 0 for change in repeated.changes for one in change.shipped)
    thrice = plan(130, repeats=3, alpha=0.05, margin=0.02, rate=0.03, labels=50)
    assert thrice.new_wrong_that_ship and thrice.new_wrong_questions_that_ship == usual.new_wrong_that_ship == 0


@pytest.mark.parametrize(("rate", "margin"), [(0.03, 0.02), (0.5, 0.02), (0.3, 1e-9), (0.3, 0.5)])
def test_a_large_plan_takes_little_more_work_than_a_small_one(rate: float, margin: float) -> None:
    def made(questions: int) -> Plan:
        return plan(questions, repeats=1, alpha=0.05, margin=margin, rate=rate, labels=50)

    assert made(MOST_PAIRS).changes[0].blocked[4].chance < 0.03
    assert grows_evenly(made, MOST_PAIRS // 4, at_most=2)
