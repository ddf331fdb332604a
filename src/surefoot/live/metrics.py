"""What Prometheus reads: counters since the start, from which `rate` computes shares over any window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping

from msgspec import Struct
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
_COUNTERS = {
    "seen": "Answers that came in, each once: rows with a question, and traces in which one is asked.",
    "sampled": "Answers chosen to be graded, evenly or because they refuse or were flagged.",
    "dropped": "Chosen answers that were not kept, because too many waited for the grader.",
    "graded": "Chosen answers that the grader put into a bucket.",
    "ungraded": "Chosen answers that the grader could not put into a bucket.",
    "unreadable": "Rows and spans that could not be read.",
    "refused_bodies": "Requests answered with 400, 413 or 415: what they held is lost.",
    "no_question": "Rows, and of the traces that could be chosen those, that hold no question and were not graded.",
    "late_spans": "Spans that came after their trace had been put together.",
    "grader_failures": "Times that the grader failed, and tried again.",
    "grader_seconds": "Time spent grading.",
    "webhook_failures": "Times that an alert could not be sent.",
}
_GAUGES = {
    "ready": "1 if /readyz says so.",
    "writable": "1 if what came last could be written to disk.",
    "waiting_answers": "Chosen answers that wait for the grader.",
    "waiting_traces": "Traces that wait for more spans.",
}


class Snapshot(Struct, frozen=True):
    """Everything at one moment. `citations` are by axis and value, `seconds` by the number of their bound."""

    counts: Mapping[str, float]
    gauges: Mapping[str, float]
    answers: Mapping[str, float]
    drift: Mapping[str, float]
    alarms: Mapping[str, int]
    citations: Mapping[tuple[str, str], int]
    seconds: Mapping[int, int]
    seconds_sum: float


def bound_of(seconds: float) -> int:
    return bisect_left(BOUNDS, seconds)


def exposition(now: Snapshot) -> bytes:
    """In the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Families(now))
    return generate_latest(registry)


class _Families(Collector):
    def __init__(self, now: Snapshot) -> None:
        self._now = now

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        now = self._now
        for name, words in _COUNTERS.items():
            yield CounterMetricFamily(f"surefoot_{name}", words, now.counts.get(name, 0))
        for name, words in _GAUGES.items():
            yield GaugeMetricFamily(f"surefoot_{name}", words, now.gauges[name])
        for family, values in (
            (CounterMetricFamily("surefoot_answers", "Answers of all traffic by bucket, as far as the sample tells: a "
                                 "graded one counts for those like it that were not chosen.", labels=["bucket"]),
             now.answers),
            (GaugeMetricFamily("surefoot_alarm", "1 while a bucket is commoner than before.", labels=["bucket"]),
             now.alarms),
            (GaugeMetricFamily("surefoot_drift", "How near a bucket is to an alarm, which is at 1.",
                               labels=["bucket"]), now.drift),
        ):  # fmt: skip
            for bucket, value in values.items():
                family.add_metric([bucket], value)
            yield family
        axes = CounterMetricFamily("surefoot_citations", "Graded answers by what their citations are worth.",
                                   labels=["axis", "value"])  # fmt: skip
        for labels, count in now.citations.items():
            axes.add_metric(list(labels), count)
        yield axes
        yield self._seconds()

    def _seconds(self) -> Metric:
        total, lines = 0, list[tuple[str, float]]()
        for number, bound in enumerate([*map(str, BOUNDS), "+Inf"]):
            total += self._now.seconds.get(number, 0)
            lines.append((bound, total))
        family = HistogramMetricFamily("surefoot_answer_seconds", "How long chosen answers took.")
        family.add_metric([], lines, self._now.seconds_sum)
        return family
