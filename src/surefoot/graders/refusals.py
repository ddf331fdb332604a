"""Answers that decline: whether what they say besides is an answer of its own, and how good a refusal they are.

To report what the passages do say, or where to ask, is part of declining. What they do not support is a claim, and the
table decides it like any other. A refusal has quality 0 if it is flat, 1 if it says what is missing, 2 if it adds the
closest evidence or a next step, 3 with all three, each looked for in a clause. False urgency, blame, or new uncited
claims cap it at 1; so does not naming what is missing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from surefoot.core.table import ClaimFinding
from surefoot.core.types import Evidence, Item, Passage, Question, Trace
from surefoot.text.citations import blanked, locate
from surefoot.text.normal import WORDS, nearest, phrase, pieces_of, sentences, stem, terms
from surefoot.text.numbers import Quantity
from surefoot.text.refusals import (
    ANSWERED,
    CLASSES,
    Refusal,
    asks_back,
    detect,
    figures,
    is_absence,
    is_topic,
    leads_on,
    names_source,
    negation,
    points,
    reports,
    states,
    stating,
    substance,
    without_references,
)

_CLAUSE = phrase("clause")
_POINTED = phrase("pointed")
_ABSENCE = ("ABSENT", "UNSAID", "FEW", "SILENT", "UNABLE", "AVOID")
_SPOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDING = re.compile(r"(?:n['’]t|['’]\w+)$")  # "isn't", "I've", "landlord's"
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_OF_DECLINING = (
    "SPEAK", "SAY", "HOLD", "HELD", "TELL", "JUDGE", "JUDGED", "SAID", "GIVEN", "SAYING", "PIECE", "REQUEST",
    "WILLING", "SENT", "FAIR", "HARD", "GUESS", "BE", "REMAIN", "HAVE", "DO", "CAN", "WILL", "NOT", "WH", "PREP",
    "PRONOUN", "CONJ", "TURN", *_ABSENCE, "DE_NOT", "DE_CAN", "DE_TELL", "DE_SAID", "DE_SAY", "DE_SRC", "DE_INFO",
)  # fmt: skip
NEVER = frozenset((*WORDS["around"].split(), *CLASSES["TEXT"], *CLASSES["INFO"], *CLASSES["REQUEST"]))
OF_DECLINING = NEVER.union(*(CLASSES[name] for name in _OF_DECLINING))
SOURCES = frozenset((*CLASSES["TEXT"], *CLASSES["PAPER"], *CLASSES["NORM"]))
_NEVER_STEMS = frozenset(map(stem, NEVER))


class Clause(NamedTuple):
    shown: str  # as the answer has it
    text: str  # with blanks for citation marks
    sentence: int
    cited: tuple[str, ...]
    asks: bool  # its sentence is a question

    @property
    def is_negated(self) -> bool:
        return negation(self.text) is not None


def clauses_of(trace: Trace) -> list[Clause]:
    answer, texts = trace.answer or "", trace.retrieved or ()
    marks = sorted(locate(answer, trace.names, (), texts))
    text = blanked(answer, marks)
    inline = [mark for mark in marks if not mark.is_list]
    starts = [mark.start for mark in inline]
    found: list[Clause] = []
    ends = accumulate(len(piece) for line in answer.splitlines(keepends=True) for piece in sentences(line))
    for number, (start, end) in enumerate(pairwise([0, *ends])):
        asks = text[start:end].rstrip(" \n\"'”)*").endswith("?")
        cuts = [at for match in _CLAUSE.finditer(text, start, end) for at in match.span()]
        for left, right in zip([start, *cuts[1::2]], [*cuts[::2], end], strict=True):
            inside = inline[bisect_left(starts, left) : bisect_left(starts, right)]
            if inside and found and not found[-1].cited and not _SPOKEN.search(text, left, inside[0].start):
                found[-1] = found[-1]._replace(cited=inside[0].ids)  # the mark stands behind a full stop
            if _SPOKEN.search(text, left, right):
                cited = tuple(i for mark in inside for i in mark.ids)
                found.append(Clause(answer[left:right].strip(), text[left:right], number, cited, asks))
    return found


def words(text: str) -> list[str]:
    """Each word in lower case and without its ending."""
    return [_ENDING.sub("", match[0].lower()) for match in _SPOKEN.finditer(text)]


def digits_in(text: str) -> set[str]:
    """The number of a clause or page is none."""
    return set(_FIGURE.findall(_POINTED.sub(" ", text)))


@lru_cache(maxsize=5_000)
def contents(text: str) -> frozenset[str]:
    """What a text is about: the stems of its words, and its figures."""
    return frozenset((set(terms(text)) - _NEVER_STEMS) | digits_in(text))


# How much of what a claim adds to the question stands in the passages. A citation, or figures that all stand there,
# show where it is from, so that its words may be freer.
_GROUNDED, _FREER = 0.6, 0.4
_PLAINLY = 0.75
_YES_NO = phrase("yes_no")
_PERSON = re.compile(r"\b(?:i|we|my)\b", re.IGNORECASE)
_OPEN = re.compile(r"\W*(?:and |but |so )?whether\b", re.IGNORECASE)


class Declining:
    """A question and the passages that were found for it: what declining it looks like."""

    def __init__(self, question: Question, passages: Sequence[Passage]) -> None:
        self._question, self._passages = question.text, passages
        self._terms = set(terms(question.text))

    @cached_property
    def _sources(self) -> str:
        return " ".join(f"{passage.doc} {passage.text}" for passage in self._passages)

    def refusal_in(self, answer: str) -> Refusal:
        """Whether an answer refuses by its words; "No, it is not stated" answers."""
        found = detect(answer)
        answers = _YES_NO.match(answer) and not _PERSON.search(answer, found.start, found.end)
        return ANSWERED if answers else found

    def is_hint(self, text: str) -> bool:
        """Part of declining, and no claim: that it is not there, who may know, where to look."""
        return self.refusal_in(text).value == "refused" or leads_on(text)

    def is_near_evidence(self, claim: ClaimFinding) -> bool:
        """Supported by the passages, in their words and figures, or a hint where to look further."""
        is_denied = claim.by_retrieved == "contradicted" and (claim.confidence or 1) >= _PLAINLY
        return claim.supported or (not is_denied and self._is_near(claim))

    def _is_near(self, claim: ClaimFinding) -> bool:
        amounts = _without(figures(claim.text), figures(self._question))
        if _without(amounts, figures(self._sources)):
            return False
        is_cited = bool(claim.citations) and claim.known
        parts = stating(claim.text) or [claim.text]
        return self._is_from_passages(claim.text, is_cited) or all(
            self._needs_no_source(part, is_cited) for part in parts
        )

    def _needs_no_source(self, part: str, is_cited: bool) -> bool:
        if is_absence(part) or is_topic(part) or not substance(part) or _OPEN.match(part):
            return True
        if points(part) and not _without(figures(part), figures(self._question)):
            return True
        return self._is_from_passages(part, is_cited)

    def _is_from_passages(self, text: str, is_cited: bool) -> bool:
        """What a text adds to the question is in the passages: it is cited, names a source, or has their figures."""
        amounts = figures(text)
        if not (is_cited or amounts or names_source(text) or reports(text)):
            return False
        return self._news(text) <= 1 - (_FREER if amounts or is_cited else _GROUNDED)

    def _news(self, text: str) -> float:
        """The share of words beyond the question's that no passage has."""
        words = substance(without_references(text)) - self._terms
        known = set(terms(self._sources))
        return len(words - known) / len(words) if words else float(not figures(text) and states(text))


def _without(found: Sequence[Quantity], known: Sequence[Quantity]) -> list[Quantity]:
    return [one for one in found if not any(one.agrees(other) for other in known)]


_ORDER, _NO_VERB, _ADVICE, _POINTERS = phrase("order"), phrase("no_verb"), phrase("advice"), phrase("pointers")
_REQUEST, _URGENCY, _BLAME = phrase("request"), phrase("urgency"), phrase("blame")
_OWN = re.compile(r"\b(?:i|answer)\b", re.IGNORECASE)
_NEAREST = re.compile(r"\b(?:closest|nearest|most relevant)\b", re.IGNORECASE)


class Subject:
    """What was asked, and what the passages say: words and figures that carry meaning."""

    def __init__(self, question: Question, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self.titles = {word for passage in passages for word in words(passage.doc)}
        self.asked = contents(question.text)
        self.by_passage = {passage.id: contents(passage.text) for passage in passages}
        self.in_passages = frozenset[str]().union(*self.by_passage.values())
        self.known = self.in_passages.union(self.asked, *(contents(passage.doc) for passage in passages))
        self.has_answer = set(question.gold_ids if question.answerable else ())  # passages


def missing(clause: Clause, subject: Subject) -> bool:
    """It declines, and names the thing asked for rather than "that" or "the information"."""
    is_report = reported(clause, subject) and detect(clause.text).value == "answered"  # "are not permitted", it says
    if clause.asks or not clause.is_negated or is_report:
        return False
    named = {part for word in words(clause.text) for part in (word, *word.split("-"))} - OF_DECLINING - subject.titles
    return not subject.asked.isdisjoint((*digits_in(clause.text), *map(stem, named)))


def evidence(clause: Clause, subject: Subject) -> Evidence | None:
    """The closest thing in the passages, reported or pointed to. A passage that has the answer is no near miss."""
    found = None if next_step(clause, subject) else reported(clause, subject)
    if found is None and not clause.asks and not clause.is_negated and _NEAREST.search(clause.text):
        found = next(
            (Evidence(clause.shown, passage.id) for passage in subject.passages if passage.id in clause.cited), None
        )
    return None if found is None or not subject.has_answer.isdisjoint((found.passage, *clause.cited)) else found


def reported(clause: Clause, subject: Subject) -> Evidence | None:
    """It tells what a passage says: found by the words they share beyond those of the question."""
    if clause.asks or not subject.passages:
        return None
    content = contents(clause.text)
    own = content - subject.asked
    ranked = sorted(subject.passages, key=lambda one: -len(content & subject.by_passage[one.id]))
    for passage in ranked:
        shared = own & subject.by_passage[passage.id]
        is_reported = len(shared) > clause.is_negated if passage.text else not clause.is_negated
        if passage.id in clause.cited and is_reported:
            return Evidence(clause.shown, passage.id, nearest(pieces_of(passage.text), content))
    shared = own & subject.in_passages
    enough = len(shared) > 2 + clause.is_negated and 3 * len(shared) >= 2 * len(own)
    return Evidence(clause.shown, ranked[0].id, nearest(pieces_of(ranked[0].text), content)) if enough else None


def next_step(clause: Clause, subject: Subject) -> bool:
    """It tells the reader where to turn or what to provide: somebody or something that is named, not mere politeness;
    "the documents" and "the question" are nothing new."""
    text = clause.text
    named = {word for word in words(text) if terms(word) and word not in NEVER}
    if not (named & SOURCES or named - OF_DECLINING):
        return False
    if clause.asks:
        return _REQUEST.search(text) is not None
    kept = ",".join(part for part in text.split(",") if not negation(part))
    if any(not _NO_VERB.fullmatch(match[1]) for match in _ORDER.finditer(kept)):
        return True
    leads = _ADVICE.search(kept) or (_POINTERS.search(kept) and not _OWN.search(kept))
    return bool(leads) and not reported(clause, subject)


class Quality(NamedTuple):
    level: int
    reason: str
    evidence: tuple[Evidence, ...]


def refusal_quality(item: Item) -> Quality:
    """The level, what earned it, and the words of the answer that it rests on."""
    subject = Subject(item.question, item.trace.sources)
    if asks_back(item.trace.answer or ""):
        asked = contents(item.trace.answer or "") - subject.asked
        are_known = len(asked & subject.in_passages) > 1
        return Quality(2 if are_known else 1, f"asks back{', with choices from the passages' if are_known else ''}", ())
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
        pressing = _URGENCY.search(clause.text)  # as neither the question nor a passage is
        if pressing and subject.known.isdisjoint(map(stem, words(pressing[0]))):
            yield "false urgency", Evidence(clause.shown)
        if _BLAME.search(clause.text):
            yield "blame", Evidence(clause.shown)
        if clause not in steps and _claims(clause, subject, clause.sentence in leading_on):
            yield "new uncited claims", Evidence(clause.shown)


def _claims(clause: Clause, subject: Subject, leads_on: bool) -> bool:
    """It asserts what neither the question nor any passage has. What describes the place to look at is no claim."""
    if clause.asks or clause.is_negated:
        return False
    content = contents(clause.text)
    unknown = content - subject.known
    return bool(digits_in(clause.text) & unknown) or (
        not leads_on and len(content) > 3 and 2 * len(unknown) > len(content)
    )
