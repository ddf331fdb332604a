"""A ledger as lines of JSON, and back without a loss.

    {"surefoot_ledger": 1, "rows": {"labels": 120, ...}}      how many there are: a file that was cut short is noticed
    {"table": "labels", "row": {...}}                         by table, oldest first

Two ledgers with the same rows give the same lines, whatever database they are in and however the rows came there.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import IO

import msgspec
from msgspec import Struct
from sqlalchemy import func, select

from surefoot import rubric
from surefoot.errors import Incomplete, UsageError
from surefoot.io.writer import BYTE_ORDER_MARK, UNREADABLE
from surefoot.ledger.book import Ledger
from surefoot.ledger.schema import BATCH, FORMAT, KINDS, TABLES, BadRow, PaidReply, add, in_order, record
from surefoot.records import Label

_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible
_ENCODER = msgspec.json.Encoder(order="deterministic")

Records = dict[str, dict[int, Struct]]  # by table and line


class _Head(Struct, frozen=True):
    surefoot_ledger: int
    rows: dict[str, int]


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    row: msgspec.Raw


def write_ledger(ledger: Ledger, file: IO[bytes], *, replies: bool = True) -> tuple[dict[str, int], str]:
    """All rows as they are at one moment, whoever writes meanwhile; how many, and the hash of the lines."""
    kinds = {name: kind for name, kind in KINDS.items() if replies or kind is not PaidReply}
    with ledger.database.reading() as connection:
        counts = {
            name: int(connection.execute(select(func.count()).select_from(TABLES[name])).scalar_one()) for name in kinds
        }
        stored = connection.execution_options(yield_per=BATCH)
        rows = ((name, record(kinds[name], row)) for name in kinds
                for row in stored.execute(in_order(TABLES[name])).mappings())  # fmt: skip
        return counts, _write(file, counts, rows)


def write_records(file: IO[bytes], rows: Mapping[str, Sequence[Struct]]) -> None:
    """Some rows of a ledger, by table, as if there were no others."""
    counts = {name: len(found) for name, found in rows.items()}
    _write(file, counts, ((name, row) for name, found in rows.items() for row in found))


def _write(file: IO[bytes], counts: dict[str, int], rows: Iterable[tuple[str, Struct]]) -> str:
    digest = hashlib.sha256()
    lines = (_Line(name, msgspec.Raw(_ENCODER.encode(row))) for name, row in rows)
    for one in itertools.chain([_Head(FORMAT, counts)], lines):
        line = _ENCODER.encode(one) + b"\n"
        digest.update(line)
        file.write(line)
    return digest.hexdigest()


def is_export(first_line: bytes) -> bool:
    try:
        return "surefoot_ledger" in msgspec.json.decode(_bare(first_line), type=dict[str, object])
    except UNREADABLE:
        return False


def is_headless(first_line: bytes) -> bool:
    """Whether a file begins in the middle of an export."""
    try:
        return msgspec.json.decode(_bare(first_line), type=_Line).table in KINDS
    except UNREADABLE:
        return False


def read_records(lines: Iterable[bytes], source: str) -> Records:
    """All rows of an export, or an error that names the line."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    head = _head(next(numbered, (1, b""))[1], source)
    found: Records = {name: {} for name in KINDS}
    for number, line in numbered:
        table, row = _row(line, f"{source}:{number}")
        found[table][number] = row
    for name, count in head.rows.items():
        if len(found.get(name, ())) != count:
            message = f"{source} holds {len(found.get(name, ()))} of the {count} rows of {name} that it began with"
            raise Incomplete(message, "it was cut short or changed: export it again; nothing was imported")
    return found


def add_records(ledger: Ledger, found: Records, source: str) -> dict[str, int]:
    """Add what is not there yet, all of it or nothing; how many rows were new, by table."""
    try:
        with ledger.database.writing() as connection:
            return {name: add(connection, rows.values()) for name, rows in found.items()}
    except BadRow as error:
        line = next(line for rows in found.values() for line, row in rows.items() if row is error.row)
        raise UsageError(f"{source}:{line}: {error.message}", f"nothing was imported; {error.hint}") from error


def _bare(first_line: bytes) -> bytes:
    return first_line.removeprefix(BYTE_ORDER_MARK)


def _head(line: bytes, source: str) -> _Head:
    try:
        head = msgspec.json.decode(_bare(line), type=_Head)
    except UNREADABLE as error:
        message = f"{source}:1: this is no export of a ledger: {error}"
        raise UsageError(message, "`surefoot export` makes one") from error
    if head.surefoot_ledger > FORMAT:
        raise Incomplete(f"{source} was exported by a newer surefoot", "upgrade surefoot to import it")
    return head


def _row(line: bytes, where: str) -> tuple[str, Struct]:
    try:
        found = msgspec.json.decode(line, type=_Line)
        if (kind := KINDS.get(found.table)) is None:
            raise msgspec.ValidationError(f"there is no table {found.table!r}")
        unknown = msgspec.json.decode(found.row, type=dict[str, object]).keys() - set(kind.__struct_fields__)
        if unknown:
            raise msgspec.ValidationError(f"a row of {found.table} has no {min(unknown)!r}")
        row = msgspec.json.decode(found.row, type=kind)
        if fault := next(_faults_of(row), ""):
            raise msgspec.ValidationError(fault)
    except UNREADABLE as error:
        raise UsageError(f"{where}: {error}", "nothing was imported; export it again, or correct the line") from error
    return found.table, row


def _faults_of(row: Struct) -> Iterator[str]:
    """Why surefoot cannot have written a row that comes from elsewhere. Rows stay for good."""
    if at := str(getattr(row, "at", "")):
        yield from _faults_of_time(at)
    if not isinstance(row, Label):
        return
    if not row.annotator.strip():
        yield "the label does not say who gave it"
    if row.attempt < 1:
        yield f"attempt must be a whole number from 1, not {row.attempt}"
    if (by := _bundled().get(row.rubric_sha256)) is None:
        return
    value = int(row.value) if isinstance(row.value, float) and row.value.is_integer() else row.value
    if (axis := by.axis(row.axis)) is None:
        yield f"the rubric {by.name} has no axis {row.axis!r}"
    elif value is not None and not axis.accepts(value):
        yield f"{row.axis} cannot be {str(row.value)[:60]!r}"


def _faults_of_time(at: str) -> Iterator[str]:
    """Times are put in order as texts, so they must be written as surefoot writes them: in UTC."""
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        yield f"at must be a date and time, not {at[:60]!r}"
        return
    if time.tzinfo != UTC or at not in (time.isoformat(), time.isoformat(timespec="microseconds")):
        yield f"at must be a time in UTC such as 2026-01-31T09:30:00.000000+00:00, not {at[:60]!r}"
    elif time - datetime.now(UTC) > _AHEAD:
        yield f"at is in the future: {at}"


@cache
def _bundled() -> dict[str, rubric.Rubric]:
    return {found.sha256: found for found in map(rubric.load, rubric.bundled())}
