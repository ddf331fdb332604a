"""What a text says of each figure of a claim: states it, words it otherwise, lets it be worked out, or lacks it.

The one comparison of figures that all graders use. Units convert, the finer of two figures is rounded as the coarser is
written, a range's ends share what either bears, and a table's figures are in the scale that its text says.

Where an answer shows how it comes to a figure, no passage states the figure, and a model that reads words finds no
support for it. The sum is worked out again, and what goes into it must be in the passages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, zip_longest
from operator import add, mul, sub, truediv
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.judges import Judgement
from surefoot.text.claims import Claim
from surefoot.text.normal import terms
from surefoot.text.numbers import (
    BEFORE,
    CURRENCIES,
    MOMENTS,
    PERIOD_KINDS,
    POINTS,
    THOUSANDS,
    Amount,
    Quantity,
    amounts_of,
    conversion,
    quantities,
    same_kind,
    same_sign,
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


VIA = "worked out"
MOST_SUMS = 60  # nobody shows more
_SURE, _RESTATED, _COVERED = 0.9, 0.8, 0.5
_CONSTANTS = frozenset({1.0, 2.0, 3.0, 4.0, 5.0, 12.0, 52.0, 100.0, 360.0, 365.0, 366.0})


class Working(Struct, frozen=True):
    """The sums of an answer. Claims are known by their place; `starts` says where each begins in the joined text."""

    claims: tuple[Claim, ...]
    starts: tuple[int, ...]
    sums: tuple[Calculation, ...]
    question: str

    @property
    def results(self) -> list[Amount]:
        return [amount for one in self.sums if one.is_right for amount in one.results]

    def of(self, place: int) -> list[Calculation]:
        """The sums that stand in a claim, or that run through it."""
        start, end = self.starts[place], self.starts[place] + len(self.claims[place].text)
        return [one for one in self.sums if one.start < end and one.end > start]


def working_of(question: str, claims: Sequence[Claim]) -> Working:
    texts = [claim.text for claim in claims]
    starts = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
    sums = calculations("\n".join(texts))
    return Working(tuple(claims), tuple(starts), sums if len(sums) <= MOST_SUMS else (), question)


def _is_constant(one: Quantity) -> bool:
    """ "/ 2", "* 100 %", "365 days" """
    return one.value in _CONSTANTS and (one.kind == "number" or one.value in (100.0, 365.0))


def worked_out(working: Working, place: int, passage: str) -> Judgement | None:
    """What the sums say of a claim and a passage; None where they leave it open."""
    sums, claim, start = working.of(place), working.claims[place].text, working.starts[place]
    if any(one.is_wrong for one in sums) or not all(one.is_so for one in shown_changes(claim)):
        return Judgement("contradicted", _SURE, via=VIA)
    if not all(one.is_right for one in sums) or not working.results or not _is_about(claim, working.question, passage):
        return None
    there, asked = figures_of(passage), figures_of(working.question)
    inputs = [amount for one in sums or working.sums if one.is_right for amount in one.operands]
    own = [amount for amount in figures_of(claim) if amount.kind not in MOMENTS]
    beside = [one for one in own if not any(each.start <= start + one.start < each.end for each in sums)]
    further = [one for one in (*inputs, *beside) if not stated(one, there, THOUSANDS)]
    if any(not (_is_constant(one) or _is_result(one, working) or stated(one, asked)) for one in further):
        return None
    if all(one in further or _is_constant(one) for one in inputs):
        return None
    if not sums and not any(one in further and _is_result(one, working) for one in own):
        return None
    return Judgement("supported", _SURE if sums else _RESTATED, _nearest(passage, inputs), VIA)


def _is_about(claim: str, question: str, passage: str) -> bool:
    """In words that question and passage know: no fee follows from a rent."""
    own = [term for term in terms(claim) if term.isalpha() and term.upper() not in CURRENCIES]
    there = {*terms(question), *terms(passage)}
    return not own or sum(term in there for term in own) > _COVERED * len(own)


def _is_result(amount: Amount, working: Working) -> bool:
    """ "84.7 %" is "0.847" too, and a scale that is said once holds for what follows."""
    return any(close(amount, one.times(factor)) for one in working.results for factor in _SCALED)


def _nearest(passage: str, inputs: Sequence[Amount]) -> str:
    """The sentence or row that has most of what goes into the sum."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1]
    values = {amount.value for amount in inputs}
    best = max(units, key=lambda unit: len(values & {one.value for one in unit.quantities}), default=None)
    return best.text if best else ""


MOST_TEXT, MOST_TOKENS = 20_000, 200
_SHARES, _SCALED = (1.0, 100.0, 0.01), (1.0, 100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9)
_MOST_CONSTANT = 366  # "/ 2", "* 100", "365 *"
_SIGNS = {
    "times": "*", "over": "/", "plus": "+", "minus": "-", "open": "(", "close": ")", "equals": "=", "line": "\n",
    "word": "w",
}  # fmt: skip
_PIECE = re.compile(
    r"(?P<times>\*(?!\*)|[×·∗]|\\(?:times|cdot)\b|\bx\b|\b(?:multiplied by|times)\b)"
    r"|(?P<over>[/÷]|\\div\b|\bdivided by\b)|(?P<plus>\+|\bplus\b)|(?P<minus>[-–−]|\bminus\b)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<equals>[=≈]|\\approx\b|\b(?:equals|comes to)\b|,? ?\bor (?=(?:about|roughly|approximately|around)\b))"
    rf"|(?P<skip>[ \t_`$€£¥~]+|\*\*|\\(?:[a-z]+|[^a-z])|(?:{BEFORE}) ?|%"
    r"|(?:thousand|million|billion|days|times|approximately|about|roughly|around|usd|eur)\b)|(?P<line>\n)|(?P<word>\S)",
    re.IGNORECASE,
)
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.Div: truediv,
}
_WRONG_BY, _RIGHT_BY, _ROUGHLY = 0.01, 0.003, 0.015


class Calculation(Struct, frozen=True):
    """Where it stands, the numbers that go in, those that come out, the last of which is the result."""

    start: int
    end: int
    operands: tuple[Amount, ...]
    results: tuple[Amount, ...]
    is_right: bool
    is_wrong: bool  # neither where it is close


class _Token(Struct, frozen=True):
    sign: str  # an operator, "n" for a number, "\n", or "w" for a word
    start: int
    end: int
    amount: Amount | None = None


@lru_cache(maxsize=2_000)
def calculations(text: str) -> tuple[Calculation, ...]:
    if len(text) > MOST_TEXT or not re.search(r"\d", text):
        return ()
    return tuple(found for run in _runs(_tokens(text)) if len(run) <= MOST_TOKENS for found in _chains(run))


def _comes_to(value: float, result: Amount, operands: Sequence[Amount]) -> float:
    """By what share the result misses the value; 0 where rounding, or a scale left out, explains it."""
    size = abs(result.value)
    factors = _SCALED if _is_scale_open(operands, result) else _SHARES
    off = min(abs(abs(value) * factor - size) for factor in factors)
    return 0.0 if off <= 0.6 * result.place else off / size if size else off


def _is_scale_open(operands: Sequence[Amount], result: Amount) -> bool:
    """Some of the numbers say that they are millions, and others do not."""
    said = {one.is_scaled for one in operands if one.is_scaled or one.value > _MOST_CONSTANT}
    if len(said) > 1 or (result.is_scaled and True not in said):
        return True
    return said == {True} and not result.is_scaled and result.value >= 1_000


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    for amount in [*figures_of(text), None]:
        end = amount.start if amount else len(text)
        while at < end and (piece := _PIECE.match(text, at, end)):
            at = piece.end()
            if sign := _SIGNS.get(piece.lastgroup or ""):
                found.append(_Token(sign, piece.start(), at))
        if amount and amount.start >= at:
            is_number = amount.is_figure or amount.kind == "year"
            found.append(_Token("n" if is_number else "w", amount.start, amount.end, amount))
            at = amount.end
    return found


def _runs(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """Numbers and signs with no word between them; a line that begins with "=" goes on with the one before it."""
    run: list[_Token] = []
    line_ends = False
    for token in [*tokens, _Token("w", 0, 0)]:
        if token.sign == "\n":
            line_ends = True
            continue
        if token.sign == "w" or (line_ends and not (token.sign == "=" and _is_begun(run))):
            if run:
                yield run
            run = []
        line_ends = False
        if token.sign != "w":
            run.append(token)


def _is_begun(run: Sequence[_Token]) -> bool:
    """A sum, and not the value of something else on the line before."""
    return sum(token.sign == "n" for token in run) > 1 or any(token.sign == "=" for token in run)


def _chains(run: Sequence[_Token]) -> Iterator[Calculation]:
    parts: list[list[_Token]] = [[]]
    for token in run:
        if token.sign == "=":
            parts.append([])
        else:
            parts[-1].append(token)
    values = [_value(part) for part in parts]
    for start, end in _stretches(values):
        yield from _chain(parts[start:end], [value for value in values[start:end] if value is not None])


def _stretches(values: Sequence[float | None]) -> Iterator[tuple[int, int]]:
    """Runs of parts that could be worked out."""
    start = 0
    for place, value in enumerate([*values, None]):
        if value is None:
            if place - start > 1:
                yield start, place
            start = place + 1


def _chain(parts: Sequence[list[_Token]], values: Sequence[float]) -> Iterator[Calculation]:
    numbers = [[token.amount for token in part if token.amount] for part in parts]
    if not any(len(part) > 1 for part in numbers):
        return
    operands = tuple(amount for part in numbers if len(part) > 1 for amount in part)
    results = tuple(part[0] for part in numbers if len(part) == 1)
    shown = [(part[0], numbers[place], values[place]) for place, part in enumerate(numbers[1:]) if len(part) == 1]
    missed = [
        off
        for result, before, value in shown
        if (off := _comes_to(value, result, before)) > (_ROUGHLY if result.is_rough else _RIGHT_BY)
    ]
    is_wrong = max(missed, default=0.0) > _WRONG_BY
    yield Calculation(parts[0][0].start, parts[-1][-1].end, operands, results, not missed, is_wrong)


def _value(part: Sequence[_Token]) -> float | None:
    """What an expression comes to, if it is one."""
    written = " ".join(repr(token.amount.value) if token.amount else token.sign for token in part)
    try:
        return _worked_out(ast.parse(written, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError):
        return None


def _worked_out(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=float() | int() as value):
            return float(value)
        case ast.BinOp(left, operation, right):
            return _OPERATIONS[type(operation)](_worked_out(left), _worked_out(right))
        case ast.UnaryOp(ast.USub(), operand):
            return -_worked_out(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _worked_out(operand)
    raise ValueError("a run of numbers and signs that cannot be worked out")
