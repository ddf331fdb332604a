"""Paid replies of models in the ledger, so that a team shares them. A cache: a reply may be put in place of another."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select, text

from surefoot.ledger.database import Database
from surefoot.ledger.schema import REPLIES

_PUT = text(
    "INSERT INTO replies (digest, at, model, reply) VALUES (:digest, :at, :model, :reply) "
    "ON CONFLICT (digest) DO UPDATE SET at = excluded.at, model = excluded.model, reply = excluded.reply"
)


class Replies:
    """What `models.cache.Cache` keeps replies on. It has its own connections: they need not wait for the disk."""

    def __init__(self, where: str | Path) -> None:
        self._database = Database(where, durable=False)
        self.name = self._database.name

    def read(self, digest: str) -> bytes | None:
        with self._database.reading() as connection:
            found = connection.execute(select(REPLIES.c.reply).where(REPLIES.c.digest == digest)).scalar()
        return None if found is None else str(found).encode()

    def write(self, digest: str, model: str, reply: bytes) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"digest": digest, "at": at, "model": model, "reply": reply.decode()}
        with self._database.writing(alone=False) as connection:
            connection.execute(_PUT, row)

    def close(self) -> None:
        self._database.close()
