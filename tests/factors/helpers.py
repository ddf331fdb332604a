"""Cells whose buckets are given outright."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.core.types import Question, Trace, Verdict
from surefoot.factors.results import CellResult, result_of
from surefoot.gate.sides import Run

Buckets = Sequence[str | None]


def questions_of(count: int, about: int = 0) -> dict[str, Question]:
    """Every third cannot be answered; `about` so many documents, or of none."""
    found = {}
    for n in range(count):
        gold = (f"d{n % about}#{n}",) if about else ()
        found[f"q{n:03}"] = Question(f"q{n:03}", "?", "refusal" if n % 3 == 2 else "answer", gold_ids=gold)
    return found


def cell(
    values: Mapping[str, str], buckets: Buckets, questions: Mapping[str, Question] | None = None, attempts: int = 1
) -> CellResult:
    """`buckets` question by question, each attempt at it in turn."""
    asked = dict(questions or questions_of(len(buckets) // attempts))
    keys = [(id, attempt) for id in asked for attempt in range(1, attempts + 1)]
    verdicts = [
        Verdict(id, "factuality", bucket, "g", attempt) for (id, attempt), bucket in zip(keys, buckets, strict=True)
    ]
    traces = {key: Trace(key[0], answer="a", attempt=key[1]) for key in keys}
    name = " / ".join(values.values())
    return result_of(name, values, name, Run(name, verdicts, asked, traces, attempts=attempts))
