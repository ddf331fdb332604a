"""Whatever a pipeline does to one question, the rest goes on."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from surefoot.core.errors import TransientError
from surefoot.core.types import Ask, Passage, Question, Retrieved, Trace
from surefoot.pipelines.asker import ask_all, askable, code_of


class Fake:
    """A pipeline made of a function."""

    name = "fake"

    def __init__(self, function: Callable[[Ask], Any], forces_null: bool = True) -> None:
        self._function = function
        self.forces_null = forces_null

    def answer(self, ask: Ask) -> Trace:
        return cast(Trace, self._function(ask))


def questions(count: int) -> list[Question]:
    return [Question(f"q{number}", f"Number {number}?", "answer") for number in range(count)]


def ask(function: Callable[[Ask], Any], asked: list[Question], **options: Any) -> dict[tuple[str, int], Trace]:  # noqa: ANN401
    got: list[Trace] = []
    ask_all(Fake(function), asked, on_trace=got.append, **options)
    found = {(str(trace.question_id), trace.attempt): trace for trace in got}
    assert len(found) == len(got), "a question was answered twice"
    return found


def after(seconds: float) -> Callable[[Ask], Trace]:
    def slow(ask: Ask) -> Trace:
        time.sleep(seconds)
        return fine(ask)

    return slow


def fine(ask: Ask) -> Trace:
    return Trace(answer=f"answer to {ask.id}", retrieved=Retrieved(), citations=("a",))


def test_every_question_every_attempt() -> None:
    got = ask(fine, questions(20), repeats=3)
    assert len(got) == 60
    assert got["q7", 2].answer == "answer to q7" and got["q7", 2].seconds is not None


def test_what_is_done_is_not_asked_again() -> None:
    asked: list[str] = []

    def noted(a: Ask) -> Trace:
        asked.append(a.id)
        return fine(a)

    got = ask(noted, questions(5), repeats=2, done={("q1", 1), ("q3", 2)})
    assert len(got) == len(asked) == 8 and ("q1", 1) not in got and ("q1", 2) in got


BAD: list[tuple[str, Callable[[Ask], Any], str]] = [
    ("raises", lambda a: 1 / 0, "ZeroDivisionError: division by zero"),
    ("exits", lambda a: exit(3), "SystemExit: 3"),
    ("no answer", lambda a: Trace(), "gave no answer"),
    ("long", lambda a: Trace(answer="x" * 10_000_000), "the answer is too long: 10,000,000 characters"),
    ("unasked", lambda a: Trace("q999", answer="x"), "answered the question 'q999', which was not asked"),
    ("told", lambda a: Trace(error="quota\nused up"), "quota used up"),
]


@pytest.mark.parametrize(("bad", "error"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_fault_is_that_questions_error(bad: Callable[[Ask], Any], error: str) -> None:
    got = ask(lambda a: bad(a) if a.id == "q2" else fine(a), questions(5))
    assert error in str(got["q2", 1].error)
    assert got["q2", 1].answer is None
    assert all(got[f"q{n}", 1].error is None for n in (0, 1, 3, 4))


def test_a_pipeline_that_is_down_is_given_up_and_the_rest_not_asked() -> None:
    tries = list[str]()

    def down(a: Ask) -> Trace:
        tries.append(a.id)
        raise TransientError("nobody is there", retry_after=0)

    got = ask(down, questions(200), retries=1, concurrency=4)
    errors = Counter(str(trace.error) for trace in got.values())
    assert errors.keys() == {"nobody is there", "not asked: nobody is there"} and errors.total() == 200
    assert 20 <= len(tries) <= 2 * 14


def test_a_hung_pipeline_is_given_up() -> None:
    for_ever = threading.Event()
    got = ask(lambda a: for_ever.wait() if a.id in ("q0", "q4") else fine(a), questions(10), concurrency=2, timeout=1)
    for_ever.set()
    assert {key[0]: trace.error for key, trace in got.items() if trace.error} == {
        "q0": "timeout after 1 s",
        "q4": "timeout after 1 s",
    }


def test_an_answer_that_comes_too_late_does_not_count_twice() -> None:
    got = ask(after(0.25), questions(8), concurrency=2, timeout=0.2)
    assert len(got) == 8


def test_only_what_may_pass_is_retried() -> None:
    tries: list[str] = []

    def flaky(a: Ask) -> Trace:
        tries.append(a.id)
        if a.id == "q0" and tries.count("q0") < 3:
            raise TransientError("busy", retry_after=0.01)
        if a.id == "q1":
            raise ValueError("bad input")
        if a.id == "q2":
            raise TransientError("down for good", retry_after=0)
        return fine(a)

    got = ask(flaky, questions(3), retries=2)
    assert got["q0", 1].error is None and tries.count("q0") == 3
    assert got["q1", 1].error == "ValueError: bad input" and tries.count("q1") == 1
    assert got["q2", 1].error == "down for good" and tries.count("q2") == 3


def test_null_retrieval_is_told_and_checked() -> None:
    null = [Question("n", "N?", "refusal", retrieval="null")]
    told = ask(lambda a: Trace(answer=a.retrieval, retrieved=Retrieved()), null)
    assert told["n", 1].answer == "null"
    lied = ask(lambda a: Trace(answer="x", retrieved=Retrieved([Passage("p")])), null)
    assert "told to retrieve nothing" in str(lied["n", 1].error)
    both = [*null, Question("q", "Q?", "answer")]
    assert askable(Fake(fine, forces_null=False), both) == both[1:] and askable(Fake(fine), both) == both


def test_stop_keeps_what_is_answered_and_asks_no_more() -> None:
    stop, asked, got = threading.Event(), list[str](), list[Trace]()

    def answers_ten(a: Ask) -> Trace:
        asked.append(a.id)
        if len(asked) > 10:
            stop.wait()
        return fine(a)

    def keep(trace: Trace) -> None:
        got.append(trace)
        if len(got) == 10:
            stop.set()

    ask_all(Fake(answers_ten), questions(500), concurrency=4, on_trace=keep, stop=stop)
    assert 10 <= len(got) <= len(asked) <= 14


def test_many_at_once() -> None:
    together = threading.Barrier(20, timeout=60)

    def meet(a: Ask) -> Trace:
        together.wait()
        return fine(a)

    got = ask(meet, questions(40), concurrency=20)
    assert len(got) == 40 and not any(trace.error for trace in got.values())


class Disturbed(TransientError):
    ask_alone = True


def test_who_may_have_brought_it_down_is_asked_alone() -> None:
    under_way: list[str] = []
    together = threading.Barrier(4)

    def fragile(a: Ask) -> Trace:
        under_way.append(a.id)
        if len(under_way) <= 4:
            together.wait(10)
            raise Disturbed("it went down")
        assert under_way.count(a.id) < 3
        if a.id == "q2":
            raise ValueError("this one did it")
        return fine(a)

    got = ask(fragile, questions(12), concurrency=4)
    assert {key[0]: trace.error for key, trace in got.items() if trace.error} == {"q2": "ValueError: this one did it"}
    assert sorted(under_way[-4:]) == ["q0", "q1", "q2", "q3"]


def test_alone_and_still_disturbed_is_an_error() -> None:
    def always(a: Ask) -> Trace:
        raise Disturbed("it went down")

    assert [trace.error for trace in ask(always, questions(3)).values()] == ["it went down"] * 3


def test_stopped_in_a_pause_is_no_error() -> None:
    stop, got = threading.Event(), list[Trace]()

    def busy(a: Ask) -> Trace:
        stop.set()
        raise TransientError("busy", retry_after=30)

    ask_all(Fake(busy), questions(1), on_trace=got.append, stop=stop)
    assert got == []


def test_code_is_also_what_the_named_file_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app" / "inner").mkdir(parents=True)
    texts = {"app/__init__.py": "", "app/main.py": "import json, helper\nfrom .inner import deep",
             "app/inner/__init__.py": "", "app/inner/deep.py": "x = 1", "helper.py": "from app.main import *",
             "other.py": "", "run.py": "import helper"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)

    def codes() -> tuple[str, str]:
        return code_of("app.main:answer"), code_of("cmd:python run.py")

    before = codes()
    (tmp_path / "other.py").write_text("y = 1")
    (tmp_path / "answer").write_text("a file that is called like the function is none of its code")
    assert codes() == before
    for name in ("app/inner/deep.py", "helper.py"):
        (tmp_path / name).write_text(f"{texts[name]}\n")
        assert all(one != other for one, other in zip(codes(), before, strict=True))
        before = codes()
