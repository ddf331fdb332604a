"""The database of a project: a file, or a PostgreSQL server by URL. One writer at a time, any number of readers.

The file is in WAL mode: a reader never waits, a killed process loses nothing that was committed, and what was not
committed was never there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.files import holding, printable
from surefoot.store import schema

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
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            except OSError as error:
                raise Incomplete(f"the database {self.name} cannot be opened: {error.strerror}", _ELSEWHERE) from error
        if not self.is_made():
            self._turn_wal_on()
            with self.writing() as connection:
                schema.make(connection, self.name)

    def is_made(self) -> bool:
        with self.reading() as connection:
            return bool(schema.format_of(connection, self.name))

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
        statements = [f"VACUUM FULL {name}" for name in schema.TABLES]
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
