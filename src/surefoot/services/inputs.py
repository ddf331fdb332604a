"""What is asked, of whom, and over which documents."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from surefoot.corpus import load as corpus
from surefoot.datasets import demo
from surefoot.datasets.locks import verify_lock
from surefoot.errors import UsageError
from surefoot.io import questions as question_sets
from surefoot.models.budget import Budget
from surefoot.models.seam import Settings
from surefoot.pipelines import Options, load
from surefoot.pipelines.process import function_pipeline
from surefoot.problems import ProblemLog
from surefoot.report.words import problem_lines
from surefoot.services.result import Tell
from surefoot.types import Passage, Pipeline, Question

Source = str | Callable[..., Any]  # what can be asked: by its name, or a function


def check_number(name: str, value: float | None, low: float, high: float | None = None) -> None:
    """Of what callers from Python pass; the command line has ranges of its own."""
    if value is not None and not low <= value <= (value if high is None else high):
        choice = f"choose a number from {low:,}" + (" on" if high is None else f" to {high:,}")
        raise UsageError(f"{name} is {value:,}", choice)


class Asking(Struct, frozen=True, kw_only=True):
    """How a pipeline is asked. The last five are for pipelines of some kinds only."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 2
    seed: int = 0  # for the pauses between retries
    mapping: Mapping[str, str] = {}
    request_template: str | Path | None = None
    prompt: str = "answer_with_licence"
    settings: Settings = Settings()
    budget: Budget | None = None  # of chat: pipelines

    def __post_init__(self) -> None:
        check_number("concurrency", self.concurrency, 1, 1_000)
        check_number("timeout", self.timeout, 0.1, 604_800)
        check_number("retries", self.retries, 0, 100)


@contextlib.contextmanager
def closing(pipeline: Pipeline) -> Iterator[None]:
    """Ends what a pipeline has started, if it has started anything."""
    try:
        yield
    finally:
        getattr(pipeline, "close", lambda: None)()


def load_questions(given: str | Path | None, tell: Tell) -> list[Question]:
    if given is None:
        return demo.questions()
    found = question_sets.load(str(given))
    for problem in (*found.problems, *verify_lock(found)):
        tell(f"warning: {problem}")
    if not found.questions:
        raise UsageError(f"{given} holds no question that can be asked", f"`surefoot questions check {given}` says why")
    return found.questions


def load_corpus(given: str | Path | None, questions: str | Path | None) -> list[Passage] | None:
    """The user's; with the demo questions the demo's; else none, which some pipelines can do without."""
    if given is not None:
        return corpus.load_corpus(given)
    return demo.corpus() if questions is None else None


def load_pipeline(source: Source, corpus: Sequence[Passage] | None, asking: Asking, tell: Tell) -> Pipeline:
    if not isinstance(source, str):
        return function_pipeline(source, name_of(source), asking.mapping)
    template = None if asking.request_template is None else Path(asking.request_template)
    if template is not None and not template.is_file():
        raise UsageError(f"the request template {template} is not a file", "pass a file of JSON with {question} in it")
    text = None if template is None else template.read_text("utf-8")
    given = Options(asking.timeout, dict(asking.mapping), text, asking.prompt, asking.settings, asking.budget)
    pipeline = load(source, corpus=corpus, options=given)
    for line in problem_lines(getattr(pipeline, "problems", ProblemLog())):
        tell(line)
    return pipeline


def name_of(function: Callable[..., Any]) -> str:
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{kind.__module__}:{kind.__qualname__}"
