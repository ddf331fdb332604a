"""Rows of a ledger are erased: by age, or all that is about one person. That it was done stays on record.

What a decision rests on stays too: certificates, steps and the list of runs hold counts and hashes, and no text.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from msgspec import Struct
from sqlalchemy import Column, ColumnElement, Connection, select

from surefoot.ledger.book import Ledger
from surefoot.ledger.schema import BATCH, LABELS, REPLIES, SCORES, add, deleting
from surefoot.records import Purge


class Doomed(Struct, frozen=True, kw_only=True):
    """What is to go: everything before a time; or what people and models said of one person's answers."""

    before: str = ""
    subjects: frozenset[str] = frozenset()  # what the person is called: their id, and its hash
    versions: frozenset[str] = frozenset()  # of the person's answers, for rows that do not say whose they are
    digests: frozenset[str] = frozenset()  # of replies


def count(ledger: Ledger, doomed: Doomed) -> dict[str, int]:
    """How many rows would go."""
    with ledger.database.reading() as connection:
        return {name: len(keys) for name, keys in _found(connection, doomed).items()}


def erase(ledger: Ledger, doomed: Doomed, record: Purge) -> Purge:
    """Delete the rows and add the record, with how many there were, all of it or nothing."""
    with ledger.database.writing() as connection:
        found = _found(connection, doomed)
        for table in (LABELS, SCORES):
            with deleting(connection, table.name):
                _delete(connection, table.c.id, found[table.name])
        _delete(connection, REPLIES.c.digest, found[REPLIES.name])
        rows = {name: len(keys) for name, keys in found.items()} | dict(record.rows)
        made = Purge(
            id=record.id, at=record.at, by=record.by, before=record.before, subject_sha256=record.subject_sha256,
            rows=rows,
        )  # fmt: skip
        add(connection, [made])
    ledger.database.compact()
    return made


def _found(connection: Connection, doomed: Doomed) -> dict[str, set[str]]:
    """The keys of what is to go, by table."""
    labels, scores, replies = LABELS.c.id, SCORES.c.id, REPLIES.c.digest
    if doomed.before:
        return {key.table.name: _keys(connection, key, key.table.c.at < doomed.before)
                for key in (labels, scores, replies)}  # fmt: skip
    unsaid = LABELS.c.subject == ""
    return {
        LABELS.name: _among(connection, labels, LABELS.c.subject, doomed.subjects)
        | _among(connection, labels, LABELS.c.version, doomed.versions, unsaid),
        SCORES.name: _among(connection, scores, SCORES.c.version, doomed.versions),
        REPLIES.name: _among(connection, replies, replies, doomed.digests),
    }


def _among(
    connection: Connection, key: Column[str], column: Column[str], values: Collection[str], *where: ColumnElement[bool]
) -> set[str]:
    return {one for some in _batches(values) for one in _keys(connection, key, column.in_(some), *where)}


def _keys(connection: Connection, key: Column[str], *where: ColumnElement[bool]) -> set[str]:
    return set(connection.execute(select(key).where(*where)).scalars())


def _delete(connection: Connection, key: Column[str], keys: Collection[str]) -> None:
    for some in _batches(keys):
        connection.execute(key.table.delete().where(key.in_(some)))


def _batches(keys: Collection[str]) -> Iterator[list[str]]:
    waiting = iter(sorted(keys))
    while some := list(itertools.islice(waiting, BATCH)):
        yield some
