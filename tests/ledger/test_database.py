"""Nothing is lost, doubled or changed: many writers, a killed one, and programs that know SQL."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace
from sqlalchemy import inspect

from surefoot.errors import Incomplete
from surefoot.ledger import Ledger, database, schema
from surefoot.ledger.exports import write_ledger
from surefoot.ledger.schema import STEPS, TABLES
from tests.ledger.rows import CERTIFICATE, RUN, SCORE, STEP, label

# Each writer is a process of its own, which need not import again what the first one has imported.
WRITER = """
import os
import sys
from surefoot.ledger import Ledger
from surefoot.records import Label
where, names, count, shared = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), sys.argv[4] == "shared"
who = next((name for name in names[1:] if os.fork() == 0), names[0])
with Ledger.open(where) as ledger:
    for number in range(count):
        name = f"shared/{number}" if shared and number % 4 == 0 else f"{who}/{number}"
        said = dict(annotator="a", question_id="q", axis="factuality", value="wrong", note="x" * 300)
        ledger.add([Label(id=name, at="2026-01-01T00:00:00+00:00", **said)])
        print(number, flush=True)
assert who != names[0] or all(os.wait()[1] == 0 for _ in names[1:])
"""


def writer(place: str, who: str, count: int, shared: str = "own") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, place, who, str(count), shared]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def write_at_once(place: str, writers: int, count: int, shared: str = "own") -> None:
    process = writer(place, ",".join(map(str, range(writers))), count, shared)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors


def test_eight_processes_write_at_once_and_none_loses_or_doubles_a_label(place: str) -> None:
    """All open it at once, where there is none yet: it is made once. Every fourth label is sent by all of them."""
    count = 200 if "://" not in place else 60
    write_at_once(place, 8, count, "shared")
    with Ledger.open(place) as ledger:
        found = [row.id for row in ledger.labels()]
    wanted = {f"{who}/{number}" for who in range(8) for number in range(count) if number % 4}
    assert len(found) == len(set(found)) and set(found) == wanted | {f"shared/{n}" for n in range(0, count, 4)}


def test_a_killed_writer_loses_nothing_that_was_committed(place: str) -> None:
    for turn in range(3):
        killed = writer(place, f"killed-{turn}", 1_000_000)
        assert killed.stdout is not None
        said = [killed.stdout.readline().strip() for _ in range(30 + turn)]
        os.kill(killed.pid, signal.SIGKILL)
        said += killed.stdout.read().split("\n")[:-1]  # what is not a whole line was not said
        killed.communicate(timeout=600)
        with Ledger.open(place) as ledger:
            found = {row.id for row in ledger.labels()}
        assert {f"killed-{turn}/{number}" for number in said if number} <= found
    if "://" not in place:
        with contextlib.closing(sqlite3.connect(place)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("table", ["labels", "certificates", "steps", "runs"])
def test_the_database_itself_refuses_every_change(place: str, table: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.add([label(1)])
        ledger.add([CERTIFICATE])
        ledger.add([STEP])
        ledger.add_run(RUN)
        changes = [f"UPDATE {table} SET at = 'x'", f"DELETE FROM {table}"]
        on_file = f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"
        changes.append(f"TRUNCATE {table}" if "://" in place else on_file)
        for statement in changes:
            with pytest.raises(Incomplete, match="added, never changed"), ledger.database.writing() as connection:
                connection.exec_driver_sql(statement)
        assert (ledger.labels(), ledger.steps(), ledger.runs()) == ([label(1)], [STEP], [RUN])
        assert ledger.certificates() == [CERTIFICATE]


def test_both_databases_have_the_columns_that_records_have(place: str) -> None:
    with Ledger.open(place) as ledger, ledger.database.reading() as connection:
        made = inspect(connection)
        for name, table in TABLES.items():
            assert [column["name"] for column in made.get_columns(name)] == table.columns.keys(), name
            kinds = {column["name"]: column["type"].python_type for column in made.get_columns(name)}
            wanted = {column.name: column.type.python_type for column in table.columns}
            assert kinds == {name: str if kind is object else kind for name, kind in wanted.items()}  # JSON is text


def test_a_ledger_of_a_newer_version_says_so(place: str) -> None:
    with Ledger.open(place) as ledger, ledger.database.writing() as connection:
        connection.exec_driver_sql(f"INSERT INTO {schema.VERSIONS} VALUES (99, 'x')")
    for opened in (Ledger.open, Ledger.existing):
        with pytest.raises(Incomplete, match="newer surefoot") as caught:
            opened(place)
        assert "upgrade" in caught.value.hint


def older(place: str) -> None:
    """A ledger of the first format, with a label and a step."""
    with Ledger.open(place) as ledger:
        ledger.add([label(1)])
        with ledger.database.writing() as connection:
            for column in ("blocked_by", "overridden", "closes", "deterministic", "rules"):
                connection.exec_driver_sql(f"ALTER TABLE steps DROP COLUMN {column}")
            there = {column["name"] for column in inspect(connection).get_columns("steps")}
            said = {name: value for name, value in asdict(STEP).items() if name in there}
            connection.execute(STEPS.insert().values(said))
            connection.exec_driver_sql("DROP TABLE scores")
            connection.exec_driver_sql(f"UPDATE {schema.VERSIONS} SET number = 1")


def exported(ledger: Ledger) -> bytes:
    file = io.BytesIO()
    write_ledger(ledger, file)
    return file.getvalue()


def test_an_older_ledger_is_brought_up_to_date_and_keeps_its_rows(place: str, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "new.db") as ledger:
        ledger.add([label(1)])
        ledger.add([STEP])
        told = exported(ledger)
    older(place)
    found = Ledger.existing(place)
    assert found is not None
    with found as ledger:
        assert (ledger.labels(), ledger.steps(), exported(ledger)) == ([label(1)], [STEP], told)
        ledger.add([replace(STEP, id="step-2", rules=("wrong <= baseline",))])
        assert [step.rules for step in ledger.steps()] == [(), ("wrong <= baseline",)]
        assert (ledger.add_scores("r", [SCORE]), ledger.add_scores("r", [replace(SCORE, at="later")])) == (1, 0)
        assert ledger.scores("r") == [SCORE] and ledger.scores("another") == []
        with pytest.raises(Incomplete, match="never changed"), ledger.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM scores")


def test_an_older_ledger_that_can_only_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(tmp_path / "l.db")
    older(place)
    monkeypatch.setattr(database, "_is_writable", lambda _: False)
    with pytest.raises(Incomplete, match="cannot be used: attempt to write a readonly database"):
        Ledger.existing(place)


def test_many_open_an_older_ledger_at_once_and_it_is_brought_up_to_date_once(
    place: str,
) -> None:
    older(place)
    write_at_once(place, 4, 5)
    with Ledger.open(place) as ledger:
        assert len(ledger.labels()) == 21 and ledger.steps() == [STEP]


def test_another_programs_database_is_left_alone(tmp_path: Path, on_server: Callable[[], str]) -> None:
    path = tmp_path / "theirs.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE cookies (id)")
    before = path.read_bytes()
    with pytest.raises(Incomplete, match="no ledger: it has a table cookies"):
        Ledger.open(path)
    assert path.read_bytes() == before
    url = on_server()
    with Ledger.open(url) as ledger, ledger.database.writing() as connection:
        connection.exec_driver_sql(f"DROP TABLE {schema.VERSIONS}")
    with pytest.raises(Incomplete, match="no ledger: it has a table certificates"):
        Ledger.open(url)


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.add([label(1)])
        with ledger.database.writing():
            assert ledger.labels() == [label(1)]


@pytest.mark.parametrize("statement", [f"SELECT pg_advisory_xact_lock({database._WRITERS})", "LOCK TABLE labels"])
def test_a_writer_to_a_server_does_not_wait_for_ever(
    on_server: Callable[[], str], monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr(database, "_SECONDS_TO_WAIT", 1.0)
    url = on_server()
    with Ledger.open(url) as ledger, Ledger.open(url) as other:
        with other.database.writing(alone=False) as connection:
            connection.exec_driver_sql(statement)
            began = time.monotonic()
            with pytest.raises(Incomplete, match="has been busy for over 1 seconds") as caught:
                ledger.add([label(1)])
            assert time.monotonic() - began > 0.9
        assert "wait until the other process" in caught.value.hint
        assert ledger.add([label(1)]) == 1
