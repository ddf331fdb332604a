"""Pipelines x models x prompts over one question set: every cell an ordinary run that is graded, and their effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, OtherRun, SurefootError, UsageError
from surefoot.core.result import NOBODY, READER, Person, Result
from surefoot.core.types import Trace, counted
from surefoot.gate.effects import UNIT, Answered, CellResult, Effect, conclusions, effects_of, result_of
from surefoot.gate.sides import BUCKET_AXIS, failed_checks
from surefoot.gate.sides import Run as ReadRun
from surefoot.graders.grader import Reader
from surefoot.graders.llm import agree
from surefoot.jobs.grade import grade_run, open_grader, rubric_of
from surefoot.jobs.overview import overview_of, trust_in
from surefoot.jobs.run import Answers, asking_of, load_corpus, load_questions, run
from surefoot.jobs.runs import read_all, read_run
from surefoot.jobs.settings import Given, settings_from
from surefoot.models.budget import IF_NONE_AGAIN, Budget, money
from surefoot.models.spec import chat_model
from surefoot.pipelines.asker import refuse_too_many
from surefoot.pipelines.specs import PROMPTS, Cell, Plan, needs_corpus, read_plan, slug
from surefoot.store import Project, Run

_NAMED_ALREADY = ("error", "missing")  # by the asking
_INTERRUPTED = "interrupted"


class MatrixResult(Result, frozen=True, kw_only=True):
    """Every cell with its buckets, and what each factor changes."""

    name: str
    questions: int
    repeats: int
    grader: str
    trust: str  # how far the grader can be trusted, in words
    axes: dict[str, tuple[str, ...]]
    cells: tuple[CellResult, ...]
    unit: str = UNIT
    effects: tuple[Effect, ...]
    conclusions: tuple[str, ...]
    misused: bool = False  # a cell could not even be understood
    interrupted: bool = False

    @property
    def exit_code(self) -> ExitCode:
        if self.misused:
            return ExitCode.USAGE
        return ExitCode.OK if all(cell.complete for cell in self.cells) else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A cell a row, with its buckets."""
        return [{"cell": cell.name, **cell.values, **cell.buckets} for cell in self.cells]


def matrix(
    file: str | Path, *, db: str | Path | None = None, grader: str | Reader | None = None, yes: bool = False,
    settings: Given = None, person: Person = READER,
) -> MatrixResult:  # fmt: skip
    """Run pipelines x models x prompts over one question set, as a TOML file names them, and measure their effects.

    Every cell is a version of its own; the same call again asks what has no answer yet. The limit on costs is for
    pipelines and grader together. `grader` goes before the one that the file names.
    """
    how = settings_from(settings, yes=yes)
    plan, cells = read_plan(Path(file))
    questions = len(load_questions(plan.questions, person.tell))
    refuse_too_many(str(file), len(cells), plan.repeats, questions)
    corpus = load_corpus(plan.corpus, plan.questions, NOBODY.tell)  # the runs tell what to know of it
    for cell in cells:
        if needs_corpus(cell.spec) and not corpus:
            message = f"{file}: the pipeline {cell.values['pipeline']!r} needs a corpus to search, and there is none"
            raise UsageError(message, 'name the passages that your questions are about: corpus = "FILE"')
    budget = Budget(how.max_cost)
    chosen = open_grader(plan.grader if grader is None else grader, how, budget, person)
    asking, misused, interrupted = asking_of(how, budget), False, False
    results, given = list[CellResult](), dict[str, Answered]()
    with Project.open(db) as project:
        versions = {cell.name: f"{slug(str(plan.name))}/{cell.folder}" for cell in cells}
        there = {name: next(reversed(project.runs(version)), None) for name, version in versions.items()}
        before = {name: run.traces() if run else [] for name, run in there.items()}
        open_ = {name: max(0, questions * plan.repeats - sum(trace.error is None for trace in traces))
                 for name, traces in before.items()}  # fmt: skip
        _agree_on(plan, cells, questions, open_, person, how.yes)

        def made(cell: Cell, earlier: Run | None) -> CellResult:
            """Ask and grade a cell."""
            # A limit of 0 stops no cell: models refuse each call, and what costs nothing goes on.
            if budget.left_usd == 0 and budget.spent_usd > 0 and open_[cell.name]:
                limit, spent = money(budget.most_usd or 0.0), money(budget.spent_usd)
                raise Incomplete(f"not asked: {spent} USD have been spent, and {limit} was the limit")
            answers = run(
                cell.spec, questions=plan.questions, corpus=plan.corpus, repeats=plan.repeats,
                version=versions[cell.name], asking=replace(asking, prompt=cell.prompt or PROMPTS[0]), db=db,
                resume=earlier.id if earlier else None, retry_errors=earlier is not None, person=person,
            )  # fmt: skip
            if not cell.model:  # whose calls the budget has counted already
                budget.spend(_cost(answers.traces) - _cost(before[cell.name]))
            if answers.interrupted:
                raise Incomplete(_INTERRUPTED)
            kept = project.named(answers.run)[0]
            if not _is_graded_by(kept, chosen):
                grade_run(kept, chosen)
                if kept.manifest.grader != chosen.name:
                    raise Incomplete("nothing was graded: no reply of the grader could be used")
            side = read_run(kept)
            result, given[cell.name] = result_of(cell.name, cell.values, side, tuple(_notes(answers, side)))
            return result

        for number, cell in enumerate(cells, 1):
            person.tell(f"cell {number} of {len(cells)}: {cell.name}")
            try:
                results.append(made(cell, there[cell.name]))
            except SurefootError as error:  # the others go on
                misused |= isinstance(error, UsageError)
                if isinstance(error, OtherRun):
                    error.hint = "choose another name for the matrix file: what has changed is another version"
                person.tell(f"error: {cell.name}: {error}")
                results.append(CellResult(cell.name, cell.values, versions[cell.name], failed=str(error)))
            if interrupted := results[-1].failed == _INTERRUPTED:
                break
        graded = [cell.run for cell in results if cell.graded]
        # Grader, rubric and corpus are the same in all cells.
        trust = trust_in(overview_of(read_all(project, project.named(graded[0])))) if graded else ""
    effects = effects_of(results, given, plan.axes, {one.id: one.doc for one in corpus or () if one.doc})
    return MatrixResult(
        name=str(plan.name), questions=questions, repeats=plan.repeats, grader=chosen.name, trust=trust,
        axes=plan.axes, cells=tuple(results), effects=effects,
        conclusions=tuple(conclusions(results, effects, plan.axes)), misused=misused, interrupted=interrupted,
    )  # fmt: skip


def _cost(traces: Iterable[Trace]) -> float:
    """What answers have cost, as far as the pipeline reports it."""
    return sum(trace.cost_usd or 0.0 for trace in traces)


def _agree_on(
    plan: Plan, cells: Sequence[Cell], questions: int, open_: Mapping[str, int], person: Person, yes: bool
) -> None:
    """Tell what will be asked before anything is."""
    total, left = questions * plan.repeats * len(cells), sum(open_.values())
    each = f"{counted(questions, 'question')} x {counted(plan.repeats, 'time')}"
    person.tell(f"{counted(len(cells), 'cell')} x {each} = {total:,} answers: {left:,} to ask")
    for model in dict.fromkeys(cell.model for cell in cells if cell.model and open_[cell.name]):
        calls = sum(open_[cell.name] for cell in cells if cell.model == model)
        person.tell(f"{counted(calls, 'call')} to {model} {IF_NONE_AGAIN}")
    agree(person, yes, [chat_model(cell.model).name for cell in cells if cell.model and open_[cell.name]])


def _is_graded_by(kept: Run, grader: Reader) -> bool:
    """Not if an answer was left open, or the grader failed its self-check: asked again, it may do better."""
    manifest = kept.manifest
    if (manifest.grader, manifest.rubric_sha256) != (grader.name, rubric_of(grader).sha256):
        return False
    answers = {(trace.question_id, trace.attempt) for trace in kept.traces() if trace.answer and not trace.error}
    buckets = (one for one in kept.verdicts() if one.axis == BUCKET_AXIS and one.value is not None)
    graded = {(one.question_id, one.attempt) for one in buckets if one.grader == grader.name and not one.self_check}
    return answers <= graded


def _notes(answers: Answers, side: ReadRun) -> Iterator[str]:
    for kind, count in answers.errors_by_kind.items():
        yield f"{count} not answered: {kind}"
    if answers.missing:
        yield f"{answers.missing} not asked"
    left_open = (one for one in side.counted() if one.axis == BUCKET_AXIS and one.value is None)
    for reason, count in Counter(one.reason.partition(":")[0] for one in left_open).items():
        if reason not in _NAMED_ALREADY:
            yield f"{count} not graded: {reason}"
    for grader, misread in failed_checks([side]).items():
        yield f"the grader {grader} failed its self-check: {misread}"
    yield from map(str, side.problems)
