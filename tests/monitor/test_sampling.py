"""Which answers are graded depends on their names alone, and rates are those of all traffic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.types import Trace
from surefoot.monitor import state as states
from surefoot.monitor.rates import COUNTED, Tally
from surefoot.monitor.sampling import STRATA, Design, Stratum, stratum_of
from surefoot.monitor.state import State

answers = st.lists(st.tuples(st.text(max_size=5), st.sampled_from(STRATA)), unique_by=lambda one: one[0], max_size=40)
graded = st.lists(st.tuples(st.sampled_from(STRATA), st.sampled_from([*COUNTED, None]), st.booleans()), max_size=30)


def chosen_of(design: Design, ones: list[tuple[str, Stratum]]) -> set[str]:
    state = State(design)
    return {name for name, stratum in ones if state.see(name, stratum) and design.choose(name, stratum)}


@given(answers, st.randoms(use_true_random=False), st.floats(0.01, 1), st.integers(-5, 5))
def test_order_and_repeats_do_not_matter(
    ones: list[tuple[str, Stratum]], shuffled: object, rate: float, seed: int
) -> None:
    design, again = Design(rate, seed), [*ones, *ones]
    shuffled.shuffle(again)  # type: ignore[attr-defined]
    assert chosen_of(design, ones) == chosen_of(design, again)
    state = State(design)
    assert sum(state.see(*one) for one in again) == len(ones) == sum(state.tally.seen.values())


def test_answers_are_chosen_as_often_as_stated() -> None:
    design = Design(0.05)
    for stratum in STRATA:
        found = [one for n in range(20_000) if (one := design.choose(f"t{n}", stratum))]
        assert len(found) / 20_000 == pytest.approx(design.probability(stratum), rel=0.1)
        assert {one.name for one in found if one.even} == {
            f"t{n}" for n in range(20_000) if design.choose(f"t{n}", "ordinary")
        }
    assert design.choose("t1", "flagged") == design.choose("t1", "flagged")
    assert {Design(0.05, seed).choose("t1", "flagged") is None for seed in range(9)} == {True, False}
    assert Design(1.0).choose("any", "ordinary") is not None
    with pytest.raises(UsageError, match="sampling rate"):
        Design(0.0)


@pytest.mark.parametrize(
    ("trace", "flagged", "stratum"),
    [
        (Trace(answer="Thirty days [d#1]."), False, "ordinary"),
        (Trace(answer="Thirty days [d#1]."), True, "flagged"),
        (Trace(answer="The documents do not say how long it runs."), False, "refused"),
        (Trace(answer="Thirty days", error="timeout"), False, "flagged"),
        (Trace(), False, "flagged"),
    ],
)
def test_strata(trace: Trace, flagged: bool, stratum: str) -> None:
    assert stratum_of(trace, flagged) == stratum


def tally_of(rows: list[tuple[Stratum, str | None, bool]]) -> Tally:
    tally = Tally()
    for stratum, bucket, is_graded in rows:
        tally.see(stratum)
        if is_graded:
            tally.grade(stratum, bucket)
    return tally


@settings(max_examples=30, deadline=None)
@given(graded)
def test_every_rate_lies_in_its_interval(rows: list[tuple[Stratum, str | None, bool]]) -> None:
    both = tally_of(rows)
    assert both.sampled == sum(both.buckets.values())
    for rate in both.rates().values():
        if rate.value is None or rate.low is None or rate.high is None:
            assert both.sampled == 0 and rate.reason
        else:
            assert 0 <= rate.low <= rate.value <= rate.high <= 1 and rate.n <= both.sampled + 1e-9


def test_rates_are_those_of_all_traffic() -> None:
    tally = Tally(
        {"ordinary": 9_000, "flagged": 1_000},
        {"ordinary": {"correct": 99, "wrong": 1}, "flagged": {"correct": 50, "wrong": 50}},
    )
    rate = tally.rates()["wrong"]
    assert rate.value == pytest.approx(0.9 * 0.01 + 0.1 * 0.5)
    assert 0.03 < (rate.low or 0) < 0.059 < (rate.high or 1) < 0.12
    assert rate.n == pytest.approx(10_000**2 / (9_000**2 / 100 + 1_000**2 / 100))
    none = tally.rates()["refused"]
    assert none.value == none.low == 0 and none.high == pytest.approx(1 - 0.05 ** (1 / rate.n))
    unknown = Tally({"ordinary": 50, "flagged": 50}, {"ordinary": {"wrong": 1, "correct": 9}}).rates()["wrong"]
    assert unknown.value == pytest.approx(0.1) and unknown.high is not None and unknown.high > 0.5
    assert Tally().rates()["wrong"].reason == "no new answer was seen"
    assert Tally({"ordinary": 50}).rates()["wrong"].reason == "no answer was sampled"


def test_a_state_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    design, path = Design(1.0), tmp_path / "state.json"
    assert State.load(path, design) is None
    whole, first = State(design), State(design)
    events = np.random.default_rng(0).choice(["correct", "wrong", "refused"], 3_000, p=[0.8, 0.1, 0.1]).tolist()
    for at, bucket in enumerate(events):
        for state in (whole, first):
            assert state.see(f"t{at}", "ordinary")
            if one := design.choose(f"t{at}", "ordinary"):
                state.grade(one, bucket)
        if at == 1_500:
            first.save(path)
            first = State.load(path, design) or State()
    assert first.to_bytes() == whole.to_bytes() and not first.see("t3", "ordinary")
    with pytest.raises(UsageError, match="--sample 1"):
        State.load(path, Design(0.5))
    path.write_text("{}")
    with pytest.raises(Incomplete, match="not the state of a monitor"):
        State.load(path, design)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_NAMES_KEPT", 100)
    state = State(Design(0.01))
    for n in range(1_000):
        assert state.see(f"t{n}", "ordinary")
        state = State.from_bytes(state.to_bytes()) if n % 70 == 0 else state
    assert not state.see("t950", "ordinary")
    assert sum(map(len, state.names.packed())) <= 8 * 200
