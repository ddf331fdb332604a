from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surefoot.core.draws import Influence, Pairs, interval, mean_of, pairs_of, reach, tau


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
def test_tau_of_answers_to_different_questions_is_kendalls(values: list[tuple[int, int]]) -> None:
    one, other = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    pairs = pairs_of(np.arange(len(values)), np.ones(len(values), dtype=bool))
    found = tau(pairs, pairs.signs(one), pairs.signs(other))
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found is not None
        assert found.value == pytest.approx(float(stats.kendalltau(one, other).statistic))


def test_where_a_question_has_two_answers_only_answers_to_the_same_question_are_compared() -> None:
    pairs = pairs_of(np.array([0, 0, 1, 1, 2]), np.array([True, True, True, True, True]))
    assert list(zip(pairs.one, pairs.other, strict=True)) == [(0, 1), (2, 3)]


def test_the_interval_of_tau_covers() -> None:
    luck, inside = np.random.default_rng(3), 0
    for _ in range(100):
        x = luck.normal(size=40)
        y = x + luck.normal(size=40)
        pairs = pairs_of(np.arange(40), np.ones(40, dtype=bool))
        found = tau(pairs, pairs.signs(x), pairs.signs(y))
        assert found is not None
        limits = interval(found)
        inside += limits.low <= 0.5 <= limits.high  # 2/pi asin(sqrt(1/2))
    assert inside >= 90


def test_figures_that_are_the_same_cost_no_more_than_one() -> None:
    luck = np.random.default_rng(1)
    values, given = luck.normal(size=(60, 20)), np.ones(60, dtype=bool)
    same = [mean_of(values[:, 0], given)] * 20
    different = [mean_of(column, given) for column in values.T]
    assert reach(same) == reach(same[:1]) < reach(different)
    assert 2.0 <= reach(same) <= 2.3
    assert 2.8 <= reach(different) <= 3.5  # by dividing alpha it were 3.2


def test_false_alarms_of_many_figures_are_rare_with_few_questions() -> None:
    luck, given, alarms = np.random.default_rng(2), np.ones(15, dtype=bool), 0
    for _ in range(200):
        figures = [mean_of(column, given) for column in luck.normal(size=(15, 30)).T]
        alarms += max(abs(one.strength) for one in figures) > reach(figures)
    assert alarms <= 20


def test_what_does_not_vary_is_certain() -> None:
    constant = mean_of(np.full(20, -1.0), np.ones(20, dtype=bool))
    assert (constant.error, constant.within(reach([constant])).high) == (0.0, -1.0)
    nothing = Influence(0.0, np.zeros(20), 20)
    assert nothing.strength == 0


def test_a_pair_may_be_kept_or_not() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([1, 2]), np.array([0, 1, 2]))
    assert list(pairs.at(np.array([False, True])).one) == [1]
