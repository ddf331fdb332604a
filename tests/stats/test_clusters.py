from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem, t

from surefoot.core.intervals import Z, clustered_mean, clustered_share, wilson

scores = st.lists(st.floats(0, 1), min_size=1, max_size=3)
sets = st.dictionaries(st.sampled_from("abcdefghijkl"), scores, min_size=1)
clusters = st.dictionaries(st.sampled_from("abcdefghijkl"), st.sampled_from(["one", "two", "three"]))


def binary(values: str) -> dict[str, list[float]]:
    return {f"q{i}": [float(value)] for i, value in enumerate(values)}


@pytest.mark.parametrize("values", ["1101110111", "0000000001", "10"])
def test_questions_that_stand_for_themselves_have_wilsons_interval(values: str) -> None:
    total, n = values.count("1"), len(values)
    for cluster in ({}, {f"q{i}": f"d{i}" for i in range(n)}, dict.fromkeys(binary(values), "one document")):
        mean, low, high = clustered_share(binary(values), cluster)
        assert mean == pytest.approx(total / n)
        assert (low, high) == pytest.approx(wilson(total, n))


def test_repeats_are_averaged_first() -> None:
    once = clustered_share({"a": [1.0], "b": [0.0], "c": [1.0]}, {})
    thrice = clustered_share({"a": [1.0] * 3, "b": [0.0] * 3, "c": [1.0] * 3}, {})
    assert thrice == pytest.approx(once)
    split = clustered_share({"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 0.0]}, {})
    assert split[0] == 0.5
    assert split[1:] == pytest.approx(wilson(1.5, 3))  # never worth more than its questions


def test_the_interval_is_wilsons_for_what_the_documents_are_worth() -> None:
    values = {
        f"{doc}{i}": [float(i < right)] for doc, right in zip("abcde", (9, 5, 10, 3, 8), strict=True) for i in range(10)
    }
    mean, low, high = clustered_share(values, {question: question[0] for question in values})
    sums = [right - 10 * mean for right in (9, 5, 10, 3, 8)]
    error = sqrt(sum(x * x for x in sums)) / 50 * sqrt(5 / 4) * t.ppf(0.975, 4) / Z
    worth = mean * (1 - mean) / error**2
    assert worth < 10 < 50
    assert (low, high) == pytest.approx(wilson(mean * worth, worth), rel=1e-6)


@pytest.mark.parametrize(("value", "bound"), [(0.0, 0.023), (1.0, 0.977)])
def test_all_or_nothing_has_the_exact_bound_for_the_number_of_questions(value: float, bound: float) -> None:
    mean, low, high = clustered_share({f"q{i}": [value, value] for i in range(130)}, {"q1": "d", "q2": "d"})
    assert mean == value
    assert (high if value == 0 else low) == pytest.approx(bound, abs=5e-4)
    assert (low if value == 0 else high) == value


@given(sets, clusters)
def test_order_does_not_matter_and_the_estimate_lies_inside(values: dict[str, list[float]], of: dict[str, str]) -> None:
    mean, low, high = clustered_share(values, of)
    assert 0 <= low <= mean <= high <= 1
    backwards = {question: values[question][::-1] for question in reversed(values)}
    assert clustered_share(backwards, dict(reversed(of.items()))) == (mean, low, high)


def test_it_covers_with_few_documents_that_differ() -> None:
    generator, covered, tries = np.random.default_rng(0), 0, 400
    for _ in range(tries):
        rates = generator.beta(3.2, 0.8, 6)  # 0.8 on average, correlation 0.2 within a document
        values = {f"{d} {i}": [float(generator.random() < rate)] for d, rate in enumerate(rates) for i in range(10)}
        _, low, high = clustered_share(values, {question: question.split()[0] for question in values})
        covered += low <= 0.8 <= high
    assert covered / tries > 0.92


def test_no_interval_without_questions() -> None:
    with pytest.raises(ValueError, match="observations"):
        clustered_share({}, {})


def test_the_mean_of_scores_has_students_interval_and_clusters_widen_it() -> None:
    given_scores = [8.0, 6.5, 9.0, 4.0, 7.0, 7.5, 8.5, 3.0]
    questions = {f"q{place}": [score] for place, score in enumerate(given_scores)}
    mean, low, high = clustered_mean(questions, {}, 10)
    expected = t.interval(0.95, len(given_scores) - 1, loc=mean, scale=sem(given_scores))
    assert (low, high) == pytest.approx(expected, rel=1e-6)
    doubled = {f"{id}{copy}": values for id, values in questions.items() for copy in "ab"}
    _, once, _ = clustered_mean(doubled, {id: id[:-1] for id in doubled}, 10)
    _, apart, _ = clustered_mean(doubled, {}, 10)
    assert once < apart, "a question that is asked twice over is no more than one"
    assert once == pytest.approx(low, rel=0.02)
    assert clustered_mean({"a": [9.0], "b": [9.0]}, {}, 10)[1:] == pytest.approx((9 - Z / 2, 9 + Z / 2))
    assert clustered_mean({"a": [1.0], "b": [9.0]}, {}, 10) == (5, 0, 10) == clustered_mean({"a": [5.0]}, {}, 10)
    with pytest.raises(ValueError, match="without observations"):
        clustered_mean({}, {}, 10)
