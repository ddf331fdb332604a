"""A ledger as lines of JSON, and back without a loss.

    {"surefoot_ledger": 1, "rows": {"labels": 120, ...}}      how many there are: a file that was cut short is noticed
    {"table": "labels", "row": {...}}                         by table, oldest first

Two ledgers with the same rows give the same lines, whatever database they are in and however the rows came there.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Table, func, select, text

from surefoot.errors import Incomplete, UsageError
from surefoot.ledger.book import Ledger
from surefoot.ledger.migrations import MIGRATIONS
from surefoot.ledger.rowchecks import fault_of
from surefoot.ledger.schema import RECORDS, REPLIES, TABLES, BadRow, PaidReply, add, checked, in_order, record
from surefoot.rows import BYTE_ORDER_MARK, UNREADABLE

_FORMAT = len(MIGRATIONS)
_BATCH = 500
_ENCODER = msgspec.json.Encoder(order="deterministic")
# Those who put replies do not wait for us: theirs may have come between.
_ADD_REPLY = text("INSERT INTO replies VALUES (:digest, :at, :model, :reply) ON CONFLICT (digest) DO NOTHING")
_KINDS: dict[str, type[Struct]] = {**RECORDS, "replies": PaidReply}


class Moved(Struct, frozen=True):
    """What an export wrote, or an import read; `new` are the rows that the ledger did not have."""

    rows: dict[str, int]
    new: dict[str, int] = {}
    sha256: str = ""  # of the lines: equal for ledgers with equal rows


class _Head(Struct, frozen=True):
    surefoot_ledger: int
    rows: dict[str, int]


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    row: msgspec.Raw


def write_ledger(ledger: Ledger, file: IO[bytes], *, replies: bool = True) -> Moved:
    """All rows as they are at one moment, whoever writes meanwhile."""
    kinds = {name: kind for name, kind in _KINDS.items() if replies or kind is not PaidReply}
    with ledger.database.reading() as connection:
        counts = {name: _count(connection, TABLES[name]) for name in kinds}
        return _write(file, counts, _stored(ledger, connection, kinds))


def write_records(file: IO[bytes], rows: Mapping[str, Sequence[Struct]]) -> Moved:
    """Some rows of a ledger, by table, as if there were no others."""
    counts = {name: len(found) for name, found in rows.items()}
    return _write(file, counts, ((name, row) for name, found in rows.items() for row in found))


def _write(file: IO[bytes], counts: dict[str, int], rows: Iterable[tuple[str, Struct]]) -> Moved:
    digest = hashlib.sha256()
    lines = (_Line(name, msgspec.Raw(_ENCODER.encode(row))) for name, row in rows)
    for told in itertools.chain([_Head(_FORMAT, counts)], lines):
        line = _ENCODER.encode(told) + b"\n"
        digest.update(line)
        file.write(line)
    return Moved(counts, sha256=digest.hexdigest())


def _stored(ledger: Ledger, connection: Connection, kinds: Mapping[str, type[Struct]]) -> Iterator[tuple[str, Struct]]:
    for name, kind in kinds.items():
        every = in_order(TABLES[name], ledger.database.columns_of(TABLES[name], connection))
        found = connection.execution_options(yield_per=_BATCH).execute(every)
        for row in found.mappings():
            yield name, record(kind, row)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def is_export(first_line: bytes) -> bool:
    """Whether a file is a ledger's, by its first line."""
    try:
        return "surefoot_ledger" in msgspec.json.decode(_bare(first_line), type=dict[str, object])
    except UNREADABLE:
        return False


def is_headless(first_line: bytes) -> bool:
    """Whether a file begins in the middle of an export."""
    try:
        return msgspec.json.decode(_bare(first_line), type=_Line).table in _KINDS
    except UNREADABLE:
        return False


def read_ledger(ledger: Ledger, lines: Iterable[bytes], source: str) -> Moved:
    """Add what is not there yet: all of it, or nothing and an error that names the line."""
    head, numbered = _begun(lines, source)
    read, new = Counter[str](), Counter[str]()
    with ledger.database.writing() as connection:
        for name, batch in _batches(_sound(_rows(numbered, source), source)):
            read[name] += len(batch)
            new[name] += _add(connection, batch, source)
        _check(head, read, source)
    return Moved({name: read[name] for name in _KINDS}, {name: new[name] for name in _KINDS})


def check_lines(lines: Iterable[bytes], source: str) -> None:
    """The errors of `read_ledger`, without a ledger: so that none is made for a file that cannot be read."""
    head, numbered = _begun(lines, source)
    read = Counter(name for _, name, _ in _sound(_rows(numbered, source), source))
    _check(head, read, source)


def read_records(lines: Iterable[bytes], source: str) -> dict[str, list[Struct]]:
    """The rows by table, without a ledger."""
    head, numbered = _begun(lines, source)
    found: dict[str, list[Struct]] = {name: [] for name in _KINDS}
    for _, name, row in _rows(numbered, source):
        found[name].append(row)
    _check(head, Counter({name: len(rows) for name, rows in found.items()}), source)
    return found


def _begun(lines: Iterable[bytes], source: str) -> tuple[_Head, Iterator[tuple[int, bytes]]]:
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    return _head(next(numbered, (1, b""))[1], source), numbered


def _bare(first_line: bytes) -> bytes:
    return first_line.removeprefix(BYTE_ORDER_MARK)


def _check(head: _Head, read: Counter[str], source: str) -> None:
    for name, count in head.rows.items():
        if read[name] != count:
            message = f"{source} holds {read[name]} of the {count} rows of {name} that it began with"
            raise Incomplete(message, "it was cut short or changed: export it again; nothing was imported")


def _head(line: bytes, source: str) -> _Head:
    try:
        head = msgspec.json.decode(_bare(line), type=_Head)
    except UNREADABLE as error:
        raise UsageError(
            f"{source}:1: this is no export of a ledger: {error}", "`surefoot export` makes one"
        ) from error
    if head.surefoot_ledger > _FORMAT:
        raise Incomplete(f"{source} was exported by a newer surefoot", "upgrade surefoot to import it")
    return head


def _rows(numbered: Iterator[tuple[int, bytes]], source: str) -> Iterator[tuple[int, str, Struct]]:
    return ((number, *_row(line, f"{source}:{number}")) for number, line in numbered)


def _sound(rows: Iterator[tuple[int, str, Struct]], source: str) -> Iterator[tuple[int, str, Struct]]:
    for number, name, row in rows:
        if fault := fault_of(row):
            raise UsageError(f"{source}:{number}: {fault}", "nothing was imported; correct the line")
        yield number, name, row


def _batches(rows: Iterator[tuple[int, str, Struct]]) -> Iterator[tuple[str, Sequence[tuple[int, Struct]]]]:
    for name, group in itertools.groupby(rows, key=lambda row: row[1]):
        while batch := [(number, row) for number, _, row in itertools.islice(group, _BATCH)]:
            yield name, batch


def _row(line: bytes, where: str) -> tuple[str, Struct]:
    try:
        found = msgspec.json.decode(line, type=_Line)
        if (kind := _KINDS.get(found.table)) is None:
            raise msgspec.ValidationError(f"there is no table {found.table!r}")
        unknown = msgspec.json.decode(found.row, type=dict[str, object]).keys() - set(kind.__struct_fields__)
        if unknown:
            raise msgspec.ValidationError(f"a row of {found.table} has no {min(unknown)!r}")
        return found.table, msgspec.json.decode(found.row, type=kind)
    except UNREADABLE as error:
        raise UsageError(f"{where}: {error}", "nothing was imported; export it again, or correct the line") from error


def _add(connection: Connection, batch: Sequence[tuple[int, Struct]], source: str) -> int:
    rows = [row for _, row in batch]
    try:
        return _add_replies(connection, rows) if isinstance(rows[0], PaidReply) else add(connection, rows)
    except BadRow as error:
        line = next(line for line, row in batch if row is error.row)
        raise UsageError(f"{source}:{line}: {error.message}", f"nothing was imported; {error.hint}") from error


def _add_replies(connection: Connection, rows: Sequence[Struct]) -> int:
    """A reply that is there already stays: both are answers to the same prompt."""
    by_digest = {row.digest: row for row in map(checked, rows) if isinstance(row, PaidReply)}
    known = connection.execute(select(REPLIES.c.digest).where(REPLIES.c.digest.in_(by_digest))).scalars()
    fresh = [by_digest[digest] for digest in by_digest.keys() - set(known)]
    if fresh:
        connection.execute(_ADD_REPLY, [msgspec.structs.asdict(row) for row in fresh])
    return len(fresh)
