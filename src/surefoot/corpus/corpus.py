"""A corpus: one file of JSON lines, a passage each, in the order of the documents.

Every row keeps the name and the hash of its file, so that adding again reads only what has changed.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.corpus.files import READERS, Source, sources
from surefoot.corpus.passages import Row, passages
from surefoot.errors import SurefootError, UsageError
from surefoot.io.pool import map_blocks

FILE = "passages.jsonl"  # where a corpus is a folder
_READING = "1"  # a new number reads every document again


class Read(Struct, frozen=True):
    """A document after it was read: its rows, or why there are none; neither if it has not changed."""

    name: str
    rows: tuple[Row, ...] = ()
    problem: str = ""
    hint: str = ""
    is_unchanged: bool = False


def named_sources(given: Sequence[Path]) -> list[Source]:
    """What is at the paths. A document is known by its name, so no two may have the same."""
    found: dict[str, Source] = {}
    for source in (source for path in given for source in sources(path)):
        earlier = found.setdefault(source.name, source)
        if earlier != source:
            message = f"{earlier.path} and {source.path} would both be called {source.name}"
            raise UsageError(message, "add the folder above both: the names of its folders tell them apart")
    return list(found.values())


def read_documents(given: Iterable[Source], known: dict[str, str], jobs: int | None = None) -> Iterator[Read]:
    """Every document, on all cores; `known` are the hashes of those that were read before."""
    yield from map_blocks(partial(_read, known=known), given, jobs)


def _read(source: Source, known: dict[str, str]) -> Read:
    try:
        data = source.read()
        digest = hashlib.sha256(data + _READING.encode()).hexdigest()[:16]
        if known.get(source.name) == digest:
            return Read(source.name, is_unchanged=True)
        found = passages(READERS[source.suffix](data), source.name)
    except SurefootError as error:
        return Read(source.name, problem=error.message, hint=error.hint)
    except (OSError, RecursionError, MemoryError) as error:
        return Read(source.name, problem=f"{type(error).__name__}: {error}")
    if not found:
        return Read(source.name, problem="it holds no text")
    return Read(source.name, tuple(replace(row, file=source.name, sha256=digest) for row in found))


class Documents:
    """Where each document's rows lie in a file of rows; rows of one document stand together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[str, tuple[int, int]] = {}
        self.hashes: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        if path.is_file():
            self._scan()

    def _scan(self) -> None:
        with self.path.open("rb") as file:
            at = 0
            for number, line in enumerate(file, 1):
                row = row_of(line, self.path, number)
                start = self.places.get(row.file, (at, 0))[0]
                at += len(line)
                self.places[row.file] = (start, at - start)
                self.hashes[row.file] = row.sha256
                self.counts[row.file] = self.counts.get(row.file, 0) + 1


def row_of(line: bytes, path: Path, number: int) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "make it with `surefoot corpus add`, or name another file with --out"
        raise UsageError(f"{path}:{number}: this is not a row of a corpus: {error}", hint) from error


def write_corpus(path: Path, given: Iterable[Read]) -> Iterator[Read]:
    """Put documents into a corpus, each in place of its former self, in the order of their names.

    Passes on what it is given; the file is replaced at the end, in one step.
    """
    old = Documents(path)
    encoder = msgspec.json.Encoder()
    with tempfile.TemporaryDirectory(prefix=".corpus-", dir=path.parent) as folder:
        fresh, whole = Path(folder) / "fresh", Path(folder) / "whole"
        places: dict[str, tuple[int, int]] = {}
        with fresh.open("wb") as file:
            for read in given:
                start = file.tell()
                file.writelines(encoder.encode(row) + b"\n" for row in read.rows)
                if read.rows:
                    places[read.name] = (start, file.tell() - start)
                yield read
        with whole.open("wb") as out, fresh.open("rb") as new, (path if path.is_file() else fresh).open("rb") as before:
            for name in sorted({*old.places, *places}):
                source, (start, length) = (new, places[name]) if name in places else (before, old.places[name])
                source.seek(start)
                out.write(source.read(length))
        whole.replace(path)
