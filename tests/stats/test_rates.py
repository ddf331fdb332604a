from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest  # type: ignore[import-untyped, unused-ignore]

from surefoot.core.intervals import questions_to_be_sure, wilson


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(1, max(1, n - 1)), st.just(n))))
def test_wilson_agrees_with_scipy(pair: tuple[int, int]) -> None:
    successes, n = pair
    if successes == n:
        return
    low, high = wilson(successes, n)
    expected = binomtest(successes, n).proportion_ci(0.95, "wilson")
    assert low == pytest.approx(expected.low) and high == pytest.approx(expected.high)


@pytest.mark.parametrize(("n", "bound"), [(10, 0.259), (30, 0.095), (130, 0.023)])
def test_zero_events_have_the_exact_one_sided_bound(n: int, bound: float) -> None:
    low, high = wilson(0, n)
    assert low == 0 and high == pytest.approx(bound, abs=5e-4)
    low, high = wilson(n, n)
    assert high == 1 and low == pytest.approx(1 - bound, abs=5e-4)


@pytest.mark.parametrize(("limit", "needed"), [(0.05, 59), (0.02, 149)])
def test_how_many_clean_questions_prove_a_rate(limit: float, needed: int) -> None:
    assert questions_to_be_sure(0, limit) == needed
    assert wilson(0, needed)[1] <= limit < wilson(0, needed - 1)[1]
    assert questions_to_be_sure(1, 1 - limit) == needed


@given(st.integers(1, 99), st.integers(1, 99))
def test_that_many_questions_do_put_the_limit_outside_the_interval(share: int, limit: int) -> None:
    needed = questions_to_be_sure(share / 100, limit / 100)
    if needed is None:
        assert share == limit
        return
    n = needed * 100  # so that the share is a whole number of questions
    low, high = wilson(share * needed, n)
    assert limit / 100 <= low or limit / 100 >= high


def test_no_number_of_questions_settles_a_rate_on_its_limit_or_a_full_count() -> None:
    assert questions_to_be_sure(0.5, 0.5) is None
    assert questions_to_be_sure(0.9, 1.0) is None


def test_no_interval_without_observations() -> None:
    with pytest.raises(ValueError, match="observations"):
        wilson(0, 0)
