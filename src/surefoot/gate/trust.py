"""What is missing from the verdicts of a comparison, and what the grader misread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import HARMLESS, Verdict
from surefoot.gate.sides import Run

SELF_CHECK = "self_check"
_OF_FILES = frozenset({"unreadable", "malformed"})


def failed_checks(runs: Iterable[Run]) -> dict[str, str]:
    """What graders misread of answers of known label, by grader, as far as their verdicts count."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for verdict in failed(run):
            found.setdefault(verdict.grader, {})[verdict.self_check] = None
    return {grader: "; ".join(words) for grader, words in found.items()}


def failed(run: Run) -> Iterator[Verdict]:
    """The verdicts that came with a failed self-check, but for those that a person's label stands in for."""
    for verdict in run.counted():
        is_labelled = ((verdict.question_id, verdict.attempt), verdict.axis) in run.labels
        if verdict.self_check and verdict.value is not None and not is_labelled:
            yield verdict


def unusable(runs: Iterable[Run]) -> list[str]:
    """Why the runs themselves are not complete, whatever the rules say."""
    reasons = []
    for run in runs:
        serious = [problem for problem in run.problems if problem.kind not in HARMLESS]
        whole_files = [problem for problem in serious if problem.kind in _OF_FILES and problem.line is None]
        if count := len(serious) - len(whole_files):
            reasons.append(f"{count} row{'s' * (count > 1)} of {run.name} could not be used")
        reasons += map(str, whole_files)
        strange = {verdict.question_id for verdict in run.counted()} - run.questions.keys()
        if run.questions and strange:
            reasons.append(f"{len(strange)} graded question{'s' * (len(strange) > 1)} not in the question set")
    return reasons


def graders_of(runs: Iterable[Run]) -> set[str]:
    """Who gave the verdicts; a council gives none, but scores beside them."""
    counted = (verdict for run in runs for verdict in run.counted())
    return {verdict.grader for verdict in counted if not verdict.axis.startswith(AXIS_PREFIX)}
