from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from surefoot.core.draws import jeffreys


@given(st.integers(2, 2000).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_it_agrees_with_statsmodels(pair: tuple[int, int]) -> None:
    assert jeffreys(*pair) == pytest.approx(proportion_confint(*pair, method="jeffreys"), rel=1e-6)


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_holds_the_share_and_stays_within_0_and_1(pair: tuple[int, int]) -> None:
    low, high = jeffreys(*pair)
    assert 0 <= low <= pair[0] / pair[1] <= high <= 1


def test_the_ends_are_open_and_nothing_is_known_without_observations() -> None:
    assert jeffreys(0, 30)[0] == 0 and jeffreys(30, 30)[1] == 1
    assert jeffreys(0, 0) == (0, 1)
