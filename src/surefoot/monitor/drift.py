"""Has a bucket become commoner than it was? A Bernoulli CUSUM chart for each (ADR 24).

An answer in the bucket lifts the score of its chart, any other lowers it, never below zero nor above the limit. There
is an alarm at the limit, which ends when the score is back at zero. The limit is computed from the Markov chain of the
score: an unchanged rate reaches it no more often than stated. That holds for an even sample, and a chart is shown no
other answers.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log

import numpy as np
from msgspec import Struct

from surefoot.core.intervals import beta_quantile

ANSWERS_PER_FALSE_ALARM = 5_000  # answers of the even sample, over all charts
# Which part of the false alarms each chart may raise. Wrong answers are to be found soonest.
SHARES = {"wrong": 0.7, "unsupported": 0.1, "refused": 0.1, "ungraded": 0.1}
LEARNED_FROM, LEARNED_UNTIL = 1_000, 8_000  # answers of the even sample, where no reference is given
_CAUTION = 0.8  # a reference from few answers may be too low: it is taken at this quantile of what it may be
_RAREST = 0.005  # rates below are watched as if they were this
_COMMONEST = 0.8  # a bucket with most of all answers has no room to become much commoner: it is not watched
_LEAST_RISE, _LARGEST_RISE = 0.01, 0.10
_FINEST = 5  # steps up or down, at least, in the larger of the two


class Steps(Struct, frozen=True):
    """How far an answer in the bucket lifts the score and any other lowers it, and where the alarm is."""

    up: int
    down: int
    limit: int


class Alert(Struct, frozen=True):
    """A bucket became commoner, or is as common as before. `rate` is that of the latest `since` answers of the even
    sample: those in which the score rose from zero to the limit, or fell from there to zero."""

    bucket: str
    reference: float
    rate: float
    since: int
    at: int  # graded answers in all
    time: str = ""  # ISO 8601
    is_over: bool = False

    @property
    def words(self) -> str:
        when = f" ({self.time})" if self.time else ""
        return (
            f"{self.bucket}: about {self.rate:.1%} of {self.since:,} evenly sampled answers in a row, where "
            f"{usual(self.reference)}{when}"
        )

    @property
    def line(self) -> str:
        """As it is announced."""
        return f"{'over' if self.is_over else 'ALERT'}: {self.words}"


class Chart(Struct):
    """One bucket under watch. Unless it is given, the reference is learned: from the first answers, and again whenever
    there are twice as many, as long as there is no alarm."""

    bucket: str
    rate: float | None = None  # the reference, once there is one
    events: int = 0  # from which it is learned
    answers: int = 0
    due: int | None = LEARNED_FROM  # answers from which it is learned next; None where it is settled
    score: int = 0
    run_events: int = 0  # since the score was at zero, or at the limit
    run_length: int = 0
    alarm: Alert | None = None  # until the score is back at zero

    def count(self, in_bucket: bool, at: int, now: str = "") -> Alert | None:
        """One more answer of the even sample, the `at`th that was graded; the alarm that it raises or ends."""
        if self.due is not None and self.alarm is None:
            self._learn(in_bucket, self.due)
        steps = self.steps
        if self.rate is None or steps is None:
            return None
        self.score = max(0, min(self.score + (steps.up if in_bucket else -steps.down), steps.limit))
        self.run_events, self.run_length = self.run_events + in_bucket, self.run_length + 1
        if 0 < self.score < steps.limit:
            return None
        rate, since, is_over = self.run_events / self.run_length, self.run_length, self.score == 0
        self.run_events = self.run_length = 0
        if is_over == (self.alarm is None):
            return None
        news = Alert(self.bucket, self.rate, rate, since, at, now, is_over)
        self.alarm = None if is_over else news
        return news

    @property
    def steps(self) -> Steps | None:
        """None while the reference is not known, and where it leaves no room for a rise."""
        if self.rate is None or self.rate > _COMMONEST:
            return None
        return steps_for(self.rate, ANSWERS_PER_FALSE_ALARM / SHARES[self.bucket])

    @property
    def level(self) -> float:
        """How near an alarm is, which is at 1."""
        return self.score / self.steps.limit if self.steps else 0.0

    def _learn(self, in_bucket: bool, due: int) -> None:
        self.events, self.answers = self.events + in_bucket, self.answers + 1
        if self.answers == due:
            self.rate, self.due = cautious(self.events, self.answers), 2 * due if due < LEARNED_UNTIL else None


def charts(reference: dict[str, float] | None = None) -> dict[str, Chart]:
    """A chart for each bucket, with the rates that are known."""
    known = {bucket: max(_RAREST, rate) for bucket, rate in (reference or {}).items()}
    return {name: Chart(name, known[name], due=None) if name in known else Chart(name) for name in SHARES}


def cautious(events: float, answers: float) -> float:
    """The reference rate that so many answers tell of."""
    return max(_RAREST, beta_quantile(_CAUTION, events + 0.5, answers - events + 0.5))


def usual(rate: float) -> str:
    return f"{rate:.1%}{' or less' if rate <= _RAREST else ''} is usual"


def watched(rate: float) -> float:
    """The rate to be told from the reference: twice as much, but at least one point more and at most ten."""
    return rate + min(max(rate, _LEAST_RISE), _LARGEST_RISE)


@lru_cache(maxsize=256)
def steps_for(rate: float, run_length: float) -> Steps:
    """The chart that raises a false alarm once in `run_length` answers, or more rarely."""
    higher = watched(rate)
    up, down = log(higher / rate), log((1 - rate) / (1 - higher))
    unit = min(down, up, max(up, down) / _FINEST)
    lift, fall = max(1, round(up / unit)), max(1, round(down / unit))
    low, high = lift, 2 * lift
    while average_run(rate, Steps(lift, fall, high)) < run_length:
        low, high = high, ceil(1.5 * high)
    while low < high:
        middle = (low + high) // 2
        enough = average_run(rate, Steps(lift, fall, middle)) >= run_length
        low, high = (low, middle) if enough else (middle + 1, high)
    return Steps(lift, fall, low)


def average_run(rate: float, steps: Steps) -> float:
    """After how many answers, on average, a score that begins at zero reaches the limit, where `rate` of all answers
    are in the bucket.

    From a score i the mean number L(i) is 1 + (1 - rate) L(i - down) + rate L(i + up): equations in a narrow band,
    which elimination without pivoting solves, as the diagonal dominates.
    """
    up, down, size = steps.up, steps.down, steps.limit
    left, right = np.eye(size), np.ones(size)
    rows = np.arange(size)
    np.subtract.at(left, (rows, np.maximum(rows - down, 0)), 1 - rate)
    np.subtract.at(left, (rows[: max(0, size - up)], rows[up:]), rate)
    for i in range(size - 1):
        for j in range(i + 1, min(i + down, size - 1) + 1):
            factor = left[j, i] / left[i, i]
            left[j, i : i + up + 1] -= factor * left[i, i : i + up + 1]
            right[j] -= factor * right[i]
    for i in range(size - 1, -1, -1):
        right[i] = (right[i] - left[i, i + 1 : i + up + 1] @ right[i + 1 : i + up + 1]) / left[i, i]
    return float(right[0])
