"""Does the cell that a claim names hold the number that the claim states?

A claim that names the wrong row or column of the right table looks true to a model that reads words. A check that errs
on a true claim costs more than one that says nothing, so wherever a claim can be read in two ways this is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.lookup import (
    Named,
    left_over,
    matched,
    named_in,
    results_of,
    signed,
    spoken_tokens,
)
from surefoot.graders.orders import CHANGE, DIRECTIONS, UNSURE, Says, goes_other_way
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.normal import sentences, word_set
from surefoot.text.numbers import CURRENCIES, THOUSANDS, is_measured, ratio
from surefoot.text.tables import Table, TableCell, Token, prose_of, tables_of

_LEVEL = re.compile(r"\b(?:from|to|at)\s+(?:about |roughly |nearly |almost )?(?:[$€£]|eur |usd |gbp )?$", re.IGNORECASE)
_OFTEN_IN_TITLES = word_set("mean average median per target forecast budget planned estimated")
_AND_SMALLER = re.compile(r"[ -]?(?!and\b)(?:[^\W\d]+\.?)?,? ?(?:and )?")
_JOINTS = re.compile(
    r";|,\s|\b(?:and|while|but|whereas|compared (?:with|to)|versus|vs\.?|to(?= (?:[$€£]|EUR |USD |GBP )?\d))\b",
    re.IGNORECASE,
)
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
    """What one table says; of several that speak, one that agrees is enough and conflicting ones must be alone."""
    meant = _by_title(tables, spoken_tokens(f"{question} {sentence}")[1])
    found = [_table_check(table, passage, sentence, question) for table in meant]
    speaking = [check for check in found if check.says != "silent"]
    agreeing = [check for check in speaking if check.says == "agrees"]
    if agreeing:
        return agreeing[0]
    return speaking[0] if len(speaking) == 1 else SILENT


def _by_title(tables: Sequence[Table], words: tuple[str, ...]) -> Sequence[Table]:
    """Of tables that all have what is named, with other values, the one whose title is said; none if that is open."""
    if len(tables) == 1:
        return tables
    held = {place: tuple(cell.value for cell in named_in(table, words).cells) for place, table in enumerate(tables)}
    naming = [place for place, cells in held.items() if cells]
    if len(naming) < 2 or len({held[place] for place in naming}) == 1:
        return tables
    own = {
        place: tables[place].around - frozenset().union(*(tables[other].around for other in naming if other != place))
        for place in naming
    }
    said = [place for place in naming if own[place] & frozenset(words)]
    return [tables[place] for place in said] if len(said) == 1 else []


def _table_check(table: Table, passage: str, sentence: str, question: str) -> CellCheck:
    named = named_in(table, spoken_tokens(sentence)[1])
    is_asked = bool(question) and not (named.rows and named.columns)
    if is_asked:
        more = named_in(table, spoken_tokens(question)[1])
        named = Named(table, named.rows or more.rows, named.columns or more.columns)
    if not named.rows or not named.columns:
        return SILENT
    return _values_check(named, passage, sentence, question if is_asked else "")


def _values_check(named: Named, passage: str, sentence: str, question: str) -> CellCheck:
    """All numbers must be those of named cells, or one must be none of them; anything between is left open."""
    said, _ = spoken_tokens(sentence)
    stated = values_said(named, sentence, said)
    if not stated or len(stated) > len(named.cells) or any(amount.is_bound for amount in stated):
        return SILENT
    if speaks_of_more(named, f"{question} {sentence}", sentence, stated):
        return SILENT
    spans = [(amount.start, amount.end) for amount in stated]
    asks_for_more = left_over(named, spoken_tokens(question)[0], (), loosely=False)
    if asks_for_more or left_over(named, said, spans, also=DIRECTIONS):
        return SILENT
    pieces = _pieces(named, sentence, stated, question)
    rest = set(left_over(named, said, spans, loosely=False))
    if not pieces or any(_counts_things(amount, cell, said, rest) for amount, cell in pieces):
        return SILENT
    matches = [signed(matched(amount, cell), amount, cell, sentence) for amount, cell in pieces]
    if all(match == "same" for match in matches):
        if any(_is_rather_beside(amount, cell, named) for amount, cell in pieces):
            return SILENT
        is_open = rest & DIRECTIONS and (len(stated) != 2 or goes_other_way(sentence, stated))
        return SILENT if is_open else CellCheck("agrees")
    if any(match in ("near", None) for match in matches):
        return SILENT
    wrong = [piece for piece, match in zip(pieces, matches, strict=True) if match == "other"]
    is_explained = any(
        _is_given_elsewhere(amount, named, passage, rest <= DIRECTIONS) or _is_converted(amount, cell, passage)
        for amount, cell in wrong
    )
    return SILENT if is_explained else CellCheck("conflicts")


def _is_rather_beside(amount: Amount, cell: TableCell, named: Named) -> bool:
    """Rounded it is the cell's number, but that of another cell in the line to the digit: 14 beside 13.5 and 14.0."""
    if amount.is_rough or cell.value is None or is_exact(amount, cell):
        return False
    beside = [
        *(named.table.cells[row] for row in named.rows),
        *(line for line in zip(*named.table.cells, strict=True) if cell in line),
    ]
    return any(other.kind == cell.kind and is_exact(amount, other) for line in beside for other in line)


def is_exact(amount: Amount, cell: TableCell) -> bool:
    exact = replace(amount, place=0.0, round_place=0.0)
    return cell.value is not None and exact.match(cell.value, (cell.scale or 1.0,)) == "same"


def _counts_things(amount: Amount, cell: TableCell, said: Sequence[Token], rest: set[str]) -> bool:
    """ "5 shifts" are no hours."""
    behind = next((token for token in said if token.start >= amount.end), None)
    return (
        is_measured(cell.unit)
        and not amount.unit
        and behind is not None
        and behind.start <= amount.end + 1
        and behind.text in rest
    )


def speaks_of_more(named: Named, text: str, sentence: str, stated: list[Amount]) -> bool:
    """Of a change, a share, a plan or a condition; "from 5 to 6" is no change but two values."""
    text = _without_labels(text, named)
    if UNSURE.search(text):
        return True
    are_levels = all(_LEVEL.search(sentence[: amount.start]) for amount in stated)
    return bool(CHANGE.search(text)) and not are_levels


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
    return _joined(sentence, found)


def _joined(sentence: str, amounts: list[Amount]) -> list[Amount]:
    """ "7 hours and 30 minutes" is one amount."""
    found: list[Amount] = []
    for amount in amounts:
        last = found[-1] if found else None
        factor = ratio(amount.unit, last.unit) if last and last.unit and amount.unit else None
        if last and factor and factor < 1 and _AND_SMALLER.fullmatch(sentence, last.end, amount.start):
            value, place = last.value + factor * amount.value, factor * amount.place
            found[-1] = replace(last, value=value, place=place, round_place=place, end=amount.end)
        else:
            found.append(amount)
    return found


def _pieces(named: Named, sentence: str, stated: list[Amount], question: str) -> list[tuple[Amount, TableCell]]:
    """Each number with the cell that it is about; nothing where that is not plain."""
    if named.is_one:
        return [(amount, named.cells[0]) for amount in stated]
    if len(stated) == 1:
        return []
    by_part = list(_by_part(named.table, sentence, stated))
    return _in_order(named, f"{question} {sentence}", stated) or (by_part if len(by_part) == len(stated) else [])


def _in_order(named: Named, sentence: str, stated: list[Amount]) -> list[tuple[Amount, TableCell]]:
    """ "5 and 6 in 2019 and 2020 respectively"."""
    if "respectively" not in sentence.lower() or min(len(named.rows), len(named.columns)) != 1:
        return []
    words = spoken_tokens(sentence)[1]
    by_row = len(named.rows) > 1
    labels, places = (named.table.rows, named.rows) if by_row else (named.table.columns, named.columns)
    if len(places) != len(stated):
        return []
    own = {
        place: labels[place].words - frozenset().union(*(labels[p].words for p in places if p != place))
        for place in places
    }
    if not all(own.values()):
        return []
    held = dict(zip(places, named.cells, strict=True))
    ordered = sorted(places, key=lambda place: min(words.index(word) for word in own[place] if word in words))
    return [(amount, held[place]) for amount, place in zip(stated, ordered, strict=True)]


def _by_part(table: Table, sentence: str, stated: list[Amount]) -> Iterator[tuple[Amount, TableCell]]:
    """ "5 in 2019 and 6 in 2020": each part has a number and names a cell, with the help of the part before it."""
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    for amount, part in _parts(sentence, stated):
        named = named_in(table, spoken_tokens(part)[1])
        if not named.rows and (not named.columns or len(table.columns) == 1):
            return
        rows, columns = named.rows or rows, named.columns or columns
        if len(rows) != 1 or len(columns) != 1:
            return
        yield amount, table.cells[rows[0]][columns[0]]


def _parts(sentence: str, stated: list[Amount]) -> Iterator[tuple[Amount, str]]:
    """Cut at joints so that each part has one number; what has none goes with what follows, or ends the last."""
    start, waiting = 0, list(stated)
    for cut in (match.start() for match in _JOINTS.finditer(sentence)):
        here = [amount for amount in waiting if amount.start < cut]
        if len(here) == 1 and len(waiting) > 1:
            yield here[0], sentence[start:cut]
            start, waiting = cut, waiting[1:]
    if len(waiting) == 1:
        yield waiting[0], sentence[start:]


def _without_labels(text: str, named: Named) -> str:
    """Words of a label are no cues: "Change", "Less: tax", "Profit before other income"."""
    known = named.words | (named.table.around & _OFTEN_IN_TITLES)
    found, _ = spoken_tokens(text)
    for token in reversed(found):
        if token.text in known:
            text = f"{text[: token.start]}#{text[token.end :]}"
    return text


def _is_given_elsewhere(amount: Amount, named: Named, passage: str, is_plain: bool) -> bool:
    """The text around gives the number, or it follows from cells beside the named one.

    The number of another cell may follow as well by chance. That is none where the claim has a verb of its own, which
    may stand for a difference: "126 candidates failed".
    """
    if any(other.match(amount.value, THOUSANDS) == "same" for other in amounts_in_prose(passage)):
        return True
    lines = [*(named.table.cells[row] for row in named.rows), *zip(*named.table.cells, strict=True)]
    values = [[cell.value for cell in line if cell.value is not None and cell.kind != "date"] for line in lines]
    if is_plain and any(amount.match(value, THOUSANDS) == "same" for line in values for value in line):
        return False
    return any(amount.match(value, THOUSANDS) == "same" for line in values for value in results_of(line))


def _is_converted(amount: Amount, cell: TableCell, passage: str) -> bool:
    """Another currency than the cell's, which the passage knows as well."""
    if amount.kind not in CURRENCIES or amount.kind == cell.unit:
        return False
    is_headed = any(amount.kind == held.unit for table in tables_of(passage) for row in table.cells for held in row)
    return (bool(cell.unit) and is_headed) or any(amount.kind == other.kind for other in amounts_in_prose(passage))


@lru_cache(maxsize=2_000)
def amounts_in_prose(passage: str) -> tuple[Amount, ...]:
    return tuple(amounts_of(prose_of(passage)))
