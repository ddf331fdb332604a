"""Whether a text states a figure of a claim, words it otherwise, or lacks it.

The one comparison of figures that all graders use. Units convert, the finer of two figures is rounded as the coarser is
written, a range's ends share what either bears, and a table's figures are in the scale that its text says.

Where an answer shows how it comes to a figure, no passage states the figure, and a model that reads words finds no
support for it. The sum is worked out again, and what goes into it must be in the passages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, zip_longest
from operator import add, mul, sub, truediv
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.graders.judges import Judgement
from surefoot.text.normal import phrase, terms
from surefoot.text.numbers import (
    BEFORE,
    CURRENCIES,
    MOMENTS,
    PERIOD_KINDS,
    POINTS,
    THOUSANDS,
    Amount,
    amounts_of,
    conversion,
    quantities,
    same_kind,
    same_sign,
)

ONE = (1.0,)
_RATE, _ROUGH_RATE, _EXACT = 0.03, 0.05, 1e-9  # by what share of their size figures that are rounded may differ
RANGE = re.compile(r"\s?(?:-|–|—|to\b|or\b|and\b)\s?[$€£¥]?", re.IGNORECASE)
_BARE = re.compile(r"[\d.,]*\d|[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_SCALE = re.compile(r"(?:\bin (?:\S+ )?|\((?:\S+ )?)(thousand|million|billion)s?\b|['’](000)s?\b", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "000": 1e3, "million": 1e6, "billion": 1e9}
_IN_WORDS = {1e3: " thousand", 1e6: " million", 1e9: " billion"}
_CHANGE = phrase("change")
_FROM = re.compile(r"\)?(?:,? (?:in|during) [^,;]{1,30})?,? from [$€£¥]?(?:[A-Z]{3} )?$")
_TO = re.compile(r"[^;,]{0,40} to [$€£¥]?(?:[A-Z]{3} )?$")
_OTHERWISE = phrase("otherwise_measured")


_SIGN = re.compile(rf"(?:{BEFORE}) ?$", re.IGNORECASE)
_LONGEST_SIGN = 5


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


VIA = "worked out"
_SURE, _COVERED, _LONGEST = 0.9, 0.5, 2_000
_WRONG_BY, _RIGHT_BY, _ROUGHLY = 0.01, 0.003, 0.015
_CONSTANTS = frozenset({1.0, 2.0, 3.0, 4.0, 5.0, 12.0, 52.0, 100.0, 360.0, 365.0, 366.0})
_SCALED = (1.0, 100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9)  # "84.7 %" is "0.847", and a scale is often said once
_SIGNS = str.maketrans("×·∗÷−–≈[]{}", "***/--=()()")
_NO_SIGN = re.compile(
    rf"\*\*|[\s_`~%$€£¥]|(?:{BEFORE}) |\b(?:thousand|million|billion|days|times|approximately|about|roughly|around)\b",
    re.IGNORECASE,
)
_IN_SIGNS = phrase("signs_in_words")
_OPERATIONS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}


class Shown(NamedTuple):
    """A sum that a text shows: where it stands, what goes in and comes out, and by what share it misses its result."""

    start: int
    end: int
    inputs: tuple[Amount, ...]
    results: tuple[Amount, ...]
    off: float

    @property
    def is_right(self) -> bool:
        return self.off <= (_ROUGHLY if any(one.is_rough for one in self.results) else _RIGHT_BY)


@lru_cache(maxsize=2_000)
def sums_of(text: str) -> tuple[Shown, ...]:
    """Return the sums of a text: numbers and signs with no word between them, and an "=" among them."""
    found, written, run, at = list[Shown](), "", list[Amount](), 0
    for amount in (*figures_of(text), None):
        gap = _IN_SIGNS.sub(_sign_of, text[at : amount.start if amount else len(text)])
        signs = _NO_SIGN.sub("", gap).translate(_SIGNS)
        is_number = amount is not None and (amount.is_figure or amount.kind == "year")
        if run and not (is_number and re.fullmatch(r"[-+*/()=]+", signs)):
            closing = re.match(r"\)*", signs)
            found += _sum_in(written + (closing[0] if closing else ""), run)
            written, run = "", []
        if amount and is_number:
            opening = re.search(r"[-(]*$", signs)
            written += f"{signs if run or not opening else opening[0]}{amount.value!r}"
            run.append(amount)
        at = amount.end if amount else at
    return tuple(found)


def _sign_of(found: re.Match[str]) -> str:
    return {"over": "/", "plus": "+", "minus": "-", "equals": "="}.get(found.lastgroup or "", "*")


def _sum_in(written: str, run: Sequence[Amount]) -> Iterator[Shown]:
    """Yield the sum of a run: a first side of several numbers, and the single numbers that later sides are."""
    first, *later = (part.strip("-") for part in written.split("="))
    counts = [len(re.findall(r"[\d.]+(?:e[+-]\d+)?", part)) for part in (first, *later)]
    if not later or counts[0] < 2 or len(written) > _LONGEST or sum(counts) != len(run):
        return
    sides = [run[end - count : end] for count, end in zip(counts, accumulate(counts), strict=True)]
    results = tuple(side[0] for side in sides[1:] if len(side) == 1)
    try:
        value = abs(_value(ast.parse(first, mode="eval").body))
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return
    if results:
        inputs = tuple(amount for side in sides if len(side) > 1 for amount in side)
        # Some numbers may say that they are millions, and others not.
        factors = _SCALED if len({one.is_scaled for one in run}) > 1 else _SCALED[:3]
        yield Shown(run[0].start, run[-1].end, inputs, results, max(_missed(value, one, factors) for one in results))


def _missed(value: float, result: Amount, factors: Sequence[float]) -> float:
    """By what share a value misses a result; 0 where rounding or a scale left out explains it."""
    size = abs(result.value)
    off = min(abs(value * factor - size) for factor in factors)
    return 0.0 if off <= 0.6 * result.place else off / size if size else off


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=float() | int() as value):
            return float(value)
        case ast.BinOp(left, operation, right) if type(operation) in _OPERATIONS:
            return float(_OPERATIONS[type(operation)](_value(left), _value(right)))
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand)
    raise ValueError("a run of numbers and signs that cannot be worked out")


def worked_out(question: str, answer: str, claim: str, passage: str) -> Judgement | None:
    """Return what the sums of an answer say of a claim and a passage; None where they leave it open."""
    sums, start = sums_of(answer), answer.find(claim)
    own = [one for one in sums if one.start < start + len(claim) and one.end > start]
    if any(one.off > _WRONG_BY for one in own) or not all(one.is_so for one in shown_changes(claim)):
        return Judgement("contradicted", _SURE, via=VIA)
    right = [one for one in sums if one.is_right]
    there, asked, results = figures_of(passage), figures_of(question), [each for one in right for each in one.results]
    inputs = [amount for one in own or right for amount in one.inputs]
    figures = [one for one in figures_of(claim) if one.kind not in MOMENTS]
    further = [one for one in (*inputs, *figures) if not stated(one, there, THOUSANDS)]

    def is_known(one: Amount) -> bool:
        is_result = any(close(one, result.times(factor)) for result in results for factor in _SCALED)
        return is_result or one.value in _CONSTANTS or stated(one, asked) is not None

    # In words that question and passage know: no fee follows from a rent.
    words = [term for term in terms(claim) if term.isalpha() and term.upper() not in CURRENCIES]
    is_about = not words or sum(term in {*terms(question), *terms(passage)} for term in words) > _COVERED * len(words)
    is_based = any(one not in further and one.value not in _CONSTANTS for one in inputs)
    is_needed = bool(own) or any(one in further for one in figures)
    if all(one.is_right for one in own) and is_about and is_based and is_needed and all(map(is_known, further)):
        return Judgement("supported", _SURE, via=VIA)
    return None
