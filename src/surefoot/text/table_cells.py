"""The cells of a table: numbers in any notation with their kind, and the unit that headings give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text.numerals import SCALES
from surefoot.text.quantities import quantities
from surefoot.text.units import CURRENCIES, METRES_OR_MILLIONS, currency_of, only_unit, unit_in

_VALUE = re.compile(
    r"(?P<minus>[-–−+(]?)\s*(?P<money>us\$|[$€£¥]|eur|usd|gbp|chf)?\s*(?P<open>[-–−(]?)\s*"
    r"(?P<digits>\d{1,3}(?:[, \u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*"
    r"(?P<scale>k|m|mn|bn|thousand|million|billion)?\s*\)?\s*(?P<per>%|per ?cent|bps|pp)?\s*\)?\s*"
    r"(?P<after>[$€£¥]|eur|usd|gbp|chf)?"
)
_NOTE_MARK = re.compile(r"(?<=\S)\s*(?:\((?:\d|[a-z])\)|\[\w\]|[*†‡§¹²³]+)+\s*$", re.IGNORECASE)
_SCALES = (
    (1e3, re.compile(r"\bin (?:\S+ )?thousands?\b|\bthousands\b|\bthousand of\b|\(?[$€£]?\s?['’‘]?000s?\b|"
                     r"\(thousand\)|[$€£] ?(?:thousand|k)\b|\b(?:eur|usd|gbp) (?:thousand|k)\b|, thousand\b",
                     re.IGNORECASE)),
    (1e6, re.compile(r"\bmillions?\b|[$€£] ?mn?\b|\b(?:eur|usd|gbp|chf) ?mn?\b|\(mn?\)", re.IGNORECASE)),
    (1e9, re.compile(r"\bbillions?\b|[$€£] ?bn\b|\b(?:eur|usd|gbp|chf) ?bn\b|\(bn\)", re.IGNORECASE)),
)  # fmt: skip
_PERCENT = re.compile(r"%|\bper ?cent\b|\bpercentages?\b", re.IGNORECASE)
_PER_ONE = re.compile(
    r"\bper (?:\w+ )?(?:share|unit|head|capita|employee|customer|user|night|hour|litre|tonne)\b", re.IGNORECASE
)
_EMPTY = re.compile(r"[-–—―.\s]*|n/?a\.?|nil|none|nm|n/m", re.IGNORECASE)


class TableCell(Struct, frozen=True):
    value: float | None = None
    kind: str = "number"  # as in quantities; "empty" where nothing stands
    scale: float = 0.0  # what a heading says the value is to be multiplied with; 0: it says nothing
    unit: str = ""  # as in units, by the cell itself or a heading
    label: str = ""  # what row and column say


@lru_cache(maxsize=20_000)
def read_cell(text: str) -> TableCell:
    plain = _NOTE_MARK.sub("", text).strip().lower() if not re.fullmatch(r"\(\d\)", text) else text
    if _EMPTY.fullmatch(plain):
        return TableCell(kind="empty")
    match = _VALUE.fullmatch(plain)
    if match is None:
        return _worded(text)
    value = float(re.sub(r"[^\d.]", "", match["digits"])) * SCALES.get(match["scale"] or "", 1)
    negative = (match["minus"] + match["open"]).strip("+") != ""
    money = match["money"] or match["after"]
    kind = "%" if match["per"] else (currency_of(money) if money else None) or "number"
    if match["per"] in ("bps", "pp"):
        return TableCell(kind="text")
    unit = kind if kind in CURRENCIES else METRES_OR_MILLIONS if match["scale"] == "m" else ""
    return TableCell(-value if negative else value, kind, 1.0 if match["scale"] else 0.0, unit)


def _worded(text: str) -> TableCell:
    """One amount with its unit ("14 days", "3 May 2024"); a cell that says more is not read."""
    found = quantities(text)
    if len(found) != 1 or found[0].kind in ("number", "year") or len(text.split()) > 5 or re.search(r"\d:\d", text):
        return TableCell(kind="text")
    return TableCell(found[0].value, found[0].kind, unit=found[0].kind)


def in_units(
    cells: list[list[TableCell]], labels: Sequence[str], columns: list[str], title: str
) -> tuple[tuple[TableCell, ...], ...]:
    """Cells with the kind and scale that their row, column or table has."""
    in_title = bool(_PERCENT.search(title))
    money = _money(cells) if _scale(title) else ""
    shares = [in_title or _are_shares([row[at] for row in cells]) for at in range(len(columns))]
    return tuple(
        tuple(
            _in_unit(cell, (label, column, title), money, shares[at] or _are_shares(row))
            for at, (cell, column) in enumerate(zip(row, columns, strict=True))
        )
        for label, row in zip(labels, cells, strict=True)
    )


def _in_unit(cell: TableCell, headings: tuple[str, str, str], money: str, beside_shares: bool) -> TableCell:
    """Percentages are never in thousands; a bare number beside percentages may be one."""
    label, column, title = headings
    labels = f"{label} {column}"
    cell = replace(cell, label=labels.lower())
    if cell.value is None or cell.kind not in (*CURRENCIES, "number"):
        return cell
    if cell.kind == "number" and _PERCENT.search(labels):
        return replace(cell, kind="%", scale=1.0, unit="")
    unit = cell.unit or only_unit({unit_in(label), unit_in(column)} - {""}) or unit_in(title) or money
    of_one = 1.0 if _PER_ONE.search(labels) else 0.0
    scale = cell.scale or _scale(column) or _scale(label) or of_one or _scale(title) or (1.0 if unit else 0.0)
    kind = "number or %" if beside_shares and cell.kind == "number" else cell.kind
    return replace(cell, kind=kind, scale=scale, unit=unit)


def _money(cells: list[list[TableCell]]) -> str:
    """The one currency of the cells that bear a sign: in accounts only some do."""
    found = {cell.kind for row in cells for cell in row if cell.kind in CURRENCIES}
    return found.pop() if len(found) == 1 else ""


def _are_shares(line: Sequence[TableCell]) -> bool:
    """Most are, or the first is: in accounts only the first and the last of a column bear the sign."""
    kinds = [cell.kind for cell in line if cell.value is not None]
    return bool(kinds) and (kinds[0] == "%" or 2 * kinds.count("%") >= len(kinds))


@lru_cache(maxsize=5_000)
def _scale(text: str) -> float:
    """0 where nothing is said."""
    return next((scale for scale, pattern in _SCALES if pattern.search(text)), 0.0)


def without_note(text: str) -> str:
    """Without the mark of a footnote behind it."""
    return _NOTE_MARK.sub("", text)
