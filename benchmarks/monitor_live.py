"""How much a monitor takes in: CPU seconds of the real command for traces over OTLP and lines of a log.

    python benchmarks/monitor_live.py [--traces 20000] [--grader rules]

A trace has three spans and 6 kB, as OpenInference writes them, in batches of 200, 1 % of them graded. What starting and
ending cost is measured first and taken off. `rules` grades at almost no cost, so what is left is taking in.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

BATCH = 200
CLAUSE = "The supplier shall pay the fee of EUR 40 within thirty days of the invoice date. "
Feed = Callable[[Path, str, int], None]


def span(trace: int, number: int, parent: int, attributes: dict[str, str]) -> dict[str, Any]:
    ids = {"traceId": f"{trace:032x}", "spanId": f"{trace * 10 + number:016x}"}
    found = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    above = {"parentSpanId": f"{trace * 10 + parent:016x}"} if parent else {}
    times = {"startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001000000000"}
    return {**ids, **above, **times, "name": "step", "attributes": found}


def spans(number: int) -> list[dict[str, Any]]:
    question, answer = f"What is the fee of contract {number}?", "The fee is 40 euros [msa#1]."
    documents = {f"retrieval.documents.{n}.document.id": f"msa#{n}" for n in range(4)}
    documents |= {f"retrieval.documents.{n}.document.content": CLAUSE * 6 for n in range(4)}
    asked = {"input.value": question, "output.value": answer, "openinference.span.kind": "CHAIN"}
    found = {"openinference.span.kind": "RETRIEVER", "input.value": question, **documents}
    model = {"openinference.span.kind": "LLM", "input.value": CLAUSE * 24 + question, "output.value": answer}
    return [span(number, 1, 0, asked), span(number, 2, 1, found), span(number, 3, 1, model)]


def as_json(numbers: range) -> bytes:
    every = [one for number in numbers for one in spans(number)]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": every}]}]}).encode()


def as_protobuf(numbers: range) -> bytes:
    told = json.loads(as_json(numbers))
    for one in told["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        one.update({key: b64encode(bytes.fromhex(value)).decode() for key, value in one.items() if key.endswith("Id")})
    return bytes(json_format.ParseDict(told, TracesData()).SerializeToString())


def sending(kind: str, encode: Callable[[range], bytes]) -> Feed:
    def feed(_: Path, url: str, count: int) -> None:
        client = http.client.HTTPConnection(url.partition("//")[2].rstrip("/"))
        for start in range(0, count, BATCH):
            client.request("POST", "/v1/traces", encode(range(start, start + BATCH)), {"Content-Type": kind})
            reply = client.getresponse()
            assert (reply.status, len(reply.read()) < 3) == (200, True)
        client.close()

    return feed


def writing(log: Path, _: str, count: int) -> None:
    passages = [{"id": f"msa#{n}", "text": CLAUSE * 6} for n in range(4)]
    with log.open("a") as file:
        for number in range(count):
            row = {"trace_id": str(number), "question": f"The fee of contract {number}?", "answer": "40 [msa#1].",
                   "chunks": passages, "prompt": CLAUSE * 24}  # fmt: skip
            file.write(json.dumps(row) + "\n")


def measured(feed: Feed | None, count: int, grader: str) -> tuple[float, dict[str, Any]]:
    """CPU seconds of the monitor from start to end, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        log.touch()
        words = ["monitor", "--otlp", "0", "--follow", str(log), "--grader", grader, "--json", "--set", "settle=1"]
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / "surefoot"), *words], cwd=folder, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["otlp"]
        if feed is not None:
            feed(log, url, count)
            time.sleep(5)  # for spans to settle and answers to be graded
        process.send_signal(signal.SIGTERM)
        result = json.loads(process.communicate()[0])
        assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=20_000)
    parser.add_argument("--grader", default="rules")
    options = parser.parse_args()
    idle, _ = measured(None, 0, options.grader)
    print(f"starting and ending: {idle:.2f} CPU s")
    feeds = {"OTLP, protobuf": sending("application/x-protobuf", as_protobuf),
             "OTLP, JSON": sending("application/json", as_json), "log": writing}  # fmt: skip
    for name, feed in feeds.items():
        taken, result = measured(feed, options.traces, options.grader)
        seconds = taken - idle
        print(f"{name}: {result['seen']:,} seen, {result['sampled']:,} graded, {seconds:.2f} CPU s, "
              f"{options.traces / seconds:,.0f} traces per CPU second")  # fmt: skip


if __name__ == "__main__":
    main()
