"""Graders by name, and the terms on which they grade."""

from __future__ import annotations

import atexit
import os
import re
from functools import cache

from surefoot.core import rubric
from surefoot.core.errors import SurefootError, UsageError, nearest
from surefoot.core.result import READER, Person
from surefoot.core.rubric import BY_CITATIONS, Rubric
from surefoot.core.types import plain
from surefoot.graders.grader import JUDGES, FindingsGrader, Reader
from surefoot.graders.judges import Judge
from surefoot.graders.refit import refit_judge
from surefoot.jobs.settings import Settings, settings_from
from surefoot.models.budget import Budget
from surefoot.models.replies import default_path
from surefoot.models.seam import ReplyStore
from surefoot.models.seam import Settings as ModelSettings
from surefoot.models.spec import masked
from surefoot.store import Project

_MODEL = r"(?:llm|anthropic|ollama|recorded):.+"
_CASCADE = re.compile(rf"(?:(local(?:@.+)?|rules),)?({_MODEL})", re.DOTALL)
_REFITTED = "local@"  # and a file of `calibrate --refit`
_HINT = "write local, local@FILE, rules, llm:MODEL@URL, anthropic:MODEL, ollama:MODEL or local,llm:MODEL@URL"


def rubric_of(grader: Reader) -> Rubric:
    """What a grader grades by."""
    return rubric.load(BY_CITATIONS[getattr(grader, "citations", "required")])


@cache
def _replies_at(place: str, _process: int) -> ReplyStore:
    """Where the replies of models are kept; a file or database that has none yet becomes one for them."""
    try:
        project = Project.open(place)
    except SurefootError as error:
        error.hint = "set another file: --set cache=FILE; replies are then paid for again"
        raise
    atexit.register(project.close)
    return project.replies


def settings_of(given: Settings) -> ModelSettings:
    """How models are asked."""
    return ModelSettings(
        concurrency=given.concurrency or 16, effort=given.effort, max_tokens=given.max_tokens,
        cache=_replies_at(given.cache or str(default_path()), os.getpid()), prices=given.prices,
        stall=given.timeout or 300.0,
    )  # fmt: skip


def open_grader(
    spec: str | Reader, settings: Settings | None = None, budget: Budget | None = None, person: Person = READER
) -> Reader:
    """The grader that is named, or given. All models behind it share one budget: the given one, or one of their own."""
    if not isinstance(spec, str):
        return spec
    settings = settings or settings_from()
    budget = budget or Budget(settings.max_cost)
    asks = _CASCADE.fullmatch(spec)
    if asks is None:
        return FindingsGrader(_judge(spec), settings.citations)
    from surefoot.graders.llm import ModelGrader  # noqa: PLC0415 - much to load for who asks no model
    from surefoot.models.endpoint import open_model  # noqa: PLC0415 - as below

    first = _judge(asks[1]) if asks[1] else None
    return ModelGrader(
        open_model(asks[2], settings_of(settings), budget), first, person, citations=settings.citations,
        sure_from=settings.sure_from, yes=settings.yes,
    )  # fmt: skip


def _judge(spec: str) -> Judge:
    """One that needs no language model."""
    if spec in JUDGES:
        return JUDGES[spec]()
    if spec.startswith(_REFITTED):
        return refit_judge(spec.removeprefix(_REFITTED))
    shown = plain(masked(spec), 80)
    meant = shown.replace("openai:", "llm:", 1)
    raise UsageError(f"there is no grader {shown!r}", nearest(meant, {*JUDGES, meant} - {shown}) or _HINT)
