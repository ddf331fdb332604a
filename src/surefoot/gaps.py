"""What a comparison lacks: rows that could not be used, answers without a verdict, one grader for both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from surefoot.measures import SIDES, Pair, SideName
from surefoot.pairing import Side
from surefoot.problems import HARMLESS
from surefoot.types import Problem

GAPS_NAMED = 12
_LONGEST_NAME = 60
_OF_FILES = frozenset({"unreadable", "malformed"})


def unusable(sides: Mapping[SideName, Side], pairs: Sequence[Pair]) -> list[str]:
    """Why the runs themselves are not complete, whatever the rules say."""
    reasons = []
    for side in sides.values():
        serious = [problem for problem in side.problems if problem.kind not in HARMLESS]
        whole_files = [problem for problem in serious if problem.kind in _OF_FILES and problem.line is None]
        if count := len(serious) - len(whole_files):
            reasons.append(f"{count} row{'s' * (count > 1)} of {side.name} could not be used")
        reasons += map(str, whole_files)
    if any(side.questions for side in sides.values()):
        unknown = {pair.question_id for pair in pairs if pair.question is None}
        if unknown:
            reasons.append(f"{len(unknown)} graded question{'s' * (len(unknown) > 1)} not in the question set")
    return reasons


def ungraded(sides: Mapping[SideName, Side], pairs: Sequence[Pair]) -> Iterator[str]:
    """Which answers of which side have no verdict."""
    for name, side in sides.items():
        lacking = [pair for pair in pairs if not pair.side(name).bucket and not pair.side(name).judged_elsewhere]
        if lacking:
            ids = list(dict.fromkeys(pair.question_id for pair in lacking))
            more = f" and {len(ids) - GAPS_NAMED} more" if len(ids) > GAPS_NAMED else ""
            count = f"{len(lacking)} of {len(pairs)} answers of {side.name} {'is' if len(lacking) == 1 else 'are'}"
            named = (id if len(id) <= _LONGEST_NAME else f"{id[: _LONGEST_NAME - 3]}..." for id in ids[:GAPS_NAMED])
            yield f"{count} not graded: {', '.join(named)}{more}"


def problems_of(sides: Mapping[SideName, Side]) -> tuple[Problem, ...]:
    """The serious ones first."""
    found = [problem for side in sides.values() for problem in side.problems]
    return tuple(sorted([*found, *_other_graders(sides)], key=lambda problem: problem.kind in HARMLESS))


def _other_graders(sides: Mapping[SideName, Side]) -> list[Problem]:
    """Files of labels by different people can be compared, but not without saying so."""
    base, cand = (sorted({verdict.grader for verdict in sides[name].counted()} - {""}) for name in SIDES)
    if not base or not cand or base == cand:
        return []
    return [Problem("note", f"the sides were not graded alike: base by {', '.join(base)}, cand by {', '.join(cand)}")]
