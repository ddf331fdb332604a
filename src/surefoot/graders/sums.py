"""The sums of an answer: whether they are right, and whether what they come to follows from the passages.

Where an answer shows how it comes to a figure, no passage states the figure, and a model that reads words finds no
support for it. The sum is worked out again, and what goes into it must be in the passages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import add, mul, sub, truediv

from msgspec import Struct

from surefoot.graders.figures import close, figures_of, shown_changes, stated
from surefoot.graders.judges import Judgement
from surefoot.text.amounts import Amount
from surefoot.text.claims import Claim
from surefoot.text.normal import terms
from surefoot.text.numbers import BEFORE, CURRENCIES, MOMENTS, THOUSANDS, Quantity
from surefoot.text.tables import units_of

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
    return any(close(amount, one.times(factor)) for one in working.results for factor in _SCALES)


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
