from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from surefoot.stats.power import detectable_difference, fewest_pairs_that_ship, questions_for_difference
from surefoot.stats.sequential import rise_upper


def test_the_worked_numbers() -> None:
    assert questions_for_difference(0.03) == 969
    assert detectable_difference(130) == pytest.approx(0.082, abs=5e-4)


@given(st.floats(0.01, 0.3), st.integers(1, 5))
def test_that_many_questions_do_show_the_difference(d: float, repeats: int) -> None:
    n = questions_for_difference(d, s2a=0.1, s2b=0.1, ka=repeats, kb=repeats)
    assert detectable_difference(n, s2a=0.1, s2b=0.1, ka=repeats, kb=repeats) <= d
    if n > 1:
        assert detectable_difference(n - 1, s2a=0.1, s2b=0.1, ka=repeats, kb=repeats) > d


def test_it_agrees_with_statsmodels() -> None:
    n = NormalIndPower(ddof=0).solve_power(0.03 / (1 / 9) ** 0.5, alpha=0.05, power=0.8, ratio=0)
    assert questions_for_difference(0.03) == pytest.approx(n, abs=1)


def test_repeats_help_only_against_the_spread_of_answers() -> None:
    assert detectable_difference(130, s2a=0.1, ka=5) < detectable_difference(130, s2a=0.1)
    assert detectable_difference(130, ka=5) == detectable_difference(130)


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (1, 0), (3, 2), (10, 0)])
def test_how_many_pairs_it_takes_to_ship(worse: int, better: int) -> None:
    fewest = fewest_pairs_that_ship(worse, better, 0.02)
    assert fewest is not None
    assert rise_upper(worse, better, fewest, 0.05) <= 0.02 < rise_upper(worse, better, fewest - 1, 0.05)


def test_one_pair_of_runs_on_130_questions_ships_only_without_a_new_wrong_answer() -> None:
    none, one = (fewest_pairs_that_ship(worse, 0, 0.02) for worse in (0, 1))
    assert none is not None and one is not None and none <= 130 < one
    assert fewest_pairs_that_ship(0, 0, 1e-9) is None
