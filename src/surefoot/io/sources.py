"""Where rows come from: files, folders, addresses, compressed streams, Parquet, tables, stdin, Python objects.

A source is cut into blocks. A block is small and can be sent to another process, which reads its rows (`rows.py`), so
one machine, many processes or a cluster (`cluster.py`) all run the same code.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import glob
import gzip
import io
import itertools
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
from contextlib import contextmanager
from hashlib import sha256
from itertools import chain, islice
from multiprocessing import parent_process
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TypeVar, cast

from msgspec import Struct

from surefoot.core.errors import Incomplete, Unreachable, UsageError
from surefoot.core.files import BYTE_ORDER_MARK, ENDINGS, TRACE_SUFFIXES, library, printable
from surefoot.core.types import Problem

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
Result = TypeVar("Result")

MOST_JOBS_PER_CORE = 4  # more would only fight over the cores, and a slip must not bring a machine down

_work: Callable[..., object] | None = None


def map_blocks(work: Callable[[Piece], Result], blocks: Iterable[Piece], jobs: int | None = None) -> Iterator[Result]:
    """`work(block)` for every block. One block, or one job, stays in this process."""
    cores = os.cpu_count() or 1
    jobs = min(jobs or cores, MOST_JOBS_PER_CORE * cores)
    blocks = iter(blocks)
    head = list(islice(blocks, 2))
    if jobs == 1 or len(head) < 2:
        yield from map(work, chain(head, blocks))
        return
    with ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(work,)) as pool:
        waiting: deque[Future[Result]] = deque()
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


@contextmanager
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


class Document(Struct, frozen=True):
    """A JSON array, or pretty-printed JSON."""

    source: str
    content: bytes


class Packed(Struct, frozen=True):
    """A file of another format that has to be read whole."""

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
                if stream.fault is None or isinstance(block, (Lines, Document)):
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
    where = opened(path) if is_address(path) else path
    return library("pyarrow.parquet", "parquet").ParquetFile(where)


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
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [*cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"not valid CSV from line {line} on: {error}") from error


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
        if len(cells) > len(names):  # nobody knows which is the one too many
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
