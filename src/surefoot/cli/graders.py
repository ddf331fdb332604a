"""Graders from what a user writes. Where a model is asked, what it will cost is said before anything is spent."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from typing import Protocol

import click
from msgspec.structs import replace

from surefoot.cli.model_options import Terms as Terms
from surefoot.cli.model_options import tell_causes_last
from surefoot.cli.options import replies_at
from surefoot.errors import Incomplete, UsageError
from surefoot.graders.council import CouncilGrader
from surefoot.graders.grader import JUDGES, FindingsGrader, Graded
from surefoot.graders.judges import Judge
from surefoot.graders.llm import Grading, LlmGrader, Plan
from surefoot.graders.llm_reading import SelfCheck
from surefoot.models.budget import Budget
from surefoot.models.endpoint import EndpointModel, open_model
from surefoot.models.seam import Model, Reply, Settings, Shelf
from surefoot.report.words import counted, names, plain
from surefoot.text.endpoints import masked
from surefoot.types import Item

KEPT = "the replies that came are kept: the same command goes on from there, and pays for nothing twice"
_CASCADE = re.compile(r"(?:cascade:)?(local|rules)[+,](.+)", re.DOTALL)
_MODEL = re.compile(r"(?:llm|anthropic|recorded):", re.DOTALL)
_MEMBERS = re.compile(r",(?=\w+(?:[:,]|$))")
_HINT = "write local, rules, llm:MODEL@URL, anthropic:MODEL, cascade:local,llm:MODEL@URL or council:GRADER,GRADER,..."


class Reader(Protocol):
    """Grades, and tells everything it found."""

    @property
    def name(self) -> str: ...

    def read(self, items: Sequence[Item]) -> list[Graded]: ...


def check_terms(terms: Terms) -> None:
    """Whoever grades, also where no model is asked: a slip is not to be found out by the bill."""
    if not 0 <= terms.sure_from <= 1:
        raise UsageError("--sure-from is a probability", "use a number from 0 to 1, as in --sure-from 0.9")
    Budget(terms.max_cost)


def settings_of(terms: Terms) -> Settings:
    """How models are asked on these terms."""
    given = Settings(
        concurrency=terms.concurrency, effort=terms.effort, max_tokens=terms.max_tokens,
        cache=replies_at(terms.cache), prices=terms.prices,
    )  # fmt: skip
    return given if terms.timeout is None else replace(given, stall=terms.timeout)


def open_grader(spec: str, terms: Terms, budget: Budget | None = None) -> Reader:
    """The grader that is named. All models behind it share one budget: the given one, or one of their own."""
    check_terms(terms)
    budget = budget or Budget(terms.max_cost)
    if spec in JUDGES:
        return FindingsGrader(JUDGES[spec]())
    if spec.startswith("council:"):
        return _council(_MEMBERS.split(spec.removeprefix("council:")), terms, budget)
    cascade = _CASCADE.fullmatch(spec)
    model = cascade[2] if cascade else spec
    if not _MODEL.match(model):
        raise UsageError(f"there is no grader {plain(masked(spec), 80)!r}", _HINT)
    opened = open_model(model, settings_of(terms), budget)
    return ModelGrader(opened, JUDGES[cascade[1]]() if cascade else None, terms)


def _council(members: list[str], terms: Terms, budget: Budget) -> Reader:
    if len(members) < 2 or len(set(members)) < len(members):
        raise UsageError("a council needs two graders or more, each once", "write council:GRADER,GRADER,...")
    return CouncilGrader([open_grader(member, terms, budget) for member in members])


class ModelGrader:
    """A grader that asks a model, and says on stderr what it is about to spend, and what came of it."""

    def __init__(self, model: Model, first: Judge | None, terms: Terms) -> None:
        self._model, self._first, self._terms = model, first, terms
        self._grader = LlmGrader(model, first, terms.sure_from)
        self.self_checks: dict[str, SelfCheck] = {}  # of the last reading

    @property
    def name(self) -> str:
        return self._grader.name

    def keeping(self, shelf: Shelf) -> ModelGrader:
        """The same grader, its replies kept there as well. Replies on record are kept already."""
        if not isinstance(self._model, EndpointModel):
            return self
        return ModelGrader(self._model.keeping(shelf), self._first, self._terms)

    def read(self, items: Sequence[Item]) -> list[Graded]:
        plan = self._grader.plan(items)
        self._agree_on(plan)
        progress = _Progress(len(plan.prompts))
        try:
            grading = self._grader.carry_out(plan, progress.count)
        except KeyboardInterrupt:
            progress.close()
            _note(KEPT)
            raise
        finally:
            progress.close()
        self.self_checks = {self.name: grading.self_check} if plan.canaries else {}
        _tell(grading)
        return list(grading.graded)

    def _agree_on(self, plan: Plan) -> None:
        estimate = getattr(self._model, "estimate", None)
        if estimate is None:
            return _note(f"{counted(len(plan.prompts), 'call')} to {self._model.name}")
        found = estimate(plan.prompts)
        behind = len(plan.drafts)  # where canaries have their places
        canaries = estimate([prompt for ask, prompt in zip(plan.asks, plan.prompts, strict=True) if ask.of >= behind])
        _note(replace(found, among=f"{canaries.calls:,} of them canaries" if canaries.calls else "").sentence)
        watched = sys.stdin.isatty() and sys.stderr.isatty()
        if found.calls and watched and not self._terms.yes and not click.confirm("Go on?", default=True, err=True):
            raise Incomplete("nothing was asked, and nothing graded", "--yes goes on without a question")
        return None


def _tell(grading: Grading) -> None:
    replies = grading.replies
    cached = sum(reply.cached for reply in replies)
    sent = [reply for reply in replies if not reply.cached and reply.asked]
    paid = [reply.cost_usd for reply in sent]
    usd = None if None in paid else sum(filter(None, paid))
    tokens = sum(reply.tokens_in + reply.tokens_out for reply in sent)
    _note(spent_words(sum(reply.asked for reply in sent), tokens, usd, cached, len(replies)))
    tell_causes_last([(reply.error, reply.hint) for reply in replies if reply.error])
    if grading.self_check.words and not grading.self_check.in_vain:
        _note(f"warning: the grader {grading.self_check.words} among answers of known label")
    open_ids: dict[str, list[str]] = {}
    for one in grading.graded:
        if one.bucket is None:
            open_ids.setdefault(one.reason, []).append(one.item.question.id)
    for reason, ids in open_ids.items():
        _note(f"not graded, {reason}: {names(ids, len(ids), shown=50, show=plain)}")


def spent_words(calls: int, tokens: int, usd: float | None, known: int, wanted: int) -> str:
    """What asking came to. Calls that all failed have no price, and are not called free."""
    cost = "for a cost that is not known" if usd is None else f"for ${usd:,.4f}"
    if calls and not tokens and usd == 0:
        cost = "in vain: nothing was answered"
    return f"asked {counted(calls, 'call')} {cost}; {known:,} of {wanted:,} replies were known before"


def _note(sentence: str) -> None:
    click.echo(plain(sentence, 2_000), err=True)


class _Progress:
    """A rewritten line for a person, a plain one every ten seconds for a log."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._errors = total, 0, 0
        self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()

    def count(self, reply: Reply) -> None:
        self._done += 1
        self._errors += bool(reply.error)
        if time.monotonic() - self._shown >= (0.2 if self._watched else 10):
            self._shown = time.monotonic()
            line = f"{self._done}/{self._total} replies, {counted(self._errors, 'error')}"
            click.echo(f"\r\033[K{line}" if self._watched else line, nl=not self._watched, err=True)

    def close(self) -> None:
        if self._watched:
            click.echo("\r\033[K", nl=False, err=True)
