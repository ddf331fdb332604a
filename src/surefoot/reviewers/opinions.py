"""What people think of the answers of runs: scores, buckets or preferences from a file, as pairs of answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.intervals import Pairs, pairs_of
from surefoot.core.records import is_called_like_a_grader
from surefoot.core.rubric import read_score
from surefoot.core.table import BUCKETS
from surefoot.core.types import Problem
from surefoot.io.fields import quoted
from surefoot.io.rows import Row, read_rows
from surefoot.reviewers.rows import GRADER, OVERALL, axis_of
from surefoot.reviewers.sheet import Answer, Sheet
from surefoot.reviewers.success import Opinions

_AXES = ("", OVERALL, axis_of(OVERALL), "factuality")
_HINT = 'rows are {"question_id": "q1", "run": "a", "value": 8}, or {"question_id": "q1", "prefers": "a", "over": "b"}'
Answerable = Mapping[str, bool]  # by question: whether it can be answered


class Labels(Struct):
    """By answer what people gave it, and by two answers which of them they prefer: 1 for the first."""

    scores: dict[Answer, list[float]]
    preferred: dict[tuple[Answer, Answer], list[int]]
    buckets: set[bool]  # whether values are buckets: they cannot be held against scores


def read_opinions(path: str | Path, sheet: Sheet, answerable: Answerable, problems: list[Problem]) -> Opinions:
    """The pairs of a sheet's answers that people order. Rows that cannot be used go to `problems`."""
    labels = Labels(defaultdict(list), defaultdict(list), set())
    names = _Names(sheet.answers)
    faults: dict[str, list[Row]] = {}
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}", "pass labels as CSV with a header, or one JSON object per line")
    for row in read_rows([path]):
        fault = row.value.message if isinstance(row.value, Problem) else _take(row.value, labels, names, answerable)
        if fault:
            faults.setdefault(fault, []).append(row)
    for fault, found in faults.items():
        more = f" (and so on, {len(found)} rows)" if len(found) > 1 else ""
        problems.append(Problem("bad_label", fault + more, found[0].source, found[0].line))
    if not labels.scores and not labels.preferred:
        first = f": {problems[0]}" if problems else ""
        raise UsageError(f"{path} has no label on an answer that reviewers scored{first}", _HINT)
    if len(labels.buckets) > 1:
        raise UsageError(f"{path} has scores and buckets, which cannot be compared", "pass a file of one of them")
    return _opinions(labels, sheet)


class _Names:
    """Answers by what people call them: the id of the question, and the run where there are several."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = set(answers)
        self.runs = {name: run for run in {one.run for one in answers} for name in (run, Path(run).name)}

    def find(self, row: Mapping[str, object], run: object) -> Answer | str:
        question, attempt = str(row.get("question_id") or row.get("qid") or row.get("id") or ""), row.get("attempt", 1)
        runs = set(self.runs.values())
        if run is None and len(runs) > 1:
            return "it does not say on the answer of which run it is"
        known = next(iter(runs)) if run is None else self.runs.get(str(run).rstrip("/"))
        if known is None:
            return f"there is no run {quoted(str(run))} among those given"
        found = Answer(known, question, int(str(attempt)) if str(attempt).isdecimal() else 0)
        return found if found in self.answers else f"reviewers did not score an answer to question {quoted(question)}"


def _take(row: object, labels: Labels, names: _Names, answerable: Answerable) -> str:
    """Put one row where it belongs, or say what is wrong with it."""
    if not isinstance(row, dict):
        return "it is not an object"
    who = str(row.get("annotator") or row.get("grader") or "")
    if who.startswith(GRADER) or is_called_like_a_grader(who):
        return f"it is by {quoted(who)}, a grader: that would prove reviewers right by themselves"
    if "prefers" in row or "over" in row:
        one, other = (names.find(row, row.get(key, "")) for key in ("prefers", "over"))
        if isinstance(one, str) or isinstance(other, str):
            return one if isinstance(one, str) else str(other)
        if one == other:
            return "it prefers an answer to itself"
        first, second = sorted((one, other))
        labels.preferred[first, second].append(1 if one == first else -1)
        return ""
    answer = names.find(row, row.get("run"))
    if isinstance(answer, str):
        return answer
    score = _score(row, answerable.get(answer.question, True))
    if isinstance(score, str):
        return score
    labels.scores[answer].append(score)
    labels.buckets.add(row.get("value") in BUCKETS)
    return ""


def _score(row: Mapping[str, object], is_answerable: bool) -> float | str:
    """A number on the council's scale, or of a bucket whether a sound system would have answered so."""
    axis, value = str(row.get("axis", "")), row.get("value")
    if axis not in _AXES:
        return f"its axis {quoted(axis)} says nothing of the whole answer; {axis_of(OVERALL)} or factuality do"
    if value in BUCKETS:
        return float(value == "correct" if is_answerable else value == "refused")
    score = read_score(value)
    return f"{quoted(str(value))} is neither a score from 1 to 10 nor a bucket" if score is None else score


def _opinions(labels: Labels, sheet: Sheet) -> Opinions:
    """Preferences as they are, and scores compared with each other, two by two."""
    places = {answer: at for at, answer in enumerate(sheet.answers)}
    usable = np.array([answer in labels.scores for answer in sheet.answers])
    scores = np.array([fmean(labels.scores[answer]) if answer in labels.scores else 0.0 for answer in sheet.answers])
    compared = pairs_of(sheet.question_of, usable)
    said = {pair: np.sign(sum(votes)) for pair, votes in labels.preferred.items()}
    one, other = (np.array([places[pair[side]] for pair in said], dtype=np.intp) for side in (0, 1))
    pairs = Pairs(np.append(compared.one, one), np.append(compared.other, other), sheet.question_of)
    return Opinions(pairs, np.append(compared.signs(scores), [float(sign) for sign in said.values()]))
