"""Who gave a label. It must not be a grader: a grader's own verdicts, read as labels, would prove the grader right.

A plain name is a person's, and so is `human/NAME`; `ai/NAME` is an AI's, and every report says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from surefoot.io.kinds import BadRow, quoted
from surefoot.records import AI, PEOPLE, UNNAMED, bare_name, is_ai, is_called_like_a_grader

WHO = ("annotator", "grader")
LONGEST_NAME = 200
# Other ways to call a grader than those nobody has by accident: rules, llm:MODEL, anthropic:MODEL, somebodys@2, and
# chains of them; and models by the usual names, like gpt-4o, which catches a slip and proves nothing. A person may be
# called so; human/NAME says it, as ai/NAME says that it is an AI and no grader of ours. ann@example.org is a person,
# and so is Claude.
_OF_A_GRADER = re.compile(
    r"(rules|local|council|cascade|recorded|llm)([@:+<].*)?|(anthropic|openai)[:/].*|.*@\d+([:+<].*)?"
    r"|(chat)?gpt[-_ ]?(\d.*|oss.*)?"
    r"|(claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok)[-_ .:]?(v?\d|[a-z]+-\d).*"
    r"|(gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|phi|command|model|llm|ai)[-_:/].+|ai|o\d(-.+)?",
    re.IGNORECASE | re.DOTALL,
)
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def is_grader(name: str, graders: Collection[str] = ()) -> bool:
    """Whether a name is one of `graders`, in whatever case."""
    return name.strip().casefold() in {grader.strip().casefold() for grader in graders if grader.strip()}


def names_a_grader(given: str, graders: Collection[str] = ()) -> bool:
    """Whether this is how a grader is called.

    A plain name will do for a person; `human/NAME` is one whatever the name looks like, unless it is one of `graders`:
    those whose verdicts the labels are to be held against. No `ai/` makes an annotator of a grader of ours.
    """
    name = _unified(given)
    if is_grader(bare_name(name), graders):
        return True
    if is_ai(name):
        return is_called_like_a_grader(bare_name(name))
    return not name.startswith(PEOPLE) and (is_called_like_a_grader(name) or _OF_A_GRADER.fullmatch(name) is not None)


def _unified(given: str) -> str:
    name = given.strip()
    return AI + name[len(AI) :].strip() if name.casefold().startswith(AI) else name


class NotByAPerson(ValueError):
    """A verdict of a grader, where a label is asked for."""


def annotator_of(row: Mapping[str, str], graders: Collection[str]) -> str:
    """`annotator` goes before `grader`, yet no name beside it makes a grader's verdict a label."""
    given = [row[key] for key in WHO if row.get(key)] or [UNNAMED]
    for one in given:
        if names_a_grader(one, graders):
            raise NotByAPerson(f"this is a verdict by {quoted(one)}, a grader, and no label by a person")
    name = _unified(given[0].removeprefix(PEOPLE)) or UNNAMED
    if name == AI:
        raise BadRow(f"the annotator {quoted(name)} has no name behind {AI}")
    if len(name) > LONGEST_NAME:
        raise BadRow(f"the annotator {quoted(name)} has a name of over {LONGEST_NAME} characters")
    if any(unicodedata.category(character) in _UNPRINTABLE for character in name):
        raise BadRow(f"the annotator {quoted(name)} has a name that cannot be printed")
    return name
