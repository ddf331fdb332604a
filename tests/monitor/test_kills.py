"""A monitor that is killed again and again counts every answer once, and keeps every bad one once."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import signal
import time
from pathlib import Path

from tests.monitor.conftest import Live, Start
from tests.monitor.exports import trace

KILLS = 2  # tried with 25
MOMENTS = random.Random(4)


def row(number: int) -> str:
    """Every third answer is wrong."""
    amount = 95 if number % 3 == 0 else 40
    passages = [{"id": f"msa#{number}", "text": f"The fee of contract {number} is 40 euros."}]
    answer = f"The fee of contract {number} is {amount} euros [msa#{number}]."
    told = {"trace_id": f"t{number}", "question": f"What is the fee of contract {number}?", "answer": answer}
    return json.dumps({**told, "retrieved": passages}) + "\n"


def finished(live: Live, graded: int) -> dict[str, int]:
    now = live.wait_for("surefoot_graded_total", graded)
    assert now["surefoot_seen_total"] == now["surefoot_sampled_total"] == now["surefoot_graded_total"] == graded
    code, result, _ = live.end()
    assert code == 0 and result["seen"] == result["sampled"] == graded
    return dict(result["buckets"])


def check_bad(folder: Path, wrong: int) -> None:
    rows = [json.loads(line) for line in (folder / "bad.jsonl").read_text().splitlines()]
    assert len({one["trace_id"] for one in rows}) == len(rows) == wrong


def test_following_a_log(start: Start, tmp_path: Path) -> None:
    log, written = tmp_path / "log.jsonl", 0
    log.touch()
    how = ("--follow", str(log), "--sample", "1", "--bad", "bad.jsonl", "--metrics", "0")
    for number in range(KILLS):
        live, end = start(*how), time.monotonic() + MOMENTS.uniform(0.05, 1.5)
        while time.monotonic() < end:
            with log.open("a") as file:
                file.write("".join(map(row, range(written, written + 5))))
            written += 5
            time.sleep(0.05)
        live.end(signal.SIGKILL)
        if number % 3 == 1:
            log.rename(tmp_path / f"log.jsonl.{number}")
            log.touch()
    buckets = finished(start(*how), written)
    assert buckets["wrong"] == (written + 2) // 3 and buckets["correct"] == written - buckets["wrong"]
    check_bad(tmp_path, buckets["wrong"])


def test_taking_traces(start: Start, tmp_path: Path) -> None:
    """What was not acknowledged is sent again, as exporters do."""
    how = ("--otlp", "0", "--metrics", "0", "--set", "settle=0.3", "--sample", "1", "--bad", "bad.jsonl")
    sent = 0
    for _ in range(KILLS):
        live, end = start(*how), time.monotonic() + MOMENTS.uniform(0.05, 1.5)
        while time.monotonic() < end:
            spans = [one for n in range(sent, sent + 10) for one in trace(n, 95 if n % 3 == 0 else 40)]
            live.send(spans)
            sent += 10
            time.sleep(0.1)
        spans = [one for n in range(sent, sent + 10) for one in trace(n, 95 if n % 3 == 0 else 40)]
        live.process.send_signal(signal.SIGKILL)
        with contextlib.suppress(http.client.HTTPException, OSError):
            live.send(spans)
        live.end(signal.SIGKILL)
    last = start(*how)
    last.send(spans)
    buckets = finished(last, sent + 10)
    assert buckets["wrong"] == (sent + 12) // 3
    check_bad(tmp_path, buckets["wrong"])
