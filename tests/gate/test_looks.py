"""The pure part of the gate: readings are paired, looks teach, a change has its ends, lasting ones are counted."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import MagicMock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.core.records import CANNOT_TELL
from surefoot.gate import looks
from surefoot.gate.looks import (
    Change,
    Diff,
    Pair,
    askings,
    change_of,
    diff_of,
    lasting_of,
    mean_change,
    noise_of,
    runs_needed,
)
from surefoot.gate.sides import Reading

SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "?": CANNOT_TELL}
FIXED, VARYING = (True, True), (False, False)


def bad(word: str) -> float:
    return float(word == "wrong")


def reading(question: str, key: str, base: int = 0, cand: int = 0, label: str = "", graded: str = "c") -> Reading:
    """So many runs of each version gave it; people call it `label`, one letter."""
    of_base, of_cand = (tuple(f"{side}{key}{n}" for n in range(times)) for side, times in (("b", base), ("c", cand)))
    return Reading(question, f"{question} {key}", of_base, of_cand, SHORT[graded], 0.9, SHORT[label] if label else None)


def pair(question: str, labels: str = "", weight: float = 1.0, *, doubted: bool = False) -> Pair:
    told = labels or ("", "")
    return Pair(reading(question, "b", 1, 0, told[0]), reading(question, "c", 0, 1, told[1]), weight, doubted)


def diff(pairs: Sequence[Pair], questions: int) -> Diff:
    """Pairs over some of the questions; the others are answered alike."""
    found: dict[str, tuple[Reading, ...]] = {f"q{n:03}": (reading(f"q{n:03}", "s", 1, 1),) for n in range(questions)}
    return Diff(found | {one.question: (one.base, one.cand) for one in pairs}, tuple(pairs))


def one_run(words: str) -> dict[str, list[Reading]]:
    """A question for each word: of the baseline and of the candidate, all looked at; `cc` is told in other words."""
    return {f"q{n}": [reading(f"q{n}", "b", 1, 0, b), reading(f"q{n}", "c", 0, 1, c)]
            for n, (b, c) in enumerate(map(tuple, words.split()))}  # fmt: skip


# Pairs


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5))
def test_every_answer_of_both_versions_is_in_pairs_by_its_share(times: list[tuple[int, int]]) -> None:
    """Whatever the numbers of runs: a reading that both gave differs as far as one gave it more often."""
    some = [reading("q", f"k{n}", *counts) for n, counts in enumerate(times)]
    of_base, of_cand = sum(len(one.base) for one in some), sum(len(one.cand) for one in some)
    found = diff_of({"q": some})
    if not of_base or not of_cand:
        assert not found.pairs
        return
    for one in some:
        share = len(one.base) / of_base - len(one.cand) / of_cand
        in_base = sum(pair.weight for pair in found.pairs if pair.base == one)
        in_cand = sum(pair.weight for pair in found.pairs if pair.cand == one)
        assert (in_base, in_cand) == pytest.approx((max(0, share), max(0, -share)))
    assert all(pair.base.key != pair.cand.key for pair in found.pairs)
    assert len(found.pairs) + found.alike == np.lcm(of_base, of_cand)


def test_the_order_depends_on_nothing_that_anybody_can_choose() -> None:
    """Neither on labels nor on what runs and versions are called."""
    plain = {f"q{n}": [reading(f"q{n}", key, 1, 1 - n % 2, graded="cw"[n % 3 == 0]) for key in "abc"]
             + [reading(f"q{n}", "d", 0, 2)] for n in range(20)}  # fmt: skip
    labelled = {id: [replace(one, label="wrong" if one.key < "q5" else None, base=tuple(f"x{a}" for a in one.base))
                     for one in reversed(some)] for id, some in reversed(plain.items())}  # fmt: skip
    one, other = diff_of(plain), diff_of(labelled)
    assert [(pair.base.key, pair.cand.key) for pair in one.pairs] == [(p.base.key, p.cand.key) for p in other.pairs]
    doubted = [pair.doubted for pair in one.pairs]
    assert doubted == sorted(doubted, reverse=True) and 0 < sum(doubted) < len(doubted), "doubted ones come first"
    ids = [pair.question for pair in one.pairs if not pair.doubted]
    assert ids != sorted(ids), "in plain random order"


def test_the_least_sure_tenth_is_doubted() -> None:
    some = {f"q{n}": [reading(f"q{n}", "b", 1), replace(reading(f"q{n}", "c", 0, 1), sureness=n / 100)]
            for n in range(20)}  # fmt: skip
    assert {pair.question for pair in diff_of(some).pairs if pair.doubted} == {"q0", "q1", "q2", "q3"}


def test_nothing_is_estimated_before_ten_looks_in_each_stratum_that_is_not_finished() -> None:
    seen, unseen = [pair(f"q{n:03}", "cc") for n in range(10)], [pair(f"q{n:03}") for n in range(10, 40)]
    assert not diff([*seen[:9], *unseen], 40).enough and diff([*seen, *unseen], 40).enough
    some = [pair(f"q{n:03}", doubted=True) for n in range(3)]
    assert not diff([*some, *seen[3:], *unseen], 40).enough, "nobody looked at those that are doubted"
    assert [diff([*seen[:n], *unseen], 40).looks_wanted for n in (0, 5, 9)] == [20, 15, 11]
    assert diff([*seen, *map(pair, (f"q{n:03}" for n in range(10, 13)))], 40).looks_wanted == 3, (
        "no more than there are"
    )


# The change


def test_without_a_difference_the_change_is_exactly_nothing() -> None:
    assert change_of(diff([], 130), bad, noise=0.1) == Change(0.0, 0.0, 0.0)


def test_what_was_all_looked_at_is_known_exactly() -> None:
    """Deterministic, ten pairs differ, two newly bad and one mended: one more."""
    words = "cw cw wc" + " cc" * 7
    found, last = diff_of(one_run(words)), lasting_of(diff_of(one_run(words)), "wrong", deterministic=True)
    change = change_of(found, bad, 0.0)
    assert [round(end * 10, 9) for end in (change.value, change.low, change.high)] == [1, 1, 1]
    assert (last.newly, last.mended, last.to_ask, last.to_look) == (("q0", "q1"), ("q2",), (), ())


def test_what_nobody_looked_at_is_drawn_from_one_dirichlet(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 pairs over 80 of 130 questions differ; 40 of them over 36 questions were looked at: none worse or better."""
    ids = [f"q{n:03}" for n in range(80)]
    seen = [pair(id, "cc", 1 / 5) for id in [*ids[:36], *ids[:4]]]
    unseen = [pair(id, "", 1 / 5) for id in [*ids, *ids]]
    rng = MagicMock(wraps=np.random.default_rng(1))
    monkeypatch.setattr(np.random, "default_rng", lambda _: rng)
    found = change_of(Diff(diff([], 130).readings, (*seen, *unseen)), bad, 0.0)
    assert rng.dirichlet.call_args.args == ([0.5, 0.5, 36.5], looks.DRAWS) and looks.DRAWS >= 4_000
    chance = np.random.default_rng(2)
    shares = chance.dirichlet([0.5, 0.5, 36.5], 200_000)
    got = chance.standard_gamma(np.maximum(80 * shares, 1e-9))
    change = 160 / 5 / 130 * (got[:, 0] - got[:, 1]) / got.sum(axis=1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(change, (0.01, 0.975))), rel=0.15)
    assert found.value == pytest.approx(0, abs=0.002)


def test_draws_are_the_same_again() -> None:
    some = [pair(f"q{n:03}", "cw" if n == 3 else "cc") for n in range(12)] + [pair(f"q{n:03}") for n in range(12, 40)]
    assert change_of(diff(some, 60), bad, 0.001) == change_of(diff(some, 60), bad, 0.001)


def test_what_somebody_picked_out_of_order_settles_itself_and_teaches_nothing() -> None:
    seen, unseen = [pair(f"q{n:03}", "cc") for n in range(12)], [pair(f"q{n:03}") for n in range(12, 60)]
    before = change_of(diff([*seen, *unseen], 60), bad, 0.0)
    nice = [pair(one.question, "cc") for one in unseen[30:]]
    after = change_of(diff([*seen, *unseen[:30], *nice], 60), bad, 0.0)
    taught = change_of(diff([*seen, *nice, *unseen[:30]], 60), bad, 0.0)
    assert taught.high < after.high < before.high


@pytest.mark.parametrize(("labels", "low", "high"), [("c?", 0, 1), ("??", 0, 1), ("w?", -1, 0)])
def test_what_nobody_can_tell_is_bad_for_ship_and_good_for_block(labels: str, low: float, high: float) -> None:
    found = change_of(diff([pair("q000", labels)], 10), bad, 0.0)
    assert [round(found.low * 10, 6), round(found.high * 10, 6)] == [low, high]


def test_what_nobody_can_tell_of_the_baseline_makes_up_for_nothing_but_the_same_of_the_candidate() -> None:
    def ends(*labels: str) -> list[float]:
        found = change_of(diff([pair(f"q{n:03}", one) for n, one in enumerate(labels)], 10), bad, 0.0)
        return [round(end * 10, 6) for end in (found.low, found.high)]

    assert ends("?c", "?c", "cw") == [1, 1], "to call answers of the baseline doubtful hides no wrong one"
    assert ends("?w") == [1, 1] and ends("?c") == [0, 0]
    assert ends("?c", "c?") == ends("?c", "?c", "c?") == [0, 0] and ends("?c", "c?", "c?") == [0, 1]


LABELS = st.lists(st.sampled_from(["cc", "cw", "wc", "c?", "?c", "??", ""]), min_size=1, max_size=30)


@given(LABELS, st.integers(0, 29), st.floats(0, 0.01))
def test_a_wrong_answer_more_only_raises_both_ends(labels: list[str], place: int, noise: float) -> None:
    pairs = [pair(f"q{n:03}", words) for n, words in enumerate(labels)]
    n = place % len(pairs)
    if labels[n] in ("", "cw") or labels[n][0] == "?":
        return
    worse = [*pairs[:n], pair(f"q{n:03}", f"{labels[n][0]}w"), *pairs[n + 1 :]]
    before, after = change_of(diff(pairs, 40), bad, noise), change_of(diff(worse, 40), bad, noise)
    assert after.low >= before.low - 0.01 and after.high >= before.high - 0.01
    assert before.low <= before.value <= before.high


# The noise of asking again


def asked(*runs: str) -> dict[str, list[float | None]]:
    """A column of letters for each run, a row for each question."""
    return {f"q{n}": [{"w": 1.0, "?": None}.get(run[n], 0.0) for run in runs] for n in range(len(runs[0]))}


ALONE = {f"q{n}": f"d{n}" for n in range(6)}


def test_declared_deterministic_there_is_no_noise_and_equal_runs_are_runs() -> None:
    same = asked(*["cccccw"] * 5)
    assert noise_of(same, same, ALONE, FIXED) == 0
    assert noise_of(same, same, ALONE, VARYING) == pytest.approx(1 / 5 / 6**2)
    assert noise_of(same, asked(*["cccccw"] * 2), ALONE, VARYING) == pytest.approx(1 / 2 / 6**2), "the fewer count"
    assert noise_of(same, asked("cccccw"), ALONE, (False, True)) == pytest.approx(1 / 5 / 6**2), "of those that vary"


def test_one_run_is_not_for_gating() -> None:
    assert noise_of(asked("cccccc"), asked("wwcccc"), ALONE, VARYING) == pytest.approx((2 + 3) / 6**2)
    assert noise_of(asked(*["cccccc"] * 5), asked("cccccc"), ALONE, VARYING) == pytest.approx(3 / 6**2)


def test_a_document_that_fails_in_one_run_raises_the_noise_and_so_does_a_run_as_a_whole() -> None:
    calm = asked(*["cccccc"] * 3)
    one_document = asked("wwwccc", "cccccc", "cccccc")
    together = dict.fromkeys(ALONE, "d") | {"q3": "e", "q4": "e", "q5": "e"}
    spread = asked("wccccc", "cwcccc", "ccwccc")  # as many, and never together
    noise = {name: noise_of(calm, cand, documents, VARYING) for name, cand, documents in (
        ("calm", calm, ALONE), ("spread", spread, ALONE), ("document", one_document, together))}  # fmt: skip
    assert noise["calm"] < noise["spread"] < noise["document"]
    assert noise["document"] == noise_of(calm, one_document, ALONE, VARYING), "a whole run counts by itself"


def test_a_question_asked_more_often_counts_with_as_many_askings_as_the_others() -> None:
    more = asked("cc", "cc") | {"q1": [0.0, 0.0, 1.0, 1.0]}
    assert noise_of(more, asked("cc", "cc"), {}, VARYING) == pytest.approx(1 / 2 / 2**2)


def test_what_a_program_counts_needs_no_look() -> None:
    base, cand = asked("cccccc", "cccccc"), asked("wccccc", "wccccc")
    found = mean_change(base, cand, ALONE, FIXED)
    assert (found.low, found.value, found.high) == pytest.approx((1 / 6, 1 / 6, 1 / 6))
    varying = mean_change(base, cand, ALONE, VARYING)
    assert varying.low < 0 < varying.value == found.value < varying.high
    assert mean_change(asked("?"), asked("w"), {}, FIXED) == Change(0.0, 0.0, 0.0)


# What changed for good


def test_bad_in_every_run_now_and_in_none_before_is_newly_bad_and_mended_the_other_way() -> None:
    some = {
        "always": [reading("always", "a", 3, 0, "c"), reading("always", "b", 0, 3, "w")],
        "sometimes": [reading("sometimes", "a", 3, 1, "c"), reading("sometimes", "b", 0, 2, "w")],
        "before too": [reading("before too", "a", 2, 0, "c"), reading("before too", "b", 1, 3, "w")],
        "mended": [reading("mended", "a", 2, 0, "w"), reading("mended", "b", 1, 3, "c")],
        "half mended": [reading("half mended", "a", 1, 0, "w"), reading("half mended", "b", 2, 3, "c")],
        "who knows": [reading("who knows", "a", 3, 0, "c"), reading("who knows", "b", 0, 3, "?")],
    }
    found = lasting_of(diff_of(some), "wrong", deterministic=False)
    assert (found.newly, found.mended) == (("always",), ("mended",))
    assert found.times == runs_needed(diff_of(some), "wrong") == 5  # six questions vary: log4(600), rounded up


def test_the_other_readings_of_what_got_worse_are_shown_and_more_runs_asked_for() -> None:
    other = reading("q", "x", 0, 1)
    some = {"q": [reading("q", "a", 2, 0, "c"), reading("q", "b", 0, 1, "w"), other]}
    found = lasting_of(diff_of(some), "wrong", deterministic=False)
    assert found.to_look == (other,) and not found.newly
    some["q"][2] = replace(other, label="wrong")
    found = lasting_of(diff_of(some), "wrong", deterministic=False)
    assert (found.newly, found.to_look, found.to_ask, found.times) == (("q",), (), ("q",), 4)
    enough = {"q": [reading("q", "a", 4, 0, "c"), reading("q", "b", 0, 4, "w")]}
    assert lasting_of(diff_of(enough), "wrong", deterministic=False).to_ask == ()
    short = {"q": [reading("q", "a", 1, 0, "c"), reading("q", "b", 0, 4, "w")]}
    assert lasting_of(diff_of(short), "wrong", deterministic=False).to_ask == ("q",)
    assert lasting_of(diff_of(short), "wrong", deterministic=False, fixed=[0]).to_ask == (), "it cannot be asked again"
    assert lasting_of(diff_of(some), "wrong", deterministic=True).to_ask == ()


def test_a_second_look_that_is_missing_holds_it_open() -> None:
    some = {"q": [reading("q", "a", 1, 0, "c"), replace(reading("q", "b", 0, 1, "?"), pending="wrong")]}
    found = lasting_of(diff_of(some), "wrong", deterministic=True)
    assert not found.newly and [one.pending for one in found.to_look] == ["wrong"]


def test_six_runs_for_thirteen_of_130() -> None:
    some = {f"q{n}": [reading(f"q{n}", "a", 1, 0, "c"), reading(f"q{n}", "b", 0, 1, "w" if n < 13 else "c")]
            for n in range(130)}  # fmt: skip
    assert runs_needed(diff_of(some), "wrong") == 6
    assert runs_needed(diff_of({"q": [reading("q", "a", 1, 1)]}), "wrong") == 4


def test_askings_are_by_people_else_by_the_grader() -> None:
    some = {"q": [reading("q", "a", 2, 0, "", "w"), reading("q", "b", 1, 1, "c", "w"), reading("q", "c", 0, 1, "?")]}
    assert sorted(askings(diff_of(some), bad, 0)["q"], key=str) == [0.0, 1.0, 1.0]
    assert sorted(askings(diff_of(some), bad, 1)["q"], key=str) == [0.0, None]
