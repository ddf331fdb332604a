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

from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.normal import terms
from surefoot.text.numbers import (
    BEFORE,
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
_RATE, _ROUGH_RATE, _EXACT = 0.03, 0.05, 1e-9  # by what share of their size figures that are rounded may differ
RANGE = re.compile(r"\s?(?:-|–|—|to\b|or\b|and\b)\s?[$€£¥]?", re.IGNORECASE)
_BARE = re.compile(r"[\d.,]*\d|[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_SCALE = re.compile(r"(?:\bin (?:\S+ )?|\((?:\S+ )?)(thousand|million|billion)s?\b|['’](000)s?\b", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "000": 1e3, "million": 1e6, "billion": 1e9}
_IN_WORDS = {1e3: " thousand", 1e6: " million", 1e9: " billion"}
_CHANGE = re.compile(
    r"\b(?:(?P<up>grew|grow\w*|rose|ris(?:es|en|ing)|increased|up)|(?P<down>fell|fall(?:s|en|ing)|declined|decreased|dropped"
    r"|down|shr[au]nk)|changed)(?P<by>(?: by)?(?: (?:about|around|roughly|approximately|some))? \(?)$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\)?(?:,? (?:in|during) [^,;]{1,30})?,? from [$€£¥]?(?:[A-Z]{3} )?$")
_TO = re.compile(r"[^;,]{0,40} to [$€£¥]?(?:[A-Z]{3} )?$")
_OTHERWISE = re.compile(
    r"\b(?:constant|organic\w*|adjusted|comparable|like-for-like|excluding|underlying)\b", re.IGNORECASE
)


_SIGN = re.compile(rf"(?:{BEFORE}) ?$", re.IGNORECASE)
_LONGEST_SIGN = 5


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


class Worded(NamedTuple):
    """An amount with its words: the currency in front too, and what the second end of a range lends the first."""

    amount: Amount
    start: int
    end: int
    words: str

    def is_like(self, other: Worded) -> bool:
        """Of one kind: "24 houses" are no "24 months", and 2021 is no day of that year. A table may not say what its
        millions are of."""
        ours, theirs = self.amount, other.amount
        is_alike = bool(ours.unit) == bool(theirs.unit) and (bool(ours.unit) or ours.kind == theirs.kind)
        return is_alike or ours.is_scaled or ours.value == theirs.value == 0


@lru_cache(maxsize=2_000)
def worded(text: str) -> tuple[Worded, ...]:
    ends, given, found = {one.start: one.end for one in quantities(text)}, figures_of(text), list[Worded]()
    for one, other in zip_longest(given, given[1:]):
        sign = _SIGN.search(text, max(0, one.start - _LONGEST_SIGN), one.start)
        start, end = sign.start() if sign else one.start, ends[one.start]
        words = text[start:end]
        is_whole = any(each.value == one.value for each in quantities(words)[:1])
        if other and not is_whole and (bare := _BARE.match(text, other.start)):
            words += text[bare.end() : ends[other.start]]
        found.append(Worded(one, start, end, words))
    return tuple(found)


def worded_as(claim: str, text: str) -> str:
    """The claim, with its figures in the words of the text, and without a share that its own figures show."""
    for one in reversed(shown_changes(claim)):
        claim = f"{claim[: one.start]}{claim[one.end :]}" if one.is_so else claim
    lowered, scales = text.lower(), scales_of(text)
    for figure in reversed(worded(claim)):
        amount, alike = figure.amount, [one for one in worded(text) if figure.is_like(one)]
        if claim[figure.start : figure.end].lower() in lowered:
            continue
        is_near = amount.is_about or not amount.is_rough  # "over 5" is no way to say 4.9
        exact = [one for one in alike if amount.agrees(one.amount)]
        found = next(iter(exact or [one for one in alike if is_near and same(amount, one.amount, scales)]), None)
        if found:
            is_open = amount.is_scaled and not found.amount.is_scaled and not exact
            scale = _IN_WORDS.get(scales[0], "") if is_open else ""
            start = amount.start if scale and found.start == found.amount.start else figure.start
            claim = f"{claim[:start]}{found.words}{scale}{claim[figure.end :]}"
    return claim


class Change(NamedTuple):
    """A change in percent, from its words to its sign, and whether the two figures beside it come to that."""

    start: int
    end: int
    is_so: bool


@lru_cache(maxsize=5_000)
def shown_changes(claim: str) -> tuple[Change, ...]:
    """Where a claim gives a change with its two figures: "grew by 25% from 40 to 50"."""
    found, given = [], figures_of(claim)
    for share, one, other in zip(given, given[1:], given[2:], strict=False):
        if one.kind == "year":  # "grew by 25% in 2023, from 40 to 50"
            one, other = other, next((each for each in given if each.start > other.start), other)
        said = _CHANGE.search(claim, 0, share.start) if share.kind == "%" and one.value else None
        is_pair = _FROM.match(claim, share.end, one.start) and _TO.fullmatch(claim, one.end, other.start)
        if said and is_pair and same_kind(one.kind, other.kind) and not _OTHERWISE.search(claim):
            change = 100 * (other.value - one.value) / one.value
            is_opposite = (said["up"] and change < 0) or (said["down"] and change > 0)
            off = abs(abs(change) - share.value)
            if off <= share.place or off > 1.0 or is_opposite:
                end = share.end + claim.startswith(")", share.end)
                found.append(Change(said.start("by"), end, off <= share.place and not is_opposite))
    return tuple(found)
