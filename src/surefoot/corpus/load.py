"""A corpus that a user names: a file that `surefoot corpus add` made, rows of their own, or documents as they are.

Documents and rows are read exactly as `surefoot corpus add` reads them, so their passages have the same ids.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from surefoot.corpus.corpus import FILE
from surefoot.corpus.files import Source
from surefoot.corpus.passages import Row
from surefoot.corpus.read import find_documents, read_documents
from surefoot.corpus.rows import rows_of
from surefoot.errors import UsageError
from surefoot.io.rows import read_rows
from surefoot.types import Passage

_HINT = "pass documents, or rows of JSON with a `text` each"


class Loaded(Struct, frozen=True):
    """The passages, and what people should know: documents and rows that could not be read."""

    rows: list[Row]
    warnings: list[str] = []

    @property
    def passages(self) -> list[Passage]:
        return [row.passage for row in self.rows]


def load_corpus(path: str | Path, *, with_texts: bool = True) -> Loaded:
    """Without `with_texts` rows of an id alone will do."""
    given = Path(path)
    if not given.exists():
        raise UsageError(f"the corpus {given} does not exist", _HINT)
    if (given / FILE).is_file():
        given = given / FILE
    loaded = _rows(given, with_texts) if _is_file_of_rows(given) else _documents(given)
    if not loaded.rows:
        raise UsageError("; ".join([f"the corpus {given} holds no passage", *loaded.warnings]), _HINT)
    return Loaded(_distinct(loaded.rows, given), loaded.warnings)


def _is_file_of_rows(given: Path) -> bool:
    """Whatever its name is, and however large: a corpus need not be as small as a document."""
    source = Source(given.name, given)
    return given.is_file() and (source.is_rows or not source.is_readable)


def _rows(given: Path, with_texts: bool) -> Loaded:
    rows, notes = rows_of(read_rows([given]), given.name, with_texts=with_texts)
    return Loaded(rows, [f"{given}: {note}" for note in notes])


def _documents(given: Path) -> Loaded:
    found = find_documents([given])
    reads = list(read_documents(found.documents))
    lines = [*found.lines, *(line for read in reads for line in read.lines)]
    return Loaded([row for read in reads for row in read.rows], lines)


def _distinct(rows: list[Row], given: Path) -> list[Row]:
    """A folder may also hold the corpus that was made of it; but no two passages may have one id."""
    by_id: dict[str, Row] = {}
    for row in rows:
        if by_id.setdefault(row.id, row).text != row.text:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {row.id!r}", hint)
    return list(by_id.values())
