"""surefoot run, doctor and init, as a user meets them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from surefoot.cli.run import run
from surefoot.cli.start import doctor, init
from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.records import where
from surefoot.core.types import Question
from surefoot.datasets import demo
from surefoot.jobs.doctor import choose
from surefoot.jobs.settings import load_gate
from tests.conftest import QUESTIONS
from tests.conftest import surefoot as as_a_user_runs_it
from tests.in_process import surefoot
from tests.kept import kept

PIPELINE = """
import os
import time
from pathlib import Path
from surefoot.core.types import Ask

def slow(question):
    time.sleep(0.1)
    with Path(__file__).with_name("asked.log").open("a") as log:
        log.write(question + "\\n")
    return "Not in context."

def loud(question):
    print("rubbish on stdout")
    os.write(1, b"and from C\\n")
    return {"answer": "X is so [p1#1]", "tokens": 10, "cost_usd": 0.5}

def failing(question):
    if "Y" in question and not Path("mended").exists():
        raise RuntimeError("no luck: with Y")
    return "Not in context."

def exits(question):
    if "Y" in question:
        os._exit(0)
    return "Not in context."

def killed(question):
    os.kill(os.getpid(), 9)

def takes_none():
    return "Not in context."

FOUND = [{"id": "p1#1", "text": "X is a tight mapping."}, {"id": "p2#1", "text": "Y is unrelated to X."}]

def sound(ask: Ask):
    if ask.retrieval == "null" or not {"X?", "Y."} & set(ask.text.split()):
        return {"answer": "The documents do not say that.", "retrieved": []}
    answer = "X is a tight mapping [p1#1]." if "X" in ask.text else "Y is unrelated to X [p2#1]."
    return {"answer": answer, "retrieved": FOUND}

def textual(question):
    return sound(Ask("x", question))

def obstinate(ask: Ask):
    return {**sound(Ask("x", ask.text)), "retrieved": FOUND}

def without_passages(ask: Ask):
    return sound(ask)["answer"]

def without_texts(ask: Ask):
    return {"answer": sound(ask)["answer"], "retrieved": [] if ask.retrieval == "null" else ["p1#1"]}

def from_nothing(ask: Ask):
    return {**sound(Ask("x", ask.text)), "retrieved": [] if ask.retrieval == "null" else FOUND}
"""
COMMAND = [sys.executable, "-m", "surefoot", "run"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(PIPELINE, encoding="utf-8")
    (tmp_path / "q.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    many = [{"qid": f"q{n}", "q": f"Number {n}?", "answerable": False} for n in range(120)]
    (tmp_path / "many.json").write_text(json.dumps(many), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("mine", None)
    return tmp_path


class Result:
    def __init__(self, command: Command, *arguments: str) -> None:
        done = CliRunner().invoke(command, arguments, standalone_mode=False)
        if done.exception:
            raise done.exception
        self.code: Any = done.return_value
        self.out, self.err = done.stdout, done.stderr


def test_the_demo_needs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = demo.questions()[::10]  # each takes the model half a second
    monkeypatch.setattr(demo, "questions", lambda: some)
    done = Result(run, "--pipeline", "reference", "--json")
    summary = json.loads(done.out)
    assert done.code == 0 and summary["answers"] == 13 and summary["version"] == "reference"
    first = kept(summary["run"])
    assert first.manifest.deterministic is True and first.manifest.question_count == 13 and first.manifest.finished
    again = Result(run, "--pipeline", "reference", "--json", "--version", "second")
    assert again.code == 0 and kept("second").answer_keys() == first.answer_keys()


def test_a_summary_with_what_was_spent(folder: Path) -> None:
    done = as_a_user_runs_it("run", "-p", "mine:loud", "-q", "q.json", "--version", "r", "--repeats", "2", cwd=folder)
    assert done.code == 0
    assert "8 answers, 0 errors\n" in done.out and "80 tokens, 4.0000 USD" in done.out
    assert re.search(r"^took [0-9.]+ s, [0-9.]+ s per answer on average, 80 tokens", done.out, re.MULTILINE)
    assert "rubbish" not in done.out and "rubbish on stdout" in done.err and "from C" in done.err
    assert Counter(trace.attempt for trace in kept("r").traces()) == {1: 4, 2: 4}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no pipeline was named"),
        (["-p", "reference", "-q", "q.json"], "needs a corpus"),
        (["-p", "reference", "--corpus", "x"], "without --questions"),
        (["--retry-errors"], "goes with --resume"),
        (["--resume", "nowhere"], "there is no project|has no run or version 'nowhere'"),
        (["-p", "mine:loud", "-q", "nowhere.json"], "is not a file"),
        (["-p", "mine:loud", "-q", "misspelt.jsonl"], r"misspelt.jsonl.*2.*unknown field 'answrable'.* 'answerable'"),
        (["--resume", "made", "-p", "mine:failing"], "was made with --pipeline mine:loud"),
        (["--resume", "made", "--repeats", "3"], "was made with --repeats 1"),
        (["--resume", "made", "-q", "many.json"], "the run was made with other questions"),
        (["-p", "http://localhost", "--request-template", "nowhere"], "nowhere cannot be read: No such file"),
        (["-p", "mine:takes_none", "-q", "q.json"], r"cannot be called with one argument.* takes_none\(\)"),
        (["-p", "cmd:no-such-program", "-q", "q.json"], "there is no command 'no-such-program'"),
        (["-p", "./mine.py", "-q", "q.json"], "no command './mine.py' that can be run .*chmod"),
        (["-p", "mine:louds", "-q", "q.json"], "no function .louds.*did you mean loud"),
        (["-p", "mine:loud", "-q", "q.json", "--db", "."], "is a folder"),
    ],
)
def test_what_cannot_be_run(folder: Path, arguments: list[str], message: str) -> None:
    if "made" in arguments:
        Result(run, "-p", "mine:loud", "-q", "q.json", "--version", "made")
    rows = [QUESTIONS[0], {"qid": "q9", "q": "Who owns Z?", "answrable": False}]
    Path("misspelt.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(UsageError, match=message) as caught:
        Result(run, *arguments)
    assert caught.value.hint


@pytest.mark.parametrize("spec", ["mine:takes_none", "cmd:no-such-program", "./mine.py", "no_such_module:f"])
def test_doctor_asks_nothing_of_what_cannot_answer(folder: Path, spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        Result(doctor, "-p", spec, "-q", "q.json")
    assert caught.value.hint


def test_a_pipeline_that_ends_its_process_is_that_questions_error(folder: Path) -> None:
    done = surefoot("run", "-p", "mine:exits", "-q", "q.json", "--version", "r", cwd=folder)
    assert done.code == 4 and "3 answers, 1 error\n" in done.out
    errors = {trace.question_id: trace.error for trace in kept("r").traces()}
    ended = "the pipeline's process exited with status 0 before it answered"
    assert errors == {"q1": None, "q2": ended, "q3": None, "q4": None}
    examined = surefoot("doctor", "-p", "mine:killed", "-q", "q.json", cwd=folder)
    assert examined.code == 4 and "the pipeline's process was killed by signal 9" in examined.out


def test_another_corpus_is_another_run(folder: Path) -> None:
    (folder / "c.jsonl").write_text('{"id": "p1#1", "text": "X is a tight mapping."}\n')
    assert Result(run, "-p", "reference", "-q", "q.json", "--corpus", "c.jsonl", "--version", "r").code == 0
    assert Result(run, "--resume", "r", "--corpus", "c.jsonl").code == 0
    (folder / "c.jsonl").write_text('{"id": "p1#1", "text": "X is something else."}\n')
    for arguments in (["--corpus", "c.jsonl"], []):
        with pytest.raises(UsageError, match="another --corpus"):
            Result(run, "--resume", "r", *arguments)


def _begin(folder: Path, version: str) -> subprocess.Popen[str]:
    """A run that is under way: at least ten of its 120 questions are answered."""
    command = [*COMMAND, "-p", "mine:slow", "-q", "many.json", "--set", "concurrency=3", "--version", version]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 600
    while not Path(where()).exists() or len(_answers(version)) < 10:
        assert time.monotonic() < until and process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def _answers(version: str) -> dict[tuple[str, int], str]:
    with contextlib.suppress(UsageError):  # not yet made
        return kept(version).answer_keys()
    return {}


def _assert_nothing_lost_or_repeated(folder: Path, version: str) -> None:
    before = kept(version).traces()
    assert 10 <= len(before) < 120
    done = Result(run, "--resume", version, "--set", "concurrency=30")
    assert done.code == 0 and "120 answers, 0 errors\n" in done.out
    after = kept(version).traces()
    assert all(trace in after for trace in before)
    assert Counter(trace.question_id for trace in after) == {f"q{n}": 1 for n in range(120)}
    asked = Counter((folder / "asked.log").read_text().splitlines())
    assert len(asked) == 120 and sum(asked.values()) <= 120 + 3  # at most those under way are asked again


def test_kill_9_and_resume(folder: Path) -> None:
    process = _begin(folder, "killed")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=600)
    _assert_nothing_lost_or_repeated(folder, "killed")


def test_ctrl_c_and_resume(folder: Path) -> None:
    process = _begin(folder, "stopped")
    with pytest.raises(SurefootError, match="another process is writing"):
        Result(run, "--resume", "stopped")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130 and "--resume stopped-" in err and "Traceback" not in err
    assert "not asked" in out
    _assert_nothing_lost_or_repeated(folder, "stopped")


def test_a_hung_pipeline_does_not_keep_the_process(folder: Path) -> None:
    (folder / "hung.py").write_text("import time\ndef answer(question): time.sleep(3600)\n")
    command = [*COMMAND, "-p", "hung:answer", "-q", "q.json", "--set", "timeout=0.3"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 4 and "4 x timeout after 0.3 s" in done.stdout


NULL = [
    {"qid": f"n{n}", "q": "What is X?", "answerable": False, "stratum": "void", "retrieval": "null"} for n in (1, 2)
]


def test_doctor_names_what_cannot_be_asked(folder: Path) -> None:
    (folder / "null.json").write_text(json.dumps([*QUESTIONS, *NULL]), encoding="utf-8")
    limit = "2 of 6 questions cannot be asked: the pipeline cannot be told to retrieve nothing"
    done = Result(doctor, "-p", "mine:textual", "-q", "null.json")
    assert done.code == 0 and done.out.endswith(f"ready (4 sentinels passed), but {limit}\n")
    found = json.loads(Result(doctor, "-p", "mine:textual", "-q", "null.json", "--json").out)
    assert found["ready"] is True and found["questions"] == "null.json (6 questions)" and found["limits"] == [limit]
    told = Result(doctor, "-p", "mine:obstinate", "-q", "null.json")
    assert told.code == 4 and "retrieved 2 passages although it was told to retrieve nothing" in told.out


def test_doctor_needs_no_gold_ids(folder: Path) -> None:
    bare = [{key: value for key, value in row.items() if key != "gold_ids"} for row in QUESTIONS]
    (folder / "bare.json").write_text(json.dumps(bare), encoding="utf-8")
    done = Result(doctor, "-p", "mine:sound", "-q", "bare.json")
    assert done.code == 0 and "the question has no gold_ids to compare it with" in done.out


def test_doctor_names_its_set(folder: Path) -> None:
    done = Result(doctor, "-p", "reference")
    assert done.code in (0, 1) and done.out.startswith("question set: the bundled demo set (130 questions)\n")
    assert done.out.count("\nok  ") >= 4
    other = Result(doctor, "-p", "mine:sound")
    assert other.code == 1 and "for yours, pass --questions" in other.out


ASKED = st.builds(
    Question, id=st.uuids().map(str), text=st.just("?"), expects=st.sampled_from(["answer", "refusal"]),
    probes=st.sampled_from(["", "plain", "bait"]), gold_ids=st.sampled_from([(), ("g",)]),
    retrieval=st.sampled_from(["normal", "null"]),
)  # fmt: skip


@given(st.lists(ASKED, max_size=12))
def test_doctor_probes_each_side(questions: list[Question]) -> None:
    try:
        chosen = choose(questions)
    except UsageError:
        assert len({question.answerable for question in questions}) < 2
        return
    assert len({question.id for question in chosen}) == len(chosen)
    for side in (True, False):
        count = sum(question.answerable is side for question in questions)
        assert sum(question.answerable is side for question in chosen) == min(3, count)
    assert any(one.retrieval == "null" for one in chosen if not one.answerable) or not any(
        one.retrieval == "null" for one in questions if not one.answerable
    )


@pytest.mark.parametrize(
    ("spec", "code", "reason"),
    [
        ("mine:slow", 1, "refused although the documents have the answer"),
        ("mine:loud", 1, "answered although the documents do not say it"),
        ("mine:without_passages", 1, "it is not known what was retrieved: give the texts of the passages"),
        ("mine:without_texts", 1, "the passage 'p1#1' has no text: give the texts of the passages"),
        ("mine:from_nothing", 1, "answered although nothing was to be retrieved"),
        ("cmd:exit 3", 4, "process exited with status 3 before it answered"),
    ],
)
def test_doctor_not_ready(folder: Path, spec: str, code: int, reason: str) -> None:
    (folder / "q.json").write_text(json.dumps([*QUESTIONS, *NULL]), encoding="utf-8")
    done = Result(doctor, "-p", spec, "-q", "q.json")
    assert done.code == code and reason in done.out and done.out.splitlines()[-1].startswith("not ready")
    found = json.loads(Result(doctor, "-p", spec, "-q", "q.json", "--json").out)
    assert found["ready"] is False and any(reason in finding["reason"] for finding in found["findings"])


def test_doctor_needs_both_sides(folder: Path) -> None:
    with pytest.raises(UsageError, match="has no answerable question"):
        Result(doctor, "-p", "mine:slow", "-q", "many.json")


def test_the_workflow_of_init_has_all_of_the_default_gates(folder: Path) -> None:
    assert Result(init, "start").code == 0
    script = Path("start/surefoot.sh").read_text("utf-8")
    for option, name, default in (("score", "gate.toml", "default"), ("gate", "ship.toml", "ship")):
        assert load_gate(f"start/{name}") == load_gate(default)
        assert re.search(rf"surefoot {option} [^\n]*--gate {name}", script)


def test_the_steps_of_the_starter_work_as_written(tmp_path: Path) -> None:
    assert surefoot("init", "mine", cwd=tmp_path).code == 0
    readme = (tmp_path / "mine" / "README.txt").read_text("utf-8")
    steps = [shlex.split(line)[1:] for line in readme.splitlines() if line.startswith("  surefoot ")]
    assert [step[0] for step in steps] == [
        "doctor", "run", "grade", "baseline", "run", "grade", "gate", "label", "gate",
    ]  # fmt: skip
    for step in (one for one in steps if one[0] != "label"):
        done = surefoot(*step, cwd=tmp_path / "mine")
        assert done.code in (0, 3) and "unexpected" not in done.err, (step, done.err)


def test_a_run_says_the_time_by_the_clock(folder: Path) -> None:
    summary = json.loads(Result(run, "-p", "mine:slow", "-q", "many.json", "--json").out)
    # 120 times 0.03 s one after the other would be 3.6 s; eight are asked at once.
    assert summary["seconds_per_answer"] >= 0.03 and summary["seconds"] < 120 * summary["seconds_per_answer"]


@pytest.mark.parametrize("place", ["/proc/x", "q.json/x"])
def test_init_where_nothing_can_be_written(folder: Path, place: str) -> None:
    done = surefoot("init", place, cwd=folder)
    assert done.code == 2 and f"error: {place} cannot be written to" in done.err and "hint: choose a folder" in done.err


def test_run_says_what_the_pipeline_does_not_give(folder: Path) -> None:
    null = {"qid": "n", "q": "What is X?", "answerable": False, "retrieval": "null"}
    Path("null.json").write_text(json.dumps([null, null | {"qid": "a", "retrieval": "normal"}]), encoding="utf-8")
    done = Result(run, "-p", "mine:loud", "-q", "null.json", "--version", "loud")
    assert done.code == 4 and "1 answer, 0 errors, 1 not asked: coverage 1 of 2\n" in done.out
    assert "no answer came with what was retrieved" in done.err and "--map retrieved=PATH" in done.err
    not_asked = (
        "1 of 2 questions not asked, so coverage is at most 1 of 2: the pipeline cannot be told to retrieve nothing"
    )
    assert f"warning: {kept('loud').id}: {not_asked} (hint: let a function take `ask: Ask`" in done.err
    again = Result(run, "-p", "mine:loud", "-q", "null.json", "--resume", "loud")
    assert again.code == 4
