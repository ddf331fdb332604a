from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import intervals as correction
from surefoot.core.intervals import Stratum, jeffreys, kappas, post_stratified

WORKED = [Stratum(13, 13, 9), Stratum(117, 37, 1)]


def confusion_draws(table: list[list[int]], answers: list[int], **more: Any) -> correction.Numbers:  # noqa: ANN401
    return correction.confusion_draws(np.array(table, dtype=float), np.array(answers, dtype=float), **more)


@st.composite
def strata(draw: st.DrawFn) -> list[Stratum]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        n = draw(st.integers(1, 500))
        m = draw(st.integers(0, n))
        found.append(Stratum(n, m, draw(st.integers(0, m))))
    return found


def test_the_worked_numbers_of_labels_drawn_by_verdict() -> None:
    rate = post_stratified(WORKED)
    assert rate.value == pytest.approx(0.105, abs=5e-4)
    assert (rate.low, rate.high) == pytest.approx((0.050, 0.187), abs=2e-3)
    assert post_stratified(WORKED) == rate  # the seed is fixed


@given(strata())
@settings(max_examples=20)
def test_the_rate_lies_inside_and_the_order_of_verdicts_hardly_matters(given: list[Stratum]) -> None:
    rate = post_stratified(given, draws=4_000)
    assert 0 <= rate.low <= rate.value <= rate.high <= 1
    turned = post_stratified(given[::-1], draws=4_000)
    assert turned.value == pytest.approx(rate.value)
    assert (turned.low, turned.high) == pytest.approx((rate.low, rate.high), abs=0.05)


@given(strata())
@settings(max_examples=20)
def test_the_rest_is_the_mirror_image(given: list[Stratum]) -> None:
    rate = post_stratified(given, draws=4_000)
    rest = post_stratified([Stratum(s.n, s.m, s.m - s.k) for s in given], draws=4_000)
    assert rest.value == pytest.approx(1 - rate.value)
    assert (1 - rest.high, 1 - rest.low) == pytest.approx((rate.low, rate.high), abs=0.05)


def test_one_verdict_with_every_answer_labelled_is_a_plain_share() -> None:
    for k in (0, 3, 40):
        rate = post_stratified([Stratum(40, 40, k)])
        assert (rate.low, rate.high) == pytest.approx(jeffreys(k, 40), abs=4e-3)


def test_a_verdict_nobody_gave_changes_nothing_and_one_nobody_labelled_hides_anything() -> None:
    assert post_stratified([*WORKED, Stratum(0, 0, 0)]) == post_stratified(WORKED)
    hidden = post_stratified([Stratum(50, 50, 0), Stratum(50, 0, 0)])
    assert hidden.low == 0 and hidden.high > 0.5
    with pytest.raises(ValueError, match="without answers"):
        post_stratified([Stratum(0, 0, 0)])


def test_sensitivity_is_put_back_to_the_run() -> None:
    # 100 flagged, all labelled, 60 bad; 900 passed, 100 labelled, 5 bad: as counted 60 of 65 are found
    draws = confusion_draws([[60, 40], [5, 95]], [100, 900])
    assert draws.shape == (20_000, 2, 2)
    assert draws.sum(axis=(1, 2)) == pytest.approx(1)
    found = draws[:, 0, 0] / draws[:, :, 0].sum(axis=1)
    assert float(found.mean()) == pytest.approx(60 / (60 + 45), abs=0.05)


def test_two_labels_have_the_same_rate_either_way() -> None:
    rate = post_stratified(WORKED)
    drawn = confusion_draws([[9, 4], [1, 36]], [13, 117], seed=3)[:, :, 0].sum(axis=1)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([rate.low, rate.high], abs=3e-3)


def test_what_was_never_seen_may_be_rare_or_impossible() -> None:
    table, answers = [[40, 0, 0], [0, 9, 0], [0, 0, 0]], [300, 20, 0]
    rare, impossible = (confusion_draws(table, answers, unseen=unseen, draws=2_000) for unseen in (True, False))
    assert (rare[:, 2] == 0).all()  # a verdict that nobody gave
    assert impossible[:, 0, 1:].max() == 0 and rare[:, 0, 1:].min() > 0
    assert kappas(impossible) == pytest.approx(1)
    assert np.quantile(kappas(rare), 0.025) < 0.95
    unlabelled = confusion_draws([[0, 0], [0, 5]], [10, 20], unseen=False, draws=2_000)
    assert unlabelled[:, 0, 0].std() > 0.05
