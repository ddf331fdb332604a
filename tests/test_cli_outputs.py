"""Files that commands write: whole or not at all, never over a project, another database, or what is read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from surefoot.core.types import Question, Trace, Verdict

from .in_process import surefoot
from .kept import keep_run

QUESTION = Question("q1", "What is the fee?", "answer")
LINKS: dict[str, Callable[[Path, Path], None]] = {
    "symlink": lambda link, to: link.symlink_to(to.resolve()),
    "hard link": lambda link, to: link.hardlink_to(to),
}


def made_run(id: str) -> None:
    traces, said = [Trace("q1", answer=f"EUR 5, says {id}.")], [Verdict("q1", "factuality", "correct", grader="g/1")]
    keep_run(id, [QUESTION], traces, said, deterministic=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs that were compared, and a log with its questions."""
    monkeypatch.chdir(tmp_path)
    for name in ("base", "cand"):
        made_run(name)
    assert surefoot("gate", "base", "cand", "--uncalibrated").code == 0
    Path("questions.jsonl").write_text('{"qid": "q1", "q": "Which fee?", "expects": "answer", "gold_ids": ["p"]}\n')
    Path("traces.jsonl").write_text('{"qid": "q1", "answer": "EUR 5, says base."}\n')
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()
    } | {str(path): str(path.readlink()) for path in folder.rglob("*") if path.is_symlink()}


def refused(*arguments: str | Path, words: str) -> None:
    before = contents(Path())
    done = surefoot(*arguments)
    assert (done.code, done.out) == (2, "") and words in done.err and "hint: " in done.err
    assert done.err.count("\n") == 2 and contents(Path()) == before


COMMANDS = [["gate", "base", "cand"], ["calibrate", "base"]]
SCORE = ["score", "-q", "questions.jsonl", "-t", "traces.jsonl"]


@pytest.mark.parametrize("command", COMMANDS, ids=["gate", "calibrate"])
@pytest.mark.parametrize("how", LINKS)
def test_a_report_is_no_link_to_what_would_be_lost(command: list[str], how: str, project: Path) -> None:
    LINKS[how](project / "rep.md", project / "surefoot.db")
    refused(*command, "--report", "rep.md", words="rep.md is ")


def test_a_report_is_not_written_over_what_is_compared(project: Path) -> None:
    for name in ("base", "cand"):
        Path(f"{name}.md").write_text('{"question_id": "q1", "axis": "factuality", "value": "correct"}\n')
    refused("gate", "base.md", "cand.md", "--report", "cand.md", words="would be overwritten")
    refused("gate", "base.md", "cand.md", "-g", "g.md", "--report", "base.md/where.md", words="no folder")


@pytest.mark.parametrize("name", ["no/where.md", "no/where.xml"])
def test_the_folder_of_a_report_is_made(name: str, project: Path) -> None:
    surefoot(*SCORE, "--report", name)
    assert (project / name).stat().st_size


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("evaluate", "grade"), ("grde", "grade"), ("compare", "gate"), ("build", "questions build")],
)
def test_a_command_that_is_not_there_brings_to_mind_another(typed: str, meant: str) -> None:
    done = surefoot(typed)
    assert done.code == 2 and f"hint: did you mean {meant}?" in done.err
    assert "hint: `surefoot --help`" in surefoot("xyzzy").err


@pytest.mark.parametrize(("typed", "meant"), [("score --question x", "--questions"), ("gate --brif", "--brief")])
def test_an_option_that_is_not_there_brings_to_mind_another(typed: str, meant: str) -> None:
    done = surefoot(*typed.split())
    assert done.code == 2 and f"hint: did you mean {meant}?" in done.err


def test_what_is_to_be_done_next_is_done_in_the_same_project(project: Path) -> None:
    at = project / "my project.db"
    (project / "surefoot.db").rename(at)
    done = surefoot("gate", "base", "cand", "--db", at)
    assert "need the same --db, or SUREFOOT_DB" in done.err
    assert "SUREFOOT_DB" not in surefoot("gate", "base", "cand", "--db", at, "--quiet").err


def test_a_link_in_a_circle_is_named_before_the_work(project: Path) -> None:
    (project / "rep.md").symlink_to("rep.md")
    refused(*COMMANDS[0], "--report", "rep.md", words="leads in a circle")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("surefoot.db", "is a database"),
        ("other.sqlite", "is a database"),
        ("link", "is a database"),
        ("questions.jsonl", "would be overwritten"),
        ("gate.toml", "would be overwritten"),
        ("questions.jsonl/where", "there is no folder"),
        ("", "there is no folder"),
    ],
)
def test_score_writes_over_nothing_either(name: str, words: str, project: Path) -> None:
    with sqlite3.connect("other.sqlite") as file:
        file.execute("CREATE TABLE t (x)")
    (project / "link").symlink_to("surefoot.db")
    (project / "gate.toml").write_text('[rules]\ncoverage = "coverage >= 1.0"\n')
    refused(*SCORE, "--gate", "gate.toml", "--report", name, words=words)


def test_score_keeps_the_traces_of_a_folder_and_one_report_from_another(project: Path) -> None:
    (project / "logs").mkdir()
    (project / "logs" / "a.jsonl").write_bytes((project / "traces.jsonl").read_bytes())
    command = [*SCORE[:3], "-t", "logs"]
    refused(*command, "--report", "logs/a.jsonl", words="would be overwritten")
    refused(*command, "--report", "x", "--report", "x", words="would be overwritten")
    for _ in range(2):
        surefoot(*command, "--report", "logs/report.md")
        assert (project / "logs" / "report.md").stat().st_size


def test_a_matrix_does_not_write_through_a_link_either(project: Path) -> None:
    (project / "m.toml").write_text('grader = "rules"\n[[pipeline]]\nname = "a"\nspec = "reference"\n')
    (project / "out").mkdir()
    (project / "out" / "report.md").symlink_to(project / "surefoot.db")
    refused("matrix", "m.toml", "--report", "out/report.md", words="database")


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """Files may grow no larger, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


BLOCKED = [*SCORE, "--rule", "precision >= 0.9"]


@pytest.mark.parametrize("name", ["x.md", "x.xml"])
def test_a_full_disk_takes_no_decision_away(name: str, project: Path) -> None:
    before = contents(project)
    with room_for(100):
        done = surefoot(*BLOCKED, "--report", name, "--json", "--no-rows")
    assert (done.code, done.json["gate"]["outcome"]) == (1, "BLOCK") and contents(project) == before
    assert done.err == f"error: {name} cannot be written: File too large\nhint: make room, or choose another place\n"
    done = surefoot(*BLOCKED, "--report", "/dev/full", "--report", "y.html")
    assert done.code == 1 and "BLOCK - " in done.out and (project / "y.html").stat().st_size
    assert done.err.startswith("error: /dev/full cannot be written: No space left on device\nhint: ")


def test_a_report_that_is_lost_leaves_the_rest_unfinished(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMANDS[0], "--uncalibrated"]
    done = surefoot(*command, "--report", "/dev/full")
    assert done.code == 4 and "SHIP" in done.out and "error: /dev/full cannot be written" in done.err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/dev/full")
    done = surefoot(*command, "--format", "github")
    assert done.code == 4 and "SHIP" in done.out and "/dev/full cannot be written" in done.err


def test_a_report_may_go_into_a_pipe_whoever_reads_it(project: Path) -> None:
    os.mkfifo("pipe.md")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((project / "pipe.md").read_bytes()))
    reader.start()
    done = surefoot(*BLOCKED, "--report", "pipe.md")
    reader.join()
    assert (
        (done.code, done.err) == (1, "report: pipe.md\n")
        and read[0].startswith(b"# ")
        and (project / "pipe.md").is_fifo()
    )


def test_a_report_replaces_an_earlier_one_and_stays_as_private(project: Path) -> None:
    (project / "kept").mkdir()
    (project / "kept" / "x.md").write_text("old")
    (project / "kept" / "x.md").chmod(0o600)
    (project / "latest.md").symlink_to("kept/x.md")
    surefoot(*BLOCKED, "--report", "latest.md")
    assert (project / "latest.md").is_symlink() and (project / "kept" / "x.md").read_text("utf-8").startswith("# ")
    assert (project / "kept" / "x.md").stat().st_mode & 0o777 == 0o600
