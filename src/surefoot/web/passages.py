"""Passages as a person reads them, with words marked.

Every text here is foreign. It leaves this module escaped, and without characters that steer the display.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape
from msgspec import Struct

from surefoot.core.types import Passage
from surefoot.report.prose import Piece, inside_tags, rendered, visible
from surefoot.text.sentences import terms

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_MONTHS = frozenset(month_name)  # "May" is one, "may" is not
READ_CLOSELY = 30_000  # characters of a text in which claims and words are looked for; all of it is shown

Marks = Mapping[str, Sequence[int]]  # by the key of a word: the numbers of the claims that have it


class Source(Struct, frozen=True):
    """A passage as it is shown. `known` False: it is named, but its text is not there."""

    id: str
    title: str
    text: Markup
    known: bool = True
    is_empty: bool = False


def source_of(passage: Passage, marks: Marks) -> Source:
    text = visible(passage.text)
    page = "" if passage.page is None else f"p. {passage.page}"
    title = ", ".join(part for part in (visible(passage.doc), page) if part)

    def paint(pieces: Sequence[Piece]) -> Markup:
        return Markup("").join(inside_tags(p, marked_words(text, p.start, p.end, marks)) for p in pieces)

    marked = rendered(text, paint)
    return Source(visible(passage.id), title, marked, is_empty=not passage.text.strip())


def unknown_source(identifier: str) -> Source:
    return Source(visible(identifier), "", Markup(""), known=False)


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
