"""Citations in the words of the documents: "(MSA, s. 4.2)", "[handbook.pdf, p. 12]", "page 12 of the MSA".

A reference leads to the passages of the document it names that bear its label or page; where it names no document, to
all that do. It leads nowhere if there is none: a label that is only mentioned somewhere does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from surefoot.text.labels import APART, labels_in
from surefoot.types import Passage, document_in

_PAGES = ("page", "pages", "pgs", "pg", "pp", "p")
_CLAUSES = (
    "sections", "section", "sect", "secs", "sec", "ss", "s", "clauses", "clause", "cls", "cl", "articles", "article",
    "arts", "art", "paragraphs", "paragraph", "paras", "para", "items", "item",
)  # fmt: skip
_OTHERS = {
    "schedules": "schedule", "sched": "schedule", "annexes": "annex", "app": "appendix", "appendices": "appendix",
    "exhibits": "exhibit", "parts": "part", "chapters": "chapter", "ch": "chapter", **{kind: kind for kind in APART},
}  # fmt: skip
_LOOSE = frozenset({"part", "chapter"})  # words that often point to no document
_ITEMS = r"(?:\s?\((?:[a-z]{1,4}|\d{1,2})\))*"
_NUMBER = rf"\d{{1,6}}(?:\.\d{{1,3}}){{0,5}}[A-Z]?(?![\w%]|\.\d){_ITEMS}"
_LABEL = rf"(?:{_NUMBER}|(?:[IVXLC]{{1,7}}|[A-Z])(?!\w){_ITEMS})"
_KINDS = (*_PAGES, *_CLAUSES, *_OTHERS)
_WORDS = "|".join(sorted(_KINDS, key=len, reverse=True))
_LOCATOR = re.compile(
    rf"(?:(?P<sign>§{{1,2}})\s{{0,2}}|(?<![^\W_])(?P<kind>(?i:{_WORDS}))(?:\.\s{{0,2}}|\s{{1,2}}))"
    rf"(?P<labels>{_LABEL}(?:(?:\s?[-–]\s?|\s(?:and|to|or|&)\s|,\s?(?:and\s)?(?=\d)){_NUMBER}){{0,9}})"
)
_TOKENS = frozenset(f"{mark}{word}{dot}" for mark in ("", "(", "*", "**") for word in _KINDS for dot in ("", "."))
_KIND_WORDS, _LETTERS = frozenset(_KINDS), re.compile(r"[a-z]+")
_DASH = re.compile(r"\s?[-–]\s?|\sto\s")
_APART_BY = re.compile(r"\s(?:and|or|&)\s|,\s?(?:and\s)?")
_LEADING = re.compile(r"(?:see also|see|cf\.?|per|as per|under|in|at|sources?:|ref:|the)\s+", re.IGNORECASE)
_OF = re.compile(r",?\s+(?:of|in|from)\s+(?:the\s+)?(?P<doc>\S.{0,118})")
_TITLE = re.compile(r"\s?[:–—-]\s.{1,80}|\s?\([^()]{1,80}\)")
_DRESSING = " \t,;:\"'“”‘’*_`"
_FEW = frozenset({"a", "an", "and", "at", "for", "in", "of", "on", "or", "our", "the", "this", "to"})
_FORMATS = frozenset({"pdf", "docx", "doc", "md", "markdown", "txt", "html", "htm", "xhtml", "csv", "tsv", "jsonl"})
_CONTENT_ID = re.compile(r"(?P<label>.+)-[0-9a-f]{6}(?:-\d+)?")
_LONGEST_RANGE = 50
_LONGEST_NAME = 8  # words of a document's name in a sentence
_FAR = 120


class Locator(NamedTuple):
    """`kind` is "page", "" for clauses, or what else is counted by itself; any of the labels will do."""

    kind: str
    labels: tuple[str, ...]


class Reference(NamedTuple):
    doc: str
    locators: tuple[Locator, ...]
    written: str


class Bearer(NamedTuple):
    """A passage by all that it can be referred to."""

    name: str
    id: tuple[str, ...]  # its words
    doc: frozenset[str]  # words of its document's names
    names: frozenset[tuple[str, ...]]  # these names, word by word
    labels: frozenset[tuple[str, str]]
    page: int | None
    text: str  # in lower case, lines kept


def references_in(text: str) -> list[Reference]:
    """What a citation refers to, if it is nothing but references: "MSA, ss. 4.1 and 4.2; DPA, p. 3"."""
    found: list[Reference] = []
    if "§" not in text and _KIND_WORDS.isdisjoint(_LETTERS.findall(text.lower())):
        return found
    for part in text.replace("\n", ";").split(";"):
        listed = [_parsed(one.strip(_DRESSING)) for one in part.split(", ")]  # "MSA s. 4.2, DPA s. 3"
        parsed = [one for several in listed for one in several] if all(listed) else _parsed(part.strip(_DRESSING))
        if not parsed:
            return []
        for one in parsed:
            found.append(one if one.doc or not found else one._replace(doc=found[-1].doc))
    return found


def _parsed(text: str) -> list[Reference]:
    places = list(_LOCATOR.finditer(text))
    if not places or any(text[a.end() : b.start()].strip(" ,") for a, b in pairwise(places)):
        return []
    before, after = _name(text[: places[0].start()]), text[places[-1].end() :]
    of = _OF.fullmatch(after)
    if after.strip(_DRESSING + ".") and not (of and not before) and not _TITLE.fullmatch(after):
        return []
    doc = _name(of["doc"]) if of and not before else before
    locators = [_alternatives(place) for place in places]
    if len(locators) > 1:  # "s. 4.2, p. 12": both have to be so
        return [Reference(doc, tuple(Locator(one[0].kind, tuple(i for o in one for i in o.labels)) for one in locators),
                          " ".join(text.split()))]  # fmt: skip
    return [Reference(doc, (one,), _written(doc, one)) for one in locators[0]]


def _alternatives(place: re.Match[str]) -> list[Locator]:
    """A list of labels are several citations, a range of them is one."""
    word = (place["kind"] or "").lower()
    kind = "page" if word in _PAGES else _OTHERS.get(word, "")
    return [Locator(kind, tuple(_range(part, kind))) for part in _APART_BY.split(place["labels"]) if part]


def _range(part: str, kind: str) -> list[str]:
    ends = [re.sub(r"\s", "", end).lower() for end in _DASH.split(part)]
    if kind == "page" and len(ends) == 2 and all(map(str.isdecimal, ends)):
        first, last = map(int, ends)
        return [str(page) for page in range(first, min(last, first + _LONGEST_RANGE) + 1)] or ends
    return ends


def _written(doc: str, locator: Locator) -> str:
    words = {"page": "p. ", "": "s. "}.get(locator.kind, f"{locator.kind} ")
    label = f"{words}{'-'.join(dict.fromkeys((locator.labels[0], locator.labels[-1])))}"
    return f"{doc}, {label}" if doc else label


def _name(text: str) -> str:
    text = text.strip(_DRESSING)
    while match := _LEADING.match(f"{text} "):
        text = text[match.end() :].strip(_DRESSING)
    return re.sub(r"[,\s]+(?:at|in)$", "", text)


def bearers_of(names: Sequence[str], passages: Sequence[Passage]) -> list[Bearer]:
    """Of gold passages nothing but their ids may be known."""
    known = passages if len(passages) == len(names) else [Passage(name) for name in names]
    return list(map(_bearer, names, known))


@lru_cache(maxsize=4_096)
def _bearer(name: str, passage: Passage) -> Bearer:
    file = document_in(passage.id) or passage.id
    place = passage.id[len(file) + 1 :]
    base = file.rpartition("/")[2]
    names = frozenset(filter(None, (tuple(_words(one)) for one in (passage.doc, file, base, base.rpartition(".")[0]))))
    words = frozenset(word for one in names for word in one) | _initials(passage.doc)
    match = _CONTENT_ID.fullmatch(place)
    said = f"{match['label']}." if match else place
    labels = frozenset(labels_in(passage.text or said))
    return Bearer(name, tuple(_words(passage.id)), words, names, labels, passage.page, passage.text.lower())


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\d+|[^\W\d_]+", text.lower()) if word not in _FEW and word not in _PAGES]


def _initials(title: str) -> frozenset[str]:
    """ "MSA" of "Brenmark Master Services Agreement": those of any words that follow each other."""
    letters = "".join(word[0] for word in _words(title))[:40]
    return frozenset(letters[start:end] for start in range(len(letters)) for end in range(start + 2, start + 6))


def followed(reference: Reference, bearers: Sequence[Bearer]) -> tuple[str, ...]:
    """The passages it leads to; none if it leads nowhere."""
    there = _of_document(reference.doc, bearers) if reference.doc else bearers
    found = tuple(one.name for one in there if all(_bears(one, locator) for locator in reference.locators))
    return found or tuple(one.name for one in bearers if one.page is None and one.id in _paged(reference))


def _paged(reference: Reference) -> set[tuple[str, ...]]:
    """What an id may be that says its document and its page: `plan#p4`."""
    pages = [one.labels for one in reference.locators if one.kind == "page"] if reference.doc else []
    return {(*_words(reference.doc), page) for labels in pages for page in labels}


def kept(reference: Reference, named: Sequence[Bearer]) -> tuple[str, ...]:
    """Of passages that are named by id or place, those that what is known of them does not gainsay."""
    return tuple(
        one.name for one in named if all(_bears(one, own) or _is_silent(one, own) for own in reference.locators)
    )


def _is_silent(one: Bearer, locator: Locator) -> bool:
    return one.page is None if locator.kind == "page" else not one.labels


def _of_document(doc: str, bearers: Sequence[Bearer]) -> list[Bearer]:
    """Those whose document is called so; if none is, those whose document's name has all these words."""
    words = tuple(_words(doc))
    exact = [one for one in bearers if words in one.names]
    return exact or [one for one in bearers if words and _all_in(words, one.doc)]


def _all_in(words: Sequence[str], doc: frozenset[str]) -> bool:
    return all(word in doc or (word in _FORMATS and doc.isdisjoint(_FORMATS)) for word in words) and not (
        _FORMATS.issuperset(words)
    )


def _bears(one: Bearer, locator: Locator) -> bool:
    if locator.kind == "page":
        return one.page is not None and str(one.page) in locator.labels
    return any(_bears_label(one, locator.kind, label) for label in locator.labels)


def _bears_label(one: Bearer, kind: str, label: str) -> bool:
    """A section is there if a part of it is: "4" where "4.2" is. An item has to stand in the text, if there is one."""
    number, *items = label.rstrip(")").replace(")", "").split("(")
    labels = [known for of, known in one.labels if of == kind]
    if not any(known == number or known.startswith(f"{number}.") for known in labels):
        return False
    return not one.text or all(
        re.search(rf"(?:\(|^\s*){re.escape(item)}[.)]", one.text, re.MULTILINE) for item in items
    )


def is_invented(reference: Reference, bearers: Sequence[Bearer]) -> bool:
    """Whether a reference that leads nowhere was meant as a citation, rather than taken over from a passage."""
    texts = [one.text for one in bearers if one.text]
    kinds = {locator.kind for locator in reference.locators}
    if kinds == {"page"}:
        return bool(reference.doc) or any(one.page is not None for one in bearers)
    if is_quoted(reference.written, bearers):
        return False
    if reference.doc and _of_document(reference.doc, bearers):
        return bool(texts) or kinds == {""}
    return bool(texts) and kinds.isdisjoint(_LOOSE) and not any(_mentions(text, reference) for text in texts)


def _mentions(text: str, reference: Reference) -> bool:
    labels = {label.partition("(")[0] for locator in reference.locators for label in locator.labels}
    return any(re.search(rf"(?<![\w.]){re.escape(label)}(?![\w]|\.\d)", text) for label in labels)


def is_quoted(written: str, bearers: Sequence[Bearer]) -> bool:
    """What a passage says itself is no citation, but a part of what is cited."""
    return any(written.lower() in one.text for one in bearers)


def in_sentences(text: str, bearers: Sequence[Bearer]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """References in running text, with start and end: those that name a document beside them and lead to a passage."""
    for place in _LOCATOR.finditer(text):
        locator = _alternatives(place)[0]
        if locator.kind != "page" and not any(_bears(one, locator) for one in bearers):
            continue
        for start, end, doc in _documents_beside(text, place):
            if ids := followed(Reference(doc, (locator,), ""), bearers):
                if not is_quoted(text[start:end], bearers):
                    yield start, end, ids
                break


def _documents_beside(text: str, place: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """What may be the name of a document behind or before a label, the longest first."""
    start, end = place.span()
    if of := re.compile(r",?\s(?:of|in)\s(?:the\s)?").match(text, end):
        words = list(re.finditer(r"[^\s,;:()\[\]]+", text[of.end() : of.end() + _FAR].partition("\n")[0]))
        for word in reversed(words[:_LONGEST_NAME]):
            name = text[of.end() : of.end() + word.end()]
            yield start, of.end() + word.end(), name.rstrip(".!?")
    before = text[max(0, start - _FAR) : start].rpartition("\n")[2]
    words = list(re.finditer(r"[^\s,;:()\[\]]+", before))
    for word in words[-_LONGEST_NAME:]:
        yield start - len(before) + word.start(), end, before[word.start() :]


@lru_cache(256)  # the same few refusals come again and again
def may_refer(text: str) -> bool:
    """Told fast of a long text: whether "§" or a word such as "section" stands in it."""
    return "§" in text or not _TOKENS.isdisjoint(text.lower().split())
