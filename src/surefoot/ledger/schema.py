"""The tables of a ledger as SQLAlchemy sees them, and records as rows of them. `migrations.py` makes them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, MetaData, RowMapping, Select, Table, Text, select
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from surefoot.errors import Incomplete, UsageError
from surefoot.records import Certificate, Drawn, Label, RunEntry, Step

_BATCH = 500
_LARGEST = 2**63

Record = TypeVar("Record", bound=Struct)


class BadRow(UsageError):
    """A row that cannot be kept."""

    def __init__(self, row: Struct, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.row = row


class Conflict(BadRow):
    """It has the id of another row that is there already."""


class PaidReply(Struct, frozen=True):
    """What a model said, by what it was asked. `reply` is JSON as `models.cache` writes it."""

    digest: str
    at: str
    model: str
    reply: str


class _Json(TypeDecorator[object]):
    """A value as JSON text, keys in order: equal values are equal texts in every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str:  # noqa: ARG002
        return msgspec.json.encode(value, order="deterministic").decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:  # noqa: ARG002
        return None if value is None else msgspec.json.decode(value)


_KINDS: dict[object, type[TypeEngine[Any]]] = {
    str: Text, Drawn: Text, int: BigInteger, bool: Boolean, float | None: Float,
}  # fmt: skip
_metadata = MetaData()


def _table(name: str, kind: type[Struct]) -> Table:
    """A column for each field; what is no plain value is JSON."""
    columns = [Column(field.name, _KINDS.get(field.type, _Json)) for field in msgspec.structs.fields(kind)]
    return Table(name, _metadata, *columns)


LABELS, CERTIFICATES = _table("labels", Label), _table("certificates", Certificate)
STEPS, RUNS = _table("steps", Step), _table("runs", RunEntry)
REPLIES = _table("replies", PaidReply)

# What is kept for good, by table. Paid replies are not among them: they are a cache.
RECORDS: dict[str, type[Struct]] = {"labels": Label, "certificates": Certificate, "steps": Step, "runs": RunEntry}
TABLES = {"labels": LABELS, "certificates": CERTIFICATES, "steps": STEPS, "runs": RUNS, "replies": REPLIES}
# What tells two rows of a table apart. A run may lie in several places and be graded again.
_IDENTITY = {"runs": ("id", "path", "at")}


def table_of(kind: type[Struct]) -> Table:
    return next(TABLES[name] for name, record in RECORDS.items() if record is kind)


def in_order(table: Table, columns: Iterable[Column[Any]] | None = None) -> Select[tuple[Any, ...]]:
    """All rows, oldest first, in the one order that does not depend on how they came. `columns`: those alone."""
    chosen = select(table) if columns is None else select(*columns)
    return chosen.order_by(*(table.c[name] for name in ("at", "id", "path", "digest") if name in table.c))


def record(kind: type[Record], row: RowMapping) -> Record:
    """A column that an older ledger lacks has the default of the record."""
    try:
        return msgspec.convert({name: row[name] for name in kind.__struct_fields__ if name in row}, kind)
    except msgspec.ValidationError as error:
        message = f"the {kind.__name__} {row['id']} in the ledger cannot be read: {error}"
        raise Incomplete(message, "it was not written by surefoot; restore the ledger from a copy") from error


def add(connection: Connection, rows: Iterable[Struct]) -> int:
    """Add rows of one kind; how many were new. The caller holds the lock of writers, so none can come between."""
    waiting, new = iter(rows), 0
    while batch := list(itertools.islice(waiting, _BATCH)):
        table = table_of(type(batch[0]))
        known = {_identity(table, row): row for row in _with_ids(connection, table, type(batch[0]), batch)}
        fresh: dict[tuple[object, ...], Struct] = {}
        for row in map(checked, batch):
            place = _identity(table, row)
            if (there := known.get(place, fresh.get(place))) is None:
                fresh[place] = row
            elif there != row:
                hint = "rows are never changed; what has changed is a row with an id of its own"
                raise Conflict(row, f"the ledger has another row in {table.name} with the id {place[0]}", hint)
        if fresh:
            connection.execute(table.insert(), [_values(table, row) for row in fresh.values()])
        new += len(fresh)
    return new


def _with_ids(connection: Connection, table: Table, kind: type[Record], batch: Sequence[Struct]) -> Iterator[Record]:
    found = connection.execute(select(table).where(table.c.id.in_({row.id for row in batch})))  # type: ignore[attr-defined]
    return (record(kind, row) for row in found.mappings())


def _identity(table: Table, row: Struct) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in _IDENTITY.get(table.name, ("id",)))


def _values(table: Table, row: Struct) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in table.columns}


def checked(row: Record) -> Record:
    """A row that every database gives back as it was, or an error: NaN, half characters and NUL are lost in some."""
    values = msgspec.structs.asdict(row)
    key, at = [*values.values()][:2]
    fault = "" if key and at else "it has no id or no time"
    try:
        if msgspec.json.decode(msgspec.json.encode(row), type=type(row)) != row:
            fault = "it holds a value that is lost when it is written down, such as NaN"
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        fault = str(error)
    for name, value in values.items():
        if isinstance(value, str) and "\0" in value:
            fault = f"{name} holds a NUL character"
        if isinstance(value, int) and abs(value) >= _LARGEST:
            fault = f"{name} is too large a number"
    if fault:
        what = f"the {type(row).__name__.lower()} {key!r}"
        raise BadRow(row, f"{what} cannot be kept: {fault}", "correct it and add it again")
    return row
