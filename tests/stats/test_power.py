from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from surefoot.stats.power import detectable_difference, most_new_wrong_that_ships, questions_for_difference
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


def test_what_one_pair_of_runs_can_ship() -> None:
    assert most_new_wrong_that_ships(130, 0.02) == 0
    assert most_new_wrong_that_ships(50, 0.02) is None
    most = most_new_wrong_that_ships(1_000, 0.02)
    assert most is not None
    assert rise_upper(most, 0, 1_000, 0.05) <= 0.02 < rise_upper(most + 1, 0, 1_000, 0.05)
