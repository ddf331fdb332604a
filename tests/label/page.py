"""A run to label, the desk without a browser, and the label page served by the real command."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from surefoot.ledger import Ledger

from surefoot import rubric
from surefoot.label.desk import Desk, Sent
from surefoot.records import Label
from surefoot.store import Manifest, RunStore
from surefoot.types import Passage, Question, Retrieved, Trace, Verdict
from tests import served
from tests.conftest import append_verdicts

GRADER = "rules@1"
REFUSAL = rubric.load()
Sit = Callable[..., Desk]
COLOURS = ("red", "blue", "green", "amber", "violet")


def question(number: int) -> Question:
    colour = COLOURS[number % 5]
    return Question(
        id=f"q{number}", text=f"What colour is door {number} of the mill?", expects="answer",
        gold_ids=(f"doors#{number}",), gold_claims=(f"Door {number} is {colour}.",),
    )  # fmt: skip


def trace(number: int, answer: str | None = None) -> Trace:
    said = f"Door {number} of the mill is {COLOURS[number % 5]} [doors#{number}]." if answer is None else answer
    if answer is None and number % 4 == 3:
        said = f"The documents do not say what colour door {number} is."
    passages = (
        Passage(
            f"doors#{number}", f"In May 2024 door {number} of the mill was painted {COLOURS[number % 5]}.", "Doors", 2
        ),
        Passage("doors#other", "The roof of the mill is slate.", "Doors", 9),
    )
    return Trace(question_id=f"q{number}", answer=said, retrieved=Retrieved(passages))


def make_run(folder: Path, traces: Sequence[Trace], *, verdicts: bool = True) -> Path:
    numbers = range(len(traces))
    manifest = Manifest(
        name="mill", pipeline="test", repeats=1, seed=0, questions_sha256="0" * 64, question_count=len(traces),
        grader=GRADER if verdicts else None, created="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    with RunStore.create(folder, manifest, [question(number) for number in numbers]) as store:
        for one in traces:
            store.append_trace(one)
        if verdicts:
            buckets = ("correct", "wrong", "correct", "refused")
            append_verdicts(store, [Verdict(f"q{n}", "factuality", buckets[n % 4], GRADER) for n in numbers])
            store.amend(graded_sha256=store.answers_sha256())
    return folder


def next_of(desk: Desk, person: str) -> int:
    number = desk.next_number(person)
    assert number is not None
    return number


def sent(desk: Desk, number: int, name: str = "a", note: str = "", **values: str) -> Sent:
    return Sent(number, desk.queue.sheets[number - 1].version, name * 32, values, note)


def rows(run: Path) -> list[Label]:
    with Ledger.open(run.parent / "surefoot.db") as ledger:
        return ledger.labels()


class Server(served.Server):
    """`surefoot label` in a process of its own."""

    def __init__(self, run: Path, *options: str) -> None:
        super().__init__("label", str(run), *options)


@contextlib.contextmanager
def serving(run: Path, *options: str) -> Iterator[Server]:
    with served.ending_well(Server(run, *options)) as server:
        yield server
