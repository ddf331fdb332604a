"""Replies that have been paid for, by what was asked. No key comes here: it is in neither prompt nor reply.

By default a file of its own, SQLite in WAL mode: many processes may share it, and a killed one loses nothing that it
has put there.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Protocol

import msgspec

from surefoot.errors import Incomplete, SurefootError
from surefoot.models.seam import Prompt, Reply

_VERSION = 1  # of what a digest is made of
_SECONDS_TO_WAIT = 10.0
_FAILURES = (sqlite3.Error, SurefootError)
_TABLE = """CREATE TABLE IF NOT EXISTS replies (
    digest TEXT PRIMARY KEY, model TEXT NOT NULL, reply BLOB NOT NULL, at REAL NOT NULL) WITHOUT ROWID"""


def digest_of(model: str, prompt: Prompt, temperature: float | None, effort: str | None = None) -> str:
    content = [_VERSION, model, temperature, *_texts(prompt), prompt.schema, prompt.longest, prompt.attempt]
    content += [effort] if effort else []
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


def _texts(prompt: Prompt) -> list[bytes]:
    """Half characters cannot be sent, yet texts that differ in them differ."""
    return [text.encode("utf-8", "surrogatepass") for text in (prompt.system, prompt.text)]


def default_path() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "surefoot" / "replies.sqlite"


class Shelf(Protocol):
    """Where replies lie as bytes, by digest: a file, or a ledger that a team shares."""

    name: str

    def read(self, digest: str) -> bytes | None: ...

    def write(self, digest: str, model: str, reply: bytes) -> None: ...

    def close(self) -> None: ...


class Cache:
    def __init__(self, place: Path | Shelf) -> None:
        self._shelf: Shelf = _File(place) if isinstance(place, Path) else place
        self._complained = False

    def get(self, digest: str) -> Reply | None:
        """As it came, but that it costs nothing any more."""
        try:
            kept = self._shelf.read(digest)
            reply = None if kept is None else msgspec.json.decode(kept, type=Reply)
        except (*_FAILURES, msgspec.DecodeError, UnicodeDecodeError) as error:
            self._complain(error)
            return None
        return None if reply is None else repeated(reply)

    def put(self, digest: str, model: str, reply: Reply) -> None:
        """Durable against a kill when it returns. A reply that cannot be kept is still a reply."""
        try:
            self._shelf.write(digest, model, msgspec.json.encode(reply))
        except _FAILURES as error:
            self._complain(error)

    def close(self) -> None:
        self._shelf.close()

    def _complain(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            sys.stderr.write(
                f"{self._shelf.name}: the cache of replies failed: {error}; what it misses is asked again\n"
            )


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

    def close(self) -> None:
        with self._guard:
            self._database.close()

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
    return msgspec.structs.replace(reply, cached=True, cost_usd=0.0, asked=0, seconds=0.0)
