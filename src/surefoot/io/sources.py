"""Where rows come from: files, folders, addresses, compressed streams, Parquet, tables, stdin, Python objects.

A source is cut into blocks. A block is small and can be sent to another process, which reads its rows (`rows.py`), so
one machine, many processes or a cluster (`parts.py`) all run the same code.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from msgspec import Struct

from surefoot.errors import Incomplete, Unreachable, UsageError
from surefoot.io import places
from surefoot.io.compressed import UpToBreak, unpacked
from surefoot.io.extras import library
from surefoot.io.sniffing import is_document, is_table, not_json
from surefoot.io.writer import BYTE_ORDER_MARK
from surefoot.types import Problem

BLOCK_BYTES = 4 << 20
LONGEST_LINE = 16 << 20  # a longer line is named and skipped: it must not take the machine's memory
LARGEST_DOCUMENT = 256 << 20  # JSON arrays and pretty-printed JSON have to be read whole

TRACE_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".binpb")  # in a folder, tables may be anything
_TABLES = (".csv", ".tsv")
LOG_FORMATS = "JSON lines, JSON, CSV, an Excel or Parquet table, or OpenTelemetry spans"
_COMPRESSED = ("", ".gz", ".zst")
# OTLP as protobuf: resource spans, behind a length of four bytes where there are several exports.
_OTLP = re.compile(rb"(?:\x00[\x00-\xff]{3})?\x0a[\x80-\xff]{0,4}[\x00-\x7f][\x0a\x12]")


class Lines(Struct, frozen=True):
    """Whole lines: a part of a file, or `content` where the stream cannot be read twice."""

    source: str
    first_line: int
    content: bytes = b""
    path: str = ""
    start: int = 0
    size: int = 0

    def data(self) -> bytes:
        return places.read_range(self.path, self.start, self.size) if self.path else self.content


class Document(Struct, frozen=True):
    """A JSON array, or pretty-printed JSON."""

    source: str
    content: bytes


class Packed(Struct, frozen=True):
    """A file of another format that has to be read whole (`packed.py`)."""

    source: str
    kind: Literal["csv", "excel", "otlp"]
    content: bytes


class ParquetGroup(Struct, frozen=True):
    """One row group of a Parquet file; its rows are numbered from 1 through the file."""

    source: str
    path: str
    group: int
    first_row: int
    size: int = 0

    def rows(self) -> tuple[list[Problem], list[dict[str, object]]]:
        """A column with values that Python cannot hold is left out and named."""
        try:
            table = _parquet_file(self.path).read_row_group(self.group)
        except Incomplete:
            raise
        except Exception as error:  # noqa: BLE001 - pyarrow raises its own family, imported only here
            return [Problem("unreadable", f"damaged Parquet: {error}", self.source)], []
        columns, problems = {}, []
        for name, column in zip(table.column_names, table.columns, strict=True):
            try:
                columns[name] = column.to_pylist()
            except Exception as error:  # noqa: BLE001 - overflow, time zones, broken text: as many kinds as types
                problems.append(Problem("note", f"the column {name!r} cannot be read: {error}", self.source))
        names = list(columns)
        return problems, [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


class File(Struct, frozen=True):
    """A file that is yet to be cut into blocks, by whoever reads it; `-` is stdin."""

    source: str
    path: str


class Values(Struct, frozen=True):
    """Python values, numbered from 1, or the Problem that stands for a file without rows."""

    source: str
    values: list[object]


Block = Lines | Document | Packed | ParquetGroup | Values


def size_of_lines(paths: Iterable[str | Path]) -> int | None:
    """In bytes, of logs that are plain files of JSON lines; None if one is not."""
    files = [one.path for one in files_in(paths) if isinstance(one, File)]
    is_plain = all(path.endswith((".jsonl", ".ndjson")) and Path(path).is_file() for path in files)
    return sum(Path(path).stat().st_size for path in files) if is_plain else None


def check_logs(paths: Iterable[str | Path]) -> None:
    """A log that is named and not there is a slip of whoever named it."""
    for path in paths:
        if str(path) != "-" and not places.is_there(path):
            where = places.shown(path)
            raise UsageError(f"there is no log {where}", "pass a file or folder of logged answers, or - for stdin")


def blocks_from(paths: Iterable[str | Path]) -> Iterator[Block]:
    """All blocks of some files, folders, addresses and `-` (stdin), in the order given, folders by name."""
    for found in files_in(paths):
        yield from cut(found)


def files_in(paths: Iterable[str | Path]) -> Iterator[File | Values]:
    """What there is to cut, and what is wrong with the rest. Workers may have another current folder."""
    for path in chain.from_iterable(places.matching(path) or [path] for path in paths):
        if str(path) == "-":
            yield File("stdin", "-")
        elif not (places.is_there(path) and places.is_folder(path)):
            yield _file(path)
        elif places.is_address(path):
            yield from _files_of_folder([name for name in places.files_below(str(path)) if _is_trace(name)], path)
        else:
            yield from _files_of_folder(_walked(Path(path), closed := list[OSError]()), path, closed)


def _file(path: str | Path) -> File:
    return File(places.shown(path), str(path) if places.is_address(path) else str(Path(path).absolute()))


def _files_of_folder(
    files: Sequence[str | Path], folder: str | Path, closed: Iterable[OSError] = ()
) -> Iterator[File | Values]:
    for error in closed:
        yield _nothing("unreadable", f"cannot be read: {error.strerror}", places.shown(str(error.filename)))
    if not files:
        what = f"the folder holds no trace file ({', '.join(TRACE_SUFFIXES)})"
        yield _nothing("no_traces", what, places.shown(folder))
    yield from map(_file, files)


def _walked(folder: Path, closed: list[OSError]) -> list[Path]:
    files = []
    for where, _, names in os.walk(folder, onerror=closed.append):
        files += [Path(where, name) for name in names if _is_trace(name)]
    # No pipes, which nobody may be writing to; a link that leads nowhere is named when it is opened.
    return sorted(path for path in files if path.is_file() or not path.exists())


def _is_trace(name: str) -> bool:
    return name.endswith(tuple(suffix + compressed for suffix in TRACE_SUFFIXES for compressed in _COMPRESSED))


def cut(found: File | Block) -> Iterator[Block]:
    """A file that cannot be read, or breaks off, is a problem of that file and not of the run."""
    if not isinstance(found, File):
        yield found
        return
    try:
        yield from _blocks_of_file(found)
    except Unreachable:
        raise
    except (OSError, EOFError, zlib.error, Incomplete) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield _nothing("unreadable", f"cannot be read: {reason[:1].lower()}{reason[1:]}", found.source)


def _nothing(kind: str, message: str, source: str) -> Values:
    return Values(source, [Problem(kind, message, source)])


def _blocks_of_file(found: File) -> Iterator[Block]:
    source, path = found.source, found.path
    with _stdin() if path == "-" else places.opened(path) as file:
        magic = file.peek(4)[:4]
        if magic == b"PAR1":
            yield from _blocks_of_parquet(path, source)
        elif magic == b"PK\x03\x04":
            yield _whole(file, b"", source, "excel")
        elif stream := unpacked(file):
            yield from _blocks_up_to_break(stream, source)
        else:
            yield from _blocks_of_stream(file, source, path if path != "-" and places.can_be_cut(path) else "")


def _stdin() -> contextlib.AbstractContextManager[io.BufferedReader]:
    if sys.stdin is None:
        raise UsageError("there is no standard input to read", "pass a file instead of -")
    return contextlib.nullcontext(cast("io.BufferedReader", sys.stdin.buffer))


def _blocks_of_parquet(path: str, source: str) -> Iterator[Block]:
    if path == "-":
        raise Incomplete("a Parquet table has to be a file")
    try:
        metadata = _parquet_file(path).metadata
    except Incomplete:
        raise
    except Exception as error:
        raise Incomplete(f"damaged Parquet: {error}") from error
    first_row = 1
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield ParquetGroup(source, path, number, first_row, group.total_byte_size)
        first_row += group.num_rows


def _parquet_file(path: str) -> Any:  # noqa: ANN401 - of a package that has no types
    where = places.opened(path) if places.is_address(path) else path
    return library("pyarrow.parquet", "parquet").ParquetFile(where)


def _blocks_up_to_break(stream: UpToBreak, source: str) -> Iterator[Block]:
    """Half a table may look like a whole one; the rows before a break are what they are."""
    for block in _blocks_of_stream(io.BufferedReader(stream, 1 << 18), source):
        if stream.fault is None or isinstance(block, (Lines, Document)):
            yield block
    if stream.fault is not None:
        raise stream.fault


def _blocks_of_stream(stream: BinaryIO, source: str, path: str = "") -> Iterator[Block]:
    """Sniff the first block, then cut: JSON lines at line ends, anything else as one document."""
    head = stream.read(BLOCK_BYTES)
    body = head.removeprefix(BYTE_ORDER_MARK)
    if body.strip() and (kind := _other_format(body, source)):
        yield _whole(stream, head, source, kind)
        return
    if refusal := not_json(head, body):
        yield _nothing("unreadable", refusal, source)
        return
    if len(body) < len(head):
        yield Values(source, [Problem("note", "starts with a byte order mark, which was skipped", source, 1)])
    if not is_document(body):
        yield from _cut(stream, body, source, path, len(head) - len(body))
        return
    yield _whole(stream, body, source, "json")


def _whole(stream: BinaryIO, head: bytes, source: str, kind: Literal["json", "csv", "excel", "otlp"]) -> Block:
    """What cannot be cut. `head` is the part already read."""
    rest = stream.read(LARGEST_DOCUMENT)
    if len(rest) == LARGEST_DOCUMENT:
        return _nothing("unreadable", "has over 256 MiB in one piece: write JSON lines instead", source)
    return Document(source, head + rest) if kind == "json" else Packed(source, kind, head + rest)


def _other_format(body: bytes, source: str) -> Literal["csv", "otlp", ""]:
    name = source.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith(_TABLES):
        return "csv"
    if body.lstrip()[:1] not in (b"{", b"[", b'"') and _OTLP.match(body):
        return "otlp"
    return "csv" if not _is_trace(name) and is_table(body) else ""


def _cut(stream: BinaryIO, chunk: bytes, source: str, path: str, position: int) -> Iterator[Block]:
    """Blocks of whole lines. `position` is where `chunk`, the part already read, lies in the file."""
    line = 1
    while chunk:
        rest = b"" if chunk.endswith(b"\n") else stream.readline(LONGEST_LINE)
        too_long = len(rest) == LONGEST_LINE and not rest.endswith(b"\n")
        if too_long:
            kept = chunk[: chunk.rfind(b"\n") + 1]
            dropped = len(chunk) - len(kept) + len(rest) + _skip_line(stream)
            chunk, rest = kept, b""
        size = len(chunk) + len(rest)
        if size and not path:
            yield Lines(source, line, chunk + rest)
        elif size:
            yield Lines(source, line, path=path, start=position, size=size)
        position, line = position + size, line + line_ends(chunk) + line_ends(rest)
        if too_long:
            message = f"a line of over {LONGEST_LINE >> 20} MiB, too long to read, was skipped"
            yield Values(source, [Problem("malformed", message, source, line)])
            position, line = position + dropped, line + 1
        chunk = stream.read(BLOCK_BYTES)


def line_ends(data: bytes) -> int:
    """How many there are; `bytes.count` takes several times as long, a good part of all that reading a log takes."""
    import numpy as np  # noqa: PLC0415 - the process of a pipeline does without it

    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def _skip_line(stream: BinaryIO) -> int:
    """Read to the end of the line; how many bytes that were."""
    skipped = 0
    while part := stream.readline(BLOCK_BYTES):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped
