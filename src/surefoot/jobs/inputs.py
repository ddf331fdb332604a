"""What is asked, of whom, and over which documents."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from surefoot.core.errors import UsageError
from surefoot.core.result import Tell
from surefoot.core.types import Passage, Pipeline, ProblemLog, Question, problem_lines
from surefoot.corpus import corpus
from surefoot.datasets import demo
from surefoot.io.questions import load_sound, verify_lock
from surefoot.pipelines.process import function_pipeline
from surefoot.pipelines.specs import Asking, load

Source = str | Callable[..., Any]  # what can be asked: by its name, or a function


@contextlib.contextmanager
def closing(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Ends what a pipeline has started, if it has started anything."""
    try:
        yield pipeline
    finally:
        getattr(pipeline, "close", lambda: None)()


def load_questions(given: str | Path | None, tell: Tell) -> list[Question]:
    if given is None:
        return demo.questions()
    found = load_sound(str(given))
    for problem in (*found.problems, *verify_lock(found)):
        tell(f"warning: {problem}")
    if not found.questions:
        raise UsageError(f"{given} holds no question that can be asked", f"`surefoot questions check {given}` says why")
    return list(found.questions)


def load_corpus(given: str | Path | None, questions: str | Path | None, tell: Tell) -> list[Passage] | None:
    """The user's; with the demo questions the demo's; else none, which some pipelines can do without."""
    if given is not None:
        return corpus.load_corpus(given, tell=tell)
    return demo.corpus() if questions is None else None


def load_pipeline(source: Source, corpus: Sequence[Passage] | None, asking: Asking, tell: Tell) -> Pipeline:
    if not isinstance(source, str):
        return function_pipeline(source, name_of(source), asking.mapping)
    pipeline = load(source, corpus=corpus, asking=asking)
    for line in problem_lines(getattr(pipeline, "problems", ProblemLog())):
        tell(line)
    return pipeline


def name_of(source: Source) -> str:
    if isinstance(source, str):
        return source
    kind = source if hasattr(source, "__qualname__") else type(source)
    return f"{kind.__module__}:{kind.__qualname__}"
