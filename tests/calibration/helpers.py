"""Small runs with labels, made from the cells of a confusion table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot import rubric
from surefoot.calibration.joining import Answer
from surefoot.records import Label, Value
from surefoot.types import Verdict

RUBRIC = rubric.load()
GRADER = "g/1"


def verdict(number: int | str, value: Value, axis: str = "factuality", **more: Any) -> Verdict:  # noqa: ANN401
    return Verdict(f"q{number}", axis, value, more.pop("grader", GRADER), **more)  # type: ignore[arg-type]


def label(number: int | str, value: Value, who: str = "anna", **more: Any) -> Label:  # noqa: ANN401
    fields = {"axis": "factuality", "at": "", "question_id": f"q{number}", **more}
    return Label(id=f"{who}/{number}/{fields['axis']}/{fields['at']}", annotator=who, value=value, **fields)


def unlabelled(values: Sequence[Value]) -> dict[str, list[Answer]]:
    """Other answers with these verdicts on factuality."""
    return {"factuality": [Answer(f"other{number}", 1, value) for number, value in enumerate(values)]}


def from_table(
    table: Mapping[str, Mapping[str, int]], answers: Mapping[str, int] | None = None
) -> tuple[list[Verdict], list[Label]]:
    """`table[verdict][label]` labelled answers, and as many unlabelled ones as `answers` has beyond them."""
    verdicts: list[Verdict] = []
    labels: list[Label] = []
    for graded, row in table.items():
        values = [value for value, count in row.items() for _ in range(count)]
        for value in [*values, *[None] * ((answers or {}).get(graded, 0) - len(values))]:
            number = len(verdicts)
            verdicts.append(verdict(number, None if graded == "ungraded" else graded))
            labels += [label(number, value)] if value is not None else []
    return verdicts, labels
