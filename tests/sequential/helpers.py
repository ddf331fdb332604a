"""Runs and certificates made for the purpose: one letter, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from surefoot.calibration.certificates import sealed
from surefoot.pairing import Side
from surefoot.records import AxisRecord, Certificate, Interval, corpus_of
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Passage, Question, Retrieved, Trace, Verdict

GRADER = "g/1"
RUBRIC = "r" * 64
SHORT = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused"}


def questions(count: int) -> list[Question]:
    return [Question(f"q{i:03}", f"Question {i}?", "answer", gold_ids=(f"d{i % 7}#1",)) for i in range(count)]


def verdicts(buckets: str, attempt: int = 1) -> list[Verdict]:
    return [
        Verdict(f"q{i:03}", "factuality", SHORT[letter], GRADER, attempt)
        for i, letter in enumerate(buckets)
        if letter != "_"
    ]


def side(buckets: str, name: str = "side") -> Side:
    return Side(name, verdicts(buckets), rubric=RUBRIC)


def run_folder(folder: Path, *attempts: str, version: str = "", pipeline: str = "p", told: str | None = None) -> Path:
    """A graded run. Its answers are its own unless `told` says which they are."""
    asked = questions(len(attempts[0]))
    manifest = Manifest(
        name=folder.name, pipeline=pipeline, version=version, repeats=len(attempts), seed=0,
        questions_sha256=fingerprint(asked), question_count=len(asked), created=f"2026-01-01T00:00:00 {folder.name}",
    )  # fmt: skip
    found = Retrieved([Passage("d0#1", "The passage.", "d0")])
    with RunStore.create(folder, manifest, asked) as store:
        for attempt, buckets in enumerate(attempts, 1):
            for question, letter in zip(asked, buckets, strict=True):
                answer = f"{told if told is not None else folder.name} {attempt} {letter} {question.id}"
                store.append_trace(Trace(question.id, answer=answer, retrieved=found, attempt=attempt))
            store.append_verdicts(verdicts(buckets, attempt))
        store.amend(grader=GRADER, rubric_sha256=RUBRIC, graded_sha256=store.answers_sha256())
    return folder


def certificate(
    table: dict[str, dict[str, int]] | None = None, *, kappa: tuple[float, float, float] = (0.8, 0.6, 0.9),
    labels: int | None = None, corpus: str = "", rubric: str = RUBRIC, grader: str = GRADER, at: str = "2026-01-02",
) -> Certificate:  # fmt: skip
    table = table if table is not None else sure(100 if labels is None else labels // len(SHORT))
    drawn = {verdict: sum(row.values()) for verdict, row in table.items()}
    labels = sum(drawn.values()) if labels is None else labels
    answers = {verdict: max(100, count) for verdict, count in drawn.items()}
    record = AxisRecord(n=labels, kappa=Interval(*kappa), table=table, answers=answers)
    return sealed(
        Certificate(
            id="", at=at, grader=grader, rubric_sha256=rubric, corpus=corpus, labels=labels, annotators=("ann",),
            axes={"factuality": record},
        )
    )  # fmt: skip


def sure(labelled: int) -> dict[str, dict[str, int]]:
    """A grader that people have never contradicted."""
    return {bucket: {bucket: labelled} for bucket in SHORT.values()}


def corpus(folder: Path) -> str:
    manifest = RunStore.open(folder).manifest
    return corpus_of(manifest.corpus_sha256, manifest.questions_sha256)


def changed(buckets: str, places: Sequence[int], letter: str = "w") -> str:
    return "".join(letter if i in set(places) else old for i, old in enumerate(buckets))
