from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from surefoot.records import Interval, Value
from surefoot.stats.agreement import Level, Weights, ac1s, cohen_kappa, gwet_ac1, kappas, krippendorff_alpha

# Krippendorff's reliability data with four observers and twelve units; a dot is a unit that was not seen.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
TEXTBOOK = [
    {f"observer {at}": int(row[unit]) for at, row in enumerate(OBSERVERS) if row[unit] != "."} for unit in range(12)
]


def square(least: int) -> st.SearchStrategy[list[list[int]]]:
    def rows(size: int) -> st.SearchStrategy[list[list[int]]]:
        row = st.lists(st.integers(least, 30), min_size=size, max_size=size)
        return st.lists(row, min_size=size, max_size=size)

    return st.integers(2, 4).flatmap(rows)


def both_used(table: list[list[int]]) -> bool:
    """True when chance agreement is below 1."""
    counts = np.array(table)
    return bool(counts.sum()) and len(set(np.flatnonzero(counts.sum(0))) | set(np.flatnonzero(counts.sum(1)))) > 1


def numbers(interval: Interval | None) -> tuple[float, float, float]:
    assert interval is not None
    return interval.value, interval.low, interval.high


def test_cohens_worked_numbers() -> None:
    kappa = cohen_kappa([[20, 5], [10, 15]])
    assert kappa and kappa.value == pytest.approx(0.4)
    rare = cohen_kappa([[118, 5], [2, 0]])
    assert rare and rare.value == pytest.approx(-0.023, abs=5e-4)


@given(square(least=1), st.sampled_from(["none", "linear", "quadratic"]))  # with empty rows statsmodels warns
def test_kappa_agrees_with_statsmodels(table: list[list[int]], weights: Weights) -> None:
    found = cohen_kappa(table, weights)
    expected = cohens_kappa(np.array(table), wt=None if weights == "none" else "ca" if weights == "linear" else "fc")
    assert found and found.value == pytest.approx(expected.kappa, abs=1e-9)
    assert found.low == pytest.approx(max(-1, expected.kappa_low), abs=1e-6)
    assert found.high == pytest.approx(min(1, expected.kappa_upp), abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=60))
def test_kappa_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros((3, 3))
    for one, other in pairs:
        table[one, other] += 1
    found = cohen_kappa(table.tolist(), "quadratic")
    if found is None:
        assert len({value for pair in pairs for value in pair}) == 1
        return
    mine, theirs = zip(*pairs, strict=True)
    assert found.value == pytest.approx(cohen_kappa_score(mine, theirs, labels=[0, 1, 2], weights="quadratic"))


def test_shares_with_their_number_are_as_good_as_counts() -> None:
    table = [[40, 3], [6, 11]]
    shares = [[x / 60 for x in row] for row in table]
    assert numbers(cohen_kappa(shares, n=60)) == pytest.approx(numbers(cohen_kappa(table)))
    assert numbers(gwet_ac1(shares, n=60)) == pytest.approx(numbers(gwet_ac1(table)))


def test_many_tables_at_once() -> None:
    table = [[20, 5], [10, 15]]
    both = np.array([table, table], dtype=float)
    assert kappas(both) == pytest.approx([numbers(cohen_kappa(table))[0]] * 2)
    assert ac1s(both) == pytest.approx([numbers(gwet_ac1(table))[0]] * 2)


def test_there_is_no_kappa_where_one_category_is_all() -> None:
    assert cohen_kappa([[9, 0], [0, 0]]) is None
    assert cohen_kappa([[0, 0], [0, 0]]) is None
    assert gwet_ac1([[0, 0], [0, 0]]) is None
    assert gwet_ac1([[9]]) is None


def test_gwets_worked_number() -> None:
    found = gwet_ac1([[118, 5], [2, 0]])
    assert found and found.value == pytest.approx(0.941, abs=5e-4)


def test_the_error_of_ac1_is_that_of_leaving_out_one_answer_at_a_time() -> None:
    table = np.array([[30, 4, 1], [6, 20, 2], [0, 3, 14]], dtype=float)
    found, n, left_out = gwet_ac1(table.tolist()), table.sum(), []
    for cell in np.ndindex(table.shape):
        without = table.copy()
        without[cell] -= 1
        one = gwet_ac1(without.tolist()) if table[cell] else None
        left_out += [one.value] * int(table[cell]) if one else []
    error = np.sqrt((n - 1) / n * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    assert found and (found.high - found.low) / 2 / 1.959964 == pytest.approx(error, rel=0.02)


@given(square(least=0).filter(both_used))
def test_swapping_the_two_changes_nothing(table: list[list[int]]) -> None:
    turned = np.array(table).T.tolist()
    assert numbers(cohen_kappa(table)) == pytest.approx(numbers(cohen_kappa(turned)))
    assert numbers(gwet_ac1(table)) == pytest.approx(numbers(gwet_ac1(turned)))


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_textbook_data(level: Level, alpha: float) -> None:
    assert krippendorff_alpha(TEXTBOOK, level) == pytest.approx(alpha, abs=5e-4)


def test_words_are_ordered_as_told() -> None:
    words = {1: "no", 2: "hardly", 3: "partly", 4: "mostly", 5: "yes"}
    units: list[dict[str, Value]] = [{who: words[value] for who, value in unit.items()} for unit in TEXTBOOK]
    order = list(words.values())
    assert krippendorff_alpha(units, "ordinal", order=order) == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(units, "ordinal", order=order[:-1]) == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(units, "nominal") == pytest.approx(0.743, abs=5e-4)


@given(st.permutations(TEXTBOOK), st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_the_order_of_units_and_people_does_not_matter(units: list[dict[str, int]], level: Level) -> None:
    turned: list[dict[str, Value]] = [dict(reversed(unit.items())) for unit in units]
    assert krippendorff_alpha(turned, level) == pytest.approx(krippendorff_alpha(TEXTBOOK, level))


@pytest.mark.parametrize("units", [[], [{"a": 1}, {"b": 2}], [{"a": 1, "b": 1}, {"a": 1, "b": None}]])
def test_no_alpha_where_there_is_nothing_to_agree_on(units: list[dict[str, Value]]) -> None:
    assert krippendorff_alpha(units) is None
