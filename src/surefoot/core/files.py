"""Files that are written whole or not at all, and packages that come with extras of ours."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib import import_module  # noqa: TID251 - of extras
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import msgspec
from filelock import FileLock, Timeout

from surefoot.core.errors import Incomplete


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


def printable(path: Path) -> str:
    """A path as it can be written into JSON: names need not be text."""
    return str(path).encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def holding(path: Path, taken: Incomplete, seconds: float = 0.0) -> Iterator[None]:
    """Hold a lock; `taken` is raised where another process holds it for so many seconds."""
    lock = FileLock(path, timeout=seconds, mode=0o600, thread_local=False)  # whichever thread ends it
    try:
        lock.acquire()
    except Timeout as error:
        raise taken from error
    except OSError as error:
        hint = "choose a place that can be written to"
        raise Incomplete(f"{printable(path)} cannot be written: {error.strerror}", hint) from error
    try:
        yield
    finally:
        lock.release()


PRIVATE = 0o600  # the mode of files that hold what people said


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
