"""Sentences of any text. The library underneath panics on wide spaces and cannot take lone surrogates."""

from __future__ import annotations

import re
from itertools import pairwise

from sentencex import segment

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
# It takes the end of "(670 + 640) / 2" for the number of a list item.
_IN_BRACKETS = re.compile(r"(\([^()\n]*\d)\)")
# And the last letters of "It is 850 mm. Doors ..." for an abbreviation.
_UNIT_AT_END = re.compile(r"(?<=\d) (?=(?:mm?|l|g|s|h|t)\.\s+[A-Z])")


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
