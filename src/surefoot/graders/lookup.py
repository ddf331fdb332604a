"""Which rows and columns of a table a sentence names, whether a number it states is the one that stands there, and the
words by which it speaks of a change or of other than a value as it stands.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text.amounts import Amount, Match
from surefoot.text.normal import word_set
from surefoot.text.numbers import (
    CURRENCIES,
    METRES_OR_MILLIONS,
    THOUSANDS,
    UNKNOWN,
    dates_agree,
    is_length,
    is_measured,
    ratio,
)
from surefoot.text.tables import Label, Table, TableCell, Token, is_year, tokens, years_of

_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten"
_MONTH = "|".join(month_name[1:])
# Words by which a claim speaks of other than a cell's value as it stands: a plan, a denial, a share, a change.
UNSURE = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|none|if|unless|would|could|should|might|(?<!\d )may(?! \d)|"
    r"expect\w*|forecast\w*|target\w*|plan(?:s|ned)?|budget\w*|estimat\w*|project(?:s|ed|ions?)|except|exclud\w*|"
    r"instead|rather|both|each|every|average\w*|mean|median|combined|together|altogether|in all|twice|double[sd]?|half|"
    r"third|triple[sd]?|times|ratio|multipl\w+|than|difference|gap|remaining|other|another|further|additional\w*|extra|"
    r"per|a (?:year|month|week|day|head)|less|plus|minus(?! \d+(?:\.\d+)? ?°)|sum|variation|variance|(?:under|"
    r"over) budget|nobody|nothing|no one|hardly|barely|scarcely|false|untrue|wrong(?:ly)?|incorrect\w*|deny|denie[sd]|"
    r"fail(?:s|ed)? to|short of|fraction|share|proportion|majority|minority|dozens?|pairs?|couple|(?:a|one|two|"
    r"three)[- ]quarters?|(?:two|three|four|five|six|seven|eight|nine)[- ](?:fifth|sixth|seventh|eighth|ninth|tenth)s|"
    r"a (?:fifth|sixth|seventh|eighth|ninth|tenth)|"
    rf"(?:\d+|{_SMALL}) (?:in|out of|of|in every|of every|out of every) "
    rf"(?:{_SMALL}|twenty|(?!(?:19|20)\d\d\b)\d+)(?! (?:{_MONTH})))\b|n't\b|\d ?/ ?\d|\d:\d|[½¼¾⅓⅔]",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|increas\w*|gr(?:ow|ew|own|owth|owing|ows)|gain\w*|climb\w*|jump\w*|surg\w*|improv\w*|"
    r"fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop\w*|reduc\w*|shrank|shrunk|lower\w*|rais\w*|cut|chang\w*|slip\w*|"
    r"up|down|added|lost|from(?= (?:[$€£]|about )?\d)|doubl\w*|halv\w*|higher|more|fewer|ahead|behind|above|below|"
    r"recover\w*|compared|smaller|larger|bigger|greater|longer|shorter|taller|heavier|lighter|deeper|wider|older|younger|"
    r"cheaper|dearer|better|worse|faster|slower|warmer|colder|(?:under|over)-?(?:spen|ran|run|shot|shoot|perform)\w*|"
    r"sav(?:ed?|es|ings?)|left|short|shrink\w*|exceed\w*|beat\w*|topp?(?:ed|s)|surpass\w*|outnumber\w*|outsold|trail\w*|led|leads?)\b",
    re.IGNORECASE,
)
Says = Literal["agrees", "conflicts", "silent"]
_RISES = "rose risen increased increase increases grew grown climbed rise"
_FALLS = "fell fallen decreased decrease decreases declined decline declines dropped shrank fall drop"
_UP = re.compile(rf"\b(?:{'|'.join(_RISES.split())}|went up)\b", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{'|'.join(_FALLS.split())}|went down)\b", re.IGNORECASE)
DIRECTIONS = word_set(f"{_RISES} {_FALLS} went up down")


def goes_other_way(sentence: str, amounts: Sequence[Amount]) -> bool:
    """ "fell from 5 to 6"."""
    is_up = bool(_UP.search(sentence))
    if len(amounts) != 2 or is_up == bool(_DOWN.search(sentence)):
        return False
    return (amounts[1].value > amounts[0].value) != is_up


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
# They stand where a verb can stand, and make another thing of what they belong to.
_QUALIFIES = word_set(
    """deferred adjusted restricted diluted unearned accrued discontinued continued unaudited restated weighted
    consolidated combined unrecognized unrecognised recognized recognised issued unused leased owned related"""
)
_LOOSE = 3  # words that may stand between those of a label
_EARLY = frozenset({"january", "february"})
_VERB = re.compile(
    r"\w{3,}ed|lent|sold|won|lost|drew|drawn|spent|paid|got|took|ran|out|"
    r"contain|pay|cost|spend|take|use|carry|sell|earn|employ|offer|serve|weigh|measure|produce|generate"
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
    return Named(table, _most_special(rows, table.rows, said), _columns(table, said))


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


def _most_special(hits: list[int], labels: Sequence[Label], said: Sequence[str]) -> tuple[int, ...]:
    """Without those whose words only stand in the label of another: "revenue" in "cost of revenue"."""
    counts = Counter(said)
    return tuple(
        place
        for place in hits
        if not any(
            labels[place].words < labels[other].words and not _said_again(labels[place], labels[other], counts)
            for other in hits
        )
    )


def _said_again(inner: Label, outer: Label, counts: Counter[str]) -> bool:
    """In part is enough to leave it open: "book and e-book loans"."""
    return any(counts[word] > (word in outer.words) for word in inner.words)


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
    return _most_special([place for place in places if _is_named(own[place], said)], columns, said)


def left_over(
    named: Named,
    said: Sequence[Token],
    amounts: Sequence[tuple[int, int]],
    loosely: bool = True,
    also: frozenset[str] = frozenset(),
) -> list[str]:
    """The words of a sentence that neither labels nor title have, nor are needed to speak of a cell."""
    known = named.words | named.table.years | named.table.around | _FRAME | also
    spare = _units(said, amounts) | _verbs(named, said) if loosely else set()
    return [
        token.text
        for place, token in enumerate(said)
        if token.text not in known
        and place not in spare
        and not any(start <= token.start < end for start, end in amounts)
    ]


def _units(said: Sequence[Token], amounts: Sequence[tuple[int, int]]) -> set[int]:
    """The places of the first words behind a number: "48 thousand visits"."""
    found = set()
    for _, end in amounts:
        behind = [place for place, token in enumerate(said) if end <= token.start <= end + 14]
        found.update(behind[:2])
    return found


def _verbs(named: Named, said: Sequence[Token]) -> set[int]:
    """What a row is said to have done; before the row's name it would be part of another name ("deferred revenue")."""
    rows = frozenset(word for place in named.rows for word in named.table.rows[place].all_words)
    labels = named.words
    found, is_behind = set(), False
    for place, token in enumerate(said):
        followed = place + 1 < len(said) and said[place + 1].text in rows
        if is_behind and not followed and _VERB.fullmatch(token.text) and token.text not in _QUALIFIES:
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
    return in_unit_of(amount, cell, cell.value)


def in_unit_of(amount: Amount, cell: TableCell, value: float) -> Match | None:
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


def _settled(amount: Amount, cell: TableCell, value: float) -> tuple[Amount, TableCell, float]:
    """ "(m)" is metres beside a length and millions otherwise, and so is "5m"."""
    in_text = cell.unit == METRES_OR_MILLIONS
    if in_text or (cell.unit == "m" and cell.scale == 1e6):
        if is_length(amount.unit):
            return amount, replace(cell, unit="m", scale=1.0), value / 1e6 if in_text else value
        cell = replace(cell, unit="")
    if amount.unit == METRES_OR_MILLIONS:
        amount = replace(amount.times(1e-6), unit="m") if is_length(cell.unit) else replace(amount, unit="")
    return amount, cell, value


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
