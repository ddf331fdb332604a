"""Pages of results: `of` makes one of a result; terminal, Markdown, HTML and JUnit show it."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 - of all pages, a command needs one
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import Result

if TYPE_CHECKING:
    from surefoot.report.blocks import Report

# The module and function that make the page, and the field of the result it is made of; without one, the result itself.
_PAGES = {
    "Calibration": ("calibration.report", ""),
    "Council": ("council.ranking", ""),
    "CouncilEvaluation": ("council.evaluation", ""),
    "CouncilScores": ("council.scores", ""),
    "GateResult": ("comparison.report", ""),
    "Grades": ("run.report", "overview"),
    "History": ("history.report", ""),
    "MatrixResult": ("matrix.report", ""),
    "RubricTuned": ("council.tuned", ""),
    "RunOverview": ("run.report", "overview"),
    "ScoreResult": ("score.report", ""),
}


def of(result: Result, **options: Any) -> Report:  # noqa: ANN401 - as the page takes them
    """Return the page of a result, with every number and answer behind it."""
    kind = type(result).__name__
    if kind not in _PAGES:
        raise UsageError(f"{kind} has no page", f"there are pages of {', '.join(_PAGES)}")
    name, field = _PAGES[kind]
    module, _, function = name.partition(".")
    source = getattr(result, field) if field else result
    if source is None:
        raise Incomplete("there is nothing to report: no answer was graded", "see the warnings above")
    made: Report = getattr(import_module(f"surefoot.report.{module}"), function)(source, **options)
    return made


def has_page(result: Result) -> bool:
    field = _PAGES.get(type(result).__name__, ("", ""))[1]
    return type(result).__name__ in _PAGES and (not field or getattr(result, field) is not None)
