"""A Ray cluster does what this machine does: whatever dies, nothing is lost and nothing is counted twice."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot import grade_log, score
from surefoot.core.errors import Incomplete, UsageError
from surefoot.io import cluster
from surefoot.io import rows as sources
from surefoot.io.cluster import ENGINES, Finished, Part
from surefoot.scoring import run
from surefoot.scoring.run import BlockResult, BlockScorer, Rerun
from tests.conftest import GOOD_TRACES, QUESTIONS, Write, surefoot
from tests.golden_files import ROOT
from tests.in_process import surefoot as in_this_process
from tests.kept import kept

pytestmark = pytest.mark.xdist_group("ray")
ray: Any = pytest.importorskip("ray")
ROWS = [{**GOOD_TRACES[n % 4], "n": n} if n % 7 else {"n": n} for n in range(60)]  # some name no question
_SCORE_PART = run._score_part


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a cluster that is there already."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.SETTINGS.items():
            patch.setenv(name, value)
        before = signal.getsignal(signal.SIGTERM)
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        signal.signal(signal.SIGTERM, before)
        patch.setenv("RAY_ADDRESS", ray.get_runtime_context().gcs_address)
        yield os.environ["RAY_ADDRESS"]
        ray.shutdown()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty rows in parts of a few."""
    monkeypatch.setattr(sources, "BLOCK_BYTES", 200)
    monkeypatch.setattr(cluster, "PART_BYTES", 500)


@pytest.fixture
def log(write: Write) -> Path:
    return write("log.jsonl", ROWS)


class Noted:
    """Scores parts, and writes down which; the first to come may kill its process, or the one that started it."""

    def __init__(self, notes: Path, *, victim: Callable[[], int] | None = None, seconds: float = 0) -> None:
        self._notes, self._victim, self._seconds = notes, victim, seconds

    def __call__(self, scorer: BlockScorer, part: Part) -> list[BlockResult]:
        is_first = not self._notes.exists()
        with self._notes.open("a") as file:
            file.write("a part\n")
        if self._victim and is_first:
            os.kill(self._victim(), signal.SIGKILL)
        time.sleep(self._seconds)
        return _SCORE_PART(scorer, part)


def number_of(notes: Path) -> int:
    return notes.read_text().count("\n") if notes.exists() else 0


def test_a_worker_that_is_killed_costs_its_part_alone(
    address: str, log: Path, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(run, "_score_part", Noted(tmp_path / "notes", victim=os.getpid))
    found = score(QUESTIONS, log, rerun="all", engine="ray", settings={"work": tmp_path / "work"})
    assert not capfd.readouterr().out  # where --json is to stand alone, whatever Ray says of the worker
    assert found.to_json() == score(QUESTIONS, log, rerun="all").to_json()
    done = len(list(tmp_path.glob("work/*/*.part")))
    assert done > 5
    assert number_of(tmp_path / "notes") > done
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    again = score(
        QUESTIONS, log, rules=["precision >= 0.9"], rerun="all", engine="ray", settings={"work": tmp_path / "work"}
    )
    assert again["metrics"] == found["metrics"]  # no cluster is asked for what is done


def test_where_ray_itself_dies_the_same_command_goes_on(
    log: Path, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(run, "_score_part", Noted(tmp_path / "notes", victim=os.getppid))
    with pytest.raises(Incomplete, match="the same command goes on from there"):
        score(QUESTIONS, log, rerun="all", engine="ray", settings={"work": tmp_path / "work", "jobs": 1})
    assert not capfd.readouterr().out


def test_a_driver_that_is_killed_goes_on_where_it_was(
    address: str, log: Path, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import sys; from pathlib import Path; from tests import test_engine as t;"
        "t.sources.BLOCK_BYTES, t.cluster.PART_BYTES = 200, 500;"
        "t.run._score_part = t.Noted(Path(sys.argv[1]) / 'before', seconds=0.2);"
        "t.score(t.QUESTIONS, sys.argv[2], rerun='all', engine='ray', settings={'work': Path(sys.argv[1]) / 'work'})"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(log)]
    driver = subprocess.Popen(command, cwd=ROOT)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("work/*/*.part"))) < 3 and time.monotonic() < deadline:
        assert driver.poll() is None
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    before = len(list(tmp_path.glob("work/*/*.part")))
    monkeypatch.setattr(run, "_score_part", Noted(tmp_path / "after"))
    found = score(QUESTIONS, log, rerun="all", engine="ray", settings={"work": tmp_path / "work"})
    assert found.to_json() == score(QUESTIONS, log, rerun="all").to_json()
    assert before >= 3
    assert number_of(tmp_path / "after") == len(list(tmp_path.glob("work/*/*.part"))) - before > 0


def test_a_log_that_has_changed_is_read_anew(
    address: str, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rows in (60, 61):
        found = score(QUESTIONS, log, rerun="all", engine="ray", settings={"work": tmp_path / "work"}, keep_rows=False)
        assert found.accounting.rows == rows
        log.write_bytes(log.read_bytes() + b'{"n": 61}\n')


def test_verdicts_by_a_cluster_are_those_of_this_machine(address: str, write: Write, tmp_path: Path) -> None:
    passage = "The notice period is thirty days. The yearly rent is EUR 2,000."
    rows = [
        {
            "question": f"What is the notice period of lease {n}?",
            "contexts": [passage],
            "answer": f"It is {n} days [1].",
        }
        for n in range(28, 56)
    ]
    log = write("leases.jsonl", rows)
    for engine in ENGINES:
        os.environ["XDG_CACHE_HOME"], before = str(tmp_path / engine), os.environ["XDG_CACHE_HOME"]
        found = grade_log(log, version="v", engine=engine, db=tmp_path / f"{engine}.db")
        os.environ["XDG_CACHE_HOME"] = before
        assert len(found.rows) == 28
    assert kept("v", tmp_path / "ray.db").verdicts() == kept("v", tmp_path / "local.db").verdicts()
    assert not list((tmp_path / "ray").glob("surefoot/work/*"))  # nothing is left where no folder was named


def test_the_command_says_what_it_says_without_a_cluster(address: str, log: Path, write: Write, tmp_path: Path) -> None:
    questions = write("questions.jsonl", QUESTIONS)
    command = ("score", "-q", questions, log.relative_to(tmp_path), "--rerun", "all", "--json")
    here, there = (surefoot(*command, "--engine", engine, cwd=tmp_path) for engine in ("local", "ray"))
    assert (there.code, there.out) == (here.code, here.out)
    assert all(line.endswith(("/s", " left")) for line in there.err.splitlines())  # nothing but progress


def test_an_error_in_a_worker_is_one_sentence(
    address: str, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone.jsonl"
    monkeypatch.setattr(run, "parts_from", lambda *_: [Part((sources.File("gone.jsonl", str(gone)),), ())])
    with pytest.raises(Incomplete, match=r"gone.jsonl is not there on .*every machine"):
        score(QUESTIONS, log, engine="ray", settings={"work": tmp_path})
    with pytest.raises(Incomplete, match=r"a worker has surefoot .*, and the driver 0\.0\.1"):
        cluster._run("0.0.1", "", [], b"")


def without_a_cluster(function: Callable[[Part], object], parts: Iterable[Part], *_: object) -> Iterator[object]:
    return (pickle.loads(pickle.dumps(function(part))) for part in parts)


@given(
    st.lists(st.sampled_from(ROWS), max_size=30),
    st.integers(1, 900),
    st.integers(1, 2_000),
    st.sampled_from(["error", "first", "last", "all"]),
)
def test_parts_add_up_to_the_whole(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], block: int, part: int, rerun: Rerun
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    for number in range(3):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[number::3]))
    whole = score(QUESTIONS, folder, rerun=rerun, settings={"jobs": 1})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", block)
        patch.setattr(cluster, "PART_BYTES", part)
        patch.setattr(run, "map_on_ray", without_a_cluster)
        in_parts = score(QUESTIONS, folder, rerun=rerun, engine="ray")
    assert in_parts.to_json() == whole.to_json()


def test_a_log_has_parts_for_every_worker(tmp_path: Path) -> None:
    row = json.dumps({"q": "What is X?", "answer": "X. " * 300}).encode() + b"\n"
    log, packed, document = tmp_path / "log.jsonl", tmp_path / "log.jsonl.gz", tmp_path / "log.json"
    log.write_bytes(row * (40 << 10))
    packed.write_bytes(gzip.compress(log.read_bytes()[: 4 << 20], 0))
    document.write_bytes(b"\xef\xbb\xbf[" + b",".join([row] * 4_000) + b"]")
    sizes = [sum(map(cluster._weight, part.pieces)) for part in cluster.parts_from([log])]
    assert sum(sizes) == log.stat().st_size > 35 << 20
    assert 8 < len(sizes) < 40 and max(sizes) < sum(sizes) / 8
    for file in (packed, document):  # which only one worker can read
        assert [part.pieces for part in cluster.parts_from([file])] == [(sources.File(str(file), str(file)),)]


def test_a_full_disk_loses_nothing_that_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = Finished(tmp_path, "plan", stays=True)
    done.keep("one", b"1")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(cluster, "replace_file", full)
        with pytest.raises(Incomplete, match=r"No space left on device.*goes on from there"):
            done.keep("two", b"2")
    with pytest.raises(Incomplete, match="another process"):
        Finished(tmp_path, "plan", stays=True)
    done.close(whole=False)
    again = Finished(tmp_path, "plan", stays=True)
    assert (again.at("one").read_bytes(), again.at("two").exists()) == (b"1", False)
    again.close(whole=True)


def test_a_cluster_that_is_not_there_is_named_at_once(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    with pytest.raises(Incomplete, match=r"the Ray cluster at 127\.0\.0\.1:9 cannot be reached"):
        score(QUESTIONS, log, engine="ray", settings={"work": tmp_path})


def test_without_the_package_the_extra_is_named(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Incomplete, match=r"--engine ray needs the package ray .*\[ray\]"):
        score(QUESTIONS, log, engine="ray", settings={"work": tmp_path})


def test_an_engine_that_does_not_exist_is_refused(log: Path) -> None:
    with pytest.raises(UsageError, match="engine cannot be 'spark'"):
        score(QUESTIONS, log, engine="spark")  # type: ignore[arg-type]
    assert in_this_process("grade", "--items", log, "--engine", "ray").code == 2
