"""What people think of the answers of runs: scores, buckets or preferences from a file, as pairs of answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from surefoot.core.errors import UsageError
from surefoot.core.intervals import Pairs, pairs_of
from surefoot.core.records import is_called_like_a_grader
from surefoot.core.rubric import read_score
from surefoot.core.table import BUCKETS
from surefoot.core.types import Problem
from surefoot.io.rows import Row, quoted, read_rows
from surefoot.reviewers.rows import GRADER, OVERALL, axis_of
from surefoot.reviewers.sheet import Answer, Sheet
from surefoot.reviewers.success import Opinions

_AXES = ("", OVERALL, axis_of(OVERALL), "factuality")
_HINT = 'rows are {"question_id": "q1", "run": "a", "value": 8}, or {"question_id": "q1", "prefers": "a", "over": "b"}'
Answerable = Mapping[str, bool]  # by question: whether it can be answered


def read_opinions(path: str | Path, sheet: Sheet, answerable: Answerable, problems: list[Problem]) -> Opinions:
    """The pairs of a sheet's answers that people order. Rows that cannot be used go to `problems`."""
    labels = _Labels(sheet.answers, answerable)
    faults: dict[str, list[Row]] = {}
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}", "pass labels as CSV with a header, or one JSON object per line")
    for row in read_rows([path]):
        try:
            labels.take(row.value)
        except ValueError as error:
            faults.setdefault(str(error), []).append(row)
    for fault, found in faults.items():
        more = f" (and so on, {len(found)} rows)" if len(found) > 1 else ""
        problems.append(Problem("bad_label", fault + more, found[0].source, found[0].line))
    if not labels.scores and not labels.preferred:
        first = f": {problems[0]}" if problems else ""
        raise UsageError(f"{path} has no label on an answer that reviewers scored{first}", _HINT)
    if len(labels.are_buckets) > 1:
        raise UsageError(f"{path} has scores and buckets, which cannot be compared", "pass a file of one of them")
    return _opinions(labels, sheet)


class _Labels:
    """By answer what people gave it, and by two answers which of them they prefer: 1 for the first."""

    def __init__(self, answers: Sequence[Answer], answerable: Answerable) -> None:
        self._answers, self._answerable = set(answers), answerable
        self._runs = {name: run for run in {one.run for one in answers} for name in (run, Path(run).name)}
        self.scores: dict[Answer, list[float]] = defaultdict(list)
        self.preferred: dict[tuple[Answer, Answer], list[int]] = defaultdict(list)
        self.are_buckets: set[bool] = set()  # they cannot be held against scores

    def take(self, row: object) -> None:
        """Put one row where it belongs. A ValueError says what is wrong with it."""
        if isinstance(row, Problem):
            raise ValueError(row.message)
        if not isinstance(row, dict):
            raise ValueError("it is not an object")
        who = str(row.get("annotator") or row.get("grader") or "")
        if who.startswith(GRADER) or is_called_like_a_grader(who):
            raise ValueError(f"it is by {quoted(who)}, a grader: that would prove reviewers right by themselves")
        if "prefers" in row or "over" in row:
            one, other = (self._answer(row, row.get(key, "")) for key in ("prefers", "over"))
            if one == other:
                raise ValueError("it prefers an answer to itself")
            self.preferred[min(one, other), max(one, other)].append(1 if one < other else -1)
        else:
            answer = self._answer(row, row.get("run"))
            score = _score(row, self._answerable.get(answer.question, True))
            self.scores[answer].append(score)
            self.are_buckets.add(row.get("value") in BUCKETS)

    def _answer(self, row: Mapping[str, object], run: object) -> Answer:
        """By the id of the question, and the run where there are several."""
        question, attempt = str(row.get("question_id") or row.get("qid") or row.get("id") or ""), row.get("attempt", 1)
        runs = set(self._runs.values())
        if run is None and len(runs) > 1:
            raise ValueError("it does not say on the answer of which run it is")
        known = next(iter(runs)) if run is None else self._runs.get(str(run).rstrip("/"))
        if known is None:
            raise ValueError(f"there is no run {quoted(str(run))} among those given")
        found = Answer(known, question, int(str(attempt)) if str(attempt).isdecimal() else 0)
        if found not in self._answers:
            raise ValueError(f"reviewers did not score an answer to question {quoted(question)}")
        return found


def _score(row: Mapping[str, object], is_answerable: bool) -> float:
    """A number on the council's scale, or of a bucket whether a sound system would have answered so."""
    axis, value = str(row.get("axis", "")), row.get("value")
    if axis not in _AXES:
        raise ValueError(
            f"its axis {quoted(axis)} says nothing of the whole answer; {axis_of(OVERALL)} or factuality do"
        )
    if value in BUCKETS:
        return float(value == "correct" if is_answerable else value == "refused")
    if (score := read_score(value)) is None:
        raise ValueError(f"{quoted(str(value))} is neither a score from 1 to 10 nor a bucket")
    return score


def _opinions(labels: _Labels, sheet: Sheet) -> Opinions:
    """Preferences as they are, and scores compared with each other, two by two."""
    places = {answer: at for at, answer in enumerate(sheet.answers)}
    usable = np.array([answer in labels.scores for answer in sheet.answers])
    scores = np.array([fmean(labels.scores[answer]) if answer in labels.scores else 0.0 for answer in sheet.answers])
    compared = pairs_of(sheet.question_of, usable)
    said = {pair: np.sign(sum(votes)) for pair, votes in labels.preferred.items()}
    one, other = (np.array([places[pair[side]] for pair in said], dtype=np.intp) for side in (0, 1))
    pairs = Pairs(np.append(compared.one, one), np.append(compared.other, other), sheet.question_of)
    return Opinions(pairs, np.append(compared.signs(scores), [float(sign) for sign in said.values()]))
