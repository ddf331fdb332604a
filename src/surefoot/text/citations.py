"""Which sources does an answer cite?

Three written forms are read, in this order, and their ids joined:

    citations: [a, b]        a labelled list: commas, semicolons, spaces, quotes, bold, with or without brackets
    ... text [a] [^b] [a, b] inline marks; a number counts the retrieved passages from 1, also as [Source 2] or [1-3],
                             unless a footnote says what it stands for ("[1] a")
    ... text (doc, p. 4)     document and page or label (`references`); (see id), (passage 2) only where there is such a
                             passage

None means the text has no citation at all; an empty tuple means it has an empty list (`citations: []`).
Ids that stand in `known` (retrieved or gold) are recognised whatever they look like; any other inline mark
must look like an id (no spaces, a digit in it), so that "[sic]" and "[emphasis added]" are not citations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from surefoot.core.types import Passage, document_in
from surefoot.text.normal import PARTS, WORDS, lowered

_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_SECTION = re.compile(
    rf"(?:(?P<kind>section|article|clause|part|chapter|schedule|annex|appendix|exhibit|item|sec\.|art\.|§{{1,2}})\s*"
    rf"(?P<named>{_NUMBER}[A-Z]?|[IVXLC]{{1,7}}|[A-Z])|(?P<bare>{_NUMBER}))(?P<end>[.):]|(?=\s|$))",
    re.IGNORECASE,
)
ITEM = re.compile(r"\((?P<item>[a-z]{1,4}|[A-Z]|\d{1,3})\)\s|(?P<letter>[a-z])[.)]\s|[•◦▪‣*–-]\s")
APART = frozenset({"part", "chapter", "schedule", "annex", "appendix", "exhibit"})  # each counted by itself


def label_of(text: str) -> str:
    """The label a paragraph bears in its document: "4.2" of "4.2 Late payments", "IV" of "ARTICLE IV. TERM"."""
    match = _SECTION.match(text)
    return "" if match is None else _label(match)


def _label(match: re.Match[str]) -> str:
    label = match["named"] or match["bare"]
    if match["named"] is None and "." not in label and not match["end"]:
        return ""  # "30 days after": a number, not a label
    return str(label)


def item_of(text: str) -> str:
    """The letter of an item in a list: "a" of "(a) the Supplier"."""
    match = ITEM.match(text)
    return "" if match is None else match["item"] or match["letter"] or ""


def labels_in(text: str) -> Iterator[tuple[str, str]]:
    """The labels its lines begin with: what they count ("schedule", or "" for sections and the like), and which."""
    for line in text.splitlines():
        match = _SECTION.match(line.strip().lstrip("#*_ "))
        if match is not None and (label := _label(match)):
            kind = (match["kind"] or "").lower()
            yield kind if kind in APART else "", label.lower()


_PAGES, _CLAUSES = WORDS["pages"].split(), WORDS["clauses"].split()
_OTHERS = dict(pair.split(":") for pair in WORDS["places"].split()) | {kind: kind for kind in APART}
_LOOSE = frozenset({"part", "chapter"})  # words that often point to no document
_ITEMS = r"(?:\s?\((?:[a-z]{1,4}|\d{1,2})\))*"
_SECTION_NUMBER = rf"\d{{1,6}}(?:\.\d{{1,3}}){{0,5}}[A-Z]?(?![\w%]|\.\d){_ITEMS}"
_LABEL = rf"(?:{_SECTION_NUMBER}|(?:[IVXLC]{{1,7}}|[A-Z])(?!\w){_ITEMS})"
_KINDS = (*_PAGES, *_CLAUSES, *_OTHERS)
_WORDS = "|".join(sorted(_KINDS, key=len, reverse=True))
_LOCATOR = re.compile(
    rf"(?:(?P<sign>§{{1,2}})\s{{0,2}}|(?<![^\W_])(?P<kind>(?i:{_WORDS}))(?:\.\s{{0,2}}|\s{{1,2}}))"
    rf"(?P<labels>{_LABEL}(?:(?:\s?[-–]\s?|\s(?:and|to|or|&)\s|,\s?(?:and\s)?(?=\d)){_SECTION_NUMBER}){{0,9}})"
)
_KIND_WORDS, _BEFORE_LABEL = frozenset(_KINDS), re.compile(r"(?<![a-z])([a-z]+)[.\s]")
_DASH = re.compile(r"\s?[-–]\s?|\sto\s")
_APART_BY = re.compile(r"\s(?:and|or|&)\s|,\s?(?:and\s)?")
_LEADING = re.compile(r"(?:see also|see|cf\.?|per|as per|under|in|at|sources?:|ref:|the)\s+", re.IGNORECASE)
_OF = re.compile(r",?\s+(?:of|in|from)\s+(?:the\s+)?(?P<doc>\S.{0,118})")
_TITLE = re.compile(r"\s?[:–—-]\s.{1,80}|\s?\([^()]{1,80}\)")
_DRESSING = " \t,;:\"'“”‘’*_`"
_FEW = frozenset({"a", "an", "and", "at", "for", "in", "of", "on", "or", "our", "the", "this", "to"})
_CONTENT_ID = re.compile(r"(?P<label>.+)-[0-9a-f]{6}(?:-\d+)?")
_LONGEST_RANGE = 50


class Reference(NamedTuple):
    """Every place has to fit: what is counted ("page", "" for clauses, or "schedule" and the like), and labels of which
    any will do."""

    doc: str
    places: tuple[tuple[str, tuple[str, ...]], ...]
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
    if "§" not in text and _KIND_WORDS.isdisjoint(_BEFORE_LABEL.findall(text.lower())):
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
    found = list(_LOCATOR.finditer(text))
    if not found or any(text[a.end() : b.start()].strip(" ,") for a, b in pairwise(found)):
        return []
    before, after = _name(text[: found[0].start()]), text[found[-1].end() :]
    of = _OF.fullmatch(after)
    if after.strip(_DRESSING + ".") and not (of and not before) and not _TITLE.fullmatch(after):
        return []
    doc = _name(of["doc"]) if of and not before else before
    several = [_places(one) for one in found]
    if len(several) > 1:  # "s. 4.2, p. 12": both have to be so
        every = tuple((places[0][0], tuple(i for _, labels in places for i in labels)) for places in several)
        return [Reference(doc, every, " ".join(text.split()))]
    return [Reference(doc, (one,), f"{doc}, {_written(*one)}" if doc else _written(*one)) for one in several[0]]


def _places(locator: re.Match[str]) -> list[tuple[str, tuple[str, ...]]]:
    """A list of labels are several citations, a range of them is one."""
    word, places = (locator["kind"] or "").lower(), []
    kind = "page" if word in _PAGES else _OTHERS.get(word, "")
    for part in filter(None, _APART_BY.split(locator["labels"])):
        labels = [re.sub(r"\s", "", end).lower() for end in _DASH.split(part)]
        if kind == "page" and len(labels) == 2 and all(map(str.isdecimal, labels)):
            first, last = map(int, labels)
            labels = [str(page) for page in range(first, min(last, first + _LONGEST_RANGE) + 1)] or labels
        places.append((kind, tuple(labels)))
    return places


def _written(kind: str, labels: tuple[str, ...]) -> str:
    lead = {"page": "p. ", "": "s. "}.get(kind, f"{kind} ")
    return f"{lead}{'-'.join(dict.fromkeys((labels[0], labels[-1])))}"


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
    """The passages it leads to, also by an id that says document and page (`plan#p4`); none if it leads nowhere."""
    doc, places = reference.doc, reference.places
    there = _of_document(doc, bearers) if doc else bearers
    found = tuple(one.name for one in there if all(_bears(one, *place) for place in places))
    ids = {(*_words(doc), page) for kind, labels in places if doc and kind == "page" for page in labels}
    return found or tuple(one.name for one in bearers if one.page is None and one.id in ids)


def _of_document(doc: str, bearers: Sequence[Bearer]) -> list[Bearer]:
    """Those whose document is called so; if none is, those whose document's name has all these words."""
    words = tuple(_words(doc))
    exact = [one for one in bearers if words in one.names]
    return exact or [one for one in bearers if words and one.doc.issuperset(words)]


def _bears(one: Bearer, kind: str, labels: tuple[str, ...]) -> bool:
    """A section is there if a part of it is: "4" where "4.2" is."""
    if kind == "page":
        return one.page is not None and str(one.page) in labels
    wanted = {label.partition("(")[0] for label in labels}
    known = [label for counted, label in one.labels if counted == kind]
    return any(label == number or label.startswith(f"{number}.") for label in known for number in wanted)


def is_invented(reference: Reference, bearers: Sequence[Bearer]) -> bool:
    """Whether a reference that leads nowhere was meant as a citation, rather than taken over from a passage."""
    texts = [one.text for one in bearers if one.text]
    kinds = {kind for kind, _ in reference.places}
    if kinds == {"page"}:
        return bool(reference.doc) or any(one.page is not None for one in bearers)
    if reference.doc and _of_document(reference.doc, bearers):
        return bool(texts) or kinds == {""}
    labels = "|".join({re.escape(label.partition("(")[0]) for _, labels in reference.places for label in labels})
    mentioned = re.compile(rf"(?<![\w.])(?:{labels})(?![\w]|\.\d)")
    return bool(texts) and kinds.isdisjoint(_LOOSE) and not any(map(mentioned.search, texts))


# The label may be bold, bulleted or plural; brackets are optional, the list then ends with the line.
_LABEL_OF_LIST = re.compile(
    r"(?<![^\W_])(?:citations?|sources?|references?)[*_`\"']{0,4}\s{0,4}[:=][*_`]{0,3}"
    r"[ \t]{0,4}(?:\n[ \t]{0,4}(?:[-*•][ \t]{1,4})?)?(?:(?P<open>\[)|(?P<bare>[^\s\[,;]{1,120}))",
    re.IGNORECASE,
)
_LABEL_WORD, _CITED = re.compile("citation|source|reference"), "cited "
_ODD = frozenset("【［ıİſ")  # other brackets; letters that are i or s to an expression that ignores case
_LIST, _BEFORE_LIST = "citations: [", frozenset(" \n-")
_INLINE = re.compile(r"\[\^?([^\[\]\n]{1,200})\](?!\()")
# A passage by its place: `Source 2`, `doc2`, `#2`. The word may also stand before an id, as in `source: a`.
CALLED = PARTS["CALLED"]
_PLACE = re.compile(rf"(?:{CALLED})?[ :#.]{{0,3}}(\d{{1,3}})", re.IGNORECASE)
# What is an id wherever it stands: neither a place nor a reference nor the end of a sentence
_SURE_ID = re.compile(
    rf"(?=\D*\d)(?!(?i:{CALLED})[#]?\d{{1,3}}\Z)[A-Za-z](?:[\w#/-]|(?<=\d)\.(?=\d)){{1,80}}", re.ASCII
)
_LETTERS = re.compile("[a-z]+")
_CITING = frozenset((*_KINDS, *CALLED[3:-3].split("|"), "see", "cf", "per", "from", "compare"))
_CITING |= {f"{word}s" for word in _CITING}
_RANGE = re.compile(r"(\d{1,3}) ?[-–] ?(\d{1,3})")
_WORD_BEFORE = re.compile(rf"(?:see )?{CALLED}(?: ?[:#] ?| )|(?:see|cf\.?|per|from|compare) (?:also )?", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^?(?P<number>\d{1,3})\]:?[ \t]{1,4}(?P<id>[^\s,;\[\]]{1,120}?)(?=[,;.]?(?:\s|$))")
_BRACKETS = str.maketrans("【】［］", "[][]")
_IN_PARENTHESES = re.compile(r"\(((?:[^()\n]|\([^()\n]{1,20}\)){1,200})\)")
_LIST_COMMA = re.compile(r"[,;\n]")
_AND = re.compile(r"[,;]\s*|\s(?:and|&)\s")
_ID = re.compile(r"\d{1,3}|(?!\d+$)(?=\D*\d)\S{1,120}")  # no bare number of four digits: a year or an amount
_QUOTED = re.compile(r"[\"'“‘`]([^\"'“”‘’`\n]{1,200})[\"'”’`]")
_IN_OBJECT = re.compile(r"\"(?:id|source|doc_id|chunk_id|passage_id)\"\s*:\s*\"([^\"\n]{1,200})\"")
_NOTHING = frozenset({"", "none", "n/a", "na", "nil", "null", "-", "—"})
_TRIM = " \t\r\n\"'`*_[](){}“”‘’«»<>^"
_BULLETS = re.compile(r"(?:\n[ \t]*[-*•][ \t]+\S+[ \t]*(?=\n|$))+")
_LIST_LIMIT, _BARE_LIMIT = 20_000, 400  # characters looked at behind one label: keeps the time linear
Passages = Sequence[Passage] | Callable[[], Sequence[Passage]]  # few answers need more of them than their ids


class Mark(NamedTuple):
    """A citation where it stands. A list speaks for the whole answer, an inline mark for what precedes it."""

    start: int
    end: int
    ids: tuple[str, ...]
    is_list: bool


class _Known(Struct):
    """What passages are called: those that were retrieved, in order, and the gold ones."""

    retrieved: Sequence[str]
    gold: Collection[str]
    passages: Passages
    names: set[str]
    footnotes: Mapping[str, str] = {}

    def meant(self, token: str) -> str:
        """`[2]` means the second retrieved passage, unless a footnote or the name of a passage says otherwise."""
        token = self.footnotes.get(token, token)
        is_place = token.isdecimal() and len(token) <= 3 and token not in self.names
        return self.retrieved[int(token) - 1] if is_place and 1 <= int(token) <= len(self.retrieved) else token

    def places(self, part: str) -> list[str]:
        """`doc2`, `#2` and `2-3` may be ids that were made up: they are places only where passages are called so."""
        if match := _PLACE.fullmatch(part):
            is_place = match[1] in self.retrieved or not _ID.fullmatch(part) or part.isdecimal()
            return [self.meant(match[1])] if is_place else []
        match = _RANGE.fullmatch(part)
        if match is None or any(map(_RANGE.fullmatch, self.retrieved)):
            return []
        meant = [self.meant(str(number)) for number in range(int(match[1]), int(match[2]) + 1)]
        return meant if all(name in self.retrieved for name in meant) else []

    def referred(self, raw: str) -> list[str]:
        """What references lead to, each to all passages it fits; one that was made up is named as it is written."""
        found = references_in(raw)
        if not found:
            return []
        passages = self.passages() if callable(self.passages) else self.passages
        bearers = bearers_of(self.retrieved, passages)
        if not any(one.doc for one in found) and any(f"({raw})".lower() in one.text for one in bearers):
            return []  # what a passage says itself
        ids: list[str] = []
        for one in found:
            named = [i for i in self.inline(one.doc) if i in self.retrieved]
            reached = named or followed(one, bearers) or followed(one, bearers_of(sorted(self.gold), ()))
            if not reached and not is_invented(one, bearers):
                return []
            ids += reached or [one.written]
        return ids

    def inline(self, raw: str) -> list[str]:
        """What a mark names; nothing where a part of it is neither a name nor a place nor looks like an id."""
        whole = raw.strip()
        if whole in self.names:
            return [whole]
        if whole.isdecimal():
            return [self.meant(whole)] if len(whole) <= 3 else []
        if referred := self.referred(whole):
            return referred
        ids: list[str] = []
        for part in (part.strip(_TRIM) for part in _AND.split(whole)):
            bare = _WORD_BEFORE.sub("", part, count=1) if _WORD_BEFORE.match(part) else part
            is_id = bare in self.names or _ID.fullmatch(bare)
            found = [part] if part in self.names else self.places(part) or ([self.meant(bare)] if is_id else [])
            if not found:
                return []
            ids += found
        return ids

    def listed(self, token: str) -> Sequence[str]:
        """What an entry of a list or field names."""
        if (meant := self.meant(token)) in self.names:
            return [meant]
        if places := self.places(token):
            return places
        referred = self.referred(token)
        return [meant] if self.names.isdisjoint(referred) else referred


def parse(
    answer: str, retrieved: Sequence[str] = (), gold: Collection[str] = (), passages: Passages = ()
) -> tuple[str, ...] | None:
    """The distinct ids an answer text cites, in order; `passages` are the retrieved ones, in their order."""
    if not ("[" in answer or "(" in answer or ":" in answer or "=" in answer or "【" in answer or "［" in answer):
        return None
    names = {*retrieved, *gold}
    if (ids := _plainly_cited(answer, names)) is None:
        found = locate(answer, retrieved, gold, passages)
        return tuple(dict.fromkeys([i for mark in found for i in mark.ids])) if found else None
    return tuple(ids if len(ids) == 1 else dict.fromkeys(ids)) if ids else None


def _plainly_cited(answer: str, names: set[str]) -> list[str] | None:
    """The ids in brackets, or in `citations: [a, b]` at the end, if a look shows all that the answer can mean; None
    where it takes `locate` to tell."""
    body, ids = answer, []
    if answer[-1] == "]" and (start := answer.rfind(_LIST)) > 0 and answer[start - 1] in _BEFORE_LIST:
        body, ids = answer[:start], answer[start + len(_LIST) : -1].split(", ")
        if not names.issuperset(ids) and not all(one in names or _SURE_ID.fullmatch(one) for one in ids):
            return None
    low = body.lower() if ":" in body or "=" in body else ""
    is_odd = not body.isascii() and not _ODD.isdisjoint(body)
    if is_odd or "citation" in low or "source" in low or "reference" in low:
        return None
    if "(" in body and not _are_asides(body, names):
        return None
    if "[" in body:
        marks = _INLINE.findall(body)
        if any(map(str.isdecimal, marks)):
            return None
        if not names.issuperset(marks) and not all(one in names or _SURE_ID.fullmatch(one) for one in marks):
            return None
        ids += marks
    return ids


def _are_asides(body: str, names: set[str]) -> bool:
    """True where nothing in parentheses can be a citation."""
    insides = _IN_PARENTHESES.findall(body)
    return body.count("(") == len(insides) and not any(
        "[" in one or "§" in one or not _CITING.isdisjoint(_LETTERS.findall(one.lower()))
        or any(name in one for name in names) for one in insides
    )  # fmt: skip


def resolve(
    ids: Sequence[str], retrieved: Sequence[str], gold: Collection[str] = (), passages: Passages = ()
) -> tuple[str, ...]:
    """Ids as a citation field gives them: trimmed, distinct, ordinals turned into the passage they count."""
    known = _Known(retrieved, gold, passages, {*retrieved, *gold})
    return tuple(dict.fromkeys(found for i in map(str.strip, ids) if i for found in known.listed(i)))


def locate(
    answer: str, retrieved: Sequence[str] = (), gold: Collection[str] = (), passages: Passages = ()
) -> list[Mark]:
    """All citations of an answer text: lists first, then inline marks, each in order."""
    answer = answer.translate(_BRACKETS) if not answer.isascii() and ("【" in answer or "［" in answer) else answer
    has_brackets, has_parentheses, has_label = "[" in answer, "(" in answer, ":" in answer or "=" in answer
    if not (has_brackets or has_parentheses or has_label):
        return []
    known = _Known(retrieved, gold, passages, {*retrieved, *gold})
    body, lists, inline = answer, list[Mark](), list[Mark]()
    if has_brackets and (notes := [note for note in _FOOTNOTE.finditer(answer) if note["id"] in known.names]):
        known.footnotes = {note["number"]: note["id"] for note in notes}
        body = blanked(answer, [Mark(*note.span(), (), True) for note in notes])
        used = {mark.lstrip("^") for mark in _INLINE.findall(body)}
        lists = [Mark(*note.span(), () if note["number"] in used else (note["id"],), True) for note in notes]
    if has_label and (labelled := _labelled_lists(body, known)):
        lists = sorted(lists + labelled)
    if lists:
        is_tail = len(lists) == 1 and lists[0].end == len(answer)
        body = answer[: lists[0].start] if is_tail else blanked(body, lists)
    for match in _INLINE.finditer(body) if has_brackets else ():
        if ids := known.inline(match[1]):
            inline.append(Mark(match.start(), match.end(), tuple(ids), False))
    if has_parentheses and "(" in body:
        for match in _IN_PARENTHESES.finditer(blanked(body, inline) if inline else body):
            if ids := _in_parentheses(match[1], known):
                inline.append(Mark(match.start(), match.end(), tuple(dict.fromkeys(ids)), False))
        inline.sort()
    return lists + inline


def _in_parentheses(inside: str, known: _Known) -> list[str]:
    """Only what names passages that there are, or refers to a place; "(2)" counts something else."""
    parts = [inside] if inside in known.names else _AND.split(inside)
    if known.names.issuperset(parts) or _WORD_BEFORE.match(inside):
        named = [known.inline(part) for part in parts]
        if all(ids and known.names.issuperset(ids) for ids in named):
            return [i for ids in named for i in ids]
    return known.referred(inside)


def blanked(answer: str, marks: Iterable[Mark]) -> str:
    """The answer with spaces where the marks are, given in their order, so that positions stay."""
    pieces, at = [], 0
    for mark in marks:
        left = max(at, mark.start)
        pieces += [answer[at:left], " " * (mark.end - left)]
        at = max(at, mark.end)
    return "".join(pieces) + answer[at:]


def split_list(raw: str, known: Container[object] = ()) -> list[str]:
    """The ids in the inside of a written list."""
    if raw in known:
        return [raw]
    if '"' in raw and (found := _IN_OBJECT.findall(raw)):
        return list(found)
    if quoted := _QUOTED.findall(raw):
        return [one.strip() for one in quoted]
    ids: list[str] = []
    for part in _LIST_COMMA.split(raw):
        part = part.strip(_TRIM).removeprefix("- ").removeprefix("• ")
        ids.extend([part] if part in known else (word.strip(_TRIM) for word in part.split()))
    return [i for i in ids if i.lower() not in _NOTHING]


def _labelled_lists(answer: str, known: _Known) -> list[Mark]:
    # The expression for a label would be tried at every character, so only words that it may begin with are looked at.
    lists, end, low = list[Mark](), 0, lowered(answer)
    for word in _LABEL_WORD.finditer(low):
        label = _LABEL_OF_LIST.match(answer, word.start()) if word.start() >= end else None
        if label is None:
            continue
        start, is_open = label.start(), label["open"] is not None
        start -= len(_CITED) if low.endswith(_CITED, end, start) else 0
        before = answer[max(0, start - 80) : start].rpartition("\n")[2]
        if before[-1:] in ("[", "(") and any(map(str.isalnum, before)):
            end = label.end()  # `... text [source: a]`
            continue
        end = _closing(answer, label.end()) if is_open else _line_end(answer, label.end(), _BARE_LIMIT)
        found = _list_ids(label["bare"], answer[label.end() : end], known)
        if found is None:
            end = label.end()
        else:
            lists.append(Mark(start, min(end + is_open, len(answer)), tuple(found), True))
    return lists


def _list_ids(bare: str | None, rest: str, known: _Known) -> list[str] | None:
    """The ids behind a label; None when the words behind one without a bracket, the first of them `bare`, are prose."""
    written = (bare or "") + rest
    ids = [i if i in known.names or bare is None else i.rstrip(".") for i in split_list(written, known.names)]
    if bare is None and known.names.issuperset(ids):
        return ids
    if referred := known.referred(written):
        return referred
    if bare is not None:
        first = bare.strip(_TRIM + ".")
        if first.lower() in _NOTHING:
            return []
        if not all(i in known.names or _ID.fullmatch(i) for i in (first, *ids)):
            return None
    return [one for i in ids for one in known.listed(i)]


def _line_end(answer: str, start: int, limit: int) -> int:
    """The end of the line; lines behind it that are nothing but a bullet and a word go with it."""
    end = answer.find("\n", start, start + limit)
    further = _BULLETS.match(answer, end, start + limit) if end >= 0 else None
    return min(len(answer), start + limit) if end < 0 else further.end() if further else end


def _closing(answer: str, start: int) -> int:
    """Where the list that opened before `start` ends: lists of lists end with their last bracket."""
    end = answer.find("]", start, start + _LIST_LIMIT)
    if end < 0:
        return _line_end(answer, start, _LIST_LIMIT)
    while answer[end + 1 : end + 40].lstrip(" ,;").startswith(("[", "]")):
        following = answer.find("]", end + 1, end + _LIST_LIMIT)
        if following < 0:
            break
        end = following
    return end
