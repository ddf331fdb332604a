from __future__ import annotations

import math
import stat
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from surefoot.errors import Incomplete, UsageError
from surefoot.ledger import Conflict, Ledger
from surefoot.records import Label, current
from tests.ledger.rows import CERTIFICATE, RUN, STEP, label

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VALUES = st.one_of(TEXTS, st.none(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False))
LABELS = st.builds(
    Label, id=TEXTS.filter(bool), at=TEXTS.filter(bool), annotator=TEXTS, question_id=TEXTS, axis=TEXTS, value=VALUES,
    attempt=st.integers(1, 2**40), note=TEXTS, version=TEXTS, drawn=st.sampled_from(["gate", "sample", "flagged"]),
)  # fmt: skip


def test_what_is_kept_comes_back_as_it_was(place: str) -> None:
    with Ledger.open(place) as ledger:
        assert ledger.add([label(2, value=1.0), label(1, value=None), label(3, value=3)]) == 3
        ledger.add([CERTIFICATE])
        ledger.add([STEP])
        ledger.add_run(RUN)
    with Ledger.open(place) as ledger:
        assert ledger.labels() == [label(1, value=None), label(2, value=1.0), label(3, value=3)]
        assert [type(found.value) for found in ledger.labels()] == [type(None), float, int]
        assert ledger.certificates() == [CERTIFICATE] == ledger.certificates("rules@2")
        assert ledger.steps() == [STEP]
        assert ledger.runs() == [RUN]
        assert ledger.certificates("other") == []


def test_labels_are_found_by_answer_and_run(place: str) -> None:
    rows = [label(1), label(2, run="r"), label(3, annotator="bo", run="r")]
    with Ledger.open(place) as ledger:
        ledger.add(rows)
        assert ledger.labels(versions=["version-3", "version-1", "none"]) == [rows[0], rows[2]]
        assert ledger.labels(versions=[]) == []
        assert ledger.labels(versions=[f"version-{number}" for number in range(2_000)]) == rows
        assert ledger.labels(run="r") == rows[1:]


def test_a_changed_label_is_a_new_row_and_the_old_one_stays(place: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.add([label(1)])
        ledger.add([label(2, question_id="q1", version="version-1", value="correct")])
        assert [row.value for row in ledger.labels(versions=["version-1"])] == ["wrong", "correct"]
        assert [row.value for row in current(ledger.labels())] == ["correct"]


def test_what_is_sent_twice_is_one_row_and_a_different_one_is_refused_whole(place: str) -> None:
    with Ledger.open(place) as ledger:
        assert ledger.add([label(1), label(1)]) == 1
        assert ledger.add([label(1), label(2)]) == 1
        with pytest.raises(Conflict, match="label-1"):
            ledger.add([label(3), label(1, value="correct")])
        with pytest.raises(Conflict, match="label-4"):
            ledger.add([label(4), label(4, note="?")])
        assert len(ledger.labels()) == 2
        ledger.add([STEP])
        with pytest.raises(Conflict, match="step-1"):
            ledger.add([replace(STEP, outcome="BLOCK")])


def test_certificates_are_newest_first_and_steps_oldest_first(place: str) -> None:
    later = {"id": "a", "at": "2027-01-01T00:00:00+00:00"}
    with Ledger.open(place) as ledger:
        ledger.add([replace(CERTIFICATE, **later)])
        ledger.add([CERTIFICATE])
        ledger.add([replace(STEP, **later)])
        ledger.add([STEP])
        assert [found.id for found in ledger.certificates()] == ["a", "certificate-1"]
        assert [found.id for found in ledger.steps()] == ["step-1", "a"]


def test_a_run_has_a_row_for_each_place_and_each_grading(place: str) -> None:
    seen = [RUN, RUN, replace(RUN, path="/moved"), replace(RUN, manifest={"grader": "other"}), RUN]
    with Ledger.open(place) as ledger:
        for day, entry in enumerate(seen, 1):
            ledger.add_run(replace(entry, at=f"2026-04-0{day}T00:00:00+00:00"))
        found = [(entry.at[8:10], entry.path, entry.manifest == RUN.manifest) for entry in ledger.runs()]
    first = "/runs/first"
    assert found == [("01", first, True), ("03", "/moved", True), ("04", first, False), ("05", first, True)]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"note": "a\0b"}, "note holds a NUL"),
        ({"note": "\ud800"}, "surrogates"),
        ({"value": math.nan}, "NaN"),
        ({"value": math.inf}, "NaN"),
        ({"attempt": 2**70}, "too large"),
        ({"drawn": "luck"}, "luck"),
        ({"id": ""}, "no id"),
        ({"at": ""}, "no time"),
    ],
)
def test_what_a_database_would_not_give_back_is_refused(place: str, bad: dict[str, object], why: str) -> None:
    with Ledger.open(place) as ledger, pytest.raises(UsageError, match=why):
        ledger.add([label(1), label(2, **bad)])
    with Ledger.open(place) as ledger:
        assert ledger.labels() == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LABELS, max_size=12, unique_by=lambda row: row.id))
def test_any_label_survives(rows: list[Label]) -> None:
    with tempfile.TemporaryDirectory() as folder, Ledger.open(f"{folder}/l.db") as ledger:
        assert ledger.add(rows) == len(rows)
        assert ledger.labels() == sorted(rows, key=lambda row: (row.at, row.id))
        assert ledger.add(rows) == 0


def test_rows_are_in_order_of_bytes_in_every_database(place: str) -> None:
    names = ["b", "A", "a", "B", "ä", "-", "_", "Z", "\U0001f600", "\uffff"]
    with Ledger.open(place) as ledger:
        ledger.add(label(1, id=name) for name in names)
        assert [row.id for row in ledger.labels()] == sorted(names)


def test_none_is_made_where_one_is_only_looked_for(place: str, tmp_path: Path) -> None:
    assert Ledger.existing(place) is None
    assert not (tmp_path / "surefoot.db").exists()
    Ledger.open(place).close()
    found = Ledger.existing(place)
    assert found is not None and found.labels() == []
    found.close()


def test_a_file_is_its_owners_alone_and_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "surefoot.db"
    with Ledger.open(path) as ledger:
        ledger.add([label(1)])
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_name_that_means_something_to_sqlite_is_a_file_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory", "a b#?%20.db"):
        with Ledger.open(name) as ledger:
            ledger.add([label(1)])
        with Ledger.open(tmp_path / name) as ledger:
            assert ledger.labels() == [label(1)]


def test_a_place_that_is_no_ledger_is_named(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be looked at " * 50)
    for opened in (Ledger.open, Ledger.existing):
        with pytest.raises(Incomplete, match=r"notes\.txt is no ledger"):
            opened(text)
        with pytest.raises(Incomplete, match="cannot be"):
            opened(tmp_path)
        with pytest.raises(UsageError, match="not mysql"):
            opened("mysql://host/name")
        with pytest.raises(UsageError, match="cannot be read"):
            opened("postgresql://host:port/name")
    assert text.read_text().startswith("not a database")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(Incomplete, match=r"postgresql://me:\*\*\*@127\.0\.0\.1:1/db") as caught:
        Ledger.open("postgresql://me:hunter2@127.0.0.1:1/db")
    assert "hunter2" not in str(caught.value)


def test_threads_share_a_ledger(place: str) -> None:
    with Ledger.open(place) as ledger, ThreadPoolExecutor(8) as pool:
        new = list(pool.map(lambda number: ledger.add([label(number % 40)]), range(80)))
        assert sum(new) == 40 == len(ledger.labels())


def test_what_is_new_is_decided_in_the_transaction_that_adds_it(place: str) -> None:
    def new_beside(known: list[Label]) -> list[Label]:
        time.sleep(0.1)  # as long as it takes another to look, too
        return [] if known else [label(1, id=uuid.uuid4().hex)]

    with Ledger.open(place) as ledger, ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda _: ledger.add_new_labels({"version-1"}, new_beside), range(4)))
        assert sum(new) == 1 == len(ledger.labels())


def test_a_row_that_surefoot_did_not_write_is_named(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        with ledger.database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO runs VALUES ('r', 'now', 'n', 'p', '[]')")
        with pytest.raises(Incomplete, match="RunEntry r in the ledger cannot be read"):
            ledger.runs()
