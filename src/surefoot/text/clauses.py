"""A refusal cut into clauses, and the words in them that are about its subject rather than about declining."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from surefoot.text.citations import blanked, locate, resolve
from surefoot.text.phrases import WORDS, phrase
from surefoot.text.refusal_grammar import CLASSES
from surefoot.text.sentences import sentences
from surefoot.text.talk import negation
from surefoot.text.terms import stem, terms
from surefoot.types import Trace

CLAUSE = phrase("clause")
_POINTED = phrase("pointed")
_COLON = re.compile(r":\s")
_ABSENCE = ("ABSENT", "UNSAID", "FEW", "SILENT", "UNABLE", "AVOID")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDING = re.compile(r"(?:n['’]t|['’]\w+)$")  # "isn't", "I've", "landlord's"
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_NEAR, _FAR = 40, 200  # characters looked at before a word or figure, and behind a cut
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
    """The last one is wordless where the answer has a list of citations, or a field for them."""
    answer, texts = trace.answer or "", trace.retrieved or ()
    marks = sorted(locate(answer, trace.names, (), texts))
    text = blanked(answer, marks)
    inline = [mark for mark in marks if not mark.is_list]
    starts = [mark.start for mark in inline]
    found: list[Clause] = []
    for number, (start, end) in enumerate(_sentences(answer)):
        asks = text[start:end].rstrip(" \n\"'”)*").endswith("?")
        for left, right in _cut(text, start, end):
            inside = inline[bisect_left(starts, left) : bisect_left(starts, right)]
            if inside and found and not found[-1].cited and not _WORD.search(text, left, inside[0].start):
                found[-1] = found[-1]._replace(cited=inside[0].ids)  # the mark stands behind a full stop
            if _WORD.search(text, left, right):
                cited = tuple(i for mark in inside for i in mark.ids)
                found.append(Clause(answer[left:right].strip(), text[left:right], number, cited, asks))
    listed = (
        *(i for mark in marks if mark.is_list for i in mark.ids),
        *resolve(trace.citations or (), trace.names, (), texts),
    )
    return [*found, Clause("", "", -1, listed, asks=False)] if listed else found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        start = at
        for piece in sentences(line) if line.strip() else ():
            yield start, start + len(piece)
            start += len(piece)
        at += len(line)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    colon = _COLON.search(text, start, end)
    cuts = [colon.span()] if colon and _declines(text[start : colon.start()]) else []
    here = start
    for left, right in sorted([*cuts, *(match.span() for match in CLAUSE.finditer(text, start, end))]):
        if left > here and not _is_denied_of(text[here:left], text[right : min(end, right + _FAR)]):
            yield here, left
            here = right
    yield here, end


def _declines(label: str) -> bool:
    """A statement before a colon, rather than a label such as "Missing:"."""
    return len(_WORD.findall(label)) > 2 and negation(label) is not None


def _is_denied_of(clause: str, following: str) -> bool:
    """ "I would need the holding, which the documents do not contain" is one statement."""
    return following[:6].lower() == "which " and negation(following) is not None and negation(clause) is None


def words(text: str) -> list[str]:
    return [word for word, _ in words_at(text)]


def words_at(text: str) -> Iterator[tuple[str, str]]:
    """Each word in lower case and without its ending, with what stands shortly before it."""
    for match in _WORD.finditer(text):
        yield _bare(match.group()), text[max(0, match.start() - _NEAR) : match.start()]


@lru_cache(maxsize=20_000)
def _bare(word: str) -> str:
    return _ENDING.sub("", word.lower())


def digits_in(text: str) -> set[str]:
    """The number of a clause or page is none."""
    return set(_FIGURE.findall(_POINTED.sub(" ", text)))


@lru_cache(maxsize=5_000)
def contents(text: str) -> frozenset[str]:
    """What a text is about: the stems of its words, and its figures."""
    return frozenset((set(terms(text)) - _NEVER_STEMS) | digits_in(text))


def resembles(word: str, stems: Iterable[str]) -> bool:
    """Equal as a stem, or of one family: "territorial" and "territory"."""
    own = stem(word)
    return any(own == other or _root(own) == _root(other) for other in stems)


def _root(word: str) -> str:
    return word[: max(5, len(word) - 3)]
