"""Which of a claim's numbers, though the passage does not have them, follow from numbers it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from surefoot.graders.lookup import MOST_NUMBERS, named_in, results_of, shares_of, spoken_tokens
from surefoot.graders.rules import Unit, units_of
from surefoot.text.amounts import Amount
from surefoot.text.quantities import Quantity, same_kind
from surefoot.text.tables import Table, tables_of
from surefoot.text.terms import terms

MOST_UNITS, FEW_NUMBERS, MOST_COUNT = 4, 6, 20
_SCALES = (1.0, 1e3, 1e6)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s", re.MULTILINE)
_LISTED = re.compile(r"(?:[^,;.:]{2,40}, ){1,12}[^,;.:]{2,40}(?:,| and| or) ")


def derivable_of(passage: str, claim: str, missing: Sequence[Amount]) -> int:
    """How many of the missing numbers can be worked out."""
    if not missing:
        return 0
    near = numbers_near(passage, frozenset(terms(claim)))
    tables = tables_of(passage)
    lines = [line for table in tables for line in _lines_named(table, claim)]
    return sum(
        derivable(amount, near)
        or _is_count(amount, passage, tables)
        or any(amount.match(value, _SCALES) == "same" for line in lines for value in results_of(line))
        for amount in missing
    )


def numbers_near(passage: str, wanted: frozenset[str]) -> list[Quantity]:
    """The numbers of the few sentences and rows that share most terms with the claim: anything follows from many."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1 and unit.quantities]
    shared = {id(unit): len(wanted & unit.terms) for unit in units}
    best: list[Unit] = sorted((unit for unit in units if shared[id(unit)]), key=lambda unit: -shared[id(unit)])
    found: dict[tuple[float, str, str], Quantity] = {}
    for unit in best[:MOST_UNITS]:
        for number in unit.quantities:
            found.setdefault((number.value, number.kind, number.unit), number)
    return list(found.values())[:FEW_NUMBERS]


def _lines_named(table: Table, claim: str) -> Iterator[list[float]]:
    """The values of rows in the columns that are named, or in all if none is; and of named columns."""
    named = named_in(table, spoken_tokens(claim)[1])
    few = named.columns if len(named.columns) > 1 else range(len(table.columns))
    for row in named.rows:
        yield [cell.value for cell in (table.cells[row][at] for at in few) if cell.value is not None][:FEW_NUMBERS]
    for column in named.columns:
        rows = named.rows if len(named.rows) > 1 else [at for at, row in enumerate(table.rows) if not row.is_total]
        yield [cell.value for cell in (table.cells[at][column] for at in rows) if cell.value is not None]


def _is_count(amount: Amount, passage: str, tables: Sequence[Table]) -> bool:
    """As many things are listed: rows of a table, points, or parts of a sentence."""
    if amount.kind != "number" or not 2 <= amount.value <= MOST_COUNT:
        return False
    rows = {sum(not row.is_total for row in table.rows) for table in tables}
    return amount.value in rows | _listed(passage)


@lru_cache(maxsize=2_000)
def _listed(passage: str) -> frozenset[int]:
    points = len(_BULLET.findall(passage))
    series = {match.group().count(", ") + 1 + (", and " not in match.group()) for match in _LISTED.finditer(passage)}
    return frozenset(series | ({points} if points > 1 else set()))


_SMALL_FACTORS = (2, 3, 4, 5, 6, 7, 10, 12)


def derivable(amount: Amount, passage_numbers: Iterable[Quantity]) -> bool:
    """The amount follows from at most two numbers of fitting kinds; small whole numbers could follow from anything."""
    numbers = list(passage_numbers)[:MOST_NUMBERS]
    if amount.kind == "%":
        return _is_share(amount, numbers)
    if amount.kind in ("date", "year"):
        return False
    if any(amount.match(value) == "same" for value in _converted(amount, numbers)):
        return True
    kin = [
        number for number in numbers if same_kind(amount.kind, number.kind) and number.kind not in ("date", "year", "%")
    ]
    for one, other in combinations(kin, 2):
        if one.kind != other.kind:
            continue
        if any(amount.match(value) == "same" for value in (one.value + other.value, abs(one.value - other.value))):
            return True
        if amount.value > 1 and amount.match((one.value + other.value) / 2) == "same":
            return True
    return _is_span_of_years(amount, numbers)


def _is_share(amount: Amount, numbers: list[Quantity]) -> bool:
    kin = [number for number in numbers if number.kind not in ("date", "year")]
    for one, other in combinations(kin, 2):
        if one.kind != other.kind or not one.value or not other.value:
            continue
        if one.kind == "%":
            values: Iterable[float] = (one.value + other.value, abs(one.value - other.value))
        else:
            values = shares_of(one.value, other.value)
        if any(amount.match(value) == "same" for value in values):
            return True
    return any(number.kind == "%" and amount.match(100 - number.value) == "same" for number in kin)


def _converted(amount: Amount, numbers: list[Quantity]) -> Iterator[float]:
    """A number in another unit or some times over: "24 months" are known as 2 years already."""
    for number in numbers:
        if number.kind == amount.kind and number.kind not in ("number", "%"):
            yield from (number.value * factor for factor in _SMALL_FACTORS)
        for (one, other), factor in _UNITS.items():
            if (number.kind, amount.kind) == (one, other):
                yield number.value * factor
            elif (number.kind, amount.kind) == (other, one):
                yield number.value / factor


_UNITS = {("months", "days"): 30.0}


def _is_span_of_years(amount: Amount, numbers: list[Quantity]) -> bool:
    if amount.kind not in ("months", "number"):
        return False
    years = sorted({number.value if number.kind == "year" else number.value // 10_000 for number in numbers
                    if number.kind == "year" or (number.kind == "date" and number.value >= 10_000)})  # fmt: skip
    spans = {later - earlier for earlier, later in combinations(years[:MOST_NUMBERS], 2)}
    return (amount.value / 12 if amount.kind == "months" else amount.value) in spans
