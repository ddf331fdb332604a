from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from surefoot.records import Value
from surefoot.stats.agreement import Level, Numbers, Weights, ac1s, kappas, krippendorff_alpha, used_values

# Krippendorff's reliability data with four observers and twelve units; a dot is a unit that was not seen.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
TEXTBOOK = [
    {f"observer {at}": int(row[unit]) for at, row in enumerate(OBSERVERS) if row[unit] != "."} for unit in range(12)
]


def table_of(pairs: list[tuple[int, int]]) -> Numbers:
    table = np.zeros((3, 3))
    for one, other in pairs:
        table[one, other] += 1
    return table


pairs = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=60).filter(
    lambda some: len({value for pair in some for value in pair}) > 1
)


def test_worked_numbers() -> None:
    plain, rare = np.array([[20.0, 5], [10, 15]]), np.array([[118.0, 5], [2, 0]])
    assert kappas(plain) == pytest.approx(0.4)
    assert kappas(rare) == pytest.approx(-0.023, abs=5e-4)
    assert ac1s(rare) == pytest.approx(0.941, abs=5e-4)


@given(pairs, st.sampled_from(["none", "quadratic"]))
def test_kappa_agrees_with_scikit_learn(some: list[tuple[int, int]], weights: Weights) -> None:
    mine, theirs = zip(*some, strict=True)
    expected = cohen_kappa_score(mine, theirs, labels=[0, 1, 2], weights=None if weights == "none" else weights)
    assert kappas(table_of(some), weights) == pytest.approx(expected)


@given(pairs)
def test_swapping_the_two_changes_nothing_and_shares_are_as_good_as_counts(some: list[tuple[int, int]]) -> None:
    table = table_of(some)
    for coefficient in (kappas, ac1s):
        alike = coefficient(np.array([table, table.T, table / len(some)]))
        assert alike == pytest.approx(np.full(3, coefficient(table)))


def test_what_was_used_at_all() -> None:
    assert used_values(np.array([[9.0, 0], [0, 0]])).tolist() == [0]
    assert used_values(np.array([[0.0, 3], [0, 0]])).tolist() == [0, 1]
    assert used_values(np.zeros((2, 2))).tolist() == []


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_textbook_data(level: Level, alpha: float) -> None:
    assert krippendorff_alpha(TEXTBOOK, level) == pytest.approx(alpha, abs=5e-4)


def test_words_are_ordered_as_told() -> None:
    words = {1: "no", 2: "hardly", 3: "partly", 4: "mostly", 5: "yes"}
    units: list[dict[str, Value]] = [{who: words[value] for who, value in unit.items()} for unit in TEXTBOOK]
    order = list(words.values())
    assert krippendorff_alpha(units, "ordinal", order=order) == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(units, "ordinal", order=order[:-1]) == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(units, "nominal") == pytest.approx(0.743, abs=5e-4)


@given(st.permutations(TEXTBOOK), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_the_order_of_units_and_people_does_not_matter(units: list[dict[str, int]], level: Level) -> None:
    turned: list[dict[str, Value]] = [dict(reversed(unit.items())) for unit in units]
    assert krippendorff_alpha(turned, level) == pytest.approx(krippendorff_alpha(TEXTBOOK, level))


@pytest.mark.parametrize("units", [[], [{"a": 1}, {"b": 2}], [{"a": 1, "b": 1}, {"a": 1, "b": None}]])
def test_no_alpha_where_there_is_nothing_to_agree_on(units: list[dict[str, Value]]) -> None:
    assert krippendorff_alpha(units) is None
