"""Does the cell that a claim names hold the number that the claim states?

A claim that names the wrong row or column of the right table looks true to a model that reads words. A check that errs
on a true claim costs more than one that says nothing, so wherever a claim can be read in two ways this is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Literal

from msgspec import Struct

from surefoot.graders.arithmetic import results_of
from surefoot.graders.naming import Named, left_over, named_in, says_other_year, spoken_tokens, words_named
from surefoot.graders.orders import DIRECTIONS, goes_other_way, order_check
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.labels import Token
from surefoot.text.quantities import CURRENCIES, dates_agree
from surefoot.text.sentences import sentences
from surefoot.text.table_cells import Cell
from surefoot.text.tables import Table, prose_of, tables_of

Says = Literal["agrees", "conflicts", "silent"]
_UNSURE = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|none|if|unless|would|could|should|might|(?<!\d )may(?! \d)|"
    r"expect\w*|forecast\w*|target\w*|plan(?:s|ned)?|budget\w*|estimat\w*|project(?:s|ed|ions?)|except|exclud\w*|"
    r"instead|rather|both|each|every|average\w*|mean|median|combined|together|altogether|in all|twice|double[sd]?|half|"
    r"third|triple[sd]?|times|ratio|multipl\w+|than|difference|gap|remaining|other|another|further|additional\w*|extra|"
    r"per|a (?:year|month|week|day|head)|less|plus|minus|sum|variation|variance|(?:under|over) budget)\b|n't\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|increas\w*|gr(?:ow|ew|own|owth|owing|ows)|gain\w*|climb\w*|jump\w*|surg\w*|improv\w*|"
    r"fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop\w*|reduc\w*|shrank|shrunk|lower\w*|rais\w*|cut|chang\w*|slip\w*|"
    r"up|down|added|lost|from(?= (?:[$€£]|about )?\d)|doubl\w*|halv\w*|higher|more|fewer|ahead|behind|above|below|"
    r"recover\w*|compared)\b",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"\b(?:from|to|at)\s+(?:about |roughly |nearly |almost )?(?:[$€£]|eur |usd |gbp )?$", re.IGNORECASE)
_OFTEN_IN_TITLES = frozenset(re.findall(r"\S+", "mean average median per target forecast budget planned estimated"))
_UNITS_IN_HEADINGS = ("hours", "minutes", "days")
_SCALES = (1.0, 1e3, 1e6, 1e9)
_JOINTS = re.compile(
    r";|,\s|\b(?:and|while|but|whereas|compared (?:with|to)|versus|vs\.?|to(?= (?:[$€£]|EUR |USD |GBP )?\d))\b",
    re.IGNORECASE,
)
MOST_CLAIM = 1_500


class CellCheck(Struct, frozen=True):
    says: Says
    is_whole: bool = False  # the claim says nothing beyond the cells that agree


SILENT = CellCheck("silent")


class _Said(Struct, frozen=True):
    """A sentence of a claim, or a piece of one, with what was said before it to read it with."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    before: tuple[str, ...]


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
        return CellCheck("agrees", all(check.is_whole for check in found))
    return SILENT


def _sentence_check(tables: Sequence[Table], passage: str, sentence: str, question: str) -> CellCheck:
    """What one table says; of several that speak, one that agrees is enough and conflicting ones must be alone."""
    found = [_table_check(table, passage, sentence, question) for table in tables]
    speaking = [check for check in found if check.says != "silent"]
    agreeing = [check for check in speaking if check.says == "agrees"]
    if agreeing:
        return max(agreeing, key=lambda check: check.is_whole)
    return speaking[0] if len(speaking) == 1 else SILENT


def _table_check(table: Table, passage: str, sentence: str, question: str) -> CellCheck:
    said, words = spoken_tokens(sentence)
    named = named_in(table, words)
    asked: tuple[str, ...] = ()
    if question and not (named.rows and named.columns):
        asked = spoken_tokens(question)[1]
        more = named_in(table, asked)
        named = Named(named.rows or more.rows, named.columns or more.columns)
    if not named.rows or not named.columns or _is_of_another_year(table, named, (*words, *asked)):
        return SILENT
    ordered = order_check(table, named, sentence, said) if not asked else "silent"
    if ordered != "silent":
        return CellCheck(ordered)
    return _values_check(table, named, passage, sentence, question if asked else "")


def _is_of_another_year(table: Table, named: Named, said: Sequence[str]) -> bool:
    """Years may also be what is held: "expires on 3 May 2026"."""
    holds_dates = any(table.cells[row][column].kind == "date" for row, column in product(named.rows, named.columns))
    return not holds_dates and says_other_year(table, named, said)


def _values_check(table: Table, named: Named, passage: str, sentence: str, question: str) -> CellCheck:
    """All numbers must be those of named cells, or one must be none of them; anything between is left open."""
    said, _ = spoken_tokens(sentence)
    stated = _values_said(table, named, sentence, said)
    cells = [table.cells[row][column] for row, column in product(named.rows, named.columns)]
    if not stated or len(stated) > len(cells) or any(amount.is_bound for amount in stated):
        return SILENT
    if _speaks_of_more(table, named, f"{question} {sentence}", sentence, stated):
        return SILENT
    spans = [(amount.start, amount.end) for amount in stated]
    if left_over(table, named, said, spans, also=DIRECTIONS) or _asks_for_more(table, named, question):
        return SILENT
    pieces = _pieces(table, named, sentence, stated, question)
    if any(len(held) != 1 for _, held in pieces):
        return SILENT
    matches = [_best_match(amount, held) for amount, held in pieces]
    rest = set(left_over(table, named, said, spans, loosely=False))
    if all(match == "same" for match in matches):
        is_open = rest & DIRECTIONS and (len(stated) != 2 or goes_other_way(sentence, stated))
        return SILENT if is_open else CellCheck("agrees", is_whole=not rest)
    if any(match in ("near", "unfit") for match in matches):
        return SILENT
    wrong = [amount for (amount, _), match in zip(pieces, matches, strict=True) if match == "other"]
    told = any(_is_told_elsewhere(amount, table, named, passage, rest <= DIRECTIONS) for amount in wrong)
    return SILENT if told else CellCheck("conflicts")


def _speaks_of_more(table: Table, named: Named, text: str, sentence: str, stated: list[Amount]) -> bool:
    """Of a change, a share, a plan or a condition; "from 5 to 6" is no change but two values."""
    text = _without_labels(text, table, named)
    if _UNSURE.search(text):
        return True
    are_levels = all(_LEVEL.search(sentence[: amount.start]) for amount in stated)
    return bool(_CHANGE.search(text)) and not are_levels


def _asks_for_more(table: Table, named: Named, question: str) -> bool:
    return bool(question) and bool(left_over(table, named, spoken_tokens(question)[0], (), loosely=False))


def _values_said(table: Table, named: Named, sentence: str, said: Sequence[Token]) -> list[Amount]:
    """The numbers of a sentence that are no part of a label."""
    labels = words_named(table, named)
    are_dates = any(table.cells[row][column].kind == "date" for row, column in product(named.rows, named.columns))
    found = []
    for amount in amounts_of(sentence):
        written = [token.text for token in said if amount.start <= token.start < amount.end]
        if amount.kind == "year" or (amount.kind == "date" and not are_dates) or (written and set(written) <= labels):
            continue
        found.append(amount)
    return found


def _pieces(
    table: Table, named: Named, sentence: str, stated: list[Amount], question: str
) -> list[tuple[Amount, list[Cell]]]:
    """Each number with the cells that it can be about: those its own part of the sentence names, if that is plain."""
    every = [table.cells[row][column] for row, column in product(named.rows, named.columns)]
    if len(stated) > 1 and not named.is_one:
        by_order = _in_order(table, named, f"{question} {sentence}", stated)
        if by_order:
            return by_order
        by_part = list(_by_part(table, sentence, stated))
        if len(by_part) == len(stated):
            return by_part
    return [(amount, every) for amount in stated]


def _in_order(table: Table, named: Named, sentence: str, stated: list[Amount]) -> list[tuple[Amount, list[Cell]]]:
    """ "5 and 6 in 2019 and 2020 respectively"."""
    if "respectively" not in sentence.lower() or min(len(named.rows), len(named.columns)) != 1:
        return []
    words = spoken_tokens(sentence)[1]
    labels = table.rows if len(named.rows) > 1 else table.columns
    places = named.rows if len(named.rows) > 1 else named.columns
    if len(places) != len(stated):
        return []
    own = {
        place: labels[place].words - frozenset().union(*(labels[p].words for p in places if p != place))
        for place in places
    }
    if not all(own.values()):
        return []
    ordered = sorted(places, key=lambda place: min(words.index(word) for word in own[place] if word in words))
    cells = [
        table.cells[place][named.columns[0]] if len(named.rows) > 1 else table.cells[named.rows[0]][place]
        for place in ordered
    ]
    return [(amount, [cell]) for amount, cell in zip(stated, cells, strict=True)]


def _by_part(table: Table, sentence: str, stated: list[Amount]) -> Iterator[tuple[Amount, list[Cell]]]:
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
        yield amount, [table.cells[rows[0]][columns[0]]]


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


def _best_match(amount: Amount, cells: Sequence[Cell]) -> str:
    """same, near or other; unfit where no cell has a value of the amount's kind."""
    found = {_match(amount, cell) for cell in cells}
    return next((match for match in ("same", "near", "other") if match in found), "unfit")


def _match(amount: Amount, cell: Cell) -> str:
    if cell.value is None or not _fits(amount.kind, cell.kind):
        in_heading = amount.kind in _UNITS_IN_HEADINGS and cell.kind == "number" and cell.value is not None
        return "same" if in_heading and amount.match(cell.value or 0.0) == "same" else "unfit"
    if cell.kind == "date":
        return "same" if dates_agree(amount.value, cell.value) else "other"
    if cell.kind == "number or %" and amount.kind in CURRENCIES and amount.match(cell.value, _SCALES) == "other":
        return "near"
    if "%" in (cell.kind, amount.kind) or cell.kind not in (*CURRENCIES, "number", "number or %"):
        return amount.match(cell.value)
    match = amount.match(cell.value, (1.0, cell.scale) if cell.scale else _SCALES)
    return "near" if match == "other" and amount.match(cell.value, _SCALES) != "other" else match


def _fits(said: str, held: str) -> bool:
    if held == "number or %":
        return said in ("%", "number", *CURRENCIES)
    if said == "number" or held == "number":
        return {said, held} <= {"number", *CURRENCIES} or (said == "number" and held not in ("date", "%"))
    return said == held


def _without_labels(text: str, table: Table, named: Named) -> str:
    """Words of a label are no cues: "Change", "Less: tax", "Profit before other income"."""
    known = words_named(table, named) | (table.around & _OFTEN_IN_TITLES)
    found, _ = spoken_tokens(text)
    for token in reversed(found):
        if token.text in known:
            text = f"{text[: token.start]}#{text[token.end :]}"
    return text


def _is_told_elsewhere(amount: Amount, table: Table, named: Named, passage: str, is_plain: bool) -> bool:
    """The text around says the number; or it follows from cells beside the named one.

    The number of another cell may follow as well by chance. That is none where the claim has a verb of its own, which
    may stand for a difference: "126 candidates failed".
    """
    if any(other.match(amount.value, _SCALES) == "same" for other in _amounts_in_prose(passage)):
        return True
    lines = [*(table.cells[row] for row in named.rows), *zip(*table.cells, strict=True)]
    values = [[cell.value for cell in line if cell.value is not None and cell.kind != "date"] for line in lines]
    if is_plain and any(amount.match(value, _SCALES) == "same" for line in values for value in line):
        return False
    return any(amount.match(value, _SCALES) == "same" for line in values for value in results_of(line))


@lru_cache(maxsize=2_000)
def _amounts_in_prose(passage: str) -> tuple[Amount, ...]:
    return tuple(amounts_of(prose_of(passage)))
