"""A grader that misread answers of known label is not to be believed: what rests on its verdicts does not ship."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from surefoot.gate import Check, Rule
from surefoot.judging import Judged
from surefoot.pairing import Side
from surefoot.types import Verdict

NAME = "self_check"
_TEXT = "the grader reads answers of known label well"
_RULE = Rule(NAME, _TEXT, NAME, None, None, "<=", Fraction(0), on_baseline=False)


def failed_checks(sides: Iterable[Side]) -> dict[str, str]:
    """What graders misread, by grader, as far as their verdicts count."""
    found: dict[str, dict[str, None]] = {}
    for side in sides:
        for verdict in _failed(side):
            found.setdefault(verdict.grader, {})[verdict.self_check] = None
    return {grader: "; ".join(words) for grader, words in found.items()}


def judge(failed: Mapping[str, str]) -> list[Judged]:
    """A rule that cannot be decided, where a self-check failed. It is in no gate file, and cannot be waived."""
    if not failed:
        return []
    return [Judged(Check(_RULE, "undecidable", reason="; ".join(f"{name} {words}" for name, words in failed.items())))]


def steps(sides: Iterable[Side]) -> list[str]:
    """What would help."""
    runs = list(dict.fromkeys(side.name for side in sides if next(_failed(side), None)))
    if not runs:
        return []
    return [
        f"{NAME}: grade {' and '.join(runs)} again; if answers are misread again, grade both runs with another model"
    ]


def _failed(side: Side) -> Iterator[Verdict]:
    """The verdicts that came with a failed self-check, but for those that a person's label stands in for."""
    for verdict in side.counted():
        is_labelled = ((verdict.question_id, verdict.attempt), verdict.axis) in side.labels
        if verdict.self_check and verdict.value is not None and not is_labelled:
            yield verdict
