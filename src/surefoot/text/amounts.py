"""How exactly an amount is written, whether a value can be meant by it, and how a passage words the same amount.

A reader knows that "2 years" and "24 months" are the same; a small model sees other words and another number. An amount
is put differently only where the passage does not have the claim's own wording, and its value stays what it was, but
for rounding: "about 17 feet" is "about 5.2 metres".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, Self

from msgspec.structs import replace

from surefoot.text.numbers import (
    BEFORE,
    CURRENCIES,
    LONG_SCALES,
    SHORT_SCALE,
    Quantity,
    family,
    quantities,
    ratio,
)

_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|close to|circa|ca\.)|~|≈)\s*(?:" + BEFORE + r")?\s*$"
)
_ONE_WAY = re.compile(
    r"\b(?:nearly|almost|just over|just under|slightly (?:over|under|more than|less than)|over|well over)"
    r"\s*(?:" + BEFORE + r")?\s*$"
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
    rf"(?:(?:{SHORT_SCALE})\b|[ -]?(?:{'|'.join(LONG_SCALES)})\b)?(?: ?(?:%|per ?cent\b))?",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(rf"(?:(?<![^\s(:])[-–−]|\bminus\s)(?:(?:{BEFORE})\s?)?$")
_IN_BRACKETS = re.compile(rf"\(\s?(?:(?:{BEFORE})\s?)?$")
_COUNTS = re.compile(
    r"[ -](?!(?:in|for|as|at|of|on|to|by|and|or|from|during|over|under|with|while|but|when|after|before"
    r"|per|long|wide|high|tall|deep|thick|old|net|gross|plus|less|overall|altogether|each)\b)[^\W\d]",
    re.IGNORECASE,
)
_SCALED = re.compile(rf"(?:thousand|lakh|million|crore|billion|trillion|\d(?:{SHORT_SCALE}))$", re.IGNORECASE)
Match = Literal["same", "near", "other"]
_EXACT = 1e-9
# The most that a rounded amount is off by: the last digit of "about 5", the zeros of "about 500".
_ABOUT_BY, _ZEROS_BY = 0.1, 0.05


class Amount(Quantity, frozen=True, kw_only=True):
    """A number of a claim. `place` is the size of its last digit, `round_place` that of its last one but zeros."""

    place: float
    round_place: float
    is_about: bool  # "about 5"
    is_rough: bool  # that, or "nearly 5"
    is_bound: bool  # "at least 5", "by 5", "3 of the 5": not the value itself
    is_negative: bool | None = False  # None for "(5)", which may be an aside
    is_scaled: bool = False  # "5 million", "5k"
    is_counting: bool = False  # "5 visits"

    def times(self, factor: float) -> Self:
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

    def into(self, unit: str) -> Amount | None:
        """The same amount in another unit; None where there is no such number."""
        if {self.unit, unit} == {"°c", "°f"}:
            signed = -self.value if self.is_negative else self.value
            factor, value = (1.8, 1.8 * signed + 32) if unit == "°f" else (1 / 1.8, (signed - 32) / 1.8)
            return replace(self.times(factor), value=abs(value), unit=unit, is_negative=value < 0)
        known = ratio(self.unit, unit)
        return None if known is None else replace(self.times(known), unit=unit)

    def rounds(self, other: Amount) -> bool:
        """ "About 17 feet" is 5.2 m: the other is this at the precision in which this is said."""
        is_open = not self.unit and self.kind != other.kind
        found = self.into(other.unit) if self.is_about and self.is_figure and not is_open else None
        if found is None or not same_sign(found, other):
            return False
        off, size = abs(found.value - other.value), other.value
        return off <= min(found.place / 2, _ABOUT_BY * size) or off <= min(found.round_place / 2, _ZEROS_BY * size)


def same_sign(one: Amount, other: Amount) -> bool:
    """Of temperatures: other amounts are often below zero in a table and said without a sign in words."""
    return family(one.unit) != "temperature" or bool(one.is_negative) == bool(other.is_negative)


def amounts_of(text: str) -> list[Amount]:
    return [amount_of(text, quantity) for quantity in quantities(text)]


def amount_of(text: str, quantity: Quantity) -> Amount:
    before = text[max(0, quantity.start - 30) : quantity.start].lower()
    place, round_place = _places(text[quantity.start : quantity.end], quantity.value)
    about = bool(_ABOUT.search(before))
    end = quantity.end
    if quantity.kind != "date" and (written := _WRITTEN.match(text, quantity.start)):
        end = written.end()  # without the words behind it that only tell its kind
    is_kind = quantity.kind in CURRENCIES or quantity.kind == quantity.unit
    unit = quantity.kind if is_kind else quantity.unit
    return Amount(
        quantity.value, quantity.kind, quantity.start, end, unit, place=place,
        round_place=round_place, is_about=about, is_rough=about or bool(_ONE_WAY.search(before)),
        is_bound=bool(_BOUND.search(before)),
        is_negative=None if _IN_BRACKETS.search(before) else bool(_NEGATIVE.search(before)),
        is_scaled=bool(_SCALED.search(text[quantity.start : end])),
        is_counting=bool(_COUNTS.match(text, end)),
    )  # fmt: skip


def _places(written: str, value: float) -> tuple[float, float]:
    match = _DIGITS.match(written)
    if match is None:
        return 1.0, 1.0
    digits = re.sub(r"[^\d.]", "", match.group())
    scale = value / float(digits) if float(digits) else 1.0
    whole, _, decimals = digits.partition(".")
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals else 0
    return 10.0 ** -len(decimals) * scale, 10.0 ** (zeros - len(decimals)) * scale
