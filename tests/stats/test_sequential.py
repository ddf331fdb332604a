from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import beta

from surefoot.stats.sequential import _e_quotient, chance_of_rise, e_value, log_e_value, rise_upper, spent
from tests.growth import grows_evenly

counts = st.integers(0, 60)
margins = st.sampled_from([-0.1, -0.02, 0.0, 0.01, 0.02, 0.05, 0.3])


@pytest.mark.parametrize(
    ("worse", "better", "e"), [(0, 0, 1), (1, 0, 1.5), (5, 0, 10.5), (6, 0, 18.142857), (7, 0, 31.875)]
)
def test_the_worked_e_values(worse: int, better: int, e: float) -> None:
    assert e_value(worse, better) == pytest.approx(e, abs=1e-6)


@given(counts, counts)
def test_whole_numbers_give_what_the_integral_gives(worse: int, better: int) -> None:
    n = worse + better
    expected = (n + 1) * log(2) + betaln(worse + 1, better + 1) + beta.logsf(0.5, worse + 1, better + 1)
    assert log_e_value(worse, better) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert e_value(worse, better) == pytest.approx(exp(expected), rel=1e-6)


@given(counts, counts)
def test_evidence_grows_with_worse_and_shrinks_with_better(worse: int, better: int) -> None:
    assert e_value(worse + 1, better) > e_value(worse, better) > e_value(worse, better + 1)


@given(st.integers(0, 25), st.integers(0, 25))
def test_a_fair_bet_gains_nothing_on_average(worse: int, better: int) -> None:
    """So an unchanged pipeline reaches 1/alpha with a chance of at most alpha (Ville)."""
    assert (e_value(worse + 1, better) + e_value(worse, better + 1)) / 2 == pytest.approx(e_value(worse, better))


@pytest.mark.parametrize(("worse", "better"), [(201, 0), (0, 201), (101, 100), (100, 101), (900, 850), (700, 900)])
def test_large_counts_give_what_whole_numbers_give(worse: int, better: int) -> None:
    above, below = _e_quotient(worse, better)
    assert log_e_value(worse, better) == pytest.approx(log(above) - log(below), abs=1e-9)


def test_a_hundred_thousand_pairs_take_no_time() -> None:
    assert 1 < e_value(100_000, 90_000) < inf and 0 < e_value(90_000, 100_000) < 1
    assert grows_evenly(lambda size: e_value(10 * size, 9 * size), 10_000)


def test_no_number_is_too_large() -> None:
    assert e_value(3_000, 0) == inf
    assert log_e_value(3_000, 0) == pytest.approx(3_001 * log(2) - log(3_001))
    assert 0 < e_value(0, 3_000) < 1e-3


@pytest.mark.parametrize(("worse", "better", "upper"), [(0, 0, 0.012), (1, 0, 0.027), (3, 3, 0.033)])
def test_the_worked_upper_bounds(worse: int, better: int, upper: float) -> None:
    assert rise_upper(worse, better, 130, 0.05) == pytest.approx(upper, abs=5e-4)


@pytest.mark.parametrize(
    ("worse", "better", "pairs", "above"),
    [(0, 0, 130, 0.01), (1, 0, 130, 0.02), (3, 3, 130, 0.02), (12, 5, 650, 0.02), (4, 9, 130, -0.05), (2, 0, 3, 0.4)],
)
def test_the_chance_of_a_rise_is_that_of_draws(worse: int, better: int, pairs: int, above: float) -> None:
    drawn = np.random.default_rng(0).dirichlet([worse + 0.5, better + 0.5, pairs - worse - better + 1], 400_000)
    expected = (drawn[:, 0] - drawn[:, 1] > above).mean()
    assert chance_of_rise(worse, better, pairs, above) == pytest.approx(expected, abs=3e-3)


@given(counts, counts, st.integers(0, 400), margins)
def test_a_worse_pair_never_lowers_the_chance_and_a_better_one_never_raises_it(
    worse: int, better: int, same: int, above: float
) -> None:
    pairs = worse + better + same + 1
    chance = chance_of_rise(worse, better, pairs, above)
    assert 0 <= chance <= 1
    assert chance_of_rise(worse + 1, better, pairs, above) >= chance - 1e-5
    assert chance_of_rise(worse, better + 1, pairs, above) <= chance + 1e-5


@given(counts, counts, st.integers(0, 400), margins)
def test_a_rise_of_the_one_is_a_fall_of_the_other(worse: int, better: int, same: int, above: float) -> None:
    pairs = worse + better + same
    turned = 1 - chance_of_rise(better, worse, pairs, -above)
    assert chance_of_rise(worse, better, pairs, above) == pytest.approx(turned, abs=2e-5)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 400))
def test_the_upper_bound_is_where_the_chance_is_alpha(worse: int, better: int, same: int) -> None:
    pairs = worse + better + same
    upper = rise_upper(worse, better, pairs, 0.05)
    assert chance_of_rise(worse, better, pairs, upper) == pytest.approx(0.05, abs=1e-5)


def test_large_counts_are_no_trouble() -> None:
    assert chance_of_rise(900, 700, 400_000, 0.02) == pytest.approx(0, abs=1e-9)
    assert chance_of_rise(9_000, 500, 400_000, 0.02) == pytest.approx(1)
    assert 0.4 < chance_of_rise(9_000, 1_000, 400_000, 0.02) < 0.6


def test_more_pairs_differ_than_there_are() -> None:
    with pytest.raises(ValueError, match="more pairs"):
        chance_of_rise(3, 3, 5, 0.02)


def test_the_parts_of_alpha_add_up() -> None:
    assert spent(0.05, 1) == pytest.approx(0.0304, abs=5e-5)
    assert sum(spent(0.05, look) for look in range(1, 20_000)) == pytest.approx(0.05, abs=1e-5)
