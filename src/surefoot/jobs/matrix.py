"""Pipelines x models x prompts over one question set: every cell an ordinary run that is graded, and their effects."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, Incomplete, OtherRun, SurefootError, UsageError
from surefoot.core.result import NOBODY, READER, Person, Result
from surefoot.core.types import Trace, counted
from surefoot.gate.effects import UNIT, Answered, CellResult, Effect, conclusions, effects_of, result_of
from surefoot.gate.sides import BUCKET_AXIS, failed_checks
from surefoot.gate.sides import Run as ReadRun
from surefoot.graders.grader import Reader
from surefoot.graders.model_grader import agree
from surefoot.jobs.grade import grade_run
from surefoot.jobs.graders import open_grader, rubric_of
from surefoot.jobs.inputs import load_corpus, load_questions
from surefoot.jobs.overview import overview_of, trust_in
from surefoot.jobs.run import MOST_ANSWERS, Answers, asking_of, refuse_too_many, run
from surefoot.jobs.runs import read_all, read_run
from surefoot.jobs.settings import Given, Settings, settings_from
from surefoot.models.budget import Budget, money, price_of
from surefoot.models.spec import chat_model, parsed
from surefoot.pipelines.specs import PROMPTS, Asking, needs_corpus, prompt_of
from surefoot.store import Project, Run

_NAMED_ALREADY = ("error", "missing")  # by the asking
_CHAT = "chat"
_EXAMPLES = {
    "pipeline": '[[pipeline]] name = "rag", spec = "chat"',
    "model": '[[model]] name = "small", spec = "llm:MODEL@http://localhost:8000/v1"',
    "prompt": '[[prompt]] name = "licence", bundled = "with_licence" (or "without_licence", or file = "FILE")',
}
Name = Annotated[str, Meta(min_length=1, max_length=60)]


class _Value(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    spec: str


class _Prompt(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    bundled: Literal["with_licence", "without_licence"] | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        if (self.bundled is None) == (self.file is None):
            raise ValueError("it must have either `bundled` or `file`")


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    pipeline: tuple[_Value, ...] = ()
    model: tuple[_Value, ...] = ()
    prompt: tuple[_Prompt, ...] = ()
    name: Name | None = None
    questions: str | None = None
    corpus: str | None = None
    repeats: Annotated[int, Meta(ge=1)] = 1
    grader: str = "local"

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """In the order listed: the first is the reference."""
        return {axis: tuple(value.name for value in getattr(self, axis)) for axis in _EXAMPLES if getattr(self, axis)}


class Cell(Struct, frozen=True):
    """One run: `values` has the axes that it lies on, `spec` and `prompt` are what `surefoot run` is given."""

    values: dict[str, str]
    spec: str
    prompt: str | None = None

    @property
    def name(self) -> str:
        return " / ".join(self.values.values())

    @property
    def folder(self) -> str:
        return "--".join(slug(value) for value in self.values.values())

    @property
    def model(self) -> str:
        """What a chat pipeline asks; nothing for others."""
        kind, _, rest = self.spec.partition(":")
        return rest if kind == _CHAT else ""


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
    plan, cells = _read(Path(file))
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
        made = _Cells(project, db, plan, cells, chosen, asking_of(how, budget), person)
        made.agree_on(questions * plan.repeats, how)
        made.make()
        results = tuple(made.results)
        graded = [cell.run for cell in results if cell.graded]
        # Grader, rubric and corpus are the same in all cells.
        trust = trust_in(overview_of(read_all(project, project.named(graded[0])))) if graded else ""
    documents = {passage.id: passage.doc for passage in corpus or () if passage.doc}
    effects = effects_of(results, made.answered, plan.axes, documents)
    return MatrixResult(
        name=str(plan.name), questions=questions, repeats=plan.repeats, grader=chosen.name, trust=trust,
        axes=plan.axes, cells=results, effects=effects, conclusions=tuple(conclusions(results, effects, plan.axes)),
        misused=made.misused, interrupted=made.interrupted,
    )  # fmt: skip


def _read(file: Path) -> tuple[Plan, list[Cell]]:
    try:
        content = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the matrix {file} cannot be read: {error}", "pass a TOML file, as in docs/council.md"
        ) from error
    plan, cells = parse(content, str(file), file.stem, lambda name: str(file.parent / name))
    for prompt in dict.fromkeys(cell.prompt for cell in cells if cell.prompt):
        prompt_of(prompt)
    return plan, cells


def parse(text: str, source: str, name: str, located: Callable[[str], str] = str) -> tuple[Plan, list[Cell]]:
    """What a file holds, and its cells; `name` is what it is called unless it has one, `located` leads to its files."""
    with _about(source):
        try:
            plan = msgspec.toml.decode(text, type=Plan)
        except msgspec.ValidationError as error:
            example = next((one for axis, one in _EXAMPLES.items() if f"$.{axis}" in str(error)), "")
            keys = f"the keys are {', '.join(Plan.__struct_fields__)}"
            raise UsageError(str(error), f"write {example}" if example else keys) from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise UsageError(f"it is not valid TOML: {error}", f"write tables as {_EXAMPLES['model']}") from error
        _check_axes(plan)
        cells = list(islice(_cells(plan, located), MOST_ANSWERS + 1))
        if twice := _first_double(cell.folder for cell in cells):
            raise UsageError(f"two cells would have the name {twice}", "choose other names")
    refuse_too_many(source, len(cells), plan.repeats)
    questions, corpus = (path and located(path) for path in (plan.questions, plan.corpus))
    return replace(plan, name=plan.name or name, questions=questions, corpus=corpus), cells


@contextlib.contextmanager
def _about(where: str) -> Iterator[None]:
    """An error within names the place."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from None


def _check_axes(found: Plan) -> None:
    for axis, names in found.axes.items():
        if twice := _first_double(map(slug, names)):
            hint = "names must differ in more than case and signs"
            raise UsageError(f"two [[{axis}]] have the name {twice!r}", hint)
    if not found.pipeline:
        raise UsageError("there is no [[pipeline]]", f"write {_EXAMPLES['pipeline']}")
    takes = {axis for pipeline in found.pipeline for axis in _taken_by(pipeline.spec)}
    needing = [pipeline.name for pipeline in found.pipeline if "model" in _taken_by(pipeline.spec)]
    for axis in ("model", "prompt"):
        if axis in found.axes and axis not in takes:
            hint = 'add a pipeline with spec = "chat", or leave these out'
            raise UsageError(f"there are [[{axis}]] tables, but no pipeline takes a {axis}", hint)
        if needing and axis not in found.axes:
            message = f"the pipeline {needing[0]!r} takes a {axis}, but there is no [[{axis}]]"
            raise UsageError(message, f"write {_EXAMPLES[axis]}")
    if found.corpus and not found.questions:
        raise UsageError("there is `corpus` without `questions`", "the demo questions are about the demo corpus")


def _taken_by(spec: str) -> tuple[str, ...]:
    """The axes that a pipeline is crossed with. One that names its own model is still shown every prompt."""
    kind, _, rest = spec.partition(":")
    return () if kind != _CHAT else ("prompt",) if rest else ("model", "prompt")


def _cells(found: Plan, located: Callable[[str], str]) -> Iterator[Cell]:
    """An address with a key in it is refused before it is written anywhere."""
    specs = {}
    for pipeline in found.pipeline:
        if _taken_by(pipeline.spec) == ("prompt",):
            with _about(f"the pipeline {pipeline.name!r}"):
                chat_model(pipeline.spec.removeprefix(f"{_CHAT}:"))
    for model in found.model:
        with _about(f"the model {model.name!r}"):
            specs[model.name] = f"{_CHAT}:{parsed(model.spec).name.removeprefix('llm:')}"
    prompts = {one.name: located(one.file) if one.file else f"answer_{one.bundled}" for one in found.prompt}
    for pipeline in found.pipeline:
        taken = [axis for axis in _taken_by(pipeline.spec) if axis in found.axes]
        for names in product(*(found.axes[axis] for axis in taken)):
            values = {"pipeline": pipeline.name, **dict(zip(taken, names, strict=True))}
            yield Cell(values, specs.get(values.get("model", ""), pipeline.spec), prompts.get(values.get("prompt", "")))


def slug(name: str) -> str:
    """A name without signs that a shell or an address would read."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.casefold())
    return kept.strip("-.") or "x"


def _first_double(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


class _Cells:
    """The cells of a plan, made one after the other on one budget."""

    def __init__(
        self, project: Project, db: str | Path | None, plan: Plan, cells: Sequence[Cell], grader: Reader,
        asking: Asking, person: Person,
    ) -> None:  # fmt: skip
        self.project, self.db, self.cells = project, db, cells
        self.plan, self.grader, self.asking, self.person = plan, grader, asking, person
        self.budget = asking.budget or Budget()
        self.results: list[CellResult] = []
        self.answered: dict[str, Answered] = {}
        self.misused = self.interrupted = False
        self._open = {cell.name: 0 for cell in cells}  # how many answers are still to be asked for

    def agree_on(self, each: int, settings: Settings) -> None:
        """Tell what will be asked before anything is."""
        calls: Counter[str] = Counter()
        for cell in self.cells:
            answered = sum(trace.error is None for trace in self._traces(cell))
            self._open[cell.name] = left = max(0, each - answered)
            if cell.model and left:
                calls[cell.model] += left
                asked = chat_model(cell.model)
                if settings.max_cost is not None and price_of(asked.model, asked.endpoint, settings.prices) is None:
                    hint = 'name it in surefoot.toml: [prices] and "NAME" = { in = 0, out = 0 }'
                    message = f"the price of {cell.spec} is not known, so no limit on its cost can be kept"
                    raise UsageError(message, hint)
        count, repeats = len(self.cells), self.plan.repeats
        total, left = each * count, sum(self._open.values())
        times = f" x {counted(repeats, 'time')}" if repeats > 1 else ""
        planned = f"{counted(count, 'cell')} x {counted(each // repeats, 'question')}{times} = {total:,} answers"
        there = f", {total - left:,} of them there already" if left < total else ""
        self.person.tell(f"{planned}{there}: {left:,} to ask")
        for model, wanted in calls.items():
            self.person.tell(f"{counted(wanted, 'call')} to {model}")
        if left:
            agree(self.person, settings.yes)

    def make(self) -> None:
        """Every cell in turn. One that fails is named, and the others go on."""
        for number, cell in enumerate(self.cells, 1):
            self.person.tell(f"cell {number} of {len(self.cells)}: {cell.name}")
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
        before, there = self._reported_cost(cell), self._kept(cell)
        answers = run(
            cell.spec, questions=self.plan.questions, corpus=self.plan.corpus, repeats=self.plan.repeats,
            version=self._version(cell), asking=replace(self.asking, prompt=cell.prompt or PROMPTS[0]),
            resume=there.id if there else None, retry_errors=there is not None, db=self.db, person=self.person,
        )  # fmt: skip
        if not cell.model:  # whose calls the budget has counted already
            budget.spend(self._reported_cost(cell) - before)
        self.interrupted = answers.interrupted
        if answers.interrupted:
            return self._failed(cell, "interrupted")
        kept = self.project.named(answers.run)[0]
        if not _is_graded_by(kept, self.grader):
            grade_run(kept, self.grader)
            if kept.manifest.grader != self.grader.name:
                raise Incomplete("nothing was graded: no reply of the grader could be used")
        side = read_run(kept)
        result, self.answered[cell.name] = result_of(cell.name, cell.values, side, tuple(_notes(answers, side)))
        return result

    def _version(self, cell: Cell) -> str:
        return f"{slug(str(self.plan.name))}/{cell.folder}"

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
