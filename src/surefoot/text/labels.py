"""The words by which a table's rows and columns are known, in a form in which a claim that names them can be found.

Other than the terms of a text, they keep what tells labels apart: numbers, months, "other", "net", "before".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?|%")
_SKIPPED = frozenset(
    re.findall(r"\S+", "a an the of in for and to by on at from with or as is are was were be been that its it s")
)
_FISCAL = re.compile(r"(?:fy|cy)'?(\d\d|\d{4})|(?:19|20)\d\d")
_SAME = {
    "percent": "%", "percentage": "%", "pct": "%", "1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth",
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july",
    "aug": "august", "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december",
}  # fmt: skip
_QUARTER = re.compile(r"\b(first|second|third|fourth) quarter\b|\bquarter (one|two|three|four|[1-4])\b", re.IGNORECASE)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "one": 1, "two": 2, "three": 3, "four": 4}
LOOSE = 3  # words that may stand between those of a label


class Token(Struct, frozen=True):
    text: str
    start: int
    end: int


@lru_cache(maxsize=5_000)
def tokens(text: str) -> tuple[Token, ...]:
    """What a text has to match labels with; offsets are those of the text."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for match in _QUARTER.finditer(text):
        yield from _plain_tokens(text, end, match.start())
        which = (match[1] or match[2]).lower()
        yield Token(f"q{_QUARTERS.get(which, which)}", match.start(), match.end())
        end = match.end()
    yield from _plain_tokens(text, end, len(text))


def _plain_tokens(text: str, start: int, end: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text, start, end):
        word = _form(match.group().lower())
        if word not in _SKIPPED:
            yield Token(word, match.start(), match.end())


@lru_cache(maxsize=20_000)
def _form(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    year = _FISCAL.fullmatch(word)
    if year:
        return f"20{year[1]}" if year[1] and len(year[1]) == 2 else year[1] or word
    if word in _SAME:
        return _SAME[word]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def words_of(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text))


def is_year(token: str) -> bool:
    return len(token) == 4 and token.isdigit() and token[:2] in ("19", "20")


def stands_together(label: frozenset[str], said: Sequence[str]) -> bool:
    """All words of the label are said, near each other and not scattered over the sentence."""
    last: dict[str, int] = {}
    for place, word in enumerate(said):
        if word in label:
            last[word] = place
            if len(last) == len(label) and place - min(last.values()) < len(label) + LOOSE:
                return True
    return False
