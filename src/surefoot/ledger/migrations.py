"""How the tables of a ledger came to be what they are, step by step; a step that was released is never edited.

The same statements serve both databases. `{text}` compares by bytes in both, whatever language a server sorts by.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, inspect, text

from surefoot.errors import Incomplete
from surefoot.ledger.schema import TABLES

VERSIONS = "surefoot_ledger"  # the table that says which steps were taken, and that this is a ledger
_REFUSAL = "rows of a ledger are added, never changed"

_TABLES = (
    """CREATE TABLE labels (
        id {text} PRIMARY KEY, at {text} NOT NULL, annotator {text} NOT NULL, question_id {text} NOT NULL,
        attempt BIGINT NOT NULL, axis {text} NOT NULL, value {text} NOT NULL, note {text} NOT NULL,
        version {text} NOT NULL, rubric_sha256 {text} NOT NULL, run {text} NOT NULL, drawn {text} NOT NULL)""",
    "CREATE INDEX labels_in_order ON labels (at, id)",
    "CREATE INDEX labels_by_version ON labels (version)",
    """CREATE TABLE certificates (
        id {text} PRIMARY KEY, at {text} NOT NULL, grader {text} NOT NULL, rubric_sha256 {text} NOT NULL,
        corpus {text} NOT NULL, labels BIGINT NOT NULL, annotators {text} NOT NULL, axes {text} NOT NULL)""",
    """CREATE TABLE steps (
        id {text} PRIMARY KEY, at {text} NOT NULL, programme {text} NOT NULL, reference {text} NOT NULL,
        release {text} NOT NULL, base_run {text} NOT NULL, cand_run {text} NOT NULL, base_name {text} NOT NULL,
        cand_name {text} NOT NULL, grader {text} NOT NULL, questions_sha256 {text} NOT NULL, mode {text} NOT NULL,
        counts {text} NOT NULL, moves {text} NOT NULL, base_answers {text} NOT NULL, cand_answers {text} NOT NULL,
        alpha DOUBLE PRECISION, margin DOUBLE PRECISION, outcome {text} NOT NULL, exit_code BIGINT NOT NULL,
        waived {text} NOT NULL, uncalibrated BOOLEAN NOT NULL, certificate {text} NOT NULL)""",
    """CREATE TABLE runs (
        id {text} NOT NULL, at {text} NOT NULL, name {text} NOT NULL, path {text} NOT NULL, manifest {text} NOT NULL,
        PRIMARY KEY (id, path, at))""",
    """CREATE TABLE replies (
        digest {text} PRIMARY KEY, at {text} NOT NULL, model {text} NOT NULL, reply {text} NOT NULL)""",
)


def _kept_for_good(table: str, identity: tuple[str, ...], dialect: str) -> tuple[str, ...]:
    """The database itself refuses changes, by whatever program."""
    if dialect == "postgresql":
        trigger = "EXECUTE FUNCTION surefoot_refuse()"
        return (
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {trigger}",
            f"CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {trigger}",
        )
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    same = " AND ".join(f"{column} = NEW.{column}" for column in identity)
    return (
        f"CREATE TRIGGER {table}_unchanged BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_undeleted BEFORE DELETE ON {table} {refuse}",
        # INSERT OR REPLACE deletes without asking the trigger above.
        f"CREATE TRIGGER {table}_unreplaced BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {refuse}",
    )


def _first(dialect: str) -> list[str]:
    made = list(_TABLES)
    if dialect == "postgresql":
        made.append(
            "CREATE OR REPLACE FUNCTION surefoot_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
        )
    for table in ("labels", "certificates", "steps"):
        made += _kept_for_good(table, ("id",), dialect)
    made += _kept_for_good("runs", ("id", "path", "at"), dialect)
    return made


def _blocks_stand(dialect: str) -> list[str]:  # noqa: ARG001 - the same in both
    columns = (
        "blocked_by {text} NOT NULL DEFAULT '{}'", "overridden {text} NOT NULL DEFAULT '{}'",
        "closes BOOLEAN NOT NULL DEFAULT FALSE", "deterministic BOOLEAN NOT NULL DEFAULT FALSE",
    )  # fmt: skip
    return [f"ALTER TABLE steps ADD COLUMN {column}" for column in columns]


def _rules_are_kept(dialect: str) -> list[str]:  # noqa: ARG001 - the same in both
    return ["ALTER TABLE steps ADD COLUMN rules {text} NOT NULL DEFAULT '[]'"]


MIGRATIONS = (_first, _blocks_stand, _rules_are_kept)


def version_of(connection: Connection, name: str) -> int:
    """How many steps a ledger has taken; 0 where there is none yet. What is something else is named."""
    tables = set(inspect(connection).get_table_names())
    if VERSIONS not in tables:
        # A file is ours alone; on a server others may have tables beside ours.
        if foreign := tables if connection.dialect.name == "sqlite" else tables & TABLES.keys():
            hint = "choose another place with --ledger"
            raise Incomplete(f"{name} is a database, but no ledger: it has a table {min(foreign)}", hint)
        return 0
    found = int(connection.execute(text(f"SELECT COALESCE(MAX(number), 0) FROM {VERSIONS}")).scalar_one())
    if found > len(MIGRATIONS):
        message = f"the ledger {name} was made by a newer surefoot (its format is {found}, this one knows"
        raise Incomplete(f"{message} {len(MIGRATIONS)})", "upgrade surefoot to read it")
    return found


def migrate(connection: Connection, name: str) -> None:
    """Take the steps that are missing. The caller holds the lock of writers: somebody may have been quicker."""
    dialect = connection.dialect.name
    kind = 'TEXT COLLATE "C"' if dialect == "postgresql" else "TEXT"
    taken = version_of(connection, name)
    if not taken:
        connection.exec_driver_sql(f"CREATE TABLE {VERSIONS} (number BIGINT PRIMARY KEY, at TEXT NOT NULL)")
    for number, statements in list(enumerate(MIGRATIONS, 1))[taken:]:
        for statement in statements(dialect):
            connection.exec_driver_sql(statement.replace("{text}", kind))
        at = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute(text(f"INSERT INTO {VERSIONS} VALUES (:number, :at)"), {"number": number, "at": at})
