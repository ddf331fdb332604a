"""Labels on one side alone must not tip the scales.

Whoever labels the candidate takes the grader's false alarms back there, and leaves those of the baseline in place: a
worse candidate may then look no worse. So a rule against the baseline that holds with people's labels has to hold as
well

- when labels count only where both answers to a question have one, and
- where labels have lifted a failure, without those alarms on the baseline that nobody has looked at, unless the
  candidate has one like it at the same question, which nobody has looked at either, and
- without what somebody went to look for on the baseline and found other than the grader: whoever searches one side will
  find something there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.gate import Rule
from surefoot.judging import Judged, Subject, rises, subject_of
from surefoot.measures import BUCKET_AXIS, SIDES, Measure, Pair, SideName, part_of
from surefoot.pairing import Key, Side, pairs_of
from surefoot.types import Verdict

Sides = Mapping[SideName, Side]
Chosen = tuple[Pair, SideName]
Again = Callable[[Rule, Subject], Judged]  # how a rule is judged
OTHER: dict[SideName, SideName] = {"base": "cand", "cand": "base"}
_UNALARMING = ("correct", "refused")  # the one or the other is fine by every rule about buckets
_ONE_SIDED = "it holds only because labels are on one side: label the other side's answers too"
_SEARCHED = "it holds only by what somebody went to look for on the baseline: label answers drawn by chance"


class Scales(Struct, frozen=True):
    """The same answers, weighed by all labels, by those that both sides have, without those picked on the baseline, and
    by the grader alone.
    """

    sides: Sides
    pairs: list[Pair]
    even: list[Pair]
    unsearched: list[Pair]
    graded: list[Pair]

    @classmethod
    def of(cls, sides: Sides, pairs: list[Pair]) -> Scales:
        if not any(side.labels for side in sides.values()):
            return cls(sides, pairs, pairs, pairs, pairs)
        graded = pairs_of(*(replace(sides[name], labels={}) for name in SIDES))
        by_key = {(pair.question_id, pair.attempt): pair for pair in graded}
        even = pairs_of(*(_even(name, sides, by_key) for name in SIDES))
        unsearched = pairs_of(_unsearched(sides["base"], by_key), sides["cand"]) if sides["base"].picked else pairs
        return cls(sides, pairs, even, unsearched, graded)


def held_even(judged: Sequence[Judged], scales: Scales, axes: set[str], again: Again) -> list[Judged]:
    """The rules, judged with an even hand: one that holds by labels on one side alone is open."""
    if scales.graded is scales.pairs:
        return list(judged)
    return [_opened(one, _ONE_SIDED) if _is_tipped(one, scales, axes, again) else one for one in judged]


def held_unsearched(one: Judged, scales: Scales, axes: set[str], again: Again) -> Judged:
    """A rule that holds only by what somebody went to look for is open."""
    if scales.unsearched is scales.pairs or not _holds_against_the_baseline(one):
        return one
    return one if _holds(one.check.rule, scales.unsearched, axes, again) else _opened(one, _SEARCHED)


def is_one_sided(judged: Judged) -> bool:
    return judged.check.reason == _ONE_SIDED


def lacking_a_label(rule: Rule, subject: Subject, scales: Scales) -> list[Chosen]:
    """What was left to the grader: where people overruled it on the other side, and the baseline's other alarms."""
    axes = {BUCKET_AXIS, subject.measure.axis}
    graded = {(pair.question_id, pair.attempt): pair for pair in scales.graded}
    overruled = {name: _overruled(name, scales.sides[name], graded, axes) for name in SIDES}
    return [
        (pair, name)
        for pair in subject.pairs
        for name in SIDES
        if not pair.side(name).by_people
        and not pair.is_one_answer
        and (
            (pair.question_id, pair.attempt) in overruled[OTHER[name]]
            or (name == "base" and _is_unseen_alarm(rule, subject.measure, pair))
        )
    ]


def _even(name: SideName, sides: Sides, graded: Mapping[Key, Pair]) -> Side:
    """The side with only those labels that have a counterpart, or stand where the grader said nothing.

    Of a file nobody knows whether it said nothing, or its row was taken out for the label.
    """
    side, other = sides[name], sides[OTHER[name]]
    kept = {
        (key, axis): label
        for (key, axis), label in side.labels.items()
        if (key, axis) in other.labels or (side.traces and _graded(name, graded.get(key), axis) is None)
    }
    return replace(side, labels=kept)


def _unsearched(base: Side, graded: Mapping[Key, Pair]) -> Side:
    """The baseline without picked labels that make it worse, unless the candidate gave the very same answer."""

    def is_searched(key: Key, axis: str, label: Verdict) -> bool:
        pair = graded.get(key)
        before = _graded("base", pair, axis)
        if (key, axis) not in base.picked or before in (None, label.value) or (pair is not None and pair.is_one_answer):
            return False
        return axis != BUCKET_AXIS or label.value not in _UNALARMING or before in _UNALARMING

    kept = {(key, axis): label for (key, axis), label in base.labels.items() if not is_searched(key, axis, label)}
    return replace(base, labels=kept)


def _opened(one: Judged, reason: str) -> Judged:
    return replace(one, check=replace(one.check, status="undecidable", reason=reason, to_be_sure=None))


def _holds_against_the_baseline(one: Judged) -> bool:
    return one.check.rule.on_baseline and one.check.status == "pass"


def _status(rule: Rule, pairs: list[Pair], axes: set[str], again: Again) -> str:
    subject = subject_of(rule, pairs, axes)
    return again(rule, subject).check.status if isinstance(subject, Subject) else "pass"


def _holds(rule: Rule, pairs: list[Pair], axes: set[str], again: Again) -> bool:
    return _status(rule, pairs, axes, again) in ("pass", "not_applicable")


def _is_tipped(one: Judged, scales: Scales, axes: set[str], again: Again) -> bool:
    if not _holds_against_the_baseline(one):
        return False
    rule = one.check.rule
    if not _holds(rule, scales.even, axes, again):
        return True
    lifted = _status(rule, scales.graded, axes, again) == "fail"
    return lifted and not _holds(rule, _without_unseen(rule, scales.pairs, axes), axes, again)


def _without_unseen(rule: Rule, pairs: list[Pair], axes: set[str]) -> list[Pair]:
    subject = subject_of(rule, pairs, axes)
    if not isinstance(subject, Subject):
        return pairs
    measure = subject.measure
    return [_unalarmed(rule, measure, pair) if _is_unseen_alarm(rule, measure, pair) else pair for pair in pairs]


def _is_unseen_alarm(rule: Rule, measure: Measure, pair: Pair) -> bool:
    """True where the grader alone speaks against the baseline, and not in the same way against the candidate."""
    if measure.axis != BUCKET_AXIS or pair.base.by_people or pair.is_one_answer:
        return False
    alike = _is_alarm(rule, measure, pair, "cand") and not pair.cand.by_people
    return _is_alarm(rule, measure, pair, "base") and not alike


def _is_alarm(rule: Rule, measure: Measure, pair: Pair, side: SideName) -> bool:
    part = part_of(measure, pair, side)
    return isinstance(part, int) and (part > 0) == rises(rule)


def _unalarmed(rule: Rule, measure: Measure, pair: Pair) -> Pair:
    verdict = pair.base.verdicts[BUCKET_AXIS]
    for bucket in _UNALARMING:
        said = replace(pair.base, verdicts={**pair.base.verdicts, BUCKET_AXIS: replace(verdict, value=bucket)})
        if not _is_alarm(rule, measure, fine := replace(pair, base=said), "base"):
            return fine
    return pair


def _overruled(name: SideName, side: Side, graded: Mapping[Key, Pair], axes: set[str]) -> set[Key]:
    """The answers on which people and the grader differ."""
    return {
        key
        for (key, axis), label in side.labels.items()
        if axis in axes and _graded(name, graded.get(key), axis) not in (None, label.value)
    }


def _graded(name: SideName, pair: Pair | None, axis: str) -> int | str | None:
    verdict = pair.side(name).verdicts.get(axis) if pair else None
    return verdict.value if verdict else None
