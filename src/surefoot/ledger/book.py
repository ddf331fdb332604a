"""The ledger as the rest of Surefoot sees it: records in, records out."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, func, select, text

from surefoot.ledger.database import Database
from surefoot.ledger.schema import (
    CERTIFICATES,
    FORMAT,
    LABELS,
    REPLIES,
    RUNS,
    SCORES,
    add,
    in_order,
    record,
    records,
    table_of,
)
from surefoot.records import Certificate, Label, Purge, RunEntry, Score, Step

_AT_ONCE = 500
_PUT = text(
    "INSERT INTO replies (digest, at, model, reply) VALUES (:digest, :at, :model, :reply) "
    "ON CONFLICT (digest) DO UPDATE SET at = excluded.at, model = excluded.model, reply = excluded.reply"
)

Record = TypeVar("Record", bound=Struct)


class Ledger:
    """Any number of processes and threads may have it open and write to it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.name = database.name  # for messages: without a password
        self.replies = Replies(database)

    @classmethod
    def open(cls, where: str | Path) -> Ledger:
        """The ledger in a file or at a postgresql:// URL; it is made where there is none."""
        with contextlib.ExitStack() as undo:
            database = undo.enter_context(contextlib.closing(Database(where)))
            database.make()
            undo.pop_all()
        return cls(database)

    @classmethod
    def existing(cls, where: str | Path) -> Ledger | None:
        """The ledger, or None where there is none."""
        with contextlib.closing(Database(where)) as database:
            empty = database.file is not None and not (database.file.exists() and database.file.stat().st_size)
            if empty or not (version := database.version()):
                return None
        return cls.open(where) if version < FORMAT else cls(Database(where))

    def add(self, rows: Iterable[Struct]) -> int:
        """Rows of one kind; how many were new. All are added or none; they are on disk when this returns."""
        with self.database.writing() as connection:
            return add(connection, rows)

    def add_new_labels(self, versions: Collection[str], new_beside: Callable[[list[Label]], Iterable[Label]]) -> int:
        """Add what `new_beside` makes of all labels on these versions; how many those were.

        They are read in the very transaction that adds: nobody can add the same in between.
        """
        with self.database.writing() as connection:
            return add(connection, new_beside(_labels(connection, versions)))

    def labels(self, *, versions: Collection[str] | None = None, run: str | None = None) -> list[Label]:
        """Every row, oldest first, those that were changed later too: `records.current` tells what is in force."""
        where = [] if run is None else [LABELS.c.run == run]
        with self.database.reading() as connection:
            if versions is None:
                return _rows(connection, Label, *where)
            return _labels(connection, versions, *where)

    def certificates(self, grader: str | None = None) -> list[Certificate]:
        """Newest first."""
        return self._all(Certificate, *([] if grader is None else [CERTIFICATES.c.grader == grader]))[::-1]

    def steps(self) -> list[Step]:
        """Oldest first."""
        return self._all(Step)

    def purges(self) -> list[Purge]:
        """Oldest first."""
        return self._all(Purge)

    def add_run(self, entry: RunEntry) -> None:
        """A run that is known at its place, with the manifest it had, is not added again."""
        with self.database.writing() as connection:
            there = select(RUNS).where(RUNS.c.id == entry.id, RUNS.c.path == entry.path).order_by(RUNS.c.at.desc())
            newest = connection.execute(there).mappings().first()
            if newest is None or record(RunEntry, newest).manifest != entry.manifest:
                add(connection, [entry])

    def add_scores(self, run: str, scores: Iterable[Score]) -> int:
        """Of one run; how many were new. What was said before is not added again, whenever that was."""
        with self.database.writing() as connection:
            known = set(connection.execute(select(SCORES.c.id).where(SCORES.c.run == run)).scalars())
            return add(connection, [score for score in scores if score.id not in known])

    def scores(self, run: str) -> list[Score]:
        """All that councils ever said of a run, oldest first."""
        return self._all(Score, SCORES.c.run == run)

    def runs(self) -> list[RunEntry]:
        """Oldest first. A run has a row for each place it was seen at, and each time it was graded."""
        return self._all(RunEntry)

    def counts(self) -> dict[str, int]:
        """How many rows of each kind there are: where these are the same, nothing has changed."""
        with self.database.reading() as connection:
            tables = (table_of(kind) for kind in (Label, Certificate, Step, RunEntry, Score, Purge))
            return {str(one.name): int(connection.execute(select(func.count()).select_from(one)).scalar_one())
                    for one in tables}  # fmt: skip

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _all(self, kind: type[Record], *where: ColumnElement[bool]) -> list[Record]:
        with self.database.reading() as connection:
            return _rows(connection, kind, *where)


class Replies:
    """Paid replies of models, so that a team shares them: what `models.cache.Cache` takes in place of a file.

    A reply may be put in place of another.
    """

    def __init__(self, database: Database) -> None:
        self.name = database.name
        self._database = database

    def read(self, digest: str) -> bytes | None:
        with self._database.reading() as connection:
            found = connection.execute(select(REPLIES.c.reply).where(REPLIES.c.digest == digest)).scalar()
        return None if found is None else str(found).encode()

    def write(self, digest: str, model: str, reply: bytes) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"digest": digest, "at": at, "model": model, "reply": reply.decode()}
        with self._database.writing(alone=False) as connection:
            connection.execute(_PUT, row)


def _rows(connection: Connection, kind: type[Record], *where: ColumnElement[bool]) -> list[Record]:
    return records(connection, kind, in_order(table_of(kind)).where(*where))


def _labels(connection: Connection, versions: Collection[str], *where: ColumnElement[bool]) -> list[Label]:
    waiting, found = iter(sorted(set(versions))), list[Label]()
    while some := list(itertools.islice(waiting, _AT_ONCE)):
        found += _rows(connection, Label, LABELS.c.version.in_(some), *where)
    return sorted(found, key=lambda label: (label.at, label.id))
