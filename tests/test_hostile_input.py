"""Input and circumstances that once broke something."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from surefoot import score
from surefoot.core.errors import UsageError
from surefoot.io.questions import load

from .conftest import GOOD_TRACES, QUESTIONS, Write
from .in_process import surefoot

BINARY = Path(sys.executable).parent / "surefoot"
GOOD = [json.dumps(trace) for trace in GOOD_TRACES]


@pytest.mark.parametrize(
    ("text", "scored"),
    [
        ("[\n{0},\n{1}\n]\n[\n{2},\n{3}\n]\n", 4),
        ("[\n{0}\n]\n{1}\n", 2),
        ("[{{\n{0}\n{1}\n{2}\n{3}\n", 4),
        ("[[[[\n{0}\n{1}\n", 2),
        ("[]", 0),
        ("{0}\n\0\n{1}\n", 2),
    ],
)
def test_no_row_is_lost_behind_odd_brackets(text: str, scored: int, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(text.format(*GOOD), encoding="utf-8")
    assert score(QUESTIONS, path).accounting.scored == scored


@pytest.mark.parametrize("odd", ["[1e999]", "[" + "9" * 5000 + "]", '"\\ud800"', "[" * 600 + "NaN" + "]" * 600])
@pytest.mark.parametrize("field", ["chunks", "citations", "error", "x"])
def test_an_odd_value_does_not_stop_a_run_wherever_it_stands(field: str, odd: str, write: Write) -> None:
    row = '{"qid":"q1","answer":"So [p1#1].","chunks":["p1#1"],"citations":["p1#1"],"error":null,"x":1}'
    value = {"chunks": '["p1#1"]', "citations": '["p1#1"]', "error": "null", "x": "1"}[field]
    strange = row.replace(f'"{field}":{value}', f'"{field}":{odd}')
    for rows in ([strange, *[row] * 1200], [*[row] * 1200, strange]):
        given = score(QUESTIONS, write("t.jsonl", rows), rerun="all").accounting
        assert given.rows == 1201 == given.scored + sum(given.left_out.values())
        assert given.scored >= 1200


def test_a_row_with_its_own_question_is_not_a_container() -> None:
    traces = [{**GOOD_TRACES[0], "traces": []}, {**GOOD_TRACES[1], "samples": [1, 2]}]
    assert score(QUESTIONS, traces).labels["OK"] == 2


def test_metadata_never_overwrites_a_question(write: Write, tmp_path: Path) -> None:
    path = write("q.jsonl", [{**QUESTIONS[0], "metadata": {"qid": "zzz", "answerable": False}}, *QUESTIONS[1:]])
    assert surefoot("questions", "clone", path, tmp_path / "new.jsonl").code == 0
    assert [question.id for question in load(tmp_path / "new.jsonl").questions] == ["q1", "q2", "q3", "q4"]


def test_a_pipe_in_a_folder_is_passed_over_and_one_named_is_read(questions: Path, write: Write, tmp_path: Path) -> None:
    write("runs/a.jsonl", GOOD)
    os.mkfifo(tmp_path / "runs" / "b.jsonl")
    assert surefoot("score", "-q", questions, "-t", tmp_path / "runs").code == 0
    command = f"{BINARY} score -q {questions} -t <(cat {tmp_path}/runs/a.jsonl)"
    assert subprocess.run(["bash", "-c", command], capture_output=True, timeout=600).returncode == 0


def test_a_reader_that_has_gone_does_not_change_the_decision(questions: Path, write: Write) -> None:
    traces = write("t.jsonl", GOOD)
    for options in ("", "--json"):
        command = f"{BINARY} score -q {questions} -t {traces} {options} | true; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=600)
        assert done.returncode == 0 and done.stderr == b""


def test_closed_streams_are_no_fault(questions: Path, write: Write) -> None:
    traces = write("t.jsonl", GOOD)
    for command, code in ((f"-t {traces} >&-", 0), ("-t - <&-", 2)):
        done = subprocess.run(
            ["bash", "-c", f"{BINARY} score -q {questions} {command}"], capture_output=True, timeout=60
        )
        assert done.returncode == code and b"fault" not in done.stderr


def test_a_polite_kill_leaves_no_worker_behind(questions: Path, write: Write) -> None:
    traces = write("t.jsonl", GOOD * 60_000)
    command = [str(BINARY), "score", "-q", str(questions), "-t", str(traces), "--rerun", "all"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and not children.read_text().strip():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    assert process.returncode in (130, 0) and b"Traceback" not in err


def test_a_baseline_must_be_possible(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    path.write_text('{"metrics": {"precision": {"numerator": 1, "denominator": -3}}}', encoding="utf-8")
    with pytest.raises(UsageError):
        score(QUESTIONS, GOOD_TRACES, baseline=path)


@pytest.mark.parametrize("rule", ["precision >= 1" + "0" * 400, "precision >= 0." + "1" * 5000, "precision >= 90"])
def test_impossible_limits_are_usage_errors(rule: str) -> None:
    with pytest.raises(UsageError):
        score(QUESTIONS, GOOD_TRACES, rules=[rule])


@pytest.mark.parametrize("value", ['!!int ""', "!!timestamp abc", "!!bool abc", "2024-99-99", "&b [*b]", "9" * 5000])
def test_odd_yaml_is_named(value: str, tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(f"- {{qid: a, q: 'A?', answerable: false, x: {value}}}\n", encoding="utf-8")
    found = load(path)
    assert len(found.questions) + len(found.problems) == 1


def test_parquet_columns_that_cannot_be_read_are_named_and_left_out(tmp_path: Path) -> None:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]

    table = pyarrow.Table.from_pylist(GOOD_TRACES)
    stamps = pyarrow.array([1_700_000_000_000_000_001, 2, 3, 4], pyarrow.timestamp("ns"))
    days = pyarrow.array([2**30] * 4, pyarrow.date32())
    pyarrow.parquet.write_table(table.append_column("at", stamps).append_column("day", days), tmp_path / "t.parquet")
    result = score(QUESTIONS, tmp_path / "t.parquet")
    assert result.accounting.scored == 4 and result.problems.counts["note"] >= 1


def test_names_that_are_no_text(questions: Path, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/b\xffd.jsonl"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - a name in bytes
        file.write("\n".join(GOOD))
    done = subprocess.run(
        [str(BINARY), "score", "-q", str(questions), "-t", path, "--json"], capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_hostile_ids_and_rules_reach_no_terminal(write: Write, tmp_path: Path) -> None:
    name = "\x1b[31mEVIL\x07\u202eabc"
    questions = write("q.jsonl", [*QUESTIONS, {"qid": name, "q": "E?", "answerable": False, "stratum": name}])
    other = write("o.jsonl", QUESTIONS)
    report = tmp_path / "r.md"
    rule = "precision[\x1b[31mE|`<b>] >= 0"
    outputs = [
        surefoot("questions", "diff", other, questions).out,
        surefoot("questions", "clone", questions, tmp_path / "n.jsonl", "--change", name).out,
        surefoot("score", "-q", questions, "-t", write("t.jsonl", GOOD), "--rule", rule, "--report", report).out,
        report.read_text(encoding="utf-8"),
    ]
    for shown in outputs:
        assert "\x1b" not in shown and "\u202e" not in shown
