"""What a model said of the pairs it has read, so that nothing is read twice, also after a restart.

One small SQLite file in the user's cache folder, shared by all processes. It holds digests and logits and no text, and
can be deleted at any time. Where it cannot be used, every pair is read again.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np

from surefoot.core.files import cache_folder

Digest = bytes
Logits = tuple[float, ...]
Found = TypeVar("Found")
MOST = 1_000_000  # readings that are kept, about 70 MB
_AT_ONCE = 500  # digests in one query
_SECONDS_TO_WAIT = 10.0
_TABLE = "CREATE TABLE IF NOT EXISTS readings (digest BLOB NOT NULL UNIQUE, logits BLOB NOT NULL)"
_OLD = "DELETE FROM readings WHERE rowid <= (SELECT max(rowid) FROM readings) - ?"


class Readings:
    """Opened anew for every batch: a connection must not outlive a fork."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or cache_folder() / "readings.sqlite"
        self._complained = False

    def known(self, digests: Sequence[Digest]) -> dict[Digest, Logits]:
        return self._tried(lambda database: dict(_known(database, digests))) or {}

    def keep(self, found: Mapping[Digest, Logits]) -> None:
        rows = [(digest, np.array(logits, dtype="<f4").tobytes()) for digest, logits in found.items()]

        def put(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR IGNORE INTO readings VALUES (?, ?)", rows)
                database.execute(_OLD, (MOST,))

        if rows:
            self._tried(put)

    def forget(self) -> None:
        """All of it: whose a reading is, nobody knows."""
        self._path.unlink(missing_ok=True)

    def _tried(self, work: Callable[[sqlite3.Connection], Found]) -> Found | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_SECONDS_TO_WAIT)) as database:
                database.execute(_TABLE)
                return work(database)
        except (sqlite3.Error, OSError, ValueError) as error:
            if not self._complained:
                self._complained = True
                sys.stderr.write(f"{self._path}: what was read before is not known: {error}; all is read again\n")
            return None


def _known(database: sqlite3.Connection, digests: Sequence[Digest]) -> Iterator[tuple[Digest, Logits]]:
    for start in range(0, len(digests), _AT_ONCE):
        wanted = digests[start : start + _AT_ONCE]
        places = ", ".join("?" * len(wanted))
        query = f"SELECT digest, logits FROM readings WHERE digest IN ({places})"
        for digest, logits in database.execute(query, wanted):
            yield digest, tuple(np.frombuffer(logits, dtype="<f4").tolist())
