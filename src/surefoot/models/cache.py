"""Replies that have been paid for, by what was asked. No key comes here: it is in neither prompt nor reply.

By default a file of its own, SQLite in WAL mode: many processes may share it, and a killed one loses nothing that it
has put there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from surefoot.core.errors import Incomplete, SurefootError
from surefoot.models.seam import Prompt, Reply, Shelf

_VERSION = 1  # of what a digest is made of
_SECONDS_TO_WAIT = 10.0
_FAILURES = (sqlite3.Error, OSError, SurefootError)
_TABLE = """CREATE TABLE IF NOT EXISTS replies (
    digest TEXT PRIMARY KEY, model TEXT NOT NULL, reply BLOB NOT NULL, at REAL NOT NULL) WITHOUT ROWID"""


def digest_of(model: str, prompt: Prompt, temperature: float | None, effort: str | None = None) -> str:
    content = [_VERSION, model, temperature, *_texts(prompt), prompt.schema, prompt.longest, prompt.attempt]
    content += [effort] if effort else []
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def _texts(prompt: Prompt) -> list[bytes]:
    """Half characters cannot be sent, yet texts that differ in them differ."""
    return [text.encode("utf-8", "surrogatepass") for text in (prompt.system, prompt.text)]


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "surefoot"


def default_path() -> Path:
    return cache_folder() / "replies.sqlite"


def forget(path: Path, digests: Iterable[str] = (), before: float = 0.0) -> None:
    """Erase replies from a file, those before a time among them, so that no byte of them is left."""
    if not path.exists():
        return
    with contextlib.closing(sqlite3.connect(path, timeout=_SECONDS_TO_WAIT, isolation_level=None)) as database:
        database.execute(_TABLE)
        database.execute("PRAGMA secure_delete = ON")
        database.executemany("DELETE FROM replies WHERE digest = ?", [(digest,) for digest in digests])
        database.execute("DELETE FROM replies WHERE at < ?", (before,))
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class Cache:
    """Several shelves or none, the first one first: what is found on a later one is put on those before it."""

    def __init__(self, *places: Path | Shelf) -> None:
        self.shelves: tuple[Shelf, ...] = tuple(_File(place) if isinstance(place, Path) else place for place in places)
        self._complained = False

    def get(self, digest: str, model: str = "") -> Reply | None:
        """As it came, but that it costs nothing any more."""
        for place, shelf in enumerate(self.shelves):
            try:
                kept = shelf.read(digest)
                reply = None if kept is None else msgspec.json.decode(kept, type=Reply)
            except (*_FAILURES, msgspec.DecodeError, UnicodeDecodeError) as error:
                self._complain(shelf, error)
                continue
            if reply is not None:
                self._write(self.shelves[:place], digest, model, reply)
                return repeated(reply)
        return None

    def put(self, digest: str, model: str, reply: Reply) -> None:
        """Durable against a kill when it returns. A reply that cannot be kept is still a reply."""
        self._write(self.shelves, digest, model, reply)

    def _write(self, shelves: Iterable[Shelf], digest: str, model: str, reply: Reply) -> None:
        for shelf in shelves:
            try:
                shelf.write(digest, model, msgspec.json.encode(reply))
            except _FAILURES as error:
                self._complain(shelf, error)

    def _complain(self, shelf: Shelf, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            sys.stderr.write(f"{shelf.name}: the cache of replies failed: {error}; what it misses is asked again\n")


class _File:
    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._guard = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # replies quote documents
            self._database = sqlite3.connect(path, timeout=_SECONDS_TO_WAIT, check_same_thread=False)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            hint = "choose another file for it, or delete this one: replies are then paid for again"
            raise Incomplete(f"{path}: the cache of replies cannot be opened: {reason}", hint) from error

    def read(self, digest: str) -> bytes | None:
        with self._guard:
            row = self._database.execute("SELECT reply FROM replies WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row else None

    def write(self, digest: str, model: str, reply: bytes) -> None:
        with self._guard, self._database:
            row = (digest, model, reply, time.time())
            self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)

    def _prepare(self) -> None:
        """Only one process can turn WAL on, and SQLite does not make the others wait for it."""
        give_up = time.monotonic() + _SECONDS_TO_WAIT
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute(_TABLE)
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)


def repeated(reply: Reply) -> Reply:
    return msgspec.structs.replace(reply, cached=True, cost_usd=0.0, asked=0)
