"""Labels on one side alone must not tip the scales.

Whoever labels the candidate takes the grader's false alarms back there, and leaves those of the baseline in place: a
worse candidate may then look no worse. So a rule against the baseline holds only if it holds as well when labels count
only where both answers to a question have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from surefoot.judging import Judged, Subject, judge, subject_of
from surefoot.measures import BUCKET_AXIS, SIDES, Pair, SideName
from surefoot.pairing import Key, Side, pairs_of

Sides = Mapping[SideName, Side]
OTHER: dict[SideName, SideName] = {"base": "cand", "cand": "base"}


def held_even(judged: Sequence[Judged], sides: Sides, axes: set[str]) -> tuple[list[Judged], frozenset[str]]:
    """The rules judged with an even hand, and the names of those that hold by labels on one side alone."""
    even = {name: _even(side, sides[OTHER[name]]) for name, side in sides.items()}
    if all(even[name].labels == sides[name].labels for name in SIDES):
        return list(judged), frozenset()
    pairs = pairs_of(even["base"], even["cand"])
    tipped = {one.check.rule.name for one in judged if _holds(one) and not _holds_for(one, pairs, axes)}
    reason = "it holds only because people looked at one side: label the other side's answers to these questions too"
    return [
        replace(one, check=replace(one.check, status="undecidable", reason=reason, to_be_sure=None))
        if one.check.rule.name in tipped
        else one
        for one in judged
    ], frozenset(tipped)


def lacking_a_label(pairs: Sequence[Pair], sides: Sides) -> list[tuple[Pair, SideName]]:
    """The answers that people left to the grader, where they overruled it on the other side."""
    overruled = {name: _overruled(side) for name, side in sides.items()}
    return [
        (pair, name)
        for pair in pairs
        for name in SIDES
        if (pair.question_id, pair.attempt) in overruled[OTHER[name]]
        and not pair.side(name).by_people
        and not pair.is_one_answer
    ]


def _even(side: Side, other: Side) -> Side:
    """The side with only those labels that have a counterpart."""
    same = {key for key, version in side.versions.items() if other.versions.get(key) == version}
    kept = {place: label for place, label in side.labels.items() if place in other.labels or place[0] in same}
    return replace(side, labels=kept)


def _holds(one: Judged) -> bool:
    return one.check.rule.on_baseline and one.check.status == "pass"


def _holds_for(one: Judged, pairs: list[Pair], axes: set[str]) -> bool:
    subject = subject_of(one.check.rule, pairs, axes)
    return not isinstance(subject, Subject) or judge(one.check.rule, subject).check.status == "pass"


def _overruled(side: Side) -> set[Key]:
    """The answers on whose bucket people and the grader differ."""
    graded = {(v.question_id, v.attempt): v.value for v in side.counted() if v.axis == BUCKET_AXIS}
    return {key for (key, axis), label in side.labels.items() if axis == BUCKET_AXIS and graded.get(key) != label.value}
