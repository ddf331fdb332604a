"""The tables of a project, made from the structs that are their rows. The same in SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, asdict
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
from sqlalchemy.types import TypeDecorator, TypeEngine

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import Purge, Step, Value
from surefoot.core.types import Evidence

FORMAT = "2"
MARK = "surefoot_project"  # a table with one row: the format. It says that a database is ours.
BATCH = 500
_REFUSAL = "rows of this table are added, never changed"
_LARGEST = 2**63

Row = TypeVar("Row", bound=Struct)


class BadRow(UsageError):
    """A row that cannot be kept."""

    def __init__(self, row: Struct, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.row = row


class RunRow(Struct, frozen=True, kw_only=True):
    """One asking of a pipeline. `manifest` is the only thing here that changes, as when a run is graded."""

    id: str
    at: str
    version: str
    manifest: dict[str, object]


class QuestionRow(Struct, frozen=True, kw_only=True):
    run: str
    place: int
    question: dict[str, object]


class AnswerRow(Struct, frozen=True, kw_only=True):
    """What a pipeline said. `key` is the key of what was said, `context` that of what a grader sees besides."""

    run: str
    question_id: str
    attempt: int
    key: str
    context: str
    subject: str
    trace: dict[str, object]


class VerdictRow(Struct, frozen=True, kw_only=True):
    """One axis of one answer by one grader, or by a person (`human/NAME`) or an AI that says so (`ai/NAME`)."""

    id: str
    at: str
    key: str
    context: str  # "" in a label: it belongs to what was said, whatever else was retrieved
    axis: str
    value: Value
    grader: str
    via: str = ""
    reason: str = ""
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    self_check: str = ""
    unsure: bool = False
    rubric_sha256: str = ""
    run: str = ""  # on which it was first given
    question_id: str = ""
    attempt: int = 1
    subject: str = ""


class ReplyRow(Struct, frozen=True, kw_only=True):
    """What a model said, by what it was asked."""

    digest: str
    at: str
    model: str
    reply: str


class _Json(TypeDecorator[object]):
    """A value as JSON text with sorted keys: equal values are equal texts in every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str:  # noqa: ARG002
        return msgspec.json.encode(value, order="deterministic").decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:  # noqa: ARG002
        return None if value is None else msgspec.json.decode(value)


# Compared by bytes in both databases, whatever language a server sorts by.
_TEXT = Text().with_variant(Text(collation="C"), "postgresql")
_KINDS: dict[object, TypeEngine[Any]] = {
    str: _TEXT, int: BigInteger(), bool: Boolean(), float | None: Float(),
}  # fmt: skip
ROWS: dict[str, type[Struct]] = {
    "runs": RunRow, "questions": QuestionRow, "answers": AnswerRow, "verdicts": VerdictRow, "decisions": Step,
    "purges": Purge, "replies": ReplyRow,
}  # fmt: skip
# What tells two rows of a table apart, and the order in which they are exported.
IDENTITY: dict[str, tuple[str, ...]] = {
    "questions": ("run", "place"), "answers": ("run", "question_id", "attempt"), "replies": ("digest",),
}  # fmt: skip
_KEPT = ("verdicts", "decisions", "purges")  # tables whose rows are never changed
_metadata = MetaData()


def identity_of(name: str) -> tuple[str, ...]:
    return IDENTITY.get(name, ("id",))


def _column(name: str, field: FieldInfo) -> Column[Any]:
    kind = _KINDS.get(field.type, _Json())
    return Column(field.name, kind, primary_key=field.name in identity_of(name), nullable=field.type == float | None)


TABLES = {
    name: Table(name, _metadata, *(_column(name, field) for field in msgspec.structs.fields(kind)))
    for name, kind in ROWS.items()
}
RUNS, QUESTIONS, ANSWERS, VERDICTS = (TABLES[name] for name in ("runs", "questions", "answers", "verdicts"))
REPLIES = TABLES["replies"]
Index("verdicts_by_key", VERDICTS.c.key)
Index("answers_by_key", ANSWERS.c.key)


def format_of(connection: Connection, name: str) -> str:
    """The format of a project's database; "" where there is none yet. Somebody else's database is refused."""
    tables = set(inspect(connection).get_table_names())
    if MARK not in tables:
        # A file is ours alone; on a server others may have tables beside ours.
        if foreign := tables if connection.dialect.name == "sqlite" else tables & TABLES.keys():
            hint = "choose another place with --db"
            raise Incomplete(f"{name} is a database of something else: it has a table {min(foreign)}", hint)
        return ""
    found = str(connection.execute(text(f"SELECT MAX(format) FROM {MARK}")).scalar_one())
    if found != FORMAT:
        message = f"the database {name} was made by another version of surefoot (format {found}, this one has {FORMAT})"
        raise Incomplete(message, "use that version, or start a new project with --db")
    return found


def make(connection: Connection, name: str) -> None:
    """Make the tables. The caller holds the lock of writers: somebody may have been quicker."""
    if format_of(connection, name):
        return
    connection.exec_driver_sql(f"CREATE TABLE {MARK} (format TEXT NOT NULL)")
    connection.execute(text(f"INSERT INTO {MARK} VALUES (:format)"), {"format": FORMAT})
    _metadata.create_all(connection, checkfirst=False)
    for table in _KEPT:
        for statement in _refusals(connection.dialect.name, table):
            connection.exec_driver_sql(statement)


@contextlib.contextmanager
def deleting(connection: Connection, table: str) -> Iterator[None]:
    """Rows of a table may be deleted, in this transaction alone."""
    is_server = connection.dialect.name == "postgresql"
    name = f"{table}_kept" if is_server else f"{table}_undeleted"
    connection.exec_driver_sql(f"DROP TRIGGER {name} ON {table}" if is_server else f"DROP TRIGGER {name}")
    yield
    again = next(one for one in _refusals(connection.dialect.name, table) if f" {name} " in one)
    connection.exec_driver_sql(again)


def _refusals(dialect: str, table: str) -> Iterator[str]:
    """Triggers: the database itself refuses changes, by whatever program."""
    if dialect == "postgresql":
        refuse = f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
        yield f"CREATE OR REPLACE FUNCTION surefoot_refuse() RETURNS trigger LANGUAGE plpgsql AS {refuse}"
        trigger = "EXECUTE FUNCTION surefoot_refuse()"
        yield f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {trigger}"
        yield f"CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {trigger}"
        return
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    yield f"CREATE TRIGGER {table}_unchanged BEFORE UPDATE ON {table} {refuse}"
    yield f"CREATE TRIGGER {table}_undeleted BEFORE DELETE ON {table} {refuse}"
    # INSERT OR REPLACE deletes without asking the trigger above.
    there = f"EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)"
    yield f"CREATE TRIGGER {table}_unreplaced BEFORE INSERT ON {table} WHEN {there} {refuse}"


def table_of(kind: type[Struct]) -> Table:
    return next(TABLES[name] for name, one in ROWS.items() if one is kind)


def in_order(table: Table) -> Select[tuple[Any, ...]]:
    """All rows: oldest first where they have a time, else by what tells them apart."""
    first = ["at"] if "at" in table.c and table.name != "replies" else []
    return select(table).order_by(*(table.c[name] for name in (*first, *identity_of(table.name))))


def rows(connection: Connection, kind: type[Row], query: Select[Any]) -> list[Row]:
    return [row_of(kind, found) for found in connection.execute(query).mappings()]


def row_of(kind: type[Row], found: RowMapping) -> Row:
    try:
        return msgspec.convert({name: found[name] for name in kind.__struct_fields__}, kind)
    except msgspec.ValidationError as error:
        message = f"a row of the table {table_of(kind).name} cannot be read: {error}"
        raise Incomplete(message, "it was not written by surefoot; restore the database from a copy") from error


def add(connection: Connection, given: Iterable[Row], fuller: Callable[[Row, Row], Row | None] | None = None) -> int:
    """Add rows of one kind that are not there yet; return how many were new.

    The caller holds the lock of writers. Of two rows with one identity, `fuller` chooses; where it chooses none, or is
    not given, a row that differs is refused.
    """
    waiting, new = iter(given), 0
    while batch := list(itertools.islice(waiting, BATCH)):
        table = table_of(type(batch[0]))
        identity = identity_of(table.name)
        query = select(table).where(table.c[identity[0]].in_({getattr(row, identity[0]) for row in batch}))
        there = {_key(row, identity): row for row in rows(connection, type(batch[0]), query)}
        fresh: dict[tuple[object, ...], Row] = {}
        for row in map(checked, batch):
            key = _key(row, identity)
            mine = there.get(key) or fresh.setdefault(key, row)
            kept = mine if mine == row else fuller(mine, row) if fuller else None
            if kept is None:
                what = f"another row of {table.name} has the id {' '.join(map(str, key))}"
                raise BadRow(row, what, "rows are never changed")
            if kept is not mine:
                where = [table.c[name] == value for name, value in zip(identity, key, strict=True)]
                connection.execute(table.update().where(*where).values(asdict(kept)))
        if fresh:
            connection.execute(table.insert(), [asdict(row) for row in fresh.values()])
        new += len(fresh)
    return new


def _key(row: Struct, identity: Sequence[str]) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in identity)


def checked(row: Row) -> Row:
    """Return the row if every database gives it back as it was: NaN, half characters and NUL are lost in some."""
    values, fault = asdict(row), ""
    if not all(values[name] not in ("", None) for name in identity_of(table_of(type(row)).name)):
        fault = "it has no id"
    if "at" in values and not values["at"]:
        fault = "it has no time"
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
        raise BadRow(row, f"a row of {table_of(type(row)).name} cannot be kept: {fault}", "correct it and add it again")
    return row
