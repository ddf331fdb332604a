"""Answers and passages as a person reads them.

Claims are underlined, and words marked: those that it has in common with its passages, and those that the answer beside
it has not. Every text here is foreign. It leaves this module escaped, and without characters that steer the display.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from hashlib import sha256

from markupsafe import Markup
from msgspec import Struct

from surefoot.core.types import Item, Passage
from surefoot.report.prose import Mark, rendered, visible
from surefoot.text.citations import locate, resolve
from surefoot.text.claims import claims_of
from surefoot.text.normal import numbers, proper_names, sentences, terms
from surefoot.text.refusals import detect, negation

WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_MONTHS = frozenset(month_name)  # "May" is one, "may" is not
READ_CLOSELY = 30_000  # characters of a text in which claims and words are looked for; all of it is shown

Marks = Mapping[str, Sequence[int]]  # by the key of a word: the numbers of the claims that have it
_MOST_COMPARED = 1_000  # words of an answer: comparing takes the square of them
_DIFFERS = Markup('<b class="differs">{}</b>')
_CLAIM = Markup('<span class="claim" data-claim="{}" data-sources="{}">{}</span>')
_CITES, _SHARED = Markup('<a class="cites" href="#{}">{}</a>'), Markup('<mark data-claims="{}">{}</mark>')
_INSIDE = Markup("{}")


class Source(Struct, frozen=True):
    """A passage as it is shown. `known` False: it is named, but its text is not there."""

    id: str
    key: str  # of its id, in whatever characters that is
    title: str = ""
    text: Markup = Markup("")
    known: bool = True
    is_empty: bool = False


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
    ids, gold, texts, answer = trace.names, question.gold_ids, trace.retrieved or (), trace.answer or ""
    field = None if trace.citations is None else resolve(trace.citations, ids, gold, texts)
    claims, cited = claims_of(answer[:READ_CLOSELY], ids, gold, field, texts).claims, cited_in(item)
    anchors = {id: f"{anchor}-{number}" for number, id in enumerate(cited, 1)}
    by_id = {passage.id: passage for passage in trace.sources}
    passage_words = {id: word_keys(passage.text[:READ_CLOSELY]) for id, passage in by_id.items()}
    text, spans, shared = visible(answer), list[Mark](), list[Mark]()
    for number, claim in enumerate(claims):
        piece = text[claim.start : claim.end]
        start, end = claim.end - len(piece.lstrip()), claim.start + len(piece.rstrip())
        named = " ".join(anchors[id] for id in claim.citations if id in anchors)
        spans.append(Mark(start, end, _CLAIM.format(number, named, _INSIDE)))
        # Words that stand in a passage it cites; in any passage where it cites none.
        there = (keys for id, keys in passage_words.items() if id in claim.citations or not claim.citations)
        common = word_keys(claim.text) & frozenset[str]().union(*there)
        shared += word_marks(text, dict.fromkeys(common, (number,)), start, end)
    found = sorted(one for one in locate(answer, ids, gold, texts) if one.ids)
    links = [Mark(one.start, one.end, _CITES.format(anchors[one.ids[0]], _INSIDE)) for one in found]

    def source(id: str) -> Source:
        if id not in by_id:
            return unknown_source(id)
        # Words of the claims that cite it; of all claims where it is not cited.
        told = [one.text if id in one.citations or id not in cited else "" for one in claims]
        return source_of(by_id[id], marks_of(told))

    return View(
        answer=rendered(text, spans, links, shared, new_words(answer, beside)),
        claims=len(claims),
        cites=bool(cited),
        refuses=detect(answer[:READ_CLOSELY]).value == "refused",
        cited=tuple(map(source, cited)),
        others=tuple(source(id) for id in by_id if id not in cited),
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


def new_words(text: str, beside: str | None) -> list[Mark]:
    """The words of a text that the one beside it has not at that place."""
    if beside is None:
        return []
    own, other = (list(WORD.finditer(one[:READ_CLOSELY]))[:_MOST_COMPARED] for one in (text, beside))
    one, two = ([match.group().lower() for match in found] for found in (own, other))
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    kept = {place for block in blocks for place in range(block.a, block.a + block.size)}
    return [Mark(*match.span(), _DIFFERS) for place, match in enumerate(own) if place not in kept]


def compared(text: str, beside: str) -> Markup:
    """A text with the words marked that the one beside it has not."""
    return rendered(visible(text), (), new_words(text, beside))


def marks_of(texts: Sequence[str]) -> Marks:
    """The words of some texts, each with the numbers of those that have it."""
    marks: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for key in word_keys(text):
            marks.setdefault(key, []).append(number)
    return marks


def source_of(passage: Passage, marks: Marks) -> Source:
    text = visible(passage.text)
    page = "" if passage.page is None else f"p. {passage.page}"
    title = ", ".join(part for part in (visible(passage.doc), page) if part)
    shown = rendered(text, (), list(word_marks(text, marks)))
    return Source(visible(passage.id), source_key(passage.id), title, shown, is_empty=not passage.text.strip())


def unknown_source(identifier: str) -> Source:
    return Source(visible(identifier), source_key(identifier), known=False)


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


def word_marks(text: str, marks: Marks, start: int = 0, end: int = READ_CLOSELY) -> Iterator[Mark]:
    """The words of a part of a text that claims have."""
    for match in WORD.finditer(text, start, min(end, READ_CLOSELY)) if marks else ():
        if found := marks.get(_key(match.group())):
            yield Mark(*match.span(), _SHARED.format(" ".join(map(str, found)), _INSIDE))
