from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from surefoot.core.intervals import Numbers, kappas, percent_agreement, used_values
from surefoot.core.records import Value


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


@given(pairs)
def test_kappa_agrees_with_scikit_learn(some: list[tuple[int, int]]) -> None:
    mine, theirs = zip(*some, strict=True)
    assert kappas(table_of(some)) == pytest.approx(cohen_kappa_score(mine, theirs, labels=[0, 1, 2]))


@given(pairs)
def test_swapping_the_two_changes_nothing_and_shares_are_as_good_as_counts(some: list[tuple[int, int]]) -> None:
    table = table_of(some)
    alike = kappas(np.array([table, table.T, table / len(some)]))
    assert alike == pytest.approx(np.full(3, kappas(table)))


def test_what_was_used_at_all() -> None:
    assert used_values(np.array([[9.0, 0], [0, 0]])).tolist() == [0]
    assert used_values(np.array([[0.0, 3], [0, 0]])).tolist() == [0, 1]
    assert used_values(np.zeros((2, 2))).tolist() == []


def test_pairs_of_people_agree_or_do_not() -> None:
    units: list[dict[str, Value]] = [{"a": 1, "b": 1, "c": 2}, {"a": "x", "b": "x"}, {"a": 3}, {}]
    assert percent_agreement(units) == 2 / 4
    assert percent_agreement([{"a": 1}]) is None
