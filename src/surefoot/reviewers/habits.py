"""How a reviewer's scores differ from those of the others on the same answers, by dimension, over a question set.

What an answer deserves cancels out, as it is the same for all who scored it. So a habit that every reviewer has is not
seen here. One that stands out pulls the others' mean and would make them stand out the other way: so the
largest is established first and its reviewer leaves the comparison, until nothing more stands out. All intervals of a
report hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import exp
from typing import Literal

import numpy as np
from msgspec import Struct

from surefoot.core.intervals import Influence, mean_of, reach
from surefoot.core.records import Interval
from surefoot.reviewers.sheet import Flags, Numbers, Sheet

FEWEST_QUESTIONS = 15  # with fewer, chance alone can make any of a hundred figures stand out
FEWEST_FOR_SPREAD = 40  # deviations are more unruly than scores
# Share of reports with a false alarm, by turned signs; as scores pile up at 10 it may be twice that. 5 % is the limit.
ALARMS = 0.015
FEWEST_COMPARED = 2  # reviewers: of two that differ nobody can say which one is off
_FAR = 1.5  # standard deviations
_ROUNDED = 0.25  # what rounding to whole numbers moves a score by
Kind = Literal["shift", "spread", "length", "position", "self_preference"]
KINDS: tuple[Kind, ...] = ("shift", "spread", "length", "position", "self_preference")
_Cell = tuple[Kind, str]  # with the dimension
_Key = tuple[Kind, str, int]  # and the reviewer


class Habit(Struct, frozen=True, kw_only=True):
    """One figure with its interval, or None and the reason.

    shift: points above the others. spread: mean deviation by that of the others. length: points more than the
    others give for twice the length. position: never measured, as each answer was reviewed alone. self_preference:
    points that own answers get beyond the usual shift.
    """

    reviewer: str
    dimension: str
    kind: Kind
    figure: Interval | None = None
    stands_out: bool = False
    against: tuple[str, ...] = ()  # whom the reviewer was compared with
    questions: int = 0
    reason: str = ""


def habits(sheet: Sheet, left_out: Iterable[str] = ()) -> tuple[Habit, ...]:
    """Every habit of every reviewer. Those in `left_out` add nothing, so nobody is held against them."""
    useful = {row for row, who in enumerate(sheet.reviewers) if who not in set(left_out)}
    compared = useful if len(useful) >= FEWEST_COMPARED else set(range(len(sheet.reviewers)))
    groups: dict[_Cell, set[int]] = {(kind, name): set(compared) for kind in KINDS for name in sheet.measured}
    found = {(*cell, row): item for cell, group in groups.items() for row, item in _figures(sheet, cell, group)}
    wide = reach([figure for figure in found.values() if isinstance(figure, Influence)], ALARMS)
    settled = _settle(sheet, groups, found, wide)
    return tuple(_habit(sheet, key, found[key], wide, groups, settled) for key in sorted(found, key=_place))


def _place(key: _Key) -> tuple[int, int, str]:
    return key[2], KINDS.index(key[0]), key[1]


def _settle(sheet: Sheet, groups: dict[_Cell, set[int]], found: dict[_Key, Influence | str], wide: float) -> set[_Key]:
    """Take out the largest habit, look again at its dimension without that reviewer, until none is left.

    The largest and not the clearest: who is pulled by another's habit shows a part of it, however clearly.
    """
    settled: set[_Key] = set()
    while True:
        sizes = {
            key: abs(one.value)
            for key, one in found.items()
            if isinstance(one, Influence) and key not in settled and abs(one.strength) > wide
        }
        key = max(sizes, key=lambda one: (sizes[one], one), default=None)
        if key is None:
            return settled
        settled.add(key)
        cell, group = (key[0], key[1]), groups[key[0], key[1]]
        if key[2] in group and len(group) > FEWEST_COMPARED:
            group.remove(key[2])
            found.update({(*cell, row): item for row, item in _figures(sheet, cell, group)})


def _habit(
    sheet: Sheet,
    key: _Key,
    found: Influence | str,
    wide: float,
    groups: dict[_Cell, set[int]],
    settled: set[_Key],
) -> Habit:
    kind, dimension, row = key
    who = sheet.reviewers[row]
    if isinstance(found, str):
        return Habit(reviewer=who, dimension=dimension, kind=kind, reason=found)
    figure = found.within(wide)
    if kind == "spread":
        figure = Interval(exp(figure.value), exp(figure.low), exp(figure.high))
    against = tuple(sheet.reviewers[other] for other in sorted(groups[kind, dimension] - {row}))
    return Habit(
        reviewer=who, dimension=dimension, kind=kind, figure=figure, against=against, questions=found.n,
        stands_out=key in settled,
    )  # fmt: skip


def _figures(sheet: Sheet, cell: _Cell, group: set[int]) -> Iterator[tuple[int, Influence | str]]:
    """The figure of each reviewer, or why there is none."""
    kind, dimension = cell
    for row in range(len(sheet.reviewers)):
        others = sorted(group - {row})
        if not others:
            yield row, "needs another reviewer"
            continue
        column = sheet.column(dimension)
        theirs, known = column.pooled(others)
        both = column.given[row] & known
        questions = len(np.unique(sheet.question_of[both]))
        if questions < FEWEST_QUESTIONS:
            yield row, f"not enough data: needs {FEWEST_QUESTIONS} questions that others scored too, has {questions}"
            continue
        lead = np.where(both, column.values[row] - theirs, 0.0)
        spreads = kind == "spread"
        yield row, _spread(sheet, dimension, row, others) if spreads else _BY_LEAD[kind](sheet, row, lead, both)


def _shift(sheet: Sheet, _row: int, lead: Numbers, both: Flags) -> Influence | str:
    return sheet.mean(lead, both)


def _length(sheet: Sheet, _row: int, lead: Numbers, both: Flags) -> Influence | str:
    sizes, known = sheet.sizes
    measured = both & known
    questions = len(np.unique(sheet.question_of[measured]))
    if questions < FEWEST_QUESTIONS:
        return f"not enough data: needs {FEWEST_QUESTIONS} questions, has {questions}"
    doublings = np.log2(np.maximum(1, sizes))
    # One answer of unusual length would decide the slope by itself, and chance often has one such.
    middle, far = doublings[known].mean(), _FAR * doublings[known].std()
    near = np.clip(doublings, middle - far, middle + far)
    return sheet.slope(near, lead, measured) or "all answers are equally long"


def _position(_sheet: Sheet, _row: int, _lead: Numbers, _both: Flags) -> Influence | str:
    return "does not apply: each answer was reviewed alone"


def _self_preference(sheet: Sheet, row: int, lead: Numbers, both: Flags) -> Influence | str:
    mine = sheet.own.get(sheet.reviewers[row], frozenset())
    if not mine:
        return "does not apply: none of the answers is by the reviewer's model"
    own = both & np.array([answer.run in mine for answer in sheet.answers])
    ones = np.ones(len(lead))
    counts = sheet.sums(ones, own), sheet.sums(ones, np.asarray(both & ~own))
    shared = np.asarray((counts[0] > 0) & (counts[1] > 0))
    questions = int(shared.sum())
    if questions < FEWEST_QUESTIONS:
        return f"not enough data: needs {FEWEST_QUESTIONS} questions with answers of others too, has {questions}"
    gap = _per(sheet.sums(lead, own), counts[0]) - _per(sheet.sums(lead, np.asarray(both & ~own)), counts[1])
    return mean_of(gap, shared)


def _spread(sheet: Sheet, dimension: str, row: int, others: list[int]) -> Influence | str:
    """The logarithm of the ratio, from answers that all of them scored. Squares would hang on a few answers."""
    column = sheet.column(dimension)
    rows = [row, *others]
    every = np.asarray(column.given[rows].all(axis=0))
    questions = len(np.unique(sheet.question_of[every]))
    if questions < FEWEST_FOR_SPREAD:
        return f"not enough data: needs {FEWEST_FOR_SPREAD} questions that all scored, has {questions}"
    scores = column.values[rows]
    away = np.where(every, np.abs(scores - scores[:, every].mean(axis=1, keepdims=True)), 0.0)
    weights = column.weights[others] / column.weights[others].sum()
    mine, theirs = away[0] + _ROUNDED, weights @ away[1:] + _ROUNDED
    sums = [sheet.sums(values, every) for values in (mine, theirs)]
    value, without = (np.log(a / b) for a, b in (map(np.sum, sums), (one.sum() - one for one in sums)))
    parts = (value - without) * (questions - 1) / questions
    return Influence(float(value), np.where(sums[0] > 0, parts, 0.0), questions)


def _per(total: Numbers, count: Numbers) -> Numbers:
    return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


_BY_LEAD: dict[Kind, Callable[[Sheet, int, Numbers, Flags], Influence | str]] = {
    "shift": _shift, "length": _length, "position": _position, "self_preference": _self_preference,
}  # fmt: skip
