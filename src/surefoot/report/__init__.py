"""Pages of results: `of` makes one of a result; terminal, Markdown, HTML and JUnit show it."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 - of all pages, a command needs one
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.result import Result

if TYPE_CHECKING:
    from surefoot.report.blocks import Report

_PAGES = {  # the module and function that make the page
    "Calibration": "calibration.report",
    "Council": "council.ranking",
    "CouncilEvaluation": "council.evaluation",
    "CouncilScores": "council.scores",
    "GateResult": "comparison.report",
    "History": "history.report",
    "MatrixResult": "matrix.report",
    "RubricTuned": "council.tuned",
    "RunOverview": "run.report",
    "ScoreResult": "score.report",
}


def of(result: Result, **options: Any) -> Report:  # noqa: ANN401 - as the page takes them
    """Return the page of a result, with every number and answer behind it."""
    source = getattr(result, "overview", result)  # what was graded is shown as it stands then
    if source is None:
        raise Incomplete("there is nothing to report: no answer was graded", "see the warnings above")
    kind = type(source).__name__
    if kind not in _PAGES:
        raise UsageError(f"{kind} has no page", f"there are pages of {', '.join(_PAGES)}")
    module, _, function = _PAGES[kind].partition(".")
    made: Report = getattr(import_module(f"surefoot.report.{module}"), function)(source, **options)
    return made
