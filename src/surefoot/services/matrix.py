"""Pipelines x models x prompts over one question set: every cell an ordinary run that is graded, and their effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, OtherRun, SurefootError, UsageError
from surefoot.core.result import NOBODY, READER, Person, Result
from surefoot.core.types import Trace
from surefoot.core.words import counted
from surefoot.factors.effects import UNIT, Contest, Matrix, Movement, conclusions, effects_of, reading
from surefoot.factors.plan import AXES, Cell, Plan, about, parse, refuse_too_many, slug
from surefoot.factors.results import CellResult, result_of
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.trust import failed_checks
from surefoot.models.budget import Budget, money, price_of
from surefoot.models.seam import Settings
from surefoot.pipelines.specs import PROMPTS, Asking, needs_corpus, prompt_of
from surefoot.services.grade import grade_run
from surefoot.services.graders import Reader, Terms, open_grader, rubric_of
from surefoot.services.inputs import load_corpus, load_questions
from surefoot.services.overview import overview_of, trust_in
from surefoot.services.run import Answers, run
from surefoot.services.runs import read_all, read_run
from surefoot.store import Project, Run
from surefoot.text.endpoints import chat_model

_NAMED_ALREADY = ("error", "missing")  # by the asking


class MatrixResult(Result, frozen=True, kw_only=True):
    """Every cell with its buckets, and what each factor changes."""

    beside = ("matrix", "misused", "interrupted")

    name: str
    questions: int
    repeats: int
    grader: str
    trust: str | None
    axes: dict[str, tuple[str, ...]]
    cells: list[dict[str, Any]]
    unit: str
    effects: list[dict[str, Any]]
    movements: tuple[Movement, ...]
    contests: tuple[Contest, ...]
    conclusions: list[str]
    matrix: Matrix
    misused: bool  # a cell could not even be understood
    interrupted: bool

    @property
    def exit_code(self) -> ExitCode:
        if self.misused:
            return ExitCode.USAGE
        is_whole = not self.interrupted and all(cell.complete for cell in self.matrix.cells)
        return ExitCode.OK if is_whole else ExitCode.INCOMPLETE

    def table(self) -> Sequence[Mapping[str, Any]]:
        """A cell a row, with its buckets."""
        return [{"cell": cell.name, **cell.values, **cell.buckets} for cell in self.matrix.cells]


def matrix(
    file: str | Path,
    *,
    db: str | Path | None = None,
    grader: str | Reader | None = None,
    asking: Asking | None = None,
    terms: Terms | None = None,
    person: Person = READER,
) -> MatrixResult:
    """Run pipelines x models x prompts over one question set, as a TOML file names them, and measure their effects.

    Every cell is a version of its own; the same call again asks what has no answer yet. The budget of `terms` is for
    pipelines and grader together. `grader` goes before the one that the file names.
    """
    source, how = Path(file), terms or Terms()
    plan = _plan(source)
    questions = len(load_questions(plan.questions, person.tell))
    refuse_too_many(str(source), len(plan.cells), plan.repeats, questions)
    budget = Budget(how.max_cost)
    chosen = open_grader(plan.grader if grader is None else grader, how, budget, person)
    with Project.open(db) as project:
        cells = _Cells(project, db, plan, chosen, _asking(asking or Asking(), how, budget), person)
        cells.agree_on(questions * plan.repeats, how)
        cells.make()
        found = _matrix(project, plan, cells.results, questions, chosen.name)
    effects = found.effects
    return MatrixResult(
        name=found.name, questions=questions, repeats=plan.repeats, grader=chosen.name, trust=found.trust or None,
        axes=found.axes, cells=[_cell(one) for one in found.cells], unit=UNIT,
        effects=[{**msgspec.to_builtins(one), "reading": reading(one)} for one in effects.effects],
        movements=effects.movements, contests=effects.contests, conclusions=list(conclusions(found)), matrix=found,
        misused=cells.misused, interrupted=cells.interrupted,
    )  # fmt: skip


def _cell(found: CellResult) -> dict[str, Any]:
    kept = ("name", "values", "run", "notes", "tokens", "cost_usd")
    return {
        **{name: getattr(found, name) for name in kept},
        "buckets": found.buckets or None,
        "rates": found.rates or None,
        "failed": found.failed or None,
    }


def _plan(file: Path) -> Plan:
    try:
        content = file.read_text("utf-8")
    except OSError as error:
        hint = "pass a TOML file, as in docs/council.md"
        raise UsageError(f"the matrix {file} cannot be read: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the matrix {file} is not UTF-8 text", "save it as UTF-8") from error
    plan = parse(content, str(file), file.stem, lambda name: str(file.parent / name))
    with about(str(file)):
        _check_files(plan)
    return plan


def _check_files(plan: Plan) -> None:
    prompts = sorted({cell.prompt for cell in plan.cells if cell.prompt and cell.prompt not in PROMPTS})
    named = (("questions", plan.questions), ("corpus", plan.corpus), *(("prompt", prompt) for prompt in prompts))
    for key, path in named:
        if path is not None and not Path(path).exists():
            raise UsageError(f"{key}: there is no file {path}", "paths begin at the folder of the matrix file")
    needing = [cell.values["pipeline"] for cell in plan.cells if needs_corpus(cell.spec)]
    if needing and plan.questions is not None and plan.corpus is None:  # the demo's goes with its own questions alone
        message = f"the pipeline {needing[0]!r} needs a corpus to search, and there is no `corpus`"
        raise UsageError(message, 'name the passages that your questions are about: corpus = "FILE"')
    for prompt in prompts:
        prompt_of(prompt)


def _asking(asking: Asking, terms: Terms, budget: Budget) -> Asking:
    settings = Settings(
        concurrency=asking.concurrency, effort=terms.effort, max_tokens=terms.max_tokens, prices=terms.prices
    )
    return replace(asking, settings=settings, budget=budget)


class _Cells:
    """The cells of a plan, made one after the other on one budget."""

    def __init__(
        self, project: Project, db: str | Path | None, plan: Plan, grader: Reader, asking: Asking,
        person: Person,
    ) -> None:  # fmt: skip
        self.project, self.db = project, db
        self.plan, self.grader, self.asking, self.person = plan, grader, asking, person
        self.budget = asking.budget or Budget()
        self.results: list[CellResult] = []
        self.misused = self.interrupted = False
        self._open = {cell.name: 0 for cell in plan.cells}  # how many answers are still to be asked for

    def agree_on(self, each: int, terms: Terms) -> None:
        """Tell what will be asked before anything is."""
        calls: Counter[str] = Counter()
        for cell in self.plan.cells:
            answered = sum(trace.error is None for trace in self._traces(cell))
            self._open[cell.name] = left = max(0, each - answered)
            if cell.model and left:
                calls[cell.model] += left
                asked = chat_model(cell.model)
                if terms.max_cost is not None and price_of(asked.model, asked.endpoint, terms.prices) is None:
                    hint = 'give it in a file with --prices: [models] and "NAME" = { in = 0, out = 0 }'
                    message = f"the price of {cell.spec} is not known, so no limit on its cost can be kept"
                    raise UsageError(message, hint)
        count, repeats = len(self.plan.cells), self.plan.repeats
        total, left = each * count, sum(self._open.values())
        times = f" x {counted(repeats, 'time')}" if repeats > 1 else ""
        planned = f"{counted(count, 'cell')} x {counted(each // repeats, 'question')}{times} = {total:,} answers"
        there = f", {total - left:,} of them there already" if left < total else ""
        self.person.tell(f"{planned}{there}: {left:,} to ask")
        for model, wanted in calls.items():
            self.person.tell(f"{counted(wanted, 'call')} to {model}")
        if left and not terms.yes and not self.person.agrees():
            raise Incomplete("nothing was asked", "--yes skips the confirmation")

    def make(self) -> None:
        """Every cell in turn. One that fails is named, and the others go on."""
        for number, cell in enumerate(self.plan.cells, 1):
            self.person.tell(f"cell {number} of {len(self.plan.cells)}: {cell.name}")
            try:
                self.results.append(self._made(cell))
            except SurefootError as error:
                self.misused |= isinstance(error, UsageError)
                if isinstance(error, OtherRun):
                    error.hint = "choose another name for the matrix file: what has changed is another version"
                self.person.tell(f"error: {cell.name}: {error.message}")
                if error.hint:
                    self.person.tell(f"hint: {error.hint}")
                self.results.append(self._failed(cell, str(error)))
            if self.interrupted:
                return

    def _made(self, cell: Cell) -> CellResult:
        budget = self.budget
        # A limit of 0 stops no cell: models refuse each call, and what costs nothing goes on.
        if budget.left_usd == 0 and budget.spent_usd > 0 and self._open[cell.name]:
            limit, spent = money(budget.most_usd or 0.0), money(budget.spent_usd)
            return self._failed(cell, f"not asked: {spent} USD have been spent, and {limit} was the limit")
        before = self._reported_cost(cell)
        answers = self._run(cell)
        if not cell.model:  # whose calls the budget has counted already
            budget.spend(self._reported_cost(cell) - before)
        self.interrupted = answers.interrupted
        if answers.interrupted:
            return self._failed(cell, "interrupted")
        kept = self.project.named(answers.run)[0]
        if not _is_graded_by(kept, self.grader) and grade_run(kept, self.grader).in_vain:
            raise Incomplete("nothing was graded: no reply of the grader could be used")
        side = read_run(kept)
        return result_of(cell.name, cell.values, kept.id, side, tuple(_notes(answers, side)))

    def _run(self, cell: Cell) -> Answers:
        """Ask what is still to be asked of a cell."""
        there = self._kept(cell)
        return run(
            cell.spec, questions=self.plan.questions, corpus=self.plan.corpus, repeats=self.plan.repeats,
            version=self._version(cell), asking=replace(self.asking, prompt=cell.prompt or PROMPTS[0]),
            resume=there.id if there else None, retry_errors=there is not None, db=self.db, person=self.person,
        )  # fmt: skip

    def _version(self, cell: Cell) -> str:
        return f"{slug(self.plan.name)}/{cell.folder}"

    def _kept(self, cell: Cell) -> Run | None:
        return next(reversed(self.project.runs(self._version(cell))), None)

    def _traces(self, cell: Cell) -> list[Trace]:
        """The answers that a cell has already."""
        kept = self._kept(cell)
        return kept.traces() if kept else []

    def _reported_cost(self, cell: Cell) -> float:
        """What a cell's answers have cost, as far as the pipeline reports it."""
        return sum(trace.cost_usd or 0.0 for trace in self._traces(cell))

    def _failed(self, cell: Cell, why: str) -> CellResult:
        return CellResult(cell.name, cell.values, self._version(cell), failed=why)


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


def _matrix(project: Project, plan: Plan, results: Sequence[CellResult], questions: int, grader: str) -> Matrix:
    corpus = load_corpus(plan.corpus, plan.questions, NOBODY.tell) or []  # the runs have told what to know of it
    documents = {passage.id: passage.doc for passage in corpus if passage.doc}
    axes = {axis: tuple(value.name for value in plan.axes[axis]) for axis in AXES if plan.axes[axis]}
    graded = [result.run for result in results if result.graded]
    # Grader, rubric and corpus are the same in all cells.
    trust = trust_in(overview_of(read_all(project, project.named(graded[0])))) if graded else ""
    effects = effects_of(results, axes, documents)
    return Matrix(plan.name, axes, tuple(results), effects, questions, plan.repeats, grader, trust)
