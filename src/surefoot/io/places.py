"""Where a log lies: on this machine, or at an address that fsspec knows, such as s3://bucket/log or https://host/log.

A store that does not answer is asked again, and again after longer and longer pauses, before the work is given up.
"""

from __future__ import annotations

import glob
import io
import re
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from surefoot.errors import Incomplete, Unreachable, UsageError
from surefoot.io.extras import library
from surefoot.io.writer import printable

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
