"""Which few answers a person should label so that the gate can decide: "labels on these 4 could decide it"."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil

from msgspec import Struct

from surefoot.gate import Check
from surefoot.judging import Subject, getting_worse, limit_of, rises
from surefoot.measures import BUCKET_AXIS, SIDES, UNKNOWN, Pair, SideName, measure_side, part_of
from surefoot.pairing import Side
from surefoot.text.normal import is_empty

FEW = 12  # what hangs on more verdicts than this does not hang on few
_UNNAMED: dict[SideName, str] = {"cand": "the candidate", "base": "the baseline"}
_UNSAID = 0.5  # the confidence of a grader that gives none


class Answer(Struct, frozen=True):
    """An answer that waits for a label."""

    question_id: str
    attempt: int
    side: SideName
    run: str  # its folder; "" where there is only a file of verdicts


def answers_of(chosen: Iterable[tuple[Pair, SideName]], sides: Mapping[SideName, Side]) -> tuple[Answer, ...]:
    """Those that can be put before a person, the same words once; a file of verdicts does not say which can."""
    found: dict[Hashable, Answer] = {}
    for pair, side in chosen:
        run = sides[side].name if sides[side].traces else ""
        answer = Answer(pair.question_id, pair.attempt, side, run)
        if not run or can_be_labelled(pair, side):
            found.setdefault(pair.side(side).version or answer, answer)
    return tuple(found.values())


def hanging(check: Check, subject: Subject) -> list[tuple[Pair, SideName]]:
    """The verdicts a failed rule hangs on: the least sure ones that would have to be overturned for it to hold.

    None where it hangs on many, or where no label could change it.
    """
    rule, measure = check.rule, subject.measure
    if check.status != "fail" or not rule.on_baseline or measure.axis != BUCKET_AXIS or measure.most != 1:
        return []
    worse, _, _, unknown = getting_worse(rule, measure, subject.pairs)
    base, cand = (measure_side(measure, subject.pairs, side).estimate.value for side in SIDES)
    if unknown or base is None or cand is None or rule.op not in ("<=", ">="):
        return []
    limit = base + limit_of(rule, subject)
    over = cand - limit if rises(rule) else limit - cand
    # What is overturned moves a count by one, a share by one answer of all it is over.
    whole = 1 if measure.shape == "count" else sum(isinstance(part_of(measure, p, "cand"), int) for p in subject.pairs)
    needed = ceil(over * whole) if isinstance(over, Fraction) else 0
    if not 0 < needed <= FEW or needed > len(open_ := [pair for pair in worse if not pair.cand.by_people]):
        return []
    return [(pair, "cand") for pair in sorted(open_, key=lambda pair: least_sure(pair, "cand"))[:needed]]


def lacking(check: Check, subject: Subject) -> list[tuple[Pair, SideName]]:
    """The answers without a verdict that an undecidable rule waits for, where a person could give one."""
    if check.status != "undecidable" or subject.measure.axis != BUCKET_AXIS:
        return []
    sides: Iterable[SideName] = SIDES if check.rule.on_baseline else ("cand",)
    found = [(p, side) for p in subject.pairs for side in sides if part_of(subject.measure, p, side) is UNKNOWN]
    return found if len(found) <= FEW and all(can_be_labelled(pair, side) for pair, side in found) else []


def least_sure(pair: Pair, side: SideName) -> tuple[float, str, int]:
    verdict = pair.side(side).verdicts.get(BUCKET_AXIS)
    confidence = None if verdict is None else verdict.confidence
    return (_UNSAID if confidence is None else confidence), pair.question_id, pair.attempt


def distinct(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    return tuple(dict.fromkeys(answers))


def in_words(answers: Sequence[Answer], run: str) -> str:
    """`labels on these 3 could decide it: q1, q7 (attempt 2) of CAND; q1 of BASE (surefoot label CAND)`.

    The page of the candidate has the baseline's answers too.
    """
    how = f" (surefoot label {run})" if run else ""
    told: dict[str, list[str]] = {}
    for one in answers:
        attempt = f" (attempt {one.attempt})" if one.attempt > 1 else ""
        told.setdefault(one.run or _UNNAMED[one.side], []).append(f"{one.question_id}{attempt}")
    if len(answers) > FEW:
        counts = " and ".join(f"{len(ids):,} of {where}" for where, ids in told.items())
        return f"labels on {len(answers):,} answers could decide it, {counts}{how}"
    which = f"labels on these {len(answers)}" if len(answers) > 1 else "a label on this one"
    named = "; ".join(f"{', '.join(ids)} of {where}" for where, ids in told.items())
    return f"{which} could decide it: {named}{how}"


def can_be_labelled(pair: Pair, side: SideName) -> bool:
    trace = pair.side(side).trace
    return trace is not None and trace.error is None and trace.answer is not None and not is_empty(trace.answer)
