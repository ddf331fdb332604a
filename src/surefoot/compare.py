"""Two runs over the same questions: their buckets side by side, every answer that moved, and the gate's decision.

An answer is one attempt at one question. What one side lacks is ungraded there and still counts, so nothing is
gained by leaving something out: a rule fails when it fails whatever the missing verdicts would say, and is
undecidable as long as they could matter.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from surefoot import gate
from surefoot.errors import UsageError
from surefoot.gate import Check, Decision, Rule
from surefoot.measures import (
    MEASURES,
    SIDES,
    UNGRADED,
    UNKNOWN,
    McNemar,
    Measure,
    Measured,
    Pair,
    SideName,
    mcnemar,
    measure_side,
    part_of,
)
from surefoot.pairing import Side, check_alike, pairs_of
from surefoot.problems import HARMLESS
from surefoot.table import ACCEPTABLE, BUCKETS
from surefoot.types import Estimate, Problem

Counts = dict[str, int]

QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest
GAPS_NAMED = 12
_LONGEST_NAME = 60
_OF_FILES = frozenset({"unreadable", "malformed"})
_BOUNDED_ABOVE = ("<=", "<")
_CAN_BE_WAIVED = frozenset({"fail", "incomplete", "undecidable"})


class Judged(Struct, frozen=True):
    """A rule's check with what the baseline has, and the reason where a rule that does not hold was waived."""

    check: Check
    base: Estimate | None = None
    waiver: str | None = None


class Comparison(Struct, frozen=True):
    names: dict[SideName, str]
    graders: dict[SideName, list[str]]
    mode: str
    decision: Decision  # by the rules that are not waived
    judged: tuple[Judged, ...]
    waived: dict[str, str]
    buckets: dict[SideName, Counts]
    by_stratum: dict[str, dict[SideName, Counts]]
    measures: dict[SideName, dict[str, Estimate]]
    moved: tuple[Pair, ...]
    mcnemar: McNemar
    problems: tuple[Problem, ...] = ()


def compare(
    base: Side, cand: Side, rules: Sequence[Rule], *, waivers: Mapping[str, str], mode: str = "strict"
) -> Comparison:
    """Hold the candidate against the baseline and decide by the rules."""
    _check_request(rules, waivers, mode)
    check_alike(base, cand)
    sides: dict[SideName, Side] = {"base": base, "cand": cand}
    pairs = pairs_of(base, cand)
    axes = {verdict.axis for side in sides.values() for verdict in side.counted()}
    judged = [_judge(rule, pairs, axes) for rule in rules]
    judged = [_waived(one, waivers.get(one.check.rule.name)) for one in judged]
    decision = gate.decide([one.check for one in judged if one.waiver is None], _incomplete(sides, pairs))
    if any(check.status == "incomplete" for check in decision.checks):
        decision = replace(decision, incomplete=(*decision.incomplete, *_gaps(sides, pairs)))
    strata = sorted({pair.stratum for pair in pairs}) if any(pair.stratum for pair in pairs) else []
    return Comparison(
        names={name: side.name for name, side in sides.items()},
        graders={name: sorted({verdict.grader for verdict in side.counted()}) for name, side in sides.items()},
        mode=mode,
        decision=decision,
        judged=tuple(judged),
        waived=dict(waivers),
        buckets=_buckets(pairs),
        by_stratum={stratum: _buckets(pair for pair in pairs if pair.stratum == stratum) for stratum in strata},
        measures={name: _measures(pairs, axes, name) for name in SIDES},
        moved=tuple(sorted((pair for pair in pairs if pair.base.bucket != pair.cand.bucket), key=_worst_first)),
        mcnemar=mcnemar(pairs),
        problems=_worst_problems_first([*base.problems, *cand.problems, *_other_graders(sides)]),
    )


def _check_request(rules: Sequence[Rule], waivers: Mapping[str, str], mode: str) -> None:
    if mode == "sequential":
        hint = "use --mode strict, where any increase blocks"
        raise UsageError("the sequential mode needs a calibrated grader, and calibration is not there yet", hint)
    if mode != "strict":
        raise UsageError(f"there is no mode {mode!r}", "choose strict")
    names = [rule.name for rule in rules]
    for name, reason in waivers.items():
        if name not in names:
            raise UsageError(f"no rule is named {name!r}, so it cannot be waived", f"the rules are {', '.join(names)}")
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")


def _judge(rule: Rule, pairs: list[Pair], axes: set[str]) -> Judged:
    measure = MEASURES.get(rule.metric)
    if measure is None:
        return Judged(Check(rule, "not_applicable", reason="a comparison does not measure it"))
    if measure.axis and measure.axis not in axes:
        return Judged(Check(rule, "not_applicable", reason=f"neither side has verdicts on {measure.axis}"))
    chosen, lacking = _chosen(rule, pairs)
    if lacking:
        return Judged(Check(rule, "undecidable", reason=lacking))
    base, cand = (measure_side(measure, chosen, name) for name in SIDES)
    check = _with_gaps(gate.check(rule, lambda _: cand.estimate, lambda _: base.estimate), measure, base, cand)
    side: SideName = "cand"
    if rule.metric == gate.COMPLETENESS and check.status == "pass":
        # A baseline with gaps is no baseline: the rule holds for both sides or not at all.
        other = gate.check(rule, lambda _: base.estimate, lambda _: base.estimate)
        check, side = (check, side) if other.status == "pass" else (replace(other, reason="of the baseline"), "base")
    behind = _behind(check, measure, chosen, side)
    return Judged(replace(check, questions=tuple(behind[:QUESTIONS_NAMED]), question_count=len(behind)), base.estimate)


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
    reason = f"{unknown} answer{'s have' if unknown > 1 else ' has'} no verdict on it"
    status = "fail" if _fails_anyway(check.rule, base, cand) else "undecidable"
    return replace(check, status=status, reason=reason, to_be_sure=None)


def _fails_anyway(rule: Rule, base: Measured, cand: Measured) -> bool:
    """True when the rule fails even if every missing verdict came out in the candidate's favour."""
    if rule.bound is not None or rule.op == "==":
        return False
    rising = rule.op in _BOUNDED_ABOVE
    best = cand.least if rising else cand.most
    limit = (base.most if rising else base.least) if rule.on_baseline else Fraction(0)
    if best is None or limit is None:
        return False
    holds = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}[rule.op]
    return not holds(best, limit + rule.limit)


def _behind(check: Check, measure: Measure, pairs: Iterable[Pair], side: SideName) -> list[str]:
    """The questions to look at: those without the verdict it takes, or those that pull the wrong way."""
    if check.status in ("pass", "not_applicable"):
        return []
    rising = check.rule.op in _BOUNDED_ABOVE
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


def _waived(judged: Judged, reason: str | None) -> Judged:
    return replace(judged, waiver=reason) if reason and judged.check.status in _CAN_BE_WAIVED else judged


def _incomplete(sides: Mapping[SideName, Side], pairs: Sequence[Pair]) -> list[str]:
    reasons = []
    for side in sides.values():
        serious = [problem for problem in side.problems if problem.kind not in HARMLESS]
        whole_files = [problem for problem in serious if problem.kind in _OF_FILES and problem.line is None]
        if count := len(serious) - len(whole_files):
            reasons.append(f"{count} row{'s' * (count > 1)} of {side.name} could not be used")
        reasons += map(str, whole_files)
    if any(side.questions for side in sides.values()):
        unknown = {pair.question_id for pair in pairs if pair.question is None}
        if unknown:
            reasons.append(f"{len(unknown)} graded question{'s' * (len(unknown) > 1)} not in the question set")
    return reasons


def _gaps(sides: Mapping[SideName, Side], pairs: Sequence[Pair]) -> Iterator[str]:
    """Which answers of which side have no verdict."""
    for name, side in sides.items():
        lacking = [pair for pair in pairs if not pair.side(name).bucket and not pair.side(name).judged_elsewhere]
        if lacking:
            ids = list(dict.fromkeys(pair.question_id for pair in lacking))
            more = f" and {len(ids) - GAPS_NAMED} more" if len(ids) > GAPS_NAMED else ""
            count = f"{len(lacking)} of {len(pairs)} answers of {side.name} {'is' if len(lacking) == 1 else 'are'}"
            named = (id if len(id) <= _LONGEST_NAME else f"{id[: _LONGEST_NAME - 3]}..." for id in ids[:GAPS_NAMED])
            yield f"{count} not graded: {', '.join(named)}{more}"


def _other_graders(sides: Mapping[SideName, Side]) -> list[Problem]:
    """Files of labels by different people can be compared, but not without saying so."""
    base, cand = (sorted({verdict.grader for verdict in sides[name].counted()} - {""}) for name in SIDES)
    if not base or not cand or base == cand:
        return []
    return [Problem("note", f"the sides were not graded alike: base by {', '.join(base)}, cand by {', '.join(cand)}")]


def _worst_problems_first(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.kind in HARMLESS))


def _buckets(pairs: Iterable[Pair]) -> dict[SideName, Counts]:
    chosen = list(pairs)
    counted = {name: Counter(pair.side(name).bucket or UNGRADED for pair in chosen) for name in SIDES}
    return {name: {bucket: counted[name][bucket] for bucket in (*BUCKETS, UNGRADED)} for name in SIDES}


def _measures(pairs: list[Pair], axes: set[str], side: SideName) -> dict[str, Estimate]:
    """What is measured on this side; an axis that neither side has is left out."""
    return {
        name: measure_side(measure, pairs, side).estimate
        for name, measure in MEASURES.items()
        if not measure.axis or measure.axis in axes
    }


def _worst_first(pair: Pair) -> tuple[int, str, int]:
    was, now = pair.base.bucket in ACCEPTABLE, pair.cand.bucket in ACCEPTABLE
    rank = 1 if pair.cand.bucket is None else 0 if was and not now else 3 if now and not was else 2
    return rank, pair.question_id, pair.attempt
