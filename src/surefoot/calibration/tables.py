"""The confusion table of one axis, put back to the shares that its rows have in the run.

Labels are drawn by verdict, flagged answers first, so the table as counted shows too many of those, and a sensitivity
read from it is too high. Each row therefore stands for all answers that have its verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from surefoot.calibration.joining import Answer
from surefoot.calibration.repeats import Labelled, each_counts, labels_count
from surefoot.calibration.results import UNGRADED, Table, Weighed
from surefoot.records import AxisRecord, Interval, Value
from surefoot.stats import ALPHA
from surefoot.stats.correction import Stratum, confusion_draws
from surefoot.stats.intervals import jeffreys

Numbers = NDArray[np.float64]
# What was picked is known, and nothing is inferred from it: as good as labelled without end.
_KNOWN = 1_000_000_000
_FEW = 5  # labels below which a part of a row is taken together with the rest of the row
_DRAWS = 5_000
_DIGITS = 12  # what sums of shares are exact to
_DIGITS_OF_WORTH = 6


class Cell(Struct, frozen=True):
    """Answers that had the same chance to be labelled: how many there are, and what people said of those labelled.

    A label `counts` for less than 1 in intervals where others are on attempts at the same question. Of a certificate,
    `labels` are what they are worth, and no whole numbers.
    """

    verdict: str
    n: int
    labels: Mapping[str, float]
    counts: float = 1.0

    @property
    def m(self) -> float:
        return sum(self.labels.values())


class Part(Struct):
    """A cell in the making, with what people said and of which questions."""

    n: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)

    def add(self, answer: Answer) -> None:
        self.n += 1
        if answer.label is not None:
            self.labels[named(answer.label)] += 1
            self.questions[answer.question_id] += 1

    def __add__(self, other: Part) -> Part:
        return Part(self.n + other.n, self.labels + other.labels, self.questions + other.questions)


Drawn = dict[tuple[str, int, bool], Part]  # by verdict, run and flag


class Confusion(Struct, frozen=True):
    """`rows` are verdicts, `columns` labels; both begin with the values of the axis in the rubric's order.

    An answer `counts` for less than 1 in intervals where questions were asked several times.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    drawn: tuple[Cell, ...]
    chosen: tuple[Cell, ...]
    counts: float = 1.0
    questions: dict[str, Counter[str]] = {}  # by label: how many answers to each question have it

    @property
    def total(self) -> int:
        return sum(cell.n for cell in self.drawn) + sum(cell.n for cell in self.chosen)

    @property
    def labelled(self) -> float:
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

    def labels_count(self, columns: Iterable[str]) -> float:
        """What a labelled answer counts for among all that have one of these labels."""
        return each_counts(sum((self.questions.get(column, Counter()) for column in columns), Counter[str]()))

    def strata(self, bucket: str) -> list[Stratum]:
        """The answers that may be in a bucket, by what is known of them, and as many as they count for."""
        found = self.strata_as_counted(bucket)
        each = [cell.counts for cell in self.drawn] + [1.0] * (len(found) - len(self.drawn))
        return [_scaled(stratum, self.counts, labels) for stratum, labels in zip(found, each, strict=True)]

    def strata_as_counted(self, bucket: str) -> list[Stratum]:
        others = sum(cell.n for cell in self.drawn if cell.verdict != bucket)
        drawn = []
        for cell in self.drawn:
            # The verdicts beside the bucket's own share one guess, each by its size.
            prior = 0.5 if cell.verdict == bucket else cell.n / others / 2
            drawn.append(Stratum(cell.n, cell.m, cell.labels.get(bucket, 0), prior))
        known = Counter[bool]()
        for cell in self.chosen:
            known[bucket in cell.labels] += cell.n
        return drawn + [Stratum(n, _KNOWN, _KNOWN * inside) for inside, n in sorted(known.items())]

    def tally(self) -> Numbers:
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
        times = [cell.counts for cell in self.drawn] + [_KNOWN] * len(self.chosen)
        labels = np.array([[cell.labels.get(column, 0) for column in self.columns] for cell in cells], dtype=float)
        table = (labels * np.array(times)[:, None]).tolist()
        place = np.array([[cell.verdict == row for cell in cells] for row in self.rows], dtype=float)
        sizes = (self.counts * np.array([cell.n for cell in cells])).tolist()
        both = (confusion_draws(table, sizes, seed=seed, draws=_DRAWS, unseen=unseen) for unseen in (True, False))
        with_unseen, without = (np.asarray(np.einsum("rc,dcl->drl", place, by_cell)) for by_cell in both)
        return with_unseen, without

    def table(self, cells: Iterable[Cell]) -> Table:
        labelled = [cell for cell in cells if cell.m]
        counts = self._summed((cell.verdict, cell.labels) for cell in labelled)
        rows = {cell.verdict for cell in labelled}
        return {
            row: dict(zip(self.columns, map(int, line), strict=True))
            for row, line in zip(self.rows, counts, strict=True)
            if row in rows
        }

    def worth(self) -> Weighed:
        """By verdict, what its drawn labels are worth as labels on all answers with it; without rows as in the table.

        Where a cell has fewer labels for its size than another, its labels weigh more and all together are worth less.
        """
        counted, found = self.table(self.drawn), Weighed()
        for row, labels in counted.items():
            cells = [cell for cell in self.drawn if cell.verdict == row and cell.m]
            sizes = np.array([cell.n for cell in cells]) / sum(cell.n for cell in cells)
            shares = np.array([[cell.labels.get(column, 0) / cell.m for column in labels] for cell in cells])
            whole = 1 / (sizes**2 / [cell.m * cell.counts for cell in cells]).sum()
            weighed = (whole * (sizes @ shares)).round(_DIGITS_OF_WORTH).tolist()
            if weighed != list(labels.values()):
                found[row] = dict(zip(labels, weighed, strict=True))
        return found

    def answers_worth(self) -> float | None:
        """How many answers all of them count for; None where each counts for itself."""
        return round(self.counts * self.total, _DIGITS_OF_WORTH) if self.counts < 1 else None

    def answers(self) -> dict[str, int]:
        found = Counter[str]()
        for cell in (*self.drawn, *self.chosen):
            found[cell.verdict] += cell.n
        return {row: found[row] for row in self.rows if found[row]}

    def _summed(self, cells: Iterable[tuple[str, Mapping[str, float]]]) -> Numbers:
        found = np.zeros((len(self.rows), len(self.columns)))
        for verdict, labels in cells:
            for label, count in labels.items():
                found[self.rows.index(verdict), self.columns.index(label)] += count
        return found


def confusion_of(answers: Sequence[Answer], values: Sequence[Value], *, by_flag: bool) -> Confusion:
    """The table of an axis. `by_flag`: labels were drawn by whether an answer was flagged on another axis."""
    drawn: Drawn = {}
    chosen = Counter[tuple[str, str]]()
    questions: dict[str, Counter[str]] = {}
    some_are_left = any(answer.label is None for answer in answers)  # else none was picked before another
    for answer in answers:
        verdict = named(answer.verdict)
        if answer.label is not None:
            questions.setdefault(named(answer.label), Counter())[answer.question_id] += 1
        if some_are_left and answer.chosen and answer.label is not None:
            chosen[verdict, named(answer.label)] += 1
        else:
            drawn.setdefault((verdict, answer.run, by_flag and bool(answer.flagged)), Part()).add(answer)
    columns = [*map(named, values), *_others(set(questions), values)]
    rows = [*columns, *_others({verdict for verdict, _, _ in drawn} | {verdict for verdict, _ in chosen}, columns)]
    return Confusion(
        tuple(rows),
        tuple(columns),
        tuple(_cells(rows, drawn)),
        tuple(Cell(verdict, n, {label: n}) for (verdict, label), n in sorted(chosen.items())),
        each_counts(Counter(answer.question_id for answer in answers)),
        questions,
    )


def from_certificate(record: AxisRecord, values: Sequence[Value]) -> Confusion:
    """The table a certificate keeps, its labels as what they are worth."""
    table, answers = record.table, record.answers
    columns = [*map(named, values), *_others({label for row in table.values() for label in row}, values)]
    rows = [*columns, *_others({*table, *answers}, columns)]
    labels = record.weighed
    cells = [Cell(row, max(answers.get(row, 0), sum(table.get(row, {}).values())), labels.get(row, {})) for row in rows]
    counts = record.answers_worth / sum(answers.values()) if record.answers_worth else 1.0
    return Confusion(tuple(rows), tuple(columns), tuple(cell for cell in cells if cell.n), (), counts)


def named(value: Value) -> str:
    return UNGRADED if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def interval_of(value: float, views: Iterable[Numbers]) -> Interval:
    """The middle 95 % of the draws in either view, and the value itself."""
    ends = [np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2]) for draws in views]
    low, high = min(float(low) for low, _ in ends), max(float(high) for _, high in ends)
    return Interval(*(round(end, _DIGITS) for end in (value, min(value, low), max(value, high))))


def share_of(hits: float, whole: float, each: float) -> Interval:
    """Jeffreys' interval of a plain share, where every one of the `whole` counts for `each`."""
    low, high = jeffreys(hits * each, whole * each)
    return Interval(hits / whole, min(low, hits / whole), max(high, hits / whole))


def _scaled(stratum: Stratum, answers: float, labels: float) -> Stratum:
    return Stratum(stratum.n * answers, stratum.m * labels, stratum.k * labels, stratum.prior)


def _others(found: set[str], known: Sequence[Value]) -> list[str]:
    return sorted(found - set(map(named, known)), key=lambda name: (name == UNGRADED, name))


def _cells(rows: Sequence[str], drawn: Drawn) -> list[Cell]:
    """One cell per row, run and flag; where one has few labels, the row is one cell."""
    cells: list[tuple[str, Part]] = []
    for row in rows:
        parts = [part for key, part in sorted(drawn.items(), key=lambda item: item[0]) if key[0] == row]
        if len(parts) > 1 and _go_together(parts):
            parts = [sum(parts[1:], parts[0])]
        cells += [(row, part) for part in parts]
    counts = labels_count([Labelled(part.n, part.questions) for _, part in cells])
    return [Cell(row, part.n, dict(part.labels), each) for (row, part), each in zip(cells, counts, strict=True)]


def _go_together(parts: Sequence[Part]) -> bool:
    """True where a part has too few labels of its own, unless these few speak for many answers: not to be drowned."""
    n, m = sum(part.n for part in parts), sum(part.labels.total() for part in parts)
    few = [part for part in parts if part.labels.total() < _FEW]
    return bool(few) and not any(0 < 2 * part.labels.total() * n < part.n * m for part in few)
