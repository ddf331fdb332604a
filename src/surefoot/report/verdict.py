"""The decision in words: why, in answers and in numbers, and what users lose by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surefoot.gate.decide import Comparison
from surefoot.gate.rules import Change, Check
from surefoot.report.words import (
    allowed,
    around,
    change_words,
    counted,
    headline,
    in_points,
    margin_words,
    overridden,
    unit,
)


def in_one_sentence(comparison: Comparison) -> str:
    """What the decision says after its outcome."""
    return " ".join(verdict_lines(comparison))


def verdict_lines(comparison: Comparison) -> tuple[str, str]:
    """Why, in answers; then in numbers, with what users lose by it, and what was waived or left out for it."""
    request, decision = comparison.request, comparison.decision
    used = [check.rule.name for check in decision.checks if check.waiver is not None]
    needless = [name for name in request.waivers if name not in used]
    said = [_reason(comparison)]
    said += [f"Users lose: {lost}." for lost in _lost(comparison)]
    said += [f"Waived: {', '.join(used)}."] if used else []
    said += [f"Waived without need: {', '.join(needless)}."] if needless else []
    said += ["Uncalibrated: verdicts were taken for the truth."] if request.uncalibrated else []
    said += [f"Not as the gate file has it: {overridden(request.overridden)}."] if request.overridden else []
    said += [f"{note[:1].upper()}{note[1:]}." for note in request.notes]
    return _in_answers(comparison), " ".join(said)


def _in_answers(comparison: Comparison) -> str:
    """`54 answers became wrong and 23 unsupported; no bad answer got better.`"""
    if not any(pair.base.bucket or pair.cand.bucket for pair in comparison.pairs):
        return "the answers are in no buckets: neither run is graded."
    if not any(pair.has_moved for pair in comparison.pairs):
        return "no answer changed its bucket."
    pairs = [pair for pair in comparison.pairs if pair.base.bucket]
    wrong = sum(pair.cand.bucket == "wrong" != pair.base.bucket for pair in pairs)
    unsupported = sum(pair.cand.bucket == "unsupported" and pair.turn == "became bad" for pair in pairs)
    better = sum(pair.turn == "became acceptable" for pair in pairs)
    worse = [(wrong, "wrong"), (unsupported, "unsupported")]
    (first, kind), *rest = [one for one in worse if one[0]] or [(0, "wrong or unsupported")]
    became = f"{counted(first, 'answer') if first else 'no answer'} became {kind}"
    became += "".join(f" and {count} {kind}" for count, kind in rest)
    return f"{became}; {counted(better, 'bad answer') if better else 'no bad answer'} got better."


def _reason(comparison: Comparison) -> str:
    """What decided: by how much a metric changed, and what lacks its data."""
    decision = comparison.decision
    if decision.outcome == "SHIP":
        return headline(decision).capitalize()
    open_ = [check for check in decision.checks if check.waiver is None]
    failed = [check for check in open_ if check.status == "fail"]
    told = [_changed(check) for check in failed]
    if not failed:
        unsure = [check for check in open_ if check.status == "undecidable"]
        told += _unsure(unsure, comparison.request.margin)
    told += decision.incomplete
    told += [f"{check.rule.name} is not met" for check in open_ if check.status == "incomplete"]
    return f"{'; '.join(told) or 'no rule applies'}."


def _changed(check: Check) -> str:
    metric, change = check.rule.metric, check.change
    if change is None:
        return f"{check.rule.name} failed"
    if not change.change and change.low == change.high:
        return f"{metric} did not change"
    way = "rose" if change.change > 0 else "fell"
    size = in_points(metric, abs(change.change)).removeprefix("+")
    return f"{metric} {way} by {size}{unit(metric)}{around(metric, change)}"


def _unsure(checks: Sequence[Check], margin: float) -> Iterator[str]:
    """What may or may not be too much, in numbers; then what there are no numbers for."""
    for check in checks:
        if check.change is None or check.reason:
            continue
        metric, limit = check.rule.metric, allowed(check)
        ends = check.change.low, check.change.high
        # Rounded to the very limit, an end of the interval would not show why it is not enough.
        digits = next((n for n in (1, 2, 3) if limit not in (in_points(metric, end, n) for end in ends)), 4)
        why = margin_words(check, margin)
        yield f"{metric} {change_words(metric, check.change, digits)}; you allow {limit}{f' ({why})' if why else ''}"
    if unknown := [check.rule.name for check in checks if check.change is None or check.reason]:
        yield f"{', '.join(unknown)} cannot be decided"


def _lost(comparison: Comparison) -> Iterator[str]:
    """What a change costs users although no rule may mind: fewer correct answers, or more refusals of what is known."""
    if any(check.status == "incomplete" for check in comparison.decision.checks):
        return  # what is not graded is not lost
    correct, refused = comparison.changes.get("correct_rate"), comparison.changes.get("over_refusal")
    if correct and correct.high < 0:
        yield f"correct fell by {_points(correct)}"
    if refused and refused.low > 0:
        yield f"{_points(refused)} more of what could be answered is refused"


def _points(change: Change) -> str:
    return f"{round(abs(change.change) * 100, 1):g} points"
