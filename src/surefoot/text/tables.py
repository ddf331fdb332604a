"""Small tables in a text: what stands in which row and column, and the words by which these are known.

Rows are lines with bars or tabs. What cannot be read with certainty is left out: a missed table costs less than a
misread one.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text.normal import is_row, phrase, terms, word_set
from surefoot.text.normal import sentences as sentences_of
from surefoot.text.numbers import (
    CURRENCIES,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    Quantity,
    currency_of,
    only_unit,
    quantities,
    unit_in,
)

_VALUE = re.compile(
    r"(?P<minus>[-–−+(]?)\s*(?P<money>us\$|[$€£¥]|eur|usd|gbp|chf)?\s*(?P<open>[-–−(]?)\s*"
    r"(?P<digits>\d{1,3}(?:[, \u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*"
    r"(?P<scale>k|m|mn|bn|thousand|million|billion)?\s*\)?\s*(?P<per>%|per ?cent|bps|pp)?\s*\)?\s*"
    r"(?P<after>[$€£¥]|eur|usd|gbp|chf)?"
)
_NOTE_MARK = re.compile(r"(?<=\S)\s*(?:\((?:\d|[a-z])\)|\[\w\]|[*†‡§¹²³]+)+\s*$", re.IGNORECASE)
_SCALES = ((1e3, phrase("thousands")), (1e6, phrase("millions")), (1e9, phrase("billions")))
_PERCENT = re.compile(r"%|\bper ?cent\b|\bpercentages?\b", re.IGNORECASE)
_PER_ONE = phrase("per_one")
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
    if match["per"] in ("bps", "pp") or (match["scale"] == "m" and not money):  # metres or millions
        return TableCell(kind="text")
    unit = kind if kind in CURRENCIES else ""
    return TableCell(-value if negative else value, kind, 1.0 if match["scale"] else 0.0, unit)


def _worded(text: str) -> TableCell:
    """One amount with its unit ("14 days", "3 May 2024"); a cell that says more is not read."""
    found = quantities(text)
    if len(found) != 1 or found[0].kind in ("number", "year") or len(text.split()) > 5 or re.search(r"\d:\d", text):
        return TableCell(kind="text")
    return TableCell(found[0].value, found[0].kind, unit=found[0].kind)


def _in_units(
    cells: list[list[TableCell]], labels: Sequence[str], columns: list[str], title: str
) -> tuple[tuple[TableCell, ...], ...]:
    """Cells with the kind and scale that their row, column or table has. Percentages are never in thousands; a bare
    number beside percentages may be one. In accounts only some cells bear the sign of the currency."""
    signs = {cell.kind for row in cells for cell in row} & CURRENCIES
    money = signs.pop() if len(signs) == 1 and _scale(title) else ""
    shares = [bool(_PERCENT.search(title)) or _are_shares(column) for column in zip(*cells, strict=True)]

    def in_unit(cell: TableCell, label: str, column: str, beside_shares: bool) -> TableCell:
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

    return tuple(
        tuple(
            in_unit(cell, label, column, of_shares or _are_shares(row))
            for cell, column, of_shares in zip(row, columns, shares, strict=True)
        )
        for label, row in zip(labels, cells, strict=True)
    )


def _are_shares(line: Sequence[TableCell]) -> bool:
    """Most are, or the first is: in accounts only the first and the last of a column bear the sign."""
    kinds = [cell.kind for cell in line if cell.value is not None]
    return bool(kinds) and (kinds[0] == "%" or 2 * kinds.count("%") >= len(kinds))


@lru_cache(maxsize=5_000)
def _scale(text: str) -> float:
    """0 where nothing is said."""
    return next((scale for scale, pattern in _SCALES if pattern.search(text)), 0.0)


_TOKEN = re.compile(
    r"\b(?:(?P<order>first|second|third|fourth) quarter|quarter (?P<number>one|two|three|four|[1-4]))\b"
    r"|[^\W_]+(?:['’][^\W\d_]+)?|%", re.IGNORECASE
)  # fmt: skip
_SKIPPED = word_set("a an the of in for and to by on at from with or as is are was were be been that its it s")
_FISCAL = re.compile(r"(?:fy|cy)'?(\d\d|\d{4})|(?:19|20)\d\d")
_SAME = {
    "percent": "%", "percentage": "%", "pct": "%", "1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth",
    **{name[:3].lower(): name.lower() for name in month_name if len(name) > 3}, "sept": "september",
}  # fmt: skip
_QUARTERS = ORDINALS | NUMBER_WORDS


class Token(Struct, frozen=True):
    text: str
    start: int
    end: int


@lru_cache(maxsize=5_000)
def tokens(text: str) -> tuple[Token, ...]:
    """What a text has to match labels with; offsets are those of the text."""
    found = list[Token]()
    for match in _TOKEN.finditer(text):
        quarter = (match["order"] or match["number"] or "").lower()
        word = f"q{_QUARTERS.get(quarter, quarter)}" if quarter else _form(match.group().lower())
        if word not in _SKIPPED:
            found.append(Token(word, *match.span()))
    return tuple(found)


@lru_cache(maxsize=20_000)
def _form(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    year = _FISCAL.fullmatch(word)
    if year:
        return f"20{year[1]}" if year[1] and len(year[1]) == 2 else year[1] or word
    if word in _SAME:
        return _SAME[word]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def words_of(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokens(text))


def is_year(token: str) -> bool:
    return len(token) == 4 and token.isdigit() and token[:2] in ("19", "20")


_GLUED_MARK = re.compile(r"(?<=[a-z]{3})\d\b")
_PERIOD = re.compile(r"[a-z.]*\W*(?:\d{1,2},? ?)?\W*(?:fy|cy)?'?(?:(?:19|20)\d\d|(?<=y)\d\d)\W*\w?\W*", re.IGNORECASE)
_RULE_LINE = re.compile(r"[\s|:+=-]+")
_COUNTED = re.compile(r"\d[\d.,]* (?:thousand|million|billion)")  # an amount of the text, not the unit of the table
_ASIDE = re.compile(r"\([^()]*\)")
MOST_LINES, MOST_CELLS, TITLE = 400, 60, 120


class Label(Struct, frozen=True):
    """`words` without what stands in brackets; `all_words` with it and with the heading of its section."""

    text: str
    words: frozenset[str]
    all_words: frozenset[str]


class Table(Struct, frozen=True):
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    around: frozenset[str]  # words of the title, the corner and headings over all columns
    years: frozenset[str]  # those that title and headings over all columns say


@lru_cache(maxsize=2_000)
def tables_of(passage: str) -> tuple[Table, ...]:
    if "|" not in passage and "\t" not in passage:
        return ()
    found = (_read_block(lead, lines) for lead, lines in _blocks(passage.splitlines()))
    return tuple(table for table in found if table)


def prose_of(passage: str) -> str:
    """What stands outside of rows."""
    return "\n".join(line for line in passage.splitlines() if not _is_row(line))


def cells_of(line: str, outer_bars: bool = True) -> list[str]:
    """The cells of a row; where rows do not stand between bars, a bar in front means an empty cell."""
    bar = "|" if "|" in line else "\t"
    line = line.strip() if bar == "|" else line.rstrip("\n")
    if outer_bars:
        line = line.strip("|")
    return [cell.strip().strip("*").strip() for cell in line.split(bar)]


def _is_row(line: str) -> bool:
    return "|" in line or "\t" in line.strip()


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Runs of rows with the text that leads to them; blank lines between title and rows do not matter."""
    lead: list[str] = []
    rows: list[str] = []
    for line in [*lines, ""]:
        if _is_row(line):
            rows.append(line)
            continue
        if rows:
            if 2 <= len(rows) <= MOST_LINES:
                yield " ".join(lead)[-250:], rows
            rows, lead = [], []
        if line.strip():
            lead = [*lead[-1:], line.strip()]


def _read_block(lead: str, lines: list[str]) -> Table | None:
    ruled = [place for place, line in enumerate(lines) if _RULE_LINE.fullmatch(line) and "-" in line]
    outer = all(line.strip().startswith("|") for line in lines)
    rows = [cells_of(line, outer) for place, line in enumerate(lines) if place not in ruled]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    size = ruled[0] if ruled and ruled[0] else _header_size(rows)
    if not 2 <= width <= MOST_CELLS or not rows[size:] or any(len(row) != width for row in rows[size:]):
        return None
    while size < len(rows) and _is_header(rows[size]):
        size += 1
    body = list(takewhile(lambda row: not _is_header(row), rows[size:]))  # behind it is another table
    return _filled(lead, [row for row in rows[:size] if len(row) == width], body) if body else None


def _is_header(row: list[str]) -> bool:
    """A row of nothing but periods and the like."""
    return (
        (not row[0] or bool(_ASIDE.fullmatch(row[0]))) and any(row[1:]) and all(map(_is_heading, filter(None, row[1:])))
    )


def _header_size(rows: list[list[str]]) -> int:
    """Rows before the first with values. Years, dates and units are headings as long as nothing else is in the row."""
    size = 0
    for row in rows:
        label, others = row[0], [cell for cell in row[1:] if cell]
        is_dated = len(row) == 2 and bool(label) and any(read_cell(cell).kind == "date" for cell in others)
        if is_dated or not all(map(_is_heading, others)):
            break
        is_titled = any(all(above[1:]) for above in rows[:size])
        if is_titled and label and not (others and _ASIDE.fullmatch(label)):
            break
        size += 1
    return size


def _is_heading(cell: str) -> bool:
    if _PERIOD.fullmatch(cell):
        return True
    read = read_cell(cell)
    return read.kind == "date" or (read.kind != "empty" and read.value is None)


def _filled(lead: str, header: list[list[str]], body: list[list[str]]) -> Table | None:
    width = len(body[0])
    columns, shared = _columns(header, width)
    title = _COUNTED.sub(" ", " ".join([lead, *shared]))
    labels, kept, section = [], [], ""
    for row in body:
        if row[0] and not any(row[1:]):
            section = row[0]
            continue
        labels.append(_label(row[0], section))
        kept.append(row[1:])
    cells = [[read_cell(cell) for cell in row] for row in kept]
    if not any(cell.value is not None for row in cells for cell in row):
        return None
    corner = next((row[0] for row in reversed(header) if row[0]), "")
    return Table(
        rows=_distinguished(labels),
        columns=tuple(_label(text) for text in columns),
        cells=_in_units(cells, [label.text for label in labels], columns, title),
        around=frozenset(word for word in words_of(f"{title} {corner}") if not word.isdigit()),
        years=frozenset(filter(is_year, words_of(" ".join([lead[-TITLE:], *shared])))),
    )


def _columns(header: list[list[str]], width: int) -> tuple[list[str], list[str]]:
    """The heading of each column, and what stands over all of them: the title, or a heading whose reach is unclear."""
    columns, shared = [""] * (width - 1), [row[0] for row in header if row[0]]
    for row in header:
        there = [cell for cell in row[1:] if cell]
        if len(there) == 1 and width > 2:
            shared += there
        elif len(there) == width - 1 or (there and row[1] and row is not header[-1]):
            columns = [f"{one} {other}".strip() for one, other in zip(columns, _carried_on(row[1:]), strict=True)]
        elif row is header[-1]:
            columns = [f"{one} {other}".strip() for one, other in zip(columns, row[1:], strict=True)]
        else:
            shared += there
    return columns, shared


def _carried_on(cells: list[str]) -> Iterator[str]:
    """A heading reaches up to the next one."""
    last = ""
    for cell in cells:
        last = cell or last
        yield last


def _label(text: str, section: str = "") -> Label:
    text = _GLUED_MARK.sub("", _NOTE_MARK.sub("", text)).strip(" :")
    core = words_of(_ASIDE.sub(" ", text) if _ASIDE.sub("", text).strip() else text)
    return Label(text, core, words_of(f"{text} {section}"))


def _distinguished(labels: list[Label]) -> tuple[Label, ...]:
    """Where labels differ only in brackets, what stands in these counts: "Bonds (EUR)", "Bonds (USD)"."""
    times = Counter(label.words for label in labels)
    return tuple(
        Label(label.text, words_of(label.text), label.all_words) if times[label.words] > 1 and label.words else label
        for label in labels
    )


def years_of(label: Label) -> frozenset[str]:
    return frozenset(word for word in label.all_words if is_year(word))


class Unit(Struct, frozen=True):
    """A sentence, two neighbours, or a row of a table."""

    text: str
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    is_row: bool
    sentences: tuple[str, ...]
    lead: tuple[Quantity, ...] = ()  # of the sentence that introduces a table


@lru_cache(maxsize=5_000)
def units_of(passage: str) -> tuple[Unit, ...]:
    """Sentences, pairs of neighbours, and table rows read with their headings."""
    lines = passage.splitlines()
    rows = [cells_of(line) for line in lines if is_row(line)]
    prose = sentences_of(" ".join(line for line in lines if not is_row(line)))
    alone = [_unit(piece.strip()) for piece in prose if piece.strip()]
    found = alone + [
        Unit(f"{one.text} {other.text}", one.terms | other.terms, one.quantities + other.quantities, False,
             one.sentences + other.sentences)
        for one, other in pairwise(alone)
    ]  # fmt: skip
    for cells in rows[1:]:
        if any(cell.strip("-: ") for cell in cells):
            read = ", ".join(f"{name} {value}" for name, value in zip(rows[0], cells, strict=False))
            found.append(_unit(read, is_row=True, lead=alone[0].text if alone else ""))
    return tuple(found)


def _unit(text: str, is_row: bool = False, lead: str = "") -> Unit:
    return Unit(text, frozenset(terms(f"{text} {lead}")), quantities(text), is_row, (text,), quantities(lead))
