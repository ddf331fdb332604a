"""What is saved is saved: whatever others do to the project meanwhile, and whatever it holds already."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete
from surefoot.core.records import Label, current
from surefoot.label import labels
from surefoot.label.desk import Desk
from surefoot.store import database
from surefoot.web.pages import BadForm

from .page import Sit, next_of, sent


def removed(db: Path) -> None:
    for path in db.parent.glob("surefoot.db*"):
        path.unlink()


def replaced(db: Path) -> None:
    shutil.copy(db, db.parent / "copy")
    (db.parent / "copy").replace(db)


@pytest.mark.parametrize("what_happens", [removed, replaced])
def test_nothing_is_saved_into_a_project_that_is_gone(sit: Sit, db: Path, what_happens: Callable[[Path], None]) -> None:
    desk = sit()
    desk.save("Ana", sent(desk, next_of(desk, "Ana"), "a", factuality="wrong"))
    what_happens(db)
    for _ in range(2):
        with pytest.raises(Incomplete, match="was deleted or replaced while the page was open"):
            desk.save("Ana", sent(desk, next_of(desk, "Ana"), "b", factuality="wrong"))
    with pytest.raises(Incomplete, match="was deleted or replaced"):
        desk.labels.refresh()
    assert desk.progress("Ana").mine == 1  # nothing that was refused is counted


def put_in(desk: Desk, number: int, annotator: str, at: str) -> None:
    """A row as no import would let it in today."""
    row = Label(
        id=f"from a file/{annotator}", at=at, annotator=annotator, question_id="q", axis="factuality", value="correct",
        version=desk.queue.sheets[number - 1].version,
    )  # fmt: skip
    desk.project.add_new_labels((), lambda _: [row])


@pytest.mark.parametrize(
    "at", ["2026-01-01", "2199-11-16T09:00:00+14:00", "2199-11-16T09:00:00-11:00", "2199-11-16T09:00:00Z",
           "2199-11-16", "2199-11-16T09:00:00.999999+00:00"],
)  # fmt: skip
def test_a_change_counts_whatever_time_the_label_before_it_has(sit: Sit, at: str) -> None:
    desk = sit()
    put_in(desk, 5, "Ana", at)
    for name, value in (("a", "wrong"), ("b", "unsupported")):
        desk.save("Ana", sent(desk, 5, name, factuality=value))
        assert [row.value for row in current(desk.project.labels())] == [value]
    assert sit().page(5, "Ana").values == {"factuality": "unsupported"}  # type: ignore[union-attr]
    desk.undo("Ana", "b" * 32)
    assert [row.value for row in current(desk.project.labels())] == ["wrong"]


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59.999999+00:00", "zzzz", "21991116T090000Z"])
def test_a_time_that_nothing_can_be_later_than_is_said_and_stops_nobody_else(sit: Sit, at: str) -> None:
    desk = sit()
    put_in(desk, 5, "Ana", at)
    with pytest.raises(BadForm, match=r"has the time .* and no other can be later"):
        desk.save("Ana", sent(desk, 5, "a", factuality="wrong"))
    desk.save("Ana", sent(desk, 5, "b", factuality="correct", citation_exists="yes"))  # another axis can be said
    desk.save("Ana", sent(desk, 6, "c", factuality="wrong"))
    desk.save("Ben", sent(desk, 5, "d", factuality="wrong"))
    assert len(current(desk.project.labels())) == 4
    years = {row.at[:4] for row in desk.project.labels() if not row.id.startswith("from a file")}
    assert years == {str(datetime.now(UTC).year)}  # one strange time does not lead to others


@given(at=st.text(max_size=40) | st.datetimes(timezones=st.timezones()).map(datetime.isoformat))
@example(at="0001-01-01T00:00:00+23:59")
@example(at="9999-12-31T23:59:59-23:59")
def test_a_label_has_a_time_at_which_it_counts_or_is_refused(at: str) -> None:
    old = Label(id="old", at=at, annotator="Ana", question_id="q", axis="x", value="a", version="v")
    new = msgspec.structs.replace(old, id="new", at="", value="b")
    try:
        found = labels.dated([new], [old], datetime.now(UTC))
    except BadForm:
        return
    assert [row.value for row in current([old, *found])] == ["b"]
    assert datetime.fromisoformat(found[0].at).tzinfo == UTC


def test_two_servers_on_one_project_do_not_pass_over_what_the_other_wrote(sit: Sit) -> None:
    here, there = sit(), sit()
    here.save("Ana", sent(here, 5, "a", factuality="correct"))
    there.save("Ana", sent(there, 5, "b", factuality="wrong"))
    assert here.page(5, "Ana").values == {"factuality": "correct"}  # type: ignore[union-attr]  # read earlier
    with pytest.raises(BadForm, match="you have saved something since"):
        here.undo("Ana", "a" * 32)
    here.save("Ana", sent(here, 5, "c", factuality="correct"))
    assert [row.value for row in here.project.labels()] == ["correct", "wrong", "correct"]
    there.save("Ana", sent(there, 5, "d", factuality="correct"))  # that is what the project says already
    assert len(here.project.labels()) == 3
    assert there.page(5, "Ana").values == {"factuality": "correct"}  # type: ignore[union-attr]


def test_what_was_taken_back_or_changed_can_be_sent_once_more(sit: Sit) -> None:
    desk = sit()
    for name, value in (("a", "wrong"), ("b", "correct"), ("a", "wrong"), ("a", "wrong")):
        desk.save("Ana", sent(desk, 5, name, factuality=value))  # a second tab had changed it
    assert [row.value for row in desk.project.labels()] == ["wrong", "correct", "wrong"]
    desk.undo("Ana", desk.last_sent("Ana"))
    desk.undo("Ana", "b" * 32)
    desk.undo("Ana", "a" * 32)
    assert current(desk.project.labels()) == [] and desk.last_sent("Ana") == ""
    desk.save("Ana", sent(desk, 5, "a", factuality="wrong"))
    assert [row.value for row in current(desk.project.labels())] == ["wrong"]
    desk.undo("Ana", desk.last_sent("Ana"))
    assert current(desk.project.labels()) == []


def test_waits_for_a_locked_project_do_not_add_up(sit: Sit, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_SECONDS_TO_WAIT", 1.0)
    monkeypatch.setattr(labels, "_SECONDS_IN_LINE", 0.2)
    desk = sit()

    def save(person: str) -> str:
        with pytest.raises(Incomplete, match="has been busy for over 1 seconds") as caught:
            desk.save(person, sent(desk, 5, person, factuality="wrong"))
        return caught.value.message

    other = sqlite3.connect(db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    all_wait, write = threading.Barrier(6, timeout=60), database.Database.writing
    with ThreadPoolExecutor(6) as pool, monkeypatch.context() as patched:
        patched.setattr(database.Database, "writing", lambda *given: (all_wait.wait(), write(*given))[1])
        assert len(set(pool.map(save, "abcdef"))) == 1
    other.execute("ROLLBACK")
    other.close()
    desk.save("a", sent(desk, 5, "a", factuality="wrong"))
    assert len(desk.project.labels()) == 1


def test_a_reading_that_began_before_a_label_does_not_hide_it(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = sit()
    read = desk.project.labels

    def slow(keys: set[str]) -> list[Label]:
        found = read(keys=keys)
        desk.save("Ana", sent(desk, 5, factuality="wrong"))
        return found

    monkeypatch.setattr(desk.project, "labels", slow)
    desk.labels.refresh()
    assert desk.progress("Ana").mine == 1
