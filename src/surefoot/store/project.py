"""A project as the rest of Surefoot sees it: runs with their answers, what graders and people said, what was decided.

Answers and verdicts are kept as they come, so a killed command loses nothing that it had. Verdicts are only added, and
belong to what was said rather than to a run: the same answer from the same passages has the same verdicts everywhere.
The tables are made from the structs that are their rows, and are the same in SQLite and PostgreSQL (`Database`).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, asdict, replace
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
    func,
    inspect,
    or_,
    select,
    text,
)  # fmt: skip
from sqlalchemy.engine import URL, Dialect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.types import TypeDecorator, TypeEngine

from surefoot.core.errors import Incomplete, UsageError, unknown
from surefoot.core.files import fault_in, holding, printable
from surefoot.core.records import (
    AI,
    PEOPLE,
    Label,
    Purge,
    Step,
    Value,
    is_annotator,
    plain_json,
    signed,
    timestamp,
    where,
)
from surefoot.core.types import Evidence, Passage, Question, Retrieved, Trace, Verdict, names, without_surrogates
from surefoot.text import citations

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
        message = f"a row of the table {table_of(kind).name} cannot be read: {fault_in(error)}"
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

    def check_writable(self) -> None:
        """A lock alone can be had of a file that can only be read."""
        with self.writing() as connection:
            connection.exec_driver_sql("DELETE FROM runs WHERE 1 = 0")

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


Key = tuple[str, int]  # question id, attempt
_MARKUP = re.compile(r"\*\*|__|`+|(?:^|(?<=\s))#{1,6}\s|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_CITATION = re.compile(r"\[[^\[\]]{1,80}\]")
_CITATIONS = re.compile(rf"{_CITATION.pattern}(?:[\s,;]*{_CITATION.pattern})+")
_ENCODER = msgspec.json.Encoder()
_TRACE = msgspec.json.Decoder(Trace, dec_hook=Retrieved.read)
Kind = TypeVar("Kind", bound=Struct)


class Manifest(Struct, frozen=True, kw_only=True):
    """What was run, so that two runs can be told comparable or not."""

    id: str = ""
    version: str = ""  # what the people who made the pipeline call it, else its name and the hash of its code
    pipeline: str
    code_sha256: str = ""  # of the files that the pipeline's name leads to
    repeats: int
    uneven: bool = False  # some questions of a log were answered less often than `repeats`
    seed: int = 0
    questions_sha256: str
    question_count: int
    question_notes: tuple[str, ...] = ()  # how the questions differ from those that were given or locked
    corpus_sha256: str | None = None
    log_sha256: str = ""  # of the log that the answers were taken from
    rubric: str = ""
    rubric_sha256: str = ""
    grader: str | None = None  # whose verdicts count
    council: str = ""  # the grader of what all reviewers said together
    reviewers: tuple[str, ...] = ()  # the graders of what each of them said
    versions: dict[str, str] = {}  # of Python, libraries, the prompt
    deterministic: bool = False
    partial: bool = False  # some questions of a version were asked again
    created: str = ""
    finished: bool = False  # every question was asked
    without_texts: bool = False
    purged: tuple[str, ...] = ()  # when, and how many answers


class Project:
    """Any number of processes and threads may have it open and write to it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.name = database.name  # for messages: without a password
        self.replies = Replies(database)

    @classmethod
    def open(cls, given: str | Path | None = None) -> Project:
        """Open the project; it is made where there is none."""
        with contextlib.ExitStack() as undo:
            database = undo.enter_context(contextlib.closing(Database(where(given))))
            database.make()
            undo.pop_all()
        return cls(database)

    @classmethod
    def existing(cls, given: str | Path | None = None) -> Project:
        """Open the project, or say that there is none."""
        with contextlib.ExitStack() as undo:
            database = undo.enter_context(contextlib.closing(Database(where(given))))
            size = database.file.stat().st_size if database.file and database.file.exists() else None
            if (database.file and not size) or not database.is_made():
                hint = "surefoot run makes one here, and surefoot grade --traces FILE does; name another with --db"
                raise UsageError(f"there is no project {'in the empty file ' * (size == 0)}{database.name}", hint)
            undo.pop_all()
        return cls(database)

    def runs(self, *versions: str) -> list[Run]:
        """Return all runs, or those of some versions, oldest first."""
        query = in_order(RUNS).where(RUNS.c.version.in_(versions)) if versions else in_order(RUNS)
        return [Run(self, msgspec.convert(row.manifest, Manifest)) for row in self._rows(RunRow, query)]

    def run(self, id: str) -> Run | None:
        return next((one for one in self.runs() if one.id == id), None)

    def named(self, name: str) -> list[Run]:
        """Return the run with this id, or all runs of the version with this name, oldest first."""
        every = self.runs()
        found = [one for one in every if one.id == name] or [one for one in every if one.version == name]
        if not found:
            there = list(dict.fromkeys(one.version for one in reversed(every)))
            known = f"there are {names(there, 5)}" if there else "surefoot run makes one"
            file = f"{name} is no export" if Path(name).exists() else f"there is no file {name}"
            message = f"the project {self.name} has no run or version {name!r}"
            message = f"{file}, and {message}" if name.endswith((".jsonl", ".gz")) else message
            raise unknown(message, name, [*there, *(one.id for one in every)], known)
        return found

    def create(self, manifest: Manifest, questions: Iterable[Question]) -> Run:
        """Add a run that nobody has answered yet; all its questions are there, or it is not."""
        made = replace(manifest, id=manifest.id or _id_for(manifest.version or manifest.pipeline))
        row = RunRow(id=made.id, at=made.created, version=made.version, manifest=plain_json(made))
        asked = (QuestionRow(run=made.id, place=place, question=plain_json(one)) for place, one in enumerate(questions))
        with self.database.writing() as connection:
            add(connection, [row])
            add(connection, asked)
        return Run(self, made)

    def labels(self, *, keys: Collection[str] | None = None, run: str | None = None) -> list[Label]:
        """Every label, oldest first, those that were changed later too: `records.current` tells what is in force."""
        with self.database.reading() as connection:
            return _labels(connection, keys, run)

    def add_new_labels(self, keys: Collection[str], new_beside: Callable[[list[Label]], Iterable[Label]]) -> int:
        """Add what `new_beside` makes of all labels on these answers; return how many those were.

        They are read in the very transaction that adds: nobody can add the same in between.
        """
        with self.database.writing() as connection:
            return add(connection, map(verdict_row, new_beside(_labels(connection, keys))))

    def add(self, *given: Step) -> None:
        with self.database.writing() as connection:
            add(connection, given)

    def decisions(self) -> list[Step]:
        """Oldest first."""
        return self._rows(Step)

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are: where these are the same, nothing was added."""
        with self.database.reading() as connection:
            tables = (TABLES[name] for name in ROWS if name != "replies")
            return {str(one.name): int(connection.execute(select(func.count()).select_from(one)).scalar_one())
                    for one in tables}  # fmt: skip

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, kind: type[Kind], query: Any = None) -> list[Kind]:  # noqa: ANN401
        with self.database.reading() as connection:
            return rows(connection, kind, in_order(table_of(kind)) if query is None else query)


class Run:
    """One run of a project: what was asked, what was answered, and what was said of the answers."""

    def __init__(self, project: Project, manifest: Manifest) -> None:
        self.project, self.manifest = project, manifest
        self._database = project.database

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def version(self) -> str:
        return self.manifest.version

    def amend(self, **changes: object) -> None:
        """Change what the run says of itself, as when it is graded."""
        with self._database.writing() as connection:
            self._amend(connection, **changes)

    def questions(self) -> list[Question]:
        found = self.project._rows(QuestionRow, in_order(QUESTIONS).where(QUESTIONS.c.run == self.id))
        return [msgspec.convert(row.question, Question) for row in found]

    def traces(self) -> list[Trace]:
        return [trace_of(row) for row in self._answers()]

    def answer_keys(self) -> dict[Key, str]:
        """Of each answer, the key that verdicts and labels belong to."""
        return {(row.question_id, row.attempt): row.key for row in self._answers()}

    def edited(self) -> str | None:
        """Return the first question whose answer does not have the key of its texts."""
        if self.manifest.without_texts:
            return None
        known = ((row, self._asked[row.question_id]) for row in self._answers() if row.question_id in self._asked)
        return next((row.question_id for row, asked in known if key_of(asked, trace_of(row)) != row.key), None)

    def subjects(self) -> dict[Key, str]:
        """Whose data each answer is; "" where its trace names nobody."""
        return {(row.question_id, row.attempt): row.subject for row in self._answers()}

    def keep(self, traces: Iterable[Trace]) -> None:
        """Keep answers, in place of earlier ones to the same question and attempt; on return no kill loses them."""
        found = [self._answer_row(self._asked, trace) for trace in traces]
        with self._database.writing(alone=False) as connection:
            for row in found:
                own = (ANSWERS.c.run == self.id, ANSWERS.c.question_id == row.question_id,
                       ANSWERS.c.attempt == row.attempt)  # fmt: skip
                connection.execute(ANSWERS.delete().where(*own))
                connection.execute(ANSWERS.insert(), asdict(row))

    @cached_property
    def _asked(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions()}

    def verdicts(self) -> list[Verdict]:
        """What counts of each grader on these answers; labels are apart.

        Of several gradings of an answer by one grader, the newest that says something counts: a failed one changes
        nothing.
        """
        gradings: dict[tuple[Key, str], dict[str, list[Verdict]]] = {}
        for key, row in self._said():
            verdict = Verdict(
                question_id=key[0], attempt=key[1], axis=row.axis, value=row.value, grader=row.grader, via=row.via,
                reason=row.reason, confidence=row.confidence, evidence=row.evidence, self_check=row.self_check,
                unsure=row.unsure,
            )  # fmt: skip
            if not is_annotator(row.grader):
                gradings.setdefault((key, row.grader), {}).setdefault(row.at, []).append(verdict)
        return [verdict for by_time in gradings.values() for verdict in _counting(by_time)]

    def add_verdicts(
        self, grader: str, given: Iterable[Verdict], failed: Collection[Key] = (), rubric_sha256: str = ""
    ) -> list[Key]:
        """Add a grading; return the answers on which an earlier one by this grader stands.

        It stands where the new one says nothing, or is said to have `failed`, and is then not added.
        """
        answers, at = {(row.question_id, row.attempt): row for row in self._answers()}, timestamp()
        by_answer: dict[Key, list[Verdict]] = {}
        for verdict in given:
            by_answer.setdefault((verdict.question_id, verdict.attempt), []).append(verdict)
        before = {(v.question_id, v.attempt) for v in self.verdicts() if v.grader == grader and v.value is not None}
        stands = [
            key for key, own in by_answer.items()
            if key in before and (key in failed or all(one.value is None for one in own))
        ]  # fmt: skip
        new = [
            _sealed(answers[key], verdict, at, rubric_sha256)
            for key, own in by_answer.items() if key in answers and key not in stands for verdict in own
        ]  # fmt: skip
        with self._database.writing() as connection:
            add(connection, new)
        return stands

    def verdict_ids(self) -> list[str]:
        """The ids of all rows that could have a part in a decision on this run."""
        return sorted({row.id for _, row in self._said()})

    def missing(self) -> list[Question]:
        """The questions that have no answer, not even an error."""
        answered = {question for question, _ in self.answer_keys()}
        return [question for question in self.questions() if question.id not in answered]

    def purge(self, connection: Connection, keys: Collection[Key], when: str) -> None:
        """Erase answers, and of a log the questions that nobody else asked."""
        gone = [row for row in self._answers(connection) if (row.question_id, row.attempt) in keys]
        for row in gone:
            own = (ANSWERS.c.run == self.id, ANSWERS.c.question_id == row.question_id,
                   ANSWERS.c.attempt == row.attempt)  # fmt: skip
            connection.execute(ANSWERS.delete().where(*own))
        changes: dict[str, object] = {"purged": (*self.manifest.purged, f"{when}: {len(gone)} answers")}
        if self.manifest.log_sha256:
            left = {row.question_id for row in self._answers(connection)}
            asked = rows(connection, QuestionRow, select(QUESTIONS).where(QUESTIONS.c.run == self.id))
            kept = [row for row in asked if row.question["id"] in left]
            for place in (row.place for row in asked if row not in kept):
                connection.execute(QUESTIONS.delete().where(QUESTIONS.c.run == self.id, QUESTIONS.c.place == place))
            changes |= {"question_count": len(kept), "uneven": True}
        self._amend(connection, **changes)

    def _amend(self, connection: Connection, **changes: object) -> None:
        self.manifest = replace(self.manifest, **changes)
        new = {"manifest": plain_json(self.manifest), "version": self.manifest.version}
        connection.execute(RUNS.update().where(RUNS.c.id == self.id).values(new))

    def _answers(self, connection: Connection | None = None) -> list[AnswerRow]:
        query = in_order(ANSWERS).where(ANSWERS.c.run == self.id)
        return self.project._rows(AnswerRow, query) if connection is None else rows(connection, AnswerRow, query)

    def _answer_row(self, asked: Mapping[str, Question], trace: Trace) -> AnswerRow:
        if trace.question_id is None:
            raise ValueError("an answer of a run names its question")
        clean = _TRACE.decode(_ENCODER.encode(plain_json(trace)))
        question = asked.get(trace.question_id) or Question(trace.question_id, "", "answer")
        return checked(AnswerRow(
            run=self.id, question_id=str(clean.question_id), attempt=clean.attempt, key=key_of(question, clean),
            context=context_of(question, clean), subject=clean.subject or "", trace=plain_json(clean),
        ))  # fmt: skip

    def _said(self) -> Iterator[tuple[Key, VerdictRow]]:
        """All that graders and people ever said of these answers, oldest first."""
        query = (
            select(VERDICTS, ANSWERS.c.question_id.label("asked"), ANSWERS.c.attempt.label("time"))
            .join(ANSWERS, ANSWERS.c.key == VERDICTS.c.key)
            .where(ANSWERS.c.run == self.id, or_(VERDICTS.c.context == ANSWERS.c.context, VERDICTS.c.context == ""))
            .order_by(VERDICTS.c.at, ANSWERS.c.question_id, ANSWERS.c.attempt, VERDICTS.c.axis, VERDICTS.c.id)
        )
        with self._database.reading() as connection:
            for found in connection.execute(query).mappings().all():
                yield (found["asked"], found["time"]), row_of(VerdictRow, found)


class Replies:
    """Paid replies of models, so that nothing is paid for twice and a team shares them."""

    def __init__(self, database: Database) -> None:
        self.name = database.name
        self._database = database

    def read(self, digest: str) -> bytes | None:
        with self._database.reading() as connection:
            found = connection.execute(select(REPLIES.c.reply).where(REPLIES.c.digest == digest)).scalar()
        return None if found is None else str(found).encode()

    def digests(self) -> list[str]:
        with self._database.reading() as connection:
            return list(connection.execute(select(REPLIES.c.digest)).scalars())

    def forget(self, digests: Collection[str], before: str) -> None:
        """Erase these replies and all from before a time, so that no byte of them is left."""
        with self._database.writing() as connection:
            for some in _batches(digests):
                connection.execute(REPLIES.delete().where(REPLIES.c.digest.in_(some)))
            connection.execute(REPLIES.delete().where(REPLIES.c.at < before))
        self._database.compact()

    def write(self, digest: str, model: str, reply: bytes) -> None:
        row = ReplyRow(digest=digest, at=timestamp(), model=model, reply=reply.decode())
        with self._database.writing(alone=False) as connection:
            connection.execute(REPLIES.delete().where(REPLIES.c.digest == digest))
            connection.execute(REPLIES.insert(), asdict(row))


def key_of(question: Question, trace: Trace) -> str:
    """Return the key of what was said: the question, the answer, and the texts it cites, or all where it cites none."""
    said = trace.answer or ""
    sources = trace.sources
    cited = trace.citations
    if cited is None:
        cited = citations.parse(said, trace.names, question.gold_ids, sources) or ()
    shown = [one for one in sources if one.id in cited] or sources
    return _hash([_normal(question.text), _words(said), trace.error, sorted(_text(one) for one in shown)])


def context_of(question: Question, trace: Trace) -> str:
    """Return the hash of what a grader sees besides: gold, expectation, everything that was retrieved."""
    retrieved = None if trace.retrieved is None else [(one.id, _text(one)) for one in trace.retrieved]
    return _hash([question.expects, question.gold_ids, question.gold_claims, retrieved, trace.citations])


def verdict_row(label: Label) -> VerdictRow:
    """Return the label as the row that it is in the project."""
    return VerdictRow(
        id=label.id, at=label.at, key=label.version, context="", axis=label.axis, value=label.value,
        grader=signed(label.annotator), via=label.drawn, reason=label.note, rubric_sha256=label.rubric_sha256,
        run=label.run, question_id=label.question_id, attempt=label.attempt, subject=label.subject,
    )  # fmt: skip


def label_of(row: VerdictRow) -> Label:
    """Return a person's row as a label."""
    return Label(
        id=row.id, at=row.at, annotator=row.grader.removeprefix(PEOPLE), question_id=row.question_id,
        attempt=row.attempt, axis=row.axis, value=row.value, note=row.reason, version=row.key,
        rubric_sha256=row.rubric_sha256, run=row.run, drawn=row.via, subject=row.subject,  # type: ignore[arg-type]
    )  # fmt: skip


def erase(
    project: Project, runs: Mapping[str, Collection[Key]], whole: Collection[str], subjects: Collection[str],
    before: str, record: Purge,
) -> Purge:  # fmt: skip
    """Erase answers of runs, whole runs, and what was said of them; add the record of it. All of it or nothing.

    A verdict goes where its answer is in no run any more, where it is about one of `subjects`, or is older.
    """
    with project.database.writing() as connection:
        gone = {row.key for run in project.runs() for row in run._answers(connection)
                if run.id in whole or (row.question_id, row.attempt) in runs.get(run.id, ())}  # fmt: skip
        for run in project.runs():
            if run.id in whole:
                for table in (ANSWERS, QUESTIONS):
                    connection.execute(table.delete().where(table.c.run == run.id))
                connection.execute(RUNS.delete().where(RUNS.c.id == run.id))
            elif run.id in runs:
                run.purge(connection, runs[run.id], record.at)
        left = set(connection.execute(select(ANSWERS.c.key)).scalars())
        found = connection.execute(select(VERDICTS.c.id, VERDICTS.c.key, VERDICTS.c.subject, VERDICTS.c.at)).all()
        doomed = [id for id, key, subject, at in found
                  if (key in gone and key not in left) or subject in subjects or at < before]  # fmt: skip
        with deleting(connection, VERDICTS.name):
            for some in _batches(doomed):
                connection.execute(VERDICTS.delete().where(VERDICTS.c.id.in_(some)))
        # Nobody knows whose words a model was shown: of a person all replies go, else those that are too old.
        old = REPLIES.delete() if not before else REPLIES.delete().where(REPLIES.c.at < before)
        replies = connection.execute(old).rowcount
        made = replace(record, rows={**record.rows, "verdicts": len(doomed), "replies": replies})
        add(connection, [made])
    project.database.compact()
    return made


def _counting(by_time: Mapping[str, list[Verdict]]) -> list[Verdict]:
    newest_first = [by_time[at] for at in sorted(by_time, reverse=True)]
    return next((one for one in newest_first if any(v.value is not None for v in one)), newest_first[0])


def _sealed(answer: AnswerRow, verdict: Verdict, at: str, rubric_sha256: str) -> VerdictRow:
    row = VerdictRow(
        id="", at=at, key=answer.key, context=answer.context, axis=verdict.axis, value=verdict.value,
        grader=verdict.grader, via=verdict.via, reason=verdict.reason, confidence=verdict.confidence,
        evidence=verdict.evidence, self_check=verdict.self_check, unsure=verdict.unsure, rubric_sha256=rubric_sha256,
        run=answer.run, question_id=answer.question_id, attempt=answer.attempt, subject=answer.subject,
    )  # fmt: skip
    clean = msgspec.convert(plain_json(row), VerdictRow)
    return replace(clean, id=_hash(clean))


def _labels(connection: Connection, keys: Collection[str] | None, run: str | None = None) -> list[Label]:
    people = or_(VERDICTS.c.grader.startswith(PEOPLE), VERDICTS.c.grader.startswith(AI))
    where = [people, *([] if run is None else [VERDICTS.c.run == run])]
    query = in_order(VERDICTS).where(*where)
    batches = [query] if keys is None else [query.where(VERDICTS.c.key.in_(some)) for some in _batches(keys)]
    found = [label_of(row) for one in batches for row in rows(connection, VerdictRow, one)]
    return sorted(found, key=lambda label: (label.at, label.id))


def _id_for(name: str) -> str:
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")[:40] or "run"
    return f"{stem}-{secrets.token_hex(3)}"


def trace_of(row: AnswerRow) -> Trace:
    return _TRACE.decode(_ENCODER.encode(row.trace))


def _text(passage: Passage) -> str:
    """The hash of a passage's text with its white space normalised; of its id where the log has no text."""
    text = _normal(passage.text)
    return _hash(text) if text else passage.id


def _words(answer: str) -> str:
    """An answer without what changes nothing: case, space, markup, and the order of citations side by side."""
    plain = _MARKUP.sub("", _normal(answer).casefold())
    return _CITATIONS.sub(lambda found: "".join(sorted(_CITATION.findall(found[0]))), plain)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _hash(content: object) -> str:
    clean = without_surrogates(msgspec.to_builtins(content))
    return hashlib.sha256(msgspec.json.encode(clean, order="deterministic")).hexdigest()[:32]


def _batches(keys: Collection[str]) -> Iterator[list[str]]:
    waiting = iter(sorted(keys))
    while some := list(itertools.islice(waiting, BATCH)):
        yield some
