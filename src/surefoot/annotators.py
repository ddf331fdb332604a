"""Who gave labels: people, and AIs that say so, by their names and in the words of every report."""

from __future__ import annotations

import re
from collections.abc import Iterable

UNNAMED = "unnamed"  # who gave a label that does not say by whom it is
_NOBODY = "unnamed annotators"
_MOST_NAMED = 5  # of each kind
PEOPLE, AI = "human/", "ai/"  # before the name of whoever gave a label, where it stands beside names of graders
SETTLED = "settled/"  # before the name of whoever settled a disagreement, which outweighs other labels
_GRADER = re.compile(r"(?:rules|local|council|cascade|recorded)@\d.*|.*\+[0-9a-f]{8,}", re.IGNORECASE | re.DOTALL)


def signed(annotator: str) -> str:
    """The name as it stands beside names of graders."""
    return annotator if is_ai(annotator) else f"{PEOPLE}{annotator}"


def is_annotator(grader: str) -> bool:
    """Whether a verdict is a label: `human/` or `ai/` and a name. Without the name it is nobody's."""
    return grader.startswith((PEOPLE, AI)) and bool(bare_name(grader))


def is_person(grader: str) -> bool:
    return grader.startswith(PEOPLE) and bool(bare_name(grader))


def is_ai(annotator: str) -> bool:
    return annotator.startswith(AI)


def bare_name(name: str) -> str:
    return name.removeprefix(PEOPLE).removeprefix(AI).strip()


def whose(annotators: Iterable[str]) -> str:
    """Who gave some labels, in the words of every report: people, unnamed annotators, AI annotators."""
    return _joined(list(_by_kind(annotators)))


def whose_by_name(annotators: Iterable[str]) -> str:
    """The same with their names: `AI annotators (a, b)`, or `people (ann) and AI annotators (a, b)`."""
    groups = _by_kind(annotators)
    return _joined([kind if kind == _NOBODY else f"{kind} ({_listed(names)})" for kind, names in groups.items()])


def _by_kind(annotators: Iterable[str]) -> dict[str, list[str]]:
    """In the order of the words. Who says no name may be a person or not."""
    found: dict[str, list[str]] = {"people": [], _NOBODY: [], "AI annotators": []}
    for name in sorted(set(annotators)):
        unnamed = bare_name(name) in ("", UNNAMED)
        found[_NOBODY if unnamed else "AI annotators" if is_ai(name) else "people"].append(name)
    return {kind: names for kind, names in found.items() if names} or {_NOBODY: []}


def _joined(kinds: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _listed(annotators: list[str]) -> str:
    more = len(annotators) - _MOST_NAMED
    shown = ", ".join(called(name) for name in sorted(annotators, key=is_settler)[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def is_settler(annotator: str) -> bool:
    """Whether a label settles what annotators disagree on."""
    return bare_name(annotator).startswith(SETTLED)


def called(annotator: str) -> str:
    """The name of an annotator as reports write it."""
    name = bare_name(annotator)
    return f"settled by {name.removeprefix(SETTLED)}" if is_settler(name) else name


def is_called_like_a_grader(name: str) -> bool:
    """Whether this is a name that our graders have and no person has by accident."""
    return _GRADER.fullmatch(name) is not None
