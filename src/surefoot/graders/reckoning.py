"""What one step of reckoning makes of known figures: sums, differences, shares, multiples, and what is left.

What a claim says narrows the steps: a total is no difference, and what is left is no sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from surefoot.text.amounts import Amount
from surefoot.text.quantities import PERIOD_KINDS
from surefoot.text.units import CURRENCIES, POINTS, family, ratio

_CALENDAR = {
    ("year", "quarter"): (4.0,), ("year", "month"): (12.0,), ("year", "week"): (52.0,), ("year", "day"): (365.0,),
    ("quarter", "month"): (3.0,), ("month", "week"): (4.0,), ("month", "day"): (30.0,), ("week", "day"): (5.0, 7.0),
    ("day", "hour"): (24.0,), ("hour", "minute"): (60.0,),
}  # fmt: skip
_PERIOD = re.compile(
    r"\b(?:(?P<year>year|annu)|(?P<quarter>quarter)|(?P<month>month)|(?P<week>week)|(?P<day>da(?:y|il))|(?P<hour>hour)"
    r"|(?P<minute>minute))",
    re.IGNORECASE,
)
_MULTIPLES = {
    "half": 2.0, "halv": 2.0, "twice": 2.0, "doubl": 2.0, "both": 2.0, "pair": 2.0, "couple": 2.0, "return": 2.0,
    "tripl": 3.0, "third": 3.0, "trebl": 3.0, "quarter": 4.0, "fifth": 5.0, "tenth": 10.0, "dozen": 12.0,
}  # fmt: skip
_MULTIPLE = re.compile(rf"\b(?:{'|'.join(_MULTIPLES)})", re.IGNORECASE)
_FEW = 12  # of which people reckon "two adults and a child"
_ADDS = re.compile(r"\b(?:total\w*|altogether|combined|in all|together|sum)\b", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:more|fewer|less|higher|lower|difference|gap|remain\w*|left|unspent|unused)\b", re.IGNORECASE)
_MEANS = re.compile(r"\b(?:average|mean|midpoint)\b", re.IGNORECASE)


def dimension(one: Amount) -> str:
    """What is measured; empty for a bare number, which counts anything."""
    if one.kind in CURRENCIES:
        return "money"
    if one.kind == "%" or one.unit == POINTS:
        return "share"
    return "time" if one.kind in PERIOD_KINDS else family(one.unit)


def reckoned(one: Amount, known: Sequence[Amount], claim: str, passage: str) -> Iterator[float]:
    """As amounts like the one that is wanted."""
    figures = [other for other in known if other.is_figure]
    alike = [value for other in figures if (value := _as(one, other)) is not None]
    totals = _totals(alike)
    if not _TAKES.search(claim):
        yield from totals
    if _MEANS.search(claim):
        yield from (total / count for total in totals for count in range(2, len(alike) + 1))
    if not _ADDS.search(claim):
        yield from (abs(left - right) for left, right in combinations(alike, 2))
        yield from _rests(alike)
    yield from _times(
        alike, [*_factors(claim, passage), *(other.value for other in figures if other.kind not in CURRENCIES)]
    )
    counts = [other.value for other in figures if not dimension(other) and other.value <= _FEW]
    yield from (abs(value * count + more) for value, count, more in product(alike, counts, alike))
    shares = [other.value / 100 for other in figures if other.kind == "%"]
    yield from (total * share for total in totals for share in shares)
    yield from (value * part for value in alike for share in shares for part in (share, 1 + share, 1 - share))
    if dimension(one) == "share":
        yield from (100 - value for value in (*alike, *totals))
        yield from _shares(figures)


def _as(one: Amount, other: Amount) -> float | None:
    """The value of the other in the unit of the first."""
    if dimension(one) != dimension(other) or (one.kind in CURRENCIES and one.kind != other.kind):
        return None
    factor = ratio(other.unit, one.unit) if one.unit and other.unit else 1.0
    return None if factor is None else factor * other.value


def _totals(values: Sequence[float]) -> list[float]:
    """Of any two, and of those in a row."""
    in_row = [sum(values[start:end]) for start, end in combinations(range(len(values) + 1), 2) if end > start + 2]
    return [left + right for left, right in combinations(values, 2)] + in_row


def _rests(values: Sequence[float]) -> Iterator[float]:
    """What is left of one when all others, or those in a row beside it, are taken away."""
    for place, value in enumerate(values):
        yield abs(2 * value - sum(values))
        for start, end in combinations(range(len(values) + 1), 2):
            if not start <= place < end:
                yield abs(value - sum(values[start:end]))


def _factors(claim: str, passage: str) -> Iterator[float]:
    """ "Twice", "half"; twelve where the claim is of a year and the passage of a month."""
    yield from (_MULTIPLES[match.group().lower()] for match in _MULTIPLE.finditer(f"{claim} {passage}"))
    here, there = ({match.lastgroup for match in _PERIOD.finditer(text)} for text in (claim, passage))
    for (long, short), factors in _CALENDAR.items():
        if (long in here and short in there) or (short in here and long in there):
            yield from factors


def _times(values: Sequence[float], factors: Sequence[float]) -> Iterator[float]:
    for value, factor in product(values, factors):
        yield from (value * factor, value / (factor or 1.0))


def _shares(figures: Sequence[Amount]) -> Iterator[float]:
    for one, other in permutations(figures, 2):
        value = _as(other, one)
        if value is not None and other.value:
            yield from (100 * value / other.value, 100 * abs(value - other.value) / other.value)
            yield 100 * value / ((value + other.value) or 1.0)
