from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surefoot.stats import correction

rows = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=60)


def conformal_threshold(
    said: list[float], wrong: list[bool], risk: float, weights: list[float] | None = None
) -> float | None:
    return correction.conformal_threshold(said, wrong, risk, weights or [1.0] * len(said))


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
