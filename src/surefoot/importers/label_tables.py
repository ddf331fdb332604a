"""Tables of labels, as people keep them in spreadsheets: with a column for each axis, or for the axis and its value.

A row whose cells may be in the wrong columns is named with its line, and never used.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from surefoot.errors import UsageError
from surefoot.importers.annotators import WHO
from surefoot.importers.verdicts import quoted
from surefoot.rubric import Rubric
from surefoot.types import Problem

_JSON = (b"{", b"[")
NOTES = ("note", "reason")
_FIELDS = frozenset(
    {"question_id", "qid", "id", "axis", "value", "attempt", "at", "version", "run", "drawn", "rubric_sha256", "via",
     *WHO, *NOTES}
)  # fmt: skip
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = ",;\t"

Row = tuple[int, object]


def is_table(path: Path) -> bool:
    if path.suffix.lower() in (".csv", ".tsv"):
        return True
    if str(path) == "-" or path.suffix.lower() in (".jsonl", ".ndjson", ".json", ".gz", ".zst", ".parquet", ".pq"):
        return False
    with path.open("rb") as file:
        return not file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_JSON)


def table_rows(path: Path, rubric: Rubric, problems: list[Problem]) -> Iterator[Row]:
    content = path.read_bytes()
    try:
        text = content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason}", "save the table as CSV UTF-8") from error
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    fields, unused = _columns(path, reader, _FIELDS | {axis.name for axis in rubric.axes})
    if unused:
        listed = ", ".join(map(quoted, unused[:12]))
        problems.append(Problem("note", f"columns that are no part of a label are not read: {listed}", str(path), 1))
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            rows.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        problems.append(Problem("malformed", f"not valid CSV from here on: {error}", str(path), reader.line_num))
    signed = _signed_in(fields, rows)
    for line, cells in rows:
        if not any(cells):
            continue
        row = {field: cell for field, cell in zip(fields, cells, strict=False) if cell}
        gives_a_label = len(cells) == len(fields) or any(one_per_axis(row, rubric))
        if fault := _misfit(cells, fields, signed, gives_a_label=gives_a_label):
            problems.append(Problem("bad_label", fault, str(path), line))
        else:
            yield line, row


def _signed_in(fields: list[str], rows: list[tuple[int, list[str]]]) -> int:
    """The first column in which a row says who gave it; 0 where none does."""
    columns = (at for at, field in enumerate(fields) if field in WHO)
    return next((at for at in columns if any(cells[at] for _, cells in rows if at < len(cells) <= len(fields))), 0)


def _misfit(cells: list[str], fields: list[str], signed: int, *, gives_a_label: bool) -> str:
    """Why the cells of a row may be in the wrong columns; "" where they fit.

    Of too many cells nobody knows which is the one too many. Empty cells at the end of a row are left out by many
    programs; but a label that breaks off before it says who gave it, where others do, is half of a broken line.
    """
    told = f"has {len(cells)} cells, and the first line {len(fields)}"
    if len(cells) > len(fields):
        return f"{told}: put a cell with a separator in it into quotes"
    return f"{told}: it breaks off before {fields[signed]}" if gives_a_label and len(cells) <= signed else ""


def _columns(path: Path, reader: Iterator[list[str]], known: Collection[str]) -> tuple[list[str], list[str]]:
    """The fields that the first line means, and those of its names that mean none."""
    try:
        written = next(reader, [])
    except csv.Error as error:
        raise UsageError(f"{path} is not a table: {error}", "pass CSV with a header, or JSON lines") from error
    fields = [" ".join(name.split()).lower().replace(" ", "_") for name in written]
    if not {"question_id", "qid", "id"} & set(fields):
        raise UsageError(f"{path} has no column question_id", "let its first line name the columns")
    if twice := [name for name, count in Counter(filter(None, fields)).items() if count > 1]:
        raise UsageError(f"{path} has two columns {twice[0]}", "let each column have its own name")
    return fields, [name for name, field in zip(written, fields, strict=True) if field not in known]


def one_per_axis(row: object, rubric: Rubric) -> Iterator[object]:
    """A row of a wide table, taken apart; any other as it is."""
    if not isinstance(row, dict) or "axis" in row:
        yield from [row] if not isinstance(row, dict) or "value" in row else []
        return
    axes = [axis.name for axis in rubric.axes if axis.name in row]
    if not axes and "value" in row:
        yield row  # which axis is meant is asked where the row is read
    rest = {name: value for name, value in row.items() if name not in axes}
    yield from ({**rest, "axis": name, "value": row[name]} for name in axes if row[name] is not None)
