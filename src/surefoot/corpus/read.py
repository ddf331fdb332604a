"""Documents read: found at paths, turned into passages on all cores, and named where that fails."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import SurefootError, UsageError
from surefoot.core.types import Problem, counted
from surefoot.corpus.files import LARGEST, READERS, Source, sources
from surefoot.corpus.passages import Ids, Row, is_rows, passages
from surefoot.io import rows as io
from surefoot.io.rows import TEXT_KEYS, BadRow, first_text, kind_of, map_blocks, passage_in, read_rows

_READING = "6"  # a new number reads every document again
_NAMED = 5  # files of other formats
_NONE: Mapping[str, str] = {}
_OF_QUESTIONS = ("answerable", "expects", "gold_ids", "gold_claim", "gold_claims")
_CONTENT_IDS = "such a passage has an id made of its text"


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
    notes = (*read.notes, f"ids that another file has: {changed:,}; {_CONTENT_IDS}") if changed else read.notes
    return replace(read, rows=rows, notes=notes)


def _read(source: Source, known: Mapping[str, str]) -> Read:
    try:
        data = source.read()
        digest = hashlib.sha256(data + _READING.encode()).hexdigest()[:16]
        if known.get(source.name) == digest:
            return Read(source.name, is_unchanged=True)
        found, notes = _unpacked(source, data) if is_rows(source.name) else ([], [])
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


def _unpacked(source: Source, data: bytes) -> tuple[list[Row], list[str]]:
    # What is packed in an archive has no path to be read from.
    with tempfile.NamedTemporaryFile(suffix=Path(source.name).name[-40:]) as file:
        file.write(data)
        file.flush()
        return rows_of(read_rows([file.name]), source.name, most=LARGEST)


def rows_of(
    given: Iterable[io.Row], name: str, *, with_texts: bool = True, most: int | None = None
) -> tuple[list[Row], list[str]]:
    """The passages of one file, and what is to be said about it. Without `with_texts` an id is enough.

    `most` characters are read: few bytes of a compressed file may hold many.
    """
    problems: list[Problem] = []
    found, size = list[Row](), 0
    for _, row in io.converted(given, partial(_row, with_texts=with_texts), "bad_passage", problems):
        found.append(row)
        size += len(row.text)
        if most is not None and size > most:
            raise UsageError(f"its rows have more than {most:,} characters", "split it")
    distinct = list({replace(row, file="", sha256=""): row for row in found}.values())
    counts = Counter(row.id for row in distinct if row.id)
    bad = [problem for problem in problems if problem.kind != "note"]
    notes = [f"rows skipped: {len(bad):,} of {len(found) + len(bad):,}; {_told(bad[0])}"] if bad else []
    if doubled := [id_ for id_, count in counts.items() if count > 1]:
        notes.append(f"ids of several passages: {len(doubled):,}, such as {doubled[0]!r}; {_CONTENT_IDS}")
    ids = Ids(name)
    return [row if counts[row.id] == 1 else with_id(row, ids) for row in distinct], notes


def with_id(row: Row, ids: Ids) -> Row:
    """The row with an id made of its text."""
    return replace(row, id=ids.of(next(iter(row.labels), ""), row.text))


def _row(value: object, *, with_texts: bool) -> Row:
    if not isinstance(value, dict):
        raise BadRow(f"a passage must be an object, not {kind_of(value)}")
    if any(key in value for key in _OF_QUESTIONS):
        raise BadRow("this is a question, not a passage")
    found, labels = passage_in(value), value.get("labels")
    if not found.text.strip() and (with_texts or not found.id):
        raise BadRow(f"the passage has no text: {', '.join(TEXT_KEYS[:4])} may hold it")
    heading, file, sha256 = (first_text(value, (key,)) for key in ("heading", "file", "sha256"))
    return Row(
        found.id, found.text, found.doc, found.page, heading,
        tuple(map(str, labels)) if isinstance(labels, list) else (), file, sha256,
    )  # fmt: skip


def _told(problem: Problem) -> str:
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message
