"""Claims about the order of a table's values: the most and the least, more and less, up and down.

They state no number that could be looked up, and only where the table alone decides is anything said.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from typing import Literal

from surefoot.graders.lookup import Named, in_unit_of, left_over, named_in, spoken_tokens
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.normal import word_set
from surefoot.text.table_cells import TableCell
from surefoot.text.tables import Label, Token, is_period, years_of

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
_HIGHEST = re.compile(
    r"\b(?:highest|largest|greatest|biggest)\b|\bthe most\b|\b(?:had|has|with|have) most\b", re.IGNORECASE
)
_LOWEST = re.compile(r"\b(?:lowest|smallest|fewest)\b|\bthe least\b(?! (?:\w+ly)\b)", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|higher|larger|greater|bigger)\b", re.IGNORECASE)
_FEWER = re.compile(r"\b(?:fewer|less|lower|smaller)\b", re.IGNORECASE)
_RISES = "rose risen increased increase increases grew grown climbed rise"
_FALLS = "fell fallen decreased decrease decreases declined decline declines dropped shrank fall drop"
_UP = re.compile(rf"\b(?:{'|'.join(_RISES.split())}|went up)\b", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{'|'.join(_FALLS.split())}|went down)\b", re.IGNORECASE)
DIRECTIONS = word_set(f"{_RISES} {_FALLS} went up down")
_OPEN = re.compile(
    r"\b(?:not|no|never|neither|nor|without|none|second|third|among|except|since|ever|all|every|each|both|only|average|"
    r"ratio|share|one of|joint|tied|any|rates?|faster|slower|steadily|then|again|recover\w*|but|although|though|while|"
    r"whereas|if|would|could|should|may|might|expect\w*|growth|change|margin|almost|nearly|twice|half|times|half|over|"
    r"improve\w*|loss(?:es)?|proportion|either|or|at least|at most|because|due|after|before|overall|net of|"
    r"compared|quarters?|nobody|false|untrue|wrongly)\b|n't\b",
    re.IGNORECASE,
)
_ORDER_WORDS = DIRECTIONS | word_set(
    """highest largest greatest biggest lowest smallest fewest most least more higher larger greater bigger fewer less
    lower smaller than out between"""
)
_BY = re.compile(
    r"\b(?:by|of|up|down|rose|fell|grew|increased|decreased|declined|dropped)\s+"
    r"(?:about |roughly |nearly |almost |around |approximately )?[$€£]?$",
    re.IGNORECASE,
)


def goes_other_way(sentence: str, amounts: Sequence[Amount]) -> bool:
    """ "fell from 5 to 6"."""
    is_up = bool(_UP.search(sentence))
    if len(amounts) != 2 or is_up == bool(_DOWN.search(sentence)):
        return False
    return (amounts[1].value > amounts[0].value) != is_up


def order_check(named: Named, sentence: str, said: Sequence[Token]) -> Says:
    labels = named.words
    if any(match.group().lower() not in labels for match in _OPEN.finditer(sentence)):
        return "silent"
    amounts = [amount for amount in amounts_of(sentence) if amount.kind not in ("year", "date") and not (
        {token.text for token in said if amount.start <= token.start < amount.end} <= labels
    )]  # fmt: skip
    if left_over(named, said, [(amount.start, amount.end) for amount in amounts], also=_ORDER_WORDS):
        return "silent"
    if " than " in sentence:
        return _comparison(named, sentence) if not amounts else "silent"
    if _HIGHEST.search(sentence) or _LOWEST.search(sentence):
        found = _superlative(named, sentence)
        return found if found == "conflicts" or not amounts else "silent"
    return _trend(named, sentence, amounts)


def _superlative(named: Named, sentence: str) -> Says:
    """Does the cell lead its column and its row? A claim seldom says which is meant, so they must not differ."""
    table, is_high = named.table, bool(_HIGHEST.search(sentence))
    if not named.is_one or is_high == bool(_LOWEST.search(sentence)):
        return "silent"
    row, column = named.rows[0], named.columns[0]
    if not is_period(table.columns[column]) and not _is_measured_by(table.columns[column], sentence):
        return "silent"
    down = [cells[column] for place, cells in enumerate(table.cells) if place == row or not table.rows[place].is_total]
    across = [
        cell for place, cell in enumerate(table.cells[row])
        if place == column or (is_period(table.columns[place]) and is_period(table.columns[column]))
    ]  # fmt: skip
    found = {_leads(table.cells[row][column], line, is_high) for line in (down, across) if len(line) > 1}
    if len(found) != 1 or not table.has_corner or table.rows[row].is_total:
        return "silent"
    decided = found.pop()
    return "silent" if decided is None else "agrees" if decided else "conflicts"


def _is_measured_by(column: Label, sentence: str) -> bool:
    """ "the most points", "the lowest moisture": what is compared stands behind the word."""
    match = _HIGHEST.search(sentence) or _LOWEST.search(sentence)
    behind = spoken_tokens(sentence[match.end() :])[1][:2] if match else ()
    return any(word in column.words for word in behind)


def _leads(cell: TableCell, line: list[TableCell], is_high: bool) -> bool | None:
    """None where the line does not decide: too short, gaps, mixed kinds, losses, or a tie."""
    values = [other.value for other in line if other.value is not None and other.kind == cell.kind]
    if cell.value is None or len(values) < max(2, len(line) - 1) or any(value < 0 for value in values):
        return None
    if cell.kind == "date":
        return None
    best = max(values) if is_high else min(values)
    return cell.value == best if values.count(best) == 1 else None


def _comparison(named: Named, sentence: str) -> Says:
    is_more = bool(_MORE.search(sentence))
    if (
        is_more == bool(_FEWER.search(sentence))
        or sentence.count(" than ") != 1
        or re.search(r"(?:more|less) than ", sentence)
    ):
        return "silent"
    cells = named.table.cells
    left, right = (named_in(named.table, spoken_tokens(part)[1]) for part in sentence.split(" than "))
    if len(left.rows) == len(right.rows) == 1 and left.rows != right.rows and len(named.columns) == 1:
        one, other = (cells[side.rows[0]][named.columns[0]] for side in (left, right))
    elif len(named.rows) == 1 and len(left.columns) == len(right.columns) == 1 and left.columns != right.columns:
        one, other = (cells[named.rows[0]][side.columns[0]] for side in (left, right))
    else:
        return "silent"
    return _compared(one, other, is_more)


def _compared(one: TableCell, other: TableCell, is_more: bool) -> Says:
    if one.value is None or other.value is None or one.kind != other.kind or min(one.value, other.value) < 0:
        return "silent"
    if one.value == other.value or one.kind == "date":
        return "silent"
    return "agrees" if (one.value > other.value) == is_more else "conflicts"


def _trend(named: Named, sentence: str, amounts: list[Amount]) -> Says:
    """Up or down from one year to another, by an amount that is given or not."""
    is_up = bool(_UP.search(sentence))
    if is_up == bool(_DOWN.search(sentence)) or len(named.rows) != 1 or len(named.columns) != 2:
        return "silent"
    years = [sorted(years_of(named.table.columns[place])) for place in named.columns]
    if any(len(one) != 1 for one in years) or years[0] == years[1]:
        return "silent"
    earlier, later = named.cells if years[0] < years[1] else reversed(named.cells)
    found = _compared(later, earlier, is_up)
    if found == "silent" or not amounts:
        return found
    by = len(amounts) == 1 and _BY.search(sentence[: amounts[0].start])
    return _by_amount(amounts[0], earlier, later, found) if by else "silent"


def _by_amount(amount: Amount, earlier: TableCell, later: TableCell, direction: Says) -> Says:
    """Percentages of percentages can be meant either way."""
    before, after = earlier.value or 0.0, later.value or 0.0
    change = abs(after - before)
    share = 100 * change / before if before else 0.0
    by_change = in_unit_of(amount, earlier, change) if amount.kind != "%" else None
    options = [] if amount.kind != "%" and not _is_share(earlier) else [share]
    options += [change] if _is_share(earlier) else []
    options += [share] if amount.kind == "number" and direction == "agrees" and not amount.unit else []
    matches = [by_change, *(amount.match(value) for value in options)]
    if "same" in matches:
        return direction
    is_near = "near" in matches or any(abs(amount.value - value) <= 0.01 * value for value in (*options, change))
    is_fit = amount.kind == "%" or by_change == "other"
    return "conflicts" if is_fit and not is_near and earlier.unit == later.unit else "silent"


def _is_share(cell: TableCell) -> bool:
    return "%" in (cell.kind, cell.kind.removeprefix("number or "))
