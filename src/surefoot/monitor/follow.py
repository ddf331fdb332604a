"""What is new in logs, whole or still being written: lines as they come, also where a log is rotated, cut or begun
anew."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b, sha256
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.files import BYTE_ORDER_MARK
from surefoot.core.types import Problem, Trace
from surefoot.io import rows
from surefoot.io.rows import LONGEST_LINE, Row, Unpacked

LOST = "lost"  # the kind of a problem: a log is gone, and what came behind the position with it
PIECE_BYTES = 256 << 10  # little enough to be taken in soon: a piece that is not saved before a kill is read again
_MARK_BYTES = 256
_PACKED = (".gz", ".zst")


class Position(Struct, frozen=True):
    """How far a log was read. `mark` is a digest of the last bytes before it, to know the file again by."""

    inode: int = 0
    offset: int = 0
    line: int = 1
    mark: str = ""
    in_long_line: bool = False  # the rest of a line that is too long is still to be skipped


# Rows that belong together, the path under which the position behind them is kept ("" for none), and that position.
Piece = tuple[Iterable[Row], str, Position]


class News(Struct, frozen=True):
    """Whole lines, the number of the first and the position behind them, and what went wrong on the way."""

    lines: bytes
    first_line: int
    position: Position
    problems: tuple[Problem, ...] = ()

    def rows(self, source: str) -> list[Row]:
        lines = self.lines.removeprefix(BYTE_ORDER_MARK) if self.first_line == 1 else self.lines
        told = [Row(source, self.first_line, problem) for problem in self.problems]
        return [*told, *(rows.decode_lines(lines, source, self.first_line) if lines else ())]


class Tail:
    """Reads on from a position, in whichever file that is now. A file that is not there yet is waited for."""

    def __init__(self, path: Path, position: Position | None = None) -> None:
        self.path, self._position = path, position or Position()
        self._file: IO[bytes] | None = None
        self._opened = contextlib.ExitStack()  # which holds it
        self._problems: list[Problem] = []

    def read(self) -> News | None:
        """The next lines; None where there is nothing new."""
        if self._file is None and not self._open():
            return None
        assert self._file is not None
        is_replaced = self._is_replaced()  # looked at first: what is written before it is replaced is read to the end
        if not self._is_same(self._file):  # cut or written anew
            self.close()
            return self.read()
        before, data = self._position, self._bytes_at(self._file)
        if is_replaced and not data:
            self.close()
            self._position = Position()
            return self.read()
        lines = self._whole(data, is_last=is_replaced)
        told, self._problems = tuple(self._problems), []
        return News(lines, before.line, self._position, told) if told or self._position != before else None

    def close(self) -> None:
        self._opened.close()
        self._file = None

    def _tell(self, kind: str, message: str) -> None:
        self._problems.append(Problem(kind, message, str(self.path), self._position.line))

    def _open(self) -> bool:
        """The file that was read last, or a copy of it, which may have another name by now and be packed; or else the
        one of our name."""
        for path in self._candidates():
            with contextlib.suppress(OSError, EOFError, zlib.error):
                if self._takes(path):
                    return True
        if self._position.inode and self.path.exists():
            if self._position.offset:
                before = f"of the log before it, whatever came after byte {self._position.offset:,} is lost"
                self._tell(LOST, f"was cut or replaced, and is read from its start; {before}")
            self._position = Position()
            return self._open()
        return False

    def _candidates(self) -> list[Path]:
        """The very file first, then the latest. What is packed comes last, and only once there is another log."""
        if not self._position.inode:
            return [self.path]
        start, is_next = self.path.name.partition(".")[0], self.path.exists()
        beside = (path for path in self.path.parent.glob("*") if path.name.startswith(start))
        found = list[tuple[bool, bool, float, Path]]()
        for path in beside:
            is_packed = path.suffix in _PACKED
            with contextlib.suppress(OSError):
                told = path.stat()
                if stat.S_ISREG(told.st_mode) and (is_next or not is_packed):
                    found.append((is_packed, told.st_ino != self._position.inode, -told.st_mtime, path))
        return [path for *_, path in sorted(found)]

    def _takes(self, path: Path) -> bool:
        """Whether it is what was read, which is read on then. Where nothing was read, only the inode tells."""
        position = self._position
        with contextlib.ExitStack() as stack:
            file: IO[bytes] = (raw := stack.enter_context(path.open("rb")))
            inode = os.fstat(file.fileno()).st_ino
            if position.mark and (packed := Unpacked.of(raw)):
                file = stack.enter_context(tempfile.TemporaryFile())
                _unpack(io.BufferedReader(packed), file, position)
                if packed.fault:
                    raise packed.fault
            if not self._is_same(file) or not (position.mark or position.inode in (0, inode)):
                return False
            self._file, self._position, self._opened = file, replace(position, inode=inode), stack.pop_all()
        return True

    def _is_replaced(self) -> bool:
        try:
            return self.path.stat().st_ino != self._position.inode
        except OSError:  # moved away, and the next one is not there yet
            return False

    def _is_same(self, file: IO[bytes]) -> bool:
        """Still what was read: as long at least, and with the same bytes before the position."""
        position = self._position
        if os.fstat(file.fileno()).st_size < position.offset:
            return False
        return not position.mark or _mark(file, position.offset) == position.mark

    def _bytes_at(self, file: IO[bytes]) -> bytes:
        """A block, or as much more as it takes to come to the end of a line."""
        file.seek(self._position.offset)
        data = file.read(PIECE_BYTES)
        while data and b"\n" not in data and len(data) < LONGEST_LINE and (more := file.read(PIECE_BYTES)):
            data += more
        return data

    def _whole(self, data: bytes, *, is_last: bool) -> bytes:
        """The whole lines of what was read, and the position moved behind them.

        What is after them waits until its line is whole, unless it is an object, or nobody will end it any more.
        """
        skipped, is_long = 0, self._position.in_long_line
        if is_long:
            end = data.find(b"\n") + 1
            skipped, is_long = (end, False) if end else (len(data), True)
        lines = data[skipped : data.rfind(b"\n") + 1]
        if not lines and not skipped and len(data) >= LONGEST_LINE:
            self._tell("malformed", f"a line of over {LONGEST_LINE >> 20} MiB, too long to read, was skipped")
            skipped, is_long = len(data), True
        elif self._file is not None and not self._file.read(1):
            rest = data[skipped + len(lines) :]
            lines += rest if is_last or _is_object(rest) else b""
        if (moved := skipped + len(lines)) and self._file is not None:
            offset, line = self._position.offset + moved, self._position.line + data.count(b"\n", 0, moved)
            self._position = Position(self._position.inode, offset, line, _mark(self._file, offset), is_long)
        return lines


def _is_object(line: bytes) -> bool:
    return line.rstrip()[-1:] == b"}" and isinstance(rows.decode_one(line).value, dict)


def _unpack(stream: io.BufferedReader, file: IO[bytes], position: Position) -> None:
    """What is packed from a position on is written at the same offset; nothing if it is another log."""
    head, start = stream.read(min(_MARK_BYTES, position.offset)), max(0, position.offset - _MARK_BYTES)
    for at in range(len(head), start, PIECE_BYTES):
        stream.read(min(PIECE_BYTES, start - at))
    before = head[start:] + stream.read(position.offset - max(start, len(head)))
    if _digest(head + before) == position.mark:
        file.write(head)
        file.seek(start)
        file.write(before)
        shutil.copyfileobj(stream, file)
        file.flush()


def _mark(file: IO[bytes], offset: int) -> str:
    """Of how a log begins, and of what stands before an offset: rows of another log may end alike."""
    file.seek(0)
    head = file.read(min(_MARK_BYTES, offset))
    file.seek(start := max(0, offset - _MARK_BYTES))
    return _digest(head + file.read(offset - start))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


_NAMES = ("trace_id", "traceId", "request_id", "requestId", "run_id", "runId", "span_id", "message_id", "uuid")
# With one of these, two rows that are the same throughout are one answer; without, they may be two.
_TELLING = ("id", "ts", "timestamp", "time", "created", "created_at", "createdAt", "start_time", "startTime", "date")
_FOLLOWED = (".jsonl", ".ndjson")  # in a folder


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


def whole_logs(paths: Sequence[str | Path], positions: Mapping[str, Position]) -> Iterator[Piece]:
    """All that files, folders, addresses or stdin hold beyond the positions up to which they were read.

    A log of lines is read like one that is followed, also where it was rotated or cut. Anything else is read from its
    start: only the names of its answers tell then which were counted.
    """
    for found in rows.files_in(paths):
        if isinstance(found, rows.File) and (_is_of_lines(found) or is_known(found.path, positions)):
            name = _key(found.path)
            with closing(Tail(Path(found.path), positions.get(name))) as tail:
                while (news := tail.read()) is not None:
                    yield news.rows(found.source), name, news.position
        else:
            yield from ((rows.rows_in(block), "", Position()) for block in rows.cut(found))


class Followed:
    """A log that is being written, or a folder of such: files that come later are found. Rotated ones are read to
    their end, as they are held open."""

    def __init__(self, path: Path) -> None:
        self._path, self._tails = path, dict[str, Tail]()

    def pieces(self, positions: Mapping[str, Position]) -> Iterator[Piece]:
        """What there is now."""
        paths = [self._path]
        if self._path.is_dir():
            paths = sorted(path for path in self._path.rglob("*") if path.suffix in _FOLLOWED and path.is_file())
        for path in paths:
            self._tails.setdefault(_key(path), Tail(path, positions.get(_key(path))))
        for name, tail in self._tails.items():
            while (news := tail.read()) is not None:
                yield news.rows(str(tail.path)), name, news.position

    def close(self) -> None:
        """The next call reads on from the positions then."""
        for tail in self._tails.values():
            tail.close()
        self._tails.clear()


def is_known(path: str | Path, positions: Mapping[str, Position]) -> bool:
    """Whether it was read before: then it may have been moved away, and the next one is not there yet."""
    return _key(path) in positions


def _key(path: str | Path) -> str:
    return str(Path(path).resolve())


def _is_of_lines(found: rows.File) -> bool:
    """Or empty still, as a log is that was just rotated."""
    if found.path == "-" or rows.is_address(found.path) or not Path(found.path).is_file():
        return False
    if not Path(found.path).stat().st_size:
        return True
    blocks = (block for block in rows.cut(found) if not isinstance(block, rows.Values))  # which would be notes
    first = next(blocks, None)
    return isinstance(first, rows.Lines) and bool(first.path)
