"""Pipelines x models x prompts over one question set: every cell an ordinary run that is graded, and their effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, OtherRun, SurefootError, UsageError
from surefoot.core.result import NOBODY, READER, Person, Result
from surefoot.core.types import counted
from surefoot.gate.effects import UNIT, Answered, CellResult, Effect, conclusions, effects_of, result_of
from surefoot.gate.sides import BUCKET_AXIS, failed_checks
from surefoot.gate.sides import Run as ReadRun
from surefoot.graders.grader import Reader
from surefoot.graders.llm import agree
from surefoot.jobs.grade import grade_run
from surefoot.jobs.graders import open_grader, rubric_of
from surefoot.jobs.inputs import load_corpus, load_questions
from surefoot.jobs.overview import overview_of, trust_in
from surefoot.jobs.run import Answers, asking_of, run
from surefoot.jobs.runs import read_all, read_run
from surefoot.jobs.settings import Given, settings_from
from surefoot.models.budget import Budget, money
from surefoot.pipelines.asker import refuse_too_many
from surefoot.pipelines.plan import Cell, Plan, read_plan, slug
from surefoot.pipelines.specs import PROMPTS, Asking, needs_corpus
from surefoot.store import Project, Run

_NAMED_ALREADY = ("error", "missing")  # by the asking


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
    file: str | Path,
    *,
    db: str | Path | None = None,
    grader: str | Reader | None = None,
    yes: bool = False,
    settings: Given = None,
    person: Person = READER,
) -> MatrixResult:
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
    with Project.open(db) as project:
        made = _Cells(project, db, plan, chosen, asking_of(how, budget), budget, person)
        open_ = {cell.name: max(0, questions * plan.repeats - made.answered(cell)) for cell in cells}
        _tell_plan(plan, cells, questions, open_, person)
        if any(open_.values()):
            agree(person, yes)
        for number, cell in enumerate(cells, 1):
            if not made.interrupted:
                person.tell(f"cell {number} of {len(cells)}: {cell.name}")
                made.make(cell, bool(open_[cell.name]))
        results = tuple(made.results)
        graded = [cell.run for cell in results if cell.graded]
        # Grader, rubric and corpus are the same in all cells.
        trust = trust_in(overview_of(read_all(project, project.named(graded[0])))) if graded else ""
    documents = {passage.id: passage.doc for passage in corpus or () if passage.doc}
    effects = effects_of(results, made.given, plan.axes, documents)
    return MatrixResult(
        name=str(plan.name), questions=questions, repeats=plan.repeats, grader=chosen.name, trust=trust,
        axes=plan.axes, cells=results, effects=effects, conclusions=tuple(conclusions(results, effects, plan.axes)),
        misused=made.misused, interrupted=made.interrupted,
    )  # fmt: skip


def _tell_plan(plan: Plan, cells: Sequence[Cell], questions: int, open_: Mapping[str, int], person: Person) -> None:
    """Tell what will be asked before anything is."""
    total, left = questions * plan.repeats * len(cells), sum(open_.values())
    times = f" x {counted(plan.repeats, 'time')}" if plan.repeats > 1 else ""
    planned = f"{counted(len(cells), 'cell')} x {counted(questions, 'question')}{times} = {total:,} answers"
    there = f", {total - left:,} of them there already" if left < total else ""
    person.tell(f"{planned}{there}: {left:,} to ask")
    for model in dict.fromkeys(cell.model for cell in cells if cell.model and open_[cell.name]):
        calls = sum(open_[cell.name] for cell in cells if cell.model == model)
        person.tell(f"{counted(calls, 'call')} to {model}")


class _Cells:
    """The cells of a plan, made one after the other on one budget."""

    def __init__(
        self, project: Project, db: str | Path | None, plan: Plan, grader: Reader, asking: Asking, budget: Budget,
        person: Person,
    ) -> None:  # fmt: skip
        self.project, self.db, self.plan, self.grader = project, db, plan, grader
        self.asking, self.budget, self.person = asking, budget, person
        self.results: list[CellResult] = []
        self.given: dict[str, Answered] = {}
        self.misused = self.interrupted = False

    def _kept(self, cell: Cell) -> Run | None:
        return next(reversed(self.project.runs(self._version(cell))), None)

    def _version(self, cell: Cell) -> str:
        return f"{slug(str(self.plan.name))}/{cell.folder}"

    def answered(self, cell: Cell) -> int:
        kept = self._kept(cell)
        return sum(trace.error is None for trace in kept.traces()) if kept else 0

    def _reported_cost(self, cell: Cell) -> float:
        """What a cell's answers have cost, as far as the pipeline reports it."""
        kept = self._kept(cell)
        return sum(trace.cost_usd or 0.0 for trace in kept.traces()) if kept else 0.0

    def make(self, cell: Cell, is_open: bool) -> None:
        """Ask and grade a cell. One that fails is named, and the others go on."""
        why = ""
        try:
            # A limit of 0 stops no cell: models refuse each call, and what costs nothing goes on.
            if self.budget.left_usd == 0 and self.budget.spent_usd > 0 and is_open:
                limit, spent = money(self.budget.most_usd or 0.0), money(self.budget.spent_usd)
                why = f"not asked: {spent} USD have been spent, and {limit} was the limit"
            else:
                why = self._asked_and_graded(cell)
        except SurefootError as error:
            self.misused |= isinstance(error, UsageError)
            if isinstance(error, OtherRun):
                error.hint = "choose another name for the matrix file: what has changed is another version"
            self.person.tell(f"error: {cell.name}: {error.message}")
            if error.hint:
                self.person.tell(f"hint: {error.hint}")
            why = str(error)
        if why:
            self.results.append(CellResult(cell.name, cell.values, self._version(cell), failed=why))

    def _asked_and_graded(self, cell: Cell) -> str:
        """Add what comes of a cell, or return why nothing does."""
        before, there = self._reported_cost(cell), self._kept(cell)
        answers = run(
            cell.spec, questions=self.plan.questions, corpus=self.plan.corpus, repeats=self.plan.repeats,
            version=self._version(cell), asking=replace(self.asking, prompt=cell.prompt or PROMPTS[0]),
            resume=there.id if there else None, retry_errors=there is not None, db=self.db, person=self.person,
        )  # fmt: skip
        if not cell.model:  # whose calls the budget has counted already
            self.budget.spend(self._reported_cost(cell) - before)
        self.interrupted = answers.interrupted
        if answers.interrupted:
            return "interrupted"
        kept = self.project.named(answers.run)[0]
        if not _is_graded_by(kept, self.grader):
            grade_run(kept, self.grader)
            if kept.manifest.grader != self.grader.name:
                raise Incomplete("nothing was graded: no reply of the grader could be used")
        side = read_run(kept)
        result, self.given[cell.name] = result_of(cell.name, cell.values, side, tuple(_notes(answers, side)))
        self.results.append(result)
        return ""


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
    left_open = (
        one.reason.partition(":")[0] for one in side.counted() if one.axis == BUCKET_AXIS and one.value is None
    )
    for reason, count in Counter(left_open).items():
        if reason not in _NAMED_ALREADY:
            yield f"{count} not graded: {reason}"
    for grader, misread in failed_checks([side]).items():
        yield f"the grader {grader} failed its self-check: {misread}"
    yield from map(str, side.problems)
