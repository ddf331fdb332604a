"""How good a refusal is: 0 flat; 1 says what is missing; 2 adds the closest evidence or a next step; 3 has all three.

False urgency, blame, or new uncited claims cap it at 1; so does not naming what is missing. Every part that counts is
shown as evidence, in the order of the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surefoot.graders.refusal_elements import Subject, evidence, missing, next_step
from surefoot.text.clauses import Clause, clauses_of, contents, figures, words
from surefoot.text.terms import stem
from surefoot.types import Evidence, Item

_URGENCY = re.compile(
    r"\b(?:urgent(?:ly)?|immediately|instantly|right (?:now|away)|straight ?away|act now|at once|without (?:any )?delay"
    r"|asap|as soon as possible|hurry|emergency|too late|(?:can(?:no|['’])t|can not|must not) wait|last chance|cost you"
    r"|every (?:minute|hour|second|day) (?:you|counts|that)|time is (?:short|running)|no time to (?:lose|waste)"
    r"|running out of time|clock is ticking|you(?:['’]ll| will| could| may| might) (?:lose|forfeit|regret)|risk losing"
    r"|this (?:very )?(?:minute|instant|second))\b",
    re.IGNORECASE,
)
_BLAME = re.compile(
    r"\byou (?:\w+ )?(?:should(?: \w+ly)? have|ought to have|could have|failed|forgot|neglected|must have missed)\b"
    r"|\byou\b[^.]{0,30}\bbothered\b|\byou (?:obviously|clearly|evidently|apparently|plainly|simply) \w+"
    r"|\byour (?:\w+ )?(?:fault|mistake|carelessness|negligence|laziness|failure|oversight|sloppiness|error)\b"
    r"|\byour (?:question|query|request) (?:is|was) (?:\w+ )?(?:unclear|vague|wrong|bad\w*|poor\w*|confus\w+|nonsens\w+"
    r"|sloppy|pointless|silly|stupid)"
    r"|\b(?:blame|thank) yourself|\byourself to blame|\b(?:read|look\w*|check\w*|find)\b[^.]{0,30}\byourself\b"
    r"|\b(?:if you had|had you) (?:\w+ )?(?:read|looked|attached|bothered|checked|sent)\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\W*(?:i|we|you|my|your|our|please|sorry|hope|thanks?|this|that|here|any|(?:an|the|no) answer)\b", re.IGNORECASE
)


class Quality(NamedTuple):
    level: int
    reason: str
    evidence: tuple[Evidence, ...]


def refusal_quality(item: Item) -> Quality:
    """The level, what earned it, and the words of the answer that it rests on."""
    subject = Subject.of(item.question, item.trace.sources)
    clauses = clauses_of(item.trace)
    found = {name: shown for name, shown in _elements(clauses, subject) if shown}
    is_named = "what is missing" in found
    level = len(found) if is_named else min(1, len(found))
    if level > 1 and (capped := next(_caps(clauses, subject), None)):
        return Quality(1, f"capped at 1: {capped[0]}", (capped[1],))
    lacking = "; what is missing is not named" if found and not is_named else ""
    return Quality(level, ", ".join(found) + lacking or "a flat refusal", tuple(found.values()))


def _elements(clauses: Sequence[Clause], subject: Subject) -> Iterator[tuple[str, Evidence | None]]:
    """The first clause that has each."""
    yield "what is missing", next((Evidence(one.shown) for one in clauses if missing(one, subject)), None)
    yield "closest evidence", next((shown for one in clauses if (shown := evidence(one, subject))), None)
    yield "next step", next((Evidence(one.shown) for one in clauses if next_step(one, subject)), None)


def _caps(clauses: Sequence[Clause], subject: Subject) -> Iterator[tuple[str, Evidence]]:
    steps = {clause for clause in clauses if next_step(clause, subject)}
    leading_on = {clause.sentence for clause in steps}
    for clause in clauses:
        if clause.cited:
            continue
        if _presses(clause, subject):
            yield "false urgency", Evidence(clause.shown)
        if _BLAME.search(clause.text):
            yield "blame", Evidence(clause.shown)
        if clause not in steps and _claims(clause, subject, clause.sentence in leading_on):
            yield "new uncited claims", Evidence(clause.shown)


def _presses(clause: Clause, subject: Subject) -> bool:
    """Urgency that neither the question nor a passage speaks of."""
    found = _URGENCY.search(clause.text)
    return found is not None and subject.known.isdisjoint(stem(word) for word in words(found.group()))


def _claims(clause: Clause, subject: Subject, leads_on: bool) -> bool:
    """It asserts what neither the question nor any passage has. What is said of the place to look at is none."""
    if clause.asks or clause.is_negated or _TALK.match(clause.text):
        return False
    told = contents(clause.text)
    unknown = told - subject.known
    return bool(figures(clause.text) & unknown) or (not leads_on and len(told) > 3 and 2 * len(unknown) > len(told))
