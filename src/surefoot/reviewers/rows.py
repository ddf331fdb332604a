"""The council's verdicts on the answers of runs, as rows like all others, and back into numbers.

question_id, attempt   the answer
axis                   "council.DIMENSION", "council.overall" (capped), "council.holistic", "council.safety"
value                  a score from 1 to 10, 0 for an unsafe answer; "safe" or "unsafe"; None, and `reason` says why
grader                 "council/REVIEWER+DIGEST", or "council/pooled+RUBRIC+DIGEST" for all reviewers together
via                    OWN where the reviewer is the model that gave the answer; such a score is never pooled
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from surefoot.rubric import AXIS_PREFIX
from surefoot.types import Verdict

PREFIX = AXIS_PREFIX
GRADER = "council/"
OVERALL, HOLISTIC, SAFETY = "overall", "holistic", "safety"
SAFE, UNSAFE = "safe", "unsafe"
OWN = "own answer"
POOLED = "pooled"
_CAPPED = "capped by "
_DIGEST = re.compile(r"\+[0-9a-f]{8}")  # of the rubric and all else that a score depends on


class Place(NamedTuple):
    """Who scored which answer. The reviewer of what all say together is POOLED."""

    reviewer: str
    run: str
    question_id: str
    attempt: int


def axis_of(dimension: str) -> str:
    return PREFIX + dimension


def grader_of(reviewer: str, digest: str = "") -> str:
    return f"{GRADER}{reviewer}{f'+{digest}' if digest else ''}"


def reviewer_of(grader: str) -> str | None:
    """None for a grader that is not of the council."""
    if not grader.startswith(GRADER):
        return None
    name = grader.removeprefix(GRADER)
    if name == POOLED or name.startswith(f"{POOLED}+"):
        return POOLED
    return name[:-9] if _DIGEST.fullmatch(name[-9:]) else name


def rubric_of(pooled: str) -> str:
    """By which all reviewers together scored."""
    return pooled.removeprefix(f"{GRADER}{POOLED}+").rpartition("+")[0]


def capped_words(by: Iterable[str]) -> str:
    """The reason of an overall score that ceilings hold down."""
    named = ", ".join(by)
    return f"{_CAPPED}{named}" if named else ""


def capped_by(row: Verdict) -> tuple[str, ...]:
    """What holds a score down, as its reason says first."""
    first = row.reason.partition(";")[0]
    return tuple(first.removeprefix(_CAPPED).split(", ")) if first.startswith(_CAPPED) else ()


def scores_of(verdicts: Iterable[Verdict], run: str = "") -> dict[Place, dict[str, float]]:
    """By answer and reviewer, the score on each dimension that has one, with OVERALL and HOLISTIC among them."""
    found: dict[Place, dict[str, float]] = {}
    for row in verdicts:
        reviewer = reviewer_of(row.grader)
        is_score = isinstance(row.value, (int, float)) and not isinstance(row.value, bool)
        if reviewer is not None and row.axis.startswith(PREFIX) and is_score:
            place = Place(reviewer, run, row.question_id, row.attempt)
            found.setdefault(place, {})[row.axis.removeprefix(PREFIX)] = float(row.value)  # type: ignore[arg-type]
    return found


def own_answers(verdicts: Iterable[Verdict], run: str = "") -> set[Place]:
    """Where a reviewer scored what it had said itself."""
    rows = ((row, reviewer_of(row.grader)) for row in verdicts if row.via == OWN)
    return {Place(reviewer, run, row.question_id, row.attempt) for row, reviewer in rows if reviewer is not None}
