"""Small runs with labels, made from the cells of a confusion table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.calibration import calibrate as package
from surefoot.calibration.answers import Graded, Joined
from surefoot.calibration.answers import join as join_runs
from surefoot.calibration.results import Calibration
from surefoot.core import rubric
from surefoot.core.records import Label, Value
from surefoot.core.rubric import Rubric
from surefoot.core.types import Verdict

RUBRIC = rubric.load()
GRADER = "g/1"


def verdict(number: int | str, value: Value, axis: str = "factuality", **more: Any) -> Verdict:  # noqa: ANN401
    return Verdict(f"q{number}", axis, value, more.pop("grader", GRADER), **more)


def label(number: int | str, value: Value, who: str = "anna", **more: Any) -> Label:  # noqa: ANN401
    fields = {"axis": "factuality", "at": "", "question_id": f"q{number}", **more}
    return Label(id=f"{who}/{number}/{fields['axis']}/{fields['at']}", annotator=who, value=value, **fields)


def join(verdicts: Sequence[Verdict], labels: Sequence[Label], **more: Any) -> Joined:  # noqa: ANN401
    return join_runs([Graded(verdicts, labels, **more)])


def calibrate(
    verdicts: Sequence[Verdict], labels: Sequence[Label], rubric: Rubric = RUBRIC, **more: Any,  # noqa: ANN401
) -> Calibration:  # fmt: skip
    return package.calibrate(join(verdicts, labels), rubric, **more)


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
