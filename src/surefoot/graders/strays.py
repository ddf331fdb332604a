"""A number from another line of a table: "the Basic plan costs EUR 29", where 29 stands in the row of Team alone.

Unlike the check of cells this needs neither both labels nor an account of all other words: that a number which the
named line lacks stands in another line is hardly ever chance. Changes, comparisons and sums are left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from surefoot.graders.cells import amounts_in_prose, is_exact, speaks_of_more, values_said
from surefoot.graders.grounds import SUPPOSES
from surefoot.graders.lookup import Named, matched, named_in, spoken_tokens
from surefoot.text.amounts import Amount
from surefoot.text.sentences import sentences
from surefoot.text.table_cells import TableCell
from surefoot.text.tables import Table, tables_of

_BOUNDS = re.compile(r"\b(?:up to|at most|at least|each|every|a (?:year|month|week|day)|per \w+)\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:after|before|previous\w*|prior|earlier|against|only|other|rest|next|\w{3,}est|most|least)\b", re.IGNORECASE
)
_SMALL = 10  # numbers below may count anything
MOST_CLAIM = 1_500


@lru_cache(maxsize=5_000)
def is_stray(passage: str, claim: str) -> bool:
    tables = tables_of(passage)
    if len(tables) != 1 or len(claim) > MOST_CLAIM:
        return False
    return any(_has_stray(tables[0], passage, piece) for piece in sentences(claim))


def _has_stray(table: Table, passage: str, sentence: str) -> bool:
    said, words = spoken_tokens(sentence)
    named = named_in(table, words)
    if not named.rows and not named.columns:
        return False
    stated = values_said(named, sentence, said)
    plain = _BOUNDS.sub(" ", sentence)
    if (
        not stated
        or _BESIDE.search(sentence)
        or SUPPOSES.search(sentence)
        or speaks_of_more(named, plain, sentence, stated)
    ):
        return False
    lines = list(_lines(named))
    return any(all(_strays(amount, line, named, passage) for amount in stated) for line in lines)


def _lines(named: Named) -> Iterator[Sequence[TableCell]]:
    """The one row, and the one column, that is named."""
    table = named.table
    if len(named.rows) == 1 and len(table.rows) > 1 and not table.rows[named.rows[0]].is_total:
        yield table.cells[named.rows[0]]
    if len(named.columns) == 1 and len(table.columns) > 1:
        yield [row[named.columns[0]] for row in table.cells]


def _strays(amount: Amount, line: Sequence[TableCell], named: Named, passage: str) -> bool:
    if amount.is_rough or (amount.value < _SMALL and not amount.unit and amount.kind == "number"):
        return False
    values = [cell.value for cell in line if cell.value is not None]
    made = (value for one, other in combinations(values, 2) for value in (one + other, abs(one - other)))
    if any(_may_be(amount, cell) for cell in line) or any(amount.match(value) == "same" for value in made):
        return False
    there = [
        cell for row in named.table.cells for cell in row if is_exact(amount, cell) and matched(amount, cell) == "same"
    ]
    return bool(there) and not any(amount.agrees(other) for other in amounts_in_prose(passage))


def _may_be(amount: Amount, cell: TableCell) -> bool:
    return is_exact(amount, cell) or matched(amount, cell) in ("same", "near")
