"""A run to label, the desk without a browser, and the label page served by the real command."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence

from surefoot.core import rubric
from surefoot.core.records import Label, Step, timestamp
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.label.desk import Desk, Sent
from surefoot.store import Project
from tests import served
from tests.kept import keep_run

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


def make_run(id: str, traces: Sequence[Trace], *, verdicts: bool = True) -> str:
    numbers = range(len(traces))
    buckets = ("correct", "wrong", "correct", "refused")
    said = [Verdict(f"q{n}", "factuality", buckets[n % 4], GRADER) for n in numbers if verdicts]
    asked, created = [question(n) for n in numbers], "2026-01-01T00:00:00+00:00"
    return keep_run(id, asked, traces, said, pipeline="test", created=created, rubric_sha256="")


def wait_for(run: str, needed: list[dict[str, object]]) -> None:
    """The gate has decided that it needs labels on these answers."""
    step = Step(
        id=secrets.token_hex(8), at=timestamp(), reference="base", release=run, base_runs=("base",), cand_runs=(run,),
        mode="change", outcome="INCONCLUSIVE", exit_code=3,
        document={"outcome": "INCONCLUSIVE", "label_next": needed},
    )  # fmt: skip
    with Project.existing() as project:
        project.add(step)


def next_of(desk: Desk, person: str) -> int:
    number = desk.next_number(person)
    assert number is not None
    return number


def sent(desk: Desk, number: int, name: str = "a", note: str = "", **values: str) -> Sent:
    return Sent(number, desk.queue.sheets[number - 1].version, name * 32, values, note)


def rows() -> list[Label]:
    with Project.existing() as project:
        return project.labels()


class Server(served.Server):
    """`surefoot label` in a process of its own."""

    def __init__(self, run: str, *options: str) -> None:
        super().__init__("label", run, *options)


@contextlib.contextmanager
def serving(run: str, *options: str) -> Iterator[Server]:
    with served.ending_well(Server(run, *options)) as server:
        yield server
