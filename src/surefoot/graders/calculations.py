"""Sums that an answer shows: "(4,258 + 56) / 10,936 = 0.39" is checked by doing it.

A chain of expressions joined by "=" is right if each comes to what follows. Scales are often left out ("$10,069 /
$829.5 million") and shares are written as such or in hundredths, so a result may be off by such a factor, and by its
rounding.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import add, mul, sub, truediv

from msgspec import Struct

from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.numbers import BEFORE

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
    if len(parts) == 1:
        yield from _explained(parts[0])
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


def _explained(part: Sequence[_Token]) -> Iterator[Calculation]:
    """ "$7,396 million ($7,838 million - $442 million)": right, or no sum at all."""
    for place, token in enumerate(part[:-1]):
        if token.amount is None or part[place + 1].sign != "(":
            continue
        close = _closing(part, place + 1)
        value = _value(part[place + 1 : close + 1]) if close else None
        inside = [one.amount for one in part[place + 1 : close or 0] if one.amount]
        if value is not None and close and len(inside) > 1 and _comes_to(value, token.amount, inside) <= _RIGHT_BY:
            yield Calculation(token.start, part[close].end, tuple(inside), (token.amount,), True, False)


def _closing(part: Sequence[_Token], place: int) -> int | None:
    depth = 0
    for at in range(place, len(part)):
        depth += {"(": 1, ")": -1}.get(part[at].sign, 0)
        if depth == 0:
            return at
    return None


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
