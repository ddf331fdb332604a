"""The confusion table of one axis, put back to the shares that its rows have in the run.

Labels are drawn by verdict, flagged answers first, so the table as counted shows too many of those, and a sensitivity
read from it is too high. Each row therefore stands for all answers that have its verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.calibration.joining import Answer
from surefoot.calibration.results import UNGRADED, Table
from surefoot.records import Interval, Value
from surefoot.stats import ALPHA
from surefoot.stats.correction import Stratum, confusion_draws

Numbers = NDArray[np.float64]
# By verdict, run and flag: how many answers, and what people said of those labelled.
Drawn = dict[tuple[str, int, bool], tuple[int, Counter[str]]]
# What was picked is known, and nothing is inferred from it: as good as labelled without end.
_KNOWN = 1_000_000_000
_FEW = 5  # labels below which a part of a row is taken together with the rest of the row
_DRAWS = 5_000
_DIGITS = 12  # what sums of shares are exact to


class Cell(Struct, frozen=True):
    """Answers that had the same chance to be labelled: how many there are, and what people said of those labelled."""

    verdict: str
    n: int
    labels: dict[str, int]

    @property
    def m(self) -> int:
        return sum(self.labels.values())


class Confusion(Struct, frozen=True):
    """`rows` are verdicts, `columns` labels; both begin with the values of the axis in the rubric's order."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    drawn: tuple[Cell, ...]
    chosen: tuple[Cell, ...]

    @property
    def total(self) -> int:
        return sum(cell.n for cell in self.drawn) + sum(cell.n for cell in self.chosen)

    @property
    def labelled(self) -> int:
        return sum(cell.m for cell in self.drawn) + sum(cell.m for cell in self.chosen)

    @property
    def complete(self) -> bool:
        return self.labelled == self.total

    @property
    def speaks_for_all(self) -> bool:
        """Some labels are on answers drawn by chance; what was picked speaks for itself alone."""
        return any(cell.m for cell in self.drawn)

    def is_plain(self, verdict: str) -> bool:
        """The counts can be read as they are: all is labelled, or the verdict is never given, or always."""
        given = self.answers()
        return self.complete or len(given) == 1 or verdict not in given

    def strata(self, bucket: str) -> list[Stratum]:
        """The answers that may be in a bucket, by what is known of them."""
        others = sum(cell.n for cell in self.drawn if cell.verdict != bucket)
        drawn = [
            # The verdicts beside the bucket's own share one guess, each by its size.
            Stratum(cell.n, cell.m, cell.labels.get(bucket, 0), 0.5 if cell.verdict == bucket else cell.n / others / 2)
            for cell in self.drawn
        ]
        known = Counter[bool]()
        for cell in self.chosen:
            known[bucket in cell.labels] += cell.n
        return drawn + [Stratum(n, _KNOWN, _KNOWN * inside) for inside, n in sorted(known.items())]

    def counts(self) -> Numbers:
        """Labelled answers, (rows, columns)."""
        return self._summed((cell.verdict, cell.labels) for cell in (*self.drawn, *self.chosen))

    def shares(self) -> Numbers:
        """What the counts say of all answers; rows that nobody labelled say nothing."""
        scaled = (
            (cell.verdict, {label: cell.n * count / cell.m for label, count in cell.labels.items()})
            for cell in (*self.drawn, *self.chosen)
            if cell.m
        )
        found = self._summed(scaled)
        return np.asarray(found / found.sum())

    def views(self, seed: int = 0) -> tuple[Numbers, Numbers]:
        """What the shares may be, (draws, rows, columns): if confusions that nobody has seen occur, and if they do not.

        An interval covers both, or the guess about unseen ones would decide it.
        """
        cells = (*self.drawn, *self.chosen)
        times = [1] * len(self.drawn) + [_KNOWN] * len(self.chosen)
        table = [[cell.labels.get(c, 0) * x for c in self.columns] for cell, x in zip(cells, times, strict=True)]
        place = np.array([[cell.verdict == row for cell in cells] for row in self.rows], dtype=float)
        sizes = [cell.n for cell in cells]
        both = (confusion_draws(table, sizes, seed=seed, draws=_DRAWS, unseen=unseen) for unseen in (True, False))
        with_unseen, without = (np.asarray(np.einsum("rc,dcl->drl", place, by_cell)) for by_cell in both)
        return with_unseen, without

    def table(self, cells: Iterable[Cell]) -> Table:
        found: dict[str, Counter[str]] = {}
        for cell in cells:
            if cell.m:
                found.setdefault(cell.verdict, Counter()).update(cell.labels)
        return {row: {c: found[row][c] for c in self.columns} for row in self.rows if row in found}

    def answers(self) -> dict[str, int]:
        found = Counter[str]()
        for cell in (*self.drawn, *self.chosen):
            found[cell.verdict] += cell.n
        return {row: found[row] for row in self.rows if found[row]}

    def _summed(self, cells: Iterable[tuple[str, dict[str, int] | dict[str, float]]]) -> Numbers:
        found = np.zeros((len(self.rows), len(self.columns)))
        for verdict, labels in cells:
            for label, count in labels.items():
                found[self.rows.index(verdict), self.columns.index(label)] += count
        return found


def confusion_of(answers: Sequence[Answer], values: Sequence[Value], *, by_flag: bool) -> Confusion:
    """The table of an axis. `by_flag`: labels were drawn by whether an answer was flagged on another axis."""
    drawn: Drawn = {}
    chosen = Counter[tuple[str, str]]()
    some_are_left = any(answer.label is None for answer in answers)  # else none was picked before another
    for answer in answers:
        verdict = named(answer.verdict)
        if some_are_left and answer.chosen and answer.label is not None:
            chosen[verdict, named(answer.label)] += 1
            continue
        key = (verdict, answer.run, by_flag and bool(answer.flagged))
        n, labels = drawn.get(key, (0, Counter()))
        labels.update([named(answer.label)] if answer.label is not None else [])
        drawn[key] = (n + 1, labels)
    said = {label for _, labels in drawn.values() for label in labels} | {label for _, label in chosen}
    columns = [*map(named, values), *_others(said, values)]
    rows = [*columns, *_others({verdict for verdict, _, _ in drawn} | {verdict for verdict, _ in chosen}, columns)]
    return Confusion(
        tuple(rows),
        tuple(columns),
        tuple(_cells(rows, drawn)),
        tuple(Cell(verdict, n, {label: n}) for (verdict, label), n in sorted(chosen.items())),
    )


def from_certificate(table: Table, answers: dict[str, int], values: Sequence[Value]) -> Confusion:
    """The table a certificate keeps."""
    columns = [*map(named, values), *_others({label for row in table.values() for label in row}, values)]
    rows = [*columns, *_others({*table, *answers}, columns)]
    cells = [Cell(row, max(answers.get(row, 0), sum(table.get(row, {}).values())), table.get(row, {})) for row in rows]
    return Confusion(tuple(rows), tuple(columns), tuple(cell for cell in cells if cell.n), ())


def named(value: Value) -> str:
    return UNGRADED if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def interval_of(value: float, views: Iterable[Numbers]) -> Interval:
    """The middle 95 % of the draws in either view, and the value itself."""
    ends = [np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2]) for draws in views]
    low, high = min(float(low) for low, _ in ends), max(float(high) for _, high in ends)
    return Interval(*(round(end, _DIGITS) for end in (value, min(value, low), max(value, high))))


def _others(found: set[str], known: Sequence[Value]) -> list[str]:
    return sorted(found - set(map(named, known)), key=lambda name: (name == UNGRADED, name))


def _cells(rows: Sequence[str], drawn: Drawn) -> list[Cell]:
    """One cell per row, run and flag; where one has few labels, the row is one cell."""
    cells = []
    for row in rows:
        parts = [part for key, part in sorted(drawn.items(), key=lambda item: item[0]) if key[0] == row]
        if len(parts) > 1 and min(labels.total() for _, labels in parts) < _FEW:
            parts = [(sum(n for n, _ in parts), sum((labels for _, labels in parts), Counter[str]()))]
        cells += [Cell(row, n, dict(labels)) for n, labels in parts]
    return cells
