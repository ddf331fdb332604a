"""Files of rows that only one process writes: a killed process loses no finished row and leaves no half one."""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from surefoot.errors import Incomplete
from surefoot.types import Problem

LOCK = ".lock"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # how JSON fails that is none
_SYNC_SECONDS = 1.0


class Writer:
    """The one writer of a folder: holds its lock, appends whole lines, and makes them durable every second."""

    def __init__(self, folder: Path, appended: Iterable[str], problems: list[Problem]) -> None:
        self._folder = folder
        self._lock = locked(folder / LOCK)
        self._files: dict[str, int] = {}
        self._replaced: list[int] = []  # closed with the rest: one of them may just be made durable
        self._unsynced: set[int] = set()
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._syncing: threading.Thread | None = None
        for name in appended:
            problems += cut_torn_line(folder / name)

    def append(self, name: str, data: bytes) -> None:
        with self._guard:
            file = self._files.get(name)
            if file is None:
                file = os.open(self._folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
                self._files[name] = file
            write_whole(file, data)
            self._unsynced.add(file)
            if self._syncing is None:
                self._syncing = threading.Thread(target=self._sync_until_closed, name="surefoot-sync", daemon=True)
                self._syncing.start()

    def replace(self, name: str, data: bytes) -> None:
        with self._guard:
            if name in self._files:
                self._replaced.append(self._files.pop(name))
            replace_file(self._folder / name, data)

    def close(self) -> None:
        self._closing.set()
        if self._syncing is not None:
            self._syncing.join()
        self._sync()
        for file in (*self._files.values(), *self._replaced):
            os.close(file)
        self._lock.release()

    def _sync_until_closed(self) -> None:
        while not self._closing.wait(_SYNC_SECONDS):
            self._sync()

    def _sync(self) -> None:
        with self._guard:
            waiting, self._unsynced = self._unsynced, set()
        # Outside the guard: a slow disk must not hold up the answers.
        for file in waiting:
            os.fsync(file)


def printable(path: Path) -> str:
    """A path as it can be written into JSON: names need not be text."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def locked(path: Path) -> FileLock:
    lock = FileLock(path, timeout=0, mode=0o644, thread_local=False)  # whichever thread closes it
    try:
        lock.acquire()
    except Timeout as error:
        hint = "wait for it to end, or choose another folder"
        raise Incomplete(f"another process is writing to {path.parent}", hint) from error
    return lock


def cut_torn_line(path: Path) -> list[Problem]:
    """What a crash left of a line is no row; the next one must not be glued to it."""
    size = path.stat().st_size if path.exists() else 0
    if not size:
        return []
    with path.open("r+b") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            whole = content.rfind(b"\n") + 1
            rest = content[whole:]
        if rest and _is_json(rest):  # an editor leaves out the last line break
            file.seek(size)
            file.write(b"\n")
        elif rest:
            file.truncate(whole)
            return [Problem("torn", f"the last line broke off; its {len(rest)} bytes were cut off", printable(path))]
    return []


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK))
    except UNREADABLE:
        return False
    return True


PRIVATE = 0o600  # the mode of files that hold what people said


def write_whole(file: int, data: bytes) -> None:
    """All of it or nothing: on a full disk what was begun is taken back."""
    start = os.fstat(file).st_size
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(file, view) :]
    except BaseException:
        os.ftruncate(file, start)
        raise


def replace_file(path: Path, data: bytes, mode: int = 0o666) -> None:
    with replacing(path, mode) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once it is whole; if it does not get that far, nothing has happened."""
    beside = path.with_name(f".{path.name}.new")
    try:
        with open(beside, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


class _ReplyRow(Struct, frozen=True):
    digest: str  # of what was asked of whom
    reply: msgspec.Raw


_REPLIES = msgspec.json.Decoder(_ReplyRow)


class ReplyFile:
    """Replies of models beside the run they graded, a row for each. What cannot be read of it is asked again."""

    def __init__(self, path: Path, append: Callable[[bytes], None], problems: list[Problem]) -> None:
        self.name = printable(path)
        self._path, self._append, self._problems = path, append, problems

    @property
    def digests(self) -> frozenset[str]:
        return frozenset(self._places)

    def read(self, digest: str) -> bytes | None:
        if digest not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[digest])
            return bytes(_REPLIES.decode(file.readline()).reply)

    def write(self, digest: str, _model: str, reply: bytes) -> None:
        """A reply that cannot be kept is still a reply."""
        if digest in self._places:
            return
        try:
            place = self._path.stat().st_size if self._path.exists() else 0
            self._append(msgspec.json.encode(_ReplyRow(digest, msgspec.Raw(reply))) + b"\n")
            self._places[digest] = place
        except OSError as error:
            problem = Problem("unwritable", f"replies could not be kept: {error.strerror}", self.name)
            self._problems += [] if problem in self._problems else [problem]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where the row of each digest begins."""
        found: dict[str, int] = {}
        place = 0
        if self._path.exists():
            with self._path.open("rb") as file:
                for line in file:
                    with contextlib.suppress(*UNREADABLE):
                        found[_REPLIES.decode(line).digest] = place
                    place += len(line)
        return found
