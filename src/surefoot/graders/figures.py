"""What a text says of each figure of a claim: states it, words it otherwise, lets it be worked out, or lacks it.

The one comparison of figures that all graders use. Units convert, the finer of two figures is rounded as the coarser is
written, a range's ends share what either bears, and a table's figures are in the scale that its text says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, zip_longest
from typing import Literal, NamedTuple

from msgspec.structs import replace

from surefoot.text.amounts import Amount, amounts_of, same_sign, worded_alike
from surefoot.text.normal import terms
from surefoot.text.numbers import (
    CURRENCIES,
    MOMENTS,
    PERIOD_KINDS,
    POINTS,
    conversion,
    quantities,
    same_kind,
)
from surefoot.text.tables import units_of

How = Literal["stated", "reworded", "derived", "absent"]
ONE = (1.0,)
_RATE, _ROUGH_RATE, _EXACT = 0.02, 0.05, 1e-9  # by what share of their size figures that are rounded may differ
RANGE = re.compile(r"\s?(?:-|–|—|to\b|or\b|and\b)\s?[$€£¥]?", re.IGNORECASE)
_BARE = re.compile(r"[\d.,]*\d|[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_SCALE = re.compile(r"(?:\bin (?:\S+ )?|\((?:\S+ )?)(thousand|million|billion)s?\b|['’](000)s?\b", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "000": 1e3, "million": 1e6, "billion": 1e9}
_CHANGE = re.compile(
    r"(?:(?P<up>grew|grow\w*|rose|rise\w*|increas\w*|up|higher)|(?P<down>fell|fall\w*|declin\w*|decreas\w*|dropp?\w*|down"
    r"|lower|shr[aiu]nk)|chang\w*)\b[^.;\d]*$",
    re.IGNORECASE,
)
_CUT = re.compile(r"(?:,? (?:by|of))?(?: (?:about|around|roughly|approximately|some))? ?\(?$", re.IGNORECASE)


class Figure(NamedTuple):
    """A figure of a claim, and `by` what the text has or lets work it out."""

    amount: Amount
    how: How
    by: str = ""


@lru_cache(maxsize=20_000)
def figures_of(text: str) -> tuple[Amount, ...]:
    """The amounts of a text; what one end of a range bears, the other does too: "$5-10 million", "6 to 8 weeks"."""
    found = amounts_of(text)
    for at in range(len(found) - 1):
        if RANGE.fullmatch(text, found[at].end, found[at + 1].start):
            found[at : at + 2] = _ends(found[at], found[at + 1], text)
    return tuple(found)


def _ends(one: Amount, other: Amount, text: str) -> tuple[Amount, Amount]:
    bare = _BARE.match(text, other.start)
    size = quantities(bare.group())[:1] if bare else ()
    if not size or not size[0].value or {one.kind, other.kind} & MOMENTS or one.is_scaled:
        return one, other
    factor = other.value / size[0].value
    if one.kind == "number" and not one.unit and one.value * factor < other.value:
        return replace(one.times(factor), kind=other.kind, unit=other.unit, is_scaled=other.is_scaled), other
    if one.kind in CURRENCIES and other.kind in ("number", one.kind) and one.value * factor < other.value:
        return replace(one.times(factor), is_scaled=other.is_scaled), replace(other, kind=one.kind, unit=one.unit)
    return one, other


@lru_cache(maxsize=5_000)
def scales_of(text: str) -> tuple[float, ...]:
    """Those in which a text may give its figures, as it says: "(in thousands)"."""
    said = {_SCALES[(match[1] or match[2]).lower()] for match in _SCALE.finditer(text)}
    return tuple(sorted(said)) or ONE


def close(one: Amount, other: Amount, rate: float = _RATE) -> bool:
    """The finer is rounded as the coarser is written, and they hardly differ."""
    size, off = abs(one.value), abs(abs(one.value) - abs(other.value))
    is_rough = (one.is_rough or other.is_rough) and off <= _ROUGH_RATE * size
    return is_rough or off <= min((0.5 + _EXACT) * max(one.place, other.place), rate * size) or off <= _EXACT * size


def same(one: Amount, other: Amount, scales: Iterable[float] = ONE, rate: float = _RATE) -> bool:
    """Two ways to give one figure; the other may be in one of the scales."""
    if one.agrees(other) or one.rounds(other) or other.rounds(one):
        return same_sign(one, other)
    is_share = POINTS in (one.unit, other.unit) and "%" in (one.kind, other.kind)
    if is_share or not (one.is_figure and other.is_figure and same_kind(one.kind, other.kind)):
        return False
    factor = conversion(one.unit, other.unit)
    if factor is None or not same_sign(one, other):
        return False
    is_open = not other.is_scaled and other.kind not in PERIOD_KINDS and other.kind != "%"
    return any(close(one.times(factor), other.times(scale), rate) for scale in (scales if is_open else ONE))


def stated(amount: Amount, there: Sequence[Amount], scales: Iterable[float] = ONE) -> Amount | None:
    """The first of some figures that gives the amount."""
    return next((one for one in there if same(amount, one, scales)), None)


def figures(claim: str, text: str, beside: str = "") -> list[Figure]:
    """What a text, or what stands beside it, says of each figure of a claim."""
    there, scales, known = figures_of(text), scales_of(text), figures_of(beside)
    return [_figure(amount, claim, text, there, scales, known) for amount in figures_of(claim)]


def _figure(
    amount: Amount, claim: str, text: str, there: Sequence[Amount], scales: Sequence[float], known: Sequence[Amount]
) -> Figure:
    if found := stated(amount, there, scales):
        written = text[found.start : found.end]
        is_alike = written.lower() == claim[amount.start : amount.end].lower()
        return Figure(amount, "stated" if is_alike else "reworded", written)
    if stated(amount, known):
        return Figure(amount, "stated")
    by = next((by for value, by in _workings(amount, text, claim) if amount.match(value) == "same"), "")
    return Figure(amount, "derived" if by else "absent", by)


MOST_UNITS, FEW_NUMBERS = 4, 6
_SMALL_FACTORS = (2, 3, 4, 5, 6, 7, 10, 12)


def _workings(amount: Amount, text: str, claim: str) -> Iterator[tuple[float, str]]:
    """What follows from at most two figures of fitting kinds, and how. Anything follows from many."""
    if amount.kind in MOMENTS:
        return
    near = [one for one in _near(text, claim) if one.kind not in MOMENTS]
    for one, other in combinations(near, 2):
        if one.kind != other.kind:
            continue
        if one.kind == amount.kind or (amount.kind == "number" and one.kind != "%"):
            yield one.value + other.value, f"{one.value:g} + {other.value:g}"
            yield abs(one.value - other.value), f"{one.value:g} - {other.value:g}"
        if amount.kind == "%" != one.kind:
            for part, whole in ((one.value, other.value), (other.value, one.value)):
                if whole:
                    yield 100 * part / whole, f"{part:g} / {whole:g}"
                    yield 100 * abs(part - whole) / whole, f"({part:g} - {whole:g}) / {whole:g}"
    for one in near if amount.kind in CURRENCIES else ():
        if one.kind == amount.kind:
            yield from ((one.value * factor, f"{factor} * {one.value:g}") for factor in _SMALL_FACTORS)


def _near(text: str, claim: str) -> list[Amount]:
    """The figures of the few sentences and rows that share most words with the claim."""
    wanted = frozenset(terms(claim))
    units = [unit for unit in units_of(text) if len(unit.sentences) == 1 and unit.quantities and wanted & unit.terms]
    best = sorted(units, key=lambda unit: -len(wanted & unit.terms))[:MOST_UNITS]
    found = {(one.value, one.kind, one.unit): one for unit in best for one in figures_of(unit.text)}
    return list(found.values())[:FEW_NUMBERS]


def worded_as(claim: str, text: str) -> str:
    """The claim, with its figures in the words of the text, and without a share that its own figures show."""
    for start, end in reversed(shown_changes(claim)):
        claim = f"{claim[:start]}{claim[end:]}"
    there, scales, lowered = wordings(text), scales_of(text), text.lower()
    ends = {one.start: one.end for one in quantities(claim)}
    for one in reversed(figures_of(claim)):
        said = claim[one.start : ends[one.start]]
        if said.lower() in lowered or one.kind == "%" or not (one.is_scaled or one.kind in PERIOD_KINDS):
            continue
        if found := stated(one, list(there), scales):
            claim = f"{claim[: one.start]}{there[found]}{claim[one.start + len(said) :]}"
    return worded_alike(claim, text)


def wordings(text: str) -> dict[Amount, str]:
    """The amounts of a text with their words; the first end of a range may borrow some from the other."""
    found, ends = dict[Amount, str](), {one.start: one.end for one in quantities(text)}
    given = figures_of(text)
    for one, other in zip_longest(given, given[1:]):
        said = text[one.start : ends[one.start]]
        is_whole = any(each.value == one.value for each in quantities(said)[:1])
        if other and not is_whole and (bare := _BARE.match(text, other.start)):
            said += text[bare.end() : ends[other.start]]
        found[one] = said
    return found


def shown_changes(claim: str) -> list[tuple[int, int]]:
    """Where a claim gives a change in percent that its two figures come to: "grew by 25% from 40 to 50"."""
    found, given = [], figures_of(claim)
    for share in (one for one in given if one.kind == "%"):
        said = _CHANGE.search(claim, 0, share.start)
        for one, other in combinations([one for one in given if one.is_figure and one.kind != "%"], 2):
            is_pair = claim[: one.start].rstrip(" $€£").endswith("from") and " to " in claim[one.end : other.start]
            if not said or not is_pair or not one.value or not same_kind(one.kind, other.kind):
                continue
            change = 100 * (other.value - one.value) / one.value
            is_so = (
                share.match(change) == "same" and not (said["up"] and change < 0) and not (said["down"] and change > 0)
            )
            if is_so and (cut := _CUT.search(claim, 0, share.start)):
                found.append((cut.start(), share.end + (claim[share.end : share.end + 1] == ")")))
    return found
