"""A long passage cut down to what a claim is about: its nearest sentences, in the passage's own order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import fsum

from surefoot.text.sentences import sentences
from surefoot.text.terms import terms

GAP = " … "
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEIGHBOUR = 0.35  # of a sentence's own worth goes to the ones beside it: they say who "it" is


def digest(passage: str, claim: str, words: int) -> str:
    """At most about `words` words of the passage; the whole of it when it is short enough."""
    pieces, keys = _pieces(passage)
    if sum(len(piece.split()) for piece in pieces) <= words:
        return passage
    worth = _worth(keys, claim)
    kept, left = set[int](), words
    for place in sorted(range(len(pieces)), key=lambda i: (-worth[i], i)):
        size = len(pieces[place].split())
        if size <= left or not kept:
            kept.add(place)
            left -= size
        if left <= 0:
            break
    return _joined(pieces, sorted(kept))


def pieces_of(passage: str) -> list[str]:
    """Sentences of prose; rows of tables stay whole."""
    return list(_pieces(passage)[0])


@lru_cache(maxsize=500)
def _pieces(passage: str) -> tuple[tuple[str, ...], tuple[frozenset[str], ...]]:
    found: list[str] = []
    for line in passage.splitlines():
        text = " ".join(line.split())
        if text.count("|") >= 2:
            found.append(text)
        elif text:
            found += [piece.strip() for piece in sentences(text) if piece.strip()]
    return tuple(found), tuple(_keys(piece) for piece in found)


def _keys(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | frozenset(_NUMBER.findall(text))


def _worth(keys: Sequence[frozenset[str]], claim: str) -> list[float]:
    """Rare words of the claim count more, and some of it rubs off on neighbours."""
    wanted = _keys(claim)
    seen = Counter(term for found in keys for term in found & wanted)
    own = [fsum(1 / (1 + seen[term]) ** 0.5 for term in found & wanted) for found in keys]
    beside = [max(own[i - 1] if i else 0.0, own[i + 1] if i + 1 < len(own) else 0.0) for i in range(len(own))]
    return [value + _NEIGHBOUR * near for value, near in zip(own, beside, strict=True)]


def _joined(pieces: Sequence[str], places: Sequence[int]) -> str:
    text, last = "", None
    for place in places:
        if last is not None:
            table = pieces[place].count("|") >= 2
            text += "\n" if table else " " if place == last + 1 else GAP
        text += pieces[place]
        last = place
    return text
