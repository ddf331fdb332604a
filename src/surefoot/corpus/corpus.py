"""A corpus: the file that `surefoot corpus add` makes, rows of a user's own, or documents as they are.

The file has a passage a line, in the order of the documents. Every row keeps the name and the hash of its file, so that
adding again reads only what has changed. Documents and rows that a user names are read as `corpus add` reads them, so
their passages have the same ids.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from surefoot.core.errors import UsageError
from surefoot.core.files import replacing
from surefoot.core.types import Passage
from surefoot.corpus.files import Source
from surefoot.corpus.passages import Row
from surefoot.corpus.read import find_documents, read_documents
from surefoot.corpus.rows import rows_of
from surefoot.io.rows import read_rows

FILE = "passages.jsonl"  # where a corpus is a folder
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


def documents_in(path: Path) -> dict[str, list[Row]]:
    """The rows of each document, by its name; none where there is no file yet."""
    found: dict[str, list[Row]] = {}
    if path.is_file():
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                row = _decoded(line, path, number)
                found.setdefault(row.file, []).append(row)
    return found


def _decoded(line: bytes, path: Path, number: int) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "make it with `surefoot corpus add`, or name another file with --out"
        raise UsageError(f"{path}:{number}: this is not a row of a corpus: {error}", hint) from error


def write_corpus(path: Path, documents: Mapping[str, Sequence[Row]]) -> None:
    """In the order of the documents' names, in one step."""
    encoder = msgspec.json.Encoder()
    with replacing(path, 0o666) as file:
        for name in sorted(documents):
            file.writelines(encoder.encode(row) + b"\n" for row in documents[name])
