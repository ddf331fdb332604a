from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surefoot.stats.student import t_quantile


@given(st.sampled_from([0.55, 0.9, 0.975, 0.999, 0.99999]), st.integers(1, 40))
def test_students_t(share: float, freedom: int) -> None:
    assert t_quantile(share, freedom) == pytest.approx(float(stats.t.ppf(share, freedom)), rel=1e-6)
