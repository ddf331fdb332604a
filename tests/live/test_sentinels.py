"""A monitor is not ready before its grader and its pipeline have shown that they work."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.live import sentinels
from surefoot.live.sentinels import Readiness, Sentinels
from tests.in_process import surefoot


def test_ready_once_the_pipeline_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answering.py").write_text("def answer(question):\n    return 'Forty euros.'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sentinels, "_PAUSE", 0.01)
    ending, grader = threading.Event(), FindingsGrader(Rules())
    broken = Readiness(grader, Sentinels("answering:answer"), ending)
    assert broken.why_not == "the grader and the sentinels are being tried"
    finding_out = threading.Thread(target=broken.find_out)
    finding_out.start()
    while "does not pass its sentinels" not in broken.why_not:
        assert finding_out.is_alive() and broken.why_not, "not ready at any time before the sentinels passed"
        time.sleep(0.001)
    ending.set()
    finding_out.join()
    over = threading.Event()
    over.set()
    sound = Readiness(grader, Sentinels("reference"), over)
    sound.find_out()
    assert sound.why_not == ""


def test_a_pipeline_that_is_not_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    ending = threading.Event()
    lost = Readiness(FindingsGrader(Rules()), Sentinels("gone.module:function"), ending)
    threading.Timer(0.5, ending.set).start()
    lost.find_out()
    assert "gone" in lost.why_not


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
