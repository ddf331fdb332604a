"""A refusal cut into clauses, and the words in them that are about its subject rather than about declining."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from surefoot.text.citations import Mark, locate
from surefoot.text.refusal_words import CLASSES
from surefoot.text.sentences import sentences
from surefoot.text.terms import stem, terms
from surefoot.types import Passage

# A clause ends where another statement begins; an "and" or a plain comma mostly joins the parts of one.
_CUT = re.compile(
    r";\s|\s[-–—]{1,2}\s|—|,?\s(?=(?:but|though|although|whereas|yet)\s)"
    r"|,\s(?=(?:so|as|since|because|which|while|and (?:so|honestly|frankly|i|you|we|it|that|the))\b)",
    re.IGNORECASE,
)
_COLON = re.compile(r":\s")
_ABSENCE = ("ABSENT", "UNSAID", "FEW", "SILENT", "UNABLE", "AVOID")
_NEGATION = re.compile(
    r"n['’]t\b|\b(?:no|not|none|nor|neither|never|nothing|nowhere|nobody|nope|cannot|without|beyond|impossible"
    r"|fail(?:s|ed)?|omit(?:s|ted)?|lack(?:s|ed)?|skips|too (?:little|few)|left (?:out|open)|absence|gap"
    r"|leaves? (?:\w+ )?(?:out|open)|stops? (?:short|before)|nicht|nichts|kein\w*|aucune?|ningun[oa]?|ningún|nessun\w*|"
    + "|".join(word for name in _ABSENCE for word in CLASSES[name])
    + r")\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ENDING = re.compile(r"(?:n['’]t|['’]\w+)$")  # "isn't", "I've", "landlord's"
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_REFERENCE = re.compile(
    r"\b(?:clauses?|sections?|sec\.|articles?|paragraphs?|rules?|items?|polic(?:y|ies)|notes?|pages?|annex|version"
    r"|chapters?|passages?|excerpts?|form) (?:\d[\d.]*(?:,| and| or) )*$",
    re.IGNORECASE,
)
_NEAR = 40  # characters looked at before a word or figure
_OF_DECLINING = (
    "SPEAK", "SAY", "HOLD", "HELD", "TELL", "JUDGE", "JUDGED", "SAID", "GIVEN", "SAYING", "PIECE", "REQUEST", "OMIT",
    "WILLING", "SENT", "FAIR", "HARD", "GUESS", "BE", "REMAIN", "HAVE", "DO", "CAN", "WILL", "NOT", "WH", "PREP",
    "PRONOUN", "CONJ", "TURN", *_ABSENCE, "DE_NOT", "DE_CAN", "DE_TELL", "DE_SAID", "DE_SAY", "DE_SRC", "DE_INFO",
)  # fmt: skip
# What people say around a refusal, whatever was asked.
_EMPTY = """
sorry afraid unfortunately regrettably apologies thanks thank hello hi there please happy glad hope hoping pity alas okay
idea clue luck way thing things piece particular point matter topic subject issue sure certain certainty position
judgement judgment help assistance assist time times day moment basis case place part parts something anything
everything somewhere anywhere else another other others reason reasons look looked looking search searched searching
reviewed checked check considered turn turned line get got gets come comes came take takes took make use using used like
want wanted need needed needs know knows try tried let lets rather able possible enough handed shared raised required
relevant related specific exact just even quite close closest nearest evident purpose conclude concluded conclusion conjecture pass
incorrect wrong right supposed reached reach great good nice careful thorough understandable honest either both one ones
two three each full whole entire hand me my mine us our now again still already concrete based scope much many less very
lot bit kind sort type asked asking ask asks requested
das der die den dem des ein eine einen einer ich wird werden wurde weil dass für von mit zu zur zum aus auf gefundenen
"""
NEVER = frozenset((*_EMPTY.split(), *CLASSES["TEXT"], *CLASSES["INFO"], *CLASSES["REQUEST"]))
OF_DECLINING = NEVER.union(*(CLASSES[name] for name in _OF_DECLINING))
SOURCES = frozenset((*CLASSES["TEXT"], *CLASSES["PAPER"], *CLASSES["NORM"]))
_NEVER_STEMS = frozenset(map(stem, NEVER))


class Clause(NamedTuple):
    text: str  # blanks for citation marks
    sentence: int
    cited: tuple[str, ...]
    asks: bool  # its sentence is a question

    @property
    def is_negated(self) -> bool:
        return negation(self.text) is not None

    @property
    def shown(self) -> str:
        return " ".join(self.text.split())


def clauses_of(answer: str, passages: Sequence[Passage]) -> list[Clause]:
    marks = locate(answer, [passage.id for passage in passages])
    found = []
    for number, (start, end) in enumerate(_sentences(answer)):
        asks = answer[start:end].rstrip(" \n\"'”)*").endswith("?")
        for left, right in _cut(answer, start, end):
            inside = [mark for mark in marks if left <= mark.start < right]
            text = _blanked(answer, left, right, inside)
            if _WORD.search(text):
                found.append(Clause(text, number, tuple(i for mark in inside for i in mark.ids), asks))
    return found


def _sentences(answer: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in answer.splitlines(keepends=True):
        start = at
        for piece in sentences(line) if line.strip() else ():
            yield start, start + len(piece)
            start += len(piece)
        at += len(line)


def _cut(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    cuts = [match.span() for match in _CUT.finditer(answer, start, end)]
    cuts += [match.span() for match in _COLON.finditer(answer, start, end) if _declines(answer[start : match.start()])]
    here = start
    for left, right in sorted(cuts):
        if left > here:
            yield here, left
        here = max(here, right)
    if here < end:
        yield here, end


def _declines(label: str) -> bool:
    """A statement before a colon, rather than a label such as "Missing:"."""
    return len(_WORD.findall(label)) > 2 and negation(label) is not None


def _blanked(answer: str, start: int, end: int, marks: Iterable[Mark]) -> str:
    text = answer[start:end]
    for mark in marks:
        left, right = mark.start - start, min(mark.end, end) - start
        text = text[:left] + " " * (right - left) + text[right:]
    return text


def negation(text: str) -> re.Match[str] | None:
    return _NEGATION.search(text)


def words(text: str) -> list[str]:
    return [word for word, _ in words_at(text)]


def words_at(text: str) -> Iterator[tuple[str, str]]:
    """Each word in lower case and without its ending, with what stands shortly before it."""
    for match in _WORD.finditer(text):
        yield _ENDING.sub("", match.group().lower()), text[max(0, match.start() - _NEAR) : match.start()]


def figures(text: str) -> set[str]:
    """The number of a clause or page is none."""
    found = _FIGURE.finditer(text)
    return {
        match.group() for match in found if not _REFERENCE.search(text[max(0, match.start() - _NEAR) : match.start()])
    }


def contents(text: str) -> set[str]:
    """What a text is about: the stems of its words, and its figures."""
    return (set(terms(text)) - _NEVER_STEMS) | figures(text)


def resembles(word: str, stems: Iterable[str]) -> bool:
    """Equal as a stem, or of one family: "territorial" and "territory"."""
    own = stem(word)
    return any(own == other or _root(own) == _root(other) for other in stems)


def _root(word: str) -> str:
    return word[: max(5, len(word) - 3)]
