"""A corpus: one file of JSON lines, a passage each, in the order of the documents.

Every row keeps the name and the hash of its file, so that adding again reads only what has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from surefoot.corpus.passages import Row
from surefoot.errors import UsageError
from surefoot.io.writer import replacing

FILE = "passages.jsonl"  # where a corpus is a folder


def documents_in(path: Path) -> dict[str, list[Row]]:
    """The rows of each document, by its name; none where there is no file yet."""
    found: dict[str, list[Row]] = {}
    if path.is_file():
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                row = _row(line, path, number)
                found.setdefault(row.file, []).append(row)
    return found


def _row(line: bytes, path: Path, number: int) -> Row:
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
