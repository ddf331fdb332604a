"""Which answers are graded depends on their names alone, and rates are those of all traffic."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.types import Trace
from surefoot.io.traces import Span
from surefoot.monitor import state as states
from surefoot.monitor.state import COUNTED, STRATA, Design, State, Stratum, Tally, stratum_of
from surefoot.scoring.outcomes import Expected, read
from surefoot.text.refusals import detect

answers = st.lists(st.tuples(st.text(max_size=5), st.sampled_from(STRATA)), unique_by=lambda one: one[0], max_size=40)
graded = st.lists(st.tuples(st.sampled_from(STRATA), st.sampled_from([*COUNTED, None]), st.booleans()), max_size=30)


@given(answers, st.randoms(use_true_random=False), st.floats(0.01, 1))
def test_order_and_repeats_do_not_matter(ones: list[tuple[str, Stratum]], shuffled: object, rate: float) -> None:
    design, again = Design(rate), [*ones, *ones]
    shuffled.shuffle(again)  # type: ignore[attr-defined]
    state = State(None, design)
    new = [one for one in again if state.add(one[0])]
    state.close()
    assert sorted(new) == sorted(ones)
    assert {one for one in ones if design.choose(*one)} == {one for one in again if design.choose(*one)}


def test_answers_are_chosen_as_often_as_stated() -> None:
    design = Design(0.05)
    for stratum in STRATA:
        found = [one for n in range(20_000) if (one := design.choose(f"t{n}", stratum))]
        assert len(found) / 20_000 == pytest.approx(design.probability(stratum), rel=0.1)
        assert {one.name for one in found if one.even} == {
            f"t{n}" for n in range(20_000) if design.choose(f"t{n}", "ordinary")
        }
    assert design.choose("t1", "flagged") == design.choose("t1", "flagged")
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
    assert stratum_of(read(Expected(), trace, detect).outcome, flagged) == stratum


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
    assert Tally({"ordinary": 50}).rates()["wrong"].reason == "no answer was sampled"
    before = Tally({"ordinary": 9_000}, {"ordinary": {"correct": 90, "wrong": 1}})
    assert tally.since(before) == Tally(
        {"flagged": 1_000}, {"ordinary": {"correct": 9}, "flagged": {"correct": 50, "wrong": 50}}
    )
    assert (tally.since(before).rates()["wrong"].value or 0) > 0.4, "answers that were seen before, and graded now"


def test_a_state_goes_on_where_it_was_saved(tmp_path: Path) -> None:
    design, path = Design(1.0), tmp_path / "state.db"
    whole, first = State(None, design), State(path, design)
    events = np.random.default_rng(0).choice(["correct", "wrong", "refused"], 3_000, p=[0.8, 0.1, 0.1]).tolist()
    for at, bucket in enumerate(events):
        for state in (whole, first):
            with state.step(at_once=False):
                assert state.add(f"t{at}")
                if one := design.choose(f"t{at}", "ordinary"):
                    state.grade(one, bucket)
        if at == 1_500:
            first.save()
            first.close()
            first = State(path, design)
    assert first.kept == whole.kept and not first.add("t3")
    with pytest.raises(ZeroDivisionError), first.step():
        first.kept.tally.see("flagged")
        raise ZeroDivisionError
    assert not first.kept.tally.seen and first.undone == 1, "all of a step or nothing"
    first.close()
    with pytest.raises(UsageError, match="--sample 1"):
        State(path, Design(0.5))
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE runs (id TEXT)")
    other.close()
    for broken in ("{}", (tmp_path / "other.db").read_bytes().decode("latin1")):
        path.write_text(broken, encoding="latin1")
        with pytest.raises(Incomplete, match="not the state of a monitor"):
            State(path, design)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_NAMES_KEPT", 100)
    state = State(None, Design(0.01))
    for n in range(1_000):
        with state.step():
            assert state.add(f"t{n}")
    assert not state.add("t950") and state.add("t850")
    monkeypatch.setattr(states, "_MOST_SPANS", 5)
    assert [state.hold(Span("circle", str(n)), 0.0) for n in range(7)] == [True] * 5 + [False] * 2
    state.close()
