"""Files that are read whole and become rows: tables, as CSV or Excel, and OTLP exports as protobuf."""

from __future__ import annotations

import csv
import io
import itertools
import struct
import warnings
import zipfile
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from surefoot.io.extras import library
from surefoot.io.sources import LARGEST_DOCUMENT, LONGEST_LINE, Packed
from surefoot.types import Problem

Cells = Iterable[tuple[int, list[object]]]  # with the line they start on

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = ",\t;"
_LONGEST_CELL = 32_767  # of Excel, which cuts off what is longer
_IDS = ("traceId", "spanId", "parentSpanId")


def packed_rows(block: Packed) -> Iterator[tuple[int, object]]:
    """Rows and the lines they start on; what cannot be read is a Problem."""
    try:
        yield from _READERS[block.kind](block)
    except Exception as error:  # noqa: BLE001 - damaged files make these libraries fail in every way there is
        message = f"cannot be read: {str(error) or type(error).__name__}"
        yield 0, Problem("unreadable", message, block.source)


def _csv_rows(block: Packed) -> Iterator[tuple[int, object]]:
    text = block.content.decode("utf-16" if block.content.startswith(_UTF16) else "utf-8-sig", "replace")
    if "\ufffd" in text:
        yield 0, Problem("note", "broken UTF-8 replaced", block.source)
    csv.field_size_limit(LONGEST_LINE)
    yield from _table(_csv_cells(text), block.source)


def _csv_cells(text: str) -> Iterator[tuple[int, list[object]]]:
    first = text.lstrip().partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count))
    line = 1
    for cells in reader:
        yield line, [*cells]
        line = reader.line_num + 1


def _excel_rows(block: Packed) -> Iterator[tuple[int, object]]:
    """The first sheet; others are named."""
    unpacked = sum(entry.file_size for entry in zipfile.ZipFile(io.BytesIO(block.content)).infolist())
    if unpacked > LARGEST_DOCUMENT:
        raise ValueError("it unpacks to over 256 MiB; write JSON lines instead")
    with warnings.catch_warnings(action="ignore"):
        book = library("openpyxl", "excel").load_workbook(io.BytesIO(block.content), read_only=True, data_only=True)
        first, *others = book.worksheets
        if others:
            named = ", ".join(repr(sheet.title) for sheet in others[:5])
            yield 0, Problem("note", f"only the first sheet, {first.title!r}, is read, not {named}", block.source)
        yield from _table(enumerate(map(list, first.iter_rows(values_only=True)), 1), block.source)


def _table(rows: Cells, source: str) -> Iterator[tuple[int, object]]:
    """Each row below the first as an object; empty cells are no fields."""
    filled = ((line, cells) for line, cells in rows if any(_is_filled(cell) for cell in cells))
    _, first = next(filled, (0, []))
    names = ["" if name is None else str(name).strip() for name in first]
    if twice := [name for name, count in Counter(filter(None, names)).items() if count > 1]:
        yield 1, Problem("note", f"two columns are called {twice[0]!r}: the last one is read", source, 1)
    for line, cells in filled:
        if any(_is_filled(cell) for cell in cells[len(names) :]):
            message = "has more cells than the first line: put a cell with a separator into quotes"
            yield line, Problem("malformed", message, source, line)
            continue
        if any(isinstance(cell, str) and len(cell) == _LONGEST_CELL for cell in cells):
            yield line, Problem("note", "a cell is as long as Excel allows, and may be cut off", source, line)
        pairs = itertools.zip_longest(names, cells)
        yield line, {name: _value(cell) for name, cell in pairs if name and _is_filled(cell)}


def _is_filled(cell: object) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def _value(cell: object) -> object:
    """As JSON would have it: a date is a text."""
    return cell if isinstance(cell, (str, int, float)) else str(cell)


def _otlp_rows(block: Packed) -> Iterator[tuple[int, object]]:
    """One export, or several, each behind its length in four bytes, as the collector writes them."""
    traces = library("opentelemetry.proto.trace.v1.trace_pb2", "otlp")
    convert = library("google.protobuf.json_format", "otlp").MessageToDict
    for number, message in enumerate(_messages(block.content), 1):
        row: dict[str, Any] = convert(traces.TracesData.FromString(message))
        for spans in _lists(row, "resourceSpans", "scopeSpans", "spans"):
            spans.update({key: b64decode(spans[key]).hex() for key in _IDS if key in spans})
        yield number, row


def _messages(data: bytes) -> Iterator[bytes]:
    if data[:1] == b"\n":
        yield data
        return
    at = 0
    while at < len(data):
        if len(data) < at + 4 or len(data) < at + 4 + (size := struct.unpack_from(">I", data, at)[0]):
            raise ValueError("the file breaks off before its end")
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


def _lists(row: Mapping[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    for item in row.get(keys[0], ()):
        yield from _lists(item, *keys[1:]) if keys[1:] else [item]


_READERS = {"csv": _csv_rows, "excel": _excel_rows, "otlp": _otlp_rows}
