"""Small runs and labels to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.core.records import Label
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from tests.kept import keep_run, kept

ASKED = [Question(f"q{n}", f"How high is tower {n}?", "answer", gold_ids=(f"t#{n}",)) for n in range(3)]
GRADER = "rules@1"


def trace(n: int, answer: str = "", passage: str = "", **more: Any) -> Trace:  # noqa: ANN401
    said = answer or f"Tower {n} is {n + 20} metres high [t#{n}]."
    shown = passage or f"Tower {n} has {n + 20} metres."
    return Trace(f"q{n}", answer=said, retrieved=Retrieved([Passage(f"t#{n}", shown)]), **more)


def verdicts(*buckets: str | None, grader: str = GRADER) -> list[Verdict]:
    return [Verdict(f"q{n}", "factuality", value, grader) for n, value in enumerate(buckets)]


def a_run(id: str = "first", asked: Sequence[Question] = ASKED, graded: bool = True, **manifest: Any) -> str:  # noqa: ANN401
    """Three answers, all called correct."""
    traces = [trace(n) for n in range(len(asked))]
    return keep_run(id, asked, traces, verdicts(*["correct"] * len(asked)) if graded else (), **manifest)


def label(run: str, question: str, value: str | None, number: int = 1, **more: Any) -> Label:  # noqa: ANN401
    made = {"id": f"label-{number}", "at": f"2026-03-01T09:00:{number:02}.000000+00:00", "annotator": "ann",
            "question_id": question, "axis": "factuality", "value": value, "run": run,
            "version": kept(run).answer_keys()[question, 1]}  # fmt: skip
    return Label(**{**made, **more})
