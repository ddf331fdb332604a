"""The three things that make a refusal useful, each looked for in a clause: what is missing, the closest evidence, and a
next step; and the claim that has no business in a refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from surefoot.graders.refusal_clauses import (
    NEVER, OF_DECLINING, SOURCES, Clause, contents, figures, negation, resembles, words, words_at,
)  # fmt: skip
from surefoot.text.terms import stem, terms
from surefoot.types import Evidence, Passage

_NOUN_FOLLOWS = re.compile(r"(?:\b(?:no|any|an?|the|of|your|its|their)|['’]s?)\s+(?:[\w'’-]+\s+){0,2}$", re.IGNORECASE)
_TOPIC = re.compile(
    r"(?:^(?:no|kein\w*)|\b(?:whether|if|about|regarding|concerning|on))\b(.*)", re.IGNORECASE | re.DOTALL
)
_NO_SUBJECT = frozenset("i we you that this it there what which any so as because for".split())

_SEEK = (
    "(?:ask|check|consult|contact|see|try|look|read|request|get|obtain|send|share|upload|attach|provide|supply|tell|call"
    "|phone|ring|e-?mail|mail|write|message|speak|talk|turn|go|visit|refer|search|find|review|raise|settle|verify|confirm"
    "|clarify|quote|approach|seek|order|inquire|enquire|paste|forward|submit|escalate|reach|specify|take|have|give|bring"
    "|put|pull|dig|open|browse|point|study|examine|start|apply|inspect|add|load|arrange|book|commission|locate|follow)"
)
_INFORM = (
    "(?:tell|help|say|show|have|hold|list|contain|give|supply|quote|clear|confirm|answer|know|advise|provide|explain"
    "|point|set|cover|state|settle|clarify|include|specify|carry|assist|resolve|spell|reveal|inform|direct|look"
    "|be (?:in|on|with|under|at|found|listed|given|set|stated|shown|where|there|recorded|happy|best|worth|your|covered))"
)
_CAN = r"(?:can|could|may|might|should|would|will|ought to|(?:is|are) likely to)"
_ASIDE = (
    r"(?: (?:\w+ly|also|then|still|well|first|always|be able to|have to|need to|want to|wish to|like to|do well to))*"
)
_ORDER = re.compile(
    r"(?:^\W*(?:(?:so|or|and|then|also|otherwise|instead|next|first|perhaps|maybe|please|kindly|[\w ]{1,20}:)\W+)*"
    r"|[,:(]\s+(?:or |and |so |then |just |simply )*|\b(?:or|and|so|then) |\bplease (?:\w+ly )?)"
    rf"(?:{_SEEK}\b(?![-'’])"
    # any verb before its object, where a sentence would begin with a noun's article or a small word
    r"|(?!\w+(?:s|ed|ing|ly)\b)[a-z]+(?= (?:the|an?|your|them|it|me|us|those|these|my|our|whoever|someone)\b))",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    rf"\b(?:you|one)(?: {_CAN}| must| need| have|['’](?:d|ll)){_ASIDE}(?: to)? [a-z-]+"
    rf"|\bi(?: would|['’]d){_ASIDE} (?!rather|be\b|only|have to|say)[a-z-]+"
    r"|\b(?:suggest|recommend|advise|propose|suggested|recommended|worth|best bet|best option|next step)\b"
    rf"|\bif (?:you|someone)(?: can| could|['’]d)? {_SEEK}\b"
    rf"|\b(?:document|place|person|source|text|one|contact|team|office|people) to {_SEEK}\b|\bto {_SEEK}(?: \w+)?\W*$",
    re.IGNORECASE,
)
_HELPER = re.compile(
    rf"^(?!.*\b(?:i|answer)\b).*\b(?!(?:that|this|which)\b)[\w'’)-]+,? {_CAN}{_ASIDE}(?: {_INFORM}\b|\W*$)|\bis where\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\b(?:can|could|would|will|do|did|might|have) you\b|\b(?:may|shall) i\b", re.IGNORECASE)
# Said to be polite; it leads nowhere.
_POLITE = re.compile(
    r"\b(?:feel free to|(?:don['’]t|do not) hesitate to|let me know|(?:happy|glad|here) to (?:help|assist|answer)"
    r"|(?:anything|something|any other|any further|any more|other|further|another)(?: else| questions?| queries| topics?)?"
    r"|(?:contact|ask|tell) (?:me|us)\b|any ?time|have an? (?:\w+ )?day|(?:ask|try) again|i can do for you)\b",
    re.IGNORECASE,
)
_THEM = re.compile(r"\b(?:those|them|these|it|that)\b", re.IGNORECASE)
_NONE_NEAR = re.compile(r"\b(?:closest|nearest|related|relevant|similar)\b.*\b(?:none|nothing)\b", re.IGNORECASE)
_OPENS_A_CLAUSE = frozenset(
    "in on at by for from with under over after before during through throughout unlike like despite besides per via both all "
    "only even just while when where if since because as than that to of about between within without against and or but so not "
    "what which who whose how why whether once until unless into onto upon across behind except given is are was were".split()
)

_TALK = re.compile(
    r"\W*(?:i|we|you|my|your|our|please|sorry|hope|thanks?|this|that|here|any|an answer|the answer)\b", re.I
)


class Subject(Struct, frozen=True):
    """What was asked, and what the passages tell."""

    passages: tuple[Passage, ...]
    asked: frozenset[str]
    titles: frozenset[str]
    told: dict[str, set[str]]

    @classmethod
    def of(cls, question: str, passages: Sequence[Passage]) -> Subject:
        titles = frozenset(stem(word) for passage in passages for word in words(passage.doc))
        told = {passage.id: contents(passage.text) for passage in passages}
        return cls(tuple(passages), frozenset(contents(question)), titles, told)

    def known(self, found: set[str]) -> set[str]:
        return found & self.asked.union(self.titles, *self.told.values())


def missing(clause: Clause, subject: Subject) -> bool:
    """It declines, and names the thing asked for rather than "that" or "the information"."""
    if clause.asks or not clause.is_negated or reported(clause, subject):
        return False
    return _names_the_asked(clause.text, subject) or _has_a_subject(clause.text, subject)


def _names_the_asked(text: str, subject: Subject) -> bool:
    return not figures(text).isdisjoint(subject.asked) or any(
        _is_the_asked(part, before, subject) for word, before in words_at(text) for part in {word, *word.split("-")}
    )


def _is_the_asked(word: str, before: str, subject: Subject) -> bool:
    """A word that also serves to decline counts only as a noun: "no address is given", not "they do not address it"."""
    if word in NEVER or stem(word) in subject.titles or not resembles(word, subject.asked):
        return False
    return (word not in OF_DECLINING and word not in SOURCES) or _NOUN_FOLLOWS.search(before) is not None


def _has_a_subject(text: str, subject: Subject) -> bool:
    """Named in other words than the question's: "Musical instruments do not come up", "no insurer is named"."""
    found = negation(text)
    before = words(text[: found.start()]) if found else []
    behind = text[found.start() :] if found else ""
    topic = words(next((match[1] for match in [_TOPIC.search(behind)] if match), ""))[:4]
    named = [] if before and before[0] in _NO_SUBJECT else before
    return any(_is_content(word, subject) for word in (*named, *topic))


def _is_content(word: str, subject: Subject) -> bool:
    is_plain = len(word) > 2 and terms(word) and not word.endswith("ly") and stem(word) not in subject.titles
    return bool(is_plain) and word not in OF_DECLINING and word not in SOURCES


def reported(clause: Clause, subject: Subject) -> Evidence | None:
    """It tells what a passage says: found by the words they share beyond those of the question."""
    if clause.asks:
        return None
    told = contents(clause.text)
    for passage in sorted(subject.passages, key=lambda one: -len(told & subject.told[one.id])):
        shared = (told & subject.told[passage.id]) - subject.asked
        if passage.id in clause.cited:
            enough = len(shared) > clause.is_negated or not passage.text
        else:
            enough = len(shared) > 2 + clause.is_negated and 2 * len(shared) >= len(told - subject.asked)
        if enough:
            return Evidence(clause.shown, passage.id, _nearest_line(passage, told))
    return None


def _nearest_line(passage: Passage, told: set[str]) -> str:
    lines = [line.strip() for line in re.split(r"(?<=[.;!?])\s+|\n", passage.text)]
    return max(lines, key=lambda line: len(contents(line) & told))


def named(clause: Clause, subject: Subject) -> Evidence | None:
    """It only points to a passage: worth something where the passage is about what was asked."""
    if not subject.passages and _NONE_NEAR.search(clause.text):
        return Evidence(clause.shown)
    if clause.asks or clause.is_negated:
        return None
    cited = [passage for passage in subject.passages if passage.id in clause.cited]
    near = [passage for passage in cited if len(subject.told[passage.id] & subject.asked) > 1]
    return Evidence(clause.shown, near[0].id) if near else None


def next_step(clause: Clause, subject: Subject) -> bool:
    """It tells the reader where to turn or what to provide: somebody or something, not mere politeness."""
    text = _POLITE.sub(" ", clause.text)
    if not _is_concrete(text):
        return False
    if clause.asks:
        return _REQUEST.search(text) is not None
    parts = [part for part in text.split(",") if not negation(part)]
    kept = ",".join(parts)
    if ordered(kept):
        return True
    return not reported(clause, subject) and bool(_ADVICE.search(kept) or _HELPER.search(kept))


def ordered(text: str) -> bool:
    found = _ORDER.search(text)
    return bool(found) and (words(found.group()) or [""])[-1] not in _OPENS_A_CLAUSE


def _is_concrete(text: str) -> bool:
    found = words(text)
    return any(word not in OF_DECLINING or (word in SOURCES and word not in NEVER) for word in found) or bool(
        _THEM.search(text)
    )


def new_claim(clause: Clause, subject: Subject, leads_on: bool) -> bool:
    """It asserts, without a source, what neither the question nor any passage has. Where its sentence leads on to a
    next step, what it says of the place to look at is none."""
    if clause.asks or clause.cited or clause.is_negated or _TALK.match(clause.text) or ordered(clause.text):
        return False
    told = contents(clause.text)
    unknown = told - subject.known(told)
    return bool(figures(clause.text) & unknown) or (not leads_on and len(told) > 3 and 2 * len(unknown) > len(told))
