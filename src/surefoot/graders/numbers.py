"""Do the numbers of a claim follow from its passages: from a cell of a table, as a sum, by a calculation, per period?

A claim that names the wrong row or column of the right table looks true to a model that reads words. A check that errs
on a true claim costs more than one that says nothing, so wherever a claim can be read in two ways this is silent.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import add, mul, sub, truediv

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.judges import Judgement
from surefoot.graders.lookup import (
    CHANGE,
    DIRECTIONS,
    UNSURE,
    Named,
    Says,
    goes_other_way,
    left_over,
    matched,
    named_in,
    results_of,
    signed,
    spoken_tokens,
)
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.claims import Claim
from surefoot.text.normal import sentences, terms, word_set
from surefoot.text.numbers import BEFORE, CURRENCIES, MOMENTS, ONES, THOUSANDS, Quantity, is_measured, quantities, ratio
from surefoot.text.tables import Table, TableCell, Token, prose_of, tables_of, units_of

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


VIA = "worked out"
MOST_SUMS = 60  # nobody shows more
_SURE, _RESTATED, _COVERED = 0.9, 0.8, 0.5
_CONSTANTS = frozenset({1.0, 2.0, 3.0, 4.0, 5.0, 12.0, 52.0, 100.0, 360.0, 365.0, 366.0})
_DOES = r"(?:calculat\w*|comput\w*|deriv\w*|determin\w*|find|obtain\w*|work(?:ed)? out|arrive at)"
_METHOD = re.compile(
    r"\b(?:is|are|can be|could be|would be|was|were|be) (?:\w+ )?"
    r"(?:calculated|computed|defined|derived|determined|found|obtained|expressed|worked out)\b"
    rf"|^\W*(?:in order )?to {_DOES}\b"
    r"|^\W*(?:(?:so|then|next|now|first|firstly|second|finally|therefore|thus),? )?(?:let us |let's |we|i|you)"
    r"(?: can| could| will| would| need to| must| first| then| also| now| have to)*"
    rf" (?:{_DOES}|divide|subtract|add|multiply|use|take|need|substitute|plug|apply|sum)\b"
    r"|\b(?:is|are|equals|means)\b[^.]*\b(?:divided by|minus|less|plus|multiplied by|as a (?:share|percentage|"
    r"proportion) of)\b|\bformula\b|\b(?:is|are) (?:an? )?(?:\w+ )?(?:measure|metric|indicator|ratio)s? (?:of|that|"
    r"which|used|for)\b|\bmeasures? (?:how|the|an?|what)\b|^\W*(?:substituting|plugging|using|inserting|dividing|"
    r"applying)\b|\b(?:follows|following|calculation|steps?)\b\W*$|[^\W\d_]\s*=\s*\W*[^\W\d_].*[/÷×*+−-]",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\b(?:ratios?|margins?|average|mean|chang\w*|growth|grew|grow|turnover|per ?cent\w*|rates?|totals?|sum|"
    r"differences?|increas\w*|decreas\w*|declin\w*|yields?|returns?|ebitda?|working capital|cash flow|outstanding|"
    r"conversion|combined|calculat\w*|comput\w*|round\w*|times|per|multiples?|share|proportion|profit|net|gross|"
    r"how much (?:more|less))\b|%",
    re.IGNORECASE,
)


class Working(Struct, frozen=True):
    """The sums of an answer. Claims are known by their place; `starts` says where each begins in the joined text."""

    claims: tuple[Claim, ...]
    starts: tuple[int, ...]
    sums: tuple[Calculation, ...]
    question: str
    asked: tuple[Quantity, ...]  # its numbers

    @property
    def results(self) -> list[Amount]:
        return [amount for one in self.sums if one.is_right for amount in one.results]

    def of(self, place: int) -> list[Calculation]:
        """The sums that stand in a claim, or that run through it."""
        start, end = self.starts[place], self.starts[place] + len(self.claims[place].text)
        return [one for one in self.sums if one.start < end and one.end > start]


def working_of(question: str, claims: Sequence[Claim]) -> Working:
    starts, at = [], 0
    for claim in claims:
        starts.append(at)
        at += len(claim.text) + 1
    text = "\n".join(claim.text for claim in claims)
    sums = calculations(text)
    kept = sums if len(sums) <= MOST_SUMS else ()
    return Working(tuple(claims), tuple(starts), kept, question, quantities(question))


def without_method(question: str, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Where an answer works something out, saying how is no claim about the documents."""
    if not calculations("\n".join(claim.text for claim in claims)):
        return tuple(claims)
    known = quantities(question)
    return tuple(claim for claim in claims if not _is_method(claim.text, known))


def with_sources(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """A line that is nothing but a sum cites what the sentence behind it cites, which draws on it."""
    found: list[Claim] = []
    for claim in reversed(claims):
        is_sum = not claim.citations and not terms(claim.text) and "=" in claim.text
        found.append(replace(claim, citations=found[-1].citations) if is_sum and found else claim)
    return tuple(reversed(found))


def _is_method(text: str, known: Sequence[Quantity]) -> bool:
    figures = [one for one in quantities(text) if one.kind not in MOMENTS and not _is_constant(one)]
    return all(any(one.agrees(other) for other in known) for one in figures) and bool(_METHOD.search(text))


def _is_constant(one: Quantity) -> bool:
    """ "/ 2", "* 100 %", "365 days" """
    return one.value in _CONSTANTS and (one.kind == "number" or one.value in (100.0, 365.0))


def worked_out(working: Working, place: int, passage: str) -> Judgement | None:
    """What the sums say of a claim and a passage; None where they leave it open."""
    sums = working.of(place)
    if any(one.is_wrong for one in sums):
        return Judgement("contradicted", _SURE, via=VIA)
    if not all(one.is_right for one in sums) or not working.results:
        return None
    there, claim = _values_of(passage), working.claims[place].text
    inputs = [amount for one in sums or working.sums if one.is_right for amount in one.operands]
    known = all(_is_known(amount, there, working) for amount in (*inputs, *_further(working, place, sums)))
    if not known or not _is_about(claim, working.question, passage):
        return None
    if not any(_is_written(amount, there) and not _is_constant(amount) for amount in inputs):
        return None
    new = [amount for amount in _figures(claim) if not _is_written(amount, there)]
    if not sums and not any(_is_among(amount, working.results) for amount in new):
        return None
    return Judgement("supported", _SURE if sums else _RESTATED, _nearest(passage, inputs), VIA)


def figures_written(passage: str, claim: str) -> bool:
    """Every figure of the claim, and it has some, is in the passage, rounded or in another scale; so are most words."""
    figures, own, there = _figures(claim), terms(claim), frozenset(terms(passage))
    values = _values_of(passage)
    is_near = sum(term in there for term in own) >= _COVERED * len(own)
    return bool(figures) and is_near and all(_is_written(amount, values) for amount in figures)


def _further(working: Working, place: int, sums: Sequence[Calculation]) -> list[Amount]:
    """The numbers of a claim that are in none of its sums."""
    start = working.starts[place]
    return [
        amount
        for amount in _figures(working.claims[place].text)
        if not any(one.start <= start + amount.start < one.end for one in sums)
    ]


def _is_about(claim: str, question: str, passage: str) -> bool:
    """A figure of the kind that is worked out, in words that question and passage know: no fee follows from a rent."""
    own, there = terms(claim), frozenset(terms(f"{question}\n{passage}"))
    covered = sum(term in there for term in own) >= _COVERED * len(own)
    return covered and bool(_WORKED_OUT.search(f"{question}\n{claim}"))


def _is_known(amount: Amount, there: frozenset[float], working: Working) -> bool:
    return (
        _is_constant(amount)
        or _is_written(amount, there)
        or _is_among(amount, working.results)
        or any(amount.agrees(other) for other in working.asked)
    )


def _is_among(amount: Amount, others: Sequence[Amount]) -> bool:
    """Rounded as either is written; "84.7 %" is "0.847" too, and a scale said once holds for what follows."""
    return any(
        abs(abs(amount.value) * factor - abs(other.value)) <= 0.5 * max(amount.place * factor, other.place) * (1 + 1e-9)
        for other in others
        for factor in _factors(amount, other)
    )


def _factors(one: Amount, other: Amount) -> tuple[float, ...]:
    if "%" in (one.kind, other.kind):
        return (1.0, 100.0, 0.01)
    if one.is_scaled == other.is_scaled:
        return (1.0,)
    return THOUSANDS if other.is_scaled else tuple(1 / scale for scale in THOUSANDS)


def _is_written(amount: Amount, there: frozenset[float]) -> bool:
    """In whatever scale: a statement in thousands says so once."""
    value = abs(amount.value)
    return any(round(value / scale, 6) in there or round(value * scale, 6) in there for scale in THOUSANDS) or any(
        amount.match(number, THOUSANDS) == "same" for number in there if amount.is_scaled
    )


def _figures(text: str) -> list[Amount]:
    return [amount for amount in amounts_of(text) if amount.kind not in MOMENTS]


@lru_cache(maxsize=1_000)
def _values_of(passage: str) -> frozenset[float]:
    return frozenset(round(abs(one.value), 6) for one in quantities(passage) if one.kind not in ("date", "time of day"))


def _nearest(passage: str, inputs: Sequence[Amount]) -> str:
    """The sentence or row that has most of what goes into the sum."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1]
    values = {amount.value for amount in inputs}
    best = max(units, key=lambda unit: len(values & {one.value for one in unit.quantities}), default=None)
    return best.text if best else ""


MOST_TEXT, MOST_TOKENS = 20_000, 200
_SHARES, _SCALES = (1.0, 100.0, 0.01), (1.0, 100.0, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9)
_MOST_CONSTANT = 366  # "/ 2", "* 100", "365 *"
_SIGNS = {
    "times": "*", "over": "/", "plus": "+", "minus": "-", "open": "(", "close": ")", "equals": "=", "line": "\n",
    "word": "w",
}  # fmt: skip
_PIECE = re.compile(
    r"(?P<times>\*(?!\*)|[×·∗]|\\(?:times|cdot)\b|\bx\b|\b(?:multiplied by|times)\b)"
    r"|(?P<over>[/÷]|\\div\b|\bdivided by\b)|(?P<plus>\+|\bplus\b)|(?P<minus>[-–−]|\bminus\b)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<equals>[=≈]|\\approx\b|\b(?:equals|comes to)\b|,? ?\bor (?=(?:about|roughly|approximately|around)\b))"
    rf"|(?P<skip>[ \t_`$€£¥~]+|\*\*|\\(?:[a-z]+|[^a-z])|(?:{BEFORE}) ?|%"
    r"|(?:thousand|million|billion|days|times|approximately|about|roughly|around|usd|eur)\b)|(?P<line>\n)|(?P<word>\S)",
    re.IGNORECASE,
)
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.Div: truediv,
}
_WRONG_BY, _RIGHT_BY, _ROUGHLY = 0.01, 0.003, 0.015


class Calculation(Struct, frozen=True):
    """Where it stands, the numbers that go in, those that come out, the last of which is the result."""

    start: int
    end: int
    operands: tuple[Amount, ...]
    results: tuple[Amount, ...]
    is_right: bool
    is_wrong: bool  # neither where it is close


class _Token(Struct, frozen=True):
    sign: str  # an operator, "n" for a number, "\n", or "w" for a word
    start: int
    end: int
    amount: Amount | None = None


@lru_cache(maxsize=2_000)
def calculations(text: str) -> tuple[Calculation, ...]:
    if len(text) > MOST_TEXT or not re.search(r"\d", text):
        return ()
    return tuple(found for run in _runs(_tokens(text)) if len(run) <= MOST_TOKENS for found in _chains(run))


def _comes_to(value: float, result: Amount, operands: Sequence[Amount]) -> float:
    """By what share the result misses the value; 0 where rounding, or a scale left out, explains it."""
    size = abs(result.value)
    factors = _SCALES if _is_scale_open(operands, result) else _SHARES
    off = min(abs(abs(value) * factor - size) for factor in factors)
    return 0.0 if off <= 0.6 * result.place else off / size if size else off


def _is_scale_open(operands: Sequence[Amount], result: Amount) -> bool:
    """Some of the numbers say that they are millions, and others do not."""
    said = {one.is_scaled for one in operands if one.is_scaled or one.value > _MOST_CONSTANT}
    if len(said) > 1 or (result.is_scaled and True not in said):
        return True
    return said == {True} and not result.is_scaled and result.value >= 1_000


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    for amount in [*amounts_of(text), None]:
        end = amount.start if amount else len(text)
        while at < end and (piece := _PIECE.match(text, at, end)):
            at = piece.end()
            if sign := _SIGNS.get(piece.lastgroup or ""):
                found.append(_Token(sign, piece.start(), at))
        if amount and amount.start >= at:
            is_number = amount.is_figure or amount.kind == "year"
            found.append(_Token("n" if is_number else "w", amount.start, amount.end, amount))
            at = amount.end
    return _without_markup(found, text)


def _without_markup(tokens: Sequence[_Token], text: str) -> list[_Token]:
    r"""LaTeX: "\frac{a}{b}" is a division, and "\text{ million}" leaves empty brackets behind."""
    found: list[_Token] = []
    for token in tokens:
        if token.sign == ")" and found and found[-1].sign == "(":
            found.pop()
            continue
        if text[token.start] == "{" and found and found[-1].end == token.start and text[token.start - 1] == "}":
            found.append(_Token("/", token.start, token.start))
        found.append(token)
    return found


def _runs(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """Numbers and signs with no word between them; a line that begins with "=" goes on with the one before it."""
    run: list[_Token] = []
    line_ends = False
    for token in [*tokens, _Token("w", 0, 0)]:
        if token.sign == "\n":
            line_ends = True
            continue
        if token.sign == "w" or (line_ends and not (token.sign == "=" and _is_begun(run))):
            if run:
                yield run
            run = []
        line_ends = False
        if token.sign != "w":
            run.append(token)


def _is_begun(run: Sequence[_Token]) -> bool:
    """A sum, and not the value of something else on the line before."""
    return sum(token.sign == "n" for token in run) > 1 or any(token.sign == "=" for token in run)


def _chains(run: Sequence[_Token]) -> Iterator[Calculation]:
    parts: list[list[_Token]] = [[]]
    for token in run:
        if token.sign == "=":
            parts.append([])
        else:
            parts[-1].append(token)
    values = [_value(part) for part in parts]
    if len(parts) == 1:
        yield from _explained(parts[0])
    for start, end in _stretches(values):
        yield from _chain(parts[start:end], [value for value in values[start:end] if value is not None])


def _stretches(values: Sequence[float | None]) -> Iterator[tuple[int, int]]:
    """Runs of parts that could be worked out."""
    start = 0
    for place, value in enumerate([*values, None]):
        if value is None:
            if place - start > 1:
                yield start, place
            start = place + 1


def _chain(parts: Sequence[list[_Token]], values: Sequence[float]) -> Iterator[Calculation]:
    numbers = [[token.amount for token in part if token.amount] for part in parts]
    if not any(len(part) > 1 for part in numbers):
        return
    operands = tuple(amount for part in numbers if len(part) > 1 for amount in part)
    results = tuple(part[0] for part in numbers if len(part) == 1)
    off = 0.0
    for place, part in enumerate(numbers[1:], 1):
        shown = part[0] if len(part) == 1 else None
        before = numbers[place - 1]
        gap = _comes_to(values[place - 1], shown, before) if shown else _gap(values[place - 1], values[place])
        limit = _ROUGHLY if shown and shown.is_rough else _RIGHT_BY
        off = max(off, gap if gap > limit else 0.0)
    yield Calculation(parts[0][0].start, parts[-1][-1].end, operands, results, off == 0.0, off > _WRONG_BY)


def _gap(one: float, other: float) -> float:
    """Between two expressions: the second may use rounded numbers."""
    off = min(abs(abs(one) * factor - abs(other)) for factor in _SCALES)
    return off / abs(other) if other else off


def _explained(part: Sequence[_Token]) -> Iterator[Calculation]:
    """ "$7,396 million ($7,838 million - $442 million)": right, or no sum at all."""
    for place, token in enumerate(part[:-1]):
        if token.amount is None or part[place + 1].sign != "(":
            continue
        close = _closing(part, place + 1)
        value = _value(part[place + 1 : close + 1]) if close else None
        inside = [one.amount for one in part[place + 1 : close or 0] if one.amount]
        if value is not None and close and len(inside) > 1 and _comes_to(value, token.amount, inside) <= _RIGHT_BY:
            yield Calculation(token.start, part[close].end, tuple(inside), (token.amount,), True, False)


def _closing(part: Sequence[_Token], place: int) -> int | None:
    depth = 0
    for at in range(place, len(part)):
        depth += {"(": 1, ")": -1}.get(part[at].sign, 0)
        if depth == 0:
            return at
    return None


def _value(part: Sequence[_Token]) -> float | None:
    """What an expression comes to, if it is one."""
    written = " ".join(repr(token.amount.value) if token.amount else token.sign for token in part)
    try:
        return _worked_out(ast.parse(written, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError):
        return None


def _worked_out(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=float() | int() as value):
            return float(value)
        case ast.BinOp(left, operation, right):
            return _OPERATIONS[type(operation)](_worked_out(left), _worked_out(right))
        case ast.UnaryOp(ast.USub(), operand):
            return -_worked_out(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _worked_out(operand)
    raise ValueError("a run of numbers and signs that cannot be worked out")


_IN_YEAR = {
    "hour": 8_760.0, "day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "season": 4.0,
    "year": 1.0, "decade": 0.1,
}  # fmt: skip
_PERIODS = "|".join(_IN_YEAR)
_ADVERBS = {
    "hourly": 8_760.0, "daily": 365.0, "nightly": 365.0, "weekly": 52.0, "fortnightly": 26.0, "monthly": 12.0,
    "quarterly": 4.0, "half-yearly": 2.0, "semi-annual": 2.0, "semi-annually": 2.0, "semiannually": 2.0,
    "annually": 1.0, "annual": 1.0, "yearly": 1.0, "biennial": 0.5, "biennially": 0.5,
}  # fmt: skip
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER = rf"\d+|{'|'.join(ONES)}"
_FREQUENCY = re.compile(
    rf"\b(?:(?P<adverb>{'|'.join(sorted(_ADVERBS, key=len, reverse=True))})"
    rf"|(?:(?:once )?every|once in) (?P<other>(?:other|second) )?(?:(?P<number>{_NUMBER})[ -])?(?P<period>{_PERIODS})s?"
    rf"|(?P<times>once|twice|(?:{_NUMBER}) times) (?:an?|per|each|every|in (?:an?|each|every)) (?P<of>{_PERIODS})"
    rf"|(?:each|per) (?P<each>{_PERIODS})|(?:every|each) (?P<weekday>{_WEEKDAY})|on (?:{_WEEKDAY})s)\b",
    re.IGNORECASE,
)
_CLOSE = 0.03


@lru_cache(maxsize=5_000)
def is_of_another_frequency(passage: str, claim: str) -> bool:
    said = {value for value, _, _ in _frequencies(claim)}
    if len(said) != 1 or _has_figures(claim):
        return False
    there = [value for value, _, _ in _frequencies(passage)]
    (own,) = said
    return bool(there) and not any(abs(own - value) <= _CLOSE * value for value in there)


def _has_figures(claim: str) -> bool:
    spans = [(start, end) for _, start, end in _frequencies(claim)]
    return any(not any(start <= one.start < end for start, end in spans) for one in amounts_of(claim))


@lru_cache(maxsize=5_000)
def _frequencies(text: str) -> tuple[tuple[float, int, int], ...]:
    return tuple((_times_a_year(match), *match.span()) for match in _FREQUENCY.finditer(text.lower()))


def _times_a_year(match: re.Match[str]) -> float:
    if match["adverb"]:
        return _ADVERBS[match["adverb"]]
    if match["times"]:
        times = {"once": 1.0, "twice": 2.0}.get(match["times"]) or _number(match["times"].split()[0])
        return times * _IN_YEAR[match["of"]]
    period = match["period"] or match["each"]
    if not period:
        return _IN_YEAR["week"]
    return _IN_YEAR[period] / (2.0 if match["other"] else _number(match["number"] or "1"))


def _number(written: str) -> float:
    return float(written if written.isdigit() else ONES.index(written)) or 1.0
