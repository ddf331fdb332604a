"""A corpus: one file of JSON lines, a passage each, in the order of the documents.

Every row keeps the name and the hash of its file, so that adding again reads only what has changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.corpus.passages import Row
from surefoot.corpus.read import Read
from surefoot.corpus.rows import is_rows
from surefoot.errors import UsageError

Place = tuple[int, int]  # where bytes begin, and how many they are

FILE = "passages.jsonl"  # where a corpus is a folder


class Documents:
    """Where each document's rows lie in a file of rows: together, unless others have put the file together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[str, list[Place]] = {}
        self.hashes: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        self.brought: dict[str, str] = {}  # ids that came with rows, and of which file
        if path.is_file():
            self._scan()

    def _scan(self) -> None:
        with self.path.open("rb") as file:
            at = 0
            for number, line in enumerate(file, 1):
                row = row_of(line, self.path, number)
                self._place(row.file, at, len(line))
                at += len(line)
                if self.hashes.setdefault(row.file, row.sha256) != row.sha256:
                    self.hashes[row.file] = ""  # rows of two states of it: it is to be read again
                self.counts[row.file] = self.counts.get(row.file, 0) + 1
                if is_rows(row.file):
                    self.brought[row.id] = row.file

    def _place(self, name: str, at: int, length: int) -> None:
        places = self.places.setdefault(name, [])
        if places and sum(places[-1]) == at:
            at, length = places[-1][0], places.pop()[1] + length
        places.append((at, length))


def row_of(line: bytes, path: Path, number: int) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "make it with `surefoot corpus add`, or name another file with --out"
        raise UsageError(f"{path}:{number}: this is not a row of a corpus: {error}", hint) from error


def write_corpus(path: Path, given: Iterable[Read], without: Collection[str] = ()) -> Iterator[Read]:
    """Put documents into a corpus, each in place of its former self, in the order of their names; take some out.

    Passes on what it is given; the file is replaced at the end, in one step.
    """
    old = Documents(path)
    encoder = msgspec.json.Encoder()
    with tempfile.TemporaryDirectory(prefix=".corpus-", dir=path.parent) as folder:
        fresh, whole = Path(folder) / "fresh", Path(folder) / "whole"
        places: dict[str, list[Place]] = {}
        with fresh.open("wb") as file:
            for read in given:
                start = file.tell()
                rows = (replace(row, file=read.name, sha256=read.sha256) for row in read.rows)
                file.writelines(encoder.encode(row) + b"\n" for row in rows)
                if read.rows:
                    places[read.name] = [(start, file.tell() - start)]
                yield read
        with whole.open("wb") as out, fresh.open("rb") as new, (path if path.is_file() else fresh).open("rb") as before:
            for name in sorted({*old.places, *places}.difference(without)):
                source, found = (new, places[name]) if name in places else (before, old.places[name])
                for start, length in found:
                    source.seek(start)
                    out.write(source.read(length))
        whole.replace(path)
