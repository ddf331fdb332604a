"""Claims in which two things have changed places: "B paid A" where the passage says that A paid B.

Every word of such a claim is in the passage, so a count of words believes it, and small models may. Here a claim is
laid along each clause of the passage, word by word. Where it fits badly as it stands, and almost wholly once two of its
names, numbers or nouns are exchanged, the exchange is what tells it from the passage. A claim that puts the deed in
other words, but still names who does it to whom, is held against the deeds of the passage (`deeds.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

from surefoot.graders.deeds import prose, told_otherwise
from surefoot.text.normal import word_set
from surefoot.text.numerals import NUMBER_WORDS
from surefoot.text.sentences import sentences
from surefoot.text.terms import stem

_PIECE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+(?:[.,]\d+)*")
_CLAUSE_END = re.compile(r"[;:()|–—] | [–—] ")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_FEWEST, _MOST, _LONGER = 4, 40, 4  # words of a claim that is laid along a clause, and how much longer that may be
_MOSTLY, _PLAINLY = 0.8, 2  # how much of a claim fits after the exchange, and how many words more than before
# Words that turn a clause round; a claim that has others than the clause is built in another way.
_TURNING = word_set("by to from than against before after over under not no never into onto of for with without")
_BEFORE_NOUN = word_set("a an the this that these those his her its their our your my each any every")
_PASSED_OVER = _BEFORE_NOUN | word_set(
    """it he she they him them all both such own is are was were be been being am has have had do does did will would
    shall should may might must can could also then so as and or s t"""
)
# Two things may change places around these, and the same is said.
_EITHER_WAY = frozenset(
    map(
        stem, word_set("meet met marry married merge merged join joined differ share shared equal same together versus")
    )
)


class Word(NamedTuple):
    form: str
    kind: Literal["name", "year", "number", "noun", ""]  # nothing else changes places


class Thing(NamedTuple):
    start: int
    end: int
    kind: str


@lru_cache(maxsize=5_000)
def swapped(passage: str, claim: str) -> bool:
    """Two things of the claim have changed places, and nowhere does the passage say it as the claim does."""
    return _is_exchanged(passage, claim) or told_otherwise(passage, claim)


def _is_exchanged(passage: str, claim: str) -> bool:
    words = _words(claim)
    if not _FEWEST <= len(words) <= _MOST or len(sentences(claim)) != 1:
        return False
    forms = [word.form for word in words]
    turning = _turning(forms)
    clauses = [Clause(one) for one in _clauses(passage) if len(one) <= _LONGER * len(forms)]
    near = [one for one in clauses if one.has(forms) and _turning(one.forms) == turning]
    as_said = max((one.fit(forms) for one in near), default=0)
    return any(one.best_exchange(words) > as_said for one in near)


def _turning(forms: Sequence[str]) -> tuple[int, bool]:
    """Whether a text is told from the other end: how often "by" stands in it, and if it is denied."""
    return forms.count("by"), not {"not", "no", "never", "without"}.isdisjoint(forms)


class Clause:
    """A clause of a passage, along which claims are laid."""

    def __init__(self, forms: tuple[str, ...]) -> None:
        self.forms = forms
        self._count = Counter(forms)
        self._places: dict[str, int] = {}  # of each word, as bits
        for place, form in enumerate(forms):
            self._places[form] = self._places.get(form, 0) | 1 << place

    def has(self, forms: Sequence[str]) -> bool:
        """Most of the words, and all that turn a clause round."""
        wanted = set(forms)
        turning = Counter(form for form in forms if form in _TURNING)
        return len(wanted & self._count.keys()) >= _MOSTLY * len(wanted) and turning <= self._count

    def fit(self, forms: Sequence[str]) -> int:
        """How many of the words stand here in this order: the longest common subsequence, all places at once."""
        every = (1 << len(self.forms)) - 1
        free = every
        for form in forms:
            found = free & self._places.get(form, 0)
            free = ((free + found) | (free - found)) & every
        return len(self.forms) - free.bit_count()

    def best_exchange(self, words: Sequence[Word]) -> int:
        """How many words of the claim fit once the two things are exchanged for which most do; 0 where few do."""
        forms = [word.form for word in words]
        least, found = self.fit(forms) + _PLAINLY, 0
        for one, other in combinations(_things(words), 2):
            left, between, right = (
                forms[one.start : one.end],
                forms[one.end : other.start],
                forms[other.start : other.end],
            )
            if _are_alike(one, other) and left != right and _tells_apart(between):
                core = [*right, *between, *left]
                fit = self.fit([*forms[: one.start], *core, *forms[other.end :]])
                share = len(forms) * (1 if "noun" in (one.kind, other.kind) else _MOSTLY)
                if fit >= max(least, share) and self.fit(core) == len(core):
                    found = max(found, fit)
        return found


def _are_alike(one: Thing, other: Thing) -> bool:
    return one.kind == other.kind or {one.kind, other.kind} == {"name", "noun"}


def _tells_apart(between: Sequence[str]) -> bool:
    return any(form not in _TURNING for form in between) and _EITHER_WAY.isdisjoint(between)


def _things(words: Sequence[Word]) -> Iterator[Thing]:
    """What may have changed places; a name is all its words."""
    start = 0
    while start < len(words):
        kind, end = words[start].kind, start + 1
        while kind == "name" and end < len(words) and words[end].kind == "name":
            end += 1
        if kind:
            yield Thing(start, end, kind)
        start = end


@lru_cache(maxsize=2_000)
def _clauses(passage: str) -> tuple[tuple[str, ...], ...]:
    """Sentences, whole and cut at their joints."""
    pieces = [piece for one in prose(passage) for piece in (one, *_CLAUSE_END.split(one), *one.split(", "))]
    return tuple(dict.fromkeys(tuple(word.form for word in _words(piece)) for piece in pieces))


@lru_cache(maxsize=20_000)
def _words(text: str) -> tuple[Word, ...]:
    written = _PIECE.findall(text)
    return tuple(
        _word(word, before.lower() in _BEFORE_NOUN)
        for before, word in zip(["", *written], written, strict=False)
        if word.lower() not in _PASSED_OVER
    )


def _word(written: str, is_noun: bool) -> Word:
    form = written.lower()
    if form in _TURNING:
        return Word(form, "")
    if form[0].isdigit():
        return Word(form.replace(",", ""), "year" if _YEAR.fullmatch(form) else "number")
    if form in NUMBER_WORDS and form != "one":
        return Word(str(NUMBER_WORDS[form]), "number")
    return Word(stem(form), "name" if written[0].isupper() else "noun" if is_noun else "")
