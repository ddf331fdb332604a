"""The command as a user runs it, with real files; in a real process and with real pipes where they matter."""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from array import array
from fcntl import ioctl
from pathlib import Path
from termios import FIONREAD

import pytest

from .conftest import GOOD_TRACES, QUESTIONS, Write
from .conftest import surefoot as as_a_user_runs_it
from .in_process import surefoot


@pytest.fixture
def traces(write: Write) -> Path:
    return write("traces.jsonl", GOOD_TRACES)


TABLE = b"""q,answer
What is X?,X [p1#1].
Explain Y.,Y [p2#1].
What is Z?,not in context
Sum up the link.,not in context
"""


@pytest.mark.parametrize("lines", [TABLE, TABLE.replace(b",", b"\t"), gzip.compress(TABLE)])
def test_stdin_may_be_a_table_or_compressed(lines: bytes, questions: Path) -> None:
    assert as_a_user_runs_it("score", "-q", questions, "-", stdin=lines).code == 0


def test_stdin_is_json_if_any_line_is(questions: Path) -> None:
    lines = b"10:00:00,123 up\n10:00:00,124 ready\n" + json.dumps(GOOD_TRACES[0]).encode() + b"\n"
    done = surefoot("score", "-q", questions, "-", "--json", stdin=lines)
    assert (done.json["input"]["rows"], done.json["input"]["scored"]) == (3, 1)
    done = surefoot("score", "-q", questions, "-", stdin=b"error: refused, try again")
    assert "stdin:1: not valid JSON" in done.out
    done = surefoot("score", "-q", questions, "-", stdin=b"PAR1...")
    assert "stdin: cannot be read: a Parquet table has to be a file" in done.out


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("q.json", "", "q.json: is empty"),
        ("q.json", "[]", "it is empty"),
        ("q.csv", "qid,q\nq1,What is X?\n", "q.csv is a table"),
        ("q.jsonl", "{", "not valid JSON"),
    ],
)
def test_a_set_without_a_question_is_one_error(name: str, text: str, why: str, traces: Path, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = surefoot("score", "-q", tmp_path / name, "-t", traces)
    error, hint = done.err.splitlines()
    assert (done.code, done.out) == (4, "") and hint.startswith("hint: pass JSON")
    assert error.startswith("error: the question set has no usable question: ") and why in error


def test_the_table_report_and_junit(questions: Path, write: Write, tmp_path: Path) -> None:
    bad = write("t.jsonl", [*GOOD_TRACES[:2], {"qid": "q3", "answer": "It | <b>is</b>\u202e so [x#1]."}])
    report, junit = tmp_path / "report.md", tmp_path / "junit.xml"
    done = as_a_user_runs_it("score", "-q", questions, "-t", bad, "--report", report, "--report", junit)
    assert done.code == 1
    assert "BLOCK" in done.out and "G2" in done.out and "\x1b" not in done.out
    text = report.read_text(encoding="utf-8")
    assert "**BLOCK**" in text and "| q4 | Sum up the link. | **MISSING** |" in text and "## What to do next" in text
    suites = {suite.get("name"): suite for suite in ElementTree.parse(junit).getroot()}
    gate, asked = suites["surefoot.gate"], suites["surefoot.questions"]
    assert int(gate.get("failures", 0)) == len(gate.findall("testcase/failure")) > 0
    assert int(asked.get("failures", 0)) == len(asked.findall("testcase/failure")) > 0
    assert int(asked.get("errors", 0)) == len(asked.findall("testcase/error")) == 1
    assert len(asked.findall("testcase")) == int(asked.get("tests", 0)) == 4


def test_a_rule_beside_a_gate_is_added_to_it(questions: Path, write: Write) -> None:
    worse = write("t.jsonl", [{**trace, "answer": "So it is [x#9]."} for trace in GOOD_TRACES])
    command = ("score", "-q", questions, "-t", worse, "--rule", "coverage >= 0.5", "--json", "--no-rows")
    for gate, code, names in (
        (("--gate", "default"), 1, ["G1", "G2", "G3", "G4", "G5", "coverage", "coverage >= 0.5"]),
        ((), 0, ["coverage >= 0.5"]),
    ):
        done = surefoot(*command, *gate)
        assert done.code == code
        assert [check["name"] for check in json.loads(done.out)["gate"]["checks"]] == names


def test_a_baseline_is_shown_also_where_no_rule_asks_for_it(questions: Path, write: Write, tmp_path: Path) -> None:
    before = tmp_path / "before.json"
    before.write_text(surefoot("score", "-q", questions, "-t", write("t.jsonl", GOOD_TRACES), "--json").out)
    worse = write("w.jsonl", [*GOOD_TRACES[1:], {**GOOD_TRACES[0], "answer": "So it is [x#9]."}])
    command = ("score", "-q", questions, "-t", worse, "--baseline", before)
    md, html = tmp_path / "r.md", tmp_path / "r.html"
    done = surefoot(*command, "--report", md, "--report", html)
    for shown in (done.out, md.read_text("utf-8"), html.read_text("utf-8")):
        assert "no rule compares with the baseline" in shown and "change" in shown and "-50.0 points" in shown
    found = json.loads(surefoot(*command, "--json").out)
    assert (
        found["baseline"]["citation_hit_rate"]["value"] == 1 and found["metrics"]["citation_hit_rate"]["value"] == 0.5
    )
    quiet = surefoot(*command, "--rule", "citation_hit_rate >= baseline")
    assert quiet.code == 1 and "no rule compares" not in quiet.out


def test_a_report_is_of_the_kind_its_name_says(questions: Path, write: Write, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\u202e"
    bad = write("t.jsonl", [*GOOD_TRACES, {"qid": name, "answer": "So."}])
    command = ("score", "-q", questions, "-t", bad, "--by", "stratum", "--rerun", "all")
    page = tmp_path / "r.html"
    assert "rule" in surefoot(*command, "--report", page).out
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n") and text.count("<script>") == 1
    assert "\u202e" not in text and "What is X?" in text and "REFUSAL_OK" in text
    on_stdout = surefoot(*command, "--report", "-")
    assert on_stdout.out.startswith("# Surefoot report\n") and on_stdout.out.count("## Gate") == 1
    assert not Path("-").exists()
    both = surefoot(*command, "--report", "-", "--json")
    assert both.code == 2 and "hint: " in both.err
    assert "unknown report format" in surefoot(*command, "--report", tmp_path / "r.pdf").err
    said = " ".join(surefoot("score", "--help").out.split())
    assert "Markdown to .md, JUnit to .xml" in said


def test_junit_is_green_when_the_gate_is(questions: Path, write: Write, tmp_path: Path) -> None:
    traces = write("t.jsonl", [*GOOD_TRACES[:3], {"qid": "q4", "answer": "It says hello."}])
    done = surefoot("score", "-q", questions, "-t", traces, "--rule", "coverage >= 1", "--report", tmp_path / "j.xml")
    assert done.code == 0
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert not root.findall(".//failure") and not root.findall(".//error") and len(root.findall(".//skipped")) == 1


def test_hostile_ids_change_neither_report_nor_terminal(write: Write, tmp_path: Path) -> None:
    name = "q|1`<script>alert(1)</script>\x1b[31m\u202e](x)"
    questions = write("q.jsonl", [{"qid": name, "q": "Q?", "answerable": False}])
    traces = write("t.jsonl", [{"qid": name, "answer": "So it is."}])
    report, junit = tmp_path / "r.md", tmp_path / "j.xml"
    done = as_a_user_runs_it(
        "score", "-q", questions, "-t", traces, "--report", report, "--report", junit, "--by", "stratum"
    )
    text = report.read_text(encoding="utf-8")
    for shown in (text, done.out):
        assert "\x1b" not in shown and "\u202e" not in shown
    assert "<script>" not in text and "q|1" not in text
    ElementTree.parse(junit)


def test_a_closed_pipe_is_not_an_error_message(questions: Path, write: Write) -> None:
    path = write("t.jsonl", GOOD_TRACES * 3_000)
    binary = Path(sys.executable).parent / "surefoot"
    command = f"{binary} score -q {questions} -t {path} --rerun all --json | head -c 100"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=600)
    assert len(done.stdout) == 100 and done.stderr == b""


def wait_until_it_reads(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()
    unread, latest = array("i", [1]), time.monotonic() + 600
    while unread[0]:
        assert process.poll() is None and time.monotonic() < latest
        time.sleep(0.01)
        ioctl(process.stdin, FIONREAD, unread)


def test_interrupting_leaves_one_line_and_no_process(questions: Path) -> None:
    command = [str(Path(sys.executable).parent / "surefoot"), "score", "-q", str(questions), "-t", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until_it_reads(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 130 and b"interrupted" in err and b"Traceback" not in err


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = (
        "import itertools, time; from surefoot.io.rows import map_blocks\n"
        "for _ in map_blocks(abs, itertools.count(), 2): print('at work', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        process.kill()
        process.communicate(timeout=60)  # ends when no worker has its output open any more


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(questions: Path, write: Write) -> None:
    path = write("t.jsonl", GOOD_TRACES)
    path.chmod(stat.S_IWUSR)
    assert surefoot("score", "-q", questions, "-t", path).code == 4


def test_help_has_an_example_everywhere() -> None:
    for words in (["score"], ["questions"], ["questions", "check"], ["questions", "clone"], ["demo"]):
        done = surefoot(*words, "--help")
        assert done.code == 0 and "Example:" in done.out


def test_questions_given_as_yaml(tmp_path: Path, traces: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text("\n".join(f"- {json.dumps(question)}" for question in QUESTIONS), encoding="utf-8")
    assert surefoot("score", "-q", path, "-t", traces).code == 0


def test_importing_is_light() -> None:
    code = "import sys, surefoot; print(sorted({'rich','yaml','pyarrow','numpy','scipy','click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    code = "import sys, surefoot.cli; print(sorted({'rich','yaml','pyarrow','numpy','scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_of_two_gates_none_is_dropped_in_silence(questions: Path, traces: Path) -> None:
    done = surefoot("score", "-q", questions, "-t", traces, "-g", "default", "-g", "ship")
    assert done.code == 2 and "--gate is given 2 times" in done.err and "--rule" in done.err
