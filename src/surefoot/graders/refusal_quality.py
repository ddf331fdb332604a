"""How good a refusal is: 0 flat; 1 says what is missing; 2 adds the closest evidence or a next step; 3 has all three.

False urgency, blame, or new uncited claims cap it at 1. So does not naming what is missing. Every part that counts is
shown as evidence, in the order of the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.graders.refusal_clauses import Clause, clauses_of, words
from surefoot.graders.refusal_elements import Subject, missing, named, new_claim, next_step, reported
from surefoot.text.terms import stem
from surefoot.types import Evidence, Passage

_URGENCY = re.compile(
    r"\b(?:urgent(?:ly)?|immediately|instantly|right (?:now|away)|act now|at once|straight away|without (?:any )?delay|asap"
    r"|as soon as possible|hurry|emergency|before it['’]?s? (?:is )?too late|(?:can(?:no|['’])t|can not|must not) wait"
    r"|every (?:minute|hour|second|day) (?:you|counts|that)|time is (?:short|running)|no time to (?:lose|waste)|last chance"
    r"|running out of time|clock is ticking|cost you|you(?:['’]ll| will| could| may| might) (?:lose|forfeit|regret)"
    r"|risk losing|this (?:very )?(?:minute|instant|second))\b",
    re.IGNORECASE,
)
_BLAME = re.compile(
    r"\byou (?:\w+ )?(?:should(?: really)? have|ought to have|could have|failed|forgot|neglected|never bothered|must have missed)\b"
    r"|\byou\b[^.]{0,30}\bbothered\b|\byou (?:obviously|clearly|evidently|apparently|plainly|simply) \w+"
    r"|\byour (?:\w+ )?(?:fault|mistake|carelessness|negligence|laziness|failure|oversight|sloppiness|error)\b"
    r"|\byour (?:question|query|request) (?:is|was) (?:\w+ )?(?:unclear|vague|wrong|bad|poor\w*|confus\w+|nonsens\w+|sloppy|badly|pointless|silly)"
    r"|\b(?:blame|thank) yourself|\byourself to blame|\byou (?:really )?should\b[^.]{0,30}\byourself\b"
    r"|\b(?:read|look|check)\b[^.]{0,30}\byourself\b|\bif you had (?:\w+ )?(?:read|looked|attached|bothered|checked|sent)\b"
    r"|\bhad you (?:\w+ )?(?:read|looked|attached|bothered|checked|sent)\b",
    re.IGNORECASE,
)


class Quality(NamedTuple):
    level: int
    reason: str
    evidence: tuple[Evidence, ...]


def refusal_quality(question: str, answer: str, passages: Sequence[Passage]) -> Quality:
    """The level, what earned it, and the words of the answer that it rests on."""
    subject = Subject.of(question, passages)
    clauses = clauses_of(answer, passages)
    elements = dict(_elements(clauses, subject))
    level = len(elements) if "what is missing" in elements else min(1, len(elements))
    capped = next(_caps(clauses, subject), None) if level > 1 else None
    if capped:
        return Quality(1, f"capped at 1: {capped[0]}", (capped[1],))
    lacking = "; what is missing is not named" if elements and "what is missing" not in elements else ""
    return Quality(level, ", ".join(elements) + lacking or "a flat refusal", tuple(elements.values()))


def _elements(clauses: Sequence[Clause], subject: Subject) -> Iterator[tuple[str, Evidence]]:
    """The first clause for each."""
    lacks = [clause for clause in clauses if missing(clause, subject)]
    told = [found for clause in clauses if not next_step(clause, subject) and (found := reported(clause, subject))]
    told += [found for clause in clauses if (found := named(clause, subject))]
    steps = [clause for clause in clauses if next_step(clause, subject)]
    if lacks:
        yield "what is missing", Evidence(lacks[0].shown)
    if told:
        yield "closest evidence", told[0]
    if steps:
        yield "next step", Evidence(steps[0].shown)


def _caps(clauses: Sequence[Clause], subject: Subject) -> Iterator[tuple[str, Evidence]]:
    leading_on = {clause.sentence for clause in clauses if next_step(clause, subject)}
    for clause in clauses:
        if _presses(clause, subject):
            yield "false urgency", Evidence(clause.shown)
        if _BLAME.search(clause.text) and not clause.cited:
            yield "blame", Evidence(clause.shown)
        if new_claim(clause, subject, clause.sentence in leading_on):
            yield "new uncited claims", Evidence(clause.shown)


def _presses(clause: Clause, subject: Subject) -> bool:
    """Urgency that neither the question nor a passage speaks of."""
    found = _URGENCY.search(clause.text)
    return bool(found) and not clause.cited and not any(subject.known({stem(word)}) for word in words(found.group()))
