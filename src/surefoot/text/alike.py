"""A claim in the passage's own wording of amounts: "2 years" where the passage has "24 months".

A reader knows that both are the same; a small model sees other words and another number. An amount is put differently
only where the passage does not have the claim's own wording, and its value never changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.text.quantities import quantities
from surefoot.text.units import ratio

_SIGN = re.compile(r"(?:us\$|[$€£¥]|\b(?:eur|usd|gbp|chf|nok|sek|dkk|jpy)\b) ?$", re.IGNORECASE)
_LONGEST_SIGN = 4
_PLAIN_KINDS = frozenset({"number", "year"})
_SHARES = {"half": 50.0, "a quarter": 25.0, "one quarter": 25.0, "three quarters": 75.0, "a fifth": 20.0,
           "one fifth": 20.0, "two fifths": 40.0, "three fifths": 60.0, "four fifths": 80.0, "a tenth": 10.0,
           "one tenth": 10.0, "one in four": 25.0, "one in five": 20.0, "one in ten": 10.0, "three in four": 75.0,
           "a third": 33.0, "one third": 33.0, "two thirds": 67.0}  # fmt: skip
_SHARE = re.compile(rf"\b(?:{'|'.join(sorted(_SHARES, key=len, reverse=True))})\b(?= of\b)")
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.]([0-5]\d))? ?([ap])(?:m\b|\.m\.)|\b([01]?\d|2[0-3]):([0-5]\d)\b(?! ?[ap]\.?m)")


class _Amount(NamedTuple):
    value: float
    kind: str
    start: int
    end: int


def worded_alike(claim: str, passage: str) -> str:
    """The claim, with its amounts worded as the passage words them."""
    lowered = passage.lower()
    said = [amount for amount in _amounts(claim) if claim[amount.start : amount.end].lower() not in lowered]
    there = list(_amounts(passage)) if said else []
    for amount in reversed(said):
        wording = _wording(amount, claim, there, passage)
        claim = f"{claim[: amount.start]}{wording}{claim[amount.end :]}"
    return claim


def _wording(amount: _Amount, claim: str, there: list[_Amount], passage: str) -> str:
    """A share in words is put as a number also where it differs: "half" is read against "25 %" as "50%"."""
    own = claim[amount.start : amount.end]
    same = next((other for other in there if _equal(amount, other)), None)
    if same is not None:
        return passage[same.start : same.end]
    in_words = own.lower() in _SHARES and amount.value % 5 == 0  # a third is no round number of hundredths
    return f"{amount.value:g}%" if in_words and any(other.kind == "%" for other in there) else own


def _amounts(text: str) -> Iterator[_Amount]:
    """In order, none inside another."""
    found = sorted((*_shares(text), *_times(text), *_quantities(text)), key=lambda one: one.start)
    end = 0
    for one in found:
        if one.kind not in _PLAIN_KINDS and one.start >= end:
            yield one
            end = one.end


def _quantities(text: str) -> Iterator[_Amount]:
    for quantity in quantities(text):
        sign = _SIGN.search(text, max(0, quantity.start - _LONGEST_SIGN), quantity.start)
        yield _Amount(quantity.value, quantity.kind, sign.start() if sign else quantity.start, quantity.end)


def _shares(text: str) -> Iterator[_Amount]:
    for match in _SHARE.finditer(_lowered(text)):
        yield _Amount(_SHARES[match[0]], "%", *match.span())


def _times(text: str) -> Iterator[_Amount]:
    """Of the day, in minutes."""
    for match in _CLOCK.finditer(_lowered(text)):
        hour, minute, half = int(match[1] or match[4]), int(match[2] or match[5] or 0), match[3]
        if half and not 1 <= hour <= 12:
            continue
        hour = hour % 12 + 12 * (half == "p") if half else hour
        yield _Amount(60 * hour + minute, "time of day", *match.span())


def _lowered(text: str) -> str:
    """As long as the text, so that places are the same."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _equal(one: _Amount, other: _Amount) -> bool:
    factor = ratio(one.kind, other.kind)
    return factor is not None and abs(one.value * factor - other.value) <= 1e-9 * abs(other.value)
