"""What a council said of runs, read from the runs: nobody is asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.result import Result
from surefoot.core.types import Item, Verdict
from surefoot.reviewers import rows
from surefoot.reviewers.run_scores import RunScores, ScoredAnswer, run_scores
from surefoot.services.runs import Name, opened, run_items
from surefoot.store import Run

_Key = tuple[str, int]  # question id and attempt


class CouncilScores(Result, frozen=True, kw_only=True):
    """The scores that runs keep of one council, the best run first."""

    rubric: str
    council: str
    reviewers: list[str]
    runs: tuple[RunScores, ...]
    rows: tuple[ScoredAnswer, ...]  # with what each reviewer gave

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if all(run.overall and not run.not_scored for run in self.runs) else ExitCode.INCOMPLETE


def council_scores(*runs: Name, db: str | Path | None = None) -> CouncilScores:
    """The scores that the last council gave to the answers of runs; the same council must have scored them all."""
    found: dict[str, list[Verdict]] = {}
    items: dict[str, list[Item]] = {}
    councils: dict[str, str] = {}
    with opened(runs, db) as (_, named):
        for run in named:
            councils[run.id] = run.manifest.council
            found[run.id] = council_rows(run)
            items[run.id] = list(run_items(run))
    if unscored := [name for name, council in councils.items() if not council]:
        hint = f"score it first: surefoot council {unscored[0]} --reviewer MODEL"
        raise Incomplete(f"no council scored the run {unscored[0]}", hint)
    if len(set(councils.values())) != 1:
        message = "these runs were scored by different councils" if councils else "no run was named"
        raise UsageError(message, "score them together: surefoot council RUN... --reviewer MODEL")
    council = next(iter(councils.values()))
    answers = [one for name in found for one in scored_answers(name, items[name], found[name])]
    return CouncilScores(
        rubric=rows.rubric_of(council), council=council, rows=tuple(answers),
        reviewers=list(dict.fromkeys(name for one in answers for name in one.by)),
        runs=tuple(run_scores(found, items, council)),
    )  # fmt: skip


def council_rows(run: Run) -> list[Verdict]:
    """What the run's council said: all reviewers together, and each of them."""
    graders = {run.manifest.council, *run.manifest.reviewers}
    return [row for row in run.verdicts() if row.grader in graders]


def scored_answers(run: str, items: Sequence[Item], verdicts: Sequence[Verdict]) -> Iterator[ScoredAnswer]:
    """What all reviewers together and each of them gave to every answer of a run."""
    given: dict[_Key, dict[str, tuple[float | None, str]]] = {}
    for row in verdicts:
        if row.axis == rows.axis_of(rows.OVERALL):
            score = float(row.value) if isinstance(row.value, (int, float)) else None
            given.setdefault((row.question_id, row.attempt), {})[str(rows.reviewer_of(row.grader))] = score, row.reason
    for item in items:
        by = given.get((item.question.id, item.trace.attempt), {})
        score, reason = by.pop(rows.POOLED, (None, "not asked"))
        yield ScoredAnswer(
            run=run, question_id=item.question.id, attempt=item.trace.attempt, question=item.question.text,
            answer=item.trace.answer, score=score, reason=reason, by=by,
        )  # fmt: skip
