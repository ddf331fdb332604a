"""Long passages in overlapping windows that a model can read, and the choice of those worth reading for a claim.

Windows end where sentences or lines end. Only a sentence that is longer than a window is cut, between words. A table's
header stands at the top of every window that begins inside the table.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import log

from msgspec import Struct

from surefoot.text.sentences import sentences
from surefoot.text.terms import terms

MOST_WINDOWS = 12
_OVERLAP = 4  # a window repeats up to a quarter of the one before
_HEADER_SHARE = 3  # a table's header takes at most a third of a window
_RULE = re.compile(r"[\s|:=+-]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

# Where each token of a text begins and ends, in characters.
Offsets = Callable[[str], Sequence[tuple[int, int]]]


class Chosen(Struct, frozen=True):
    """Windows in the order of the passage; `skipped` ones share less with the claim than any of these."""

    windows: tuple[str, ...]
    skipped: int = 0


class _Piece(Struct, frozen=True):
    """A sentence or a line: its tokens from `start` to `end`, and the header row if it is inside a table."""

    start: int
    end: int
    header: str = ""
    header_tokens: int = 0


def windows_of(passage: str, budget: int, offsets: Offsets) -> tuple[str, ...]:
    """The passage in windows of at most `budget` tokens; itself if it fits. Every token is in some window."""
    spans = offsets(passage)
    if len(spans) <= budget:
        return (passage,) if passage.strip() else ()
    pieces = [part for piece in _pieces(passage, budget, spans, offsets) for part in _parts(piece, budget, spans)]
    return tuple(_text(passage, pieces[first:last], spans) for first, last in _groups(pieces, budget))


def choose(windows: tuple[str, ...], claim: str, most: int = MOST_WINDOWS) -> Chosen:
    """The windows that share most with the claim. Words that are rare in the passage count for more."""
    if len(windows) <= most:
        return Chosen(windows)
    vocabularies, spread = _vocabularies(windows)
    wanted = {term: log(1 + len(windows) / spread[term]) for term in _vocabulary(claim) if spread[term]}
    weights = [sum(weight for term, weight in wanted.items() if term in there) for there in vocabularies]
    best = sorted(range(len(windows)), key=lambda place: (-weights[place], place))[:most]
    return Chosen(tuple(windows[place] for place in sorted(best)), len(windows) - most)


@lru_cache(maxsize=200)
def _vocabularies(windows: tuple[str, ...]) -> tuple[list[frozenset[str]], Counter[str]]:
    found = [_vocabulary(window) for window in windows]
    return found, Counter(term for vocabulary in found for term in vocabulary)


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | frozenset(_NUMBER.findall(text))


def _pieces(passage: str, budget: int, spans: Sequence[tuple[int, int]], offsets: Offsets) -> Iterator[_Piece]:
    starts = [start for start, _ in spans]
    at, header, header_tokens = 0, "", 0
    for line in passage.splitlines(keepends=True):
        is_row = line.count("|") >= 2
        for piece in (line,) if is_row else sentences(line):
            first, last = bisect_left(starts, at), bisect_left(starts, at + len(piece))
            at += len(piece)
            if first < last:
                yield _Piece(first, last, header if is_row else "", header_tokens if is_row else 0)
        if is_row and not header:
            header, header_tokens = _header(line, budget // _HEADER_SHARE, offsets)
        elif not is_row and line.strip():
            header, header_tokens = "", 0


def _header(row: str, most: int, offsets: Offsets) -> tuple[str, int]:
    row = row.strip()
    spans = offsets(row)
    if len(spans) > most:
        row = row[: spans[most - 1][1]]
    return ("", 0) if _RULE.fullmatch(row) else (row, min(len(spans), most))


def _parts(piece: _Piece, budget: int, spans: Sequence[tuple[int, int]]) -> Iterator[_Piece]:
    """A piece that is too long for a window, in parts small enough for windows to overlap."""
    room = budget - piece.header_tokens
    if piece.end - piece.start <= room:
        yield piece
        return
    start, size = piece.start, max(1, room // _OVERLAP)
    while start < piece.end:
        end = min(start + size, piece.end)
        between = end
        while between > start + 1 and between < piece.end and spans[between][0] == spans[between - 1][1]:
            between -= 1  # inside a word
        end = between if between > start + 1 else end
        yield _Piece(start, end, piece.header, piece.header_tokens)
        start = end


def _groups(pieces: list[_Piece], budget: int) -> Iterator[tuple[int, int]]:
    """Runs of pieces that fit; each begins some pieces before the end of the last."""
    first = 0
    while True:
        room, last = budget - pieces[first].header_tokens, first + 1
        while last < len(pieces) and pieces[last].end - pieces[first].start <= room:
            last += 1
        yield first, last
        if last == len(pieces):
            return
        begin = last
        while begin > first + 1 and pieces[last].start - pieces[begin - 1].start <= room // _OVERLAP:
            begin -= 1
        # The new window must hold at least one piece that the last did not.
        while pieces[last].end - pieces[begin].start > budget - pieces[begin].header_tokens:
            begin += 1
        first = begin


def _text(passage: str, pieces: list[_Piece], spans: Sequence[tuple[int, int]]) -> str:
    text = passage[spans[pieces[0].start][0] : spans[pieces[-1].end - 1][1]]
    return f"{pieces[0].header}\n{text}" if pieces[0].header else text
