from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surefoot.reviewers import bias
from surefoot.reviewers.bias import permuted_p, ranks, sign_flip_p
from surefoot.reviewers.order import Table, Vote


def votes(table: Table, own: tuple[str, ...] = ()) -> list[Vote]:
    return [
        Vote(who, label, value, value, scores={"accuracy": value}, own=f"{who}/{label}" in own)
        for who, row in table.items()
        for label, value in row.items()
    ]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_ranks(values: list[int]) -> None:
    assert ranks([float(value) for value in values]) == list(stats.rankdata(values))


def test_p_values_are_exact_where_answers_are_few() -> None:
    assert permuted_p([([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])]) == pytest.approx(2 / 120)
    assert sign_flip_p([1.0] * 6) == 2 / 64 and sign_flip_p([1.0] * 5) is None
    assert permuted_p([(range(30), range(30))]) == 1 / 10_000
    assert sign_flip_p([1.0, -1.0] * 20) == 1.0


def test_length_needs_five_answers_and_is_found_with_them() -> None:
    table: Table = {f"r{i}": {label: float(4 + place) for place, label in enumerate("ABCDE")} for i in range(3)}
    lengths = {label: 100 * (place + 1) for place, label in enumerate("ABCDE")}
    found = bias.length(table, lengths)
    assert found.value == pytest.approx(1) and found.p == pytest.approx(2 / 120) and found.n == 5
    few = bias.length({"r": {"A": 5.0, "B": 6.0}}, lengths)
    assert few.value is None and "needs 5" in few.reason
    flat = bias.length({"r": dict.fromkeys("ABCDE", 5.0)}, lengths)
    assert flat.value is None and "same" in flat.reason


def test_position_is_told_only_where_orders_differ() -> None:
    quality = {"A": 5.0, "B": 6.0, "C": 7.0, "D": 8.0}
    shown = {"r1": "ABCD", "r2": "DCBA", "r3": "BDAC", "r4": "CADB", "r5": "DABC", "r6": "CBDA"}
    table: Table = {
        who: {label: quality[label] - 0.5 * order.index(label) for label in quality} for who, order in shown.items()
    }
    found = bias.position(table, shown)
    assert found.value == pytest.approx(-0.5) and found.p is not None and found.p < 0.01
    same = bias.position(table, dict.fromkeys(shown, "ABCD"))
    assert same.value is None and "same order" in same.reason
    unknown = bias.position(table, {})
    assert unknown.value is None and "not known" in unknown.reason


def test_self_preference_is_measured_against_what_others_gave() -> None:
    table: Table = {who: dict.fromkeys("ABCDEF", 6.0) | {who.upper(): 9.0} for who in "abcdef"}
    all_votes = votes(table, tuple(f"{who}/{who.upper()}" for who in "abcdef"))
    found = bias.audit(all_votes, dict.fromkeys("ABCDEF", 10), {})
    assert found.self_preference.value == pytest.approx(3.0) and found.self_preference.p == 2 / 64
    assert len(found.own_votes) == 6
    generous = {"a": {"A": 9.0, "B": 9.0, "C": 9.0}, "b": {"A": 6.0, "B": 6.0, "C": 6.0}}
    told = bias.audit(votes(generous, ("a/A",)), dict.fromkeys("ABC", 10), {})
    assert told.self_preference.value == pytest.approx(0), "who gives everybody more does not favour himself"
    assert told.self_preference.p is None and "too few" in told.self_preference.reason
    assert bias.audit(votes(generous), dict.fromkeys("ABC", 10), {}).self_preference.value is None


def test_a_harsh_reviewer_is_found_and_an_interval_goes_with_it() -> None:
    table: Table = {f"r{i}": {label: 5.0 + place for place, label in enumerate("ABCDE")} for i in range(3)}
    table["harsh"] = {label: value - 3 for label, value in table["r0"].items()}
    found = {shift.reviewer: shift for shift in bias.shifts(table)}
    harsh = found["harsh"]
    assert harsh.verdict == "harsh" and harsh.shift is not None and -3 <= harsh.shift < -2
    assert harsh.low is not None and harsh.high is not None and harsh.low < harsh.shift < harsh.high < 0
    alone = bias.shifts({"r": {"A": 5.0, "B": 6.0}})
    assert alone[0].shift is None and alone[0].reason
    apart = bias.shifts(table | {"else": {"Z": 5.0}})
    assert next(one for one in apart if one.reviewer == "else").shift is None


def test_three_sound_reviewers_are_seldom_called_harsh_or_generous() -> None:
    chance, alarms = random.Random(5), 0
    for _ in range(200):
        quality = {label: chance.gauss(6.5, 1.2) for label in "ABCD"}
        table = {f"r{i}": {k: float(round(q + chance.gauss(0, 0.8))) for k, q in quality.items()} for i in range(3)}
        alarms += any(shift.verdict for shift in bias.shifts(table))
    assert alarms <= 16  # 5 % were 10


def test_reviewers_who_err_alike_are_worth_less() -> None:
    chance = random.Random(1)
    labels = [f"L{i}" for i in range(12)]
    quality = {label: chance.gauss(6, 1) for label in labels}
    shared = {label: chance.gauss(0, 1) for label in labels}
    sound: Table = {f"r{i}": {label: quality[label] + chance.gauss(0, 1) for label in labels} for i in range(4)}
    found = bias.effective_votes(sound, ())
    assert found.value == 4.0
    twins = sound | {
        name: {label: quality[label] + shared[label] + chance.gauss(0, 0.1) for label in labels} for name in ("x", "y")
    }
    value = bias.effective_votes(twins, ()).value
    assert value is not None and 4 < value < 5.5
    few = bias.effective_votes({who: {"L0": row["L0"]} for who, row in sound.items()}, ())
    assert few.value is None and "needs 3 reviewers" in few.reason


def test_identical_ballots_count_once() -> None:
    def of(who: str, *values: float) -> list[Vote]:
        names = ("accuracy", "clarity", "relevance")
        return [Vote(who, label, v, v, scores=dict.fromkeys(names, v)) for label, v in zip("AB", values, strict=True)]

    found = bias.audit([*of("x", 7, 8), *of("y", 7, 8), *of("z", 6, 8)], {"A": 1, "B": 2}, {})
    assert found.identical_ballots == (("x", "y"),) and found.effective_votes.value == 2.0


def test_nothing_to_look_at() -> None:
    found = bias.audit([], {}, {})
    assert found.reviewers == () and found.length.value is None and found.effective_votes.reason
