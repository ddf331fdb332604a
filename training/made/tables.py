"""Claims about the cells of a pipe or tab table: right ones, ones from another row or column, and unknown rows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from msgspec import Struct

_NUMBER = re.compile(r"^\(?-?[$€£]?\s*\(?-?\d[\d,]*(?:\.\d+)?\)?\s*%?\)?$")
_YEAR = re.compile(r"^(?:FY ?|fiscal (?:year )?)?(?:19|20)\d\d$", re.IGNORECASE)
_VAGUE = re.compile(r"^(?:total|other|net|subtotal|balance|thereafter|n/?a|others)?\W*$", re.IGNORECASE)


class Table(Struct, frozen=True):
    columns: tuple[str, ...]  # of the cells after the first
    rows: dict[str, tuple[str, ...]]


class TableClaim(Struct, frozen=True):
    kind: str
    label: str
    text: str


def is_table(text: str) -> bool:
    lines = text.strip("\n").split("\n")
    return len(lines) >= 3 and sum(" | " in line or line.count("\t") > 1 for line in lines) >= 0.7 * len(lines)


def parse_table(text: str) -> Table | None:
    cells = [[cell.strip() for cell in re.split(r"\t|\|", line)] for line in text.strip("\n").split("\n")]
    width = max(len(line) for line in cells)
    head = [
        line for line in cells[:4] if not line[0] or not any(_NUMBER.match(c) and not _YEAR.match(c) for c in line[1:])
    ]
    named = [line for line in head if len(line) == width and all(line[1:])]
    if not named or len(set(named[-1][1:])) < width - 1:
        return None
    labels = [line[0] for line in cells]
    rows: dict[str, tuple[str, ...]] = {}
    for line in cells:
        value_cells = line[1:]
        if len(line) != width or line in head or not all(_NUMBER.match(cell) for cell in value_cells):
            continue
        if labels.count(line[0]) == 1 and not _VAGUE.match(line[0]) and 3 <= len(line[0]) <= 70:
            rows[line[0].rstrip(":")] = tuple(_clean(cell) for cell in value_cells)
    return Table(tuple(named[-1][1:]), rows) if rows and width >= 2 else None


def _clean(cell: str) -> str:
    return re.sub(r"([$€£(])\s+", r"\1", cell)


def table_claims(text: str, others: list[str], rng: random.Random) -> Iterator[TableClaim]:
    """Claims about one table; `others` are names of rows of other tables."""
    table = parse_table(text)
    if table is None:
        return
    for name in rng.sample(sorted(table.rows), min(4, len(table.rows))):
        cells = table.rows[name]
        place = rng.randrange(len(cells))
        yield TableClaim("table_cell", "supported", _said(name, table.columns[place], cells[place], rng))
        for kind, value in _wrong_values(table, name, place, rng):
            yield TableClaim(kind, "contradicted", _said(name, table.columns[place], value, rng))
        yield from _comparison(table, name, rng)
        yield from _unknown(table, text, others, cells[place], table.columns[place], rng)


def _wrong_values(table: Table, name: str, place: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    true = table.rows[name][place]
    options = [("table_wrong_column", value) for value in table.rows[name]]
    options += [("table_wrong_row", cells[place]) for row, cells in table.rows.items() if row != name]
    options = [
        (kind, value) for kind, value in options if _amount(value) != _amount(true) and ("%" in value) == ("%" in true)
    ]
    if options:
        yield rng.choice(options)
    digits = [match for match in re.finditer(r"\d", true) if match[0] != "0"]
    if digits and rng.random() < 0.5:
        match = rng.choice(digits)
        new = rng.choice([digit for digit in "123456789" if digit != match[0]])
        yield "table_wrong_digit", true[: match.start()] + new + true[match.end() :]


def _amount(cell: str) -> float:
    value = float(re.sub(r"[^\d.]", "", cell) or 0)
    return -value if "(" in cell or "-" in cell else value


def _said(name: str, column: str, value: str, rng: random.Random) -> str:
    options: tuple[str, ...]
    subject = name if name[:2].isupper() else name[0].lower() + name[1:]
    if _YEAR.match(column):
        year = column
        options = (
            f"{name} was {value} in "
            f"{year}.", f"In {year}, {subject} was {value}.", f"The {subject} for {year} was {value}.",
            f"{name} amounted to {value} in {year}.", f"For {year}, the table shows {value} for {subject}.",
            f"{name} stood at {value} in {year}.", f"The value reported for {subject} in {year} is {value}.",
        )  # fmt: skip
    else:
        options = (
            f"{name} was {value} for "
            f"{column}.", f"Under {column}, {subject} is {value}.", f"The {column} figure for {subject} is {value}.",
            f"The table gives {value} as the {column} value of {subject}.", f"For {subject}, {column} was {value}.",
        )  # fmt: skip
    return rng.choice(options)


def _comparison(table: Table, name: str, rng: random.Random) -> Iterator[TableClaim]:
    """Whether the row rose or fell between two years."""
    years = [(int(column[-4:]), place) for place, column in enumerate(table.columns) if _YEAR.match(column)]
    if len(years) < 2 or len({year for year, _ in years}) != len(years):
        return
    (early, before), (late, after) = sorted(rng.sample(years, 2))
    first, second = _amount(table.rows[name][before]), _amount(table.rows[name][after])
    if first == second or min(first, second) < 0:
        return
    rose = second > first
    right = rng.random() < 0.5
    up = rose if right else not rose
    word, than = ("increased", "higher") if up else ("decreased", "lower")
    text = rng.choice((
        f"{name} {word} from {early} to {late}.", f"{name} was {than} in {late} than in {early}.",
        f"Between {early} and {late}, {name} {word}.",
        f"{name} {word} from {table.rows[name][before]} in {early} to {table.rows[name][after]} in {late}.",
    ))  # fmt: skip
    yield TableClaim("table_trend", "supported" if right else "contradicted", text)


def _unknown(
    table: Table, text: str, others: list[str], value: str, column: str, rng: random.Random
) -> Iterator[TableClaim]:
    absent = [name for name in others if name.lower() not in text.lower()]
    if absent and rng.random() < 0.4:
        yield TableClaim("table_unknown_row", "not_enough", _said(rng.choice(absent), column, value, rng))
    elif _YEAR.match(column) and rng.random() < 0.3:
        years = [int(name[-4:]) for name in table.columns if _YEAR.match(name)]
        year = str(rng.choice((min(years) - rng.choice((1, 2)), max(years) + rng.choice((1, 2)))))
        if year not in text:
            name = rng.choice(sorted(table.rows))
            yield TableClaim("table_unknown_year", "not_enough", _said(name, year, value, rng))


def drawn(text: str, rng: random.Random) -> str:
    """The table as it is, with outer pipes, or with tabs."""
    draw = rng.random()
    if draw < 0.25:
        return "\n".join(f"| {line.strip(' |')} |" if line.strip() else line for line in text.split("\n"))
    if draw < 0.4:
        return text.replace(" | ", "\t")
    return text
