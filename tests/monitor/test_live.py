"""The monitor as it is run: a real process, a real client, real kills."""

from __future__ import annotations

import gzip
import json
import re
import signal
import socket
import time
from pathlib import Path
from socket import gethostname
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from surefoot.core.types import Question, Trace, Verdict
from surefoot.monitor.otlp import JSON, LARGEST_BODY, PROTOBUF
from tests.golden_files import ROOT
from tests.hook import listening
from tests.in_process import surefoot
from tests.kept import keep_run
from tests.monitor.conftest import Start
from tests.monitor.exports import export, packed, trace

OTLP = ("--otlp", "0", "--metrics", "0", "--set", "settle=0.5", "--sample", "1")


def test_traces_come_in_over_http_and_metrics_go_out(start: Start, tmp_path: Path) -> None:
    live = start(*OTLP, "--bad", "bad.jsonl")
    secret = "Ask jane.doe@gmail.com or +44 7700 900123."
    first, second = trace(1, more=secret, seconds=2), trace(2, amount=90, more=secret, seconds=20)
    live.send([first[1], second[1]])
    live.send([second[0]])
    assert live.post(gzip.compress(packed([first[0]])), PROTOBUF, **{"Content-Encoding": "gzip"}) == (200, b"")
    live.send([*second, *first])  # again
    now = live.wait_for("surefoot_graded_total", 2)
    assert now["surefoot_seen_total"] == now["surefoot_sampled_total"] == 2
    assert now["surefoot_answers_total/correct"] == 1 and now["surefoot_answers_total/wrong"] == 1
    assert now["surefoot_answer_seconds_bucket/2.5"] == 1 and now["surefoot_answer_seconds_sum"] == 22
    live.send(first)
    assert live.metrics()["surefoot_late_spans_total"] == 2
    assert live.get("/livez") == live.get("/readyz") == (200, "ok\n")
    used = "".join((ROOT / "docs/monitor" / name).read_text() for name in ("alerts.yml", "grafana.json"))
    told = live.get("/metrics")[1]
    assert {name for name in re.findall(r"surefoot_\w+", used) if f"\n{name}" not in told} == set()
    done = surefoot("monitor", "--otlp", "0", "--grader", "rules", cwd=tmp_path)
    assert (
        done.code == 4 and "another monitor works with surefoot-monitor.db" in done.err and "hint: end it" in done.err
    )
    code, result, said = live.end()
    assert (code, result["seen"], result["sampled"], said) == (0, 2, 2, "")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = surefoot(
            "monitor", "--otlp", str(taken.getsockname()[1]), "--grader", "rules", "--state", "x", cwd=tmp_path
        )
    assert done.code == 4 and "choose another one for --otlp or --metrics" in done.err
    done = surefoot("monitor", "--otlp", "0", "--grader", "rules", cwd=tmp_path)
    assert done.code == 2 and "was begun with --sample 1" in done.err
    texts = b"".join(path.read_bytes() for path in tmp_path.glob("surefoot-monitor.db*"))
    assert b"contract" not in texts, "what was graded is not kept"
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"jane.doe" not in kept and b"900123" not in kept
    (bad,) = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert bad["bucket"] == "wrong" and "EMAIL-1" in bad["answer"]


def test_what_nobody_should_send_is_refused_in_words(start: Start) -> None:
    live = start(*OTLP)
    assert live.post(b"{}", JSON) == (200, b"{}"), "an empty request is a request"
    code, said = live.post(b"{", JSON)
    assert code == 400 and "not valid JSON" in json.loads(said)["message"]
    assert live.post(b"\x0a\xff", PROTOBUF)[0] == 400 and live.post(b"x", "text/plain")[0] == 415
    with pytest.raises(HTTPError, match="413"):  # by a client that sends all before it looks for a reply
        url, headers = f"{live.told['otlp']}v1/traces", {"Content-Type": JSON}
        urlopen(Request(url, b" " * (3 * LARGEST_BODY), headers))
    code, said = live.post(gzip.compress(b" " * (LARGEST_BODY + 1)), JSON, **{"Content-Encoding": "gzip"})
    assert code == 413 and b"smaller batches" in said
    nameless = [{**one, "traceId": ""} for one in trace(1)]
    code, said = live.post(export(nameless))
    assert code == 200 and json.loads(said)["partialSuccess"]["rejectedSpans"] == "2"
    code, said = live.post(packed(nameless), PROTOBUF)
    assert code == 200 and said[2:4] == b"\x08\x02"
    assert live.get("/nothing")[0] == 404
    before = live.metrics()
    for _ in range(100):
        assert live.get("/metrics")[0] == 200
    assert live.metrics() == before and before["surefoot_unreadable_total"] == 4
    assert before["surefoot_refused_bodies_total"] == 5
    assert live.end()[0] == 4, "nothing that was sent could be read"


def test_a_kill_loses_nothing_that_was_acknowledged(start: Start) -> None:
    live = start(*OTLP)
    for number in range(0, 100, 5):
        live.send([span for one in range(number, number + 5) for span in trace(one)])
    live.wait_for("surefoot_graded_total", 1)
    live.end(signal.SIGKILL)
    again = start(*OTLP)
    again.send([span for one in range(95, 105) for span in trace(one)])  # of which five are sent again
    while again.metrics()["surefoot_waiting_answers"] or again.metrics()["surefoot_waiting_traces"]:
        time.sleep(0.1)
    code, result, _ = again.end()
    assert (code, result["seen"], result["sampled"], result["buckets"]["correct"]) == (0, 105, 105, 105)


def test_a_log_is_followed_over_rotation_and_restart(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    def row(number: int) -> str:
        passage = {"id": "a", "text": f"Fee {number} is 40 euros."}
        told = {
            "trace_id": f"t{number}",
            "q": "The fee?",
            "answer": f"Fee {number} is 40 euros [a].",
            "chunks": [passage],
        }
        return json.dumps(told) + "\n"

    log.write_text("".join(map(row, range(10))) + row(10)[:20])
    follow = ("--follow", str(log), "--sample", "1", "--metrics", "0")
    live = start(*follow)
    live.wait_for("surefoot_graded_total", 10)
    with log.open("a") as file:
        file.write(row(10)[20:] + "no row\n")
    log.rename(tmp_path / "log.jsonl.1")
    log.write_text(row(11))
    now = live.wait_for("surefoot_graded_total", 12)
    assert now["surefoot_seen_total"] == 12 and now["surefoot_unreadable_total"] == 1
    with log.open("a") as file:
        file.write("".join(map(row, range(12, 20))))
    assert live.end()[1]["seen"] == 20
    with log.open("a") as file:
        file.write(row(20) + row(3))  # the last one was counted long ago
    again = start(*follow)
    again.wait_for("surefoot_graded_total", 21)  # counters go on
    code, result, said = again.end()
    assert (code, result["seen"], result["buckets"]["correct"], said) == (0, 21, 21, "")


def test_a_folder_is_followed_and_a_once_call_continues(start: Start, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()

    def write(name: str, *numbers: int) -> None:
        with (tmp_path / "logs" / name).open("a") as file:
            file.writelines(json.dumps({"trace_id": f"t{n}", "q": "The fee?", "answer": "40."}) + "\n" for n in numbers)

    write("a.jsonl", 1, 2)
    follow = start("--follow", "logs", "--sample", "1", "--metrics", "0")
    follow.wait_for("surefoot_seen_total", 2)
    write("b.jsonl", 3)
    write("a.jsonl", 4)
    follow.wait_for("surefoot_ungraded_total", 4)
    assert follow.end()[1]["seen"] == 4
    write("b.jsonl", 5)
    done = surefoot("monitor", "--once", "logs", "--state", "surefoot-monitor.db", "--sample", "1", "--grader", "rules",
                    "--json", cwd=tmp_path)  # fmt: skip
    assert json.loads(done.out)["seen"] == 1, "the state is the same"


def test_a_rise_is_told_to_a_webhook_and_by_the_exit_code(start: Start, tmp_path: Path) -> None:
    keep_run("base", [Question(f"q{n}", "?", "answer") for n in range(400)],
             [Trace(f"q{n}", answer=f"x {n}") for n in range(400)],
             [Verdict(f"q{n}", "factuality", "correct", "g") for n in range(400)])  # fmt: skip
    with listening() as hook:
        live = start(*OTLP, "--baseline", "base", "--webhook", hook.url)
        live.send([span for number in range(20) for span in trace(number, amount=90)])
        assert live.wait_for("surefoot_alarm/wrong", 1)["surefoot_drift/wrong"] == 1
        live.wait_for("surefoot_webhook_failures_total", 1)
        live.send([span for number in range(20, 360) for span in trace(number)])
        live.wait_for("surefoot_graded_total", 360)
        code, result, said = live.end()
    assert (code, result["alerts"]) == (0, []) and "could not be sent: HTTP 500" in said
    raised, over = hook.heard
    assert f"Surefoot on {gethostname()}, surefoot-monitor.db: ALERT: wrong: about 100.0% of" in raised
    assert "over: wrong: about 0.0% of" in over and "0.5% or less is usual" in over
