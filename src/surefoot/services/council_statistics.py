"""What a council's scores are worth: reviewers' biases, whether the rubric earns its cost, better weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from surefoot.core import rubric as rubrics
from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.files import printable, replace_file
from surefoot.core.records import Interval
from surefoot.core.result import READER, Person, Result, tell_problems
from surefoot.core.rubric import Fault, Rubric
from surefoot.core.types import Problem, counted, names
from surefoot.reviewers import rows
from surefoot.reviewers.habits import Habit, habits
from surefoot.reviewers.scores import Known
from surefoot.reviewers.sheet import CAPPED, HOLISTIC, OVERALL, Answer, Flags, Numbers, Sheet
from surefoot.reviewers.sitting import known_of
from surefoot.reviewers.success import Opinions, Success, success
from surefoot.reviewers.voices import Voices, voices
from surefoot.reviewers.weights import Refused, tune
from surefoot.services.council_scores import council_rows
from surefoot.services.opinions import read_opinions
from surefoot.services.runs import Name, opened, run_items
from surefoot.store import Project, Run

_HINT = "score them first: surefoot council RUN --reviewer MODEL"
Other = Literal["holistic"]


class CouncilEvaluation(Result, frozen=True):
    """What the scores of a council's reviewers are worth on the answers of runs."""

    runs: tuple[str, ...]
    reviewers: tuple[str, ...]
    questions: int
    answers: int
    success: Success
    voices: Voices
    bias: tuple[Habit, ...]

    def table(self) -> Sequence[Mapping[str, Any]]:
        """Every figure on every reviewer."""
        return [msgspec.to_builtins(one) for one in self.bias]


class RubricTuned(Result, frozen=True, kw_only=True):
    """Weights fitted to what people prefer; `written` is the new rubric's file, None where nothing is gained.

    Where the labels could not show a gain there is a `reason` and no weights.
    """

    weights: dict[str, float] | None = None
    before: dict[str, float] | None = None
    alone: dict[str, Interval] | None = None
    agrees: float | None = None
    gain: Interval | None = None
    questions: int
    pairs: int | None = None
    reason: str | None = None
    written: str | None = None

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.written else ExitCode.INCONCLUSIVE


def evaluate_council(
    *runs: Name,
    labels: str | Path | None = None,
    compare: Other | None = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> CouncilEvaluation:
    """Look at the scores that reviewers gave to the answers of runs: do they agree, with each other and with people?

    `labels` are scores, buckets or preferences by people. `compare` insists on a holistic score beside the rubric's.
    """
    scored = _Scored(runs, db)
    counted = scored.sheet(own=False)
    if compare and HOLISTIC not in counted:
        hint = "ask for it: surefoot council RUN --reviewer MODEL --holistic"
        raise Incomplete("no reviewer gave a holistic score to compare with", hint)
    people = None if labels is None else scored.opinions(labels, counted, person)
    heard = voices(counted)
    bias = habits(scored.sheet(own=True), [one.reviewer for one in heard.adds_nothing])
    return CouncilEvaluation(
        tuple(scored.runs), counted.reviewers, len(counted.questions), len(counted.answers),
        success(counted, people), heard, bias,
    )  # fmt: skip


def tune_rubric(
    *runs: str | Path,
    labels: str | Path,
    rubric: str,
    out: str | Path,
    db: str | Path | None = None,
    person: Person = READER,
) -> RubricTuned:
    """Fit a rubric's weights to what people prefer, and write the new rubric if it is better on unseen questions.

    Without `runs`, all that a council scored are taken.
    """
    text, target = rubrics.read_text(rubric), Path(out)
    made = rubrics.parse(text, rubric)
    if not made.weights:
        raise UsageError(f"the rubric {rubric} has no weights", "choose one that a council scores by: refusal_aware")
    if target.exists():
        raise UsageError(f"{printable(target)} is there already", "choose another name for --out")
    scored = _Scored(runs, db)
    sheet = scored.sheet(own=False)
    people = scored.opinions(labels, sheet, person)
    ballots = _ballots(sheet, made)
    caps = _caps(sheet, made, scored.faults(made))
    scores, whole = _mean(ballots.values, ballots.whole)
    kept = whole[people.pairs.one] & whole[people.pairs.other]
    person.tell(_used(people, kept, sheet))
    people = Opinions(people.pairs.at(kept), people.signs[kept])

    def overall(weights: Numbers) -> Numbers:
        return _mean(np.minimum(ballots.values @ weights, caps), ballots.whole)[0]

    found = tune(scores, made.weights, people, overall)
    if isinstance(found, Refused) or not found.is_better:
        return RubricTuned(**asdict(found))
    changed = rubrics.with_weights(text, rubrics.rounded(found.weights), target.stem)
    rubrics.parse(changed, printable(target))
    try:
        replace_file(target, changed.encode())
    except OSError as error:
        raise UsageError(f"{printable(target)} cannot be written: {error.strerror}", "choose another --out") from error
    return RubricTuned(**asdict(found), written=printable(target))


class _Run(Struct, frozen=True):
    scores: dict[rows.Place, dict[str, float]]
    own: set[rows.Place]
    lengths: dict[Answer, int]
    answerable: dict[str, bool]
    known: dict[str, Known]  # by question


def _judged(given: Mapping[str, float]) -> dict[str, float]:
    """The scores of a ballot with its overall score before ceilings, and the capped one beside it."""
    found = {name: score for name, score in given.items() if name != rows.UNCAPPED}
    if rows.OVERALL in given:
        found |= {OVERALL: given.get(rows.UNCAPPED, given[rows.OVERALL]), CAPPED: given[rows.OVERALL]}
    return found


class _Scored:
    """Runs with the scores of their reviewers."""

    def __init__(self, names: Sequence[Name], db: str | Path | None) -> None:
        if len(set(names)) < len(names):
            raise UsageError("a run is named twice", "name each run once")
        with opened(names, db) if names else _scored(db) as (_, runs):
            self.runs = {run.id: _read(run) for run in runs}
        if not any(run.scores for run in self.runs.values()):
            raise Incomplete(f"{', '.join(self.runs)}: no reviewer scored an answer", _HINT)

    def faults(self, rubric: Rubric) -> dict[Answer, Fault | None]:
        """By the dimensions that all reviewers together have a score on: whether the answer counted as a refusal."""
        found: dict[Answer, Fault | None] = {}
        for run in self.runs.values():
            for place, given in run.scores.items():
                if place.reviewer == rows.POOLED:
                    refused, known = rubric.says_refused(given), run.known[place.question_id]
                    fault = {True: known.if_refused, False: known.if_answered, None: None}[refused]
                    found[Answer(place.run, place.question_id, place.attempt)] = fault
        return found

    def sheet(self, *, own: bool) -> Sheet:
        """`own` False leaves out what reviewers gave to answers of their own model."""
        scores: dict[str, dict[Answer, dict[str, float]]] = {}
        mine: dict[str, set[str]] = {}
        for run in self.runs.values():
            for place, given in run.scores.items():
                if place in run.own:
                    mine.setdefault(place.reviewer, set()).add(place.run)
                if place.reviewer != rows.POOLED and (own or place not in run.own):
                    answer = Answer(place.run, place.question_id, place.attempt)
                    scores.setdefault(place.reviewer, {})[answer] = _judged(given)
        lengths = {answer: size for run in self.runs.values() for answer, size in run.lengths.items()}
        return Sheet(scores, lengths, own={who: frozenset(found) for who, found in mine.items()})

    def opinions(self, labels: str | Path, sheet: Sheet, person: Person) -> Opinions:
        problems: list[Problem] = []
        answerable = {id: known for run in self.runs.values() for id, known in run.answerable.items()}
        found = read_opinions(labels, sheet, answerable, problems)
        tell_problems(problems, person.tell)
        return found


def _read(run: Run) -> _Run:
    items, verdicts = list(run_items(run)), council_rows(run)
    answers = [(Answer(run.id, item.question.id, item.trace.attempt), item) for item in items]
    return _Run(
        rows.scores_of(verdicts, run.id),
        rows.own_answers(verdicts, run.id),
        {answer: len(item.trace.answer or "") for answer, item in answers},
        {item.question.id: item.question.answerable for item in items},
        {item.question.id: known_of(item.question) for item in items},
    )


@contextlib.contextmanager
def _scored(db: str | Path | None) -> Iterator[tuple[Project, list[Run]]]:
    """The runs that a council scored."""
    with Project.existing(db) as project:
        if not (found := [run for run in project.runs() if run.manifest.council]):
            raise Incomplete("no council has scored a run of this project", "surefoot council RUN --reviewer MODEL")
        yield project, found


class _Ballots(NamedTuple):
    """Scores by reviewer, answer and weight, and which ballots have them all."""

    values: Numbers
    whole: Flags


def _ballots(sheet: Sheet, rubric: Rubric) -> _Ballots:
    """Where an answer declines, what stands in for a dimension has its score."""
    columns, whole = [], np.ones((len(sheet.reviewers), len(sheet.answers)), dtype=bool)
    for name in rubric.weights:
        names = [name, *(axis.name for axis in rubric.axes if axis.replaces == name)]
        known = [sheet.column(one) for one in names if one in sheet]
        if not known:
            hint = f"score them by it: surefoot council RUN --reviewer MODEL --rubric {rubric.name}"
            raise UsageError(f"the runs have no scores on {name}, which the rubric {rubric.name} asks for", hint)
        columns.append(np.sum([column.values for column in known], axis=0))
        whole &= np.sum([column.given for column in known], axis=0) == 1
    return _Ballots(np.stack(columns, axis=2), whole)


def _mean(values: Numbers, whole: Flags) -> tuple[Numbers, Flags]:
    """Over the reviewers with a whole ballot, and which answers have one."""
    count = whole.sum(axis=0)
    total = np.einsum("ra...,ra->a...", values, whole.astype(float))
    shape = (-1, *[1] * (total.ndim - 1))
    return np.asarray(total / np.maximum(1, count).reshape(shape)), count > 0


def _used(people: Opinions, kept: Flags, sheet: Sheet) -> str:
    """What becomes of the labels: nothing is left out without a word."""
    tied = people.signs == 0
    gaps = ~kept & ~tied
    at = sheet.question_of[people.pairs.one[gaps]]
    named = dict.fromkeys(sheet.questions[place] for place in at)
    lacking = f"; {counted(int(gaps.sum()), 'pair')} left out, as no reviewer scored every dimension of both answers"
    lacking += f" ({names(list(named), len(named), 5)})" if named else ""
    used = counted(int((kept & ~tied).sum()), "pair")
    ties = counted(int(tied.sum()), "tie")
    return f"labels: {counted(len(kept), 'pair')} of answers: {ties}, {used} used{lacking if gaps.any() else ''}"


def _caps(sheet: Sheet, rubric: Rubric, faults: Mapping[Answer, Fault | None]) -> Numbers:
    """The most that each ballot can give to each answer, by the rubric's ceilings."""
    highest = np.full((len(sheet.reviewers), len(sheet.answers)), float(rubrics.HIGHEST))
    for cap in rubric.caps:
        if cap.of:
            held = np.broadcast_to([faults.get(answer) == cap.of for answer in sheet.answers], highest.shape)
        elif cap.axis in sheet:
            column = sheet.column(cap.axis)
            held = column.given & (column.values < cap.below)
        else:
            continue
        highest = np.where(held, np.minimum(highest, cap.at), highest)
    return highest
