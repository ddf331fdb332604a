"""Rows on disk that wait to be worked on: what was appended is there after a crash, and goes when it is done with."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from surefoot.core.errors import Incomplete

_BEGIN = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA secure_delete = ON",
    "CREATE TABLE IF NOT EXISTS rows (place INTEGER PRIMARY KEY AUTOINCREMENT, row BLOB NOT NULL)",
)
_NEXT = "SELECT row, place FROM rows WHERE place > ? ORDER BY place LIMIT 500"


class Spool:
    """A database of rows, each with its place, a number that only grows. Any thread, but one process."""

    def __init__(self, folder: Path, name: str) -> None:
        path = folder / f"{name}.db"
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._guard = threading.Lock()
        try:
            self._database = sqlite3.connect(path, check_same_thread=False)
            for statement in _BEGIN:
                self._database.execute(statement)
            self.end: int = self._database.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise Incomplete(f"{path} cannot be used: {error}", "choose another place with --state") from error

    def append(self, rows: Iterable[bytes]) -> int:
        """All or none of them; durable when it returns. The place of the last."""
        with self._guard:
            with self._database:
                self._database.executemany("INSERT INTO rows (row) VALUES (?)", [(row,) for row in rows])
            self.end = self._database.execute("SELECT seq FROM sqlite_sequence").fetchone()[0]
            return self.end

    def rows(self, since: int) -> Iterator[tuple[bytes, int]]:
        """Each row behind a place, with its own."""
        while True:
            with self._guard:
                found = self._database.execute(_NEXT, (since,)).fetchall()
            if not found:
                return
            yield from found
            since = found[-1][1]

    def drop(self, up_to: int) -> None:
        """Erase the rows up to a place, so that no byte of them is left."""
        with self._guard:
            with self._database:
                self._database.execute("DELETE FROM rows WHERE place <= ?", (up_to,))
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._database.close()
