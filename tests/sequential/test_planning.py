from __future__ import annotations

import pytest

from surefoot.sequential.planning import Plan, plan


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
