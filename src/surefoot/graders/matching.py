"""Is the number that a claim states the one that a cell holds, in whatever unit and scale each is written?"""

from __future__ import annotations

import re

from msgspec.structs import replace

from surefoot.text.amounts import Amount, Match
from surefoot.text.quantities import CURRENCIES, dates_agree
from surefoot.text.table_cells import Cell
from surefoot.text.units import METRES_OR_MILLIONS, UNKNOWN, is_length, is_measured, ratio

SCALES = (1.0, 1e3, 1e6, 1e9)
_LOSS = re.compile(
    r"\b(?:loss(?:es)?|lost|deficits?|negative|shortfalls?|outflows?|overdraft|overdrawn|declin\w+|decreas\w+|"
    r"fall|drop)\b",
    re.IGNORECASE,
)
_COST = re.compile(
    r"\b(?:costs?|expenses?|expenditures?|tax(?:es)?|charges?|depreciation|amorti[sz]ation|payments?|purchases?|"
    r"dividends?|repayments?|provisions?|used|spending|wages|salaries|impairments?|fees)\b"
)
_GAIN = re.compile(r"\b(?:profits?|surplus|temperatures?|gains?|net income|operating income|earnings|ebitda?)\b")


def matched(amount: Amount, cell: Cell) -> Match | None:
    """None where the two cannot be compared; another currency with the same number is another amount."""
    if cell.value is None or amount.unit == UNKNOWN or not _fits(amount, cell):
        return None
    if "/" in amount.unit and ratio(amount.unit, cell.unit) is None:  # a rate
        return None
    if cell.kind == "date":
        return "same" if dates_agree(amount.value, cell.value) else "other"
    if "%" in (cell.kind, amount.kind):
        return amount.match(cell.value)
    return in_unit_of(amount, cell, cell.value)


def in_unit_of(amount: Amount, cell: Cell, value: float) -> Match | None:
    """The amount against a value in the cell's unit and scale."""
    if cell.unit == METRES_OR_MILLIONS and not amount.unit and not amount.is_scaled:
        return None
    amount, cell, value = _settled(amount, cell, value)
    if not amount.unit or not cell.unit:
        found = _sized(amount, cell, value)
        is_open = is_measured(amount.unit) or (cell.kind == "number or %" and amount.kind in CURRENCIES)
        return None if is_open and found != "same" else found
    factor = ratio(amount.unit, cell.unit)
    if factor is not None:
        return _sized(amount.times(factor), cell, value)
    is_money = {amount.unit, cell.unit} <= CURRENCIES
    return "other" if is_money and _sized(amount, cell, value) == "same" else None


def _settled(amount: Amount, cell: Cell, value: float) -> tuple[Amount, Cell, float]:
    """ "(m)" is metres beside a length and millions otherwise, and so is "5m"."""
    in_text = cell.unit == METRES_OR_MILLIONS
    if in_text or (cell.unit == "m" and cell.scale == 1e6):
        if is_length(amount.unit):
            return amount, replace(cell, unit="m", scale=1.0), value / 1e6 if in_text else value
        cell = replace(cell, unit="")
    if amount.unit == METRES_OR_MILLIONS:
        amount = replace(amount.times(1e-6), unit="m") if is_length(cell.unit) else replace(amount, unit="")
    return amount, cell, value


def _sized(amount: Amount, cell: Cell, value: float) -> Match:
    """A number that fits but for its scale is wrong where claim and heading both say the scale, and open otherwise."""
    found = amount.match(value, (cell.scale or 1.0,))
    if found != "other" or amount.match(value, SCALES) == "other":
        return found
    if _is_quoted(amount, cell, value):
        return "same"
    is_plain = amount.is_scaled and cell.scale > 1 and amount.unit == cell.unit and amount.unit in CURRENCIES
    return "other" if is_plain else "near"


def _is_quoted(amount: Amount, cell: Cell, value: float) -> bool:
    """The figure as it stands in the table, with nothing said of what it counts: "Revenue was 10,450"."""
    if amount.unit or amount.is_scaled or (amount.is_counting and cell.unit not in CURRENCIES):
        return False
    return abs(amount.value - abs(value)) < 1e-9 * max(amount.value, 1.0)


def _fits(amount: Amount, cell: Cell) -> bool:
    if "date" in (amount.kind, cell.kind):
        return amount.kind == cell.kind
    return (amount.kind == "%") == (cell.kind == "%") or cell.kind == "number or %"


def signed(match: Match | None, amount: Amount, cell: Cell, sentence: str) -> Match | None:
    """Costs and losses are often written below zero and said without a sign; a profit is not."""
    if match != "same" or not cell.value or amount.is_negative in (None, cell.value < 0):
        return match
    if amount.is_negative:
        return "near" if _LOSS.search(f"{cell.label} {sentence}") else "other"
    if _LOSS.search(sentence):
        return "same"
    if _GAIN.search(cell.label) or amount.unit == "°c":
        return "near" if _LOSS.search(cell.label) else "other"
    return "same" if _COST.search(cell.label) else "near"
