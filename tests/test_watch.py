"""A pipeline that is asked again whenever its file is saved."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import surefoot
from surefoot.errors import UsageError
from surefoot.services import watch as watching

from .in_process import surefoot as command

QUESTIONS = """
{"id": "q1", "question": "The fee?", "expects": "answer"}
{"id": "q2", "question": "The term?", "expects": "answer"}
"""
FIRST = "def answer(question):\n    return 'Forty euros.'\n"
SECOND = "def answer(question):\n    return 'Fifty euros.' if 'fee' in question else 'Forty euros.'\n"
THIRD = "def answer(question):\n    raise ValueError('no luck')\n"


@pytest.fixture
def pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(watching, "_PAUSE", 0.01)
    (tmp_path / "questions.jsonl").write_text(QUESTIONS)
    path = tmp_path / "watched.py"
    path.write_text(FIRST)
    return path


def test_each_change_is_a_run_that_says_which_answers_changed(pipeline: Path) -> None:
    heard: list[str] = []

    class Mending(surefoot.Person):
        def tell(self, line: str) -> None:
            heard.append(line)
            if line.startswith("error: watched cannot be imported"):
                pipeline.write_text(THIRD)

    asking = surefoot.Asking(retries=0)
    tries = surefoot.watch("watched:answer", questions="questions.jsonl", asking=asking, person=Mending())
    first = next(tries)
    assert first.is_first and first["changes"] == [] and first.exit_code == 0
    pipeline.write_text(SECOND)
    second = next(tries)
    assert second["changes"] == [{"question_id": "q1", "attempt": 1, "before": "Forty euros.", "after": "Fifty euros."}]
    assert second.answers.folder != first.answers.folder
    pipeline.write_text("def answer(question:\n")
    third = next(tries)
    assert {row["after"] for row in third.table()} == {"error: ValueError: no luck"} and third.exit_code == 4
    assert [line for line in heard if "SyntaxError" in line] and "watching watched.py; Ctrl-C ends it" in heard


def test_there_must_be_a_file_and_no_single_folder(pipeline: Path) -> None:
    with pytest.raises(UsageError, match="nothing to watch"):
        next(surefoot.watch("reference"))
    with pytest.raises(UsageError, match="no pipeline was named"):
        next(surefoot.watch(""))
    done = command("run", "--pipeline", "watched:answer", "--watch", "--out", "here")
    assert done.code == 2 and "hint: leave out --out" in done.err


def test_ctrl_c_ends_it(pipeline: Path) -> None:
    program = str(Path(sys.executable).parent / "surefoot")
    words = [program, "run", "--pipeline", "watched:answer", "-q", "questions.jsonl", "--watch"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert any("watching watched.py" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and "2 answers, 0 errors" in out and not err
