"""Answers as a log has them, to be monitored: what each is called, and which of them are new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from surefoot.io.rows import Row, decode_lines, decode_one, rows_in
from surefoot.io.sources import Lines, blocks_from
from surefoot.types import Problem, Trace

_NAMES = ("trace_id", "traceId", "request_id", "requestId", "run_id", "runId", "span_id", "message_id", "uuid")
# With one of these, two rows that are the same throughout are one answer; without, they may be two.
_TELLING = ("id", "ts", "timestamp", "time", "created", "created_at", "createdAt", "start_time", "startTime", "date")
_MARK_BYTES = 256


def name_of(row: object, trace: Trace, place: str = "") -> str:
    """What tells an answer from all others, also when it is delivered again: its own id, or else all that its row says.

    `place` is where the row stands, for logs that say neither who nor when: there every row is an answer of its own.
    """
    said: Mapping[str, Any] = row if isinstance(row, dict) else {}
    for key in _NAMES:
        if isinstance(found := said.get(key), (str, int)) and found != "":
            return str(found)
    whole = msgspec.json.encode(said or msgspec.to_builtins(trace), order="sorted", enc_hook=str)
    same = any(said.get(key) is not None for key in _TELLING)
    return sha256(whole).hexdigest() + ("" if same else place)


class Place(Struct, frozen=True):
    """How far a file of lines was read. `mark` is a digest of the bytes before, to know the file again by."""

    offset: int = 0
    line: int = 1
    mark: str = ""


def new_rows(path: str | Path, places: dict[str, Place]) -> Iterator[Row]:
    """The rows of a log beyond the places up to which its files were read, which are moved on.

    A file that was cut or begun anew is read from its start, and so is one that is not of lines: only the names of its
    answers tell then which were counted. A last line that is not whole waits for the next time.
    """
    for block in blocks_from([path]):
        if not (isinstance(block, Lines) and block.path):
            yield from rows_in(block)
            continue
        file = str(Path(block.path).resolve())
        place = places.get(file, Place())
        if place.mark != _mark(block.path, place.offset):
            place = Place()
        end = block.start + block.size
        if end <= place.offset:
            continue
        if place.offset < block.start:
            place = Place(block.start, block.first_line)
        data = _whole(Lines(block.source, 0, path=block.path, start=place.offset, size=end - place.offset).data())
        yield from decode_lines(data, block.source, place.line) if data else ()
        offset = place.offset + len(data)
        places[file] = Place(offset, place.line + data.count(b"\n"), _mark(block.path, offset))


def _whole(data: bytes) -> bytes:
    if data.endswith(b"\n"):
        return data
    lines = data[: data.rfind(b"\n") + 1]
    return lines if isinstance(decode_one(data[len(lines) :]).value, Problem) else data


def _mark(path: str, offset: int) -> str:
    if not offset:
        return ""
    with Path(path).open("rb") as file:
        file.seek(max(0, offset - _MARK_BYTES))
        return sha256(file.read(min(offset, _MARK_BYTES))).hexdigest()[:16]
