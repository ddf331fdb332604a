"""The smallest set of answers whose labels would decide an open rule if they turn out as graded."""

from __future__ import annotations

from collections.abc import Collection

from surefoot.doubts import can_be_labelled, least_sure
from surefoot.gate import Rule
from surefoot.judging import Subject
from surefoot.measures import Pair, SideName
from surefoot.sequential.counting import BY_PEOPLE, ONE_ANSWER, TWO_ANSWERS, counted, move_of
from surefoot.sequential.grader_error import doubt
from surefoot.sequential.judging import Terms, end_of, has_three_ends, in_shares, lacking_questions, moves_behind
from surefoot.sequential.repeats import asked_in

Chosen = tuple[Pair, SideName]


def labels_that_decide(rule: Rule, subject: Subject, terms: Terms) -> list[Chosen]:
    """None when labels cannot: there is no certificate to weigh them by, or more runs or questions are needed."""
    if not has_three_ends(rule) or terms.record is None or (terms.place and not terms.place.adds):
        return []
    rule = in_shares(rule, subject)
    earlier = terms.place.earlier if terms.place else ()
    if lacking_questions(rule, counted(rule, subject, earlier, adds=True), asked_in(rule, subject), terms):
        return []
    ranked = _most_doubtful_first(rule, subject, terms)
    if not ranked or not _decides(rule, subject, terms, ranked):
        return []
    too_few, enough = 0, len(ranked)
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if _decides(rule, subject, terms, ranked[:middle]) else (middle, enough)
    return ranked[:enough]


def _most_doubtful_first(rule: Rule, subject: Subject, terms: Terms) -> list[Chosen]:
    """Every truth that is not known weighs the same, so the least certain verdicts tell most."""
    record = terms.record
    sides: tuple[SideName, SideName] = ("cand", "base")
    found: list[tuple[tuple[object, ...], Chosen]] = []
    for pair in subject.pairs:
        if pair.is_one_answer or not (pair.base.bucket and pair.cand.bucket) or record is None:
            continue
        for place, side in enumerate(sides):
            said = pair.side(side)
            if not said.by_people and (said.trace is None or can_be_labelled(pair, side)):
                unsure = doubt(record, str(said.bucket), rule.metric)
                found.append(((-unsure, *least_sure(pair, side), place), (pair, side)))
    return [chosen for _, chosen in sorted(found, key=lambda one: one[0])]


def _decides(rule: Rule, subject: Subject, terms: Terms, confirmed: Collection[Chosen]) -> bool:
    place = terms.place
    seen = counted(rule, subject, place.earlier if place else (), adds=True)
    known: dict[tuple[str, int], set[SideName]] = {}
    for pair, side in confirmed:
        known.setdefault((pair.question_id, pair.attempt), set()).add(side)
    moves, fixed = moves_behind(rule, subject, terms)
    after = dict(moves)
    for pair in {(pair.question_id, pair.attempt): pair for pair, _ in confirmed}.values():
        before = move_of(pair)
        after[before] -= 1
        told = _as_labelled(before, known[pair.question_id, pair.attempt])
        after[told] = after.get(told, 0) + 1
    return end_of(rule, seen.total, (after, fixed), terms, unknown=seen.unknown)[0] in ("pass", "fail")


def _as_labelled(move: str, sides: Collection[SideName]) -> str:
    sign = ONE_ANSWER if ONE_ANSWER in move else TWO_ANSWERS
    base, cand = (token.removesuffix(BY_PEOPLE) for token in move.split(sign))
    was_base, was_cand = (token.endswith(BY_PEOPLE) for token in move.split(sign))
    mark_base = BY_PEOPLE if was_base or "base" in sides else ""
    return f"{base}{mark_base}{sign}{cand}{BY_PEOPLE if was_cand or 'cand' in sides else ''}"
