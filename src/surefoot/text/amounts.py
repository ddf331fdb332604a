"""How exactly an amount is written, and whether a value that is known more or less exactly can be meant by it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from surefoot.text.currencies import BEFORE
from surefoot.text.quantities import CURRENCIES, Quantity, quantities
from surefoot.text.units import UNKNOWN

_ROUGH = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|close to|circa|ca\.|just over|"
    r"just under|slightly (?:over|under|more than|less than)|over|well over)|~|≈)\s*(?:" + BEFORE + r")?\s*$"
)
_BOUND = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|better|worse|later|earlier) than|at least|at most|up to|under|below|"
    r"above|beyond|exceed\w*|minimum of|maximum of|between|within|limit of|as (?:much|many|little|few) as|"
    r"by|of up to|not exceeding|first|last|top|past|next|every|each|of the|all|these|"
    r"those|among)\s*(?:the |a |an )?(?:" + BEFORE + r")?\s*$"
)
_DIGITS = re.compile(r"\d[\d, \u00a0\u202f']*(?:\.\d+)?|\.\d+")
_WRITTEN = re.compile(
    r"(?:\d{1,3}(?:[, \u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[a-z]+(?:-[a-z]+)*)"
    r"(?:(?:k|m|b| ?(?:mn|mio|bn))\b|[ -]?(?:dozen|hundred|thousand|lakh|million|crore|billion|trillion)\b)?"
    r"(?: ?(?:%|per ?cent\b))?",
    re.IGNORECASE,
)
_PART_OF = re.compile(
    r"^[^.;]{0,24}? (?:of|out of) (?:the|its|their|those|these|all|every)\b|^\s*(?:-|–)?\s*(?:fold|times)\b"
)
_NEGATIVE = re.compile(rf"(?:(?<![^\s(:])[-–−]|\bminus\s)(?:(?:{BEFORE})\s?)?$")
_BELOW = re.compile(r"\s?(?:below (?:zero|freezing)|of frost)\b")
_IN_BRACKETS = re.compile(rf"\(\s?(?:(?:{BEFORE})\s?)?$")
_COUNTS = re.compile(
    r"[ -](?!(?:in|for|as|at|of|on|to|by|and|or|from|during|over|under|with|while|but|when|after|before)\b)[^\W\d]",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\s?\+|(?: [^\W\d]+)?,? or (?:more|fewer|less|above|over|under|higher|lower|so|better|older)\b")
_SCALED = re.compile(r"(?:thousand|lakh|million|crore|billion|trillion|\d(?:k|m|b| ?(?:mn|mio|bn)))$", re.IGNORECASE)
_OTHER_DAYS = re.compile(r"[ -](?:working|business|trading|school|banking|light)\b", re.IGNORECASE)
Match = Literal["same", "near", "other"]
_EXACT = 1e-9


class Amount(Quantity, frozen=True, kw_only=True):
    """A number of a claim. `place` is the worth of its last digit, `round_place` that of its last digit but zeros."""

    place: float
    round_place: float
    is_rough: bool
    is_bound: bool  # "at least 5", "by 5", "3 of the 5": not the value itself
    is_negative: bool | None = False  # None for "(5)", which may be an aside
    is_scaled: bool = False  # "5 million", "5k"
    is_counting: bool = False  # "5 visits"

    def times(self, factor: float) -> Amount:
        """The same amount in another unit."""
        value, place, round_place = (factor * size for size in (self.value, self.place, self.round_place))
        return replace(self, value=value, place=place, round_place=round_place)

    def match(self, value: float, scales: Iterable[float] = (1.0,)) -> Match:
        """Is the value what the amount says, is it too near to tell, or is it another?"""
        found: Match = "other"
        for scale in scales:
            off = abs(self.value - abs(value) * scale)
            unit = self.round_place if self.is_rough else self.place
            slack = _EXACT * abs(self.value)
            if off <= unit / 2 + slack:
                return "same"
            is_rounder = self.round_place >= 100 * self.place and off <= self.round_place / 2
            if off < self.place - slack or is_rounder or (self.is_rough and off <= 0.06 * abs(self.value)):
                found = "near"
        return found


def amounts_of(text: str) -> list[Amount]:
    return [_amount(text, quantity) for quantity in quantities(text)]


def _amount(text: str, quantity: Quantity) -> Amount:
    before = text[max(0, quantity.start - 30) : quantity.start].lower()
    after = text[quantity.end : quantity.end + 60].lower()
    place, round_place = _places(text[quantity.start : quantity.end], quantity.value)
    rough = bool(_ROUGH.search(before))
    end = quantity.end
    if quantity.kind != "date" and (written := _WRITTEN.match(text, quantity.start)):
        end = written.end()  # without the words behind it that only tell its kind
    bound = bool(_BOUND.search(before) or _PART_OF.search(after) or _OR_MORE.match(text[end : end + 40].lower()))
    return Amount(
        quantity.value, quantity.kind, quantity.start, end, _unit(text, quantity, end), place=place,
        round_place=round_place, is_rough=rough, is_bound=bound,
        is_negative=None if _IN_BRACKETS.search(before) else bool(_NEGATIVE.search(before) or _BELOW.match(after)),
        is_scaled=bool(_SCALED.search(text[quantity.start : end])),
        is_counting=bool(_COUNTS.match(text, end)),
    )  # fmt: skip


def _unit(text: str, quantity: Quantity, end: int) -> str:
    if quantity.kind in CURRENCIES or quantity.kind == quantity.unit:
        return UNKNOWN if _OTHER_DAYS.match(text, end) else quantity.kind
    return quantity.unit


def _places(written: str, value: float) -> tuple[float, float]:
    match = _DIGITS.match(written)
    if match is None:
        return 1.0, 1.0
    digits = re.sub(r"[^\d.]", "", match.group())
    scale = value / float(digits) if float(digits) else 1.0
    whole, _, decimals = digits.partition(".")
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals else 0
    return 10.0 ** -len(decimals) * scale, 10.0 ** (zeros - len(decimals)) * scale
