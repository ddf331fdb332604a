"""Files that are written whole or not at all, and packages that come with extras of ours."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from importlib import import_module  # noqa: TID251 - of extras
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import msgspec
from filelock import FileLock, Timeout

from surefoot.core.errors import Incomplete
from surefoot.core.types import Problem


def library(name: str, extra: str, what: str = "this file") -> ModuleType:
    """A package that comes with an extra of ours, and what needs it."""
    try:
        return import_module(name)
    except ImportError as error:
        hint = f"install surefoot with its extra `{extra}`: pip install '/path/to/surefoot[{extra}]'"
        raise Incomplete(f"{what} needs the package {name.partition('.')[0]}", hint) from error


LOCK = ".lock"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # how JSON fails that is none
_SYNC_SECONDS = 1.0


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
