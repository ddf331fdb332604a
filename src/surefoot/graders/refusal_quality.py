"""How good a refusal is: 0 flat; 1 says what is missing; 2 adds the closest evidence or a next step; 3 has all three.

Each is looked for in a clause. False urgency, blame, or new uncited claims cap it at 1; so does not naming what is
missing. Every part that counts is shown as evidence, in the order of the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from surefoot.text.clauses import (
    NEVER,
    OF_DECLINING,
    SOURCES,
    Clause,
    clauses_of,
    contents,
    figures,
    negation,
    resembles,
    words,
    words_at,
)
from surefoot.text.normal import word_set
from surefoot.text.refusals import detect
from surefoot.text.talk_words import POINTERS
from surefoot.text.terms import stem, terms
from surefoot.types import Evidence, Item, Passage, Question

_BEFORE_A_NOUN = re.compile(r"(?:\b(?:no|any|an?|the|of|your|its|their)|['’]s?)\s+(?:[\w'’-]+\s+){0,2}$", re.IGNORECASE)
_TOPIC = re.compile(r"\b(?:no|kein\w*|whether|if|about|regarding|concerning|on)\b((?:\W+[\w'’-]+){0,4})", re.IGNORECASE)
_NOT_A_SUBJECT = word_set("i we you that this it there what which any so as because for")

_SEEK = (
    "(?:ask|check|consult|contact|see|try|look|read|request|get|obtain|send|share|upload|attach|provide|supply|tell|call"
    "|phone|ring|e-?mail|mail|write|message|speak|talk|turn|go|visit|refer|search|find|review|raise|settle|verify|confirm"
    "|clarify|quote|approach|seek|order|inquire|enquire|paste|forward|submit|escalate|reach|specify|take|have|give|bring"
    "|put|pull|dig|open|browse|point|study|examine|start|apply|inspect|add|load|arrange|book|commission|locate|follow)"
)
_CAN = r"(?:can|could|may|might|should|would|will|ought to|(?:is|are) likely to)"
_ASIDE = r"(?: (?:\w+ly|also|then|still|well|first|always|(?:be able|have|need|want|wish|like|do well) to))*"
# Told to do something: a verb of seeking, or any word that an object follows where no noun could stand.
_ORDER = re.compile(
    r"(?:^\W*(?:(?:so|or|and|then|also|otherwise|instead|next|first|perhaps|maybe|please|kindly|[\w ]{1,20}:)\W+)*"
    r"|[,:(]\s+(?:or |and |so |then |just |simply )*|\b(?:or|and|so|then) |\bplease (?:\w+ly )?)"
    rf"({_SEEK}\b(?![-'’])|(?!\w+(?:s|ed|ing|ly)\b)[a-z]+(?= (?:the|an?|your|them|it|me|us|those|these|my|our)\b))",
    re.IGNORECASE,
)
_NO_VERB = re.compile(
    "(?:in|on|at|by|for|from|with|under|over|after|before|during|through|throughout|unlike|like|despite|besides|per|via"
    "|both|all|only|even|just|while|when|where|if|since|because|as|than|that|to|of|about|between|within|without|against"
    "|and|or|but|so|not|what|which|who|whose|how|why|whether|once|until|unless|into|onto|upon|across|behind|except|given"
    "|is|are|was|were|yet|though|although|whereas|neither|nor|either|near|beyond|such|quite|then|also|otherwise|instead)",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    rf"\b(?:you|one)(?: {_CAN}| must| need| have|['’](?:d|ll)){_ASIDE}(?: to)? [a-z-]+"
    rf"|\bi(?: would|['’]d){_ASIDE} (?!rather|be\b|only|have to|say)[a-z-]+"
    r"|\b(?:suggest(?:ed)?|recommend(?:ed)?|advise|propose|worth|best bet|best option|next step)\b"
    rf"|\bif (?:you|someone)(?: can| could|['’]d)? {_SEEK}\b"
    rf"|\b(?:document|place|person|source|text|one|contact|team|office|people) to {_SEEK}\b|\bto {_SEEK}(?: \w+)?\W*$",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|answer)\b", re.IGNORECASE)
_REQUEST = re.compile(rf"\b(?:you|we|i)\b.{{0,80}}\b{_SEEK}\b", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\W*(?:if|which|unless|should)\b", re.IGNORECASE)
# Said to be polite; it leads nowhere.
_POLITE = re.compile(
    r"\b(?:feel free to|(?:don['’]t|do not) hesitate to|let me know|(?:happy|glad|here) to (?:help|assist|answer)"
    r"|(?:anything|something|any other|any further|any more|other|further|another)(?: else| questions?| topics?)?"
    r"|(?:contact|ask|tell) (?:me|us)\b|any ?time|have an? (?:\w+ )?day|(?:ask|try) again|i can do for you"
    r"|(?:rephrase|reword|clarify|narrow)(?: down)? (?:it|that|this|(?:the|your) (?:question|request)))\b",
    re.IGNORECASE,
)
_THEM = re.compile(r"\b(?:those|them|these|it|that)\b", re.IGNORECASE)
_NONE_NEAR = re.compile(r"\b(?:closest|nearest|related|relevant|similar)\b.{0,60}\b(?:none|nothing)\b", re.IGNORECASE)


class Subject(Struct, frozen=True):
    """What was asked, and what the passages tell."""

    passages: tuple[Passage, ...]
    titles: frozenset[str]  # words
    asked: frozenset[str]
    told_by: dict[str, set[str]]
    told: frozenset[str]  # by any of them
    known: frozenset[str]  # asked, told, or in a title
    answering: frozenset[str]  # passages that have the answer

    @classmethod
    def of(cls, question: Question, passages: Iterable[Passage]) -> Subject:
        passages = tuple(passages)
        titles = frozenset(word for passage in passages for word in words(passage.doc))
        asked = frozenset(contents(question.text))
        told_by = {passage.id: contents(passage.text) for passage in passages}
        told = frozenset[str]().union(*told_by.values())
        known = told.union(asked, *(contents(passage.doc) for passage in passages))
        answering = frozenset(question.gold_ids if question.answerable else ())
        return cls(passages, titles, asked, told_by, told, known, answering)


def missing(clause: Clause, subject: Subject) -> bool:
    """It declines, and names the thing asked for rather than "that" or "the information"."""
    is_told = reported(clause, subject) and detect(clause.text).value == "answered"  # "are not permitted", it says
    if clause.asks or not clause.is_negated or is_told:
        return False
    return _names_the_asked(clause.text, subject) or _has_a_subject(clause.text, subject)


def _names_the_asked(text: str, subject: Subject) -> bool:
    return not figures(text).isdisjoint(subject.asked) or any(
        _is_the_asked(part, before, subject) for word, before in words_at(text) for part in {word, *word.split("-")}
    )


def _is_the_asked(word: str, before: str, subject: Subject) -> bool:
    """A word that also serves to decline counts only as a noun: "no address is given", not "they do not address it"."""
    if word in NEVER or word in subject.titles or not resembles(word, subject.asked):
        return False
    return (word not in OF_DECLINING and word not in SOURCES) or _BEFORE_A_NOUN.search(before) is not None


def _has_a_subject(text: str, subject: Subject) -> bool:
    """Named in other words than the question's: "Musical instruments do not come up", "no insurer is named"."""
    found = negation(text)
    at = found.start() if found else 0
    before, topic = words(text[:at]), _TOPIC.search(text, at)
    named = [] if before and before[0] in _NOT_A_SUBJECT else before
    return any(_is_content(word, subject) for word in (*named, *words(topic[1] if topic else "")))


def _is_content(word: str, subject: Subject) -> bool:
    is_plain = len(word) > 2 and terms(word) and not word.endswith("ly") and word not in subject.titles
    return bool(is_plain) and word not in OF_DECLINING and word not in SOURCES


def evidence(clause: Clause, subject: Subject) -> Evidence | None:
    """What stands closest in the passages, told or pointed to. A passage that has the answer is no near miss."""
    found = None if next_step(clause, subject) else reported(clause, subject)
    found = found or _pointed_to(clause, subject)
    return None if found is None or not subject.answering.isdisjoint((found.passage, *clause.cited)) else found


def reported(clause: Clause, subject: Subject) -> Evidence | None:
    """It tells what a passage says: found by the words they share beyond those of the question."""
    if clause.asks or not subject.passages:
        return None
    told = contents(clause.text)
    own = told - subject.asked
    ranked = sorted(subject.passages, key=lambda one: -len(told & subject.told_by[one.id]))
    for passage in ranked:
        shared = own & subject.told_by[passage.id]
        is_told = len(shared) > clause.is_negated if passage.text else bool(clause.text) and not clause.is_negated
        if passage.id in clause.cited and is_told:
            return Evidence(clause.shown, passage.id, _nearest_line(passage, told))
    shared = own & subject.told
    enough = len(shared) > 2 + clause.is_negated and 3 * len(shared) >= 2 * len(own)
    return Evidence(clause.shown, ranked[0].id, _nearest_line(ranked[0], told)) if enough else None


def _nearest_line(passage: Passage, told: set[str]) -> str:
    lines = [line.strip() for line in re.split(r"(?<=[.;!?])\s+|\n", passage.text)]
    return max(lines, key=lambda line: len(contents(line) & told))


def _pointed_to(clause: Clause, subject: Subject) -> Evidence | None:
    """It only names a passage: worth something where the passage is about what was asked."""
    if not subject.passages and _NONE_NEAR.search(clause.text):
        return Evidence(clause.shown)
    if clause.asks or clause.is_negated:
        return None
    cited = [passage for passage in subject.passages if passage.id in clause.cited]
    near = [passage for passage in cited if len(subject.told_by[passage.id] & subject.asked) > 1]
    return Evidence(clause.shown, near[0].id) if near else None


def next_step(clause: Clause, subject: Subject) -> bool:
    """It tells the reader where to turn or what to provide: somebody or something, not mere politeness."""
    text = _POLITE.sub(" ", clause.text)
    if not _is_concrete(text):
        return False
    if clause.asks:
        return _REQUEST.search(text) is not None
    parts = text.split(",")
    denied = [part for part in parts if negation(part)]
    if not all(map(_SUBORDINATE.match, denied)):
        return False
    kept = ",".join(part for part in parts if part not in denied)
    if _gives_order(kept):
        return True
    leads = _ADVICE.search(kept) or (POINTERS.search(kept) and not _OWN.search(kept))
    return bool(leads) and not reported(clause, subject)


def _gives_order(text: str) -> bool:
    return any(not _NO_VERB.fullmatch(match[1]) for match in _ORDER.finditer(text))


def _is_concrete(text: str) -> bool:
    """Somebody or something is named; "the documents" and "the question" are nothing new."""
    named = {word for word in words(text) if terms(word) and word not in NEVER}
    return bool(_THEM.search(text) or named & SOURCES or named - OF_DECLINING)


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
