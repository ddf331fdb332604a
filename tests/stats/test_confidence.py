from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from surefoot.stats import confidence
from surefoot.stats.confidence import Bin

rows = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=60)


def reliability(said: list[float], right: list[bool], weights: list[float] | None = None) -> tuple[list[Bin], float]:
    members = [(str(at), str(at)) for at in range(len(said))]
    return confidence.reliability(said, right, weights or [1.0] * len(said), members, alike=0.0)


def conformal_threshold(
    said: list[float], wrong: list[bool], risk: float, weights: list[float] | None = None
) -> float | None:
    return confidence.conformal_threshold(said, wrong, risk, weights or [1.0] * len(said))


def test_bins_hold_every_answer_once() -> None:
    bins, _ = reliability([0.0, 0.05, 0.55, 0.56, 1.0], [False, False, True, False, True])
    assert [(b.low, b.n, b.agreed) for b in bins] == [(0.0, 2, 0.0), (0.5, 2, 0.5), (0.9, 1, 1.0)]
    assert bins[1].confidence == pytest.approx(0.555)
    assert bins[0].agreed_low == 0 < bins[0].agreed_high < 1


@given(rows)
def test_order_does_not_matter(pairs: list[tuple[float, bool]]) -> None:
    said, right = [s for s, _ in pairs], [r for _, r in pairs]
    one, other = reliability(said, right)[0], reliability(said[::-1], right[::-1])[0]
    assert [(b.n, b.agreed) for b in one] == [(b.n, b.agreed) for b in other]
    assert all(b.agreed_low <= b.agreed <= b.agreed_high for b in one)


def test_the_calibration_error() -> None:
    assert reliability([0.8] * 10, [True] * 8 + [False] * 2)[1] == pytest.approx(0)
    assert reliability([0.9] * 10, [True] * 5 + [False] * 5)[1] == pytest.approx(0.4)
    _, half = reliability([0.9, 0.9, 0.1, 0.1], [True, True, True, False])
    assert half == pytest.approx((0.1 * 2 + 0.4 * 2) / 4)


def test_a_weight_is_as_good_as_so_many_answers() -> None:
    said, right = [0.2, 0.4, 0.9, 0.9], [False, True, True, False]
    weights = [1.0, 3.0, 2.0, 1.0]
    many = [(s, r) for s, r, w in zip(said, right, weights, strict=True) for _ in range(int(w))]
    weighed, apart = reliability(said, right, weights)
    counted, as_far_apart = reliability([s for s, _ in many], [r for _, r in many])
    assert apart == pytest.approx(as_far_apart)
    assert [b.agreed for b in weighed] == pytest.approx([b.agreed for b in counted])


def test_answers_that_go_together_widen_the_interval() -> None:
    said, right, weights = [0.9] * 20, [True] * 15 + [False] * 5, [1.0] * 20
    apart, _ = reliability(said, right)
    [together], _ = confidence.reliability(said, right, weights, [("lease", "q1")] * 20, alike=0.0)
    assert together.agreed == apart[0].agreed and together.agreed_low < apart[0].agreed_low


def overconfident(n: int) -> tuple[list[float], list[bool]]:
    """Says x, is right with a chance of (1 + x) / 2 - 0.1."""
    generator = np.random.default_rng(0)
    said = generator.random(n).round(2).clip(0.01, 0.99)
    return said.tolist(), (generator.random(n) < (1 + said) / 2 - 0.1).tolist()


def test_the_curve_on_many_verdicts_is_scikit_learns() -> None:
    said, right = overconfident(400)
    weights = [1.0 + at % 3 for at in range(400)]
    curve = confidence.fit(said, right, weights)
    expected = IsotonicRegression(out_of_bounds="clip").fit(said, right, sample_weight=weights)
    asked = [0.0, 0.33, 0.5, 0.99, 1.0, *said]
    assert curve.kind == "isotonic" and list(curve.right) == sorted(curve.right)
    assert np.interp(asked, curve.confidences, curve.right) == pytest.approx(expected.predict(asked))


def test_platts_fit_has_the_highest_likelihood() -> None:
    said, right = overconfident(199)
    fit = confidence.fit(said, right, [3.0] * 199)
    x = np.log(np.array(said) / (1 - np.array(said)))
    yes, no = sum(right), len(right) - sum(right)
    target = np.where(right, (yes + 1) / (yes + 2), 1 / (no + 2))
    best = minimize(lambda ab: float((np.logaddexp(0, ab[0] * x + ab[1]) - target * (ab[0] * x + ab[1])).sum()), [1, 0])
    assert (fit.kind, fit.n) == ("platt", 199)
    assert (fit.slope, fit.intercept) == pytest.approx(tuple(best.x), abs=1e-3)


def test_the_worked_risk() -> None:
    """With 100 labels and alpha 0.05 at most 4 wrong answers may stay: 0.0405 of 100."""
    said = [i / 100 for i in range(100)]
    wrong = [i >= 90 for i in range(100)]
    threshold = conformal_threshold(said, wrong, 0.05)
    assert threshold == 0.95  # 96 to 99 stay
    kept = sum(bad and x > threshold for x, bad in zip(said, wrong, strict=True))
    assert kept / 100 <= 0.0405 < (kept + 1) / 100


def test_nobody_is_asked_where_nothing_is_wrong_and_all_where_labels_are_few() -> None:
    assert conformal_threshold([0.5] * 100, [False] * 100, 0.05) == 0
    assert conformal_threshold([0.5] * 10, [False] * 10, 0.05) is None
    assert conformal_threshold([], [], 0.05) is None


@given(rows, st.sampled_from([0.05, 0.1, 0.3]))
def test_the_threshold_is_the_lowest_that_keeps_the_promise(pairs: list[tuple[float, bool]], alpha: float) -> None:
    said, wrong = [s for s, _ in pairs], [w for _, w in pairs]
    threshold = conformal_threshold(said, wrong, alpha)

    def risk(at: float) -> float:
        return (sum(bad for x, bad in pairs if x > at) + 1) / (len(pairs) + 1)

    if threshold is None:
        assert risk(1) > alpha
        return
    assert risk(threshold) <= alpha
    assert all(risk(x) > alpha for x in said if x < threshold)


def test_the_promise_holds_for_new_answers() -> None:
    generator, wrong_and_unseen = np.random.default_rng(0), []
    for _ in range(400):
        said = generator.random(101)
        wrong = generator.random(101) < 0.6 * (1 - said)
        threshold = conformal_threshold(said[:100].tolist(), wrong[:100].tolist(), 0.1)
        assert threshold is not None
        wrong_and_unseen.append(wrong[100] and said[100] > threshold)
    assert np.mean(wrong_and_unseen) < 0.1 + 0.03


def test_weights_stand_for_answers_nobody_labelled() -> None:
    said, wrong = [i / 100 for i in range(100)], [i % 2 == 0 and i < 30 for i in range(100)]
    plain = conformal_threshold(said, wrong, 0.05)
    assert conformal_threshold(said, wrong, 0.05, weights=[7.0] * 100) == plain
    heavy = conformal_threshold(said, wrong, 0.05, weights=[5.0 if bad else 1.0 for bad in wrong])
    assert plain is not None and heavy is not None and heavy > plain
