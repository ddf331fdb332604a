"""Files that are written whole or not at all, and never over a project or what a command reads; packages of extras."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterable, Iterator
from importlib import import_module  # noqa: TID251 - of extras
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import msgspec

from surefoot.core.errors import Incomplete, UsageError, nearest


def library(name: str, extra: str, what: str = "this file") -> ModuleType:
    """A package that comes with an extra of ours, and what needs it."""
    try:
        return import_module(name)
    except ImportError as error:
        hint = f"install surefoot with its extra `{extra}`: pip install '/path/to/surefoot[{extra}]'"
        raise Incomplete(f"{what} needs the package {name.partition('.')[0]}", hint) from error


LOCK = ".lock"
ENDINGS = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TRACE_SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".binpb")  # in a folder, tables may be anything
_SQLITE = b"SQLite format 3\0"
ELSEWHERE = "choose another name"
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)  # how JSON fails that is none


_KINDS = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "nothing",
}  # fmt: skip


def fault_in(error: Exception, kind: Any = None) -> str:  # noqa: ANN401 - a type, whose keys may be meant
    """What parsers say of a file that cannot be used, in our words."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "Decode" in type(error).__name__:  # of json, tomllib or msgspec
        line = re.search(r"\(at line (\d+)|: line (\d+) column", str(error))
        place = f" at line {line[1] or line[2]}" if line else " at its end" if "at end of" in str(error) else ""
        return f"it is not valid {'TOML' if '(at ' in str(error) else 'JSON'}{place}"
    said, _, place = str(error).partition(" - at `$")
    place = place.strip(".`")
    where = f" in {place}" if place else ""
    if key := re.fullmatch("Object contains unknown field `(.*)`", said):
        of_kinds = msgspec.json.schema(kind)["$defs"].values() if kind else ()
        near = nearest(key[1], (name for one in of_kinds for name in one.get("properties", ())))
        return f"there is no key {key[1]!r}{where}" + (f": {near}" if near else "")
    if key := re.fullmatch("Object missing required field `(.*)`", said):
        return f"it has no {key[1]!r}{where}"
    if said.startswith("Expected "):
        named = re.sub("`(.*?)`", lambda one: " or ".join(_KINDS.get(name, name) for name in one[1].split(" | ")), said)
        return named.replace("Expected", f"{place or 'it'} must be", 1).replace(", got ", ", not ")
    return f"{said.replace('Invalid enum value', 'it cannot be')}{where}"


def printable(path: Path) -> str:
    """A path as it can be written into JSON: names need not be text."""
    return str(path).encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def holding(path: Path, taken: Incomplete, seconds: float = 0.0) -> Iterator[None]:
    """Hold a lock; `taken` is raised where another process holds it for so many seconds."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - takes long, and most commands hold none

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


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "surefoot"


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
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename is None:  # a full disk does not say which file it is about
            error.filename = printable(path)
        raise


def make_folder(path: Path) -> None:
    """For a file that is to be written, before the work is done that fills it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"there is no folder to write {printable(path)} into, and none can be made"
        raise UsageError(message, "choose another place") from error


def check_outputs(names: Iterable[str | Path], inputs: Iterable[str | Path] = ()) -> None:
    """Before any work is done: what is read, and what nothing brings back, is not written over. Links are followed; an
    input may be a folder of traces."""
    there = [_followed(one) for one in inputs if os.path.exists(one)]  # noqa: PTH110 - never raises
    taken: set[Path] = set()
    for name in names:
        if name == "":
            raise UsageError("there is no folder to write '' into", "name a file")
        shown, place = printable(Path(name)), _followed(name)
        if place.is_symlink():
            raise UsageError(f"{shown} is a link that leads in a circle", ELSEWHERE)
        if any(place == other or (place.exists() and place.samefile(other)) for other in there):
            raise UsageError(f"{shown} is also something to read, and would be overwritten", ELSEWHERE)
        for ending in ("", "-wal", "-shm", "-journal"):
            owner = place.with_name(place.name.removesuffix(ending))
            if place.name.endswith(ending) and owner.is_file():  # to look into a pipe would empty it
                with owner.open("rb") as file:
                    if file.read(len(_SQLITE)) == _SQLITE:
                        raise UsageError(f"{shown} is a database, and would be lost", ELSEWHERE)
        is_trace = place.exists() and any(suffix in place.suffixes for suffix in TRACE_SUFFIXES)
        if place in taken or (is_trace and any(place.is_relative_to(other) for other in there if other.is_dir())):
            raise UsageError(f"{shown} would be overwritten", "write the report to a file of its own")
        taken.add(place)
        make_folder(place)


def _followed(path: str | Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it survives links in a circle
