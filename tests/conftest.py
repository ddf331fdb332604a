"""Shared helpers: small inputs written to files, and the real command in a real process."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from tests import forked, postgres_server
from tests.llm_server import LlmServer
from tests.llm_server import missing as llm_server_missing
from tests.llm_server import running as running_llm_server

settings.register_profile(
    "default", max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("default")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell lets what it puts into the background ignore Ctrl-C, and whatever tests start would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share the folder of those who started them
    _CACHE = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = _CACHE.name  # what models said before must not decide a test

QUESTIONS: list[dict[str, Any]] = [
    {"qid": "q1", "q": "What is X?", "answerable": True, "gold_ids": ["p1#1"], "gold_claim": "X is a tight mapping."},
    {"qid": "q2", "q": "Explain Y.", "answerable": True, "gold_ids": ["p2#1"], "gold_claim": "Y is unrelated to X."},
    {"qid": "q3", "q": "What is Z?", "answerable": False, "gold_ids": []},
    {"qid": "q4", "q": "Sum up the link.", "answerable": False, "gold_ids": []},
]  # fmt: skip
GOOD_TRACES: list[dict[str, Any]] = [
    {"q": "What is X?", "chunks": [{"id": "p1#1"}], "answer": "- X is a tight mapping\n- citations: [p1#1]"},
    {"q": "Explain Y.", "chunks": [{"id": "p2#1"}], "answer": "- Y is unrelated to X\n- citations: [p2#1]"},
    {"q": "What is Z?", "chunks": [{"id": "p1#1"}], "answer": "not in context"},
    {"q": "Sum up the link.", "chunks": [], "answer": "Not in context."},
]

Write = Callable[[str, Iterable[object]], Path]


class Done:
    """A finished command."""

    def __init__(self, process: subprocess.CompletedProcess[bytes]) -> None:
        self.code = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.out)


def surefoot(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> Done:
    """The command in a process of its own, as a user runs it."""
    done = Done(forked.run([*map(str, arguments)], cwd, {**os.environ, "COLUMNS": "120"}, stdin))
    assert "Traceback" not in done.err, done.err
    return done


@pytest.fixture(autouse=True)
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of a test, which every command uses unless it is told another."""
    monkeypatch.setenv("SUREFOOT_DB", str(tmp_path / "surefoot.db"))
    return tmp_path / "surefoot.db"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_lines(name: str, rows: Iterable[object]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
        path.write_text(text, encoding="utf-8", newline="\n")
        return path

    return write_lines


@pytest.fixture(scope="session")
def llm_server() -> Iterator[LlmServer]:
    """A language model to ask, started once: its URL and its name."""
    if reason := llm_server_missing():
        pytest.skip(reason)
    with running_llm_server() as server:
        yield server


@pytest.fixture(scope="session")
def on_server() -> Iterator[Callable[[], str]]:
    """The URL of a place on a PostgreSQL server with no table yet, each time it is asked for."""
    if reason := postgres_server.missing():
        pytest.skip(reason)
    numbers = itertools.count(1)
    with postgres_server.running() as server:

        def made() -> str:
            schema = f"place_{next(numbers)}"
            with psycopg.connect(server) as connection:
                connection.execute(f"CREATE SCHEMA {schema}")
            return f"{server}?options=-csearch_path%3D{schema}"

        yield made


@pytest.fixture(scope="session")
def shell_path() -> str:
    """A PATH on which scripts find `surefoot`, which starts at once."""
    return os.pathsep.join([str(forked.folder()), str(Path(sys.executable).parent), os.environ["PATH"]])


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(QUESTIONS), encoding="utf-8")
    return path
