"""Answers that tell less than as many independent ones: attempts at one question, and questions on one document.

What is true of one attempt may be true of all, so attempts at a question count together as one. Questions on one
document are alike to a degree, which is measured: the correlation within documents. Estimates stay as they are, and
intervals are those of as many answers as all are worth (the design effect). Where every question was asked once and has
a document of its own, each factor here is exactly 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.stats import ALPHA, Z
from surefoot.stats.quantiles import t_quantile

_FEWEST, _AS_GOOD_AS_NORMAL = 4, 500  # degrees of freedom
_NO_SPREAD = 1e-12
_DIGITS = 9  # beyond, the order of the answers would show
Numbers = NDArray[np.float64]
Member = tuple[str, str]  # document and question
Members = Mapping[Member, float]  # how many answers, or what they weigh


class Labelled(NamedTuple):
    """Answers that had the same chance to be labelled: how many there are, and the labelled ones."""

    size: int
    members: Members


def alikeness(values: Numbers, members: Sequence[Member]) -> float:
    """The correlation of two answers to different questions on one document, from 0 to 1. `values` has a row each."""
    documents = len({document for document, _ in members})
    if documents < 2 or documents == len(set(members)):
        return 0.0
    apart = values - values.mean(axis=0)
    by_document, pairs = _products(apart, [document for document, _ in members])
    by_question, repeats = _products(apart, members)
    spread = float((apart**2).sum()) / len(values)
    if spread < _NO_SPREAD:
        return 0.0
    correlation = (by_document - by_question) / (pairs - repeats) / spread
    # Few documents tell little of it, so it is taken for larger then; of less than five nobody can say by how much.
    reach = t_quantile(1 - ALPHA / 2, min(max(documents - 1, _FEWEST), _AS_GOOD_AS_NORMAL)) / Z
    larger = correlation * reach**2 * documents / (documents - 1)
    return round(min(1.0, max(0.0, larger)), _DIGITS)


def _products(apart: Numbers, groups: Sequence[object]) -> tuple[float, int]:
    """Summed over all pairs of answers in a group, and how many pairs these are."""
    places = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    where = [places[group] for group in groups]
    sums = np.zeros((len(places), apart.shape[1]))
    np.add.at(sums, where, apart)
    return float((sums**2).sum()), int((np.bincount(where) ** 2).sum())


def each_counts(members: Members, alike: float) -> float:
    """What one answer counts for beside the others: 1/K for K attempts at every question, each on its document."""
    return labels_count([Labelled(1, members)], alike)[0]


def labels_count(cells: Sequence[Labelled], alike: float) -> list[float]:
    """What one label of each cell counts for.

    Answers that go together may have several verdicts, or be in several runs, and so in several cells, whose errors
    then go together. That is split between two cells by their sizes such that the error of the sum over all cells, each
    by its size, is right.
    """
    by_question, by_document = _together(cells, lambda member: member), _together(cells, lambda member: member[0])
    labels = [sum(cell.members.values()) for cell in cells]
    crowd = [0.0] * len(cells)
    for at, other in sorted(by_document):
        pairs = alike * by_document[at, other] + (1 - alike) * by_question[at, other]
        split = 2 * cells[other].size / (cells[at].size + cells[other].size)
        crowd[at] += pairs / labels[other] * split
    return [1 / labels_alike if labels_alike else 1.0 for labels_alike in crowd]


def _together(cells: Sequence[Labelled], key: Callable[[Member], object]) -> defaultdict[tuple[int, int], float]:
    """Pairs of labels in one group, by the cells of the two."""
    groups: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for at, cell in enumerate(cells):
        for member in sorted(cell.members):
            groups[key(member)][at] += cell.members[member]  # type: ignore[assignment]
    found: defaultdict[tuple[int, int], float] = defaultdict(float)
    for places in groups.values():
        for at, count in places.items():
            for other, beside in places.items():
                found[at, other] += count * beside
    return found
