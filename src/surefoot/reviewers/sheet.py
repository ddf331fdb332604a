"""What reviewers gave to the answers of a whole question set, as arrays: the one input of all statistics on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median, median_low
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.intervals import Influence, mean_of

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
# Scores are mostly whole numbers: reviewers who agree to the point are not known to agree better than this.
ROUNDING = 1 / 12
_MOST_PULL = 0.9
OVERALL, HOLISTIC = "overall", "holistic"
CAPPED = "capped"  # the overall score as it counts; reviewers are judged by what they said, without ceilings
# Reviewer -> answer -> dimension -> score. What was not scored is not there.
Scores = Mapping[str, Mapping["Answer", Mapping[str, float]]]


class Answer(NamedTuple):
    """One answer. Answers to the same question go together: runs find the same questions hard."""

    run: str
    question: str
    attempt: int = 1


class Column:
    """One dimension: a row for each reviewer, a column for each answer; `values` are 0 where nothing is `given`."""

    def __init__(self, values: Numbers, given: Flags) -> None:
        self.values, self.given = values, given

    def pooled(self, reviewers: Sequence[int]) -> tuple[Numbers, Flags]:
        """The mean of some reviewers on each answer. Who scores at random would blur it, and so counts for less."""
        rows = list(reviewers)
        weights = self.weights[rows] @ self.given[rows]
        total = self.weights[rows] @ self.values[rows]
        return np.divide(total, weights, out=np.zeros_like(total), where=weights > 0), weights > 0

    @cached_property
    def weights(self) -> Numbers:
        """One over the variance of each reviewer's own errors, roughly: by how far most of the others are away."""
        apart = [self._distances(row) for row in range(len(self.values))]
        usual = [median_low(row) if row else 0.0 for row in apart]
        return 1 / np.maximum(np.array(usual) - median(usual) / 2, ROUNDING)

    def _distances(self, row: int) -> list[float]:
        found = []
        for other in range(len(self.values)):
            both = self.given[row] & self.given[other]
            if other != row and both.any():
                found.append(float((self.values[row] - self.values[other])[both].var()))
        return found


class Sheet:
    """All scores, with what else is known of the answers.

    `lengths` are of the answers' texts. `own` has the runs that are by the reviewer's own model.
    """

    def __init__(
        self,
        scores: Scores,
        lengths: Mapping[Answer, int] | None = None,
        own: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.reviewers = tuple(sorted(scores))
        self.answers = tuple(sorted({answer for given in scores.values() for answer in given}))
        self.questions = tuple(sorted({answer.question for answer in self.answers}))
        self.lengths, self.own = lengths or {}, own or {}
        at = {question: place for place, question in enumerate(self.questions)}
        self.question_of = np.array([at[answer.question] for answer in self.answers], dtype=np.intp)
        self._columns = self._columns_of(scores)
        self.dimensions = tuple(name for name in self._columns if name not in (OVERALL, HOLISTIC, CAPPED))

    def _columns_of(self, scores: Scores) -> dict[str, Column]:
        shape = len(self.reviewers), len(self.answers)
        places = {answer: at for at, answer in enumerate(self.answers)}
        columns: dict[str, Column] = {}
        for row, reviewer in enumerate(self.reviewers):
            for answer, given in scores[reviewer].items():
                for name, score in given.items():
                    column = columns.setdefault(name, Column(np.zeros(shape), np.zeros(shape, dtype=bool)))
                    column.values[row, places[answer]] = score
                    column.given[row, places[answer]] = True
        return columns

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def column(self, name: str) -> Column:
        return self._columns[name]

    def scored(self, *names: str) -> Flags:
        """The answers that all reviewers scored on these."""
        return np.asarray(np.all([self.column(name).given.all(axis=0) for name in names], axis=0))

    @cached_property
    def sizes(self) -> tuple[Numbers, Flags]:
        """The lengths of the answers, and which of them are known."""
        found = [self.lengths.get(answer) for answer in self.answers]
        return np.array([float(size or 0) for size in found]), np.array([size is not None for size in found])

    @property
    def measured(self) -> tuple[str, ...]:
        """The dimensions, and the overall score where it is there."""
        return (*self.dimensions, *((OVERALL,) if OVERALL in self else ()))

    def sums(self, values: Numbers, given: Flags) -> Numbers:
        """Added up for each question."""
        return np.bincount(self.question_of[given], values[given], minlength=len(self.questions)).astype(float)

    def mean(self, values: Numbers, given: Flags) -> Influence:
        """The mean over questions of what their answers have on average."""
        count = self.sums(np.ones(len(given)), given)
        means = np.divide(self.sums(values, given), count, out=np.zeros_like(count), where=count > 0)
        return mean_of(means, count > 0)

    def slope(self, x: Numbers, y: Numbers, given: Flags) -> Influence | None:
        """By how much `y` rises with `x`; None where `x` is the same everywhere."""
        flat = np.where(given, x - x[given].mean(), 0.0)
        spread = float(flat @ flat)
        if spread <= 0:
            return None
        rise = np.where(given, y - y[given].mean(), 0.0)
        value = float(flat @ rise) / spread
        n = len(np.unique(self.question_of[given]))
        # What the slope would be without each question: one with far-off answers pulls it toward itself.
        shares = self.sums(flat * flat, given) / spread
        left = 1 - np.minimum(shares + 1 / n, _MOST_PULL)
        return Influence(value, self.sums(flat * (rise - value * flat), given) / spread / left, n, shares)
