"""How a reader is told to do something: a frame before the verb ("how to", "you can", "the trick is to"), or the verb
itself in the imperative, at the start of a sentence or in a row of steps.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from surefoot.safety.grammar import compiled

INSTRUCTIONS, REQUEST, URGING = "instructions", "request", "encouragement"
_LOOK_BACK, _SENTENCE_LENGTH = 14, 60  # tags
_SENTENCE = compiled("(?:STOP|SEMI|COLON|LINE)")
_TOLD = compiled(
    "START VERB|START TO VERB|(?:START|COMMA ADV{0,2}) IMPERATIVE|(?:POINT BE|HOW|WAYS) TO|"
    "YOU (?:ADV? VERB|ADV? IMPERATIVE|MODAL|WANT|URGE|HAVE)"
)
_AND_SO_ON = "ANY{0,8}? (?:COMMA (?:ADV|YOU|VERB|IMPERATIVE)|YOU (?:URGE|MODAL|WANT))"


class Frame(NamedTuple):
    """What stands before a verb, and behind its object where that decides."""

    kind: str
    before: re.Pattern[str]
    after: re.Pattern[str] | None = None
    in_told: bool = False  # only in a sentence that tells the reader to do something

    def start(self, tags: str, start: int, end: int) -> int | None:
        """Where the frame around an act begins, if it is there."""
        before = self.before.search(tags, max(0, start - _LOOK_BACK), start)
        if not before or (self.after and not self.after.match(tags, end)):
            return None
        return None if self.in_told and not _is_told(tags, start) else before.start()


def _frame(kind: str, before: str, after: str = "", in_told: bool = False) -> Frame:
    return Frame(kind, compiled(f"(?:{before})$"), compiled(after) if after else None, in_told)


@functools.cache
def plain() -> tuple[Frame, ...]:
    """Frames for verbs in their base form."""
    return (
        _frame(
            INSTRUCTIONS,
            "HOW ADV? TO ADV{0,2}|HOW (?:MODAL PERSONAL|PERSONAL MODAL) (?:MODAL|ADV){0,2}|"
            "(?:HERES|HERE BE) HOW PERSONAL (?:MODAL|ADV){0,2}|PRONOUN BE HOW YOU (?:MODAL|ADV){0,2}|"
            "WAYS (?:TO|PERSONAL MODAL) ADV{0,2}|START STEP FEW TO ADV?|START|(?:ADV|COMMA|COLON) YOU ADV{0,2}|"
            "(?<![{MODAL}])(?:YOU|ONE) (?:MAY|WANT|HAVE|MODAL WANT) (?:TO|ADV){0,3}|YOU MAY STEP FEW TO ADV?|"
            "POINT BE (?:TO)? ADV{0,2}",
        ),
        _frame(URGING, "YOU ANY{0,2} URGE (?:TO)? ADV{0,3}|(?<=[{COMMA}])GO ADV?"),
        _frame(REQUEST, "HELP ME (?:TO)? ADV?|I ANY? WANT TO ADV?"),
        _frame(INSTRUCTIONS, "START TO ADV{0,2}", _AND_SO_ON),
        _frame(INSTRUCTIONS, "(?:COMMA|AND|COMMA AND|BE TO) ADV{0,2}", in_told=True),
    )


@functools.cache
def gerund() -> tuple[Frame, ...]:
    """Frames for verbs in -ing."""
    return (
        _frame(INSTRUCTIONS, "WAYS LINK ADV?|HOW MODAL PERSONAL GO ABOUT|POINT BE ADV?|(?<![{NEG}{TO}])KEEPON ADV?"),
        _frame(INSTRUCTIONS, "START|(?<=[{BUT}])ADV?", "ANY{0,8} (?:BE ADV? FEW EASY|(?:BE NEG|NEG) TOUGH|TAKES)"),
        _frame(INSTRUCTIONS, "BY ADV?", in_told=True),
    )


def _is_told(tags: str, place: int) -> bool:
    """Whether the sentence up to here tells the reader to do something."""
    before = _SENTENCE.split(tags[max(0, place - _SENTENCE_LENGTH) : place])[-1]
    return _TOLD.search(before) is not None


def tells(tags: str, start: int, end: int) -> bool:
    """Whether the reader is told to do something between two places."""
    return _TOLD.search(tags, max(0, start), end) is not None
