"""A corpus that a user names: a file that `surefoot corpus add` made, rows of their own, or documents as they are.

Documents and rows are read exactly as `surefoot corpus add` reads them, so their passages have the same ids.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from surefoot.corpus.corpus import FILE
from surefoot.corpus.files import Source
from surefoot.corpus.passages import Row
from surefoot.corpus.read import find_documents, read_documents
from surefoot.corpus.rows import rows_of
from surefoot.errors import UsageError
from surefoot.io.rows import read_rows
from surefoot.types import Passage

_HINT = "pass documents, or rows of JSON with a `text` each"


Tell = Callable[[str], None]


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def load_corpus(path: str | Path, *, with_texts: bool = True, tell: Tell = _to_stderr) -> list[Passage]:
    return [row.passage for row in load_rows(path, with_texts=with_texts, tell=tell)]


def load_rows(path: str | Path, *, with_texts: bool = True, tell: Tell = _to_stderr) -> list[Row]:
    """The passages. `tell` hears of documents and rows that cannot be read; without `with_texts` ids alone will do."""
    given = Path(path)
    if not given.exists():
        raise UsageError(f"the corpus {given} does not exist", _HINT)
    if (given / FILE).is_file():
        given = given / FILE
    rows, lines = _rows(given, with_texts) if _is_file_of_rows(given) else _documents(given)
    if not rows:
        raise UsageError("; ".join([f"the corpus {given} holds no passage", *lines]), _HINT)
    for line in lines:
        tell(f"warning: {line}")
    return _distinct(rows, given)


def _is_file_of_rows(given: Path) -> bool:
    """Whatever its name is, and however large: a corpus need not be as small as a document."""
    source = Source(given.name, given)
    return given.is_file() and (source.is_rows or not source.is_readable)


def _rows(given: Path, with_texts: bool) -> tuple[list[Row], list[str]]:
    rows, notes = rows_of(read_rows([given]), given.name, with_texts=with_texts)
    return rows, [f"{given}: {note}" for note in notes]


def _documents(given: Path) -> tuple[list[Row], list[str]]:
    found = find_documents([given])
    reads = list(read_documents(found.documents))
    lines = [*found.lines, *(line for read in reads for line in read.lines)]
    return [row for read in reads for row in read.rows], lines


def _distinct(rows: list[Row], given: Path) -> list[Row]:
    """A folder may also hold the corpus that was made of it; but no two passages may have one id."""
    by_id: dict[str, Row] = {}
    for row in rows:
        if by_id.setdefault(row.id, row).text != row.text:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {row.id!r}", hint)
    return list(by_id.values())
