"""Which cell of a table a claim names, and whether the number it states is the one that stands there.

A claim that names the wrong row or column of the right table looks true to a model that reads words. A check that errs
on a true claim costs more than one that says nothing, so wherever a claim can be read in two ways this is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Literal

from msgspec import Struct

from surefoot.graders.figures import figures_of
from surefoot.text.normal import WORDS, phrase, sentences, with_rows, word_set
from surefoot.text.numbers import (
    CURRENCIES,
    THOUSANDS,
    UNKNOWN,
    Amount,
    Match,
    dates_agree,
    is_measured,
    ratio,
    unit_behind,
)
from surefoot.text.tables import Label, Table, TableCell, Token, prose_of, tables_of, tokens, years_of

Says = Literal["agrees", "conflicts", "silent"]
MOST_CLAIM = 1_500
# Words with which any cell can be spoken of.
_FRAME = word_set(WORDS["frame"])
# What the things of a row are said to do.
_VERBS = word_set(WORDS["verbs"])


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


def named_in(table: Table, text: Sequence[Token]) -> Named:
    said = frozenset(token.text for token in text)
    rows = [place for place, row in enumerate(table.rows) if _is_named(row.words, said)]
    return Named(table, _most_special(rows, table.rows), _columns(table, said))


def _is_named(words: frozenset[str], said: frozenset[str]) -> bool:
    """All words are said. A letter alone is too little: "A" is an article as well."""
    return words <= said and any(len(one) > 1 for one in words)


def _most_special(hits: list[int], labels: Sequence[Label]) -> tuple[int, ...]:
    """Without those whose words only stand in the label of another: "revenue" in "cost of revenue"."""
    return tuple(place for place in hits if not any(labels[place].words < labels[other].words for other in hits))


def _columns(table: Table, said: frozenset[str]) -> tuple[int, ...]:
    """By year first, as a date is seldom said in full; then by what distinguishes columns of one year."""
    if len(table.columns) == 1:
        return (0,)
    by_years: dict[frozenset[str], list[int]] = {}
    for place, column in enumerate(table.columns):
        by_years.setdefault(years_of(column), []).append(place)
    found: list[int] = []
    for years, places in by_years.items():
        if years <= said:
            found += places if years and len(places) == 1 else _distinguished(table.columns, places, said)
    return tuple(sorted(found))


def _distinguished(columns: Sequence[Label], places: list[int], said: frozenset[str]) -> Iterable[int]:
    """Those that are named by what the others do not say."""
    every = [columns[place].all_words for place in places]
    shared = frozenset.intersection(*every) if len(every) > 1 else frozenset()
    own = {place: columns[place].words - shared or columns[place].all_words - shared for place in places}
    return _most_special([place for place in places if _is_named(own[place], said)], columns)


def left_over(named: Named, said: Sequence[Token], amount: tuple[int, int] = (0, 0)) -> bool:
    """A word of a sentence that neither labels nor title nor its amount have, nor is needed to speak of a cell."""
    known = named.words | named.table.years | named.table.around | _FRAME
    return any(
        token.text not in known
        and not amount[0] <= token.start < amount[1]
        and not (token.text in _VERBS and said[place - 1].text in named.words and place)
        for place, token in enumerate(said)
    )


_LOSS = phrase("loss")
_GAIN = re.compile(r"\b(?:profits?|surplus|temperatures?|gains?|net income|operating income|earnings|ebitda?)\b")


def matched(amount: Amount, cell: TableCell) -> Match | None:
    """None where the two cannot be compared; another currency with the same number is another amount, and so is a
    share with the digits of what is none. A number that fits but for its scale is wrong where claim and heading both
    say the scale, and open otherwise."""
    is_metres = cell.unit == "m" and cell.scale == 1e6
    if cell.value is None or amount.unit == UNKNOWN or is_metres or not _fits(amount, cell):
        return "other" if amount.kind == "%" and amount.value == cell.value else None
    if cell.kind == "date":
        return "same" if dates_agree(amount.value, cell.value) else "other"
    if "%" in (cell.kind, amount.kind):
        return amount.match(cell.value)
    factor = ratio(amount.unit, cell.unit) if amount.unit and cell.unit else 1.0
    is_money, scale = {amount.unit, cell.unit} <= CURRENCIES, (cell.scale or 1.0,)
    if factor is None:
        return "other" if is_money and amount.match(cell.value, scale) == "same" else None
    amount = amount.times(factor)
    found = amount.match(cell.value, scale)
    if found == "same" or _is_quoted(amount, cell, cell.value):
        return "same"
    is_share = cell.kind == "number or %" and amount.kind in CURRENCIES
    if (is_measured(amount.unit) and not cell.unit) or is_share:
        return None
    if found != "other" or amount.match(cell.value, THOUSANDS) == "other":
        return found
    return "other" if amount.is_scaled and cell.scale > 1 else "near"


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
    """Losses are often written below zero and said without a sign; a profit is not."""
    if match != "same" or not cell.value or amount.is_negative in (None, cell.value < 0):
        return match
    if amount.is_negative:
        return "near" if _LOSS.search(f"{cell.label} {sentence}") else "other"
    if _LOSS.search(sentence):
        return "same"
    if _GAIN.search(cell.label) or amount.unit == "°c":
        return "near" if _LOSS.search(cell.label) else "other"
    return "near"


@lru_cache(maxsize=5_000)
def cell_check(passage: str, claim: str, question: str = "") -> Says:
    """What all sentences of a claim say: one conflict is one of the claim; it agrees if each of them does."""
    tables = tables_of(with_rows(passage))
    if not tables or len(claim) > MOST_CLAIM:
        return "silent"
    pieces = [piece for piece in sentences(claim) if piece.strip()]
    found = {_sentence_check(tables, passage, piece, question) for piece in pieces}
    return "conflicts" if "conflicts" in found else "agrees" if found == {"agrees"} else "silent"


def _sentence_check(tables: Sequence[Table], passage: str, sentence: str, question: str) -> Says:
    """What one table says; several that speak must say the same."""
    found = {_table_check(table, passage, sentence, question) for table in tables} - {"silent"}
    return found.pop() if len(found) == 1 else "silent"


def _table_check(table: Table, passage: str, sentence: str, question: str) -> Says:
    """Only a sentence with one number that names one cell, and says nothing else, is held against it."""
    said, asked = tokens(sentence), tokens(question)
    named, read = named_in(table, said), said[:0]
    if question and not (named.rows and named.columns):
        more, read = named_in(table, asked), asked
        named = Named(table, named.rows or more.rows, named.columns or more.columns)
    if not named.is_one:
        return "silent"
    (cell,), values = named.cells, _values_said(named, sentence, said)
    if len(values) != 1 or values[0].is_bound or left_over(named, read):
        return "silent"
    (value,) = values
    if left_over(named, said, (value.start, unit_behind(sentence, value.end)[1])):
        return "silent"
    match = signed(matched(value, cell), value, cell, sentence)
    if match != "other":
        return "agrees" if match == "same" else "silent"
    around = figures_of(prose_of(passage))  # it may give the number another time
    return "silent" if any(value.match(one.value, THOUSANDS) == "same" for one in around) else "conflicts"


def _values_said(named: Named, sentence: str, said: Sequence[Token]) -> list[Amount]:
    """The numbers of a sentence that are no part of a label."""
    are_dates = any(cell.kind == "date" for cell in named.cells)
    found = []
    for amount in figures_of(sentence):
        written = {token.text for token in said if amount.start <= token.start < amount.end}
        is_moment = amount.kind == "year" or (amount.kind == "date" and not are_dates)
        if not is_moment and not (written and written <= named.words):
            found.append(amount)
    return found
