"""What asking one model has taught: all its prompts make use of it."""

from __future__ import annotations

from surefoot.models.dialects import Answer, Manner
from surefoot.models.failures import CallFailed

_PROMPTS_IN_VAIN = 10  # each asked with all patience and no reply in between, until the rest is spared that
_PROMPTS_UNREACHED = 3  # the same of a server that has never answered: most likely it was not started
_ANSWERS_UNPAID = 5  # that the vendor wants money, and no reply in between
_PAGES = 3  # of the web that came from a server that has never answered: it is no API
_PLAIN_REPLIES = 3  # whose tokens are those of their text, until a model is known not to think
_TOKENS_PER_CHARACTER, _OVERHEAD = 0.6, 64  # of a text, at most
_NEARLY_ALL = 0.9  # of the room of a reply that was cut off


class Learnt:
    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self.density = 1.0  # tokens of prompts, for each that was estimated
        self.hopeless: CallFailed | None = None  # why no further prompt is asked
        self.has_answered = False
        self.thinking = 0  # tokens of room, on top of a text, that a reply turned out to need
        self._in_vain = self._unreached = self._unpaid = self._pages = 0
        self._thinks, self._plain_replies = False, 0

    def answered(self, manner: Manner) -> None:
        if manner.concessions > self.manner.concessions:
            self.manner = manner
        self._in_vain, self._unpaid, self.has_answered = 0, 0, True

    @property
    def may_think(self) -> bool:
        """Until several replies have shown that it does not."""
        return self._thinks or self._plain_replies < _PLAIN_REPLIES

    def heard(self, answer: Answer, room: int) -> None:
        """More tokens than its text can have, and the model thinks; so it does where a short text was cut off."""
        spoken = len(answer.text) * _TOKENS_PER_CHARACTER + _OVERHEAD
        if answer.cut:
            rambles = answer.tokens_out is not None and _NEARLY_ALL * room <= answer.tokens_out <= spoken
            self._thinks |= not rambles
            self._plain_replies += _PLAIN_REPLIES if rambles else 0  # it would fill any room
        elif answer.tokens_out is not None:
            self._thinks |= answer.tokens_out > spoken
            self._plain_replies += 1

    def unpaid(self, failure: CallFailed, may_shrink: bool = False) -> None:
        """`may_shrink`: the prompt is asked again with less room, which may be affordable."""
        self._unpaid += 1
        if self._unpaid >= _ANSWERS_UNPAID and not may_shrink:
            self.hopeless = failure

    def page(self, failure: CallFailed) -> None:
        self._pages += 1
        if self._pages >= _PAGES and not self.has_answered:
            self.hopeless = failure

    def given_up(self, failure: CallFailed) -> None:
        self._in_vain += failure.kind in ("unreachable", "busy", "passing", "page")
        self._unreached += failure.kind == "unreachable"
        # A server that has answered before may do so again: what it says now holds for one prompt alone.
        in_vain = failure.kind == "hopeless" or self._unreached >= _PROMPTS_UNREACHED
        if (in_vain and not self.has_answered) or self._in_vain >= _PROMPTS_IN_VAIN:
            self.hopeless = failure
