"""From votes to an order. Scores are pointwise; the order is derived from them, never asked for.

Reviewers differ in how high they score and how far they spread. So the order is that of the mean z-score: each vote
less the reviewer's level, by the reviewer's spread. With few answers a spread is hardly known, so it is drawn toward
the spread that all reviewers share. Borda points check the result: where the two disagree, answers are declared tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from math import sqrt
from statistics import fmean, mean

from msgspec import Struct

TOLERANCE = 1e-9
# The shared spread counts like this many further answers of a reviewer. With none, a reviewer who gave 8, 8 and 7.9
# would be as sure of the difference as one who gave 9, 6 and 2; with many, one who scores at random gets more say.
PRIOR_ANSWERS = 1
_ROUNDS = 1_000

Table = dict[str, dict[str, float]]  # reviewer -> label -> score


class Vote(Struct, frozen=True):
    """What one ballot says about one answer: its overall score, capped, or None and why."""

    reviewer: str
    label: str
    value: float | None = None
    uncapped: float | None = None
    capped_by: tuple[str, ...] = ()
    scores: dict[str, float] = {}
    missing: tuple[str, ...] = ()
    holistic: bool = False
    own: bool = False  # the reviewer's own answer: on record, never counted
    reason: str = ""
    unused: str = ""  # scores on dimensions that do not apply, as the answer counts as a refusal or not

    @property
    def counts(self) -> bool:
        return self.value is not None and not self.own


class Standing(Struct, frozen=True):
    """Where an answer stands: its z-mean (None where no spread is known) and its Borda points."""

    label: str
    mean: float
    z: float | None
    borda: float

    @property
    def strength(self) -> float:
        return self.mean if self.z is None else self.z


def table_of(votes: Iterable[Vote], *, capped: bool = True) -> Table:
    """The scores that count. For bias they are taken uncapped: a ceiling is ours and not the reviewer's."""
    table: Table = {}
    for vote in votes:
        score = vote.value if capped else vote.uncapped
        if score is not None and not vote.own:
            table.setdefault(vote.reviewer, {})[vote.label] = score
    return table


def standings(table: Table) -> list[Standing]:
    """Every scored answer, best first; ties in the order of their mean, then of their label."""
    means = {label: mean(row[label] for row in table.values() if label in row) for label in labels_of(table)}
    z, points = z_means(table), borda(table)
    found = [Standing(label, means[label], z.get(label), points[label]) for label in means]
    found.sort(key=lambda one: (-round(one.strength, 9), *_by_mean(one)))
    return [one for group in tied(found) for one in sorted(group, key=_by_mean)]


def _by_mean(one: Standing) -> tuple[float, str]:
    return -round(one.mean, 9), one.label


def tied(ordered: Sequence[Standing]) -> list[list[Standing]]:
    """The answers in groups, best first; those of one group are tied.

    Two answers are tied if they are equally strong, or if Borda puts them the other way round. All that stand between
    two tied answers disagree with one of them, so groups are always neighbours.
    """
    groups: list[list[Standing]] = []
    for one in ordered:
        first = next((i for i, group in enumerate(groups) if any(_is_tie(other, one) for other in group)), len(groups))
        groups[first:] = [[*(other for group in groups[first:] for other in group), one]]
    return groups


def _is_tie(one: Standing, other: Standing) -> bool:
    """Whether an answer and one that comes after it are tied."""
    return one.strength - other.strength <= TOLERANCE or other.borda - one.borda > TOLERANCE


def labels_of(table: Table) -> list[str]:
    return sorted({label for row in table.values() for label in row})


def z_means(table: Table) -> dict[str, float]:
    """Each answer's mean z-score; empty if no reviewer scored two answers, so that no spread is known."""
    spreads = shrunk_spreads(table)
    if not spreads:
        return {}
    levels, _ = fit(table)
    scores: dict[str, list[float]] = {}
    for reviewer, row in table.items():
        for label, value in row.items():
            spread = spreads[reviewer]
            scores.setdefault(label, []).append((value - levels[reviewer]) / spread if spread else 0.0)
    return {label: fmean(values) for label, values in scores.items()}


def shrunk_spreads(table: Table) -> dict[str, float]:
    """Each reviewer's standard deviation, drawn toward the pooled one; empty if there is none."""
    free = {reviewer: len(row) - 1 for reviewer, row in table.items()}
    if not sum(free.values()):
        return {}
    squares = {reviewer: sum((v - fmean(row.values())) ** 2 for v in row.values()) for reviewer, row in table.items()}
    pooled = sqrt(sum(squares.values()) / sum(free.values()))
    own = {reviewer: sqrt(squares[reviewer] / free[reviewer]) if free[reviewer] else pooled for reviewer in table}
    return {
        reviewer: (free[reviewer] * own[reviewer] + PRIOR_ANSWERS * pooled) / (free[reviewer] + PRIOR_ANSWERS)
        for reviewer in table
    }


def fit(table: Table) -> tuple[dict[str, float], Table]:
    """What each reviewer gives to an average answer, and what neither the reviewer nor the answer explains.

    The level is the reviewer's mean if everybody scored everything. Where votes are missing - one's own answer is not
    voted on - the mean would depend on how good the missing ones are; so answers and reviewers are fitted together.
    """
    labels = labels_of(table)
    offsets = dict.fromkeys(table, 0.0)
    for _ in range(_ROUNDS):
        answers = _answers(table, labels, offsets)
        found = {who: fmean(value - answers[label] for label, value in row.items()) for who, row in table.items()}
        moved = max((abs(found[who] - offsets[who]) for who in table), default=0.0)
        offsets = found
        if moved < TOLERANCE / 1_000:
            break
    average = fmean(answers.values()) if answers else 0.0
    levels = {who: offset + average for who, offset in offsets.items()}
    answers = _answers(table, labels, levels)
    residuals = {
        who: {label: value - levels[who] - answers[label] for label, value in row.items()} for who, row in table.items()
    }
    return levels, residuals


def _answers(table: Table, labels: Sequence[str], levels: dict[str, float]) -> dict[str, float]:
    """What is left of each answer's mean score without its reviewers' levels."""
    return {label: fmean(row[label] - levels[who] for who, row in table.items() if label in row) for label in labels}


def borda(table: Table) -> dict[str, float]:
    """Points for every answer that a ballot puts below, half for every equal one, summed over ballots.

    Where a ballot leaves one of two answers out, the two count as the other ballots have them: leaving out the vote on
    an own answer pushes nobody down. Two answers that no ballot has both of count as equal.
    """
    points = dict.fromkeys(labels_of(table), 0.0)
    for one, other in permutations(points, 2):
        shares = [_points(row[one], row[other]) for row in table.values() if one in row and other in row]
        points[one] += (fmean(shares) if shares else 0.5) * len(table)
    return {label: round(total, 9) for label, total in points.items()}


def _points(value: float, other: float) -> float:
    return 0.5 if abs(value - other) <= TOLERANCE else float(value > other)
