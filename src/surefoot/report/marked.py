"""Answers and passages as a person reads them.

Claims are underlined, and words marked: those that it has in common with its passages, and those that the answer beside
it has not. Every text here is foreign. It leaves this module escaped, and without characters that steer the display.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from hashlib import sha256
from itertools import groupby

from markupsafe import Markup, escape
from msgspec import Struct

from surefoot.core.types import Item, Passage
from surefoot.report.prose import Piece, inside_tags, rendered, visible
from surefoot.text.citations import Mark, locate, resolve
from surefoot.text.claims import Claim, claims_of
from surefoot.text.normal import numbers, proper_names, sentences, terms
from surefoot.text.refusals import detect
from surefoot.text.talk import negation

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_MONTHS = frozenset(month_name)  # "May" is one, "may" is not
READ_CLOSELY = 30_000  # characters of a text in which claims and words are looked for; all of it is shown

Marks = Mapping[str, Sequence[int]]  # by the key of a word: the numbers of the claims that have it
_MOST_COMPARED = 1_000  # words of an answer: comparing takes the square of them


class View(Struct, frozen=True):
    """All that is shown of one answer."""

    answer: Markup
    claims: int
    cites: bool
    refuses: bool
    cited: tuple[Source, ...]
    others: tuple[Source, ...]
    has_passages: bool  # False: the log does not say what was retrieved
    read_in_part: bool


def view_of(item: Item, beside: str | None = None, anchor: str = "source") -> View:
    """Show an answer, beside another one if there is one; its passages have the anchors `source-1`, `source-2`..."""
    question, trace = item.question, item.trace
    passages, ids, texts = trace.sources, trace.names, trace.retrieved or ()
    answer = trace.answer or ""
    field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids, texts)
    found = claims_of(answer[:READ_CLOSELY], ids, question.gold_ids, field, texts)
    marks, cited = locate(answer, ids, question.gold_ids, texts), cited_in(item)
    by_id = {passage.id: passage for passage in passages}
    shared = _Shared(found.claims, passages)
    return View(
        answer=_answer(
            visible(answer),
            found.claims,
            marks,
            shared,
            {i: f"{anchor}-{n}" for n, i in enumerate(cited, 1)},
            new_words(answer, beside),
        ),
        claims=len(found.claims),
        cites=bool(cited),
        refuses=detect(answer[:READ_CLOSELY]).value == "refused",
        cited=tuple(
            source_of(by_id[i], shared.in_passage(i, cited=True)) if i in by_id else unknown_source(i) for i in cited
        ),
        others=tuple(
            source_of(passage, shared.in_passage(passage.id, cited=False))
            for passage in passages
            if passage.id not in cited
        ),
        has_passages=trace.retrieved is not None,
        read_in_part=len(answer) > READ_CLOSELY,
    )


def cited_in(item: Item) -> tuple[str, ...]:
    """The ids of the passages that an answer cites."""
    trace, gold = item.trace, item.question.gold_ids
    names, texts = trace.names, trace.retrieved or ()
    field = () if trace.citations is None else resolve(trace.citations, names, gold, texts)
    marks = locate(trace.answer or "", names, gold, texts)
    return tuple(dict.fromkeys([*(id for mark in marks for id in mark.ids), *field]))


def says(item: Item) -> object:
    """Return what answers are grouped by: figures, names, what is negated, whether it refuses, and what it cites.

    It is not what they mean. So whoever labels a group sees all of it.
    """
    answer = (item.trace.answer or "")[:READ_CLOSELY]
    marks = locate(answer, item.trace.names, item.question.gold_ids, item.trace.retrieved or ())
    for mark in sorted(marks, reverse=True):
        answer = answer[: mark.start] + answer[mark.end :]
    negated = sum(negation(one) is not None for one in sentences(answer))
    told = frozenset(numbers(answer)), frozenset(proper_names(answer)), negated, detect(answer).value
    return *told, frozenset(cited_in(item))


def new_words(text: str, beside: str | None) -> frozenset[int]:
    """Where the words of a text begin that the one beside it has not at that place."""
    if beside is None:
        return frozenset()
    own, other = (list(WORD.finditer(one[:READ_CLOSELY]))[:_MOST_COMPARED] for one in (text, beside))
    one, two = ([match.group().lower() for match in found] for found in (own, other))
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    kept = {place for block in blocks for place in range(block.a, block.a + block.size)}
    return frozenset(match.start() for place, match in enumerate(own) if place not in kept)


def compared(text: str, beside: str) -> Markup:
    """A text with the words marked that the one beside it has not."""
    return _marked(visible(text), {}, new_words(text, beside))


def marks_of(texts: Sequence[str]) -> Marks:
    """The words of some texts, each with the numbers of those that have it."""
    marks: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for key in word_keys(text):
            marks.setdefault(key, []).append(number)
    return marks


class _Shared:
    """Which words claims and passages have in common."""

    def __init__(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> None:
        self.claims = claims
        self._of_claims = [word_keys(claim.text) for claim in claims]
        self._of_passages = [(passage.id, word_keys(passage.text[:READ_CLOSELY])) for passage in passages]

    def in_passage(self, passage: str, cited: bool) -> dict[str, list[int]]:
        """The words of the claims that cite a passage, and which claims; of all claims where none cites it."""
        found: dict[str, list[int]] = {}
        for number, (claim, keys) in enumerate(zip(self.claims, self._of_claims, strict=True)):
            if passage in claim.citations or not cited:
                for key in keys:
                    found.setdefault(key, []).append(number)
        return found

    def in_claim(self, number: int) -> dict[str, list[int]]:
        """The words of a claim that stand in a passage it cites; in any passage where it cites none."""
        cited = self.claims[number].citations
        there: set[str] = set()
        for name, keys in self._of_passages:
            if name in cited or not cited:
                there |= keys
        return {key: [number] for key in self._of_claims[number] & there}


def _answer(
    text: str, claims: Sequence[Claim], marks: Sequence[Mark], shared: _Shared, anchors: Mapping[str, str],
    new: Collection[int],
) -> Markup:  # fmt: skip
    """Claims are underlined. One that goes over several paragraphs, items or cells is a span in each."""
    ordered = sorted(marks)
    spans = [_trimmed(text, claim.start, claim.end) for claim in claims]
    words = [shared.in_claim(number) for number in range(len(claims))]

    def paint(pieces: Sequence[Piece]) -> Markup:
        found: list[Markup] = []
        for number, group in groupby(_by_claim(pieces, spans), key=lambda part: part[0]):
            here: Marks = {} if number is None else words[number]
            inside = [inside_tags(p, _cut(text, p.start, p.end, ordered, anchors, here, new)) for _, p in group]
            found.append(Markup("").join(inside) if number is None else _claim(number, claims, anchors, inside))
        return Markup("").join(found)

    return rendered(text, paint)


def _claim(number: int, claims: Sequence[Claim], anchors: Mapping[str, str], inside: Sequence[Markup]) -> Markup:
    cited = " ".join(anchors[name] for name in claims[number].citations if name in anchors)
    span = Markup('<span class="claim" data-claim="{}" data-sources="{}">{}</span>')
    return span.format(number, cited, Markup("").join(inside))


def _by_claim(pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int | None, Piece]]:
    """The pieces, cut where a claim begins or ends, each with the number of its claim."""
    for piece in pieces:
        at = piece.start
        for number, (start, end) in enumerate(spans):
            if end <= at or start >= piece.end:
                continue
            if start > at:
                yield None, piece._replace(start=at, end=start)
            at = min(end, piece.end)
            yield number, piece._replace(start=max(start, piece.start), end=at)
        if at < piece.end:
            yield None, piece._replace(start=at)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _cut(
    text: str, start: int, end: int, marks: Sequence[Mark], anchors: Mapping[str, str], words: Marks,
    new: Collection[int],
) -> Iterator[Markup]:  # fmt: skip
    """Words as they are or marked, and citations as links to what they cite."""
    for mark in marks:
        if start <= mark.start < end and mark.ids:
            yield from marked_words(text, start, mark.start, words, new)
            stop = min(mark.end, end)
            kind = "cites differs" if any(mark.start <= place < stop for place in new) else "cites"
            yield Markup('<a class="{}" href="#{}">{}</a>').format(kind, anchors[mark.ids[0]], text[mark.start : stop])
            start = stop
    yield from marked_words(text, start, end, words, new)


class Source(Struct, frozen=True):
    """A passage as it is shown. `known` False: it is named, but its text is not there."""

    id: str
    key: str  # of its id, in whatever characters that is
    title: str
    text: Markup
    known: bool = True
    is_empty: bool = False


def source_of(passage: Passage, marks: Marks) -> Source:
    text = visible(passage.text)
    page = "" if passage.page is None else f"p. {passage.page}"
    title = ", ".join(part for part in (visible(passage.doc), page) if part)

    return Source(
        visible(passage.id), source_key(passage.id), title, _marked(text, marks), is_empty=not passage.text.strip()
    )


def _marked(text: str, marks: Marks, new: Collection[int] = ()) -> Markup:
    def paint(pieces: Sequence[Piece]) -> Markup:
        return Markup("").join(inside_tags(p, marked_words(text, p.start, p.end, marks, new)) for p in pieces)

    return rendered(text, paint)


def unknown_source(identifier: str) -> Source:
    return Source(visible(identifier), source_key(identifier), "", Markup(""), known=False)


def source_key(identifier: str) -> str:
    return sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def word_keys(text: str) -> frozenset[str]:
    """What the words of a text are compared by."""
    return frozenset(key for match in WORD.finditer(text) if (key := _key(match.group())))


@lru_cache(maxsize=50_000)
def _key(word: str) -> str:
    """Inflections of one word are equal, and words that say nothing have none. A lambing is no lamb."""
    if word[0].isdigit() or word in _MONTHS:
        return word
    single = word.lower().removesuffix("s")
    return single if single.endswith("ing") else next(iter(terms(word)), "")


def marked_words(text: str, start: int, end: int, marks: Marks, new: Collection[int] = ()) -> Iterator[Markup]:
    """A part of a text with words marked: those of claims, and those that begin at `new` places."""
    at = start
    for match in WORD.finditer(text, start, min(end, READ_CLOSELY)) if marks or new else ():
        found, differs = marks.get(_key(match.group())), match.start() in new
        if found or differs:
            yield escape(text[at : match.start()])
            word = Markup('<b class="differs">{}</b>').format(match.group()) if differs else escape(match.group())
            claims = " ".join(map(str, found or ()))
            yield Markup('<mark data-claims="{}">{}</mark>').format(claims, word) if found else word
            at = match.end()
    yield escape(text[at:end])
