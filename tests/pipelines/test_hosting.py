"""A function in a process of its own: whatever becomes of the process, the run goes on."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from surefoot.core.errors import Incomplete
from surefoot.core.types import Ask, Question, Trace
from surefoot.pipelines.asker import ask_all
from surefoot.pipelines.process import HostedPipeline

NUMBER = itertools.count()
MODULE = """
import os, signal, subprocess, sys, time
from pathlib import Path
Path("loaded").open("a").write("x")
def exits(question):
    if question in ("Number 3?", "Number 4?"): os._exit(7)
    time.sleep(0.05)
    return "x"
def always(question): os._exit(0)
def killed(question):
    if question == "Number 5?": os.kill(os.getpid(), signal.SIGKILL)
    return "x"
def forks(question):
    if question == "Number 1?":
        if not os.fork():
            time.sleep(40)  # holds all that the process had open
        Path("forked").touch()
        os._exit(9)
    return "x"
def hangs(question):
    if question == "Number 0?": time.sleep(600)
    return "x"
def process(question): return str(os.getpid())
"""

Host = Callable[..., HostedPipeline]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    name = f"user_module_{next(NUMBER)}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with contextlib.ExitStack() as made:
        yield lambda function, timeout=20.0: made.enter_context(
            contextlib.closing(HostedPipeline(f"{name}:{function}", {}, timeout))
        )


def ask(pipeline: HostedPipeline, count: int = 10, concurrency: int = 8, timeout: float = 20.0) -> dict[str, Trace]:
    got: list[Trace] = []
    asked = [Question(f"q{n}", f"Number {n}?", "answer") for n in range(count)]
    ask_all(pipeline, asked, on_trace=got.append, concurrency=concurrency, timeout=timeout)
    assert len(got) == count
    return {str(trace.question_id): trace for trace in got}


def wrong(got: dict[str, Trace]) -> dict[str, str]:
    return {qid: trace.error for qid, trace in sorted(got.items()) if trace.error is not None}


@pytest.mark.parametrize("concurrency", [1, 8])
def test_the_question_that_ends_the_process_is_found(host: Host, concurrency: int) -> None:
    ended = "the pipeline's process exited with status 7 before it answered"
    assert wrong(ask(host("exits"), concurrency=concurrency)) == {"q3": ended, "q4": ended}


def test_killed(host: Host) -> None:
    assert wrong(ask(host("killed"))) == {"q5": "the pipeline's process was killed by signal 9 before it answered"}


def test_a_process_it_has_forked_does_not_hide_its_end(host: Host) -> None:
    got = ask(host("forks"), count=3, concurrency=1)
    assert wrong(got) == {"q1": "the pipeline's process exited with status 9 before it answered"}  # and no timeout
    assert Path("forked").exists()


def test_it_is_given_up_when_it_only_ever_ends(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.pipelines.process._ENDS_IN_A_ROW", 3)
    errors = wrong(ask(host("always"), count=6, concurrency=1))
    assert errors["q2"] == "the pipeline's process exited with status 0 before it answered"
    assert errors["q3"] == errors["q5"] == "given up: the pipeline's process has ended 3 times in a row"
    assert Path("loaded").read_text() == "xxx"


def test_a_hung_question_leaves_the_rest_alone(host: Host) -> None:
    assert wrong(ask(host("hangs", timeout=1.0), timeout=1.0)) == {"q0": "timeout after 1 s"}


def test_it_is_loaded_once_and_not_here(host: Host) -> None:
    answers = {trace.answer for trace in ask(host("process"), count=50).values()}
    assert len(answers) == 1 and answers != {str(os.getpid())} and Path("loaded").read_text() == "x"


def test_it_ends_with_us(host: Host) -> None:
    pipeline = host("process")
    process = int(str(pipeline.answer(Ask("q", "?")).answer))
    pipeline.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    pipeline.close()


def test_a_module_that_breaks_under_way(host: Host, tmp_path: Path) -> None:
    pipeline = host("exits")
    next(tmp_path.glob("user_module_*.py")).write_text("1 / 0")
    with pytest.raises(Incomplete, match="exited with status 7"):
        pipeline.answer(Ask("q3", "Number 3?"))
    errors = wrong(ask(pipeline, count=2))
    assert set(errors) == {"q0", "q1"} and "cannot be imported: ZeroDivisionError" in errors["q0"]


def test_what_python_prints_before_the_function_is_loaded_is_no_answer(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('hello')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    assert not wrong(ask(host("process"), count=2))
