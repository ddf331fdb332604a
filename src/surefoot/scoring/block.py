"""What one block of rows gave: all that leaves the process that read it, and what `Attempts` puts together."""

from __future__ import annotations

from array import array
from collections import Counter

import numpy as np
from msgspec import Struct, field

from surefoot.io.spans import Span
from surefoot.outcomes import Outcome
from surefoot.problems import ProblemLog
from surefoot.scoring.batch import Numbers, outcome_of


class BlockResult(Struct):
    """`places`, `codes`, `lines` and, where it is wanted, `table` have an entry per trace that found its question."""

    source: str
    found_fields: set[str]  # of the user's mapping
    remarks: set[str]  # on rows in which a field is not found
    rows: int = 0  # rows seen, whatever became of them
    size: int = 0  # in bytes, where it is a stretch of a file
    spans: list[Span] = field(default_factory=list)
    problems: ProblemLog = field(default_factory=ProblemLog)
    places: array[int] = field(default_factory=lambda: array("q"))  # of questions
    codes: array[int] = field(default_factory=lambda: array("q"))  # of outcomes
    lines: array[int] = field(default_factory=lambda: array("q"))
    outcomes: dict[Outcome, int] = field(default_factory=dict)  # each with its code
    lacking: Counter[str] = field(default_factory=Counter)  # ids of passages that are not in the corpus
    table: list[bytes] = field(default_factory=list)  # rows as lines of JSON

    def add(self, place: int, outcome: Outcome, line: int) -> None:
        self.places.append(place)
        self.codes.append(self.outcomes.setdefault(outcome, len(self.outcomes)))
        self.lines.append(line)

    def extend(self, places: Numbers, codes: Numbers, lines: Numbers) -> None:
        """Many traces at once, by the codes of a batch."""
        distinct, which = np.unique(codes, return_inverse=True)
        own = [self.outcomes.setdefault(outcome_of(code), len(self.outcomes)) for code in distinct.tolist()]
        self.rows += len(places)
        self.places.frombytes(places.tobytes())
        self.codes.frombytes(np.array(own, np.int64)[which].tobytes())
        self.lines.frombytes(lines.tobytes())

    def put_in_order(self) -> None:
        """Of lines: rows that are read by themselves come after the others of their slice."""
        order = np.argsort(self.lines, kind="stable")
        if (order[1:] > order[:-1]).all():
            return
        self.places, self.codes, self.lines = (
            array("q", np.array(column)[order].tobytes()) for column in (self.places, self.codes, self.lines)
        )
        self.table = [self.table[number] for number in order] if self.table else []
