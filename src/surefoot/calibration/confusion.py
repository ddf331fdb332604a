"""The confusion table of one axis, put back to the shares that its rows have in the run.

Labels are drawn by verdict, flagged answers first, so the table as counted shows too many of those, and a sensitivity
read from it is too high. Each row therefore stands for all answers that have its verdict.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.calibration.answers import FACTUALITY, Answer
from surefoot.calibration.results import UNGRADED, Table
from surefoot.core.intervals import (
    Labelled,
    Member,
    Numbers,
    Stratum,
    alikeness,
    confusion_draws,
    each_counts,
    labels_count,
)
from surefoot.core.records import Value
from surefoot.core.rubric import Axis

Mask = NDArray[np.bool_]
Kind = Callable[[str], str]  # which values are taken together, in a column
# What was picked is known, and nothing is inferred from it: as good as labelled without end.
_KNOWN = 1_000_000_000
_FEW = 5  # labels below which a part of a row is taken together with the rest of the row
_DRAWS = 4_000
_LARGEST_COUNT = 20  # above, a count is a number and no set of buckets


class Batch(Struct, frozen=True):
    """Answers that had the same chance to be labelled: how many there are, and what people said of those labelled.

    A label `counts` for less than 1 in intervals where others go together with it.
    """

    verdict: str
    n: int
    labels: Mapping[str, int]
    counts: float = 1.0

    @property
    def m(self) -> int:
        return sum(self.labels.values())


class Confusion(Struct, frozen=True, dict=True):
    """`rows` are verdicts, `columns` kinds of labels, in the rubric's order; an answer `counts` for 1 or less."""

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    drawn: tuple[Batch, ...] = ()
    chosen: tuple[Batch, ...] = ()
    counts: float = 1.0
    members: dict[tuple[str, str], Counter[Member]] = {}  # the labelled answers by verdict and label
    alike: float = 0.0  # how far answers on one document go together
    kind: Kind = str

    @property
    def batches(self) -> tuple[Batch, ...]:
        return (*self.drawn, *self.chosen)

    @property
    def total(self) -> int:
        return sum(batch.n for batch in self.batches)

    @property
    def labelled(self) -> int:
        return sum(batch.m for batch in self.batches)

    @property
    def picked(self) -> int:
        return sum(batch.n for batch in self.chosen)

    @property
    def complete(self) -> bool:
        return self.labelled == self.total

    def drawn_by_verdict(self) -> tuple[Counter[str], Counter[str]]:
        """Of the answers that were not picked: how many have each verdict, and how many of these are labelled."""
        answers, labelled = Counter[str](), Counter[str]()
        for batch in self.drawn:
            answers[batch.verdict] += batch.n
            labelled[batch.verdict] += batch.m
        return answers, labelled

    def graded(self, kind: str) -> Mask:
        """The part of the table where the verdict is of this kind."""
        return np.array([[self.kind(row) == kind] * len(self.columns) for row in self.rows], dtype=bool)

    def labelled_as(self, kind: str) -> Mask:
        return np.array([[column == kind for column in self.columns]] * len(self.rows), dtype=bool)

    def labels_count(self, part: Mask) -> float:
        """What a labelled answer in this part of the table counts for among all in it."""
        inside = (self.members.get((self.rows[row], self.columns[column])) for row, column in np.argwhere(part))
        return each_counts(sum(filter(None, inside), Counter[Member]()), self.alike)

    def strata(self, bucket: str, *, as_counted: bool = False) -> list[Stratum]:
        """The answers that may be in a bucket, by what is known of them, and as many as they count for."""
        others = sum(batch.n for batch in self.drawn if self.kind(batch.verdict) != bucket)
        found = []
        for batch in self.drawn:
            # The verdicts beside the bucket's own share one guess, each by its size.
            prior = 0.5 if self.kind(batch.verdict) == bucket else batch.n / others / 2
            answers, each = (1.0, 1.0) if as_counted else (self.counts, batch.counts)
            found.append(Stratum(batch.n * answers, batch.m * each, batch.labels.get(bucket, 0) * each, prior))
        known = Counter[bool]()
        for batch in self.chosen:
            known[bucket in batch.labels] += batch.n
        scale = 1.0 if as_counted else self.counts
        return found + [Stratum(n * scale, _KNOWN, _KNOWN * inside) for inside, n in sorted(known.items())]

    @cached_property
    def tally(self) -> Numbers:
        """Labelled answers, (rows, columns)."""
        return self._summed((batch.verdict, batch.labels) for batch in self.batches)

    @cached_property
    def shares(self) -> Numbers:
        """What the counts say of all answers; rows that nobody labelled say nothing."""
        scaled = (
            (batch.verdict, {label: batch.n * count / batch.m for label, count in batch.labels.items()})
            for batch in self.batches
            if batch.m
        )
        found = self._summed(scaled)
        return np.asarray(found / found.sum())

    @cached_property
    def views(self) -> tuple[Numbers, Numbers]:
        """What the shares may be, (draws, rows, columns): if confusions that nobody has seen occur, and if they do not.

        An interval covers both, or the guess about unseen ones would decide it.
        """
        times = [batch.counts for batch in self.drawn] + [_KNOWN] * len(self.chosen)
        labels = np.array(
            [[batch.labels.get(column, 0) for column in self.columns] for batch in self.batches], dtype=float
        )
        table = labels * np.array(times)[:, None]
        place = np.array([[batch.verdict == row for batch in self.batches] for row in self.rows], dtype=float)
        sizes = self.counts * np.array([batch.n for batch in self.batches])
        both = (confusion_draws(table, sizes, draws=_DRAWS, unseen=unseen) for unseen in (True, False))
        with_unseen, without = (np.asarray(np.einsum("rc,dcl->drl", place, by_cell)) for by_cell in both)
        return with_unseen, without

    def table(self, batches: Iterable[Batch]) -> Table:
        labelled = [batch for batch in batches if batch.m]
        counts = self._summed((batch.verdict, batch.labels) for batch in labelled)
        given = {batch.verdict for batch in labelled}
        lines = zip(self.rows, counts, strict=True)
        return {row: dict(zip(self.columns, map(int, line), strict=True)) for row, line in lines if row in given}

    def answers(self) -> dict[str, int]:
        found = Counter[str]()
        for batch in self.batches:
            found[batch.verdict] += batch.n
        return {row: found[row] for row in self.rows if found[row]}

    def _summed(self, batches: Iterable[tuple[str, Mapping[str, float]]]) -> Numbers:
        found = np.zeros((len(self.rows), len(self.columns)))
        for verdict, labels in batches:
            for label, count in labels.items():
                found[self.rows.index(verdict), self.columns.index(label)] += count
        return found


def confusion_of(answers: Sequence[Answer], axis: Axis, kind: Kind = str) -> Confusion:
    """The table of an axis. Scores and large counts have none: the one returned is empty."""
    values = _values(answers, axis)
    if not values:
        return Confusion()
    by_flag = axis.name != FACTUALITY  # labels were drawn by whether an answer was flagged on that axis
    drawn: dict[tuple[str, int, bool], list[Answer]] = {}  # by verdict, run and flag
    chosen = Counter[tuple[str, str]]()
    members: defaultdict[tuple[str, str], Counter[Member]] = defaultdict(Counter)
    some_are_left = any(answer.label is None for answer in answers)  # else none was picked before another
    for answer in answers:
        place = named(answer.verdict), kind(named(answer.label))
        if answer.label is not None:
            members[place][answer.member] += 1
        if some_are_left and answer.chosen and answer.label is not None:
            chosen[place] += 1
        else:
            drawn.setdefault((place[0], answer.run, by_flag and bool(answer.flagged)), []).append(answer)
    # The values of the axis in their order, and what else there is.
    names = [*map(named, values)]
    columns = [*dict.fromkeys(map(kind, names))]
    columns += sorted({label for _, label in members}.difference(columns))
    rows = names if kind is not str else [*columns]
    others = {named(answer.verdict) for answer in answers}.difference(rows)
    rows = [*rows, *sorted(others, key=lambda name: (name == UNGRADED, name))]
    alike = _alike(answers, kind)
    return Confusion(
        tuple(rows),
        tuple(columns),
        tuple(_cells(rows, drawn, alike, kind)),
        tuple(Batch(verdict, n, {label: n}) for (verdict, label), n in sorted(chosen.items())),
        each_counts(Counter(answer.member for answer in answers), alike),
        members,
        alike,
        kind,
    )


def named(value: Value) -> str:
    return UNGRADED if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _values(answers: Sequence[Answer], axis: Axis) -> Sequence[Value]:
    """Counts have a column for each number up to the largest."""
    if axis.values:
        return axis.values
    given = [value for answer in answers for value in (answer.verdict, answer.label)]
    largest = max((value for value in given if isinstance(value, (int, float))), default=0)
    return () if axis.is_dimension or largest > _LARGEST_COUNT else range(axis.least, int(largest) + 1)


def _alike(answers: Sequence[Answer], kind: Kind) -> float:
    """How far answers on one document go together: in what the grader says, or in what people say of one verdict."""
    labelled = _labelled(answers)
    verdicts = [kind(named(answer.verdict)) for answer in labelled]
    labels = [kind(named(answer.label)) for answer in labelled]
    agree = np.equal(verdicts, labels).astype(float).reshape(-1, 1)
    members = [answer.member for answer in labelled]
    return max(
        alikeness(_marked([kind(named(answer.verdict)) for answer in answers]), [answer.member for answer in answers]),
        alikeness(_beside(_marked(labels), verdicts), members),
        alikeness(_beside(agree, verdicts), members),
    )


def _beside(values: Numbers, verdicts: Sequence[str]) -> Numbers:
    """How far each lies from the mean of those with the same verdict: labels are drawn by verdict."""
    said, found = np.array(verdicts), values.copy()
    for verdict in set(verdicts):
        found[said == verdict] -= found[said == verdict].mean(axis=0)
    return found


def _marked(names: Sequence[str]) -> Numbers:
    """A row for each name, with 1 in its column."""
    columns = sorted(set(names))
    return np.array([[name == one for one in columns] for name in names], dtype=float)


def _cells(
    rows: Sequence[str], drawn: Mapping[tuple[str, int, bool], list[Answer]], alike: float, kind: Kind
) -> Iterator[Batch]:
    """One batch per row, run and flag; where one has few labels, the row is one batch."""
    batches: list[tuple[str, list[Answer]]] = []
    for row in rows:
        parts = [part for key, part in sorted(drawn.items(), key=lambda item: item[0]) if key[0] == row]
        together = len(parts) > 1 and _too_few_apart([(len(part), len(_labelled(part))) for part in parts])
        batches += [(row, part) for part in ([[*chain(*parts)]] if together else parts)]
    members = [Counter(answer.member for answer in _labelled(part)) for _, part in batches]
    counts = labels_count([Labelled(len(part), m) for (_, part), m in zip(batches, members, strict=True)], alike)
    for (row, part), each in zip(batches, counts, strict=True):
        yield Batch(row, len(part), Counter(kind(named(answer.label)) for answer in _labelled(part)), each)


def _labelled(answers: Iterable[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.label is not None]


def _too_few_apart(parts: Sequence[tuple[int, int]]) -> bool:
    """True where a part has too few labels of its own, unless these few speak for many answers: not to be drowned."""
    n, m = map(sum, zip(*parts, strict=True))
    few = [(size, labels) for size, labels in parts if labels < _FEW]
    return bool(few) and not any(0 < 2 * labels * n < size * m for size, labels in few)


def weights_of(labelled: Sequence[Answer], confusion: Confusion) -> list[float]:
    """How many answers of the run each labelled one stands for."""
    answers, drawn = confusion.drawn_by_verdict()
    return [
        1.0 if one.chosen or not drawn[named(one.verdict)] else answers[named(one.verdict)] / drawn[named(one.verdict)]
        for one in labelled
    ]
