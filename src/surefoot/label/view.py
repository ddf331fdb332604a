"""An answer and its passages as a person reads them: claims underlined, and the words both have in common marked.

Every text here is foreign. It leaves this module escaped, and without characters that steer the display.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from unicodedata import category

from markupsafe import Markup, escape
from msgspec import Struct

from surefoot.text.citations import Mark, locate, resolve
from surefoot.text.claims import Claim, claims_of
from surefoot.text.refusals import detect
from surefoot.text.terms import terms
from surefoot.types import Item, Passage

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_MONTHS = frozenset(month_name)  # "May" is one, "may" is not
_STEERING = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # some scripts cannot be written without them, and they move nothing
_READ_CLOSELY = 30_000  # characters of a text in which claims and words are looked for; all of it is shown


class Source(Struct, frozen=True):
    """A passage as it is shown. `known` False: the answer cites it, but it is not among what was retrieved."""

    id: str
    title: str
    text: Markup
    known: bool = True
    is_empty: bool = False


class View(Struct, frozen=True):
    """All that is shown of one answer."""

    question: Markup
    answer: Markup
    claims: int
    cites: bool
    refuses: bool
    cited: tuple[Source, ...]
    others: tuple[Source, ...]
    has_passages: bool  # False: the log does not say what was retrieved
    read_in_part: bool


class _Characters(dict[int, int]):
    """What each character becomes: itself, or the sign for one that cannot be shown."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        steers = category(char) in _STEERING and char not in "\n\t" + _JOINERS
        self[code] = 0xFFFD if steers else code
        return self[code]


_CHARACTERS = _Characters({0x0D: 0x0A})


def visible(foreign: str) -> str:
    """As long as it was, so that positions stay; control and direction-changing characters become visible."""
    return foreign.replace("\r\n", " \n").translate(_CHARACTERS)


def view_of(item: Item) -> View:
    question, trace = item.question, item.trace
    passages, ids = trace.sources, trace.names
    answer = trace.answer or ""
    field = None if trace.citations is None else resolve(trace.citations, ids, question.gold_ids)
    found = claims_of(answer[:_READ_CLOSELY], ids, question.gold_ids, field)
    marks = locate(answer, ids, question.gold_ids)
    cited = tuple(dict.fromkeys([*(i for mark in marks for i in mark.ids), *(field or ())]))
    by_id = {passage.id: passage for passage in passages}
    shared = _Shared(found.claims, passages)
    return View(
        question=escape(visible(question.text)),
        answer=_answer(visible(answer), found.claims, marks, shared, {i: n for n, i in enumerate(cited)}),
        claims=len(found.claims),
        cites=bool(cited),
        refuses=detect(answer[:_READ_CLOSELY]).value == "refused",
        cited=tuple(
            _source(by_id[i], shared) if i in by_id else Source(visible(i), "", Markup(""), known=False) for i in cited
        ),
        others=tuple(_source(passage, shared, cited=False) for passage in passages if passage.id not in cited),
        has_passages=trace.retrieved is not None,
        read_in_part=len(answer) > _READ_CLOSELY,
    )


class _Shared:
    """Which words claims and passages have in common."""

    def __init__(self, claims: Sequence[Claim], passages: Sequence[Passage]) -> None:
        self.claims = claims
        self._of_claims = [_keys(claim.text) for claim in claims]
        self._of_passages = [(passage.id, _keys(passage.text[:_READ_CLOSELY])) for passage in passages]

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


def _keys(text: str) -> frozenset[str]:
    return frozenset(key for match in _WORD.finditer(text) if (key := _key(match.group())))


@lru_cache(maxsize=50_000)
def _key(word: str) -> str:
    """What two words are compared by: inflections of one are equal, and words that say nothing have none."""
    if word[0].isdigit() or word in _MONTHS:
        return word
    return next(iter(terms(word)), "")


def _source(passage: Passage, shared: _Shared, cited: bool = True) -> Source:
    text = visible(passage.text)
    page = "" if passage.page is None else f"p. {passage.page}"
    title = ", ".join(part for part in (visible(passage.doc), page) if part)
    marked = Markup("").join(_words(text, 0, len(text), shared.in_passage(passage.id, cited)))
    return Source(visible(passage.id), title, marked, is_empty=not passage.text.strip())


def _answer(
    text: str, claims: Sequence[Claim], marks: Sequence[Mark], shared: _Shared, numbers: Mapping[str, int]
) -> Markup:
    pieces: list[Markup] = []
    at = 0
    ordered = sorted(marks)
    for number, claim in enumerate(claims):
        start, end = _trimmed(text, claim.start, claim.end)
        pieces += _cut(text, at, start, ordered, numbers, {})
        inside = Markup("").join(_cut(text, start, end, ordered, numbers, shared.in_claim(number)))
        pieces.append(Markup('<span class="claim" data-claim="{}">{}</span>').format(number, inside))
        at = end
    return Markup("").join([*pieces, *_cut(text, at, len(text), ordered, numbers, {})])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _cut(
    text: str, start: int, end: int, marks: Sequence[Mark], numbers: Mapping[str, int], words: dict[str, list[int]]
) -> Iterator[Markup]:
    """Words as they are or marked, and citations as links to what they cite."""
    for mark in marks:
        if start <= mark.start < end and mark.ids:
            yield from _words(text, start, mark.start, words)
            inside = text[mark.start : min(mark.end, end)]
            link = Markup('<a class="cites" href="#source-{}">{}</a>')
            yield link.format(numbers[mark.ids[0]] + 1, inside)
            start = min(mark.end, end)
    yield from _words(text, start, end, words)


def _words(text: str, start: int, end: int, words: dict[str, list[int]]) -> Iterator[Markup]:
    at = start
    for match in _WORD.finditer(text, start, min(end, _READ_CLOSELY)) if words else ():
        if found := words.get(_key(match.group())):
            yield escape(text[at : match.start()])
            claims = " ".join(map(str, found))
            yield Markup('<mark data-claims="{}">{}</mark>').format(claims, match.group())
            at = match.end()
    yield escape(text[at:end])
