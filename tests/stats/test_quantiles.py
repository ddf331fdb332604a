from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surefoot.core.intervals import beta_quantile, t_quantile


@given(st.sampled_from([0.55, 0.9, 0.975, 0.999, 0.99999]), st.floats(1, 2000))
def test_students_t(share: float, freedom: float) -> None:
    assert t_quantile(share, freedom) == pytest.approx(float(stats.t.ppf(share, freedom)), rel=1e-6)


@given(st.sampled_from([0.001, 0.025, 0.5, 0.975]), st.floats(0.5, 5000), st.floats(0.5, 5000))
def test_the_beta_distribution(share: float, a: float, b: float) -> None:
    assert beta_quantile(share, a, b) == pytest.approx(float(stats.beta.ppf(share, a, b)), rel=1e-6, abs=1e-12)
