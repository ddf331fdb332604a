"""Who gave a label. It must be a person: a grader's own verdicts, read as labels, would prove the grader right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from surefoot.importers.verdicts import quoted
from surefoot.records import PEOPLE

UNNAMED = "unnamed"
LONGEST_NAME = 200
# How graders are called: rules@2, local@1+HASH, council@1:3+HASH, llm:MODEL@HOST+HASH, anthropic:MODEL+HASH, and chains
# of them. ann@example.org is a person.
_OF_A_GRADER = re.compile(
    r"(rules|local|council|cascade|recorded|llm)([@:+<].*)?|(anthropic|openai)[:/].*|.*@\d+([:+<].*)?|.*\+[0-9a-f]{8,}",
    re.IGNORECASE | re.DOTALL,
)
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def is_grader(name: str, graders: Collection[str] = ()) -> bool:
    """Whether a name is one of `graders`, in whatever case."""
    return name.strip().casefold() in {grader.strip().casefold() for grader in graders if grader.strip()}


def annotator_of(row: Mapping[str, str], graders: Collection[str]) -> tuple[str, str]:
    """Whose label a row is, and whose verdict it is instead if it is by a grader.

    `annotator` goes before `grader`. A plain name will do; `human/NAME` is a person whatever the name looks like,
    unless it is one of `graders`: those whose verdicts the labels are to be held against.
    """
    given = row.get("annotator") or row.get("grader") or UNNAMED
    name = given.removeprefix(PEOPLE).strip() or UNNAMED
    looks_like_one = not given.startswith(PEOPLE) and _OF_A_GRADER.fullmatch(given)
    return (name, given) if is_grader(name, graders) or looks_like_one else (name, "")


def fault_in(name: str) -> str:
    """Why this cannot be the name of a person, or nothing."""
    if len(name) > LONGEST_NAME:
        return f"the annotator {quoted(name)} has a name of over {LONGEST_NAME} characters"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        return f"the annotator {quoted(name)} has a name that cannot be printed"
    return ""
