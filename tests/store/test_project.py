"""What is kept stays: answers as they come, verdicts beside each other, labels with what was said."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import surefoot
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import current
from surefoot.core.types import Passage, Question, Retrieved, Trace, Verdict
from surefoot.store import BadRow, Project
from surefoot.store import project as database
from surefoot.store import project as schema
from surefoot.store.project import context_of, key_of
from tests.in_process import surefoot as command
from tests.kept import add_labels, keep_run, kept

from .rows import ASKED, GRADER, a_run, label, trace, verdicts


def values(run: str, grader: str = GRADER) -> dict[str, object]:
    return {one.question_id: one.value for one in kept(run).verdicts() if one.grader == grader}


# What was said


QUESTION = Question("q", "How high is it?", "answer", gold_ids=("a",))
SAID = Trace("q", answer="20 metres [a].", retrieved=Retrieved([Passage("a", "It has 20 metres."), Passage("b", "x")]))


@pytest.mark.parametrize(
    ("question", "said", "same_key", "same_context"),
    [
        (replace(QUESTION, text=" How  high\nis it? "), SAID, True, True),
        (QUESTION, replace(SAID, answer="20\tmetres [a]. ", seconds=3.0, tokens=9), True, True),
        (replace(QUESTION, id="other", stratum="s"), replace(SAID, question_id="other"), True, True),
        (replace(QUESTION, gold_claims=("21 metres",)), SAID, True, False),
        (replace(QUESTION, expects="refusal"), SAID, True, False),
        (QUESTION, replace(SAID, retrieved=Retrieved([Passage("a", "It has 20 metres.")])), True, False),
        (QUESTION, replace(SAID, retrieved=Retrieved([Passage("a", "It has 21 metres.")])), False, False),
        (QUESTION, replace(SAID, answer="21 metres [a]."), False, True),
        (replace(QUESTION, text="How low is it?"), SAID, False, True),
    ],
)  # fmt: skip
def test_labels_belong_to_what_was_said_and_verdicts_to_what_a_grader_saw_besides(
    question: Question, said: Trace, same_key: bool, same_context: bool
) -> None:
    assert (key_of(question, said) == key_of(QUESTION, SAID)) is same_key
    assert (context_of(question, said) == context_of(QUESTION, SAID)) is same_context


def test_changed_gold_loses_no_label_and_is_graded_anew(db: str) -> None:
    first = a_run("first")
    add_labels(label(first, "q0", "wrong"))
    second = a_run("second", [replace(one, gold_claims=("99 metres",)) for one in ASKED], graded=False)
    with Project.existing() as project:
        found = project.labels(keys=set(kept(second).answer_keys().values()))
    assert [(one.question_id, one.value) for one in found] == [("q0", "wrong")]
    assert not values(second) and values(first) == dict.fromkeys(("q0", "q1", "q2"), "correct")


def test_the_same_answers_have_the_same_verdicts_in_every_run(db: str) -> None:
    a_run("first")
    assert values(a_run("second", graded=False)) == values("first")


# Only added


def test_labels_are_added_once_and_the_newest_counts(db: str) -> None:
    run = a_run()
    rows = [label(run, "q0", "wrong"), label(run, "q0", "correct", 2), label(run, "q0", None, 3, annotator="bo")]
    assert (add_labels(*rows), add_labels(*rows), add_labels(rows[0])) == (3, 0, 0)
    with Project.existing() as project:
        assert project.labels() == rows and [one.value for one in current(project.labels())] == ["correct"]
    with pytest.raises(BadRow, match="another row of verdicts has the id label-1"):
        add_labels(label(run, "q1", "wrong", 9), replace(rows[0], value="refused"))
    with Project.existing() as project:
        assert project.labels() == rows, "all of it or nothing"


@pytest.mark.parametrize("bad", [{"note": "a\0b"}, {"id": ""}, {"at": ""}, {"value": float("nan")}, {"attempt": 2**70}])
def test_what_some_database_would_not_give_back_is_refused(db: str, bad: dict[str, object]) -> None:
    run = a_run()
    with pytest.raises(UsageError, match="cannot be kept"):
        add_labels(replace(label(run, "q0", "wrong"), **bad))


@pytest.mark.parametrize("table", ["verdicts", "decisions", "purges"])
def test_the_database_itself_refuses_changes_by_any_program(db: str, table: str) -> None:
    run = a_run()
    add_labels(label(run, "q0", "wrong"))
    a_run("second")
    surefoot.gate(run, "second", uncalibrated=True)
    changes = [f"UPDATE {table} SET at = 'x'", f"DELETE FROM {table}"]
    changes.append(f"TRUNCATE {table}" if "://" in db else f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
    with Project.existing() as project:
        before = project.counts()
        for statement in changes if before[table] else changes[2:] if "://" in db else []:
            with pytest.raises(Incomplete, match="added, never changed"), project.database.writing() as connection:
                connection.exec_driver_sql(statement)
        assert project.counts() == before


def test_a_grading_that_fails_leaves_the_verdicts_of_before(db: str) -> None:
    run = kept(a_run())
    assert run.add_verdicts(GRADER, verdicts(None, "wrong", "wrong"), failed=[("q2", 1)]) == [("q0", 1), ("q2", 1)]
    assert values("first") == {"q0": "correct", "q1": "wrong", "q2": "correct"}
    assert run.add_verdicts(GRADER, verdicts("refused", "refused", "refused")) == []
    assert set(values("first").values()) == {"refused"}


def test_graders_stand_beside_each_other(db: str) -> None:
    run = a_run()
    assert command("grade", run, "--grader", "rules").code in (0, 4)
    kept(run).add_verdicts("other@1", verdicts("wrong", "wrong", "wrong", grader="other@1"))
    assert set(values(run, "other@1").values()) == {"wrong"} and set(values(run).values()) == {"correct"}
    assert {one.grader for one in kept(run).verdicts()} == {GRADER, "other@1", kept(run).manifest.grader}


def test_another_answer_in_place_of_an_error_has_no_verdict_yet(db: str) -> None:
    run = a_run()
    kept(run).keep([trace(1, "Tower 1 is 99 metres high [t#1].")])
    assert values(run) == {"q0": "correct", "q2": "correct"} and len(kept(run).traces()) == 3


# Runs of a version, and going on


def pipeline(question: str) -> dict[str, object]:
    number = question.split()[-1].rstrip("?")
    return {"answer": f"Tower {number} is high [t#1].", "retrieved": [{"id": "t#1", "text": "It is high."}]}


def test_a_version_names_all_its_runs_and_a_run_goes_on_where_it_stopped(db: str, write: Callable[..., Path]) -> None:
    questions = write("q.jsonl", [{"id": one.id, "question": one.text, "expects": "answer"} for one in ASKED])
    asked: list[str] = []

    def flaky(question: str) -> dict[str, object]:
        asked.append(question)
        if len(asked) == 2:
            raise ValueError("not today")
        return pipeline(question)

    once = {"concurrency": 1, "retries": 0}
    first = surefoot.run(flaky, questions=questions, version="v1", settings=once)
    assert (first["errors"], first["version"], first.run.startswith("v1-")) == (1, "v1", True)
    assert surefoot.run(flaky, resume="v1", settings=once)["errors"] == 1 and len(asked) == 3
    again = surefoot.run(flaky, resume=first.run, retry_errors=True, settings=once)
    assert (again["errors"], again.run, len(asked)) == (0, first.run, 4)
    second = surefoot.run(pipeline, questions=questions, version="v1")
    assert surefoot.grade("v1", grader="rules").runs == (first.run, second.run)
    with Project.existing() as project:
        assert [run.id for run in project.named("v1")] == [first.run, second.run]
        with pytest.raises(UsageError, match="has no run or version 'v2'") as caught:
            project.named("v2")
    assert "v1" in caught.value.hint


def test_only_one_process_at_a_time_writes_to_a_run(db: str) -> None:
    run = a_run()
    with Project.existing() as project, Project.existing() as other, project.database.holding(run):
        with (
            pytest.raises(Incomplete, match="another process is writing to the run first"),
            other.database.holding(run),
        ):
            pass
        with other.database.holding("second"):
            pass
    assert command("grade", run, "--grader", "rules").code in (0, 4), "the lock has gone with its holder"


# Several at once, and whatever else is there

WRITER = """
import os, sys
from surefoot.core.records import Label
from surefoot.store import Project
names, count = sys.argv[1].split(","), int(sys.argv[2])
who = next((name for name in names[1:] if os.fork() == 0), names[0])
with Project.open() as project:
    for number in range(count):
        name = f"shared/{number}" if number % 4 == 0 else f"{who}/{number}"
        said = dict(annotator="a", question_id="q", axis="factuality", value="wrong", version="v", note="x" * 300)
        project.add_new_labels((), lambda _: [Label(id=name, at="2026-01-01T00:00:00+00:00", **said)])
        print(number, flush=True)
assert who != names[0] or all(os.wait()[1] == 0 for _ in names[1:])
"""


def writer(names: str, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, names, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_write_at_once_lose_and_double_nothing(db: str) -> None:
    """All open it at once, where there is none yet: it is made once. Every fourth label is sent by all of them."""
    process = writer("0,1,2,3", 40)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    with Project.existing() as project:
        found = [row.id for row in project.labels()]
    wanted = {f"{who}/{number}" for who in range(4) for number in range(40) if number % 4}
    assert len(found) == len(set(found)) and set(found) == wanted | {f"shared/{n}" for n in range(0, 40, 4)}


def test_a_killed_writer_loses_nothing_that_was_committed(db: str) -> None:
    killed = writer("killed", 1_000_000)
    assert killed.stdout is not None
    said = [killed.stdout.readline().strip() for _ in range(30)]
    os.kill(killed.pid, signal.SIGKILL)
    said += killed.stdout.read().split("\n")[:-1]  # what is not a whole line was not said
    killed.communicate(timeout=600)
    with Project.existing() as project:
        found = {row.id for row in project.labels()}
    assert {f"{'shared' if int(n) % 4 == 0 else 'killed'}/{n}" for n in said if n} <= found


def test_a_reader_does_not_wait_and_a_writer_not_for_ever(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_run()
    monkeypatch.setattr(database, "_SECONDS_TO_WAIT", 1.0)
    with Project.existing() as project, Project.existing() as other, other.database.writing():
        assert [one.id for one in project.runs()] == [run]
        with pytest.raises(Incomplete, match="has been busy for over 1 seconds") as caught:
            project.add_new_labels((), lambda _: [label(run, "q0", "wrong")])
        assert "wait until the other process" in caught.value.hint


def test_threads_may_share_a_project(db: str) -> None:
    run, faults = kept(a_run()), list[BaseException]()

    def answer(n: int) -> None:
        try:
            run.keep([trace(n % 3, attempt=n)])
        except BaseException as error:  # noqa: BLE001 - told below
            faults.append(error)

    threads = [threading.Thread(target=answer, args=(n,)) for n in range(2, 14)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and len(run.traces()) == 3 + 12


def test_somebody_elses_database_is_left_alone(tmp_path: Path, on_server: Callable[[], str]) -> None:
    path = tmp_path / "theirs.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE cookies (id)")
    before = path.read_bytes()
    done = command("run", "-p", "reference", "--db", path)
    assert done.code == 4 and "is a database of something else: it has a table cookies" in done.err
    assert path.read_bytes() == before
    (tmp_path / "text.db").write_text("no database at all")
    done = command("report", "v1", "--db", tmp_path / "text.db")
    assert done.code == 4 and "is not a database" in done.err
    url = on_server()
    with Project.open(url) as project, project.database.writing() as connection:
        connection.exec_driver_sql(f"DROP TABLE {schema.MARK}")
    with pytest.raises(Incomplete, match="it has a table answers"):
        Project.open(url)


def test_a_project_of_another_format_is_named(db: str) -> None:
    a_run()
    with Project.existing() as project, project.database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE {schema.MARK} SET format = '99'")
    for opened in (Project.open, Project.existing):
        with pytest.raises(Incomplete, match="made by another version of surefoot"):
            opened()


def test_an_empty_file_is_no_project_and_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    done = command("report", "v1", "--db", str(tmp_path / "empty.json"))
    assert done.code == 2 and f"there is no project in the empty file {tmp_path}" in done.err


@pytest.mark.parametrize("place", ["mysql://x/y", "postgresql://x:port/y", "nowhere/surefoot.db"])
def test_a_place_that_cannot_be_is_said(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("report", "v1", "--db", place)
    assert done.code == 2 and done.err.count("\n") == 2 and "\nhint: " in done.err


def test_a_password_is_not_shown() -> None:
    done = command("report", "v1", "--db", "postgresql://ann:sesame@127.0.0.1:1/none")
    assert done.code == 4 and "sesame" not in done.err and "ann:***@" in done.err


# Trouble with the disk

ON_A_FILE = pytest.mark.parametrize("db", ["file"], indirect=True)


@ON_A_FILE
def test_a_file_that_can_only_be_read_is_read(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    a_run("first")
    a_run("second")
    monkeypatch.setattr(database, "_is_writable", lambda _: False)
    assert command("report", "first").code == 0
    shipped = command("gate", "first", "second")
    assert shipped.code == 4 and "readonly" in shipped.err, "what ships has to be kept"
    done = command("grade", "first", "--grader", "rules")
    assert done.code == 4 and "readonly database" in done.err and "\nhint: check the place" in done.err


FULL = """
import resource, sys
from surefoot.cli.main import _run
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
sys.exit(_run(sys.argv[1:]))
"""


@ON_A_FILE
def test_a_full_disk_is_one_sentence_and_what_was_kept_stays(db: str, write: Callable[..., Path]) -> None:
    run = a_run()
    log = write("log.jsonl", [{"question": f"Is it {n}?", "answer": f"It is {n}. " * 99, "retrieved": []}
                              for n in range(300)])  # fmt: skip
    words = [sys.executable, "-c", FULL, "grade", "--traces", str(log), "--grader", "rules", "--version", "big"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 4 and "Traceback" not in done.stderr, done.stderr
    assert "cannot be used: " in done.stderr and "\nhint: check the place" in done.stderr
    assert len(values(run)) == 3 and command("report", run).code == 0


texts = st.text(st.characters(exclude_characters="\0"), max_size=30)


@given(question=texts, answer=texts, passage=texts, fails=st.booleans())
def test_whatever_a_pipeline_says_is_given_back(
    question: str, answer: str, passage: str, fails: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("kept") / "p.db"
    said = Trace("q", answer=None if fails else answer, error=answer if fails else None,
                 retrieved=Retrieved([Passage("p", passage)]))  # fmt: skip
    keep_run("r", [Question("q", question, "answer")], [said], [Verdict("q", "factuality", "wrong", "g")], db=place)
    with Project.existing(place) as project:
        [run] = project.named("r")
        [found] = run.traces()
        assert [one.value for one in run.verdicts()] == ["wrong"]
        clean = [text.encode("utf-8", "replace").decode() for text in (question, answer, passage)]
        assert [run.questions()[0].text, found.error if fails else found.answer, found.sources[0].text] == clean
