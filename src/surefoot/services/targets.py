"""Where commands may write: never over a project or what they read; links are followed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import printable
from surefoot.io.sources import TRACE_SUFFIXES

_SQLITE = b"SQLite format 3\0"
_BESIDE_SQLITE = ("-wal", "-shm", "-journal")
_ELSEWHERE = "choose another name"


def check_target(path: Path, suffixes: Sequence[str], is_ours: Callable[[Path], bool]) -> None:
    """What is there already is replaced only if it `is_ours`: an earlier export, an earlier bundle."""
    name = printable(path)
    _check_place(path)
    if not path.name.endswith(tuple(suffixes)) or path.name in suffixes:
        raise UsageError(f"{name} does not end in {' or '.join(suffixes)}", _ELSEWHERE)
    _refuse_precious(path)
    if path.exists() and not path.is_file():
        raise UsageError(f"{name} is no ordinary file", _ELSEWHERE)
    if path.exists() and path.stat().st_size and not is_ours(path):
        raise UsageError(f"{name} is there already, and is something else", f"{_ELSEWHERE}, or remove it first")


def check_outputs(names: Iterable[str | Path], inputs: Iterable[str | Path]) -> None:
    """Before any work is done. An input may be a folder of traces."""
    there = [Path(one) for one in inputs if os.path.exists(one)]  # noqa: PTH110 - never raises
    folders = [_followed(path) for path in there if path.is_dir()]
    taken: set[Path] = set()
    for name in names:
        if name == "":
            raise UsageError("there is no folder to write '' into", "name a file")
        path = Path(name)
        _check_place(path)
        if any(_is_same(path, other) for other in there):
            message = f"{printable(path)} is also something to read, and would be overwritten"
            raise UsageError(message, _ELSEWHERE)
        _refuse_precious(path)
        place = _followed(path)
        is_trace = place.exists() and any(suffix in place.suffixes for suffix in TRACE_SUFFIXES)
        if place in taken or (is_trace and any(place.is_relative_to(folder) for folder in folders)):
            raise UsageError(f"{printable(path)} would be overwritten", "write the report to a file of its own")
        taken.add(place)


def _check_place(path: Path) -> None:
    if _followed(path).is_symlink():
        raise UsageError(f"{printable(path)} is a link that leads in a circle", _ELSEWHERE)
    if not _followed(path).parent.is_dir():
        raise UsageError(f"there is no folder to write {printable(path)} into", "make the folder first")


def _refuse_precious(path: Path) -> None:
    """What other commands have made and nothing brings back."""
    name, place = printable(path), _followed(path)
    belongs_to = [place.name.removesuffix(ending) for ending in ("", *_BESIDE_SQLITE) if place.name.endswith(ending)]
    if any(_is_database(place.with_name(owner)) for owner in belongs_to if owner):
        raise UsageError(f"{name} is a database, and would be lost", _ELSEWHERE)


def _is_database(path: Path) -> bool:
    if not path.is_file():  # to look into a pipe would empty it
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _is_same(path: Path, other: Path) -> bool:
    """Also before either is there, and under two names of one file."""
    if _followed(path) == _followed(other):
        return True
    return path.exists() and other.exists() and path.samefile(other)


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it survives links in a circle


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """A full disk does not say which file it is about."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        message = f"{printable(path)} cannot be written: {error.strerror or error}"
        raise Incomplete(message, "make room, or choose another place; nothing was changed") from error
