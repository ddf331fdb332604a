"""Questions that were asked several times: ten attempts at one question tell less than ten questions.

What is true of one attempt may be true of all, so nothing is inferred as if they were independent. Estimates stay as
they are; intervals are those of so many answers as there are questions, or fewer where some were asked more often than
others (Kish). Without repeats each factor here is exactly 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Attempts = Mapping[str, int]  # by question


class Labelled(NamedTuple):
    """Answers that had the same chance to be labelled: how many there are, and the labelled ones by question."""

    size: int
    attempts: Attempts


def each_counts(attempts: Attempts) -> float:
    """What one answer counts for beside the others to its question: 1/K for K attempts at every question."""
    squares = sum(count * count for count in attempts.values())
    return sum(attempts.values()) / squares if squares else 1.0


def labels_count(cells: Sequence[Labelled]) -> list[float]:
    """What one label of each cell counts for.

    Attempts at one question may have several verdicts, or be in several runs, and so in several cells, whose errors
    then go together. That is split between two cells by their sizes such that the error of the sum over all cells, each
    by its size, is right.
    """
    where: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, cell in enumerate(cells):
        for question, count in cell.attempts.items():
            where[question].append((at, count))
    together = Counter[tuple[int, int]]()  # pairs of labels on one question; whole numbers, so in any order the same
    for places in where.values():
        for at, count in places:
            for other, beside in places:
                together[at, other] += count * beside
    labels = [sum(cell.attempts.values()) for cell in cells]
    crowd = [0.0] * len(cells)
    for (at, other), pairs in sorted(together.items()):
        split = 2 * cells[other].size / (cells[at].size + cells[other].size)
        crowd[at] += pairs / labels[other] * split
    return [1 / labels_alike if labels_alike else 1.0 for labels_alike in crowd]
