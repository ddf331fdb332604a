"""A rule held against the two sides of a comparison, as they are: any increase is an increase.

What one side lacks still counts. A rule fails when it fails whatever the missing verdicts would say, and is
undecidable as long as they could matter.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from surefoot import gate
from surefoot.gate import Check, Rule
from surefoot.measures import MEASURES, SIDES, UNKNOWN, Measure, Measured, Pair, SideName, measure_side, part_of
from surefoot.types import Estimate

QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
_BOUNDED_ABOVE = ("<=", "<")
_NO_VERDICT = "no verdict on it"


class Judged(Struct, frozen=True):
    """A rule's check with what the baseline has, and the reason where a rule that does not hold was waived."""

    check: Check
    base: Estimate | None = None
    waiver: str | None = None


class Subject(Struct, frozen=True):
    """What a rule is about: a measure, and the pairs of answers it is taken over."""

    measure: Measure
    pairs: list[Pair]


def subject_of(rule: Rule, pairs: list[Pair], axes: set[str]) -> Subject | Check:
    """A check instead where there is nothing to judge."""
    measure = MEASURES.get(rule.metric)
    if measure is None:
        return Check(rule, "not_applicable", reason="a comparison does not measure it")
    if measure.axis and measure.axis not in axes:
        return Check(rule, "not_applicable", reason=f"neither side has verdicts on {measure.axis}")
    chosen, lacking = _chosen(rule, pairs)
    return Check(rule, "undecidable", reason=lacking) if lacking else Subject(measure, chosen)


def judge(rule: Rule, subject: Subject) -> Judged:
    measure, chosen = subject.measure, subject.pairs
    base, cand = (measure_side(measure, chosen, name) for name in SIDES)
    in_answers = replace(rule, limit=limit_of(rule, subject))
    check = _with_gaps(gate.check(in_answers, lambda _: cand.estimate, lambda _: base.estimate), measure, base, cand)
    check = replace(check, rule=rule)
    side: SideName = "cand"
    if rule.metric == gate.COMPLETENESS and check.status == "pass":
        # A baseline with gaps is no baseline: the rule holds for both sides or not at all.
        other = gate.check(rule, lambda _: base.estimate, lambda _: base.estimate)
        check, side = (check, side) if other.status == "pass" else (replace(other, reason="of the baseline"), "base")
    return Judged(with_questions(check, subject, side), base.estimate)


def limit_of(rule: Rule, subject: Subject) -> Fraction:
    """A limit on a count that is written as a share is one of all answers: nobody means 0.05 of an answer."""
    return rule.limit * (len(subject.pairs) if rule.is_in_shares and subject.measure.shape == "count" else 1)


def rises(rule: Rule) -> bool:
    """True for a rule that more of its measure can break."""
    return rule.op in _BOUNDED_ABOVE


def with_questions(check: Check, subject: Subject, side: SideName = "cand") -> Check:
    behind = _behind(check, subject.measure, subject.pairs, side)
    return replace(check, questions=tuple(behind[:QUESTIONS_NAMED]), question_count=len(behind))


def _chosen(rule: Rule, pairs: list[Pair]) -> tuple[list[Pair], str]:
    """The answers a rule is about, or why there are none."""
    if rule.group_key is None:
        return pairs, ""
    name, value = rule.group_key
    chosen = [pair for pair in pairs if pair.question and pair.question.group(name) == value]
    known = sorted({pair.question.group(name) for pair in pairs if pair.question} - {""})
    return chosen, "" if chosen else f"no question has {name} {value!r} (there are: {', '.join(known) or 'none'})"


def _with_gaps(check: Check, measure: Measure, base: Measured, cand: Measured) -> Check:
    """The same check where verdicts are missing, or where there is nothing to measure."""
    needed = (cand, base) if check.rule.on_baseline else (cand,)
    empty = [side for side in needed if side.is_empty]
    # Refusals are not owed: where one side has none, their mean can neither rise nor fall.
    both = base.is_empty and cand.is_empty
    if empty and (both or measure.axis == "refusal_quality"):
        where = "on either side" if both else "of the candidate" if cand.is_empty else "of the baseline"
        reason = f"{empty[0].estimate.reason} known {where}"
        return replace(check, status="not_applicable", reason=reason, to_be_sure=None)
    unknown = sum(side.unknown for side in needed)
    if not unknown:
        return check
    status = "fail" if _fails_anyway(check.rule, base, cand) else "undecidable"
    return replace(check, status=status, reason=no_verdict(unknown), to_be_sure=None)


def no_verdict(count: int) -> str:
    return f"{count} answer{'s have' if count > 1 else ' has'} {_NO_VERDICT}"


def is_without_verdict(check: Check) -> bool:
    """True where it waits for verdicts and for nothing else."""
    return check.reason.endswith(_NO_VERDICT)


def _fails_anyway(rule: Rule, base: Measured, cand: Measured) -> bool:
    """True when the rule fails even if every missing verdict came out in the candidate's favour."""
    if rule.bound is not None or rule.op == "==":
        return False
    best = cand.least if rises(rule) else cand.most
    limit = (base.most if rises(rule) else base.least) if rule.on_baseline else Fraction(0)
    if best is None or limit is None:
        return False
    holds = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}[rule.op]
    return not holds(best, limit + rule.limit)


def _behind(check: Check, measure: Measure, pairs: Iterable[Pair], side: SideName) -> list[str]:
    """The questions to look at: those without the verdict it takes, or those that pull the wrong way."""
    if check.status in ("pass", "not_applicable"):
        return []
    rising = rises(check.rule)
    found: dict[str, None] = {}
    for pair in pairs:
        before, after = part_of(measure, pair, "base"), part_of(measure, pair, "cand")
        if check.status == "undecidable":
            hit = UNKNOWN in (before, after) if check.rule.on_baseline else after is UNKNOWN
        elif measure.shape == "mean" and check.limit is not None:
            hit = isinstance(after, int) and (after > check.limit if rising else after < check.limit)
        elif check.rule.on_baseline:
            gain = (after if isinstance(after, int) else 0) - (before if isinstance(before, int) else 0)
            hit = gain > 0 if rising else gain < 0
        else:
            part = after if side == "cand" else before
            hit = isinstance(part, int) and (part > 0) == rising
        if hit:
            found[pair.question_id] = None
    return list(found)


def getting_worse(rule: Rule, measure: Measure, pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair], int, int]:
    """Pairs that moved the bad way of a rule, the good way, all whose two parts are known, and those that lack one."""
    worse, better, known, unknown = [], [], 0, 0
    for pair in pairs:
        before, after = part_of(measure, pair, "base"), part_of(measure, pair, "cand")
        if UNKNOWN in (before, after):
            unknown += 1
        elif isinstance(before, int) and isinstance(after, int):
            known += 1
            gain = after - before if rises(rule) else before - after
            worse += [pair] if gain > 0 else []
            better += [pair] if gain < 0 else []
    return worse, better, known, unknown
