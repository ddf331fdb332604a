"""Documents read: found at paths, turned into passages on all cores, and named where that fails."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.types import counted
from surefoot.corpus.files import LARGEST, READERS, Source, sources
from surefoot.corpus.passages import Ids, Row, is_rows, passages
from surefoot.corpus.rows import CONTENT_IDS, rows_of, with_id
from surefoot.io.rows import map_blocks, read_rows

_READING = "5"  # a new number reads every document again
_NAMED = 5  # files of other formats
_NONE: Mapping[str, str] = {}


class Read(Struct, frozen=True):
    """A document after it was read: its rows, or why there are none; neither if it has not changed."""

    name: str
    rows: tuple[Row, ...] = ()
    problem: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()  # parts that could not be read
    is_unchanged: bool = False
    sha256: str = ""  # of what was read; rows of a corpus have those of their own files

    @property
    def lines(self) -> list[str]:
        """What people should know about it."""
        if self.problem:
            return [f"{self.name} was not read: {self.problem}" + (f" ({self.hint})" if self.hint else "")]
        return [f"{self.name}: {note}" for note in (*self.gaps, *self.notes)]


def find_documents(given: Sequence[Path], apart_from: Path | None = None) -> tuple[list[Source], list[str]]:
    """What is at the paths, and a line on files of formats that are not read.

    A document is known by its name, so no two may have the same.
    """
    found: dict[str, Source] = {}
    for source in (source for path in given for source in sources(path)):
        if apart_from is not None and source.path.resolve() == apart_from.resolve():
            continue
        earlier = found.setdefault(source.name, source)
        if earlier != source:
            message = f"{earlier.path} and {source.path} would both be called {source.name}"
            raise UsageError(message, "add the folder above both: the names of its folders tell them apart")
    skipped = [source.name for source in found.values() if not source.is_readable]
    some = ", ".join(skipped[:_NAMED]) + (" ..." if len(skipped) > _NAMED else "")
    lines = [f"{counted(len(skipped), 'file')} of other formats skipped: {some}"] if skipped else []
    return [source for source in found.values() if source.is_readable], lines


def read_documents(
    given: Iterable[Source], known: Mapping[str, str] = _NONE, brought: Mapping[str, str] = _NONE
) -> Iterator[Read]:
    """Every document, on all cores.

    `known` are the hashes of those that were read before, `brought` the ids that came with rows, and of which file.
    """
    owners = dict(brought)
    for read in map_blocks(partial(_read, known=known), given):
        yield _with_own_ids(read, owners) if is_rows(read.name) else read


def _with_own_ids(read: Read, owners: dict[str, str]) -> Read:
    """Rows may bring ids that rows of another file have; the other file keeps them."""
    ids, name = Ids(read.name), read.name
    rows = tuple(row if owners.setdefault(row.id, name) == name else with_id(row, ids) for row in read.rows)
    changed = sum(one.id != other.id for one, other in zip(rows, read.rows, strict=True))
    notes = (*read.notes, f"ids that another file has: {changed:,}; {CONTENT_IDS}") if changed else read.notes
    return replace(read, rows=rows, notes=notes)


def _read(source: Source, known: Mapping[str, str]) -> Read:
    try:
        data = source.read()
        digest = hashlib.sha256(data + _READING.encode()).hexdigest()[:16]
        if known.get(source.name) == digest:
            return Read(source.name, is_unchanged=True)
        found, notes = _rows(source, data) if is_rows(source.name) else ([], [])
        blocks = [] if is_rows(source.name) else list(READERS[source.suffix](data))
        gaps = tuple(block.text for block in blocks if block.kind == "unread")
        found = found or passages((block for block in blocks if block.kind != "unread"), source.name)
    except SurefootError as error:
        return Read(source.name, problem=error.message, hint=error.hint)
    except (OSError, RecursionError, MemoryError, LookupError, ValueError) as error:
        return Read(source.name, problem=f"{type(error).__name__}: {error}")
    if not found:
        return Read(source.name, problem="; ".join(["it holds no text", *gaps, *notes]))
    digest = "partly" if gaps else digest  # it is read again, so that its gaps are named again
    rows = tuple(row if row.file else replace(row, file=source.name, sha256=digest) for row in found)
    return Read(source.name, rows, notes=tuple(notes), gaps=gaps, sha256=digest)


def _rows(source: Source, data: bytes) -> tuple[list[Row], list[str]]:
    # What is packed in an archive has no path to be read from.
    with tempfile.NamedTemporaryFile(suffix=Path(source.name).name[-40:]) as file:
        file.write(data)
        file.flush()
        return rows_of(read_rows([file.name]), source.name, most=LARGEST)
