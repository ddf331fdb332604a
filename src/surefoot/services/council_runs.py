"""The answers of runs scored by a council: its verdicts are rows of the runs, and cost is agreed on before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.result import READER, Person, Result, Watch
from surefoot.core.rubric import COUNCIL_OF_RUNS
from surefoot.core.types import Verdict, counted, plain
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.models.budget import Budget, Estimate, spent_on
from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Model, Prompt, Reply
from surefoot.reviewers.ballots import Review
from surefoot.reviewers.panel import asked_in_turn, reviewed
from surefoot.reviewers.rows import scores_of
from surefoot.reviewers.run_scores import RunScores, ScoredAnswer, run_scores
from surefoot.reviewers.sitting import Sitting, prompt_on, unanswered, verdicts_on
from surefoot.services.council import council_settings
from surefoot.services.council_scores import council_rows, scored_answers
from surefoot.services.graders import settings_of
from surefoot.services.model_grader import KEPT, spent_words
from surefoot.services.runs import Name, check_texts, opened, run_items
from surefoot.services.settings import Given, Settings, settings_from
from surefoot.store import Run
from surefoot.text.endpoints import chat_model

_LONGEST_PROMPT = 400_000  # characters; no model reads more at once
_SHORTEN = "retrieve fewer or shorter passages"
_ASK_AGAIN = "the same command asks for it again, and for nothing that was answered"
_TWICE = "name each run and each reviewer once: nobody has two votes"


class RunsScored(Result, frozen=True, kw_only=True):
    """How a council scored the answers of runs."""

    beside = ("answers",)

    rubric: str
    council: str
    reviewers: list[str]
    runs: tuple[RunScores, ...]
    failures: list[dict[str, Any]]
    rows: list[dict[str, Any]]  # every verdict, with the run it is on
    answers: tuple[ScoredAnswer, ...]

    @property
    def exit_code(self) -> ExitCode:
        """A reviewer that declines may leave a score open; one that fails is to be asked again."""
        whole = all(run.overall is not None and not run.not_scored for run in self.runs) and not self.failures
        return ExitCode.OK if whole else ExitCode.INCOMPLETE


def council_runs(
    *runs: Name,
    reviewers: Sequence[str | Model] = (),
    rubric: str | None = None,
    holistic: bool = False,
    safety: bool | None = None,
    yes: bool = False,
    settings: Given = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> RunsScored:
    """Let models score every answer of the runs by a rubric, and keep the scores with the runs.

    Each answer is read alone, with the question, the passages it was made from and what the question set says of it.
    `holistic` asks for one number beside the rubric, to hold the two against each other. A run keeps the scores of
    its last council; replies that were paid for once are not paid for again.
    """
    how = settings_from(settings, yes=yes)
    chosen = partial(council_settings, rubric, COUNCIL_OF_RUNS, SAFETY_GATE=safety)
    of_council = chosen()
    models = _opened(reviewers or [one for one in str(of_council["MODELS"]).split(",") if one.strip()], how)
    sitting = Sitting(tuple(models), of_council, chosen(RUBRIC_SCORING=False) if holistic else None)
    if not runs or len(set(runs)) < len(runs):
        raise UsageError("a run is named twice" if runs else "a council needs runs", _TWICE)
    with opened(runs, db) as (project, named), ExitStack() as held:
        check_texts(named)
        for run in named:
            held.enter_context(project.database.holding(run.id))
        sessions = [_Session(run, sitting, models) for run in named]
        calls = _agree_on(sessions, sitting, how, person)
        try:
            with closing(person.watch(calls, "replies")) as watch:
                found = {one.run.id: one.hold(watch) for one in sessions}
        except KeyboardInterrupt:
            person.tell(KEPT)
            raise
    _tell(sessions, person)
    items = {one.run.id: one.items for one in sessions}
    scored = tuple(run_scores(found, items, sitting.pooled))
    by_cause: dict[tuple[str, str], list[str]] = {}
    for failure in (failure for one in sessions for failure in one.failures):
        by_cause.setdefault((failure.reviewer, failure.reason), []).append(failure.answer)
    return RunsScored(
        rubric=of_council.rubric.name, council=sitting.pooled, reviewers=list(sitting.reviewers), runs=scored,
        failures=[{"reviewer": who, "reason": why, "replies": len(on), "answers": on}
                  for (who, why), on in sorted(by_cause.items())],
        rows=[{"run": run, **msgspec.to_builtins(row)} for run, given in found.items() for row in given],
        answers=tuple(one for run in scored for one in scored_answers(run.run, items[run.run], found[run.run])),
    )  # fmt: skip


def _opened(reviewers: Sequence[str | Model], given: Settings) -> dict[str, Model]:
    """By name; they share one budget."""
    if not reviewers:
        raise UsageError("a council needs reviewers", "as in --reviewer anthropic:NAME --reviewer llm:NAME@URL")
    budget, how = Budget(given.max_cost), settings_of(given)
    models = [open_model(one.strip(), how, budget) if isinstance(one, str) else one for one in reviewers]
    named: dict[str, Model] = {model.name: model for model in models}
    if len(named) < len(models):
        raise UsageError("a reviewer is named twice", _TWICE)
    return named


class _Failure(Struct, frozen=True):
    reviewer: str
    answer: str  # run and question
    reason: str
    hint: str


class _Asked(Struct, frozen=True):
    """One prompt: about which answer, to whom, and in which way."""

    item: int
    way: int
    prompt: Prompt
    review: Review


class _Session:
    """One run before the council."""

    def __init__(self, run: Run, sitting: Sitting, models: Mapping[str, Model]) -> None:
        self.run, self.sitting, self.items = run, sitting, list(run_items(run))
        self.models = {
            name: model.keeping(run.project.replies) if isinstance(model, EndpointModel) else model
            for name, model in models.items()
        }
        self.author = _author(run.manifest.pipeline)
        self.buckets = _buckets(run)
        self.asked = {name: list(self._asked_of(name)) for name in models}
        self.replies: list[Reply] = []
        self.failures: list[_Failure] = []

    def _asked_of(self, reviewer: str) -> Iterator[_Asked]:
        for way, settings in enumerate(self.sitting.ways):
            for at, item in enumerate(self.items):
                if not unanswered(item):
                    yield _Asked(at, way, *prompt_on(item, settings, reviewer))

    def hold(self, watch: Watch) -> list[Verdict]:
        """Ask every reviewer, and keep what they say with the run; where one says nothing now, its earlier scores of
        the very same answer stand, and so do those of all together."""
        given: dict[tuple[int, int], dict[str, Review]] = {}
        for reviewer, one, reply in self._replies(watch):
            self._note(reviewer, one, reply)
            given.setdefault((one.item, one.way), {})[reviewer] = reviewed(one.review, reply)
        ways, names = range(len(self.sitting.ways)), self.sitting.reviewers
        reviews = {key: [by_name[name] for name in names if name in by_name] for key, by_name in given.items()}
        found = [
            verdict
            for at, item in enumerate(self.items)
            for verdict in verdicts_on(
                item, self.sitting, [reviews.get((at, way), []) for way in ways], self.author,
                self.buckets.get((item.question.id, item.trace.attempt)),
            )
        ]  # fmt: skip
        if not scores_of(found) and self.run.manifest.council != self.sitting.pooled:
            return found  # asked in vain: what an earlier council said stays the run's
        self._keep(found)
        answered = self.run.answer_keys()
        missing = [row for row in found if (row.question_id, row.attempt) not in answered]  # no answer, no row to keep
        return [*council_rows(self.run), *missing]

    def _replies(self, watch: Watch) -> Iterator[tuple[str, _Asked, Reply]]:
        """Of all reviewers, who are asked at the same time. What is known already was not announced as a call."""
        fitting: dict[str, list[_Asked]] = {}
        for reviewer, asked in self.asked.items():
            fitting[reviewer] = [one for one in asked if len(one.prompt.text) <= _LONGEST_PROMPT]
            for one in asked:
                if len(one.prompt.text) > _LONGEST_PROMPT:
                    error = f"{len(one.prompt.text):,} characters are too long to be asked at once"
                    yield reviewer, one, Reply(error=error, hint=_SHORTEN)
        prompts = {reviewer: [one.prompt for one in asked] for reviewer, asked in fitting.items()}
        for reviewer, place, reply in asked_in_turn(self.models, prompts):
            if not reply.cached:
                watch.count(reply)
            yield reviewer, fitting[reviewer][place], reply

    def _note(self, reviewer: str, one: _Asked, reply: Reply) -> None:
        self.replies.append(reply)
        if reply.error:
            item, hint = self.items[one.item], reply.hint or _ASK_AGAIN
            answer = f"{self.run.id}: {item.question.id}"
            answer += f" (attempt {item.trace.attempt})" if item.trace.attempt > 1 else ""
            self.failures.append(_Failure(reviewer, answer, plain(reply.error, 200), hint))

    def _keep(self, found: Sequence[Verdict]) -> None:
        sitting, standing = self.sitting, dict[tuple[str, int], None]()
        reviewers = tuple(map(sitting.grader, sitting.reviewers))
        for grader in (*reviewers, sitting.pooled):  # all together come last
            own = [row for row in found if row.grader == grader]
            failed = standing if grader == sitting.pooled else ()
            standing |= dict.fromkeys(self.run.add_verdicts(grader, own, failed, sitting.settings.rubric.sha256))
        self.run.amend(council=sitting.pooled, reviewers=reviewers)


def _buckets(run: Run) -> dict[tuple[str, int], object]:
    """What the run's own grader made of each answer."""
    grader = run.manifest.grader
    return {(row.question_id, row.attempt): row.value for row in run.verdicts()
            if grader and row.grader == grader and row.axis == BUCKET_AXIS}  # fmt: skip


def _author(pipeline: str) -> str:
    """The model that gave the answers, where a pipeline is nothing but one."""
    if not pipeline.startswith("chat:"):
        return ""
    try:
        return chat_model(pipeline.removeprefix("chat:")).name
    except UsageError:
        return ""


def _agree_on(sessions: Sequence[_Session], sitting: Sitting, given: Settings, person: Person) -> int:
    """What it may cost, reviewer by reviewer, and what they cannot see, before anything is asked; returns the calls."""
    retrieved = [item.trace.retrieved or () for session in sessions for item in session.items]
    if unseen := sum(any(not passage.text for passage in passages) for passages in retrieved):
        what = f"{counted(unseen, 'answer')} with passages whose texts are not known, which reviewers cannot check"
        person.tell(f"note: {what}; `surefoot grade RUN --corpus PATH` adds the texts")
    calls = paid = 0
    for reviewer in sitting.reviewers:
        found = [_estimate(session, reviewer) for session in sessions]
        together = _added([one for one in found if one is not None])
        wanted = sum(len(session.asked[reviewer]) for session in sessions)
        person.tell(together.sentence if together else f"{counted(wanted, 'call')} to {plain(reviewer, 200)}")
        calls += together.calls if together else wanted
        paid += together.calls if together else 0
    if paid and not given.yes and not person.agrees():
        raise Incomplete("nothing was asked, and nothing scored", "--yes skips the confirmation")
    return calls


def _estimate(session: _Session, reviewer: str) -> Estimate | None:
    estimate = getattr(session.models[reviewer], "estimate", None)
    return estimate(one.prompt for one in session.asked[reviewer]) if estimate is not None else None


def _added(found: Sequence[Estimate]) -> Estimate | None:
    if not found:
        return None
    usd, thinking = ([getattr(one, name) for one in found] for name in ("usd_most", "usd_thinking"))
    return Estimate(
        found[0].model,
        sum(one.calls for one in found),
        sum(one.known for one in found),
        sum(one.tokens_in for one in found),
        sum(one.tokens_out_most for one in found),
        None if None in usd else sum(usd),
        sum(one.thinking_most for one in found),
        None if None in thinking else sum(thinking),
    )


def _tell(sessions: Sequence[_Session], person: Person) -> None:
    replies = [reply for session in sessions for reply in session.replies]
    person.tell(spent_words(spent_on(replies)))
    failures = [failure for session in sessions for failure in session.failures]
    person.tell_causes([(f"{one.reviewer} on {one.answer}: {one.reason}", one.hint) for one in failures])
