"""Which sources does an answer cite?

Three written forms are read, in this order, and their ids joined:

    citations: [a, b]        a labelled list: commas, semicolons, spaces, quotes, bold, with or without brackets
    ... text [a] [^b] [a, b] inline marks; a number counts the retrieved passages from 1, also as [Source 2] or [1-3],
                             unless a footnote says what it stands for ("[1] a")
    ... text (doc, p. 4)     document and page or label (`references`); (see id), (passage 2) only where there is such a
                             passage; "page 4 of the doc" in a sentence only where there is no other citation

None means the text has no citation at all; an empty tuple means it has an empty list (`citations: []`).
Ids that stand in `known` (retrieved or gold) are recognised whatever they look like; any other inline mark
must look like an id (no spaces, a digit in it), so that "[sic]" and "[emphasis added]" are not citations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text import references
from surefoot.types import Passage

if TYPE_CHECKING:  # pipelines cite without it, and without numpy
    import numpy as np
    from numpy.typing import NDArray

    from surefoot.text.scan import Texts

# The label may be bold, bulleted or plural; brackets are optional, the list then ends with the line.
_LABEL_WORDS = ("citation", "cited", "source", "reference")
_LABEL = re.compile(
    r"(?<![^\W_])(?:citations?|cited sources?|sources?|references?)[*_`\"']{0,4}\s{0,4}[:=][*_`]{0,3}"
    r"[ \t]{0,4}(?:\n[ \t]{0,4}(?:[-*•][ \t]{1,4})?)?(?:(?P<open>\[)|(?P<bare>[^\s\[,;]{1,120}))",
    re.IGNORECASE,
)
_INLINE = re.compile(r"\[\^?([^\[\]\n]{1,200})\](?!\()")
# A passage by its place: `Source 2`, `doc2`, `#2`. The word may also stand before an id, as in `source: a`.
CALLED = r"(?:source|context|document|doc|passage|chunk|excerpt|snippet|citation|reference|ref)s?"
_PLACE = re.compile(rf"(?:{CALLED})?[ :#.]{{0,3}}(\d{{1,3}})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3}) ?[-–] ?(\d{1,3})")
_WORD_BEFORE = re.compile(rf"(?:see )?{CALLED}(?: ?[:#] ?| )|(?:see|cf\.?|per|from|compare) (?:also )?", re.IGNORECASE)
_FOOTNOTE = re.compile(r"\[\^?(?P<number>\d{1,3})\]:?[ \t]{1,4}(?P<id>[^\s,;\[\]]{1,120}?)(?=[,;.]?(?:\s|$))")
_BRACKETS = str.maketrans("【】［］", "[][]")
_IN_PARENTHESES = re.compile(r"\(([^()\n]{1,200})\)")
_AND = re.compile(r"[,;]\s*|\s(?:and|&)\s")
_REFERRING = re.compile(r"\(((?:[^()\n]|\([^()\n]{1,20}\)){1,200})\)")
_ID = re.compile(r"\d{1,3}|(?!\d+$)(?=\D*\d)\S{1,120}")
_QUOTED = re.compile(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|“([^”\n]{1,200})”|‘([^’\n]{1,200})’|`([^`\n]{1,200})`")
_IN_OBJECT = re.compile(r"\"(?:id|source|doc_id|chunk_id|passage_id)\"\s*:\s*\"([^\"\n]{1,200})\"")
_NOTHING = frozenset({"", "none", "n/a", "na", "nil", "null", "-", "—"})
_TRIM = " \t\r\n\"'`*_[](){}“”‘’«»<>^"
_QUOTES = frozenset("\"'`“”‘’")
_SIGNS = ":[(=【［"  # without any of these there is no citation, but for words such as "section"
_LISTED = "itations: ["
UNREAD = ""  # no passage is called so
_BULLETS = re.compile(r"(?:\n[ \t]*[-*•][ \t]+\S+[ \t]*(?=\n|$))+")
_LIST_LIMIT, _BARE_LIMIT = 20_000, 400  # characters looked at behind one label: keeps the time linear


def parse(
    answer: str, retrieved: Sequence[str] = (), gold: Collection[str] = (), passages: Sequence[Passage] = ()
) -> tuple[str, ...] | None:
    """The distinct ids an answer text cites, in order; `passages` are the retrieved ones, in their order."""
    only = _only_list(answer, retrieved, gold)
    if only is not None:
        return (only,)
    if _has_no_sign(answer) and not (passages and references.may_refer(answer)):
        return None
    marks = locate(answer, retrieved, gold, passages)
    return tuple(dict.fromkeys(i for mark in marks for i in mark.ids)) if marks else None


Cited = str | tuple[str, ...] | None  # a single id may stand for itself


def ids_in(cited: Cited) -> tuple[str, ...] | None:
    return (cited,) if isinstance(cited, str) else cited


def parse_all(answers: Sequence[str], texts: Texts, has_passages: NDArray[np.bool_]) -> list[Cited]:
    """What `parse` gives for each of many answers without a sign of a citation, with a single list at the end, or with
    inline marks, if that is known ids alone; UNREAD where `parse` has to read."""
    ends, joined, signs = texts.ends, texts.joined, texts.first_of(_SIGNS)
    labels = signs - len(_LISTED) + 3
    is_list = texts.stand_at(_LISTED, labels) & (labels > texts.starts) & (texts.characters[ends - 1] == ord("]"))
    found: list[Cited] = [
        joined[start:end] for start, end in zip((signs + 3).tolist(), (ends - 1).tolist(), strict=True)
    ]
    has_sign = signs < ends
    for number in (~has_sign).nonzero()[0].tolist():
        found[number] = UNREAD if has_passages[number] and references.may_refer(answers[number]) else None
    for number in (has_sign & ~is_list).nonzero()[0].tolist():
        found[number] = _inline(answers[number])
    return found


def _inline(answer: str) -> Cited:
    if "(" in answer or _has_wide(answer) or _first_label_word(answer) >= 0:
        return UNREAD
    return tuple(dict.fromkeys(map(str.strip, _INLINE.findall(answer)))) or UNREAD


def _only_list(answer: str, retrieved: Sequence[str], gold: Collection[str]) -> str | None:
    """The known id in `citations: [id]`, with which an answer ends: by far the commonest form, told from all others
    without a single regular expression."""
    if not answer.endswith("]") or (at := answer.find(_LISTED)) <= 0:
        return None
    head, only = answer[: at - 1], answer[at + len(_LISTED) : -1]
    is_one = (only in gold or only in retrieved) and ":" not in head and "[" not in head and "(" not in head
    return only if is_one else None


class _Known(Struct, frozen=True):
    """What passages are called: those that were retrieved, in order, and the gold ones."""

    retrieved: Sequence[str]
    gold: Collection[str]
    passages: Sequence[Passage] = ()
    footnotes: Mapping[str, str] = {}

    def __contains__(self, name: object) -> bool:
        return name in self.retrieved or name in self.gold

    def meant(self, token: str) -> str:
        """`[2]` means the second retrieved passage, unless a footnote or the name of a passage says otherwise."""
        token = self.footnotes.get(token, token)
        is_place = token.isdecimal() and len(token) <= 3 and token not in self
        return self.retrieved[int(token) - 1] if is_place and 1 <= int(token) <= len(self.retrieved) else token

    def referred(self, raw: str) -> list[str]:
        """What references lead to, each to all passages it fits; one that was made up is named as it is written."""
        found = references.references_in(raw)
        if not found:
            return []
        bearers = references.bearers_of(self.retrieved, self.passages)
        if not any(one.doc for one in found) and references.is_quoted(f"({raw})", bearers):
            return []
        ids: list[str] = []
        for one in found:
            reached = self._reached(one, bearers)
            if not reached and not references.is_invented(one, bearers):
                return []
            ids += reached or [one.written]
        return ids

    def _reached(self, one: references.Reference, bearers: list[references.Bearer]) -> Sequence[str]:
        named = _inline_ids(one.doc, self)
        if named and all(name in self.retrieved for name in named):
            return references.kept(one, [bearer for bearer in bearers if bearer.name in named])
        gold = references.bearers_of(sorted(self.gold), ())
        return references.followed(one, bearers) or references.followed(one, gold)


class Mark(NamedTuple):
    """A citation where it stands. A list speaks for the whole answer, an inline mark for what precedes it."""

    start: int
    end: int
    ids: tuple[str, ...]
    is_list: bool
    in_words: bool = False  # a part of its sentence, which is none without it


def locate(
    answer: str, retrieved: Sequence[str] = (), gold: Collection[str] = (), passages: Sequence[Passage] = ()
) -> list[Mark]:
    """All citations of an answer text: lists first, then inline marks, each in order."""
    answer = answer.translate(_BRACKETS) if _has_wide(answer) else answer
    known = _Known(retrieved, gold, passages)
    notes = [note for note in _FOOTNOTE.finditer(answer) if note["id"] in known] if "[" in answer else []
    body, inline = answer, list[Mark]()
    if notes:
        known = replace(known, footnotes={note["number"]: note["id"] for note in notes})
        body = blanked(answer, [Mark(*note.span(), (), True) for note in notes])
    used = {mark.lstrip("^") for mark in _INLINE.findall(body)} if notes else ()
    lists = [Mark(*note.span(), () if note["number"] in used else (note["id"],), True) for note in notes]
    lists = sorted(lists + _labelled_lists(body, known))
    body = blanked(body, lists) if lists else body
    if "[" in body:
        for match in _INLINE.finditer(body):
            if ids := _inline_ids(match[1], known):
                inline.append(Mark(match.start(), match.end(), tuple(ids), False))
    if "(" in body:
        for match in _IN_PARENTHESES.finditer(body):
            parts = [match[1]] if match[1] in known else _AND.split(match[1])
            if not _WORD_BEFORE.match(match[1]) and not all(part in known for part in parts):
                continue  # "(2)" counts something else
            named = [i for part in parts for i in _inline_ids(part, known) or [UNREAD]]
            if all(i in known for i in named):
                inline.append(Mark(match.start(), match.end(), tuple(named), False))
        for match in _REFERRING.finditer(blanked(body, sorted(inline)) if inline else body):
            if referred := known.referred(match[1]):
                inline.append(Mark(match.start(), match.end(), tuple(dict.fromkeys(referred)), False))
    if passages and not lists and not inline and references.may_refer(body):
        found = references.in_sentences(body, references.bearers_of(retrieved, passages))
        return [Mark(start, end, ids, False, in_words=True) for start, end, ids in found]
    return lists + sorted(inline)


def _has_no_sign(answer: str) -> bool:
    return "[" not in answer and ":" not in answer and "(" not in answer and "=" not in answer and not _has_wide(answer)


def _has_wide(answer: str) -> bool:
    return "【" in answer or "［" in answer


def blanked(answer: str, marks: Iterable[Mark]) -> str:
    """The answer with spaces where the marks are, given in their order, so that positions stay."""
    pieces, at = [], 0
    for mark in marks:
        if mark.in_words:
            continue
        left = max(at, mark.start)
        pieces += [answer[at:left], " " * (mark.end - left)]
        at = max(at, mark.end)
    return "".join(pieces) + answer[at:]


def resolve(
    ids: Sequence[str], retrieved: Sequence[str], gold: Collection[str] = (), passages: Sequence[Passage] = ()
) -> tuple[str, ...]:
    """Ids as a citation field gives them: trimmed, distinct, ordinals turned into the passage they count."""
    known = _Known(retrieved, gold, passages)
    return tuple(dict.fromkeys(found for i in map(str.strip, ids) if i for found in _meant(i, known)))


def _meant(token: str, known: _Known) -> Sequence[str]:
    meant = known.meant(token)
    if meant not in known and (places := _places_in_range(token, known)):
        return places
    referred = known.referred(token) if meant not in known else []
    return referred if any(i in known for i in referred) else [meant]


def split_list(raw: str, known: Container[object] = ()) -> list[str]:
    """The ids in the inside of a written list."""
    if raw in known:
        return [raw]
    if found := _IN_OBJECT.findall(raw):
        return list(found)
    if not _QUOTES.isdisjoint(raw):
        quoted = [next(filter(None, groups)).strip() for groups in _QUOTED.findall(raw)]
        if quoted:
            return quoted
    ids: list[str] = []
    for part in re.split(r"[,;\n]", raw):
        part = part.strip(_TRIM).removeprefix("- ").removeprefix("• ")
        ids.extend([part] if part in known else (word.strip(_TRIM) for word in part.split()))
    return [i for i in ids if i.lower() not in _NOTHING]


def _labelled_lists(answer: str, known: _Known) -> list[Mark]:
    label = _LABEL.search(answer, at) if (at := _first_label_word(answer)) >= 0 else None
    lists: list[Mark] = []
    while label is not None:
        end = _closing(answer, label.end()) if label["open"] else _line_end(answer, label.end(), _BARE_LIMIT)
        found = None if _is_inline(answer, label.start()) else _list_ids(label, answer[label.end() : end], known)
        if found is None:
            end = label.end()
        else:
            ids = tuple(i for one in found for i in _meant(one, known))
            lists.append(Mark(label.start(), min(end + bool(label["open"]), len(answer)), ids, True))
        label = _LABEL.search(answer, end)
    return lists


def _is_inline(answer: str, start: int) -> bool:
    """True for `... text [source: a]`: a label that opens a bracket behind other words on its line."""
    before = answer[max(0, start - 80) : start].rpartition("\n")[2]
    return before[-1:] in ("[", "(") and any(c.isalnum() for c in before)


def _first_label_word(answer: str) -> int:
    """Where a label could start at the earliest, -1 if nowhere: most answers are told apart by this alone."""
    lowered = answer.lower()
    if len(lowered) != len(answer):
        return 0
    return min((at for word in _LABEL_WORDS if (at := lowered.find(word)) >= 0), default=-1)


def _list_ids(label: re.Match[str], rest: str, known: _Known) -> list[str] | None:
    """The ids behind a label; None when the words behind an unbracketed one are plain prose."""
    written = rest if label["open"] else label["bare"] + rest
    if written.strip() not in known and (referred := known.referred(written)):
        return referred
    if label["open"]:
        return split_list(rest, known)
    first = label["bare"].strip(_TRIM + ".")
    if first.lower() in _NOTHING:
        return []
    if first not in known and not _looks_like_id(first):
        return None
    ids = [i if i in known else i.rstrip(".") for i in split_list(label["bare"] + rest, known)]
    return ids if all(i in known or _looks_like_id(i) for i in ids) else None


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


def _inline_ids(raw: str, known: _Known) -> list[str]:
    whole = raw.strip()
    if whole in known:
        return [whole]
    if referred := known.referred(whole):
        return referred
    ids: list[str] = []
    for part in _AND.split(whole):
        found = _named(part.strip(_TRIM), known)
        if not found:
            return []
        ids += found
    return ids


def _named(part: str, known: _Known) -> list[str]:
    """What one part of a mark names: an id, or passages by their place."""
    if part in known:
        return [part]
    if places := _places(part, known):
        return places
    bare = _WORD_BEFORE.sub("", part, count=1) if _WORD_BEFORE.match(part) else part
    return [known.meant(bare)] if bare in known or _looks_like_id(bare) else []


def _places(part: str, known: _Known) -> list[str]:
    """`doc2`, `#2` and `2-3` may be ids that were made up: they are places only where passages are called so."""
    if match := _PLACE.fullmatch(part):
        is_place = match[1] in known.retrieved or not _looks_like_id(part) or part.isdecimal()
        return [known.meant(match[1])] if is_place else []
    return _places_in_range(part, known)


def _places_in_range(part: str, known: _Known) -> list[str]:
    """Nothing where passages have ids of this form: it may be one that was made up."""
    match = _RANGE.fullmatch(part)
    if match is None or any(map(_RANGE.fullmatch, known.retrieved)):
        return []
    meant = [known.meant(str(number)) for number in range(int(match[1]), int(match[2]) + 1)]
    return meant if all(name in known.retrieved for name in meant) else []


def _looks_like_id(token: str) -> bool:
    """A digit and no space; a bare number of four digits or more is a year or an amount, not an id."""
    return _ID.fullmatch(token) is not None
