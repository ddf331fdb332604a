"""How many independent votes the reviewers amount to over a question set, and which of them add nothing.

Three things make a vote worth less than one: it follows nobody (noise), it repeats another one (a copy), or two err
alike. Only what some reviewers share is seen; an error that all of them share needs labels by people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import atanh, sqrt, tanh
from statistics import median

import numpy as np
from msgspec import Struct

from surefoot.core.intervals import Influence, mean_of, reach
from surefoot.core.records import Interval
from surefoot.reviewers.habits import FEWEST_QUESTIONS
from surefoot.reviewers.sheet import OVERALL, ROUNDING, Column, Flags, Numbers, Sheet

FEWEST_FOR_NOISE, FEWEST_FOR_COPIES, FEWEST_FOR_SHARED = 3, 3, 4  # reviewers
# Noise is who agrees with the others less than half as well as they usually do. Less than full agreement is expected.
_HALF = 0.5
_CLOSER = 0.25  # a copy is at most this far from its twin, in what is between either and the nearest third
ALARMS_ALIKE = 0.01  # share of reports in which two are falsely said to err alike
_ALMOST_ONE = 1 - 1e-9
Pair = tuple[int, int]


class Useless(Struct, frozen=True):
    """A reviewer whose votes may be saved."""

    reviewer: str
    why: str


class Alike(Struct, frozen=True):
    """Two reviewers who err alike: the correlation of what is wrong with their overall scores."""

    reviewers: tuple[str, str]
    correlation: Interval


class Voices(Struct, frozen=True):
    """`effective_votes` None: not measured, and `reason` says why."""

    effective_votes: Interval | None = None
    votes: int = 0
    adds_nothing: tuple[Useless, ...] = ()
    alike: tuple[Alike, ...] = ()
    reason: str = ""


def voices(sheet: Sheet) -> Voices:
    size = len(sheet.reviewers)
    names = (OVERALL,) if OVERALL in sheet else sheet.dimensions
    shared = sheet.scored(*names)
    questions = len(np.unique(sheet.question_of[shared]))
    if size < 2 or questions < FEWEST_QUESTIONS:
        reason = f"not enough data: needs 2 reviewers who all scored answers to {FEWEST_QUESTIONS} questions"
        return Voices(votes=size, reason=f"{reason}; there are {size} and {questions}")
    noise = _noise(sheet, names, shared)
    copies = _copies(sheet, [row for row in range(size) if row not in noise])
    left = [row for row in range(size) if row not in noise and row not in copies]
    useless = tuple(Useless(sheet.reviewers[row], why) for row, why in sorted((noise | copies).items()))
    if len(left) < FEWEST_FOR_SHARED:
        few = f"errors that two reviewers share are seen from {FEWEST_FOR_SHARED} useful reviewers on"
        return Voices(votes=size, adds_nothing=useless, reason=f"{few}, and there are {len(left)}")
    alike, votes = _alike(sheet, left, names)
    return Voices(votes, size, useless, alike)


def _totals(sheet: Sheet, names: Sequence[str]) -> Numbers:
    return np.asarray(np.mean([sheet.column(name).values for name in names], axis=0))


def _noise(sheet: Sheet, names: Sequence[str], shared: Flags) -> dict[int, str]:
    """Who scores as if without a look at the answers."""
    size = len(sheet.reviewers)
    if size < FEWEST_FOR_NOISE:
        return {}
    table = _totals(sheet, names)
    column = Column(table, np.broadcast_to(shared, table.shape))
    found: dict[int, Influence] = {}
    for row in range(size):
        others, _ = column.pooled([other for other in range(size) if other != row])
        found[row] = _agreement(sheet, table[row], others, shared)
    wide = reach(list(found.values()))
    noise = {}
    for row, one in found.items():
        usual = tanh(median(other.value for place, other in found.items() if place != row))
        limit = one.within(wide)
        if tanh(limit.high) < _HALF * usual:
            noise[row] = f"its scores hardly follow the answers: agreement with the others is {tanh(one.value):.2f}"
            noise[row] += f" (at most {tanh(limit.high):.2f}), while {usual:.2f} is usual here"
    return noise if size - len(noise) >= 2 else {}


def _agreement(sheet: Sheet, one: Numbers, other: Numbers, shared: Flags) -> Influence:
    """Fisher's z of the correlation. Who always gives the same score agrees with nobody."""
    n = len(np.unique(sheet.question_of[shared]))
    scaled = []
    for values in (one, other):
        flat = np.where(shared, values - values[shared].mean(), 0.0)
        spread = sqrt(float(flat @ flat) / int(shared.sum()))
        scaled.append(flat / spread if spread else flat)
    x, y = scaled
    r = max(-_ALMOST_ONE, min(_ALMOST_ONE, float(x @ y) / int(shared.sum())))
    parts = sheet.sums(x * y - r * (x * x + y * y) / 2, shared) / int(shared.sum()) / (1 - r * r)
    return Influence(atanh(r), parts, n)


def _copies(sheet: Sheet, rows: Sequence[int]) -> dict[int, str]:
    """Who repeats another reviewer: closer than two minds that round to whole numbers can be, and far from thirds."""
    if len(rows) < FEWEST_FOR_COPIES:
        return {}
    apart = _distances(sheet, rows, sheet.dimensions or sheet.measured)
    wide = reach(list(apart.values()))
    copies: dict[int, str] = {}
    for one, other in combinations(rows, 2):
        thirds = [d.value for pair, d in apart.items() if ({one, other} & set(pair)) and pair != (one, other)]
        high = apart[one, other].within(wide).high
        if one not in copies and high < min(2 * ROUNDING, _CLOSER * min(thirds)):
            copies[other] = f"repeats {sheet.reviewers[one]}, or the other way round: one of the two is enough"
    return copies


def _distances(sheet: Sheet, rows: Sequence[int], names: Sequence[str]) -> dict[Pair, Influence]:
    """The mean squared difference of every two reviewers, their levels taken out."""
    found = {}
    for one, other in combinations(rows, 2):
        total, count = np.zeros(len(sheet.questions)), np.zeros(len(sheet.questions))
        for name in names:
            column = sheet.column(name)
            both = column.given[one] & column.given[other]
            if both.any():
                gap = column.values[one] - column.values[other]
                total += sheet.sums((gap - gap[both].mean()) ** 2, both)
                count += sheet.sums(np.ones(len(both)), both)
        means = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
        found[one, other] = mean_of(means, count > 0)
    return found


def _alike(sheet: Sheet, rows: Sequence[int], names: Sequence[str]) -> tuple[tuple[Alike, ...], Interval]:
    """The pairs that err alike, clearest first, and how many votes those of `rows` amount to.

    If all erred on their own, the distance of two were the sum of what either errs by. A pair that is closer shares
    some of its errors.
    """
    apart = _distances(sheet, rows, names)
    flagged: list[Pair] = []
    open_ = {pair: _in_common(apart, rows, [pair]) for pair in apart}
    wide = reach(list(open_.values()), ALARMS_ALIKE)
    while open_:
        # Of four, two pairs look the same from here: then it is the closer one that shares.
        clearest = max(open_, key=lambda pair: (round(open_[pair].strength, 6), -apart[pair].value))
        if open_[clearest].strength <= wide:
            break
        flagged.append(clearest)
        rest = [pair for pair in apart if pair not in flagged]
        open_ = {pair: _in_common(apart, rows, [*flagged, pair]) for pair in rest if _is_settled(rest, rows, pair)}
    errors = dict(zip(rows, _errors(apart, rows, flagged) @ _values(apart), strict=True))
    limits = {
        pair: _correlation(_in_common(apart, rows, flagged or [pair], pair), pair, errors, wide) for pair in apart
    }
    sharing = [limits[pair] for pair in flagged]
    most = sum(one.high for one in sharing) if sharing else max(one.high for one in limits.values())
    totals = sum(one.value for one in sharing), most, sum(one.low for one in sharing)
    named = [(sheet.reviewers[one], sheet.reviewers[other]) for one, other in flagged]
    alike = tuple(Alike(pair, limit) for pair, limit in zip(named, sharing, strict=True))
    return alike, Interval(*(_worth(len(rows), total) for total in totals))


def _worth(size: int, shared: float) -> float:
    """The number of independent votes whose mean errs as much as that of `size` votes with these correlations."""
    return size**2 / (size + 2 * shared)


def _design(pairs: Sequence[Pair], rows: Sequence[int]) -> Numbers:
    return np.array([[float(row in pair) for row in rows] for pair in pairs])


def _values(apart: Mapping[Pair, Influence]) -> Numbers:
    return np.array([one.value for one in apart.values()])


def _is_settled(rest: Sequence[Pair], rows: Sequence[int], pair: Pair) -> bool:
    """Whether the other pairs still say what each reviewer errs by."""
    return bool(np.linalg.matrix_rank(_design([one for one in rest if one != pair], rows)) == len(rows))


def _errors(apart: Mapping[Pair, Influence], rows: Sequence[int], without: Sequence[Pair]) -> Numbers:
    """What turns the distances into the variance of each reviewer's own errors, by the pairs that share none."""
    kept = [at for at, pair in enumerate(apart) if pair not in without]
    turned = np.zeros((len(rows), len(apart)))
    turned[:, kept] = np.linalg.pinv(_design([pair for pair in apart if pair not in without], rows))
    return turned


def _in_common(
    apart: Mapping[Pair, Influence], rows: Sequence[int], without: Sequence[Pair], pair: Pair | None = None
) -> Influence:
    """The covariance of two reviewers' errors; they are the last of `without` unless given."""
    two = pair or without[-1]
    weights = _errors(apart, rows, without)[[rows.index(two[0]), rows.index(two[1])]].sum(axis=0)
    weights[list(apart).index(two)] -= 1
    parts = sum((weight * one.parts for weight, one in zip(weights, apart.values(), strict=True)), start=np.zeros(1))
    return Influence(float(weights @ _values(apart)) / 2, parts / 2, min(one.n for one in apart.values()))


def _correlation(common: Influence, pair: Pair, errors: Mapping[int, float], wide: float) -> Interval:
    scale = sqrt(max(ROUNDING, errors[pair[0]]) * max(ROUNDING, errors[pair[1]]))
    limit = common.within(wide)
    return Interval(*(max(0.0, min(1.0, value / scale)) for value in (limit.value, limit.low, limit.high)))
