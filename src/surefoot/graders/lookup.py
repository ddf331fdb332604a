"""Which rows and columns of a table a sentence names, and whether a number it states is the one that stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Literal

from msgspec import Struct

from surefoot.text.amounts import Amount, Match
from surefoot.text.normal import word_set
from surefoot.text.numbers import (
    CURRENCIES,
    METRES_OR_MILLIONS,
    THOUSANDS,
    UNKNOWN,
    dates_agree,
    is_measured,
    ratio,
)
from surefoot.text.tables import Label, Table, TableCell, Token, is_year, tokens, years_of

Says = Literal["agrees", "conflicts", "silent"]
# Words with which any cell can be spoken of.
_FRAME = word_set(
    """had has have having did do does been being will this that these those which what how much many who when where
    there their they our his her it its per amount value figure number level result rate balance year years yearly
    annual annually end ended ending fiscal financial calendar month quarter period during over stood stand came
    come amounted report reported record recorded show shown showed list listed table according state stated give
    given reach reached equal equalled respectively company firm group business organisation organization due make
    made register registered see saw million billion thousand m bn mn dollar euro pound usd eur gbp us about around
    roughly approximately nearly almost some just also only respective while whereas and but yes sat post posted
    hold held we is was were be % unit item case people person"""
)
_LOOSE = 3  # words that may stand between those of a label
_EARLY = frozenset({"january", "february"})


_VERBS = word_set(
    "lent sold won drew drawn spent paid got took ran contain pay cost spend take use carry sell earn employ offer"
    " serve weigh measure produce generate"
)


class Named(Struct, frozen=True):
    """The rows and columns of a table that a sentence names."""

    table: Table
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def is_one(self) -> bool:
        return len(self.rows) == len(self.columns) == 1

    @property
    def cells(self) -> list[TableCell]:
        return [self.table.cells[row][column] for row, column in product(self.rows, self.columns)]

    @property
    def words(self) -> frozenset[str]:
        """All that the labels say."""
        labels = [*(self.table.rows[row] for row in self.rows), *(self.table.columns[at] for at in self.columns)]
        return frozenset().union(*(label.all_words for label in labels))


def named_in(table: Table, said: Sequence[str]) -> Named:
    rows = [place for place, row in enumerate(table.rows) if _is_named(row.words, said)]
    return Named(table, _most_special(rows, table.rows), _columns(table, said))


def _is_named(words: frozenset[str], said: Sequence[str]) -> bool:
    """All words are said, near each other and not scattered over the sentence. A letter alone is too little: "A" is an
    article as well."""
    last: dict[str, int] = {}
    for place, word in enumerate(said):
        if word in words:
            last[word] = place
            if len(last) == len(words) and place - min(last.values()) < len(words) + _LOOSE:
                return any(len(one) > 1 for one in words)
    return False


def _most_special(hits: list[int], labels: Sequence[Label]) -> tuple[int, ...]:
    """Without those whose words only stand in the label of another: "revenue" in "cost of revenue"."""
    return tuple(place for place in hits if not any(labels[place].words < labels[other].words for other in hits))


def _columns(table: Table, said: Sequence[str]) -> tuple[int, ...]:
    """By year first, as a date is seldom said in full; then by what distinguishes columns of one year."""
    if len(table.columns) == 1:
        return (0,)
    there = frozenset(said)
    by_years: dict[frozenset[str], list[int]] = {}
    for place, column in enumerate(table.columns):
        by_years.setdefault(years_of(column), []).append(place)
    found: list[int] = []
    for years, places in by_years.items():
        # A business year that ends in January mostly has the name of the year before.
        is_early = any(table.columns[place].all_words & _EARLY for place in places) and not there & _EARLY
        if years <= there and not (years and is_early):
            found += places if years and len(places) == 1 else _distinguished(table.columns, places, said)
    return tuple(sorted(found))


def _distinguished(columns: Sequence[Label], places: list[int], said: Sequence[str]) -> Iterable[int]:
    """Those that are named by what the others do not say."""
    every = [columns[place].all_words for place in places]
    shared = frozenset.intersection(*every) if len(every) > 1 else frozenset()
    own = {place: columns[place].words - shared or columns[place].all_words - shared for place in places}
    return _most_special([place for place in places if _is_named(own[place], said)], columns)


def left_over(named: Named, said: Sequence[Token], amount: tuple[int, int] = (0, 0)) -> list[str]:
    """The words of a sentence that neither labels nor title nor its amount have, nor are needed to speak of a cell."""
    known, spare = named.words | named.table.years | named.table.around | _FRAME, _verbs(named, said)
    return [
        token.text
        for place, token in enumerate(said)
        if token.text not in known and place not in spare and not amount[0] <= token.start < amount[1]
    ]


def _verbs(named: Named, said: Sequence[Token]) -> set[int]:
    """What a row is said to have done; before the row's name it would be part of another name ("deferred revenue")."""
    rows = frozenset(word for place in named.rows for word in named.table.rows[place].all_words)
    labels = named.words
    found, is_behind = set(), False
    for place, token in enumerate(said):
        followed = place + 1 < len(said) and said[place + 1].text in rows
        if is_behind and not followed and token.text in _VERBS:
            found.add(place)
        is_behind = is_behind or (token.text in labels and not is_year(token.text))
    return found


def spoken_tokens(text: str) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    found = tokens(text)
    return found, tuple(token.text for token in found)


MOST_NUMBERS = 24  # of a row or column
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


def matched(amount: Amount, cell: TableCell) -> Match | None:
    """None where the two cannot be compared; another currency with the same number is another amount."""
    if cell.value is None or amount.unit == UNKNOWN or not _fits(amount, cell):
        return None
    if "/" in amount.unit and ratio(amount.unit, cell.unit) is None:  # a rate
        return None
    if cell.kind == "date":
        return "same" if dates_agree(amount.value, cell.value) else "other"
    if "%" in (cell.kind, amount.kind):
        return amount.match(cell.value)
    return _in_unit_of(amount, cell, cell.value)


def _in_unit_of(amount: Amount, cell: TableCell, value: float) -> Match | None:
    """The amount against a value in the cell's unit and scale; an "m" may be metres or millions."""
    if METRES_OR_MILLIONS in (cell.unit, amount.unit) or (cell.unit == "m" and cell.scale == 1e6):
        return None
    if not amount.unit or not cell.unit:
        found = _sized(amount, cell, value)
        is_open = is_measured(amount.unit) or (cell.kind == "number or %" and amount.kind in CURRENCIES)
        return None if is_open and found != "same" else found
    factor = ratio(amount.unit, cell.unit)
    if factor is not None:
        return _sized(amount.times(factor), cell, value)
    is_money = {amount.unit, cell.unit} <= CURRENCIES
    return "other" if is_money and _sized(amount, cell, value) == "same" else None


def _sized(amount: Amount, cell: TableCell, value: float) -> Match:
    """A number that fits but for its scale is wrong where claim and heading both say the scale, and open otherwise."""
    found = amount.match(value, (cell.scale or 1.0,))
    if found != "other" or amount.match(value, THOUSANDS) == "other":
        return found
    if _is_quoted(amount, cell, value):
        return "same"
    is_plain = amount.is_scaled and cell.scale > 1 and amount.unit == cell.unit and amount.unit in CURRENCIES
    return "other" if is_plain else "near"


def _is_quoted(amount: Amount, cell: TableCell, value: float) -> bool:
    """The figure as it stands in the table, with nothing said of what it counts: "Revenue was 10,450"."""
    if amount.unit or amount.is_scaled or (amount.is_counting and cell.unit not in CURRENCIES):
        return False
    return abs(amount.value - abs(value)) < 1e-9 * max(amount.value, 1.0)


def _fits(amount: Amount, cell: TableCell) -> bool:
    if "date" in (amount.kind, cell.kind):
        return amount.kind == cell.kind
    return (amount.kind == "%") == (cell.kind == "%") or cell.kind == "number or %"


def signed(match: Match | None, amount: Amount, cell: TableCell, sentence: str) -> Match | None:
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


def results_of(values: Sequence[float]) -> Iterator[float]:
    """What can be made of a row or column: its sum and mean; of each two, sum, difference, share and change."""
    kept = [abs(value) for value in values[:MOST_NUMBERS]]
    if len(kept) > 2:
        yield sum(kept)
        yield sum(kept) / len(kept)
    for one, other in combinations(kept, 2):
        yield from (one + other, abs(one - other), (one + other) / 2)
        yield from shares_of(one, other)


def shares_of(one: float, other: float) -> Iterator[float]:
    for part, whole in ((one, other), (other, one)):
        if whole:
            yield 100 * part / whole
            yield 100 * abs(part - whole) / whole
