"""What is missing from the verdicts of a comparison, and what the grader misread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import HARMLESS, NOT_ASKED, Problem, Verdict
from surefoot.gate.sides import SIDES, Run, Side, SideName

SELF_CHECK = "self_check"
_OF_FILES = frozenset({"unreadable", "malformed"})


def failed_checks(runs: Iterable[Run]) -> dict[str, str]:
    """What graders misread of answers of known label, by grader, as far as their verdicts count."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for verdict in _failed(run):
            found.setdefault(verdict.grader, {})[verdict.self_check] = None
    return {grader: "; ".join(words) for grader, words in found.items()}


def _failed(run: Run) -> Iterator[Verdict]:
    """The verdicts that came with a failed self-check, but for those that a person's label stands in for."""
    for verdict in run.counted():
        is_labelled = ((verdict.question_id, verdict.attempt), verdict.axis) in run.labels
        if verdict.self_check and verdict.value is not None and not is_labelled:
            yield verdict


def unasked(problems: Iterable[Problem]) -> list[str]:
    """Which runs have questions that were not asked, and what to do about it."""
    return list(dict.fromkeys(str(problem) for problem in problems if problem.kind == NOT_ASKED))


def self_check_step(runs: Iterable[Run]) -> list[str]:
    names = list(dict.fromkeys(run.name for run in runs if next(_failed(run), None)))
    if not names:
        return []
    again = f"{SELF_CHECK}: grade {' and '.join(names)} again"
    return [f"{again}; if answers are misread again, grade both runs with another model"]


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


def problems_of(sides: Mapping[SideName, Side]) -> tuple[Problem, ...]:
    """The serious ones first."""
    found = [problem for side in sides.values() for run in side.runs for problem in run.problems]
    return tuple(sorted([*found, *_other_graders(sides)], key=lambda problem: problem.kind in HARMLESS))


def graders_of(runs: Iterable[Run]) -> set[str]:
    """Who gave the verdicts; a council gives none, but scores beside them."""
    counted = (verdict for run in runs for verdict in run.counted())
    return {verdict.grader for verdict in counted if not verdict.axis.startswith(AXIS_PREFIX)}


def _other_graders(sides: Mapping[SideName, Side]) -> list[Problem]:
    """Files of labels by different people can be compared, but not without saying so."""
    base, cand = (sorted(graders_of(sides[name].runs) - {""}) for name in SIDES)
    if not base or not cand or base == cand:
        return []
    return [Problem("note", f"the sides were not graded alike: base by {', '.join(base)}, cand by {', '.join(cand)}")]
