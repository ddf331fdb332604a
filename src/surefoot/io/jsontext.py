"""JSON as it is found in the wild: fast where it is clean, patient where it is not.

Every reader returns rows: (line, value), where the value of a row that cannot be read is a Problem.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from surefoot.types import Problem

Row = tuple[int, object]

# No NaN, and no integer so long that reading it would take for ever.
_PATIENT = json.JSONDecoder(
    parse_constant=lambda _: None, parse_int=lambda digits: int(digits) if len(digits) < 4_000 else None
)
SLICE_BYTES = 48 << 10

_DECODER = msgspec.json.Decoder()
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Repaired(msgspec.Struct):
    """A value that is usable only because something in its text was put right."""

    value: object
    repairs: str

    @property
    def note(self) -> str:
        return self.repairs or "a number too long to read was read as null"


def decode_lines(data: bytes, source: str, first_line: int) -> tuple[Sequence[int], list[object]]:
    """JSON lines: the line numbers and the values; blank lines are no rows."""
    try:
        values: list[object] = _DECODER.decode_lines(data)
    except _FAILURES:
        values = []
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    if len(values) == count:
        return range(first_line, first_line + count), values
    rows = list(_each_line(data, source, first_line))
    return [line for line, _ in rows], [value for _, value in rows]


def slices(data: bytes, first_line: int) -> Iterator[tuple[int, int, bytes]]:
    """Whole lines in pieces that fit a processor's cache: (first line, number of lines, bytes)."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at + SLICE_BYTES) + 1 or len(data)
        piece = data[at:end]
        count = piece.count(b"\n") + (not piece.endswith(b"\n"))
        yield first_line, count, piece
        first_line, at = first_line + count, end


def decode_document(data: bytes, source: str) -> Iterator[Row]:
    """The elements of a JSON array, or the objects of a pretty-printed file, with the lines they start on.

    A broken document gives what precedes the break.
    """
    try:
        elements = _ELEMENTS.decode(data)
    except (*_FAILURES, msgspec.ValidationError):
        yield from _patiently(data, source)
        return
    line, at = 1, 0
    for element in elements:
        raw = bytes(element)
        start = data.find(raw, at)
        line += data.count(b"\n", at, start)
        yield line, decode_one(raw, source, line)
        line += raw.count(b"\n")
        at = start + len(raw)


def decode_one(data: bytes, source: str, line: int) -> object:
    """One JSON value; Repaired when NaN, broken UTF-8 or lone surrogates had to be replaced; else a Problem."""
    try:
        return _DECODER.decode(data)
    except _FAILURES:
        pass
    text = data.decode("utf-8", "replace")
    try:
        value = _without_surrogates(_PATIENT.decode(text))
    except (ValueError, RecursionError) as error:
        return Problem("malformed", f"not valid JSON: {_short(error)}", source, line)
    return Repaired(value, _repairs(text))


def _each_line(data: bytes, source: str, first_line: int) -> Iterator[Row]:
    for line, raw in enumerate(data.split(b"\n"), first_line):
        if not raw.strip():
            continue
        try:
            values: Iterable[object] = _DECODER.decode_lines(raw)
        except _FAILURES:
            values = [decode_one(raw, source, line)]
        for value in values:
            yield line, value


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
            value = _without_surrogates(value)
        except (ValueError, RecursionError) as error:
            yield line, Problem("malformed", f"not valid JSON from here on: {_short(error)}", source, line)
            return
        repairs = _repairs(text[at:end])
        yield line, Repaired(value, repairs) if repairs else value
        at = end
    if in_array:
        yield line, Problem("malformed", "the array is not closed: the file looks cut off", source, line)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _repairs(text: str) -> str:
    found = []
    if "\ufffd" in text:
        found.append("broken UTF-8 replaced")
    if "\\ud" in text or "\\uD" in text:
        found.append("lone surrogates replaced")
    if "NaN" in text or "Infinity" in text:
        found.append("NaN or Infinity read as null")
    return ", ".join(found)


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _short(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).split(": line")[0]
