"""Answers as a log has them, to be monitored: what each is called, and which of them are new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from surefoot.core.types import Problem, Trace
from surefoot.io.rows import Row, rows_in
from surefoot.io.sources import Block, File, Lines, Values, cut, files_in, is_address
from surefoot.monitor.follow import Position, Tail

_NAMES = ("trace_id", "traceId", "request_id", "requestId", "run_id", "runId", "span_id", "message_id", "uuid")
# With one of these, two rows that are the same throughout are one answer; without, they may be two.
_TELLING = ("id", "ts", "timestamp", "time", "created", "created_at", "createdAt", "start_time", "startTime", "date")


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


def new_rows(path: str | Path, positions: dict[str, Position]) -> Iterator[Row]:
    """The rows of a log beyond the positions up to which its files were read, which are moved on behind rows taken.

    A log of lines is read as `--follow` reads it, also where it was rotated or cut. Anything else is read from its
    start: only the names of its answers tell then which were counted.
    """
    for found in files_in([path]):
        if not isinstance(found, File) or not (_is_of_lines(found) or is_known(found.path, positions)):
            yield from (row for block in cut(found) for row in rows_in(block))
            continue
        name = str(Path(found.path).resolve())
        with closing(Tail(Path(found.path), positions.get(name))) as tail:
            while (piece := tail.read()) is not None:
                yield from piece.rows(found.source)
                positions[name] = piece.position


def is_known(path: str | Path, positions: Mapping[str, Position]) -> bool:
    """Whether it was read before: then it may have been moved away, and the next one is not there yet."""
    return str(Path(path).resolve()) in positions


def _is_of_lines(found: File) -> bool:
    """Or empty still, as a log is that was just rotated."""
    if found.path == "-" or is_address(found.path) or not Path(found.path).is_file():
        return False
    if not Path(found.path).stat().st_size:
        return True
    first = next((block for block in cut(found) if not _is_note(block)), None)
    return isinstance(first, Lines) and bool(first.path)


def _is_note(block: Block) -> bool:
    return isinstance(block, Values) and all(isinstance(one, Problem) and one.kind == "note" for one in block.values)
