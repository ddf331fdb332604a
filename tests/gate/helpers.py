"""Runs made for the purpose: one letter, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from surefoot.core.records import Label
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.gate.decide import Comparison, compare
from surefoot.gate.judge import Request
from surefoot.gate.rules import Check, Rule
from surefoot.gate.sides import Run
from surefoot.io import gatefiles
from surefoot.store.project import key_of
from tests.kept import keep_run, kept

GRADER = "g/1"
SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "-": None}
SHIP = [Rule.parse(text, name) for name, text in gatefiles.load("ship").items()]
WRONG = [Rule.parse("wrong <= baseline", "wrong")]
_FOUND = Retrieved([Passage("d0#1", "The passage.", "d0")])


def questions(count: int) -> list[Question]:
    return [Question(f"q{i:03}", f"Question {i}?", "answer", gold_ids=(f"d{i % 7}#1",)) for i in range(count)]


def verdicts(buckets: str, attempt: int = 1, grader: str = GRADER) -> list[Verdict]:
    return [
        Verdict(f"q{i:03}", "factuality", SHORT[letter], grader, attempt)
        for i, letter in enumerate(buckets)
        if letter != "_"
    ]


def changed(buckets: str, places: Sequence[int], letter: str = "w") -> str:
    return "".join(letter if i in set(places) else old for i, old in enumerate(buckets))


def run_of(
    name: str, buckets: str, labels: str = "", *, told: str = "", drawn: bool = True, deterministic: bool = False
) -> Run:
    """A graded run as it is read. Its answers are in its own words, or as told; `.` is an answer without a label."""
    asked = questions(len(buckets))
    traces = {(q.id, 1): Trace(q.id, answer=f"{told or name} {i}", retrieved=_FOUND) for i, q in enumerate(asked)}
    placed = {((f"q{i:03}", 1), "factuality"): SHORT[letter] for i, letter in enumerate(labels) if letter != "."}
    return Run(
        name, verdicts(buckets), {q.id: q for q in asked}, traces,
        versions={(q.id, 1): key_of(q, traces[q.id, 1]) for q in asked}, graders=(GRADER,), deterministic=deterministic,
        labels={at: Verdict(at[0][0], at[1], value, "human/ann", via="" if drawn else "chosen")
                for at, value in placed.items()},
        labelled_by=frozenset({"ann"} if placed else ()),
    )  # fmt: skip


def decide(
    base: Run | Sequence[Run], cand: Run | Sequence[Run], request: Request | None = None, rules: Sequence[Rule] = WRONG
) -> Comparison:
    sides = [[one] if isinstance(one, Run) else list(one) for one in (base, cand)]
    return compare(sides[0], sides[1], rules, request or Request())


def check_of(comparison: Comparison, name: str = "wrong") -> Check:
    return next(check for check in comparison.decision.checks if check.rule.name == name)


def interval(comparison: Comparison, name: str = "wrong") -> tuple[float, float, float]:
    change = check_of(comparison, name).change
    assert change is not None
    return change.low, change.change, change.high


def kept_run(id: str, *attempts: str, version: str = "", pipeline: str = "p", told: str | None = None,
             deterministic: bool = False, created: str = "", db: Path | None = None) -> str:  # fmt: skip
    """A graded run of the test's project. Its answers are its own unless `told` says which they are."""
    asked = questions(len(attempts[0]))
    traces = [
        Trace(question.id, answer=f"{told if told is not None else id} {attempt} {letter} {question.id}",
              retrieved=_FOUND, attempt=attempt)
        for attempt, buckets in enumerate(attempts, 1) for question, letter in zip(asked, buckets, strict=True)
    ]  # fmt: skip
    said = [one for attempt, buckets in enumerate(attempts, 1) for one in verdicts(buckets, attempt)]
    return keep_run(
        id, asked, traces, said, db, version=version or id, pipeline=pipeline, repeats=len(attempts),
        deterministic=deterministic, created=created or f"2026-01-01T00:00:00 {id}",
    )  # fmt: skip


def label_of(id: str, question: str, value: str, who: str = "ann", drawn: str = "sample") -> Label:
    return Label(
        id=f"{who}{id}{question}{value}", at="2026-01-01", annotator=who, question_id=question,
        axis="factuality", value=value, version=kept(id).answer_keys()[question, 1], run=id, drawn=drawn,  # type: ignore[arg-type]
    )  # fmt: skip
