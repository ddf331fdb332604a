"""A command that speaks JSON lines, and the ways it can fail to."""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from surefoot.core.errors import UsageError
from surefoot.core.types import Question, Trace
from surefoot.pipelines.asker import ask_all
from surefoot.pipelines.process import CommandPipeline
from surefoot.pipelines.specs import load

Run = Callable[..., dict[str, Trace]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Ask a Python script, whose `reply(row)` is given, the questions q0 to q5."""
    started: list[CommandPipeline] = []

    def ask(body: str, before: str = "", timeout: float = 20.0, concurrency: int = 1) -> dict[str, Trace]:
        script = tmp_path / "script.py"
        loop = "for line in sys.stdin:\n    row = json.loads(line)\n"
        text = f"import json, os, sys, time\ndef say(row): print(json.dumps(row), flush=True)\n{before}\n{loop}"
        script.write_text(text + textwrap.indent(textwrap.dedent(body), "    "), encoding="utf-8")
        pipeline = CommandPipeline(f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}", {}, timeout)
        started.append(pipeline)
        got: dict[str, Trace] = {}
        questions = [Question(f"q{n}", f"Number {n}?", "answer") for n in range(6)]
        ask_all(
            pipeline, questions, concurrency=concurrency, timeout=timeout,
            on_trace=lambda t: got.update({str(t.question_id): t}),
        )  # fmt: skip
        return got

    yield ask
    for pipeline in started:
        pipeline.close()


def wrong(got: dict[str, Trace]) -> dict[str, str]:
    return {qid: trace.error for qid, trace in sorted(got.items()) if trace.error is not None}


def test_one_row_in_one_row_out(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    got = run('print("at work", file=sys.stderr)\nsay({"id": row["id"], "answer": row["text"], "chunks": ["p"]})')
    assert wrong(got) == {} and got["q3"].answer == "Number 3?"
    assert got["q3"].retrieved is not None and got["q3"].retrieved.ids == ("p",)
    shown, until = "", time.monotonic() + 10  # what a program says is passed on beside its answers
    while "at work\n" not in shown and time.monotonic() < until:
        shown += capfd.readouterr().err
        time.sleep(0.02)
    assert "at work\n" in shown


def test_ids_may_be_left_out(run: Run) -> None:
    assert wrong(run('say({"answer": row["text"]})')) == {}


def test_several_at_once(run: Run) -> None:
    got = run(
        """
        here = os.path.dirname(__file__)
        open(os.path.join(here, row["id"] + ".asked"), "w").close()
        while sum(name.endswith(".asked") for name in os.listdir(here)) < 6: time.sleep(0.02)
        say({"id": row["id"], "answer": row["text"]})
        """,
        concurrency=6, timeout=60.0,
    )  # fmt: skip
    assert wrong(got) == {} and {qid: t.answer for qid, t in got.items()} == {f"q{n}": f"Number {n}?" for n in range(6)}


def test_it_is_started_again_when_it_dies(run: Run) -> None:
    got = run('if row["id"] == "q2": os._exit(7)\nsay({"id": row["id"], "answer": "x"})')
    assert wrong(got) == {"q2": "the pipeline's process exited with status 7 before it answered"}


def test_a_command_that_answers_once(run: Run) -> None:
    assert wrong(run('say({"id": row["id"], "answer": "x"})\nsys.exit()')) == {}


def test_rubbish_is_that_questions_error(run: Run) -> None:
    got = run('if row["id"] == "q1": print("Loading model...")\nsay({"id": row["id"], "answer": row["text"]})')
    assert wrong(got) == {"q1": "the pipeline wrote 'Loading model...', which is not a JSON object"}
    assert got["q2"].answer == "Number 2?" and got["q5"].answer == "Number 5?"


def test_out_of_step_without_ids_is_never_mistaken_for_an_answer(run: Run) -> None:
    got = run('if row["id"] == "q1": print("oops")\nsay({"answer": row["text"]})')
    assert set(wrong(got)) == {"q1"}
    assert all(trace.error or trace.answer == f"Number {qid[1]}?" for qid, trace in got.items())


def test_empty_lines_mean_nothing(run: Run) -> None:
    got = run('print()\nsay({"answer": row["text"]})\nprint("  ", flush=True)')
    assert wrong(got) == {} and got["q5"].answer == "Number 5?"


def test_an_id_nobody_asked(run: Run) -> None:
    got = run('say({"id": "q77" if row["id"] == "q4" else row["id"], "answer": "x"})')
    assert wrong(got) == {"q4": "the pipeline answered the question 'q77', which was not asked"}


def test_a_hung_command_is_killed(run: Run) -> None:
    got = run('if row["id"] == "q0": time.sleep(60)\nsay({"id": row["id"], "answer": "x"})', timeout=2.0)
    assert wrong(got) == {"q0": "timeout after 2 s"}


def test_ten_megabytes(run: Run) -> None:
    got = run('say({"id": row["id"], "answer": "x" * (10_000_000 if row["id"] == "q3" else 3)})')
    assert list(wrong(got)) == ["q3"] and "too long" in wrong(got)["q3"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("./no-such-file", "no command './no-such-file'"),
        ("no-such-program --fast", "there is no command 'no-such-program'"),
        ("A=1 no-such-program", "there is no command 'no-such-program'"),
        ("/", "no command '/'"),
        ("'half a quote", "cannot be read"),
    ],
)
def test_a_command_that_is_not_there(command: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        CommandPipeline(command, {}, 5.0)
    assert caught.value.hint


@pytest.mark.parametrize(
    "command", ["cd . && cat", "A=1 cat", "exit 3", "(cat)", "$SHELL", "cat | cat", "if true; then :; fi"]
)
def test_what_only_the_shell_can_tell_is_left_to_it(command: str) -> None:
    CommandPipeline(command, {}, 5.0).close()


def test_a_script_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "my script"
    script.write_text('#!/bin/sh\nread line; echo \'{"answer": "x"}\'\n')
    with pytest.raises(UsageError, match="my script' that can be run") as caught:
        load("./my script")
    assert "chmod +x" in caught.value.hint
    script.chmod(0o755)
    got: list[Trace] = []
    pipeline = load("./my script")
    assert isinstance(pipeline, CommandPipeline)
    ask_all(pipeline, [Question("q", "?", "answer")], on_trace=got.append)
    pipeline.close()
    assert (got[0].answer, got[0].error) == ("x", None)
