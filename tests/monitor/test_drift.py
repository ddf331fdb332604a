"""Charts raise false alarms as rarely as stated, and find a rise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.monitor import drift
from surefoot.monitor.drift import ANSWERS_PER_FALSE_ALARM, LEARNED_FROM, SHARES, Chart, Steps, average_run, charts


def test_both_promises_hold_for_a_known_rate() -> None:
    """At most one false alarm in 5,000 answers over all charts, and a rise from 3 % to 6 % found within 300."""
    assert sum(SHARES.values()) == pytest.approx(1)
    steps = drift.steps_for(0.03, ANSWERS_PER_FALSE_ALARM / SHARES["wrong"])
    assert average_run(0.03, steps) >= ANSWERS_PER_FALSE_ALARM / SHARES["wrong"]
    assert average_run(0.06, steps) < 300


def test_the_chain_gives_the_run_length_of_a_simulated_chart() -> None:
    steps, generator, runs = Steps(5, 1, 20), np.random.default_rng(0), list[int]()
    for _ in range(3_000):
        score = at = 0
        while score < steps.limit:
            score, at = max(0, score + (steps.up if generator.random() < 0.2 else -steps.down)), at + 1
        runs.append(at)
    assert average_run(0.2, steps) == pytest.approx(np.mean(runs), rel=0.06)
    equations = np.array([[0.5, -0.5], [-0.5, 1.0]])  # up or down by one, from zero or one, with a limit of two
    assert average_run(0.5, Steps(1, 1, 2)) == pytest.approx(np.linalg.solve(equations, [1, 1])[0])


@settings(max_examples=25, deadline=None)
@given(st.floats(0.005, 0.8), st.sampled_from([500.0, 7_143.0]))
def test_no_limit_is_lower_than_the_false_alarms_allow(rate: float, run_length: float) -> None:
    steps = drift.steps_for(rate, run_length)
    assert average_run(rate, steps) >= run_length
    assert steps.limit == steps.up or average_run(rate, Steps(steps.up, steps.down, steps.limit - 1)) < run_length
    assert rate < drift.watched(rate) < 1


def fed(chart: Chart, rate: float, answers: int, seed: int = 1) -> list[int]:
    events = np.random.default_rng(seed).random(answers) < rate
    return [at for at, event in enumerate(events.tolist(), 1) if chart.count(event, at)]


def test_an_alarm_is_raised_once_and_ends_when_all_is_as_before() -> None:
    chart = charts({"wrong": 0.03})["wrong"]
    assert not fed(chart, 0.03, 1_000)
    (at,) = fed(chart, 0.12, 400)
    assert at < 300 and chart.alarm is not None and chart.alarm.rate > 0.06 and chart.alarm.at == at
    assert "ALERT: wrong: about" in chart.alarm.line and "3.0% is usual" in chart.alarm.line
    fed(chart, 0.12, 2_000)
    told = [alert for at in range(1_000) if (alert := chart.count(at % 50 == 0, 3_400 + at, f"minute {at}"))]
    (over,) = told
    assert over.is_over and over.line.startswith("over: wrong: about 1.5% of 198 evenly")
    assert over.time == f"minute {over.at - 3_400}", "its own time and the rate by then, not those of the alarm"
    assert len(fed(chart, 0.12, 400)) == 1


@pytest.mark.parametrize("bucket", SHARES)
@pytest.mark.parametrize("rate", [0.0, 0.5, 0.79, 0.9, 0.99, 0.9999, 1.0])
def test_whatever_is_usual_charts_are_quick_and_quiet(bucket: str, rate: float) -> None:
    known, learning = charts({bucket: rate})[bucket], charts()[bucket]
    assert not fed(known, rate, 1_000) and not fed(learning, rate, 1_100)
    assert (known.steps is None) == (learning.steps is None) == (rate > 0.8), "no room for a rise"
    assert known.level < 1 and learning.level < 1
    if known.steps is not None:
        assert fed(known, 1.0, 1_000) and known.level == 1


def test_what_is_usual_is_learned_cautiously_and_better_with_time() -> None:
    chart, rates = charts()["wrong"], list[float]()
    for _ in range(9):
        fed(chart, 0.03, LEARNED_FROM, seed=len(rates))
        assert chart.rate is not None
        rates.append(chart.rate)
    assert len(set(rates)) == 4 and chart.due is None  # at 1,000, 2,000, 4,000 and 8,000 answers
    assert chart.events / chart.answers < rates[-1] < chart.events / chart.answers + 0.003
    assert drift.cautious(3, 100) > drift.cautious(30, 1_000) > drift.cautious(300, 10_000) > 0.03
    assert charts({"wrong": 0.0})["wrong"].rate == drift.cautious(0, 10**6)
