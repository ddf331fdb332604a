"""Whatever comes in is counted once and kept, wherever a crash or a full disk comes in between."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete
from surefoot.core.types import Passage
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.rules import Rules
from surefoot.io.rows import Row
from surefoot.io.traces import Span as ReadSpan
from surefoot.io.traces import traces_of
from surefoot.monitor import monitor as monitor_file
from surefoot.monitor.follow import Position
from surefoot.monitor.monitor import Monitor
from surefoot.monitor.otlp import JSON
from surefoot.monitor.state import Design, Queued, State
from surefoot.text.normal import hashed_subject
from tests.monitor.exports import Span, export, span, trace


def opened(folder: Path, rate: float = 1.0, corpus: Path | None = None) -> Monitor:
    return Monitor(State(folder / "state.db", Design(rate)), FindingsGrader(Rules()), corpus=corpus)


Open = Callable[..., Monitor]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Open]:
    begun: list[Monitor] = []

    def begin(rate: float = 1.0, corpus: Path | None = None) -> Monitor:
        begun.append(opened(tmp_path, rate, corpus))
        return begun[-1]

    yield begin
    for one in begun:
        one.state.close()


def send(monitor: Monitor, spans: list[Span]) -> None:
    monitor.take_export(export(spans), JSON, "")


def queue(monitor: Monitor) -> list[Queued]:
    return monitor.state.next(1_000)


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("state.db*"))


def test_personal_data_is_gone_before_anything_is_written(tmp_path: Path, start: Open) -> None:
    monitor = start()
    root, search = trace(1, more="Write to jane.doe@gmail.com, not to bob.roe@gmail.com.")
    send(monitor, [search])
    send(monitor, [root])
    monitor.settle(0)
    row = {
        "ts": 1,
        "q": "Who?",
        "answer": "Write to jane.doe@gmail.com",
        "chunks": [{"id": "a", "text": "It is jane.doe@gmail.com."}],
    }
    monitor.take_piece(([Row("log", 1, row)], "log", Position(1, 9)))
    first, second = (one.item.trace for one in queue(monitor))
    assert b"contract" in files(tmp_path) and b"gmail" not in files(tmp_path) and b"jane.doe" not in files(tmp_path)
    assert first.answer is not None and "EMAIL-1" in first.answer and "EMAIL-2" in first.answer
    assert first.answer.partition("Write")[2] == first.sources[0].text.partition("Write")[2]
    assert second.answer == "Write to EMAIL-1" and monitor.state.kept.positions == {"log": Position(1, 9)}


def test_ids_of_passages_are_redacted_like_the_citations_of_them_and_still_find_their_texts(
    tmp_path: Path, start: Open
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"id": "ann@acme.com#1", "text": "The fee of contract 1 is 40 euros."}))
    monitor = start(corpus=corpus)
    root, search = json.loads(json.dumps(trace(1)).replace("msa#1", "ann@acme.com#1"))
    search["attributes"].pop()  # the text of the passage
    send(monitor, [root])
    send(monitor, [search])
    monitor.settle(0)
    (one,) = queue(monitor)
    found = one.item.trace
    assert b"acme" not in files(tmp_path)
    assert found.answer is not None and "[EMAIL-1#1]" in found.answer
    assert found.sources == (Passage("EMAIL-1#1", "The fee of contract 1 is 40 euros."),)


@given(st.permutations(range(12)), st.integers(0, 12), st.booleans())
def test_a_crash_loses_nothing_that_was_taken_and_counts_nothing_twice(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], crash: int, is_settled: bool
) -> None:
    """Six traces of two spans each, in any order; killed after some, and the last one sent again."""
    folder = tmp_path_factory.mktemp("monitor")
    spans = [one for number in range(6) for one in trace(number)]
    first = opened(folder)
    for number, place in enumerate(order[:crash]):
        send(first, [spans[place]])
        if is_settled and number == crash // 2:
            first.settle(0)
    first.state.close()  # what was not saved is gone
    second = opened(folder)
    for place in order[max(0, crash - 1) :]:
        send(second, [spans[place]])
    second.settle(0)
    names, counts = [one.chosen.name for one in queue(second)], second.state.counts
    assert counts["seen"] == 6 and len(set(names)) == len(names) == sum(second.state.kept.tally.seen.values())
    assert len(names) + counts["no_question"] == 6
    second.state.close()


def test_only_traces_in_which_something_is_asked_are_answers(start: Open) -> None:
    monitor = start(0.01)
    health = [span(number, 1, 0, 0.1, {"http.route": "/healthz"}) for number in range(100, 200)]
    send(monitor, [*health, *(one for number in range(50) for one in trace(number))])
    monitor.settle(0)
    assert monitor.state.counts["seen"] == 50, "also of the traces that are not looked at"


def test_the_subject_of_any_span_goes_with_the_answer_as_a_hash(tmp_path: Path, start: Open) -> None:
    monitor = start()
    root, search = trace(1)
    search["attributes"].append({"key": "enduser.id", "value": {"stringValue": "ann@acme.com"}})
    send(monitor, [root, search])
    monitor.settle(0)
    (one,) = queue(monitor)
    assert one.item.trace.subject == hashed_subject("ann@acme.com") and b"acme" not in files(tmp_path)


def test_a_full_disk_takes_nothing_and_loses_nothing(start: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = start()
    send(monitor, trace(1))

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(State, "hold", full)
        patch.setattr(State, "queue", full)
        with pytest.raises(Incomplete, match=r"nothing can be written to .*: database or disk is full"):
            send(monitor, trace(2))
        assert "disk is full" in monitor.why_not_ready()[0]
        with pytest.raises(Incomplete):
            monitor.settle(0)
        assert monitor.state.counts["seen"] == 1 and not monitor.state.waiting
    send(monitor, trace(2))
    monitor.settle(0)
    assert not monitor.state.trouble and monitor.state.counts["seen"] == 2 and len(queue(monitor)) == 2


def test_what_the_grader_cannot_keep_up_with_is_dropped_and_counted(
    start: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor_file, "_MOST_WAITING", 3)
    monitor = start()
    send(monitor, [span for number in range(5) for span in trace(number)])
    monitor.settle(0)
    counts = monitor.state.counts
    assert (counts["sampled"], counts["dropped"], monitor.state.waiting) == (5, 2, 3)
    monitor.state.save()
    monitor.state.close()
    assert start().state.waiting == 3


def test_texts_go_when_they_are_done_with(tmp_path: Path, start: Open) -> None:
    monitor = start()
    for number in range(40):
        send(monitor, trace(number))
        monitor.settle(0)
    assert b"contract" in files(tmp_path)
    with monitor.state.step():
        monitor.state.take(40)
    monitor.state.erase()
    assert b"contract" not in files(tmp_path) and len(files(tmp_path)) < 200_000 and monitor.state.counts["seen"] == 40


ROOT = ReadSpan("t", "1", question="The fee?", answer="Forty euros.", start="5")
SEARCH = ReadSpan("t", "2", "1", "retrieval", start="1")  # by its clock it came before what called it
MODEL = ReadSpan("t", "3", "1", "model", answer="Forty.", start="9")


@given(st.permutations([ROOT, SEARCH, MODEL, ROOT, MODEL]))
def test_order_and_repetition_of_spans_do_not_matter(spans: list[ReadSpan]) -> None:
    state = State(None, Design())
    for second, one in enumerate(spans):
        assert state.hold(one, second)
    assert state.complete(13.9, 10) == [] and state.complete(0, 0) == ["t"]
    assert state.complete(14, 10) == state.complete(-9, 10) == ["t"], "also where a clock is set back"
    found = state.release("t")
    assert sorted(found, key=lambda one: one.span_id) == [ROOT, SEARCH, MODEL]
    assert traces_of(found)["t", ""].answer == "Forty euros."
    assert not state.hold(MODEL, 15) and state.complete(99, 0) == []
    state.close()


def test_a_step_that_fails_in_one_thread_is_read_again_by_the_other(tmp_path: Path, start: Open) -> None:
    """What was read of a log is saved a little later, and undone with a batch that cannot be written."""
    rows = [json.dumps({"trace_id": f"t{n}", "q": "The fee?", "answer": "40."}) + "\n" for n in range(50)]
    (tmp_path / "log.jsonl").write_text("".join(rows))
    state = start().state
    monitor = Monitor(state, FindingsGrader(Rules()), follow=tmp_path / "log.jsonl")
    with state.step():
        pass
    assert monitor._read_logs() and state.counts["seen"] == 50
    with pytest.raises(Incomplete), state.step():
        raise sqlite3.OperationalError("database or disk is full")
    assert state.counts["seen"] == 0
    assert monitor._read_logs() and state.counts["seen"] == 50
    monitor.result()
