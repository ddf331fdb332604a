"""The cells of a matrix, each an ordinary run that is graded."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from surefoot import rubric
from surefoot.cli.model_options import tell_causes_of
from surefoot.cli.terminal import PERSON
from surefoot.errors import Incomplete, OtherRun, SurefootError, UsageError
from surefoot.gate.sides import BUCKET_AXIS, Run, check_alike
from surefoot.gate.trust import failed_checks
from surefoot.matrix.plan import Cell, Plan
from surefoot.matrix.results import CellResult, result_of
from surefoot.models.budget import Budget, Price, money, price_of
from surefoot.models.seam import Settings
from surefoot.pipelines import PROMPTS
from surefoot.services.grade import grade_run
from surefoot.services.graders import Reader
from surefoot.services.inputs import Asking
from surefoot.services.run import Answers, run
from surefoot.services.runs import read_run
from surefoot.store import MANIFEST, RunStore
from surefoot.text.endpoints import chat_model
from surefoot.types import Verdict

_SAID_ALREADY = ("error", "missing")  # by the asking


class Made(Struct):
    """What making the cells has led to so far."""

    results: list[CellResult] = []
    first: Run | None = None  # that all others must be alike to
    misused: bool = False  # a cell could not even be understood
    interrupted: bool = False


def make_cells(plan: Plan, out: Path, grader: Reader, budget: Budget, options: dict[str, Any]) -> Made:
    """Every cell in turn, on one budget. One that fails is named, and the others go on."""
    made = Made()
    for number, cell in enumerate(plan.cells, 1):
        folder = out / cell.folder
        click.echo(f"cell {number} of {len(plan.cells)}: {cell.name}", err=True)
        try:
            made.results.append(_made(cell, folder, plan, grader, budget, options, made))
        except SurefootError as error:
            made.misused |= isinstance(error, UsageError)
            if isinstance(error, OtherRun):
                error.hint = "choose another --out for what has changed"
            click.echo(f"error: {cell.name}: {error.message}", err=True)
            if error.hint:
                click.echo(f"hint: {error.hint}", err=True)
            made.results.append(CellResult(cell.name, cell.values, str(folder), failed=str(error)))
        if made.interrupted:
            break
    return made


def answered(folder: Path) -> int:
    """How many answers a cell has already."""
    with contextlib.suppress(SurefootError):
        return sum(trace.error is None for trace in RunStore.open(folder).traces())
    return 0


def price_of_cell(cell: Cell, prices: Path | None) -> Price | None:
    kind, _, rest = cell.spec.partition(":")
    if kind != "chat":
        return None
    asked = chat_model(rest)
    return price_of(asked.model, asked.endpoint, prices)


def _made(
    cell: Cell, folder: Path, plan: Plan, grader: Reader, budget: Budget, options: dict[str, Any], made: Made
) -> CellResult:
    if budget.left_usd == 0 and _may_cost(folder, price_of_cell(cell, options["prices"]), budget.spent_usd):
        limit, spent = money(budget.most_usd or 0.0), money(budget.spent_usd)
        failed = f"not asked: {spent} USD have been spent, and {limit} was the limit"
        return CellResult(cell.name, cell.values, str(folder), failed=failed)
    before = _reported(folder)
    answers = _run(cell, folder, plan, budget, options)
    if not cell.spec.startswith("chat:"):  # whose calls the budget has counted already
        budget.spend(_reported(folder) - before)
    if answers.interrupted:
        made.interrupted = True
        return CellResult(cell.name, cell.values, str(folder), failed="interrupted")
    with RunStore.open(folder, writing=True) as store:
        if not _is_graded_by(store, grader) and grade_run(store, grader).in_vain:
            raise Incomplete("nothing was graded: no reply of the grader could be used")
        side = read_run(folder)
    if made.first is not None:
        check_alike(made.first, side)
    made.first = made.first or side
    return result_of(cell.name, cell.values, str(folder), side, tuple(_notes(answers, side)))


def _run(cell: Cell, folder: Path, plan: Plan, budget: Budget, options: dict[str, Any]) -> Answers:
    """What is still to be asked of a cell."""
    concurrency = options["concurrency"]
    limits: dict[str, Any] = {name: options.get(name) for name in ("effort", "max_tokens", "prices")}
    settings = Settings(concurrency=concurrency, **limits)
    asking = Asking(
        concurrency=concurrency, timeout=options["timeout"], retries=options["retries"], settings=settings,
        budget=budget, prompt=cell.prompt or PROMPTS[0],
    )  # fmt: skip
    answers = run(
        cell.spec, questions=plan.questions, corpus=plan.corpus, out=folder, repeats=plan.repeats, asking=asking,
        retry_errors=(folder / MANIFEST).exists(), person=PERSON,
    )  # fmt: skip
    tell_causes_of(answers)
    return answers


def _is_graded_by(store: RunStore, grader: Reader) -> bool:
    """Not if an answer was left open, or the grader failed its self-check: asked again, it may do better."""
    manifest = store.manifest
    if (manifest.grader, manifest.rubric_sha256) != (grader.name, rubric.load().sha256):
        return False
    answers = {(trace.question_id, trace.attempt) for trace in store.traces() if trace.answer and not trace.error}
    graded = {
        (one.question_id, one.attempt)
        for one in store.verdicts()
        if _is_bucket(one) and one.grader == grader.name and not one.self_check
    }
    return manifest.graded_sha256 == store.answers_sha256() and answers <= graded


def _is_bucket(verdict: Verdict) -> bool:
    return verdict.axis == BUCKET_AXIS and verdict.value is not None


def _may_cost(folder: Path, price: Price | None, spent_usd: float) -> bool:
    """Not where all answers are there, and not where nothing has cost anything so far and this has no price either."""
    with contextlib.suppress(SurefootError):
        made = RunStore.open(folder).manifest
        if answered(folder) >= made.question_count * made.repeats:
            return False
    return spent_usd > 0 or (price is not None and price.of(1, 1) > 0)


def _reported(folder: Path) -> float:
    """What a cell's answers have cost, as far as the pipeline says so."""
    if not (folder / MANIFEST).exists():
        return 0.0
    with contextlib.suppress(SurefootError):
        return sum(trace.cost_usd or 0.0 for trace in RunStore.open(folder).traces())
    return 0.0


def _notes(summary: Mapping[str, Any], side: Run) -> Iterator[str]:
    for kind, count in summary["errors_by_kind"].items():
        yield f"{count} not answered: {kind}"
    if summary["missing"]:
        yield f"{summary['missing']} not asked"
    left_open = (one.reason for one in side.counted() if one.axis == BUCKET_AXIS and one.value is None)
    for reason, count in Counter(left_open).items():
        if reason not in _SAID_ALREADY:
            yield f"{count} not graded: {reason}"
    for grader, misread in failed_checks([side]).items():
        yield f"the grader {grader} failed its self-check: {misread}"
    yield from map(str, side.problems)
