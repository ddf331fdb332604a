"""Whatever comes in is counted once and kept, wherever a crash or a full disk comes in between."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete
from surefoot.core.types import Passage
from surefoot.corpus.corpus import PassageTexts
from surefoot.live import intake as intake_file
from surefoot.live.intake import Intake, Places, queued_in
from surefoot.live.receiver import JSON, read_export
from surefoot.live.record import Record
from surefoot.live.spool import Spool
from surefoot.monitor.follow import Piece, Position
from surefoot.monitor.sampling import Design
from surefoot.monitor.state import State
from surefoot.text.normal import hashed_subject
from tests.live.exports import Span, export, span, trace

LATER = 1e12


def opened(folder: Path, record: Record, settle: float = 10.0) -> Intake:
    return Intake(folder, record.state, record.counts, record.places, settle_seconds=settle)


def fresh(rate: float = 1.0) -> Record:
    return Record(State(Design(rate)))


def send(intake: Intake, spans: list[Span]) -> None:
    intake.take_export(read_export(export(spans), JSON, "", intake.is_wanted))


def names(intake: Intake) -> list[str]:
    return [queued_in(row).chosen.name for row, _ in intake.queue.rows(Places().queue)]


def test_personal_data_is_gone_before_anything_is_written(tmp_path: Path) -> None:
    intake = opened(tmp_path, fresh())
    root, search = trace(1, more="Write to jane.doe@gmail.com, not to bob.roe@gmail.com.")
    send(intake, [search])
    send(intake, [root])
    intake.settle(LATER)
    row = {
        "ts": 1,
        "q": "Who?",
        "answer": "Write to jane.doe@gmail.com",
        "chunks": [{"id": "a", "text": "It is jane.doe@gmail.com."}],
    }
    intake.take_piece(Piece(json.dumps(row).encode() + b"\n", 0, Position(1, 9)))
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"gmail" not in written and b"jane.doe" not in written
    first, second = (queued_in(row).trace for row, _ in intake.queue.rows(Places().queue))
    assert first.answer is not None and "EMAIL-1" in first.answer and "EMAIL-2" in first.answer
    assert first.answer.partition("Write")[2] == first.sources[0].text.partition("Write")[2]
    assert second.answer == "Write to EMAIL-1"
    intake.close()


def test_ids_of_passages_are_redacted_like_the_citations_of_them_and_still_find_their_texts(tmp_path: Path) -> None:
    texts = PassageTexts([Passage("ann@acme.com#1", "The fee of contract 1 is 40 euros.")])
    record = fresh()
    intake = Intake(tmp_path, record.state, record.counts, record.places, settle_seconds=10.0, texts=texts)
    root, search = json.loads(json.dumps(trace(1)).replace("msa#1", "ann@acme.com#1"))
    search["attributes"].pop()  # the text of the passage
    send(intake, [root])
    send(intake, [search])
    intake.settle(LATER)
    assert b"acme" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    ((row, _),) = intake.queue.rows(Places().queue)
    found = queued_in(row).trace
    assert found.answer is not None and "[EMAIL-1#1]" in found.answer
    assert found.sources == (Passage("EMAIL-1#1", "The fee of contract 1 is 40 euros."),)
    intake.close()


@given(st.permutations(range(12)), st.integers(0, 12), st.integers(0, 12), st.booleans())
def test_a_crash_loses_nothing_that_was_taken_and_counts_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], saved: int, crash: int, is_settled: bool
) -> None:
    """Six traces of two spans each, in any order; saved after some, killed after some, and the last one sent again."""
    folder = tmp_path_factory.mktemp("monitor")
    spans = [one for number in range(6) for one in trace(number)]
    record = fresh()
    first = opened(folder, record)
    kept = record.to_bytes()
    for number, place in enumerate(order[:crash]):
        send(first, [spans[place]])
        if is_settled and number == crash // 2:
            first.settle(LATER)
        if number == saved:
            record.places = Places(first.end(), record.places.queue)
            kept = record.to_bytes()
    first.close()
    (folder / "state").write_bytes(kept)
    again = Record.load(folder / "state")
    assert again is not None
    second = opened(folder, again)
    for place in order[max(0, crash - 1) :]:
        send(second, [spans[place]])
    second.settle(LATER)
    assert again.counts["seen"] == 6
    assert len(set(names(second))) + again.counts["no_question"] >= 6
    assert sum(again.state.tally.seen.values()) == len(set(names(second)))
    second.close()


def test_only_traces_in_which_something_is_asked_are_answers(tmp_path: Path) -> None:
    record = fresh(0.01)
    intake = opened(tmp_path, record)
    health = [span(number, 1, 0, 0.1, {"http.route": "/healthz"}) for number in range(100, 200)]
    send(intake, [*health, *(one for number in range(50) for one in trace(number))])
    intake.settle(LATER)
    assert record.counts["seen"] == 50, "also of the traces that are not looked at"
    intake.close()


def test_the_subject_of_any_span_goes_with_the_answer_as_a_hash(tmp_path: Path) -> None:
    intake = opened(tmp_path, fresh())
    root, search = trace(1)
    search["attributes"].append({"key": "enduser.id", "value": {"stringValue": "ann@acme.com"}})
    send(intake, [root, search])
    intake.settle(LATER)
    ((row, _),) = intake.queue.rows(Places().queue)
    assert queued_in(row).trace.subject == hashed_subject("ann@acme.com") and b"acme" not in row
    intake.close()


def test_a_full_disk_takes_nothing_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = fresh()
    intake = opened(tmp_path, record)
    send(intake, trace(1))

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Spool, "append", full)
        with pytest.raises(Incomplete, match=r"nothing can be written to .*: database or disk is full"):
            send(intake, trace(2))
        with pytest.raises(Incomplete):
            intake.settle(LATER)
        assert intake.trouble and record.counts["seen"] == 1 and names(intake) == []
    send(intake, trace(2))
    intake.settle(LATER)
    assert not intake.trouble and record.counts["seen"] == 2 and len(names(intake)) == 2
    intake.close()


def test_what_the_grader_cannot_keep_up_with_is_dropped_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_file, "_MOST_WAITING", 3)
    record = fresh()
    intake = opened(tmp_path, record)
    send(intake, [span for number in range(5) for span in trace(number)])
    intake.settle(LATER)
    assert (record.counts["sampled"], record.counts["dropped"], intake.waiting) == (5, 2, 3)
    intake.close()
    again = opened(tmp_path, record)
    assert again.waiting == 3
    again.close()


def test_files_go_when_they_are_done_with(tmp_path: Path) -> None:
    record = fresh()
    intake = opened(tmp_path, record, settle=0.0)
    for number in range(40):
        send(intake, trace(number))
        intake.settle(LATER)
        *_, (_, end) = intake.queue.rows(Places().queue)
        intake.forget(end)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000 and record.counts["seen"] == 40
    intake.close()


def test_a_span_that_waits_is_there_after_a_crash_whatever_is_forgotten(tmp_path: Path) -> None:
    record = fresh()
    intake = opened(tmp_path, record)
    send(intake, trace(1))
    record.places = Places(intake.end(), record.places.queue)
    intake.forget(0)
    intake.close()
    again = opened(tmp_path, record)
    again.settle(LATER)
    assert len(names(again)) == 1
    again.close()
