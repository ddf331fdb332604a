"""Which of some passages answers a question, and how likely: read by the trained model.

The quick tier reads all of them, the strong one those that the quick tier likes best. A passage is read behind the
title of its document: without it, nothing says which contract, company or year it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

from msgspec import Struct

from surefoot.graders.judging import Asked
from surefoot.graders.local import Answered, LocalJudge
from surefoot.models.weights import fingerprint, weights_folder
from surefoot.pipelines.recorded import Ranked, reading_of
from surefoot.types import Passage

_READ_AGAIN = 2
_RUNNER_UP_FROM = 0.3  # a second best that is less likely is not worth the time
_LONGEST_TITLE = 200
_REMEMBERED = 10_000
_LOADING = Lock()


class Candidate(Struct, frozen=True):
    """A passage, and how likely it answers; one that cannot be read is as good as none."""

    passage: Passage
    probability: float


class Answering:
    """Loads the model at once, so that weights that are missing or broken are told before anything is asked."""

    def __init__(self, weights: Path | None = None) -> None:
        self._weights = weights
        with _LOADING:  # a model is in memory once, however many threads ask for it first
            LocalJudge(weights).load()

    def ranked(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """The likeliest first, those that the strong tier read before all others; nothing is read twice."""
        return list(_ranked(self._weights, question, tuple(passages)))


@lru_cache(maxsize=_REMEMBERED)
def _ranked(weights: Path | None, question: str, passages: tuple[Passage, ...]) -> tuple[Candidate, ...]:
    known = reading_of(fingerprint(weights or weights_folder()), question, passages)
    ranked = read(question, passages, weights) if known is None else known
    return tuple(Candidate(passages[place], probability) for place, probability in ranked)


def read(question: str, passages: Sequence[Passage], weights: Path | None = None) -> Ranked:
    """By the model, here and now."""
    asked = [Asked(passage.text, question, passage.doc[:_LONGEST_TITLE]) for passage in passages]
    found = LocalJudge(weights).answers(asked, _best)
    # What the strong tier was not shown is no likelier than what it read.
    most = min((one.probability or 0.0 for one in found if one.strong), default=1.0)
    order = sorted(range(len(found)), key=lambda place: _rank(found[place]))
    return tuple((place, _probability(found[place], most)) for place in order)


def _rank(found: Answered) -> tuple[bool, bool, float]:
    return not found.strong, found.probability is None, -(found.probability or 0.0)


def _probability(found: Answered, most: float) -> float:
    return (found.probability or 0.0) if found.strong else min(found.probability or 0.0, most)


def _best(left_open: dict[int, float]) -> list[int]:
    """The best, and the second best if it is likely enough; none where the quick tier rules out all."""
    order = sorted(left_open, key=lambda place: -left_open[place])[:_READ_AGAIN]
    return [place for place in order if place == order[0] or left_open[place] >= _RUNNER_UP_FROM]
