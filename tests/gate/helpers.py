"""Runs made for the purpose: one letter, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from surefoot.gate.decide import Comparison, compare
from surefoot.gate.judge import Request
from surefoot.gate.rules import Check, Rule
from surefoot.gate.sides import Run
from surefoot.io import gatefiles
from surefoot.records import Label, version_of
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Passage, Question, Retrieved, Trace, Verdict
from tests.conftest import append_verdicts

GRADER = "g/1"
RUBRIC = "r" * 64
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
        name, verdicts(buckets), {q.id: q for q in asked}, traces, graders=(GRADER,), deterministic=deterministic,
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


def run_folder(folder: Path, *attempts: str, version: str = "", pipeline: str = "p", told: str | None = None,
               deterministic: bool = False, created: str = "") -> Path:  # fmt: skip
    """A graded run on disk. Its answers are its own unless `told` says which they are."""
    asked = questions(len(attempts[0]))
    manifest = Manifest(
        name=folder.name, pipeline=pipeline, version=version, repeats=len(attempts), seed=0,
        questions_sha256=fingerprint(asked), question_count=len(asked), deterministic=deterministic,
        created=created or f"2026-01-01T00:00:00 {folder.name}",
    )  # fmt: skip
    with RunStore.create(folder, manifest, asked) as store:
        for attempt, buckets in enumerate(attempts, 1):
            for question, letter in zip(asked, buckets, strict=True):
                answer = f"{told if told is not None else folder.name} {attempt} {letter} {question.id}"
                store.append_trace(Trace(question.id, answer=answer, retrieved=_FOUND, attempt=attempt))
            append_verdicts(store, verdicts(buckets, attempt))
        store.amend(grader=GRADER, rubric_sha256=RUBRIC, graded_sha256=store.answers_sha256(),
                    verdicts_sha256=store.verdicts_sha256(GRADER))  # fmt: skip
    return folder


def label_of(folder: Path, question: str, value: str, who: str = "ann", drawn: str = "sample") -> Label:
    store = RunStore.open(folder)
    asked = next(one for one in store.questions() if one.id == question)
    trace = next(one for one in store.traces() if one.question_id == question)
    return Label(
        id=f"{who}{folder.name}{question}{value}", at="2026-01-01", annotator=who, question_id=question,
        axis="factuality", value=value, version=version_of(asked, trace), drawn=drawn,  # type: ignore[arg-type]
    )  # fmt: skip
