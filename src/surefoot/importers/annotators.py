"""Who gave a label. It must be a person: a grader's own verdicts, read as labels, would prove the grader right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import NamedTuple

from surefoot.importers.verdicts import quoted
from surefoot.records import PEOPLE, is_called_like_a_grader, is_person

UNNAMED = "unnamed"
WHO = ("annotator", "grader")
LONGEST_NAME = 200
# Other ways to call a grader than those nobody has by accident: rules, llm:MODEL, anthropic:MODEL, somebodys@2, and
# chains of them. A person may be called so; human/NAME says it. ann@example.org is a person.
_OF_A_GRADER = re.compile(
    r"(rules|local|council|cascade|recorded|llm)([@:+<].*)?|(anthropic|openai)[:/].*|.*@\d+([:+<].*)?",
    re.IGNORECASE | re.DOTALL,
)
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def is_grader(name: str, graders: Collection[str] = ()) -> bool:
    """Whether a name is one of `graders`, in whatever case."""
    return name.strip().casefold() in {grader.strip().casefold() for grader in graders if grader.strip()}


def names_a_grader(given: str, graders: Collection[str] = ()) -> bool:
    """Whether this is how a grader is called.

    A plain name will do for a person; `human/NAME` is one whatever the name looks like, unless it is one of `graders`:
    those whose verdicts the labels are to be held against.
    """
    if is_grader(given.removeprefix(PEOPLE), graders):
        return True
    name = given.strip()
    return not name.startswith(PEOPLE) and (is_called_like_a_grader(name) or _OF_A_GRADER.fullmatch(name) is not None)


class Author(NamedTuple):
    """Who gave a row: `written` as the row has it, and the `grader` whose verdict it is if it is no label."""

    written: str
    grader: str = ""
    is_surely_a_person: bool = False

    @property
    def name(self) -> str:
        return self.written.removeprefix(PEOPLE).strip() or UNNAMED


def author_of(row: Mapping[str, str], graders: Collection[str]) -> Author:
    """`annotator` goes before `grader`, yet no name beside it makes a grader's verdict a label."""
    given = [row[key] for key in WHO if row.get(key)] or [UNNAMED]
    grader = next((name for name in given if names_a_grader(name, graders)), "")
    return Author(given[0], grader, any(map(is_person, given)))


def fault_in(name: str) -> str:
    """Why this cannot be the name of a person, or nothing."""
    if len(name) > LONGEST_NAME:
        return f"the annotator {quoted(name)} has a name of over {LONGEST_NAME} characters"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        return f"the annotator {quoted(name)} has a name that cannot be printed"
    return ""
