"""Several traces for one question: which of them count, and where their rows are kept meanwhile."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Literal
from weakref import finalize

from msgspec import json

from surefoot.outcomes import Outcome, ScoredRow, label
from surefoot.problems import ProblemLog
from surefoot.scoring.worker import BlockResult
from surefoot.types import Problem, Question

_LINES_AT_A_TIME, _KEPT_IN_MEMORY = 1 << 16, 8 << 20  # bytes

Rerun = Literal["error", "first", "last", "all"]


class Attempts:
    """Takes block results in order and keeps, per question, what the rerun rule leaves.

    Memory grows with the questions, not with the traces: rows wait in a temporary file.
    """

    def __init__(self, questions: Sequence[Question], rerun: Rerun) -> None:
        self._questions = questions
        self._rerun = rerun
        self._times = array("L", [0]) * len(questions)
        self._kept: list[Outcome | None] = [None] * len(questions)  # the outcome that counts, but for `all`
        self._all: Counter[tuple[int, Outcome]] = Counter()  # by place of the question, for `all`
        self._spool = SpooledTemporaryFile(_KEPT_IN_MEMORY)  # noqa: SIM115 - rows wait in it as long as the result lives
        finalize(self, self._spool.close)
        self._row_at = array("Q", [0]) * len(questions)  # where a question's row starts in it
        self.problems = ProblemLog()
        self.traces = 0

    def add(self, result: BlockResult) -> None:
        self.traces += len(result.places)
        if self._rerun == "all":
            for (place, outcome), times in Counter(zip(result.places, result.outcomes, strict=True)).items():
                self._all[place, outcome] += times
                self._times[place] += times
        else:
            self._add_one_by_one(result)
        self._spool.writelines(result.table)

    @property
    def set_aside(self) -> int:
        """Traces that the rule `first` or `last` passes over."""
        return sum(n - 1 for n in self._times if n > 1) if self._rerun in ("first", "last") else 0

    @property
    def duplicates(self) -> int:
        """Traces left out because their question has several."""
        return sum(n for n in self._times if n > 1) if self._rerun == "error" else 0

    def outcomes(self) -> Iterator[tuple[Question, Outcome, int]]:
        """Each question with an outcome and how many attempts had it; every question at least once."""
        for (place, outcome), times in sorted(self._all.items(), key=lambda item: item[0][0]):
            yield self._questions[place], outcome, times
        for place, question in enumerate(self._questions):
            single = self._single(place, question.answerable)
            if single is not None:
                yield question, single, 1

    def rows(self) -> Iterator[bytes]:
        """The per-question table as JSON lines, some at a time: in question order, or with `all` as the traces
        came and then the missing."""
        if self._rerun == "all":
            self._spool.seek(0)
            while lines := self._spool.readlines(_LINES_AT_A_TIME):
                yield b"".join(lines)
        for place, question in enumerate(self._questions):
            outcome = self._single(place, question.answerable)
            if outcome is None:
                continue
            if outcome.state in ("missing", "duplicate"):
                times = self._times[place]
                reason = f"{times} traces for one question" if times else "no trace"
                yield json.encode(ScoredRow(question.id, label(outcome), reason=reason)) + b"\n"
            else:
                self._spool.seek(self._row_at[place])
                yield self._spool.readline()

    def _single(self, place: int, answerable: bool) -> Outcome | None:
        """The one outcome a question ends with; None where every attempt counts by itself."""
        times = self._times[place]
        if times == 0:
            return Outcome(answerable, "missing")
        if self._rerun == "all":
            return None
        if times > 1 and self._rerun == "error":
            return Outcome(answerable, "duplicate")
        return self._kept[place]

    def _add_one_by_one(self, result: BlockResult) -> None:
        times, at, sizes = self._times, self._spool.tell(), map(len, result.table)
        for place, outcome, line in zip(result.places, result.outcomes, result.lines, strict=True):
            times[place] += 1
            if times[place] == 1 or self._rerun == "last":
                self._kept[place], self._row_at[place] = outcome, at
            elif self._rerun == "error":
                message = f"question {self._questions[place].id!r} has a trace already: --rerun says which one counts"
                self.problems.add(Problem("duplicate_trace", message, result.source, line))
            at += next(sizes, 0)  # without rows there are none
