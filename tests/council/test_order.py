from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from surefoot.council import ranking
from surefoot.council.ranking import Standing, Table, standings, tied

from .helpers import given_to

SCORE = st.integers(2, 20).map(lambda half: half / 2)
LABELS = "ABCD"
TABLES = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.dictionaries(st.sampled_from(list(LABELS)), SCORE, min_size=1),
    min_size=1,
)


def order(table: Table) -> list[str]:
    return [one.label for group in standings(table) for one in group]


def borda(table: Table) -> dict[str, float]:
    return {one.label: one.borda for group in standings(table) for one in group}


def z_means(table: Table) -> dict[str, float | None]:
    return {one.label: one.z for group in standings(table) for one in group}


def levels(table: Table) -> dict[str, float]:
    return dict(zip(table, ranking.levels(given_to(table)), strict=True))


def test_borda_of_four_cities() -> None:
    ballots = [(42, "MNCK"), (26, "NCKM"), (15, "CKNM"), (17, "KCNM")]
    table = {
        f"{order}{i}": {label: float(4 - place) for place, label in enumerate(order)}
        for count, order in ballots
        for i in range(count)
    }
    assert borda(table) == {"M": 126, "N": 194, "C": 173, "K": 107}


def test_borda_shares_points_between_equals() -> None:
    assert borda({"r": {"A": 9, "B": 7, "C": 7}}) == {"A": 2, "B": 0.5, "C": 0.5}


def test_a_vote_that_is_left_out_moves_nobody_in_borda() -> None:
    full = {"a": {"A": 9.0, "B": 7.0, "C": 5.0}, "b": {"A": 9.0, "B": 7.0, "C": 5.0}}
    own_left_out: Table = {"a": {"B": 7.0, "C": 5.0}, "b": {"A": 9.0, "C": 5.0}, "c": {"A": 9.0, "B": 7.0}}
    assert borda(full) == {"A": 4, "B": 2, "C": 0}
    assert borda(own_left_out) == {"A": 6, "B": 3, "C": 0}
    assert borda({"a": {"A": 9.0}, "b": {"B": 7.0}}) == {"A": 1, "B": 1}, "never compared"


def test_a_level_does_not_depend_on_which_answers_a_reviewer_left_out() -> None:
    """All three agree; each leaves out an own answer. The author of the best one is not the harshest."""
    quality = {"A": 9.0, "B": 6.0, "C": 3.0}
    table = {who: {label: q for label, q in quality.items() if label != who} for who in quality}
    assert levels(table) == pytest.approx({"A": 6, "B": 6, "C": 6})
    assert z_means(table)["B"] == pytest.approx(0, abs=1e-9) and order(table) == ["A", "B", "C"]
    harsh = {who: {label: q - (2 if who == "B" else 0) for label, q in row.items()} for who, row in table.items()}
    assert levels(harsh)["B"] == pytest.approx(levels(harsh)["A"] - 2)


def test_a_reviewer_who_hardly_tells_answers_apart_does_not_decide() -> None:
    table: Table = {"flat": {"A": 8, "B": 8, "C": 7.9}, "wide": {"A": 3, "B": 6, "C": 9}}
    flat, wide = ranking.shrunk_spreads(given_to(table))
    assert 0.5 < flat < wide and order(table)[0] == "C"


def test_a_harsh_reviewer_counts_as_much_as_a_generous_one() -> None:
    table: Table = {"harsh": {"A": 3, "B": 2}, "generous": {"A": 9, "B": 10}}
    assert standings(table)[0][0].z == pytest.approx(0)
    assert len(standings(table)) == 1


def test_z_and_borda_that_disagree_make_a_tie() -> None:
    """Two prefer B by a hair, one prefers A by a lot."""
    table: Table = {"r1": {"A": 8.0, "B": 8.1}, "r2": {"A": 8.0, "B": 8.1}, "r3": {"A": 9.0, "B": 3.0}}
    found = standings(table)
    assert [{one.label: one.borda for one in group} for group in found] == [{"A": 1, "B": 2}]


def test_ties_are_neighbours_and_groups_keep_the_order() -> None:
    def standing(label: str, z: float, points: float) -> Standing:
        return Standing(label, 5.0, z, points)

    ordered = [standing("A", 1.0, 9), standing("B", 0.5, 3), standing("C", 0.4, 4), standing("D", 0.3, 4)]
    assert [[one.label for one in group] for group in tied(ordered)] == [["A"], ["B", "C", "D"]]
    assert [[one.label for one in group] for group in tied(ordered[:2])] == [["A"], ["B"]]


def test_without_a_spread_the_plain_mean_decides() -> None:
    found = standings({"a": {"B": 7.0}, "b": {"A": 8.0}})
    assert [(one.label, one.z, one.mean) for [one] in found] == [("A", None, 8), ("B", None, 7)]


def test_equal_answers_are_tied_in_the_order_of_their_labels() -> None:
    table: Table = {"r1": {"C": 7, "A": 7, "B": 7}, "r2": {"B": 7, "C": 7, "A": 7}}
    assert order(table) == ["A", "B", "C"] and len(standings(table)) == 1


@given(TABLES, st.permutations(list(LABELS)))
def test_neither_names_nor_their_order_matter(table: Table, names: list[str]) -> None:
    rows = [(who, dict(reversed(row.items()))) for who, row in reversed(table.items())]
    assert order(dict(rows)) == order(table)
    renamed = dict(zip(LABELS, names, strict=True))
    other = {who: {renamed[label]: value for label, value in row.items()} for who, row in table.items()}
    groups = [{renamed[one.label] for one in group} for group in standings(table)]
    assert [{one.label for one in group} for group in standings(other)] == groups


@given(TABLES, SCORE)
def test_moving_a_reviewers_level_moves_no_z(table: Table, shift: float) -> None:
    """Where everybody scored everything."""
    full = {who: dict.fromkeys(LABELS, 5.0) | row for who, row in table.items()}
    first = next(iter(full))
    moved = full | {first: {label: value + shift for label, value in full[first].items()}}
    assert z_means(moved) == pytest.approx(z_means(full), abs=1e-6)


@given(TABLES)
def test_an_answer_that_all_prefer_is_first(table: Table) -> None:
    full: Table = {who: {**dict.fromkeys(LABELS, 5.0), **row, "Z": 11.0} for who, row in table.items()}
    assume(full)
    assert order(full)[0] == "Z" and len(standings(full)[0]) == 1
