"""Rows of every source through one loop, and JSON as it is found: fast where it is clean, patient where it is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from surefoot.io.kinds import BadRow
from surefoot.io.packed import packed_rows
from surefoot.io.sources import Block, Document, Lines, Packed, ParquetGroup, blocks_from
from surefoot.io.writer import UNREADABLE
from surefoot.types import Problem, without_surrogates

Kind = TypeVar("Kind")

# No NaN, and no integer so long that reading it would take for ever.
_PATIENT = json.JSONDecoder(
    parse_constant=lambda _: None, parse_int=lambda digits: int(digits) if len(digits) < 4_000 else None
)
_DECODER = msgspec.json.Decoder()
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])


class Row(NamedTuple):
    """A value and where it stands. What cannot be read is a Problem; `repairs` were needed to read the rest."""

    source: str
    line: int
    value: object
    repairs: str = ""


def read_rows(paths: Iterable[str | Path]) -> Iterator[Row]:
    """All rows of files, folders or `-` (stdin), in order."""
    for block in blocks_from(paths):
        yield from rows_in(block)


def usable(rows: Iterable[Row], problems: list[Problem]) -> Iterator[Row]:
    """The rows that could be read; the others, and notes on repairs, go to `problems`."""
    for row in rows:
        if isinstance(row.value, Problem):
            problems.append(row.value)
            continue
        if row.repairs:
            problems.append(Problem("note", row.repairs, row.source, row.line))
        yield row


def converted(
    rows: Iterable[Row], convert: Callable[[object], Kind], fault: str, problems: list[Problem]
) -> Iterator[tuple[Row, Kind]]:
    """What `convert` makes of each row; one with which it cannot is a problem of the kind `fault`."""
    for row in usable(rows, problems):
        try:
            yield row, convert(row.value)
        except BadRow as error:
            problems.append(Problem(error.kind or fault, str(error), row.source, row.line))


def rows_in(block: Block) -> Iterable[Row]:
    """The rows of one block, in whatever process."""
    source = block.source
    if isinstance(block, Lines):
        return decode_lines(block.data(), source, block.first_line)
    if isinstance(block, Document):
        return _document_rows(block.content, source)
    if isinstance(block, Packed):
        return [Row(source, line, value) for line, value in packed_rows(block)]
    if isinstance(block, ParquetGroup):
        problems, values = block.rows()
        rows = [Row(source, line, value) for line, value in enumerate(values, block.first_row)]
        return [*(Row(source, 0, problem) for problem in problems), *rows]
    return [Row(source, line, value) for line, value in enumerate(block.values, 1)]


def decode_lines(data: bytes, source: str, first_line: int) -> list[Row]:
    """JSON lines; blank lines are no rows."""
    try:
        values: list[object] = _DECODER.decode_lines(data)
    except UNREADABLE:
        values = []
    if len(values) == data.count(b"\n") + (not data.endswith(b"\n")):
        return [Row(source, line, value) for line, value in enumerate(values, first_line)]
    return list(_each_line(data, source, first_line))


def _document_rows(data: bytes, source: str) -> Iterable[Row]:
    """The elements of a JSON array, or the objects of a pretty-printed file, with the lines they start on.

    A broken document gives what precedes the break.
    """
    try:
        return _element_rows(_ELEMENTS.decode(data), data, source)
    except UNREADABLE:
        rows = list(_patiently(data, source))
    is_none = bool(rows) and all(isinstance(row.value, Problem) for row in rows)  # no document after all
    return decode_lines(data, source, 1) if is_none else rows


def _element_rows(elements: Iterable[msgspec.Raw], data: bytes, source: str) -> Iterator[Row]:
    line, at = 1, 0
    for element in elements:
        raw = bytes(element)
        start = data.find(raw, at)
        line += data.count(b"\n", at, start)
        yield decode_one(raw, source, line)
        line += raw.count(b"\n")
        at = start + len(raw)


def decode_one(data: bytes, source: str = "", line: int = 0) -> Row:
    """One JSON value, also where NaN, broken UTF-8 or lone surrogates have to be replaced."""
    try:
        return Row(source, line, _DECODER.decode(data))
    except UNREADABLE:
        text = data.decode("utf-8", "replace")
    try:
        value = without_surrogates(_PATIENT.decode(text))
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not valid JSON: {_short(error)}", source, line)
    return Row(source, line, value, _repairs(text) or "a number too long to read was read as null")


def _each_line(data: bytes, source: str, first_line: int) -> Iterator[Row]:
    for line, raw in enumerate(data.split(b"\n"), first_line):
        if not raw.strip():
            continue
        try:
            yield from [Row(source, line, value) for value in _DECODER.decode_lines(raw)]
        except UNREADABLE:
            yield decode_one(raw, source, line)


def _unreadable(message: str, source: str, line: int) -> Row:
    return Row(source, line, Problem("malformed", message, source, line))


def _patiently(data: bytes, source: str) -> Iterator[Row]:
    text = data.decode("utf-8", "replace")
    at = _skip(text, 0, " \t\r\n")
    in_array = text.startswith("[", at)
    at, line, counted = at + in_array, 1, 0
    while True:
        at = _skip(text, at, " \t\r\n,")
        line, counted = line + text.count("\n", counted, at), at
        if at >= len(text):
            break
        if text[at] == ("]" if in_array else "["):  # one array may follow another
            in_array, at = not in_array, at + 1
            continue
        try:
            value, end = _PATIENT.raw_decode(text, at)
            value = without_surrogates(value)
        except (ValueError, RecursionError) as error:
            yield _unreadable(f"not valid JSON from here on: {_short(error)}", source, line)
            return
        yield Row(source, line, value, _repairs(text[at:end]))
        at = end
    if in_array:
        yield _unreadable("the array is not closed: the file looks cut off", source, line)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _repairs(text: str) -> str:
    found = list[str]()
    if "\ufffd" in text:
        found.append("broken UTF-8 replaced")
    if "\\ud" in text or "\\uD" in text:
        found.append("lone surrogates replaced")
    if "NaN" in text or "Infinity" in text:
        found.append("NaN or Infinity read as null")
    return ", ".join(found)


def _short(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).split(": line")[0].removesuffix(" at").removesuffix(" starting")
