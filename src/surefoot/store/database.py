"""The tables of a project, made from the structs that are their rows. The same in SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, asdict
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    MetaData,
    RowMapping,
    Select,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    select,
    text,
)  # fmt: skip
from sqlalchemy.engine import URL, Dialect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.types import TypeDecorator, TypeEngine

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import holding, printable
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


_SECONDS_TO_WAIT = 30.0
_SECONDS_TO_CONNECT = 10
_WRITERS = 7_354_227_105  # any number, the same in every surefoot: the lock that writers to a server take
_WRITES = "surefoot_writes"
_LOCK_NOT_AVAILABLE = "55P03"


class Database:
    def __init__(self, where: str | Path) -> None:
        self._url = _url(where)
        self.file = Path(where) if self._url.get_backend_name() == "sqlite" else None
        shown = self._url.set(drivername="postgresql").render_as_string(hide_password=True)
        self.name = printable(self.file) if self.file else shown
        self._engine = _file_engine(self._url, self.file) if self.file else _server_engine(self._url)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """What is there now, unmoved by those who write meanwhile."""
        options = {} if self.file else {"isolation_level": "REPEATABLE READ"}
        with self._in_plain_words(), self._engine.connect().execution_options(**options) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self, *, alone: bool = True) -> Iterator[Connection]:
        """All of it or nothing. `alone`: no other writer comes between; a file knows no other way."""
        writers = self._engine.execution_options(**{_WRITES: True})
        with self._in_plain_words(), writers.begin() as connection:
            if alone and not self.file:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")
            yield connection

    def make(self) -> None:
        """Make the file and the tables where there are none."""
        if self.file is not None:
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                # Its owner's alone: people's notes and paid replies may quote what is not for everyone.
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600))
            except OSError as error:
                raise Incomplete(f"the database {self.name} cannot be opened: {error.strerror}", _ELSEWHERE) from error
        if not self.is_made():
            self._turn_wal_on()
            with self.writing() as connection:
                make(connection, self.name)

    def is_made(self) -> bool:
        with self.reading() as connection:
            return bool(format_of(connection, self.name))

    @contextlib.contextmanager
    def holding(self, run: str) -> Iterator[None]:
        """Only one process at a time asks or grades a run. The lock goes with its process, however that ends."""
        taken = Incomplete(f"another process is writing to the run {run}", "wait for it to end")
        if self.file is not None:
            path = self.file.with_name(f".{self.file.name}.{hashlib.sha256(run.encode()).hexdigest()[:16]}.lock")
            with holding(path, taken):
                try:
                    yield
                finally:
                    with contextlib.suppress(OSError):
                        path.unlink()  # while it is held, so that nobody holds a file that is gone
            return
        number = int.from_bytes(hashlib.sha256(run.encode()).digest()[:8], signed=True)
        with self._in_plain_words(), self._engine.connect() as connection:
            if not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({number})").scalar_one():
                raise taken
            connection.commit()
            try:
                yield
            finally:
                connection.exec_driver_sql(f"SELECT pg_advisory_unlock({number})")
                connection.commit()

    def compact(self) -> None:
        """Write the tables anew, without what was deleted from them."""
        statements = [f"VACUUM FULL {name}" for name in TABLES]
        if self.file:
            statements = ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"]
        with self._in_plain_words(), contextlib.closing(self._engine.raw_connection()) as connection:
            if not self.file:
                connection.driver_connection.autocommit = True  # type: ignore[union-attr]
            for statement in statements:
                connection.cursor().execute(statement)
            if not self.file:
                connection.driver_connection.autocommit = False  # type: ignore[union-attr]

    def close(self) -> None:
        self._engine.dispose()

    def _turn_wal_on(self) -> None:
        """For good, of a file. Only one process can, and SQLite does not make the others wait for it."""
        if not self.file:
            return
        give_up = time.monotonic() + _SECONDS_TO_WAIT
        with self._in_plain_words(), contextlib.closing(self._engine.raw_connection()) as connection:
            while True:
                try:
                    connection.cursor().execute("PRAGMA journal_mode = WAL")
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > give_up:
                        raise
                    time.sleep(0.02)

    @contextlib.contextmanager
    def _in_plain_words(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error) as error:
            cause = getattr(error, "orig", None) or error
            reason = " ".join(str(cause).split())
            if self._url.password:
                reason = reason.replace(str(self._url.password), "***")
            if "not a database" in reason:
                raise Incomplete(f"{self.name} is not a database", _ELSEWHERE) from error
            if "locked" in reason if self.file else getattr(cause, "sqlstate", "") == _LOCK_NOT_AVAILABLE:
                message = f"the database {self.name} has been busy for over {_SECONDS_TO_WAIT:.0f} seconds"
                raise Incomplete(message, "wait until the other process has finished, then try again") from error
            raise Incomplete(f"the database {self.name} cannot be used: {reason}", _ELSEWHERE) from error


_ELSEWHERE = "check the place, or name another with --db FILE or --db postgresql://USER@HOST/DATABASE"


def _url(where: str | Path) -> URL:
    given = str(where)
    if Path(given).is_dir():
        raise UsageError(f"the database {given} is a folder", f"name a file in it: {Path(given) / 'surefoot.db'}")
    if "://" not in given:
        return URL.create("sqlite", database=str(Path(given).absolute()))  # never a name that SQLite knows
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise UsageError("the URL of the database cannot be read", "write postgresql://USER@HOST/DATABASE") from error
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        message = f"a project is a file or a PostgreSQL database, not {url.drivername}"
        raise UsageError(message, "write a path, or postgresql://USER@HOST/DATABASE")
    return url.set(drivername="postgresql+psycopg")


def _server_engine(url: URL) -> Engine:
    try:
        engine = create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": _SECONDS_TO_CONNECT})
    except ImportError as error:
        raise Incomplete("a database on a server needs one more package", "pip install 'surefoot[postgres]'") from error

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: object) -> None:  # noqa: ANN401
        connection.execute(f"SET lock_timeout = {_SECONDS_TO_WAIT * 1000:.0f}")  # without it one waits for ever
        connection.commit()

    return engine


def _file_engine(url: URL, file: Path) -> Engine:
    options: dict[str, Any] = {} if _is_writable(file) else {"creator": lambda: _read_only(file)}
    engine = create_engine(url, connect_args={"timeout": _SECONDS_TO_WAIT}, **options)

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: object) -> None:  # noqa: ANN401
        connection.isolation_level = None  # transactions begin where we say
        connection.execute("PRAGMA synchronous = NORMAL")  # a kill loses nothing; a power cut may lose the last moment
        connection.execute("PRAGMA secure_delete = ON")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        # A writer waits for its turn at the beginning; later it might have to give up what it has read.
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _is_writable(file: Path) -> bool:
    return not file.exists() or (os.access(file, os.W_OK) and os.access(file.absolute().parent, os.W_OK))


def _read_only(file: Path) -> sqlite3.Connection:
    """A file on a disk that cannot be written to. SQLite wants to write beside it, unless it is told that it rests."""
    wal = file.with_name(f"{file.name}-wal")
    rests = not (wal.exists() and wal.stat().st_size)
    place = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if rests else ''}"
    return sqlite3.connect(place, uri=True, timeout=_SECONDS_TO_WAIT, check_same_thread=False)
