"""A corpus: one file of JSON lines, a passage each, in the order of the documents.

Every row keeps the name and the hash of its file, so that adding again reads only what has changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from surefoot.corpus.passages import Row
from surefoot.corpus.read import Read
from surefoot.corpus.rows import is_rows
from surefoot.errors import UsageError

FILE = "passages.jsonl"  # where a corpus is a folder


class Documents:
    """Where each document's rows lie in a file of rows; rows of one document stand together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[str, tuple[int, int]] = {}
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
                start = self.places.get(row.file, (at, 0))[0]
                at += len(line)
                self.places[row.file] = (start, at - start)
                self.hashes[row.file] = row.sha256
                self.counts[row.file] = self.counts.get(row.file, 0) + 1
                if is_rows(row.file):
                    self.brought[row.id] = row.file


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
        places: dict[str, tuple[int, int]] = {}
        with fresh.open("wb") as file:
            for read in given:
                start = file.tell()
                file.writelines(encoder.encode(row) + b"\n" for row in read.rows)
                if read.rows:
                    places[read.name] = (start, file.tell() - start)
                yield read
        with whole.open("wb") as out, fresh.open("rb") as new, (path if path.is_file() else fresh).open("rb") as before:
            for name in sorted({*old.places, *places}.difference(without)):
                source, (start, length) = (new, places[name]) if name in places else (before, old.places[name])
                source.seek(start)
                out.write(source.read(length))
        whole.replace(path)
