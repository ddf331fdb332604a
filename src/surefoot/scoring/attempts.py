"""Several traces for one question: which of them count, and where their rows are kept meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any, Literal
from weakref import finalize

import numpy as np
from msgspec import json
from numpy.typing import NDArray

from surefoot.core.types import Outcome, Problem, ProblemLog, Question
from surefoot.outcomes import ScoredRow, label
from surefoot.scoring.batch import BlockResult

_LINES_AT_A_TIME, _KEPT_IN_MEMORY = 1 << 16, 8 << 20  # bytes
_OUTCOMES = 1 << 24  # more than are ever told apart

Numbers = NDArray[np.integer[Any]]

Rerun = Literal["error", "first", "last", "all"]


class Attempts:
    """Takes block results in order and keeps, per question, what the rerun rule leaves.

    Memory grows with the questions, not with the traces: rows wait in a temporary file.
    """

    def __init__(self, questions: Sequence[Question], rerun: Rerun) -> None:
        self._questions = questions
        self._rerun = rerun
        self._times: Numbers = np.zeros(len(questions), np.int64)
        self._known: dict[Outcome, int] = {}  # every outcome that was met, with its number
        self._kept: Numbers = np.zeros(len(questions), np.int32)  # the outcome that counts, but for `all`
        self._all: Counter[int] = Counter()  # of questions with outcomes, for `all`
        self._spool = SpooledTemporaryFile(_KEPT_IN_MEMORY)  # noqa: SIM115 - rows wait in it as long as the result lives
        finalize(self, self._spool.close)
        self._row_at: Numbers = np.zeros(len(questions), np.int64)  # where a question's row starts in it
        self.problems = ProblemLog()
        self.traces = 0

    def add(self, result: BlockResult) -> None:
        if not result.places:
            return
        self.traces += len(result.places)
        places, codes = np.array(result.places, np.int64), np.array(result.codes, np.int64)
        numbers = [self._known.setdefault(outcome, len(self._known)) for outcome in result.outcomes]
        outcomes = np.array(numbers, np.int64)[codes]
        if self._rerun == "all":
            met, times = np.unique(places * _OUTCOMES + outcomes, return_counts=True)
            self._all.update(dict(zip(met.tolist(), times.tolist(), strict=True)))
        else:
            self._keep(places, outcomes, result)
        np.add.at(self._times, places, 1)
        self._spool.writelines(result.table)

    @property
    def set_aside(self) -> int:
        """Traces that the rule `first` or `last` passes over."""
        return int(np.maximum(self._times - 1, 0).sum()) if self._rerun in ("first", "last") else 0

    @property
    def duplicates(self) -> int:
        """Traces left out because their question has several."""
        return int(self._times[self._times > 1].sum()) if self._rerun == "error" else 0

    def outcomes(self) -> Iterator[tuple[Question, Outcome, int]]:
        """Each question with an outcome and how many attempts had it; every question at least once."""
        met = list(self._known)
        for key, times in sorted(self._all.items()):
            yield self._questions[key // _OUTCOMES], met[key % _OUTCOMES], times
        for place, question in enumerate(self._questions):
            single = self._single(place, question.answerable, met)
            if single is not None:
                yield question, single, 1

    def rows(self) -> Iterator[bytes]:
        """The per-question table as JSON lines, some at a time: in question order, or with `all` as the traces
        came and then the missing."""
        if self._rerun == "all":
            self._spool.seek(0)
            while lines := self._spool.readlines(_LINES_AT_A_TIME):
                yield b"".join(lines)
        met = list(self._known)
        for place, question in enumerate(self._questions):
            outcome = self._single(place, question.answerable, met)
            if outcome is None:
                continue
            if outcome.state in ("missing", "duplicate"):
                times = self._times[place]
                reason = f"{times} traces for one question" if times else "no trace"
                yield json.encode(ScoredRow(question.id, label(outcome), reason=reason)) + b"\n"
            else:
                self._spool.seek(int(self._row_at[place]))
                yield self._spool.readline()

    def _single(self, place: int, answerable: bool, met: Sequence[Outcome]) -> Outcome | None:
        """The one outcome a question ends with; None where every attempt counts by itself."""
        times = self._times[place]
        if times == 0:
            return Outcome(answerable, "missing")
        if self._rerun == "all":
            return None
        if times > 1 and self._rerun == "error":
            return Outcome(answerable, "duplicate")
        return met[int(self._kept[place])]

    def _keep(self, places: Numbers, outcomes: Numbers, result: BlockResult) -> None:
        """One trace of each question: its last, or the first that was ever met."""
        sizes = np.fromiter(map(len, result.table), np.int64) if result.table else np.zeros(len(places), np.int64)
        rows = self._spool.tell() + np.cumsum(sizes) - sizes
        if self._rerun == "last":
            _, from_end = np.unique(places[::-1], return_index=True)
            chosen = len(places) - 1 - from_end
        else:
            _, first = np.unique(places, return_index=True)
            chosen = first[self._times[places[first]] == 0]
        self._kept[places[chosen]], self._row_at[places[chosen]] = outcomes[chosen], rows[chosen]
        if self._rerun == "error":
            for number in np.setdiff1d(np.arange(len(places)), chosen).tolist():
                asked = self._questions[places[number]].id
                message = f"question {asked!r} has a trace already: --rerun says which one counts"
                self.problems.add(Problem("duplicate_trace", message, result.source, result.lines[number]))
