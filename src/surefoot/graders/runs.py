"""Grading a run: every answer it has, and every one it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from surefoot.types import Item, Question, Trace


def items_of(questions: Sequence[Question], traces: Iterable[Trace], repeats: int) -> Iterator[Item]:
    """One item per question and attempt; where there is no trace, an item without an answer."""
    by_key = {(trace.question_id, trace.attempt): trace for trace in traces}
    for question in questions:
        for attempt in range(1, repeats + 1):
            missing = Trace(question_id=question.id, attempt=attempt)
            yield Item(question, by_key.get((question.id, attempt), missing))
