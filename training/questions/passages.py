"""Passages as sentences: windows around what decides, passages without it, and the nearest other passage."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from random import Random

from sentencex import segment

from surefoot.text.normal import terms

LIMIT = 220  # words of a context


@lru_cache(maxsize=20_000)
def sentences(passage: str) -> tuple[str, ...]:
    """Sentences in order, odd spaces and all; a table keeps its rows."""
    if " | " in passage:
        return tuple(line.strip() for line in passage.split("\n") if line.strip(" |"))
    found = (piece.strip() for line in passage.split("\n") if line.strip() for piece in segment("en", line.strip()))
    return tuple(piece for piece in found if piece)


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


@lru_cache(maxsize=50_000)
def _padded(text: str) -> str:
    return f" {plain(text)} "


def holds(text: str, answer: str) -> bool:
    """Does the text say the answer, word for word?"""
    wanted = plain(answer)
    return bool(wanted) and f" {wanted} " in _padded(text)


def holds_any(text: str, answers: Iterable[str]) -> bool:
    return any(holds(text, answer) for answer in answers)


def hints_at(text: str, answers: Iterable[str]) -> bool:
    """Does the text hold most words of an answer, in whatever order?"""
    held = set(terms(text))
    wordy = [set(terms(answer)) for answer in answers]
    return any(len(words) > 1 and len(words & held) >= 0.6 * len(words) for words in wordy)


def deciding(passage: str, question: str, answers: Sequence[str]) -> int | None:
    """The sentence that gives the answer: of those that hold it, the one closest to the question."""
    pieces = sentences(passage)
    wanted = set(terms(question))
    holding = [at for at, piece in enumerate(pieces) if holds_any(piece, answers)]
    return max(holding, key=lambda at: len(wanted & set(terms(pieces[at]))), default=None)


def window(pieces: Sequence[str], core: Collection[int], rng: Random, limit: int = LIMIT) -> str | None:
    """Whole sentences around the core, which may come to stand anywhere; None when the core alone is too long."""
    start, end = min(core), max(core) + 1
    budget = limit if rng.random() < 0.6 else rng.randint(min(60, limit), limit)
    size = sum(len(piece.split()) for piece in pieces[start:end])
    if size > limit:
        return None
    sides = ["before", "after"]
    weight = rng.random()
    while sides:
        side = sides[0] if len(sides) == 1 else ("before" if rng.random() < weight else "after")
        at = start - 1 if side == "before" else end
        if at < 0 or at >= len(pieces) or size + len(pieces[at].split()) > budget:
            sides.remove(side)
            continue
        size += len(pieces[at].split())
        start, end = min(start, at), max(end, at + 1)
    joint = "\n" if any(" | " in piece for piece in pieces[start:end]) else " "
    return joint.join(pieces[start:end])


def any_window(passage: str, rng: Random, limit: int = LIMIT) -> str | None:
    pieces = sentences(passage)
    return window(pieces, [rng.randrange(len(pieces))], rng, limit) if pieces else None


def without_answer(passage: str, question: str, answers: Sequence[str], rng: Random) -> str | None:
    """The passage without every sentence that says the answer; None when hardly anything would be left.

    Long answers are left alone: what is around them often says as much.
    """
    if min((len(answer.split()) for answer in answers), default=9) > 5:
        return None
    pieces = sentences(passage)
    kept = [piece for piece in pieces if not holds_any(piece, answers)]
    if len(kept) < 2 or len(kept) == len(pieces) or sum(len(piece.split()) for piece in kept) < 30:
        return None
    wanted = set(terms(question))
    nearest = max(range(len(kept)), key=lambda at: len(wanted & set(terms(kept[at]))))
    return window(kept, [nearest], rng)


class Nearest:
    """The passages that share most rare words with a query (BM25)."""

    def __init__(self, passages: Sequence[str]) -> None:
        self.passages = list(passages)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        bags = [Counter(terms(passage)) for passage in self.passages]
        mean = sum(bag.total() for bag in bags) / max(1, len(bags))
        for number, bag in enumerate(bags):
            norm = 1.2 * (0.25 + 0.75 * bag.total() / max(1.0, mean))
            for term, count in bag.items():
                self._postings[term].append((number, count * 2.2 / (count + norm)))

    def ranked(self, query: str, most: int = 12) -> list[str]:
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms(query)):
            postings = self._postings.get(term, [])
            weight = math.log(1 + len(self.passages) / (len(postings) + 0.5))
            if weight > 1.0 or len(self.passages) < 50:
                for number, score in postings:
                    scores[number] += weight * score
        best = sorted(scores, key=lambda number: (-scores[number], number))[:most]
        return [self.passages[number] for number in best]
