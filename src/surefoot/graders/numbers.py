"""Do the numbers of a claim follow from its passages: from a cell of a table, as a sum, by a calculation, per period?

A claim that names the wrong row or column of the right table looks true to a model that reads words. A check that errs
on a true claim costs more than one that says nothing, so wherever a claim can be read in two ways this is silent.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import add, mul, sub, truediv

from msgspec import Struct

from surefoot.graders.judges import Judgement
from surefoot.graders.lookup import (
    Named,
    Says,
    left_over,
    matched,
    named_in,
    signed,
    spoken_tokens,
)
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.claims import Claim
from surefoot.text.normal import sentences, terms
from surefoot.text.numbers import BEFORE, MOMENTS, ONES, THOUSANDS, Quantity, quantities, unit_behind
from surefoot.text.tables import Table, Token, prose_of, tables_of, units_of

MOST_CLAIM = 1_500


class CellCheck(Struct, frozen=True):
    says: Says


SILENT = CellCheck("silent")


@lru_cache(maxsize=5_000)
def cell_check(passage: str, claim: str, question: str = "") -> CellCheck:
    tables = tables_of(passage)
    if not tables or len(claim) > MOST_CLAIM:
        return SILENT
    pieces = [piece for piece in sentences(claim) if piece.strip()]
    found = [_sentence_check(tables, passage, piece, question) for piece in pieces]
    if any(check.says == "conflicts" for check in found):
        return CellCheck("conflicts")
    if found and all(check.says == "agrees" for check in found):
        return CellCheck("agrees")
    return SILENT


def _sentence_check(tables: Sequence[Table], passage: str, sentence: str, question: str) -> CellCheck:
    """What one table says; several that speak must say the same."""
    found = {_table_check(table, passage, sentence, question).says for table in tables} - {"silent"}
    return CellCheck(found.pop()) if len(found) == 1 else SILENT


def _table_check(table: Table, passage: str, sentence: str, question: str) -> CellCheck:
    """Only a sentence with one number that names one cell, and says nothing else, is held against it."""
    named, asked = named_in(table, spoken_tokens(sentence)[1]), ""
    if question and not (named.rows and named.columns):
        more, asked = named_in(table, spoken_tokens(question)[1]), question
        named = Named(table, named.rows or more.rows, named.columns or more.columns)
    if not named.is_one:
        return SILENT
    (cell,), said = named.cells, spoken_tokens(sentence)[0]
    stated = values_said(named, sentence, said)
    if len(stated) != 1 or stated[0].is_bound or left_over(named, spoken_tokens(asked)[0]):
        return SILENT
    if left_over(named, said, (stated[0].start, unit_behind(sentence, stated[0].end)[1])):
        return SILENT
    match = signed(matched(stated[0], cell), stated[0], cell, sentence)
    if match != "other":
        return CellCheck("agrees") if match == "same" else SILENT
    around = amounts_of(prose_of(passage))  # it may give the number another time
    is_told = any(stated[0].match(one.value, THOUSANDS) == "same" for one in around)
    return SILENT if is_told else CellCheck("conflicts")


def values_said(named: Named, sentence: str, said: Sequence[Token]) -> list[Amount]:
    """The numbers of a sentence that are no part of a label."""
    labels = named.words
    are_dates = any(cell.kind == "date" for cell in named.cells)
    found = []
    for amount in amounts_of(sentence):
        written = [token.text for token in said if amount.start <= token.start < amount.end]
        if amount.kind == "year" or (amount.kind == "date" and not are_dates) or (written and set(written) <= labels):
            continue
        found.append(amount)
    return found


VIA = "worked out"
MOST_SUMS = 60  # nobody shows more
_SURE, _RESTATED, _COVERED = 0.9, 0.8, 0.5
_CONSTANTS = frozenset({1.0, 2.0, 3.0, 4.0, 5.0, 12.0, 52.0, 100.0, 360.0, 365.0, 366.0})
_DOES = r"(?:calculat\w*|comput\w*|deriv\w*|determin\w*|find|obtain\w*|work(?:ed)? out|arrive at)"
_METHOD = re.compile(
    r"\b(?:is|are|can be|could be|would be|was|were|be) (?:\w+ )?"
    r"(?:calculated|computed|defined|derived|determined|found|obtained|expressed|worked out)\b"
    rf"|^\W*(?:in order )?to {_DOES}\b"
    r"|^\W*(?:(?:so|then|next|now|first|firstly|second|finally|therefore|thus),? )?(?:let us |let's |we|i|you)"
    r"(?: can| could| will| would| need to| must| first| then| also| now| have to)*"
    rf" (?:{_DOES}|divide|subtract|add|multiply|use|take|need|substitute|plug|apply|sum)\b"
    r"|\b(?:is|are|equals|means)\b[^.]*\b(?:divided by|minus|less|plus|multiplied by|as a (?:share|percentage|"
    r"proportion) of)\b|\bformula\b|\b(?:is|are) (?:an? )?(?:\w+ )?(?:measure|metric|indicator|ratio)s? (?:of|that|"
    r"which|used|for)\b|\bmeasures? (?:how|the|an?|what)\b|^\W*(?:substituting|plugging|using|inserting|dividing|"
    r"applying)\b|\b(?:follows|following|calculation|steps?)\b\W*$|[^\W\d_]\s*=\s*\W*[^\W\d_].*[/÷×*+−-]",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\b(?:ratios?|margins?|average|mean|chang\w*|growth|grew|grow|turnover|per ?cent\w*|rates?|totals?|sum|"
    r"differences?|increas\w*|decreas\w*|declin\w*|yields?|returns?|ebitda?|working capital|cash flow|outstanding|"
    r"conversion|combined|calculat\w*|comput\w*|round\w*|times|per|multiples?|share|proportion|profit|net|gross|"
    r"how much (?:more|less))\b|%",
    re.IGNORECASE,
)


class Working(Struct, frozen=True):
    """The sums of an answer. Claims are known by their place; `starts` says where each begins in the joined text."""

    claims: tuple[Claim, ...]
    starts: tuple[int, ...]
    sums: tuple[Calculation, ...]
    question: str
    asked: tuple[Quantity, ...]  # its numbers

    @property
    def results(self) -> list[Amount]:
        return [amount for one in self.sums if one.is_right for amount in one.results]

    def of(self, place: int) -> list[Calculation]:
        """The sums that stand in a claim, or that run through it."""
        start, end = self.starts[place], self.starts[place] + len(self.claims[place].text)
        return [one for one in self.sums if one.start < end and one.end > start]


def working_of(question: str, claims: Sequence[Claim]) -> Working:
    starts, at = [], 0
    for claim in claims:
        starts.append(at)
        at += len(claim.text) + 1
    text = "\n".join(claim.text for claim in claims)
    sums = calculations(text)
    kept = sums if len(sums) <= MOST_SUMS else ()
    return Working(tuple(claims), tuple(starts), kept, question, quantities(question))


def without_method(question: str, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Where an answer works something out, saying how is no claim about the documents."""
    if not calculations("\n".join(claim.text for claim in claims)):
        return tuple(claims)
    known = quantities(question)
    return tuple(claim for claim in claims if not _is_method(claim.text, known))


def _is_method(text: str, known: Sequence[Quantity]) -> bool:
    figures = [one for one in quantities(text) if one.kind not in MOMENTS and not _is_constant(one)]
    return all(any(one.agrees(other) for other in known) for one in figures) and bool(_METHOD.search(text))


def _is_constant(one: Quantity) -> bool:
    """ "/ 2", "* 100 %", "365 days" """
    return one.value in _CONSTANTS and (one.kind == "number" or one.value in (100.0, 365.0))


def worked_out(working: Working, place: int, passage: str) -> Judgement | None:
    """What the sums say of a claim and a passage; None where they leave it open."""
    sums = working.of(place)
    if any(one.is_wrong for one in sums):
        return Judgement("contradicted", _SURE, via=VIA)
    if not all(one.is_right for one in sums) or not working.results:
        return None
    there, claim = _values_of(passage), working.claims[place].text
    inputs = [amount for one in sums or working.sums if one.is_right for amount in one.operands]
    known = all(_is_known(amount, there, working) for amount in (*inputs, *_further(working, place, sums)))
    if not known or not _is_about(claim, working.question, passage):
        return None
    if not any(_is_written(amount, there) and not _is_constant(amount) for amount in inputs):
        return None
    new = [amount for amount in _figures(claim) if not _is_written(amount, there)]
    if not sums and not any(_is_among(amount, working.results) for amount in new):
        return None
    return Judgement("supported", _SURE if sums else _RESTATED, _nearest(passage, inputs), VIA)


def _further(working: Working, place: int, sums: Sequence[Calculation]) -> list[Amount]:
    """The numbers of a claim that are in none of its sums."""
    start = working.starts[place]
    return [
        amount
        for amount in _figures(working.claims[place].text)
        if not any(one.start <= start + amount.start < one.end for one in sums)
    ]


def _is_about(claim: str, question: str, passage: str) -> bool:
    """A figure of the kind that is worked out, in words that question and passage know: no fee follows from a rent."""
    own, there = terms(claim), frozenset(terms(f"{question}\n{passage}"))
    covered = sum(term in there for term in own) >= _COVERED * len(own)
    return covered and bool(_WORKED_OUT.search(f"{question}\n{claim}"))


def _is_known(amount: Amount, there: frozenset[float], working: Working) -> bool:
    return (
        _is_constant(amount)
        or _is_written(amount, there)
        or _is_among(amount, working.results)
        or any(amount.agrees(other) for other in working.asked)
    )


def _is_among(amount: Amount, others: Sequence[Amount]) -> bool:
    """Rounded as either is written; "84.7 %" is "0.847" too, and a scale said once holds for what follows."""
    return any(
        abs(abs(amount.value) * factor - abs(other.value)) <= 0.5 * max(amount.place * factor, other.place) * (1 + 1e-9)
        for other in others
        for factor in _factors(amount, other)
    )


def _factors(one: Amount, other: Amount) -> tuple[float, ...]:
    if "%" in (one.kind, other.kind):
        return (1.0, 100.0, 0.01)
    if one.is_scaled == other.is_scaled:
        return (1.0,)
    return THOUSANDS if other.is_scaled else tuple(1 / scale for scale in THOUSANDS)


def _is_written(amount: Amount, there: frozenset[float]) -> bool:
    """In whatever scale: a statement in thousands says so once."""
    value = abs(amount.value)
    return any(round(value / scale, 6) in there or round(value * scale, 6) in there for scale in THOUSANDS) or any(
        amount.match(number, THOUSANDS) == "same" for number in there if amount.is_scaled
    )


def _figures(text: str) -> list[Amount]:
    return [amount for amount in amounts_of(text) if amount.kind not in MOMENTS]


@lru_cache(maxsize=1_000)
def _values_of(passage: str) -> frozenset[float]:
    return frozenset(round(abs(one.value), 6) for one in quantities(passage) if one.kind not in ("date", "time of day"))


def _nearest(passage: str, inputs: Sequence[Amount]) -> str:
    """The sentence or row that has most of what goes into the sum."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1]
    values = {amount.value for amount in inputs}
    best = max(units, key=lambda unit: len(values & {one.value for one in unit.quantities}), default=None)
    return best.text if best else ""


MOST_TEXT, MOST_TOKENS = 20_000, 200
_SHARES, _SCALES = (1.0, 100.0, 0.01), (1.0, 100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9)
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
    factors = _SCALES if _is_scale_open(operands, result) else _SHARES
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
    for amount in [*amounts_of(text), None]:
        end = amount.start if amount else len(text)
        while at < end and (piece := _PIECE.match(text, at, end)):
            at = piece.end()
            if sign := _SIGNS.get(piece.lastgroup or ""):
                found.append(_Token(sign, piece.start(), at))
        if amount and amount.start >= at:
            is_number = amount.is_figure or amount.kind == "year"
            found.append(_Token("n" if is_number else "w", amount.start, amount.end, amount))
            at = amount.end
    return _without_markup(found, text)


def _without_markup(tokens: Sequence[_Token], text: str) -> list[_Token]:
    r"""LaTeX: "\frac{a}{b}" is a division, and "\text{ million}" leaves empty brackets behind."""
    found: list[_Token] = []
    for token in tokens:
        if token.sign == ")" and found and found[-1].sign == "(":
            found.pop()
            continue
        if text[token.start] == "{" and found and found[-1].end == token.start and text[token.start - 1] == "}":
            found.append(_Token("/", token.start, token.start))
        found.append(token)
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
    off = 0.0
    for place, part in enumerate(numbers[1:], 1):
        shown = part[0] if len(part) == 1 else None
        before = numbers[place - 1]
        gap = _comes_to(values[place - 1], shown, before) if shown else _gap(values[place - 1], values[place])
        limit = _ROUGHLY if shown and shown.is_rough else _RIGHT_BY
        off = max(off, gap if gap > limit else 0.0)
    yield Calculation(parts[0][0].start, parts[-1][-1].end, operands, results, off == 0.0, off > _WRONG_BY)


def _gap(one: float, other: float) -> float:
    """Between two expressions: the second may use rounded numbers."""
    off = min(abs(abs(one) * factor - abs(other)) for factor in _SCALES)
    return off / abs(other) if other else off


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


_IN_YEAR = {
    "hour": 8_760.0, "day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "season": 4.0,
    "year": 1.0, "decade": 0.1,
}  # fmt: skip
_PERIODS = "|".join(_IN_YEAR)
_ADVERBS = {
    "hourly": 8_760.0, "daily": 365.0, "nightly": 365.0, "weekly": 52.0, "fortnightly": 26.0, "monthly": 12.0,
    "quarterly": 4.0, "half-yearly": 2.0, "semi-annual": 2.0, "semi-annually": 2.0, "semiannually": 2.0,
    "annually": 1.0, "annual": 1.0, "yearly": 1.0, "biennial": 0.5, "biennially": 0.5,
}  # fmt: skip
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER = rf"\d+|{'|'.join(ONES)}"
_FREQUENCY = re.compile(
    rf"\b(?:(?P<adverb>{'|'.join(sorted(_ADVERBS, key=len, reverse=True))})"
    rf"|(?:(?:once )?every|once in) (?P<other>(?:other|second) )?(?:(?P<number>{_NUMBER})[ -])?(?P<period>{_PERIODS})s?"
    rf"|(?P<times>once|twice|(?:{_NUMBER}) times) (?:an?|per|each|every|in (?:an?|each|every)) (?P<of>{_PERIODS})"
    rf"|(?:each|per) (?P<each>{_PERIODS})|(?:every|each) (?P<weekday>{_WEEKDAY})|on (?:{_WEEKDAY})s)\b",
    re.IGNORECASE,
)
_CLOSE = 0.03


@lru_cache(maxsize=5_000)
def is_of_another_frequency(passage: str, claim: str) -> bool:
    said = {value for value, _, _ in _frequencies(claim)}
    if len(said) != 1 or _has_figures(claim):
        return False
    there = [value for value, _, _ in _frequencies(passage)]
    (own,) = said
    return bool(there) and not any(abs(own - value) <= _CLOSE * value for value in there)


def _has_figures(claim: str) -> bool:
    spans = [(start, end) for _, start, end in _frequencies(claim)]
    return any(not any(start <= one.start < end for start, end in spans) for one in amounts_of(claim))


@lru_cache(maxsize=5_000)
def _frequencies(text: str) -> tuple[tuple[float, int, int], ...]:
    return tuple((_times_a_year(match), *match.span()) for match in _FREQUENCY.finditer(text.lower()))


def _times_a_year(match: re.Match[str]) -> float:
    if match["adverb"]:
        return _ADVERBS[match["adverb"]]
    if match["times"]:
        times = {"once": 1.0, "twice": 2.0}.get(match["times"]) or _number(match["times"].split()[0])
        return times * _IN_YEAR[match["of"]]
    period = match["period"] or match["each"]
    if not period:
        return _IN_YEAR["week"]
    return _IN_YEAR[period] / (2.0 if match["other"] else _number(match["number"] or "1"))


def _number(written: str) -> float:
    return float(written if written.isdigit() else ONES.index(written)) or 1.0
