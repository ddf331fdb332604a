"""A run folder survives what happens to it."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.errors import Incomplete, UsageError
from surefoot.store import Manifest, RunStore, fingerprint
from surefoot.types import Evidence, Passage, Question, Retrieved, Trace, Verdict
from tests.conftest import append_verdicts

QUESTIONS = [
    Question("q1", "One?", "answer", gold_ids=("p1",), metadata={"why": "x"}),
    Question("q2", "Two?", "refusal"),
]


def manifest() -> Manifest:
    return Manifest(
        name="run", pipeline="p", repeats=1, seed=0, questions_sha256=fingerprint(QUESTIONS), question_count=2
    )


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore.create(tmp_path / "run", manifest(), QUESTIONS)


def test_what_is_written_is_read(store: RunStore) -> None:
    trace = Trace("q1", answer="A [p1]", retrieved=Retrieved([Passage("p1", "A", "D", 3)]), citations=("p1",), tokens=5)
    verdict = Verdict("q1", "factuality", "correct", "g@1", evidence=(Evidence("A", "p1", "A"),))
    store.append_trace(trace)
    append_verdicts(store, [verdict])
    store.close()
    again = RunStore.open(store.path)
    assert again.questions() == QUESTIONS
    assert again.traces() == [trace]
    retrieved = again.traces()[0].retrieved
    assert retrieved is not None and retrieved.ids == ("p1",)
    assert again.verdicts() == [verdict]
    assert again.manifest == manifest() and again.problems == []


def test_none_is_not_empty(store: RunStore) -> None:
    store.append_trace(Trace("q1", answer="x"))
    store.append_trace(Trace("q2", answer="x", retrieved=Retrieved(), citations=()))
    assert [(t.retrieved, t.citations) for t in store.traces()] == [(None, None), ((), ())]


def test_the_last_row_of_a_key_counts(store: RunStore) -> None:
    store.append_trace(Trace("q1", error="broken"))
    store.append_trace(Trace("q1", answer="second", attempt=2))
    store.append_trace(Trace("q1", answer="mended"))
    assert [(t.attempt, t.answer, t.error) for t in store.traces()] == [(1, "mended", None), (2, "second", None)]
    append_verdicts(store, [Verdict("q1", "a", 1, "g"), Verdict("q1", "a", 2, "g"), Verdict("q1", "a", 3, "h")])
    assert [(v.grader, v.value) for v in store.verdicts()] == [("g", 2), ("h", 3)]


def test_a_torn_last_line_is_cut_and_named(store: RunStore) -> None:
    store.append_trace(Trace("q1", answer="whole"))
    store.close()
    with (store.path / "traces.jsonl").open("ab") as file:
        file.write(b'{"question_id":"q2","ans')
    reading = RunStore.open(store.path)
    assert [t.question_id for t in reading.traces()] == ["q1"] and reading.problems[0].kind == "torn"
    with RunStore.open(store.path, writing=True) as writing:
        assert "broke off" in str(writing.problems[0])
        writing.append_trace(Trace("q2", answer="asked again"))
        assert [t.answer for t in writing.traces()] == ["whole", "asked again"]
        assert len(writing.problems) == 1


def test_a_spoiled_row_costs_no_other(store: RunStore) -> None:
    (store.path / "traces.jsonl").write_bytes(b'{"question_id":"q1","answer":"a"}\nrubbish\n{"question_id":"q2"}\n')
    assert [t.question_id for t in store.traces()] == ["q1", "q2"]
    assert store.traces() and [p.line for p in store.problems] == [2]


def test_one_writer_at_a_time(store: RunStore) -> None:
    with pytest.raises(Incomplete, match="another process is writing"):
        RunStore.open(store.path, writing=True)
    with pytest.raises(Incomplete):
        RunStore.open(store.path).append_trace(Trace("q1", answer="x"))
    store.close()
    RunStore.open(store.path, writing=True).close()


def test_the_lock_holds_between_processes(store: RunStore) -> None:
    code = f"from surefoot.store import RunStore; RunStore.open({str(store.path)!r}, writing=True)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0 and "another process is writing" in done.stderr


def test_a_run_is_not_overwritten(store: RunStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds a run already"):
        RunStore.create(store.path, manifest(), QUESTIONS)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.doc").write_text("precious")
    with pytest.raises(UsageError, match="not empty"):
        RunStore.create(tmp_path / "other", manifest(), QUESTIONS)
    with pytest.raises(UsageError, match="not a run"):
        RunStore.open(tmp_path / "other")


def test_half_a_surrogate_pair_can_be_written(store: RunStore) -> None:
    store.append_trace(Trace("q1", answer="cut \ud83d"))
    assert store.traces()[0].answer == "cut ?"


def test_amend(store: RunStore) -> None:
    store.amend(grader="rules@1")
    assert RunStore.open(store.path).manifest.grader == "rules@1"
    assert json.loads((store.path / "manifest.json").read_text())["surefoot_run"] == 1


def _write_until_killed(path: str) -> None:
    store = RunStore.open(path, writing=True)
    for number in range(1_000_000):
        store.append_trace(Trace("q1", answer="x" * 3000, attempt=number + 1))
        if number == 50:
            os.kill(os.getpid(), 9)


def test_kill_9_loses_no_row(store: RunStore) -> None:
    store.close()
    process = multiprocessing.get_context("spawn").Process(target=_write_until_killed, args=(str(store.path),))
    process.start()
    process.join(60)
    assert process.exitcode == -9
    with RunStore.open(store.path, writing=True) as again:
        assert [t.attempt for t in again.traces()] == list(range(1, 52)) and again.problems == []


def test_a_last_line_without_its_end_is_finished_when_it_is_whole(store: RunStore) -> None:
    store.append_trace(Trace("q1", answer="x"))
    store.close()
    path = store.path / "traces.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().rstrip(b"\n"))
    with RunStore.open(store.path, writing=True) as again:
        again.append_trace(Trace("q2", answer="y"))
        assert [trace.question_id for trace in again.traces()] == ["q1", "q2"] and again.problems == []


def test_a_grader_replaces_its_own_verdicts_only(store: RunStore) -> None:
    mine, others = Verdict("q1", "factuality", "wrong", "g@1"), Verdict("q1", "factuality", "correct", "ada")
    append_verdicts(store, [mine, others, Verdict("q1", "citation_exists", "no", "g@1")])
    with (store.path / "verdicts.jsonl").open("ab") as file:
        file.write(b"rubbish\n")
    better = Verdict("q1", "factuality", "correct", "g@1")
    store.replace_verdicts("g@1", [better])
    assert store.verdicts() == [others, better]
    assert [(problem.kind, problem.line) for problem in store.problems] == [("malformed", 2)]
    append_verdicts(store, [mine])
    store.close()
    assert RunStore.open(store.path).verdicts() == [others, mine]


def test_the_hash_of_the_answers_is_that_of_their_content(store: RunStore) -> None:
    empty = store.answers_sha256()
    store.append_trace(Trace("q2", answer="y", seconds=1.0))
    store.append_trace(Trace("q1", answer="x", retrieved=Retrieved([Passage("p")])))
    both = store.answers_sha256()
    store.append_trace(Trace("q2", answer="y", seconds=2.0, tokens=3))
    assert empty != both == store.answers_sha256()
    store.append_trace(Trace("q1", answer="x", retrieved=Retrieved([Passage("other")])))
    assert store.answers_sha256() != both


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 100_000, b"{}", b"null"])
def test_a_manifest_that_is_none(store: RunStore, content: bytes) -> None:
    (store.path / "manifest.json").write_bytes(content)
    with pytest.raises(Incomplete, match=r"manifest\.json cannot be read"):
        RunStore.open(store.path)


def test_a_run_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none does not exist"):
        RunStore.open(tmp_path / "none")
