"""Where rows come from: files, folders, compressed streams, Parquet, stdin, Python objects.

A source is cut into blocks. A block is small, can be sent to another process, and reads its own rows, so one
machine, many processes or a cluster all run the same code.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Protocol

import zstandard
from msgspec import Struct

from surefoot.errors import Incomplete, UsageError
from surefoot.io import jsontext
from surefoot.io.compressed import open_zst
from surefoot.types import Problem

BLOCK_BYTES = 4 << 20
LONGEST_LINE = 16 << 20  # a longer line is named and skipped: it must not take the machine's memory
LARGEST_DOCUMENT = 256 << 20  # JSON arrays and pretty-printed JSON have to be read whole

TRACE_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_COMPRESSED = ("", ".gz", ".zst")


class Block(Protocol):
    """Some rows of one source, with the line each starts on; a value may be a Problem instead."""

    @property
    def source(self) -> str: ...

    def rows(self) -> tuple[Sequence[int], list[object]]: ...


class FileRange(Struct, frozen=True):
    """Whole lines of an uncompressed file."""

    source: str
    path: str
    start: int
    size: int
    first_line: int

    def data(self) -> bytes:
        with Path(self.path).open("rb") as file:
            file.seek(self.start)
            return file.read(self.size)

    def rows(self) -> tuple[Sequence[int], list[object]]:
        return jsontext.decode_lines(self.data(), self.source, self.first_line)


class Lines(Struct, frozen=True):
    """Whole lines of a stream that cannot be read twice."""

    source: str
    content: bytes
    first_line: int

    def data(self) -> bytes:
        return self.content

    def rows(self) -> tuple[Sequence[int], list[object]]:
        return jsontext.decode_lines(self.content, self.source, self.first_line)


class Values(Struct, frozen=True):
    """Rows that are already Python values."""

    source: str
    lines: list[int]
    values: list[object]

    def rows(self) -> tuple[Sequence[int], list[object]]:
        return self.lines, self.values


class ParquetGroup(Struct, frozen=True):
    """One row group of a Parquet file; its rows are numbered from 1 through the file."""

    source: str
    path: str
    group: int
    first_row: int

    def rows(self) -> tuple[Sequence[int], list[object]]:
        lines, values = _parquet_rows(self)
        return lines, values


def blocks_from(paths: Iterable[str | Path]) -> Iterator[Block]:
    """All blocks of some files, folders and `-` (stdin), in the order given, folders by name."""
    for path in paths:
        if str(path) == "-":
            if sys.stdin is None:
                raise UsageError("there is no standard input to read", "pass a file instead of -")
            yield from _blocks_of_stream(sys.stdin.buffer, "stdin")
        elif Path(path).is_dir():
            yield from _blocks_of_folder(Path(path))
        else:
            yield from _guarded(Path(path))


def _blocks_of_folder(folder: Path) -> Iterator[Block]:
    suffixes = tuple(suffix + compressed for suffix in TRACE_SUFFIXES for compressed in _COMPRESSED)
    files, closed = [], list[OSError]()
    for where, _, names in os.walk(folder, onerror=closed.append):
        files += [Path(where, name) for name in names if name.endswith(suffixes) and Path(where, name).is_file()]
    for error in closed:
        yield _nothing("unreadable", f"cannot be read: {error.strerror}", Path(str(error.filename)))
    if not files:
        yield _nothing("no_traces", f"the folder holds no trace file ({', '.join(TRACE_SUFFIXES)})", folder)
    for file in sorted(files):
        yield from _guarded(file)


def _guarded(path: Path) -> Iterator[Block]:
    """A file that cannot be read, or breaks off, is a problem of that file and not of the run."""
    try:
        yield from _blocks_of_file(path)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError, Incomplete) as error:
        reason = getattr(error, "strerror", None) or str(error)
        yield _nothing("unreadable", f"cannot be read: {reason[:1].lower()}{reason[1:]}", path)


def _nothing(kind: str, message: str, path: Path) -> Values:
    return Values(_name(path), [0], [Problem(kind, message, _name(path))])


def _name(path: Path) -> str:
    """A path as it can be printed: names need not be text."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _blocks_of_file(path: Path) -> Iterator[Block]:
    source = _name(path)
    with path.open("rb") as file:
        magic = file.peek(4)[:4]
        if magic == b"PAR1":
            yield from _blocks_of_parquet(path)
        elif magic[:2] == b"\x1f\x8b":
            yield from _blocks_of_stream(gzip.GzipFile(fileobj=file), source)
        elif magic == b"\x28\xb5\x2f\xfd":
            yield from _blocks_of_stream(open_zst(file), source)
        else:
            yield from _blocks_of_stream(file, source, path if path.is_file() else None)


def _blocks_of_parquet(path: Path) -> Iterator[Block]:
    parquet = _pyarrow_parquet()
    try:
        metadata = parquet.ParquetFile(path).metadata
    except Exception as error:
        raise Incomplete(f"damaged Parquet: {error}") from error
    first_row = 1
    for group in range(metadata.num_row_groups):
        yield ParquetGroup(_name(path), str(path), group, first_row)
        first_row += metadata.row_group(group).num_rows


def _blocks_of_stream(stream: BinaryIO | gzip.GzipFile, source: str, path: Path | None = None) -> Iterator[Block]:
    """Sniff the first block, then cut: JSON lines at line ends, anything else as one document."""
    head = stream.read(BLOCK_BYTES)
    skipped = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    body = head[skipped:]
    if refusal := _not_json(head, body):
        yield _nothing("unreadable", refusal, Path(source))
        return
    if skipped:
        yield Values(source, [1], [Problem("note", "starts with a byte order mark, which was skipped", source, 1)])
    if _is_document(body):
        rest = stream.read(LARGEST_DOCUMENT)
        if len(rest) == LARGEST_DOCUMENT:
            yield _nothing("unreadable", "is one JSON document of over 256 MiB: write JSON lines instead", Path(source))
            return
        rows = list(jsontext.decode_document(body + rest, source))
        if rows and all(isinstance(value, Problem) for _, value in rows):  # no document after all
            yield Lines(source, body + rest, 1)
        else:
            yield Values(source, [line for line, _ in rows], [value for _, value in rows])
        return
    yield from _cut(stream, body, source, path, skipped)


def _not_json(head: bytes, body: bytes) -> str | None:
    if not body.strip():
        return "is empty"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text: save it as UTF-8"
    is_text = body.lstrip()[:1] in (b"{", b"[", b'"')
    return "is a binary file, not JSON lines" if b"\0" in head[:4096] and not is_text else None


def _is_document(body: bytes) -> bool:
    """An array of objects, or pretty-printed objects: what only makes sense when read as a whole."""
    first, *others = (line.strip() for line in body.lstrip().split(b"\n", 2)[:2])
    second = others[0] if others else b""
    if first.startswith(b"["):
        if first != b"[" and second.startswith(b"{") and second.endswith(b"}"):
            return False  # a broken first line of JSON lines
        return first[1:].lstrip()[:1] in (b"", b"{", b"[", b"]") and not (first.endswith(b"]") and second)
    return first.startswith(b"{") and first.endswith((b"{", b"[", b",")) and not second.startswith(b"{")


def _cut(
    stream: BinaryIO | gzip.GzipFile, chunk: bytes, source: str, path: Path | None, position: int
) -> Iterator[Block]:
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
        if size and path is None:
            yield Lines(source, chunk + rest, line)
        elif size:
            yield FileRange(source, str(path), position, size, line)
        position, line = position + size, line + chunk.count(b"\n") + rest.count(b"\n")
        if too_long:
            message = f"a line of over {LONGEST_LINE >> 20} MiB, too long to read, was skipped"
            yield Values(source, [line], [Problem("malformed", message, source, line)])
            position, line = position + dropped, line + 1
        chunk = stream.read(BLOCK_BYTES)


def _skip_line(stream: BinaryIO | gzip.GzipFile) -> int:
    """Read to the end of the line; how many bytes that were."""
    skipped = 0
    while part := stream.readline(BLOCK_BYTES):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def _parquet_rows(group: ParquetGroup) -> tuple[list[int], list[object]]:
    """Rows of a group; a column with values that Python cannot hold is left out and named."""
    try:
        table = _pyarrow_parquet().ParquetFile(group.path).read_row_group(group.group)
    except Exception as error:  # noqa: BLE001 - pyarrow raises its own family, imported only here
        return [0], [Problem("unreadable", f"damaged Parquet: {error}", group.source)]
    columns, notes = {}, []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns[name] = column.to_pylist()
        except Exception as error:  # noqa: BLE001 - overflow, time zones, broken text: as many kinds as types
            notes.append(Problem("note", f"the column {name!r} cannot be read: {error}", group.source))
    names = list(columns)
    rows: list[object] = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    lines = list(range(group.first_row, group.first_row + len(rows)))
    return [0] * len(notes) + lines, [*notes, *rows]


def _pyarrow_parquet() -> ModuleType:
    try:
        return import_module("pyarrow.parquet")
    except ImportError as error:
        raise Incomplete("reading Parquet needs pyarrow; hint: pip install 'surefoot[parquet]'") from error
