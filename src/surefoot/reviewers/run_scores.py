"""What a council's rows come to for each run: means with intervals, ceilings, and the order of the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.intervals import clustered_mean
from surefoot.core.rubric import HIGHEST
from surefoot.core.types import Item, Verdict
from surefoot.gate.sides import document_of
from surefoot.reviewers import rows

_Values = dict[str, list[float]]  # by question


class ScoredAnswer(Struct, frozen=True, kw_only=True):
    """One answer before a council."""

    run: str
    question_id: str
    attempt: int
    question: str
    answer: str | None
    score: float | None  # of all reviewers together
    reason: str
    by: Mapping[str, tuple[float | None, str]]  # reviewer: score and reason


class Mean(Struct, frozen=True):
    """Of a run's scores, with its 95 % interval over the questions."""

    value: float
    low: float
    high: float
    answers: int


class RunScores(Struct, frozen=True, kw_only=True):
    """What a council says of a run. `rank` is by `overall`, over the answers that every run has a score for.

    `behind` is by how much the first run scores higher on the same questions.
    """

    run: str
    rank: int | None
    overall: Mean | None
    behind: Mean | None
    dimensions: dict[str, Mean]
    answers: int
    not_scored: dict[str, int]  # by reason
    capped: dict[str, int]  # by ceiling
    unsafe: tuple[str, ...]  # ids of questions
    disputed: tuple[str, ...]  # ids of questions where it is disputed whether the answer is a refusal
    own: tuple[str, ...]  # reviewers whose own answers these are


def scored_answers(run: str, items: Sequence[Item], verdicts: Sequence[Verdict]) -> Iterator[ScoredAnswer]:
    """What all reviewers together and each of them gave to every answer of a run."""
    given: dict[tuple[str, int], dict[str, tuple[float | None, str]]] = {}
    for row in verdicts:
        if row.axis == rows.axis_of(rows.OVERALL):
            by = given.setdefault((row.question_id, row.attempt), {})
            by[str(rows.reviewer_of(row.grader))] = rows.score_in(row), row.reason
    for item in items:
        by = given.get((item.question.id, item.trace.attempt), {})
        score, reason = by.pop(rows.POOLED, (None, "not asked"))
        yield ScoredAnswer(
            run=run, question_id=item.question.id, attempt=item.trace.attempt, question=item.question.text,
            answer=item.trace.answer, score=score, reason=reason, by=by,
        )  # fmt: skip


def run_scores(
    found: Mapping[str, Sequence[Verdict]], items: Mapping[str, Sequence[Item]], pooled: str
) -> list[RunScores]:
    """The best run first. Runs are ranked over the questions that all of them have scores for."""
    own = {run: [row for row in verdicts if row.grader == pooled] for run, verdicts in found.items()}
    shared = set.intersection(*(_scored(verdicts) for verdicts in own.values()))
    made = [_of_run(run, verdicts, items[run], shared, found[run]) for run, verdicts in own.items()]
    made.sort(key=lambda one: (one.overall is None, -one.overall.value if one.overall else 0.0, one.run))
    if not shared:
        return made
    values = [one.overall.value for one in made if one.overall]
    scores = {run: _values(verdicts, rows.axis_of(rows.OVERALL), shared) for run, verdicts in own.items()}
    documents = _documents(items[made[0].run])
    return [
        replace(
            one,
            rank=values.index(one.overall.value) + 1,
            behind=None if one is made[0] else _difference(scores[made[0].run], scores[one.run], documents),
        )
        if one.overall
        else one
        for one in made
    ]


def _scored(own: Sequence[Verdict]) -> set[str]:
    return {row.question_id for row in own if row.axis == rows.axis_of(rows.OVERALL) and row.value is not None}


def _documents(items: Sequence[Item]) -> dict[str, str]:
    return {item.question.id: document_of(item.question, {}) or item.question.id for item in items}


def _difference(first: _Values, other: _Values, documents: Mapping[str, str]) -> Mean:
    """Question by question: what makes a question hard for both runs cancels out."""
    gaps = {id: [fmean(first[id]) - fmean(other[id]) + HIGHEST] for id in first}
    known = {id: document for id, document in documents.items() if id in gaps}
    value, low, high = clustered_mean(gaps, known, 2 * HIGHEST)
    return Mean(value - HIGHEST, low - HIGHEST, high - HIGHEST, len(gaps))


def _of_run(
    run: str, own: Sequence[Verdict], items: Sequence[Item], shared: set[str], found: Sequence[Verdict]
) -> RunScores:
    documents = _documents(items)
    overall = [row for row in own if row.axis == rows.axis_of(rows.OVERALL)]
    axes = dict.fromkeys(row.axis for row in own if row.axis != rows.axis_of(rows.SAFETY))
    means = {axis.removeprefix(rows.PREFIX): _mean(own, axis, documents, shared) for axis in axes}
    return RunScores(
        run=run,
        rank=None,
        overall=means.get(rows.OVERALL),
        behind=None,
        dimensions={name: mean for name, mean in means.items() if mean is not None and name != rows.OVERALL},
        answers=len(overall),
        not_scored=dict(Counter(row.reason for row in overall if row.value is None)),
        capped=dict(Counter(name for row in overall for name in rows.capped_by(row))),
        unsafe=tuple(row.question_id for row in own if row.value == rows.UNSAFE),
        disputed=tuple(row.question_id for row in overall if rows.DISPUTED in row.reason),
        own=tuple(sorted({str(rows.reviewer_of(row.grader)) for row in found if row.via == rows.OWN})),
    )


def _values(own: Sequence[Verdict], axis: str, among: set[str]) -> _Values:
    values: _Values = {}
    for row in own:
        if row.axis == axis and row.question_id in among and isinstance(row.value, (int, float)):
            values.setdefault(row.question_id, []).append(float(row.value))
    return values


def _mean(own: Sequence[Verdict], axis: str, documents: Mapping[str, str], among: set[str]) -> Mean | None:
    values = _values(own, axis, among)
    if not values:
        return None
    known = {id: document for id, document in documents.items() if id in values}
    return Mean(*clustered_mean(values, known, HIGHEST), sum(map(len, values.values())))
