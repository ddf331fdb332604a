"""What is taken from a public dataset, whatever its shape: documents, and what is known about each."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal, TypeVar
from zlib import error as ZlibError

import msgspec
from msgspec import Struct

from surefoot.errors import UsageError
from surefoot.io.rows import Row, decode_lines, decode_one, read_rows
from surefoot.types import Problem

LARGEST = 1 << 30  # bytes of one file, unpacked
# What a document says on a topic: the answer; the opposite of what is usual or suggested; nothing; nothing, though it
# has something very like it; nothing, though most others say something.
Says = Literal["answers", "contradicts", "silent", "nearly", "usual"]
Shape = TypeVar("Shape")


class Case(Struct, frozen=True):
    """A question about a document, with what its authors say of the answer."""

    id: str
    question: str
    kind: Says
    topic: str = ""  # the same question of many documents
    claims: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()  # words of the document


class Document(Struct, frozen=True):
    name: str  # begins the ids of its passages
    title: str
    text: str
    cases: tuple[Case, ...] = ()
    page: int | None = None
    suffix: str = ".txt"  # how the text is read


class Origin(Struct, frozen=True):
    """Where a dataset comes from, and by what it is known."""

    name: str
    title: str
    url: str
    licence: str
    size: str
    looks: str  # what its file looks like
    trained: str  # whether the bundled grader has seen it
    files: tuple[str, ...] = ()  # that are looked for in a folder or an archive, the first that is there


def whole(path: Path, origin: Origin, shape: type[Shape]) -> Shape:
    """A file that is one JSON object."""
    source, data = _content(path, origin)
    row = decode_one(data, source)
    return shaped(row, origin, shape)


def rows(path: Path, origin: Origin, shape: type[Shape]) -> Iterator[Shape]:
    """Rows of one file, or of a folder of files."""
    found = decode_lines(_content(path, origin)[1], str(path), 1) if origin.files else read_rows([_there(path, origin)])
    for row in found:
        if not (isinstance(row.value, Problem) and row.value.kind == "note"):
            yield shaped(row, origin, shape)


def shaped(row: Row, origin: Origin, shape: type[Shape]) -> Shape:
    try:
        if isinstance(row.value, Problem):
            raise msgspec.ValidationError(row.value.message)
        return msgspec.convert(row.value, shape)
    except msgspec.ValidationError as error:
        where = f"{row.source}:{row.line}" if row.line > 1 else row.source
        raise other_shape(where, origin, row.value, f" ({error})") from error


def other_shape(where: str, origin: Origin, value: object, why: str = "") -> UsageError:
    message = f"{where} is not {origin.title}: looked for {origin.looks}, found {_in_words(value)}{why}"
    return UsageError(message, _hint(origin))


def _there(path: Path, origin: Origin) -> Path:
    if not path.exists():
        raise UsageError(f"{path} does not exist", _hint(origin))
    return path


def _content(path: Path, origin: Origin) -> tuple[str, bytes]:
    """The file itself, or the one that is wanted in a folder or an archive."""
    if _there(path, origin).is_dir():
        file = Path(_wanted([str(one) for one in path.rglob("*") if one.is_file()], path, origin))
        return str(file), file.read_bytes()
    if not zipfile.is_zipfile(path):
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} has more than {LARGEST:,} bytes", _hint(origin))
        return str(path), path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            member = _wanted(archive.namelist(), path, origin)
            if archive.getinfo(member).file_size > LARGEST:
                raise UsageError(f"{path}: {member} has more than {LARGEST:,} bytes", _hint(origin))
            return f"{path}/{member}", archive.read(member)
    except (zipfile.BadZipFile, ZlibError, EOFError, NotImplementedError, RuntimeError) as error:
        raise UsageError(f"{path} cannot be unpacked: {error}", _hint(origin)) from error


def _wanted(names: list[str], path: Path, origin: Origin) -> str:
    for wanted in origin.files:
        for name in sorted(names):
            if PurePosixPath(name).name == wanted and "__MACOSX" not in name:
                return name
    looked_for = " or ".join(origin.files)
    some = ", ".join(sorted(PurePosixPath(name).name for name in names)[:5]) or "nothing"
    raise UsageError(f"{path} is not {origin.title}: looked for {looked_for}, found {some}", _hint(origin))


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return "an object with " + (", ".join(map(str, list(value)[:6])) or "nothing in it")
    return "no JSON" if isinstance(value, Problem) else f"a {type(value).__name__}"


def _hint(origin: Origin) -> str:
    return f"get {origin.title} from {origin.url}"
