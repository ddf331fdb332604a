"""The council's verdicts on the answers of runs, as rows like all others, and back into numbers.

question_id, attempt   the answer
axis                   "council.DIMENSION", "council.overall" (capped), "council.holistic", "council.safety";
                       "council.uncapped" of a reviewer whose overall score a ceiling holds down
value                  a score from 1 to 10, 0 for an unsafe answer; "safe" or "unsafe"; None, and `reason` says why
grader                 "council/REVIEWER+DIGEST", or "council/pooled+RUBRIC+DIGEST" for all reviewers together
via                    OWN where the reviewer is the model that gave the answer; such a score is never pooled
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import Verdict

PREFIX = AXIS_PREFIX
GRADER = "council/"
OVERALL, UNCAPPED, HOLISTIC, SAFETY = "overall", "uncapped", "holistic", "safety"
SAFE, UNSAFE = "safe", "unsafe"
OWN = "own answer"
POOLED = "pooled"
_CAPPED = "capped by "
DISPUTED = "disputed: "  # in the reason of an overall score, before who calls the answer a refusal and who does not
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
        reviewer, score = reviewer_of(row.grader), score_in(row)
        if reviewer is not None and row.axis.startswith(PREFIX) and score is not None:
            place = Place(reviewer, run, row.question_id, row.attempt)
            found.setdefault(place, {})[row.axis.removeprefix(PREFIX)] = score
    return found


def score_in(row: Verdict | None) -> float | None:
    value = None if row is None else row.value
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def own_answers(verdicts: Iterable[Verdict], run: str) -> set[Place]:
    """Where a reviewer scored what it had said itself."""
    rows = ((row, reviewer_of(row.grader)) for row in verdicts if row.via == OWN)
    return {Place(reviewer, run, row.question_id, row.attempt) for row, reviewer in rows if reviewer is not None}
