from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core.errors import Incomplete
from surefoot.models.replies import Cache, default_path, digest_of
from surefoot.models.seam import Prompt, Reply
from surefoot.store import Project

WRITER = """
import sys
from pathlib import Path
from surefoot.models.replies import Cache
from surefoot.models.seam import Reply
from surefoot.store import Project
cache = Cache(Project.open(sys.argv[1]).replies)
for number in range(int(sys.argv[3])):
    cache.put(f"{sys.argv[2]}/{number}", "m", Reply("text " * 50, {"n": number}, 1, 2, 0.5))
    print(number, flush=True)
"""
PROMPTS = st.builds(Prompt, text=st.text(), system=st.text(), longest=st.integers(1, 9), attempt=st.integers(1, 3))


def opened(path: Path) -> Cache:
    return Cache(Project.open(path).replies)


def writer(path: Path, label: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), label, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_a_repeat_costs_nothing(tmp_path: Path) -> None:
    cache = opened(tmp_path / "deep" / "replies.sqlite")
    assert cache.get("a") is None
    cache.put("a", "m", Reply("x", {"k": [1]}, 3, 4, 0.5, asked=3, how="json_schema"))
    assert cache.get("a") == Reply("x", {"k": [1]}, 3, 4, 0.0, True, 0, "json_schema")
    assert stat.S_IMODE((tmp_path / "deep" / "replies.sqlite").stat().st_mode) == 0o600


@given(PROMPTS, PROMPTS)
def test_prompts_share_a_digest_only_if_they_are_equal(one: Prompt, other: Prompt) -> None:
    assert (digest_of("m", one, 0.0) == digest_of("m", other, 0.0)) == (one == other)
    assert len({digest_of("m", one, 0.0), digest_of("n", one, 0.0), digest_of("m", one, None)}) == 3


def test_half_characters_and_the_order_of_keys() -> None:
    assert digest_of("m", Prompt("\ud800"), 0.0) != digest_of("m", Prompt("\ud801"), 0.0)
    one, other = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert digest_of("m", Prompt("", schema=one), 0.0) == digest_of("m", Prompt("", schema=other), 0.0)


def test_many_processes_write_and_a_killed_one_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    writers = [writer(path, label, 60) for label in "abc"]
    killed = writer(path, "killed", 1_000_000)
    assert killed.stdout is not None
    said = [killed.stdout.readline().strip() for _ in range(40)]
    os.kill(killed.pid, signal.SIGKILL)
    said += killed.stdout.read().split()
    for process in (*writers, killed):
        process.communicate(timeout=600)
    cache = opened(path)
    for label in "abc":
        assert all(cache.get(f"{label}/{number}") is not None for number in range(60))
    whole = [word for word in said if word.isdigit()][:-1]  # the last may be half a number
    assert len(whole) >= 39 and all(cache.get(f"killed/{number}") is not None for number in whole)


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be looked at " * 50)
    with pytest.raises(Incomplete, match=r"notes\.txt is not a database"):
        opened(path)
    with pytest.raises(Incomplete, match="cannot be opened"):
        opened(path / "below")


def test_a_damaged_row_is_asked_again_and_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = opened(tmp_path / "replies.sqlite")
    cache.put("a", "m", Reply("x"))
    with contextlib.closing(sqlite3.connect(tmp_path / "replies.sqlite")) as database, database:
        database.execute("UPDATE replies SET reply = '{'")
    assert cache.get("a") is None and cache.get("a") is None
    assert capsys.readouterr().err.count("cache of replies failed") == 1
    cache.put("a", "m", Reply("y"))
    assert cache.get("a") == Reply("y", cost_usd=0.0, cached=True)


def test_where_it_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "surefoot" / "replies.db"
