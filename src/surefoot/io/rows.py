"""Rows: where they come from, how they are decoded, and what their fields mean.

They come from files, folders, addresses, compressed streams, Parquet, tables, stdin and Python objects. A source is cut
into blocks. A block is small and can be sent to another process, which reads its rows, so one machine, many processes
or a cluster (`cluster.py`) all run the same code.

To read a new shape of trace, add its paths to PATHS, or pass `--map`.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import gc
import glob
import gzip
import io
import json
import os
import re
import signal
import struct
import sys
import threading
import time
import warnings
import zipfile
import zlib
from base64 import b64decode
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from hashlib import sha256
from itertools import chain, islice, product, zip_longest
from multiprocessing import parent_process
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, NamedTuple, TypeVar, cast

import msgspec
from msgspec import DecodeError, Struct

from surefoot.core.errors import Incomplete, Unreachable, UsageError
from surefoot.core.files import BYTE_ORDER_MARK, ENDINGS, TRACE_SUFFIXES, UNREADABLE, library, printable
from surefoot.core.types import Passage, Problem, Retrieved, without_surrogates
from surefoot.text.citations import parse, split_list

_PACKED_BYTES = 1 << 10  # read at once of a .zst file: 1 KiB may hold 32 MiB
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Unpacked(io.RawIOBase):
    """What a compressed file holds before it ends or breaks off; if it does that, `fault` says why."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._waiting = memoryview(b"")
        self.fault: Exception | None = None

    @classmethod
    def of(cls, file: io.BufferedReader) -> Unpacked | None:
        """None for a file that is not compressed, or otherwise than we know."""
        magic = file.peek(4)
        if not magic.startswith(_GZIP):
            return cls(_zstd_chunks(file)) if magic.startswith(_ZSTD) else None
        read = gzip.GzipFile(fileobj=file).read1  # unlike `read` it loses nothing that precedes a fault
        return cls(iter(lambda: read(1 << 17), b""))

    def __iter__(self) -> Iterator[bytes]:
        """All lines, or the fault."""
        yield from io.BufferedReader(self, 1 << 17)
        if self.fault:
            raise self.fault

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            while not self._waiting and (chunk := next(self._chunks, None)) is not None:
                self._waiting = memoryview(chunk)
        except (OSError, EOFError, zlib.error) as error:
            self.fault = error
        size = min(len(target), len(self._waiting))
        target[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size


def _zstd_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """All frames of a file. EOFError where it breaks off, which the library's own reader takes for the end."""
    zstd = library("zstandard", "zstd")
    frame, is_begun = zstd.ZstdDecompressor().decompressobj(), False
    while packed := file.read(_PACKED_BYTES):
        while packed:
            try:
                yield frame.decompress(packed)
            except zstd.ZstdError as error:
                raise EOFError(str(error)) from error
            is_begun, packed = not frame.eof, frame.unused_data
            if frame.eof:
                frame = zstd.ZstdDecompressor().decompressobj()
    if is_begun:
        raise EOFError("the file breaks off before its end")


Found = TypeVar("Found")

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds between one try and the next
PATIENCE = 20.0  # seconds after which there is no other try: some libraries try again themselves, for long
_READ_AT_ONCE = 1 << 20
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
_SERVER_ERROR = 500
_LONGEST = 200  # of what a store says
_SECRET = re.compile(r"(?<=://)[^\s/?#]*@|[?#].*", re.DOTALL)


def is_address(path: str | Path) -> bool:
    return isinstance(path, str) and "://" in path and not Path(path).exists()


def shown(path: str | Path) -> str:
    """As reports may name it: an address without what may be a password or a signature."""
    if not is_address(path):
        return printable(Path(path))
    return _SECRET.sub("", str(path))


def _said(error: BaseException, address: str) -> str:
    """What a store says, in which the address may stand as it was given or in part."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(_SECRET.sub("", said.replace(address, shown(address))).split())[:_LONGEST]


def matching(path: str | Path) -> Sequence[str | Path]:
    """What a pattern such as logs/*.jsonl stands for, by name; any other path stands for itself."""
    if is_address(path):
        if "*" not in str(path):  # a `?` may be part of an address
            return [path]
        try:
            return _addresses(str(path), "glob")
        except _FINAL:
            return []
    is_pattern = glob.has_magic(str(path)) and not Path(path).exists()
    # Path.glob takes no absolute pattern.
    return sorted(glob.glob(str(path), recursive=True)) if is_pattern else [path]  # noqa: PTH207


def is_there(path: str | Path) -> bool:
    if (fitting := matching(path)) != [path]:
        return bool(fitting)
    if not is_address(path):
        return Path(path).exists()
    try:
        _info(str(path))
    except _FINAL:
        return False
    return True


def is_folder(path: str | Path) -> bool:
    return _info(str(path))["type"] == "directory" if is_address(path) else Path(path).is_dir()


def files_below(address: str) -> list[str]:
    """The addresses of all files in a folder that is not on this machine."""
    return _addresses(address, "find")


def _addresses(address: str, how: str) -> list[str]:
    return sorted(_asked(address, lambda store, path: list(map(store.unstrip_protocol, getattr(store, how)(path)))))


def state_of(path: str) -> tuple[int, str]:
    """The size of a file, and what changes when the file does."""
    if is_address(path):
        found = _info(path)
        if found.get("size") is None:
            raise Incomplete(f"the server does not say how large {shown(path)} is", "fetch it, and pass the file")
        return found["size"], sha256(repr(sorted(found.items())).encode()).hexdigest()
    stat = Path(path).stat()
    return stat.st_size, f"{stat.st_size} {stat.st_mtime_ns}"


def can_be_cut(path: str) -> bool:
    """False for a pipe, which can be read only once."""
    return is_address(path) or Path(path).is_file()


def opened(path: str) -> io.BufferedReader:
    if not is_address(path):
        return Path(path).open("rb")
    size, _ = state_of(path)
    return io.BufferedReader(_Ranges(path, size), _READ_AT_ONCE)


def read_range(path: str, start: int, size: int) -> bytes:
    if is_address(path):
        return _fetched(path, start, start + size)
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read(size)


class _Ranges(io.RawIOBase):
    """A file at an address. Each read is a request of its own, so one that fails can be made again."""

    def __init__(self, address: str, size: int) -> None:
        self._address, self._size, self._at = address, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: object, /) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        end = min(self._at + len(target), self._size)
        data = _fetched(self._address, self._at, end) if end > self._at else b""
        target[: len(data)] = data
        self._at += len(data)
        return len(data)


def _fetched(address: str, start: int, end: int) -> bytes:
    def fetch(store: Any, path: str) -> bytes:  # noqa: ANN401 - each kind of address has a class of its own
        data = bytes(store.cat_file(path, start=start, end=end))
        if len(data) != end - start:
            raise OSError(f"{len(data)} bytes came where {end - start} were asked for")
        return data

    return _asked(address, fetch)


def _info(address: str) -> dict[str, Any]:
    return _asked(address, lambda store, path: dict(store.info(path)))


def _asked(address: str, what: Callable[[Any, str], Found]) -> Found:
    """What a store says when it does. It is opened anew each time: connections do not survive a fork."""
    core, start = library("fsspec.core", "ray", "an address"), time.monotonic()
    tried, pauses = 0, iter(PAUSES)
    while True:
        tried, pause = tried + 1, next(pauses, None)
        try:
            return what(*core.url_to_fs(address))
        except ImportError as error:
            message = f"{shown(address)} needs a package that is not there"
            raise Incomplete(message, _said(error, address)) from None
        except ValueError as error:
            message = f"{shown(address)} cannot be understood: {_said(error, address)}"
            raise UsageError(message, "pass a path, or s3://...") from None
        except Exception as error:  # noqa: BLE001 - each store has errors of its own
            if final := _final(error):
                raise final(_said(error, address)) from None
            if pause is None or time.monotonic() - start + pause > PATIENCE:
                hint = "the same command goes on when the store answers again"
                tries = "1 try" if tried == 1 else f"{tried} tries"
                why = _said(error.__cause__ or error, address)
                raise Unreachable(f"{shown(address)} cannot be reached after {tries}: {why}", hint) from None
        time.sleep(pause)


def _final(error: Exception) -> type[OSError] | None:
    """Its kind, where no pause would change anything. To some, whatever does not answer is a file that is not there."""
    cause = error.__cause__
    is_silent = isinstance(cause, OSError) and not isinstance(cause, _FINAL)
    if is_silent or getattr(cause, "status", 0) >= _SERVER_ERROR:
        return None
    return next((kind for kind in _FINAL if isinstance(error, kind)), None)


Piece = TypeVar("Piece")

MOST_JOBS_PER_CORE = 4  # more would only fight over the cores, and a slip must not bring a machine down

_work: Callable[..., object] | None = None


def map_blocks(work: Callable[[Piece], Found], blocks: Iterable[Piece], jobs: int | None = None) -> Iterator[Found]:
    """`work(block)` for every block. One block, or one job, stays in this process."""
    cores = os.cpu_count() or 1
    jobs = min(jobs or cores, MOST_JOBS_PER_CORE * cores)
    blocks = iter(blocks)
    head = list(islice(blocks, 2))
    if jobs == 1 or len(head) < 2:
        yield from map(work, chain(head, blocks))
        return
    with ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(work,)) as pool:
        waiting: deque[Future[Found]] = deque()
        try:
            for block in chain(head, blocks):
                with _signals_held():
                    waiting.append(pool.submit(_run, block))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            hint = "it may have run out of memory; set jobs = 1 in surefoot.toml"
            raise Incomplete("a worker process was killed before it had finished", hint) from error
        finally:
            # Left early (an error, Ctrl-C): what has not started must not start.
            for future in waiting:
                future.cancel()


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """The first submit forks the workers: an interrupt in the middle of that would leave a pool that never ends."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(work: Callable[..., object]) -> None:
    global _work
    _work = work
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
    # The parent answers Ctrl-C and kill; its workers only finish their block.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # It may be killed too. Idle workers would wait for its next block for ever.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Rows are decoded and forgotten block by block and hold no cycles: collecting would only cost time.
    gc.disable()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run(block: object) -> Any:  # noqa: ANN401 - whatever the work returns
    if _work is None:
        raise RuntimeError("the worker was not prepared")
    return _work(block)


def is_table(body: bytes) -> bool:
    """True for lines below a line with separators, none of which is JSON: a log may begin with other lines."""
    first, _, others = body.strip().partition(b"\n")
    is_text = first[:1] not in (b"{", b"[") and b"\0" not in body[:4096]
    return is_text and bool(others) and b"\n{" not in body and any(sign in first for sign in (b",", b"\t", b";"))


def not_json(head: bytes, body: bytes) -> str | None:
    if not body.strip():
        return "is empty"
    if body.startswith(b"%PDF-"):
        return "is a PDF document, not a log"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16 text: save it as UTF-8"
    is_text = body.lstrip()[:1] in (b"{", b"[", b'"')
    return "is a binary file, not JSON lines" if b"\0" in head[:4096] and not is_text else None


def is_document(body: bytes) -> bool:
    """An array of objects, or pretty-printed objects: what only makes sense when read as a whole."""
    first, *others = (line.strip() for line in body.lstrip().split(b"\n", 2)[:2])
    second = others[0] if others else b""
    if first.startswith(b"["):
        if first != b"[" and second.startswith(b"{") and second.endswith(b"}"):
            return False  # a broken first line of JSON lines
        return first[1:].lstrip()[:1] in (b"", b"{", b"[", b"]") and not (first.endswith(b"]") and second)
    return first.startswith(b"{") and first.endswith((b"{", b"[", b",")) and not second.startswith(b"{")


BLOCK_BYTES = 4 << 20
LONGEST_LINE = 16 << 20  # a longer line is named and skipped: it must not take the machine's memory
LARGEST_DOCUMENT = 256 << 20  # JSON arrays and pretty-printed JSON have to be read whole

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
        return read_range(self.path, self.start, self.size) if self.path else self.content


Kind = Literal["json", "csv", "excel", "otlp"]  # an array, or pretty-printed JSON


class Document(Struct, frozen=True):
    """A file that has to be read whole."""

    source: str
    kind: Kind
    content: bytes


class ParquetGroup(Struct, frozen=True):
    """One row group of a Parquet file; its rows are numbered from 1 through the file."""

    source: str
    path: str
    group: int
    first_row: int
    size: int = 0

    def rows(self) -> Iterator[Row]:
        """A column with values that Python cannot hold is left out and named."""
        columns: dict[str, list[object]] = {}
        try:
            table = _parquet_file(self.path).read_row_group(self.group)
            for name, column in zip(table.column_names, table.columns, strict=True):
                try:
                    columns[name] = column.to_pylist()
                except Exception as error:  # noqa: BLE001 - overflow, time zones, broken text: as many as types
                    yield Row(self.source, 0, Problem("note", f"column {name!r} cannot be read: {error}", self.source))
        except Incomplete:
            raise
        except Exception as error:  # noqa: BLE001 - pyarrow raises its own family, imported only here
            yield Row(self.source, 0, Problem("unreadable", f"damaged Parquet: {error}", self.source))
        for line, values in enumerate(zip(*columns.values(), strict=True), self.first_row):
            yield Row(self.source, line, dict(zip(columns, values, strict=True)))


class File(Struct, frozen=True):
    """A file that is yet to be cut into blocks, by whoever reads it; `-` is stdin."""

    source: str
    path: str


class Values(Struct, frozen=True):
    """Python values, numbered from 1, or the Problem that stands for a file without rows."""

    source: str
    values: list[object]


Block = Lines | Document | ParquetGroup | Values


def size_of_lines(paths: Iterable[str | Path]) -> int | None:
    """In bytes, of logs that are plain files of JSON lines; None if one is not."""
    files = [one.path for one in files_in(paths) if isinstance(one, File)]
    is_plain = all(path.endswith((".jsonl", ".ndjson")) and Path(path).is_file() for path in files)
    return sum(Path(path).stat().st_size for path in files) if is_plain else None


def check_logs(paths: Iterable[str | Path]) -> None:
    """A log that is named and not there is a slip of whoever named it."""
    for path in paths:
        if str(path) != "-" and not is_there(path):
            where = shown(path)
            raise UsageError(f"there is no log {where}", "pass a file or folder of logged answers, or - for stdin")


def blocks_from(paths: Iterable[str | Path]) -> Iterator[Block]:
    """All blocks of some files, folders, addresses and `-` (stdin), in the order given, folders by name."""
    for found in files_in(paths):
        yield from cut(found)


def files_in(paths: Iterable[str | Path]) -> Iterator[File | Values]:
    """What there is to cut, and what is wrong with the rest. Workers may have another current folder."""
    for path in chain.from_iterable(matching(path) or [path] for path in paths):
        if str(path) == "-":
            yield File("stdin", "-")
        elif not (is_there(path) and is_folder(path)):
            yield _file(path)
        elif is_address(path):
            yield from _files_of_folder([name for name in files_below(str(path)) if _is_trace(name)], path)
        else:
            yield from _files_of_folder(_walked(Path(path), closed := list[OSError]()), path, closed)


def _file(path: str | Path) -> File:
    return File(shown(path), str(path) if is_address(path) else str(Path(path).absolute()))


def _files_of_folder(
    files: Sequence[str | Path], folder: str | Path, closed: Iterable[OSError] = ()
) -> Iterator[File | Values]:
    for error in closed:
        yield _nothing("unreadable", f"cannot be read: {error.strerror}", shown(str(error.filename)))
    if not files:
        what = f"the folder holds no trace file ({', '.join(TRACE_SUFFIXES)})"
        yield _nothing("no_traces", what, shown(folder))
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
    with _stdin() if path == "-" else opened(path) as file:
        magic = file.peek(4)[:4]
        if magic == b"PAR1":
            yield from _blocks_of_parquet(path, source)
        elif magic == b"PK\x03\x04":
            yield _whole(file, b"", source, "excel")
        elif stream := Unpacked.of(file):
            for block in _blocks_of_stream(io.BufferedReader(stream, 1 << 18), source):
                # Half a table may look like a whole one; the rows before a break are what they are.
                is_of_rows = getattr(block, "kind", "json") == "json" and not isinstance(block, Values)
                if stream.fault is None or is_of_rows:
                    yield block
            if stream.fault is not None:
                raise stream.fault
        else:
            yield from _blocks_of_stream(file, source, path if path != "-" and can_be_cut(path) else "")


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
    return library("pyarrow.parquet", "parquet").ParquetFile(opened(path) if is_address(path) else path)


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


def _whole(stream: BinaryIO, head: bytes, source: str, kind: Kind) -> Block:
    """What cannot be cut. `head` is the part already read."""
    rest = stream.read(LARGEST_DOCUMENT)
    if len(rest) == LARGEST_DOCUMENT:
        return _nothing("unreadable", "has over 256 MiB in one piece: write JSON lines instead", source)
    return Document(source, kind, head + rest)


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
        position, line = position + size, line + chunk.count(b"\n") + rest.count(b"\n")
        if too_long:
            message = f"a line of over {LONGEST_LINE >> 20} MiB, too long to read, was skipped"
            yield Values(source, [Problem("malformed", message, source, line)])
            position, line = position + dropped, line + 1
        chunk = stream.read(BLOCK_BYTES)


def _skip_line(stream: BinaryIO) -> int:
    """Read to the end of the line; how many bytes that were."""
    skipped = 0
    while part := stream.readline(BLOCK_BYTES):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


Cells = Iterable[tuple[int, list[object]]]  # with the line they start on

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITERS = ",\t;"
_LONGEST_CELL = 32_767  # of Excel, which cuts off what is longer
_IDS = ("traceId", "spanId", "parentSpanId")


def packed_rows(block: Document) -> Iterator[tuple[int, object]]:
    """Rows and the lines they start on; what cannot be read is a Problem."""
    try:
        yield from _READERS[block.kind](block)
    except Exception as error:  # noqa: BLE001 - damaged files make these libraries fail in every way there is
        message = f"cannot be read: {str(error) or type(error).__name__}"
        yield 0, Problem("unreadable", message, block.source)


def _csv_rows(block: Document) -> Iterator[tuple[int, object]]:
    text = block.content.decode("utf-16" if block.content.startswith(_UTF16) else "utf-8-sig", "replace")
    if "\ufffd" in text:
        yield 0, Problem("note", "broken UTF-8 replaced (hint: convert the file to UTF-8)", block.source)
    csv.field_size_limit(LONGEST_LINE)
    try:
        deque(_csv_cells(text, strict=True), maxlen=0)
    except ValueError as error:
        yield 0, Problem("note", str(error), block.source)
    yield from _table(_csv_cells(text), block.source)


def _csv_cells(text: str, strict: bool = False) -> Iterator[tuple[int, list[object]]]:
    first = text.lstrip().partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=strict)
    line = 1
    try:
        for cells in reader:
            yield line, [*cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"not valid CSV from line {line} on: {error}") from error


def _excel_rows(block: Document) -> Iterator[tuple[int, object]]:
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
        if len(cells) > len(names):  # nobody knows which is the one too many
            message = "has more cells than the first line: put a cell with a separator into quotes"
            yield line, Problem("malformed", message, source, line)
            continue
        # Many programs leave out empty cells at the end; a row that lacks who gave its value may be half of one.
        lost = [name for name in names[len(cells) :] if name.lower() in ("annotator", "grader")]
        if lost and len(cells) > 1:
            yield line, Problem("note", f"breaks off before {lost[0]}", source, line)
        if any(isinstance(cell, str) and len(cell) == _LONGEST_CELL for cell in cells):
            yield line, Problem("note", "a cell is as long as Excel allows, and may be cut off", source, line)
        pairs = zip_longest(names, cells)
        values = {name: cell for name, cell in pairs if name and _is_filled(cell)}
        yield line, {name: one if isinstance(one, (str, int, float)) else str(one) for name, one in values.items()}


def _is_filled(cell: object) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def _otlp_rows(block: Document) -> Iterator[tuple[int, object]]:
    """One export, or several, each behind its length in four bytes, as the collector writes them."""
    traces = library("opentelemetry.proto.trace.v1.trace_pb2", "otlp")
    convert = library("google.protobuf.json_format", "otlp").MessageToDict
    for number, message in enumerate(_messages(block.content), 1):
        row: dict[str, Any] = convert(traces.TracesData.FromString(message))
        for spans in _all(row, "resourceSpans.*.scopeSpans.*.spans"):
            spans.update({key: b64decode(str(spans[key])).hex() for key in _IDS if key in spans})
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


_READERS = {"csv": _csv_rows, "excel": _excel_rows, "otlp": _otlp_rows}


_YES = ("flagged", "is_flagged", "thumbs_down", "user_flagged")
_NO = ("ok", "thumbs_up")  # false is said against the answer
_SAID = ("feedback", "user_feedback", "thumbs", "vote", "user_score", "user_rating")
_INSIDE = ("value", "score", "rating", "label", "type", "thumbs")
_AGAINST = frozenset({
    "down", "thumbs_down", "thumbsdown", "negative", "bad", "dislike", "disliked", "downvote", "no", "false", "wrong",
    "incorrect", "unhelpful", "-1", "👎",
})  # fmt: skip
_PREFIXES = ("", "metadata.", "surefoot.")
_TELLING = frozenset(map("".join, product(_PREFIXES, (*_YES, *_NO, *_SAID))))


def is_flagged(row: Mapping[str, object]) -> bool:
    """True where somebody said that the answer is bad; a row that says nothing is not flagged."""
    inside = row.get("metadata")
    rows = [one for one in (row, inside) if isinstance(one, dict) and not _TELLING.isdisjoint(one)]
    return any(_is_flagged(one, prefix) for one in rows for prefix in _PREFIXES)


def _is_flagged(row: Mapping[str, object], prefix: str) -> bool:
    return (
        any(row.get(prefix + key) in (True, "true", "True") for key in _YES)
        or any(row.get(prefix + key) is False for key in _NO)
        or any(_is_against(row[prefix + key]) for key in _SAID if prefix + key in row)
    )


def _is_against(said: object) -> bool:
    if isinstance(said, dict):
        return any(_is_against(said[key]) for key in _INSIDE if key in said)
    if isinstance(said, str):
        return said.strip().lower().replace(" ", "_") in _AGAINST
    return said is False or (isinstance(said, (int, float)) and said <= 0)


# The names under which an object may hold what either side said, the likeliest first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": ("question", "query", "user_input", "input", "inputs", "prompt", "q"),
    "assistant": (
        "answer", "claim", "response", "result", "output", "output_text", "outputs", "completion", "generated_text",
        "replies", "answers", "data", "generations", "choices",
    ),
}  # fmt: skip
_EITHER = ("content", "text", "value", "messages", "message", "parts", "contents", "gen_ai.event.content")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "AIMessageChunk": "assistant"}
_BLOCKS = ("text", "output_text", "input_text")  # the parts of a message that are text
_TEXT_TYPES = (None, "message", *_BLOCKS)
_NO_TEXTS = ("role", "type", "id", "name")
_DEEPEST = 8
_LONGEST_LITERAL = 1 << 20


def said(value: object, role: str, depth: int = 0) -> str | None:
    """What the given role, `user` or `assistant`, says in a value; of several messages, the last."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        inner = decoded(value)
        return (said(inner, role, depth + 1) if isinstance(inner, (dict, list)) else None) or value
    if isinstance(value, list):
        return _said_in_list(value, role, depth)
    if not isinstance(value, dict):
        return None
    found = (said(value.get(name), role, depth + 1) for name in (*_NAMES[role], *_EITHER) if name in value)
    return next(filter(None, found), None) or _only(value)


def _only(value: Mapping[str, object]) -> str | None:
    """The one text of an object that has nothing else."""
    ((key, text),) = value.items() if len(value) == 1 else [("", None)]
    return text if isinstance(text, str) and key not in _NO_TEXTS else None


def may_be_json(text: str) -> bool:
    """False where a text cannot hold an object or a list."""
    return text[:1] in ("{", "[") and text.rstrip()[-1:] in ("}", "]")


def decoded(value: object) -> object:
    """The object or list that a text holds, written as JSON or by Python; any other value as it is."""
    if not isinstance(value, str) or not may_be_json(value):
        return value
    try:
        return msgspec.json.decode(value)
    except (DecodeError, RecursionError):
        return _literal(value)


def _literal(value: str) -> object:
    """Tables that pandas wrote hold lists as Python shows them."""
    if value[-1:] not in ("}", "]") or len(value) > _LONGEST_LITERAL:
        return value
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            found = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return found if isinstance(found, (dict, list)) else value


def _said_in_list(value: list[object], role: str, depth: int) -> str | None:
    if value and isinstance(value[0], list):  # a batch of one
        return said(value[0], role, depth + 1)
    if len(value) == 1 and isinstance(value[0], str):
        return value[0]
    turns = [one for one in value if isinstance(one, dict)]
    for one in reversed(turns):  # most messages are no more than a role and a text
        text = one.get("content") if len(one) == 2 else None
        if not isinstance(text, str) or text[:1] in ("", "{", "["):
            break
        if _role(one, "") == role:
            return text
    messages = list(map(_message, turns))
    blocks = [str(one["text"]) for one in messages if one.get("type") in _BLOCKS and "text" in one]
    by_role = (said(one.get("parts") or one, role, depth + 1) for one in messages if _role(one, role) == role)
    return "".join(blocks) if blocks else next(reversed(list(filter(None, by_role))), None)


def _message(value: dict[str, object]) -> dict[str, object]:
    """A message by its plain keys, wherever a framework puts them (`message.role`, `kwargs`)."""
    for name in ("message", "kwargs"):
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else value
    return {str(key).rpartition(".")[2]: item for key, item in value.items()}


def _role(message: Mapping[str, object], otherwise: str) -> object:
    kind = message.get("type")
    known = _ROLES.get(kind, kind if kind in ("system", "tool") else None) if isinstance(kind, str) else None
    role = message.get("role") or known or otherwise
    return _ROLES.get(role, role) if isinstance(role, str) else role


_LONGEST_QUOTE = 60
_NO_NAMES: Mapping[str, tuple[str, ...]] = {}


class BadRow(ValueError):
    """Why a row cannot be used. `kind` is that of the problem, where it is another than usual."""

    kind = ""


class Is(NamedTuple):
    """What a field must be, in words and as a check."""

    words: str
    fits: Callable[[Any], bool]


def _is_identifier(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and bool(value))


TEXT = Is("a text", lambda value: isinstance(value, str))
WORD = Is("a text", lambda value: isinstance(value, (str, int, float)) and not isinstance(value, bool))
IDENTIFIER = Is("a text or a whole number", _is_identifier)
TEXTS = Is("a list of texts", lambda value: isinstance(value, (list, tuple)) and all(map(TEXT.fits, value)))
IDENTIFIERS = Is("a list of texts", lambda value: isinstance(value, (list, tuple)) and all(map(_is_identifier, value)))
FLAG = Is("true or false", lambda value: isinstance(value, bool))
NUMBER = Is("a number", lambda value: type(value) in (int, float))
COUNT = Is("a whole number from 1", lambda value: type(value) is int and value >= 1)
OBJECT = Is("an object", lambda value: isinstance(value, dict))


def one_of(*values: str) -> Is:
    return Is(" or ".join(map(repr, values)), lambda value: value in values)


def fields_of(
    value: object, noun: str, kinds: Mapping[str, Is], names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
    required: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """The fields of a row by our own names; BadRow says which of them is missing or not what it must be.

    `names` has the keys under which a field may lie, of which the first with a value counts. The first of the
    `required` fields is the id that names the row.
    """
    if not isinstance(value, dict):
        raise BadRow(f"the {noun} is {kind_of(value)}, not an object")
    row: dict[str, Any] = dict(value)
    for field, keys in names.items():
        found = [row.pop(key) for key in keys if key in row]
        row[field] = next((item for item in found if item is not None), None)
    for field in required:
        given = row.get(field)
        if given is None or (isinstance(given, str) and not given.strip()):
            expected = " or ".join(names.get(field, (field,)))
            raise BadRow(f"{_named(row, required)}the {noun} has no {field}: {expected} must hold it")
    for field, given in row.items():
        kind = kinds.get(field)
        if kind is not None and given is not None and not kind.fits(given):
            shown = quoted(given) if isinstance(given, str) or kind is COUNT else kind_of(given)
            raise BadRow(f"{_named(row, required)}{field} must be {kind.words}, not {shown}")
    return row


def _named(row: Mapping[str, Any], required: Sequence[str]) -> str:
    identifier = row.get(required[0]) if required else None
    return f"question {quoted(identifier)}: " if identifier is not None else ""


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)


def quoted(value: object) -> str:
    """A foreign value inside a sentence, which it must not drown."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."


Route = tuple[str, ...]


class Candidate(NamedTuple):
    """A key of the row that may hold a field: itself (`direct`), or somewhere below."""

    key: str
    direct: bool
    below: tuple[Route, ...]


# What passages lie under, in a row or in what a function returned; the last ones only where a retriever wrote them.
CARRIERS = (
    "retrieved_contexts", "retrieval_context", "retrievalContext", "contexts", "source_documents", "source_nodes",
    "documents", "context",
)  # fmt: skip
_BARE_CARRIERS = ("retrieved", "chunks", "passages", "nodes", "results", "result", "output", "matches", "hits")
# Passages too, or ids of them, where a row has no plainer name for what was retrieved.
LESS_PLAIN = ("sources", "hits", "matches", "nodes")
_WRAPPERS = ("vars", "outputs", "output", "response", "response.output", "response.metadata", "result")

PATHS: Mapping[str, tuple[str, ...]] = {
    "question_id": (
        "qid", "q_id", "question_id", "questionId", "vars.qid", "vars.question_id", "id",
    ),
    "question": (
        "q", "question", "user_input", "input", "query", "handoff.question", "inputs", "vars", "request", "prompt",
        "messages", "contents",
    ),
    "answer": (
        "answer.text", "answer.claim", "answer.answer", "answer.content", "answer", "answer_text", "answer_json.claim",
        "answer_json.answer", "answer_json.text", "parsed.claim", "parsed.answer", "raw", "response",
        "actual_output", "actualOutput", "handoff.scholar.claim", "output", "outputs", "result", "completion",
        "answers.0", "replies.0", "choices", "candidates", "content", "message", "messages", "user_input.*",
    ),
    "citations": (
        "citations", "answer.citations", "answer_json.citations", "parsed.citations", "cited_chunks",
        "citations_in_answer", "handoff.scholar.citations",
        *map("{}.citations".format, _WRAPPERS[1:]),
    ),
    "retrieved": (
        "chunks", "retrieved_ids", "allowed_ids", "retrieval.topk", "retrieved_context_ids",
        "handoff.scope.allowed_ids", "retrieved", "passages", *map("{}.retrieved".format, _WRAPPERS), *LESS_PLAIN,
    ),
    "contexts": (
        *CARRIERS, "answers.0.documents", *map(".".join, product(_WRAPPERS, CARRIERS)),
    ),
    "error": ("error", "exception"),
    "subject": ("subject_id", "user_id", "userId", "subject"),
    "triage": ("label",),
}  # fmt: skip
ALIASES = {"qid": "question_id", "q": "question", "chunks": "retrieved"}  # of fields, in --map


Plan = dict[str, list[Candidate]]  # where to look in rows that have a given set of keys

# What a passage has, in a corpus as in a trace. Its own id comes before that of the document it is from.
_ID_KEYS = ("id", "chunk_id", "passage_id", "node_id", "id_", "_id", "doc_id", "document_id", "document.id")
_ORIGIN_KEYS = ("ref", "source")  # serve as an id where there is no other
TEXT_KEYS = ("text", "content", "page_content", "body", "chunk", "passage", "context", "document.content", "document")
_DOC_KEYS = ("doc", "title", "document", "source", "file_name")
_PAGE_KEYS = ("page_label", "page_number", "page")  # the label is what the page says of itself
_LONGEST_PAGE = 6  # digits
# Where frameworks put the fields of a passage, if not in the passage itself.
_FIELDS_INSIDE = (
    "document", "node", "kwargs", "payload", "_source", "content", "text_resource", "metadata", "document.metadata",
)  # fmt: skip
_FIELDS = (_ID_KEYS, _ORIGIN_KEYS, TEXT_KEYS, _DOC_KEYS, _PAGE_KEYS, _FIELDS_INSIDE)
_ID, _ORIGIN, _TEXT, _DOC, _PAGE, _NESTED = range(len(_FIELDS))
_ERROR_KEYS = ("message", "detail", "type")
_LONGEST_ID = 300
_FIELDS_DEEPEST = 3
_SENTENCE_ENDS = tuple(".!?。！？")
_WORDS = 3


def candidates(paths: Sequence[str]) -> list[Candidate]:
    """Paths gathered under their first key, in the order of the keys' first appearance."""
    below: dict[str, list[Route]] = {}
    for path in paths:
        key, *rest = path.split(".")
        below.setdefault(key, []).extend([tuple(rest)] if rest else [])
    return [Candidate(key, key in paths, tuple(rest)) for key, rest in below.items()]


def citations_in(value: object) -> tuple[str, ...] | None:
    """Ids, objects with an id, or one string of them."""
    if isinstance(value, str):
        return tuple(split_list(value.strip("[] ")))
    if isinstance(value, dict):
        value = [value]
    return tuple(map(_identifier, value)) if isinstance(value, list) else None


def passages_in(value: object) -> Retrieved | None:
    """Retrieved passages: ids, or objects with an id and perhaps a text. In the cell of a table, a list of ids."""
    value = decoded(value)
    if isinstance(value, str):
        value = [value] if _is_text(value) else split_list(value)
    return Retrieved(map(_passage, value)) if isinstance(value, list) else None


def are_ids(values: Sequence[str]) -> bool:
    """True for texts none of which may be a passage, written where its id could stand."""
    together = " ".join(values)
    return len(together) <= _LONGEST_ID and together.count(" ") < _WORDS + max(0, len(values) - 1) and "" not in values


def contexts_in(value: object) -> Retrieved | None:
    """Retrieved texts without ids, as test-case files keep them."""
    value = decoded(value)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return None
    return Retrieved(Passage("", item) if isinstance(item, str) else _passage(item) for item in value)


def carried(value: object, *, bare: bool) -> Retrieved | None:
    """The passages in what a step of a pipeline gave: with an answer, or (`bare`) nothing but passages."""
    if not isinstance(value, dict):
        return contexts_in(value) if bare and isinstance(value, list) else None
    found = (contexts_in(value[key]) for key in (*CARRIERS, *(_BARE_CARRIERS if bare else ())) if key in value)
    return next((passages for passages in found if passages is not None), None)


def together(ids: Retrieved | None, texts: Retrieved | None) -> tuple[Retrieved | None, str]:
    """What was retrieved, where a log has the ids in one list and the texts in another; and why they do not fit."""
    if texts is None or any(passage.text for passage in ids or ()):
        return ids, ""
    if not ids:  # no list of ids, or an empty one: passages that have none
        return texts, ""
    if len(ids) != len(texts):
        return None, f"the log has {len(ids)} ids of retrieved passages and {len(texts)} texts"
    pairs = zip(ids, texts, strict=True)
    return Retrieved(Passage(known.id or text.id, text.text, text.doc, text.page) for known, text in pairs), ""


def error_in(value: object) -> str | None:
    if not value:
        return None
    if isinstance(value, dict):
        value = first_text(value, _ERROR_KEYS) or "unnamed error"
    return "the pipeline reported an error" if value is True else re.sub(r"\s+", " ", str(value))[:300]


def first_text(value: dict[object, object], keys: Sequence[str]) -> str:
    """The first of some keys that holds a text or a number."""
    for key in keys:
        found = value.get(key)
        if text := found if type(found) is str else scalar(found):
            return text
    return ""


def _text_in(value: dict[object, object], sought: int, depth: int = 0) -> str:
    """The same, also in what frameworks wrap around a passage."""
    keys = _keys_of_passage(tuple(value))
    if text := first_text(value, keys[sought]):
        return text
    inside = (value[key] for key in keys[_NESTED]) if depth < _FIELDS_DEEPEST else ()
    return next(
        (text for inner in inside if isinstance(inner, dict) and (text := _text_in(inner, sought, depth + 1))), ""
    )


@lru_cache(maxsize=1_000)
def _keys_of_passage(keys: tuple[object, ...]) -> tuple[tuple[str, ...], ...]:
    """Those of an object that may hold an id, an origin, a text, a document or a page, or any of them inside."""
    return tuple(tuple(key for key in names if key in keys) for names in _FIELDS)


def scalar(value: object) -> str:
    """A number as text; "" for anything else."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _identifier(value: object) -> str:
    if isinstance(value, dict):
        return _text_in(value, _ID) or _text_in(value, _ORIGIN)
    return value if isinstance(value, str) else scalar(value)


def passage_in(value: dict[object, object]) -> Passage:
    """A passage inside whatever is wrapped around it; what it lacks is empty."""
    keys = _keys_of_passage(tuple(value))
    if keys[_NESTED]:
        identifier, text, doc, page = (_text_in(value, field) for field in (_ID, _TEXT, _DOC, _PAGE))
    else:
        identifier, text = first_text(value, keys[_ID]), first_text(value, keys[_TEXT])
        doc, page = first_text(value, keys[_DOC]), first_text(value, keys[_PAGE])
    number = int(page) if page.isdecimal() and len(page) <= _LONGEST_PAGE else None
    return Passage(identifier, text, "" if doc == text else doc, number)


def _passage(value: object) -> Passage:
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := value.get("id"), str):
        value = only
    if not isinstance(value, dict):
        identifier = value if isinstance(value, str) else scalar(value)
        return Passage("", identifier) if _is_text(identifier) else Passage(identifier)
    found = passage_in(value)
    identifier = found.id or _text_in(value, _ORIGIN)
    if len(identifier) > _LONGEST_ID:
        return Passage("", found.text or identifier, found.doc, found.page)
    return found if found.id else Passage(identifier, found.text, found.doc, found.page)


def _is_text(value: str) -> bool:
    """True for a passage that was written where its id could stand: a whole sentence, or too long for an id."""
    return len(value) > _LONGEST_ID or (value.count(" ") >= _WORDS and value.rstrip()[-1:] in _SENTENCE_ENDS)


Answer = tuple[object, tuple[str, ...] | None, Retrieved | None]  # with its citations and what was retrieved
Notes = list[tuple[int, dict[object, object]]]  # each with the place where it stands in the text


def unwrapped(answer: object, citations: tuple[str, ...] | None, retrieved: Retrieved | None) -> Answer:
    """An answer that is an object, or the JSON of one, as structured output often is."""
    inner = decoded(answer)
    if not any(citations or ()) and (found := by_vendor(inner, retrieved)):
        return found
    if citations is None and isinstance(inner, dict):
        citations = citations_in(inner.get("citations"))
    return said(answer, "assistant") or answer, citations, retrieved


class Vendor(NamedTuple):
    """Where a vendor's answer has its texts, notes beside the texts' own, and what was retrieved; `*` is every element
    of a list."""

    texts: str
    notes: str = ""
    passages: str = ""
    in_bytes: bool = False  # how places in a text are counted


_PARTS, _GROUNDING = "candidates.0.content.parts.*", "candidates.0.groundingMetadata.grounding"
_SNAKE = "candidates.0.grounding_metadata.grounding_"
VENDORS: Mapping[str, Vendor] = {
    "Amazon Bedrock": Vendor("output", "citations", "citations.*.retrievedReferences"),
    "Anthropic": Vendor("content.*"),
    "Azure OpenAI": Vendor("choices.0.message", passages="choices.0.message.context.citations"),
    "Cohere": Vendor("message.content.*", "message.citations"),
    "Cohere, v1": Vendor("", passages="documents"),
    "Gemini": Vendor(_PARTS, f"{_GROUNDING}Supports", f"{_GROUNDING}Chunks", in_bytes=True),
    "Gemini, in Python": Vendor(_PARTS, f"{_SNAKE}supports", f"{_SNAKE}chunks", in_bytes=True),
    "OpenAI, Responses": Vendor("output.*.content.*", passages="output.*.results"),
}
ENVELOPES = frozenset(("candidates", "choices", "content", "message"))  # keys of a row that is such an answer itself
_NOTES, _END_OF_NOTE = ("citations", "annotations"), ("end", "end_index", "endIndex", "index")
_SOURCES = ("sources", "document_ids", "retrievedReferences", "groundingChunkIndices", "grounding_chunk_indices")
_OF_SOURCE = (  # the keys of its id, its text and its document
    ("x-amz-bedrock-kb-chunk-id", "id", "file_id", "filepath", "uri", "url", "source", "document_title", "filename"),
    ("cited_text", "text", "snippet", "content"), ("document_title", "title", "filename"),
)  # fmt: skip
_OWN_MARK = re.compile(r"\[doc(\d{1,3})\]")  # of Azure, by place


def by_vendor(answer: object, retrieved: Retrieved | None) -> Answer | None:
    """An answer with marks in its text, where a vendor of models writes notes on it, and what was retrieved, if only
    these tell; None for any other. Ids that would not be read as marks are listed instead."""
    if isinstance(answer, list):
        turns = [one for one in answer if isinstance(one, dict) and one.get("role")]
        last = turns[-1] if turns else {"content": answer, "output": answer}
        answer = {"message": last, **last} if isinstance(last.get("content"), list) or len(last) > 2 else None
    if not isinstance(answer, dict):
        return None
    for vendor in (one for one in VENDORS.values() if (one.texts or "text").split(".")[0] in answer):
        text, notes = "", Notes()
        for part in _all(answer, vendor.texts):
            own = part.get("text", part.get("content")) if part.get("type") in _TEXT_TYPES else None
            if isinstance(own, str):
                found = (note for key in _NOTES for note in _all(part, key))
                notes += [(len(text) + _end(note, own, vendor.in_bytes), note) for note in found]
                text += own
        if vendor.notes:
            notes += [(_end(note, text, vendor.in_bytes), note) for note in _all(answer, vendor.notes)]
        listed = list(map(_source, _all(answer, vendor.passages))) if vendor.passages else []
        if text and (notes or listed):
            return _marked(text, notes, listed, retrieved)
    return None


def _marked(text: str, notes: Notes, listed: list[Passage], retrieved: Retrieved | None) -> Answer:
    marks, cited, by_place = dict[int, list[str]](), list[Passage](), dict(enumerate(listed))
    for end, note in notes:
        given = next((found for key in _SOURCES if isinstance(found := note.get(key), list)), [note])
        sources = [by_place.get(one, Passage("")) if isinstance(one, int) else _source(one) for one in given]
        marks.setdefault(end, []).extend(one.id for one in sources if one.id)
        cited += sources
    known = {(one.id, one.text): one for one in listed or cited if one.text}
    retrieved = retrieved or (Retrieved(known.values()) if known else retrieved)
    names, marked, here = retrieved.names if retrieved else (), "", 0
    for end in sorted(marks):
        marked += text[here:end] + "".join(f" [{one}]" for one in dict.fromkeys(marks[end]))
        here = end
    own = dict(enumerate(names, 1))
    marked = _OWN_MARK.sub(lambda mark: f"[{own.get(int(mark[1]), mark[0][1:-1])}]", marked + text[here:])
    wanted = tuple(dict.fromkeys(one for ids in marks.values() for one in ids))
    return (marked, None, retrieved) if set(wanted) <= {*(parse(marked, names) or ())} else (text, wanted, retrieved)


def _end(note: dict[object, object], text: str, in_bytes: bool) -> int:
    """Where the words end that a note is on, before the sign that ends their sentence."""
    inside = note.get("segment") or descend(note, "generatedResponsePart.textResponsePart")
    note = inside if isinstance(inside, dict) else note
    end = next((found for key in _END_OF_NOTE if isinstance(found := note.get(key), int)), None)
    end = len(text.encode(errors="replace")[:end].decode(errors="ignore") if in_bytes else text[:end])
    words = note.get("text")
    if isinstance(words, str) and not text.endswith(words, 0, end) and words in text:
        end = text.index(words) + len(words)
    return len(text[:end].rstrip(" .!?\n"))


def _source(value: object) -> Passage:
    """What a note names: an id, or an object with one, in whatever is wrapped around it."""
    if not isinstance(value, dict):
        return Passage(value if isinstance(value, str) else scalar(value))
    inside = [value]
    for one in inside:
        inside += [inner for inner in one.values() if isinstance(inner, dict)]
    id, text, doc = (
        next((found for key in keys for one in inside if (found := first_text(one, (key,)))), "") for keys in _OF_SOURCE
    )
    place = value.get("document_index")
    return Passage(id or (str(place + 1) if isinstance(place, int) else ""), text, "" if doc == id else doc)


def _all(value: object, path: str) -> list[dict[object, object]]:
    """The objects that a path leads to, list in list."""
    found = [descend(value, path) if path else value]
    for one in found:
        found += one if isinstance(one, list) else ()
    return [one for one in found if isinstance(one, dict)]


def descend(value: object, path: str | Sequence[str]) -> object:
    """Follow keys, list positions, and `*` (every element of a list)."""
    path = path.split(".") if isinstance(path, str) else path
    for depth, key in enumerate(path):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key == "*":
            return [one for item in value if (one := descend(item, path[depth + 1 :])) is not None]
        elif isinstance(value, list) and key.isdecimal() and len(key) < 9 and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def answer_from(citations: tuple[str, ...] | None, triage: object) -> str | None:
    """Logs without the answer's text may still show what it cited, or that it rightly cited nothing."""
    if citations:
        return f"citations: [{', '.join(citations)}]"
    return "not in context" if citations == () and triage == "ok" else None


# No NaN, and no integer so long that reading it would take for ever.
_PATIENT = json.JSONDecoder(
    parse_constant=lambda _: None, parse_int=lambda digits: int(digits) if len(digits) < 4_000 else None
)
_DECODER = msgspec.json.Decoder()
decode = _DECODER.decode
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
    rows: Iterable[Row], convert: Callable[[object], Found], fault: str, problems: list[Problem]
) -> Iterator[tuple[Row, Found]]:
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
        if block.kind == "json":
            return _document_rows(block.content, source)
        return [Row(source, line, value) for line, value in packed_rows(block)]
    if isinstance(block, ParquetGroup):
        return block.rows()
    return [Row(source, line, value) for line, value in enumerate(block.values, 1)]


def decode_lines(data: bytes, source: str, first_line: int) -> Iterator[Row]:
    """JSON lines; blank lines are no rows."""
    for line, raw in enumerate(data.split(b"\n"), first_line):
        try:
            yield Row(source, line, decode(raw))
        except UNREADABLE:
            if raw.strip():
                yield from _odd_line(raw, source, line)


def _odd_line(raw: bytes, source: str, line: int) -> list[Row]:
    """Several values, or one that has to be repaired."""
    try:
        return [Row(source, line, value) for value in _DECODER.decode_lines(raw)]
    except UNREADABLE:
        return [decode_one(raw, source, line)]


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
        return _unreadable(f"not valid JSON{_too_deep(error)}", source, line)
    return Row(source, line, value, _repairs(text) or "a number too long to read was read as null")


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
            yield _unreadable(f"not valid JSON from here on{_too_deep(error)}", source, line)
            return
        yield Row(source, line, value, _repairs(text[at:end]))
        at = end
    if in_array:
        yield _unreadable("the array is not closed: the file looks cut off", source, line)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


_REPAIRS = (
    ("broken UTF-8 replaced (hint: convert the file to UTF-8)", ("\ufffd",)),
    ("lone surrogates replaced", ("\\ud", "\\uD")), ("NaN or Infinity read as null", ("NaN", "Infinity")),
)  # fmt: skip


def _repairs(text: str) -> str:
    return ", ".join([words for words, signs in _REPAIRS if any(sign in text for sign in signs)])


def _too_deep(error: Exception) -> str:
    return ": nested too deeply" if isinstance(error, RecursionError) else ""
