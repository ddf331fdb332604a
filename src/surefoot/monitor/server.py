"""The addresses of a monitor: where exporters send traces, what Prometheus reads, and whether all is well."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from surefoot.core.errors import Incomplete, SurefootError
from surefoot.monitor.monitor import SECONDS, Monitor, Watching
from surefoot.monitor.otlp import JSON, LARGEST_BODY, PROTOBUF, TooLarge, refusal, success
from surefoot.web.serve import address, bound, serve, tell_if_open

_OTHER_PORT = "choose another one for --otlp or --metrics"
_RETRY = {"Retry-After": "5"}  # seconds
_LONGEST_HEARD = 1 << 30  # bytes of a body that is refused anyway
_TEXT = "text/plain; version=0.0.4; charset=utf-8"
_COUNTERS = {
    "seen": "Answers that came in, each once: rows with a question, and traces in which one is asked.",
    "read": "Answers that were looked at without a grader: rows, and of the traces those that could be chosen.",
    "refused": "Of these, answers that refuse.",
    "cites_unretrieved": "Of these, answers that cite a source that was not retrieved.",
    "sampled": "Answers chosen to be graded, evenly or because they refuse or were flagged.",
    "dropped": "Chosen answers that were not kept, because too many waited for the grader.",
    "graded": "Chosen answers that the grader put into a bucket.",
    "ungraded": "Chosen answers that the grader could not put into a bucket.",
    "unreadable": "Rows and spans that could not be read.",
    "refused_bodies": "Requests answered with 400, 413 or 415: what they held is lost.",
    "no_question": "Traces that could be chosen, hold no question and were not graded.",
    "late_spans": "Spans that came after their trace had been put together.",
    "grader_failures": "Times that the grader failed, and tried again.",
}


def serve_monitor(
    monitor: Monitor, host: str, otlp: int | None, metrics: int | None, announce: Callable[[Watching], None]
) -> None:
    """Until Ctrl-C; the two ports may be one."""
    with contextlib.ExitStack() as stack:
        ports = {name: port for name, port in (("otlp", otlp), ("metrics", metrics)) if port is not None}
        sockets = {port: stack.enter_context(bound(host, port, _OTHER_PORT)) for port in dict.fromkeys(ports.values())}
        tell_if_open(host, monitor.person.tell)
        urls: Watching = {name: address(host, sockets[port]) for name, port in ports.items()}
        stack.enter_context(monitor.at_work())
        app = app_for(monitor, takes_traces=otlp is not None)
        serve(app, *sockets.values(), announce=lambda: announce(urls))


def app_for(monitor: Monitor, *, takes_traces: bool) -> Starlette:
    async def traces(request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        code, headers = 200, dict[str, str]()
        try:
            body, packing = await _body(request), request.headers.get("content-encoding", "")
            reply = success(kind, (await run_in_threadpool(monitor.take_export, body, kind, packing)).unreadable)
        except ClientDisconnect:  # in the middle of it: nothing was taken, and nobody waits for a reply
            return Response(status_code=400)
        except SurefootError as error:
            code, reply = refusal(kind, error)
            if isinstance(error, Incomplete):
                headers = _RETRY
            else:
                await run_in_threadpool(monitor.count_refusal)
        return Response(reply, code, headers, PROTOBUF if PROTOBUF in kind else JSON)

    routes = [
        Route("/metrics", lambda _: Response(metrics_of(monitor), media_type=_TEXT)),
        Route("/livez", lambda _: _health(monitor.faults)),
        Route("/readyz", lambda _: _health(monitor.why_not_ready())),
    ]
    return Starlette(routes=[*routes, Route("/v1/traces", traces, methods=["POST"])] if takes_traces else routes)


def _health(faults: list[str]) -> Response:
    return PlainTextResponse("".join(f"{line}\n" for line in faults or ["ok"]), 503 if faults else 200)


async def _body(request: Request) -> bytes:
    """One that is too large is heard to its end: many clients look for a reply only when they have sent all."""
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size <= LARGEST_BODY:
            parts.append(part)
        elif size > _LONGEST_HEARD:
            break
    if size > LARGEST_BODY:
        raise TooLarge(f"the body has over {LARGEST_BODY >> 20} MiB", "send smaller batches")
    return b"".join(parts)


def metrics_of(monitor: Monitor) -> bytes:
    """In the text format of Prometheus: counters, from which `rate` computes shares over any window."""
    registry = CollectorRegistry()
    with monitor.state.guard:
        registry.register(_Families(monitor))
        return generate_latest(registry)


class _Families(Collector):
    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def collect(self) -> Iterator[Metric]:
        monitor, state = self._monitor, self._monitor.state
        counts, charts = state.counts, state.kept.charts
        for name, words in _COUNTERS.items():
            yield CounterMetricFamily(f"surefoot_{name}", words, counts[name])
        yield CounterMetricFamily("surefoot_grader_seconds", "Time spent grading.", counts["grader_ms"] / 1_000)
        failures = monitor.webhook.failures if monitor.webhook else 0
        yield CounterMetricFamily("surefoot_webhook_failures", "Times that an alert could not be sent.", failures)
        for name, words, value in (
            ("ready", "1 if /readyz says so.", not monitor.why_not_ready()),
            ("writable", "1 if what came last could be written to disk.", not state.trouble),
            ("waiting_answers", "Chosen answers that wait for the grader.", state.waiting),
            ("waiting_traces", "Traces that wait for more spans.", len(state.complete(0.0, 0.0))),
        ):
            yield GaugeMetricFamily(f"surefoot_{name}", words, value)
        of = ["bucket"]
        answers = CounterMetricFamily(
            "surefoot_answers", "Answers of all traffic by bucket, as far as the sample tells: a graded one counts for "
            "those like it that were not chosen.", labels=of,
        )  # fmt: skip
        alarm = GaugeMetricFamily("surefoot_alarm", "1 while a bucket is commoner than before.", labels=of)
        drift = GaugeMetricFamily("surefoot_drift", "How near a bucket is to an alarm, which is at 1.", labels=of)
        for bucket, count in state.answers().items():
            answers.add_metric([bucket], count)
        for bucket, chart in charts.items():
            alarm.add_metric([bucket], int(chart.alarm is not None))
            drift.add_metric([bucket], chart.level)
        axes = CounterMetricFamily(
            "surefoot_citations", "Graded answers by what their citations are worth.", labels=["axis", "value"]
        )
        for name, count in counts.items():
            if name.startswith("citations/"):
                axes.add_metric(name.split("/", 2)[1:], count)
        taken = HistogramMetricFamily("surefoot_answer_seconds", "How long chosen answers took.")
        total, lines = 0, list[tuple[str, float]]()
        for number, bound_ in enumerate([*map(str, SECONDS), "+Inf"]):
            total += counts[f"seconds/{number}"]
            lines.append((bound_, total))
        taken.add_metric([], lines, counts["seconds_ms"] / 1_000)
        yield from (answers, alarm, drift, axes, taken)
