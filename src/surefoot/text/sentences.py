"""Sentences of any text, and a long passage cut down to those that a claim is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from math import fsum

from sentencex import segment

from surefoot.text.terms import vocabulary

_TROUBLE = re.compile(r"[\ud800-\udfff]|(?![\x00-\x7f])\s")
# Where the library cuts and no sentence ends, by what stands before the cut and what behind it: inside "non-U.S.",
# behind what always has something to follow, behind what counts ("Sched. 2"), behind what else is shortened.
_NO_ENDS = tuple(
    (re.compile(before + r"\Z", re.IGNORECASE), re.compile(behind))
    for before, behind in (
        (r"(?<![^\W_])(?:\w+-)?(?:[a-z]\.)+", r"[A-Za-z]\."),
        (r"\b(?:approx|ca|cf|e\.g|i\.e|viz|vs|incl|excl|esp)\.\s+", ""),
        (r"\b(?:nos?|secs?|arts?|paras?|cls?|chs?|sched|figs?|vols?|app|eq|exh?|ann)\.\s+", r"[(\d]|[A-Z]\b|[IVX]+\b"),
        (r"\b(?:(?:[a-z]\.){2,}|(?:inc|ltd|corp|co|plc|llc|est|max|min|avg|bn|mn|mio|dept|div|etc|al|hrs?|yrs?)\.)\s+",
         r"[a-z\d(]"),
    )
)  # fmt: skip
_CELL_SIGNS = (r"\t", ";", ", ", r",(?!\d{3}\b)")  # "1,200" is one number
_IN_NUMBER = re.compile(r"\d,\d")  # or between two; by itself it makes no row
_FEWEST_ROWS = 3
_LONGEST_CELL = 5  # words; a line of prose has a comma too
_ENDS_SENTENCE = re.compile(r"[.!?](?: [A-Z]|\s*$)")
# It takes the end of "(670 + 640) / 2" for the number of a list item.
_IN_BRACKETS = re.compile(r"(\([^()\n]*\d)\)")
# And the last letters of "It is 850 mm. Doors ..." for an abbreviation.
_UNIT_AT_END = re.compile(r"(?<=\d) (?=(?:mm?|l|g|s|h|t)\.\s+[A-Z])")


def is_row(line: str) -> bool:
    """Of a table, not a line of prose."""
    return line.count("|") >= 2


def with_rows(text: str) -> str:
    """With rows whose cells are parted by commas, semicolons or tabs written like those of any table."""
    found: list[str] = []
    for (sign, _), group in groupby(text.splitlines(), _parted):
        lines = list(group)
        is_table = sign and len(lines) >= _FEWEST_ROWS
        found += [f"| {' | '.join(re.split(sign, line))} |" for line in lines] if is_table else lines
    return "\n".join(found)


def _parted(line: str) -> tuple[str, int]:
    """The sign between the cells of a row and their number; neither for prose or a row that has its bars already."""
    bare = _IN_NUMBER.sub("0", line)
    sign = next((sign for sign in _CELL_SIGNS if re.search(sign, bare)), "")
    cells = re.split(sign, line) if sign and not is_row(line) else [line]
    is_prose = any(len(cell.split()) > _LONGEST_CELL or _ENDS_SENTENCE.search(cell) for cell in cells)
    return ("", 0) if is_prose or len(cells) == 1 else (sign, len(cells))


def sentences(text: str) -> list[str]:
    """Pieces that together are as long as the text, so that offsets can be counted; no piece is left out."""
    if not text.isascii():
        text = _TROUBLE.sub(_plain, text)
    pieces, at = [], 0
    for piece in segment("en", _UNIT_AT_END.sub("_", _IN_BRACKETS.sub(r"\1]", text))):
        pieces.append(text[at : at + len(piece)])
        at += len(piece)
    return _joined(pieces)


def _joined(pieces: list[str]) -> list[str]:
    """Without the cuts that end no sentence."""
    ends = [place for place, (one, other) in enumerate(pairwise(pieces), 1) if _ends(one, other)]
    cuts = [0, *ends, len(pieces)]
    return ["".join(pieces[first:last]) for first, last in pairwise(cuts) if first < last]


def _ends(piece: str, following: str) -> bool:
    end = piece[-24:]
    return not any(before.search(end) and behind.match(following) for before, behind in _NO_ENDS)


def _plain(match: re.Match[str]) -> str:
    return " " if match.group().isspace() else "\ufffd"


_GAP = " … "
_NEIGHBOUR = 0.35  # of a sentence's score goes to the ones beside it: they say who "it" is


def digest(passage: str, claim: str, words: int) -> str:
    """At most about `words` words of the passage; the whole of it when it is short enough."""
    pieces = pieces_of(passage)
    if sum(len(piece.split()) for piece in pieces) <= words:
        return passage
    scores = _scores([vocabulary(piece) for piece in pieces], claim)
    kept, left = set[int](), words
    for place in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
        size = len(pieces[place].split())
        if size <= left or not kept:
            kept.add(place)
            left -= size
        if left <= 0:
            break
    return _text_of(pieces, sorted(kept))


@lru_cache(maxsize=500)
def pieces_of(passage: str) -> tuple[str, ...]:
    """Sentences of prose; rows of tables stay whole."""
    found: list[str] = []
    for line in passage.splitlines():
        text = " ".join(line.split())
        if is_row(text):
            found.append(text)
        elif text:
            found += [piece.strip() for piece in sentences(text) if piece.strip()]
    return tuple(found)


def _scores(keys: Sequence[frozenset[str]], claim: str) -> list[float]:
    """Rare words of the claim count more, and some of it rubs off on neighbours."""
    wanted = vocabulary(claim)
    seen = Counter(term for found in keys for term in found & wanted)
    own = [fsum(1 / (1 + seen[term]) ** 0.5 for term in found & wanted) for found in keys]
    beside = [max(own[i - 1] if i else 0.0, own[i + 1] if i + 1 < len(own) else 0.0) for i in range(len(own))]
    return [value + _NEIGHBOUR * near for value, near in zip(own, beside, strict=True)]


def _text_of(pieces: Sequence[str], places: Sequence[int]) -> str:
    text, last = "", None
    for place in places:
        if last is not None:
            text += "\n" if is_row(pieces[place]) else " " if place == last + 1 else _GAP
        text += pieces[place]
        last = place
    return text
