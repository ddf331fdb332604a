"""A monitor is not ready before its grader and its pipeline have shown that they work."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.jobs.settings import settings_from
from surefoot.monitor import monitor
from surefoot.monitor.monitor import Monitor
from surefoot.monitor.state import Design, State
from tests.in_process import surefoot


def watching(pipeline: str) -> Monitor:
    how = settings_from({"pipeline": pipeline})
    return Monitor(State(None, Design()), FindingsGrader(Rules()), how=how)


def until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        time.sleep(0.001)
    return is_so()


def test_not_ready_while_the_pipeline_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answering.py").write_text("def answer(question):\n    return 'Forty euros.'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(monitor, "_READY_SECONDS", 0.01)
    broken = watching("answering:answer")
    assert broken.why_not_ready() == ["the grader and the sentinels are being tried"]
    with broken.at_work():
        assert until(lambda: "does not pass its sentinels" in broken.why_not_ready()[0])


def test_a_pipeline_that_is_not_there_is_a_reason() -> None:
    lost = watching("gone.module:function")
    with lost.at_work():
        assert until(lambda: "gone" in lost.why_not_ready()[0])


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    for words, fault in (
        ((), "nothing to monitor was given"),
        (("--once", "log", "--otlp", "0"), "--otlp does not go with --once"),
        (("--otlp", "0", "--set", "pipeline=gone.module:answer"), "there is no Python module 'gone"),
        (("--otlp", "0", "--webhook", "chat"), "--webhook 'chat' is no address"),
        (("--otlp", "0", "--grader", "llm:m@http://localhost:1/v1"), "live monitoring does not use paid models"),
    ):
        done = surefoot("monitor", *words, cwd=tmp_path)
        assert done.code == 2 and fault in done.err and "hint:" in done.err, done.err
    assert list(tmp_path.iterdir()) == []
