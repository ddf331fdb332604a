"""Surefoot, the ship gate for grounded document QA: cite it or refuse."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 - public names load on first use
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.core.result import Person
    from surefoot.gate.calibrate import Calibration
    from surefoot.reviewers.panel import Council
    from surefoot.reviewers.weights import RubricTuned
    from surefoot.scoring import ScoreResult, score
    from surefoot.services.build import Built, build_questions, proposals_from_log
    from surefoot.services.calibrate import calibrate
    from surefoot.services.council import (
        CouncilEvaluation,
        CouncilScores,
        council,
        council_runs,
        council_scores,
        evaluate_council,
        score_reviews,
        tune_rubric,
    )
    from surefoot.services.decision import GateResult
    from surefoot.services.gate import BaselineResult, baseline, gate
    from surefoot.services.grade import Grades, grade, grade_items, grade_log, grade_texts
    from surefoot.services.history import History, RunOverview, history, overview
    from surefoot.services.looks import LookList, look_list
    from surefoot.services.matrix import MatrixResult, matrix
    from surefoot.services.monitor import Monitored, monitor_log
    from surefoot.services.project import export, import_, purge, verify_export
    from surefoot.services.questions import (
        Added,
        Passages,
        add_documents,
        check_questions,
        clone_questions,
        diff_questions,
        lock_questions,
        passages,
        remove_documents,
        review_questions,
        search_corpus,
    )
    from surefoot.services.run import Answers, run
    from surefoot.services.runs import Decided, decisions

__version__ = "0.1.0"
__all__ = [
    "Added", "Answers", "BaselineResult", "Built", "Calibration", "Council", "CouncilEvaluation",
    "CouncilScores", "Decided", "GateResult", "Grades", "History", "LookList", "MatrixResult", "Monitored",
    "Passages", "Person", "RubricTuned", "RunOverview", "ScoreResult",
    "__version__", "add_documents", "baseline", "build_questions", "calibrate",
    "check_questions", "clone_questions", "council", "council_runs", "council_scores",
    "decisions", "diff_questions", "evaluate_council", "export", "gate", "grade", "grade_items", "grade_log",
    "grade_texts", "history",
    "import_", "lock_questions", "look_list", "matrix", "monitor_log", "overview", "passages",
    "proposals_from_log", "purge", "remove_documents", "review_questions", "run",
    "score", "score_reviews", "search_corpus", "tune_rubric", "verify_export",
]  # fmt: skip
_HOMES = {
    "gate.calibrate": ("Calibration",),
    "scoring": ("ScoreResult", "score"),
    "services.build": ("Built", "build_questions", "proposals_from_log"),
    "services.calibrate": ("calibrate",),
    "reviewers.panel": ("Council",),
    "reviewers.weights": ("RubricTuned",),
    "services.council": (
        "CouncilEvaluation", "CouncilScores", "council", "council_runs", "council_scores", "evaluate_council",
        "score_reviews", "tune_rubric",
    ),
    "services.runs": ("Decided", "decisions"),
    "services.decision": ("GateResult",),
    "services.gate": ("BaselineResult", "baseline", "gate"),
    "services.grade": ("Grades", "grade", "grade_items", "grade_log", "grade_texts"),
    "services.project": ("export", "import_", "purge", "verify_export"),
    "services.history": ("History", "RunOverview", "history", "overview"),
    "services.looks": ("LookList", "look_list"),
    "services.matrix": ("MatrixResult", "matrix"),
    "services.monitor": ("Monitored", "monitor_log"),
    "services.questions": (
        "Added", "Passages", "add_documents", "check_questions", "clone_questions", "diff_questions", "lock_questions",
        "passages", "remove_documents", "review_questions", "search_corpus",
    ),
    "core.result": ("Person",),
    "services.run": ("Answers", "run"),
}  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    """Public names load on first use, so that importing surefoot stays light."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"surefoot.{home}"), name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
