"""Surefoot, the ship gate for grounded document QA: cite it or refuse."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 - public names load on first use
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.build.reading import check_questions
    from surefoot.core.result import Person
    from surefoot.corpus.corpus import Added, Passages, add_documents, passages, remove_documents
    from surefoot.council.tune import RubricTuned
    from surefoot.datasets.review import clone_questions, diff_questions, lock_questions, review_questions
    from surefoot.gate.calibrate import Calibration
    from surefoot.graders.local import grade_texts
    from surefoot.jobs.calibrate import calibrate
    from surefoot.jobs.council import (
        Council,
        CouncilEvaluation,
        CouncilScores,
        council,
        council_runs,
        council_scores,
        evaluate_council,
        score_reviews,
        tune_rubric,
    )
    from surefoot.jobs.gate import BaselineResult, GateResult, baseline, decisions, gate
    from surefoot.jobs.grade import Grades, grade, grade_items, grade_log
    from surefoot.jobs.looks import LookList, look_list
    from surefoot.jobs.matrix import MatrixResult, matrix
    from surefoot.jobs.overview import History, RunOverview, history, overview
    from surefoot.jobs.project import export, import_, purge, verify_export
    from surefoot.jobs.questions import Built, build_questions, proposals_from_log, search_corpus
    from surefoot.jobs.run import Answers, run
    from surefoot.monitor.monitor import Monitored, monitor_log
    from surefoot.scoring import ScoreResult, score

__version__ = "0.1.0"
__all__ = [
    "Added", "Answers", "BaselineResult", "Built", "Calibration", "Council", "CouncilEvaluation",
    "CouncilScores", "GateResult", "Grades", "History", "LookList", "MatrixResult", "Monitored",
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
    "build.reading": ("check_questions",),
    "corpus.corpus": ("Added", "Passages", "add_documents", "passages", "remove_documents"),
    "datasets.review": ("clone_questions", "diff_questions", "lock_questions", "review_questions"),
    "jobs.calibrate": ("calibrate",),
    "council.tune": ("RubricTuned",),
    "jobs.council": (
        "Council", "CouncilEvaluation", "CouncilScores", "council", "council_runs", "council_scores",
        "evaluate_council", "score_reviews", "tune_rubric",
    ),
    "jobs.gate": ("BaselineResult", "GateResult", "baseline", "decisions", "gate"),
    "graders.local": ("grade_texts",),
    "jobs.grade": ("Grades", "grade", "grade_items", "grade_log"),
    "jobs.project": ("export", "import_", "purge", "verify_export"),
    "jobs.overview": ("History", "RunOverview", "history", "overview"),
    "jobs.looks": ("LookList", "look_list"),
    "jobs.matrix": ("MatrixResult", "matrix"),
    "monitor.monitor": ("Monitored", "monitor_log"),
    "jobs.questions": ("Built", "build_questions", "proposals_from_log", "search_corpus"),
    "core.result": ("Person",),
    "jobs.run": ("Answers", "run"),
}  # fmt: skip


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    """Public names load on first use, so that importing surefoot stays light."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"surefoot.{home}"), name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
