"""The tables of a ledger, made from the records that are their rows. The same in both databases."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Index,
    MetaData,
    RowMapping,
    Select,
    Table,
    Text,
    inspect,
    select,
    text,
)  # fmt: skip
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateColumn
from sqlalchemy.types import TypeDecorator, TypeEngine

from surefoot.errors import Incomplete, UsageError
from surefoot.records import Certificate, Drawn, Label, Purge, RunEntry, Score, Step

FORMAT = 4
VERSIONS = "surefoot_ledger"  # the table that says which format this is, and that it is a ledger
_REFUSAL = "rows of a ledger are added, never changed"
BATCH = 500
_LARGEST = 2**63
# Whoever puts replies does not take the lock of writers: theirs may have come between.
_ADD_REPLY = text("INSERT INTO replies VALUES (:digest, :at, :model, :reply) ON CONFLICT (digest) DO NOTHING")

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


# Compared by bytes in both databases, whatever language a server sorts by.
_TEXT = Text().with_variant(Text(collation="C"), "postgresql")
_KINDS: dict[object, TypeEngine[Any]] = {
    str: _TEXT, Drawn: _TEXT, int: BigInteger(), bool: Boolean(), float | None: Float(),
}  # fmt: skip
# What tells two rows of a table apart. A run may lie in several places and be graded again.
_IDENTITY = {"runs": ("id", "path", "at"), "replies": ("digest",)}
_metadata = MetaData()


def _table(name: str, kind: type[Struct]) -> Table:
    """A column for each field; what is no plain value is JSON."""
    return Table(name, _metadata, *(_column(field, _identity_of(name)) for field in msgspec.structs.fields(kind)))


def _column(field: FieldInfo, identity: Sequence[str]) -> Column[Any]:
    """Whatever the record has a default for, so has the database: older rows lack what was added since."""
    kind = _KINDS.get(field.type, _Json())
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    literal = None
    if default is not msgspec.NODEFAULT and default is not None:
        is_number = isinstance(kind, (BigInteger, Boolean))
        encoded = msgspec.json.encode(default).decode() if isinstance(kind, _Json) else str(default)
        literal = text(encoded.upper()) if is_number else encoded
    return Column(
        field.name, kind, primary_key=field.name in identity, nullable=field.type == float | None,
        server_default=literal,
    )  # fmt: skip


def _identity_of(table: str) -> Sequence[str]:
    return _IDENTITY.get(table, ("id",))


LABELS, CERTIFICATES = _table("labels", Label), _table("certificates", Certificate)
STEPS, RUNS = _table("steps", Step), _table("runs", RunEntry)
SCORES, PURGES = _table("scores", Score), _table("purges", Purge)
REPLIES = _table("replies", PaidReply)
Index("labels_in_order", LABELS.c.at, LABELS.c.id)
Index("labels_by_version", LABELS.c.version)
Index("scores_by_run", SCORES.c.run)

# What is kept for good, by table. Paid replies are not among them: they are a cache.
RECORDS: dict[str, type[Struct]] = {
    "labels": Label, "certificates": Certificate, "steps": Step, "runs": RunEntry, "scores": Score, "purges": Purge,
}  # fmt: skip
KINDS: dict[str, type[Struct]] = {**RECORDS, "replies": PaidReply}
TABLES = {
    "labels": LABELS, "certificates": CERTIFICATES, "steps": STEPS, "runs": RUNS, "scores": SCORES, "purges": PURGES,
    "replies": REPLIES,
}  # fmt: skip


def version_of(connection: Connection, name: str) -> int:
    """The format of a ledger; 0 where there is none yet. What is something else is named."""
    tables = set(inspect(connection).get_table_names())
    if VERSIONS not in tables:
        # A file is ours alone; on a server others may have tables beside ours.
        if foreign := tables if connection.dialect.name == "sqlite" else tables & TABLES.keys():
            hint = "choose another place with --ledger"
            raise Incomplete(f"{name} is a database, but no ledger: it has a table {min(foreign)}", hint)
        return 0
    found = int(connection.execute(text(f"SELECT COALESCE(MAX(number), 0) FROM {VERSIONS}")).scalar_one())
    if found > FORMAT:
        message = f"the ledger {name} was made by a newer surefoot (its format is {found}, this one knows {FORMAT})"
        raise Incomplete(message, "upgrade surefoot to read it")
    return found


def make(connection: Connection, name: str) -> None:
    """Make the tables, or add the tables and columns that an older ledger lacks.

    The caller holds the lock of writers: somebody may have been quicker.
    """
    if (found := version_of(connection, name)) == FORMAT:
        return
    if not found:
        connection.exec_driver_sql(f"CREATE TABLE {VERSIONS} (number BIGINT PRIMARY KEY, at TEXT NOT NULL)")
    lacking = [name for name in TABLES if name not in inspect(connection).get_table_names()]
    _metadata.create_all(connection, [TABLES[name] for name in lacking], checkfirst=False)
    for statement in _refusals(connection.dialect.name, lacking):
        connection.exec_driver_sql(statement)
    for table in TABLES.values():
        there = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {added}")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute(text(f"INSERT INTO {VERSIONS} VALUES (:number, :at)"), {"number": FORMAT, "at": at})


@contextlib.contextmanager
def deleting(connection: Connection, table: str) -> Iterator[None]:
    """Rows of a table may be deleted, in this transaction alone."""
    is_server = connection.dialect.name == "postgresql"
    name = f"{table}_kept" if is_server else f"{table}_undeleted"
    connection.exec_driver_sql(f"DROP TRIGGER {name} ON {table}" if is_server else f"DROP TRIGGER {name}")
    yield
    again = next(one for one in _refusals(connection.dialect.name, [table]) if f" {name} " in one)
    connection.exec_driver_sql(again)


def _refusals(dialect: str, tables: Collection[str]) -> Iterator[str]:
    """The database itself refuses changes, by whatever program."""
    if dialect == "postgresql":
        refuse = f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
        yield f"CREATE OR REPLACE FUNCTION surefoot_refuse() RETURNS trigger LANGUAGE plpgsql AS {refuse}"
    for table in (name for name in RECORDS if name in tables):
        if dialect == "postgresql":
            trigger = "EXECUTE FUNCTION surefoot_refuse()"
            yield f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {trigger}"
            yield f"CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {trigger}"
            continue
        refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        same = " AND ".join(f"{column} = NEW.{column}" for column in _identity_of(table))
        yield f"CREATE TRIGGER {table}_unchanged BEFORE UPDATE ON {table} {refuse}"
        yield f"CREATE TRIGGER {table}_undeleted BEFORE DELETE ON {table} {refuse}"
        # INSERT OR REPLACE deletes without asking the trigger above.
        there = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
        yield f"CREATE TRIGGER {table}_unreplaced BEFORE INSERT ON {table} WHEN {there} {refuse}"


def table_of(kind: type[Struct]) -> Table:
    return next(TABLES[name] for name, record in KINDS.items() if record is kind)


def in_order(table: Table) -> Select[tuple[Any, ...]]:
    """All rows, oldest first, in the one order that does not depend on how they came."""
    return select(table).order_by(*(table.c[name] for name in ("at", "id", "path", "digest") if name in table.c))


def records(connection: Connection, kind: type[Record], query: Select[tuple[Any, ...]]) -> list[Record]:
    return [record(kind, row) for row in connection.execute(query).mappings()]


def record(kind: type[Record], row: RowMapping) -> Record:
    try:
        return msgspec.convert({name: row[name] for name in kind.__struct_fields__}, kind)
    except msgspec.ValidationError as error:
        message = f"the {kind.__name__} {row['id']} in the ledger cannot be read: {error}"
        raise Incomplete(message, "it was not written by surefoot; restore the ledger from a copy") from error


def add(connection: Connection, rows: Iterable[Struct]) -> int:
    """Add rows of one kind; how many were new. The caller holds the lock of writers, so none can come between.

    A paid reply that is there already stays: both are answers to the same prompt.
    """
    waiting, new = iter(rows), 0
    while batch := list(itertools.islice(waiting, BATCH)):
        kind = type(batch[0])
        table = table_of(kind)
        first, *_ = identity = _identity_of(table.name)
        there = select(table).where(table.c[first].in_({getattr(row, first) for row in batch}))
        known = {_key(row, identity): row for row in records(connection, kind, there)}
        fresh: dict[tuple[object, ...], Struct] = {}
        for row in map(checked, batch):
            same = known.get(_key(row, identity)) or fresh.setdefault(_key(row, identity), row)
            if same != row and kind is not PaidReply:
                hint = "rows are never changed; what has changed is a row with an id of its own"
                raise Conflict(
                    row, f"the ledger has another row in {table.name} with the id {_key(row, identity)[0]}", hint
                )
        if fresh:
            insert = _ADD_REPLY if kind is PaidReply else table.insert()
            connection.execute(insert, [msgspec.structs.asdict(row) for row in fresh.values()])
        new += len(fresh)
    return new


def _key(row: Struct, identity: Sequence[str]) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in identity)


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
