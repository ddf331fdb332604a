"""One change, one interval."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.gate.change import Answer, Draws, Evidence, Occurrence, draw
from surefoot.gate.judge import Request, spent
from surefoot.gate.metrics import Value

from .helpers import changed, decide, interval, run_of

WORTH: dict[Value, float] = {"correct": 0.0, "wrong": 1.0}
quick = settings(max_examples=5)
answer = st.tuples(
    st.integers(0, 4),  # question
    st.sampled_from([0, 1, None]),  # side
    st.sampled_from(["correct", "wrong", None]),  # verdict
    st.sampled_from(["correct", "wrong", None, None]),  # label
    st.booleans(),
)


def evidence(given: Sequence[tuple[int, int | None, str | None, str | None, bool]], attempts: int = 2) -> Evidence:
    answers = [
        Answer(f"{i:03}", side, verdict, label, drawn and label is not None)
        for i, (_, side, verdict, label, drawn) in enumerate(given)
    ]
    occurrences = [
        Occurrence(question, place, number)
        for number, (question, side, *_) in enumerate(given)
        for place in ((0, 1) if side is None else (side,))
    ]
    return Evidence(answers, occurrences, 5, WORTH, (attempts, attempts))


def exchanged(one: Evidence) -> Evidence:
    return replace(
        one,
        answers=[replace(a, side=None if a.side is None else 1 - a.side) for a in one.answers],
        occurrences=[Occurrence(c.question, 1 - c.side, c.answer) for c in one.occurrences],
        attempts=one.attempts[::-1],
        deterministic=one.deterministic[::-1],
    )


def ends(draws: Draws, share: float = 0.05) -> tuple[float, float, float]:
    return draws.quantile(share), draws.mean, draws.quantile(1 - share)


@settings(max_examples=20)
@given(st.lists(answer, min_size=1, max_size=12), st.booleans())
def test_exchanging_the_sides_negates_the_interval(
    given: list[tuple[int, int | None, str | None, str | None, bool]], fixed: bool
) -> None:
    one = replace(evidence(given), deterministic=(fixed, False))
    low, mean, high = ends(draw(one))
    assert ends(draw(exchanged(one))) == pytest.approx((-high, -mean, -low), abs=1e-9)


letters = st.text("cw", min_size=6, max_size=6)


@quick
@given(letters, letters, letters, st.text("cw.", min_size=6, max_size=6))
def test_exchanging_two_runs_negates_the_interval(base: str, again: str, cand: str, labels: str) -> None:
    before = [run_of("a", base, labels), run_of("b", again)]
    after = [run_of("c", cand, labels[::-1])]
    low, change, high = interval(decide(before, after))
    assert interval(decide(after, before)) == pytest.approx((-high, -change, -low), abs=1e-6)


@quick
@given(letters, letters, st.text("cw", min_size=6, max_size=6), st.text("cw", min_size=6, max_size=6))
def test_all_labelled_and_deterministic_is_the_count(base: str, cand: str, truth: str, truth_after: str) -> None:
    found = decide(run_of("a", base, truth, deterministic=True), run_of("b", cand, truth_after, deterministic=True))
    exact = (truth_after.count("w") - truth.count("w")) / 6
    assert interval(found) == pytest.approx((exact, exact, exact), abs=1e-9)
    assert found.decision.outcome == ("BLOCK" if exact > 0 else "SHIP")


@quick
@given(letters, letters, st.text("cw.", min_size=6, max_size=6), st.permutations(range(3)))
def test_the_order_of_runs_does_not_matter(first: str, second: str, labels: str, order: list[int]) -> None:
    runs = [run_of("a", first, labels), run_of("b", second), run_of("c", first, labels[::-1])]
    base = run_of("base", second, "c" * 6)
    assert interval(decide(base, runs)) == interval(decide(base, [runs[place] for place in order]))
    assert interval(decide(runs, base)) == interval(decide([runs[place] for place in order], base))


@quick
@given(st.integers(0, 40), st.integers(0, 40), st.booleans())
def test_unlabelled_alarms_on_one_side_alone_do_not_block(alarms: int, labels: int, fixed: bool) -> None:
    """The labels are on answers that nobody was alarmed about: what an alarm is worth, nobody knows."""
    base = run_of("a", "c" * 40, "c" * labels + "." * (40 - labels), deterministic=fixed)
    cand = run_of("b", changed("c" * 40, range(alarms)), deterministic=fixed)
    assert decide(base, cand).decision.outcome != "BLOCK"
    assert decide(cand, base).decision.outcome != "BLOCK"


@quick
@given(st.data(), letters, letters, st.text("cw.", min_size=6, max_size=6), st.booleans())
def test_a_wrong_answer_more_never_turns_block_into_ship(
    data: st.DataObject, base: str, cand: str, labels: str, fixed: bool
) -> None:
    place = data.draw(st.integers(0, 5))
    people = changed(labels, [place])
    before = run_of("a", base, "c" * 6, deterministic=fixed)
    request = Request(margin=0.3)
    one = decide(before, run_of("b", cand, labels, deterministic=fixed), request)
    worse = decide(before, run_of("b", changed(cand, [place]), people, deterministic=fixed), request)
    assert (one.decision.outcome, worse.decision.outcome) != ("BLOCK", "SHIP")


def test_the_same_answers_on_both_sides_have_one_truth() -> None:
    """Nobody needs to know whether they are right: they are as right as before."""
    base, cand = (run_of(name, "cw" * 20, told="same", deterministic=True) for name in "ab")
    found = decide(base, cand)
    assert interval(found) == (0, 0, 0) and found.decision.outcome == "SHIP"


def test_running_again_narrows_the_interval_and_a_copy_does_not() -> None:
    texts = ["w" * 6 + "c" * 54, "c" * 6 + "w" * 6 + "c" * 48, "c" * 12 + "w" * 6 + "c" * 42]
    base = [run_of(f"a{i}", text, text) for i, text in enumerate(texts)]
    cand = [run_of(f"b{i}", text, text) for i, text in enumerate(texts)]
    z = NormalDist().inv_cdf(1 - spent(1))
    once, thrice = interval(decide(base[:1], cand[:1])), interval(decide(base, cand))
    assert thrice[2] > 0 and once[2] == pytest.approx(z / 60, rel=0.08)
    twice = interval(decide(base[:1], cand[1:2]))
    assert thrice[2] - thrice[0] < twice[2] - twice[0]
    copies = [replace(cand[0], name=f"copy{i}") for i in range(3)]
    assert interval(decide(base[:1], copies)) == once


def test_the_noise_of_running_once_is_that_of_what_moved() -> None:
    """(sum D^2 + 1) / n^2, where both were asked once; nothing where both always answer alike."""
    one = Evidence(
        [Answer(f"{side}{i:02}", side, "correct", "wrong" if side and i < 8 else "correct", True)
         for side in (0, 1) for i in range(50)],
        [Occurrence(i, side, side * 50 + i) for side in (0, 1) for i in range(50)], 50, WORTH,
    )  # fmt: skip
    assert draw(one).noise == pytest.approx((8 + 1) / 50**2)
    assert draw(replace(one, deterministic=(True, True))).noise == 0
    assert draw(replace(one, deterministic=(True, True))).quantile(0.9) == pytest.approx(8 / 50)


def test_no_share_moves_by_more_than_all_of_it() -> None:
    for before, after in (("ccc", "www"), ("ccw", "wwc")):
        low, change, high = interval(decide(run_of("a", before, before), run_of("b", after, after)))
        assert -1 <= low <= change <= high <= 1
