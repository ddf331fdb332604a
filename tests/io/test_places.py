"""Logs that lie elsewhere: at addresses, with stores that fail for a while or for good."""

from __future__ import annotations

import gzip
import json
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from surefoot import grade_log, score
from surefoot.core.errors import ExitCode, Incomplete, SurefootError, Unreachable, UsageError
from surefoot.graders.local import grade_texts
from surefoot.io import rows as places
from surefoot.io import rows as sources
from surefoot.io.rows import read_rows
from surefoot.jobs.grade import grade_items
from tests.conftest import GOOD_TRACES, QUESTIONS, Write

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PAUSES", (0.0, 0.0))


class Store:
    """A server of files that knows ranges. It fails as often as it is told to."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.failures = 0
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                data = files.get(self.path.partition("?")[0])
                if store.failures:
                    store.failures -= 1
                    self.answer(503)
                elif data is None:
                    self.answer(404)
                elif asked := self.headers.get("Range"):
                    first, last = asked.removeprefix("bytes=").split("-")
                    self.answer(206, data[int(first) : int(last) + 1], f"bytes {first}-{last}/{len(data)}")
                else:
                    self.answer(200, data)

            do_HEAD = do_GET

            def answer(self, code: int, data: bytes = b"", part: str = "") -> None:
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Accept-Ranges", "bytes")
                if part:
                    self.send_header("Content-Range", part)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


LOG = b"".join(json.dumps(trace).encode() + b"\n" for trace in GOOD_TRACES)


@pytest.fixture
def store() -> Iterator[Store]:
    pytest.importorskip("aiohttp")
    made = Store({"/log.jsonl": LOG, "/log.jsonl.gz": gzip.compress(LOG)})
    thread = Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def rows(path: str | Path) -> list[object]:
    return [row.value for row in read_rows([path])]


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_an_address_is_read_like_a_file(store: Store, name: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 150)
    local = score(QUESTIONS, write("log.jsonl", GOOD_TRACES), rerun="all", keep_rows=False)
    remote = score(QUESTIONS, f"{store.url}/{name}?signature=secret", rerun="all", settings={"jobs": 2})
    assert remote["metrics"] == local["metrics"]
    assert {row.source for row in remote.rows()} == {f"{store.url}/{name}"}  # without what may be a secret


def test_a_store_that_fails_for_a_while_is_asked_again(store: Store) -> None:
    address = f"{store.url}/log.jsonl"
    for failures in (1, 2, 4):
        store.failures = failures
        assert rows(address) == GOOD_TRACES


def test_a_store_that_does_not_answer_is_no_bad_file_but_work_for_later(store: Store) -> None:
    store.failures = 1_000
    with pytest.raises(Unreachable, match=r"/log.jsonl cannot be reached after 3 tries.*\(hint: the same command"):
        score(QUESTIONS, f"{store.url}/log.jsonl")
    assert Unreachable("").exit_code == ExitCode.INCOMPLETE
    with pytest.raises(Unreachable):
        score(QUESTIONS, "http://127.0.0.1:9/log.jsonl")


SECRET = "https://me:hunter2@127.0.0.1:9/log?signature=a/hunter2 b"


@pytest.mark.parametrize("address", [SECRET, SECRET.replace("https", "nowhere"), f"filecache::{SECRET}"])
def test_no_message_has_the_secret_of_an_address(address: str, tmp_path: Path) -> None:
    for work in (
        lambda: score(QUESTIONS, address),
        lambda: score(address, tmp_path),
        lambda: grade_log(address, grader="rules"),
        lambda: list(grade_items(address, grader="rules")),
        lambda: list(grade_texts(address)),
    ):
        with pytest.raises(SurefootError) as caught:
            work()
        assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_what_a_store_says_of_a_file_is_said_without_secrets(store: Store, tmp_path: Path) -> None:
    address = f"{store.url}/log.jsonl?signature=secret"
    found = grade_log(address, grader="rules")
    kept = "".join(path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file())
    assert "secret" not in f"{kept} {found.to_json()}"
    with pytest.raises(FileNotFoundError, match=f"^{store.url}/other.jsonl$"):
        places.opened(f"{store.url}/other.jsonl?signature=secret")


def test_a_library_that_tries_for_long_is_not_asked_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PATIENCE", -1.0)
    store.failures = 1_000
    with pytest.raises(Unreachable, match="cannot be reached after 1 try:"):
        rows(f"{store.url}/log.jsonl")


def test_a_pattern_stands_for_the_files_that_fit_it(write: Write, tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "a[1].jsonl", "notes.txt"):
        write(name, [{"in": name}])
    names = [row["in"] for row in rows(tmp_path / "*.jsonl") if isinstance(row, dict)]
    assert names == ["a.jsonl", "a[1].jsonl", "b.jsonl"]
    assert rows(tmp_path / "a[1].jsonl") == [{"in": "a[1].jsonl"}]
    with pytest.raises(UsageError, match=r"there is no log .*\*\.csv"):
        score(QUESTIONS, tmp_path / "*.csv")


def test_what_is_not_there_is_said_at_once(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no log http"):
        score(QUESTIONS, f"{store.url}/other.jsonl")
    with pytest.raises(UsageError, match="nowhere://x cannot be understood"):
        score(QUESTIONS, "nowhere://x")


def test_an_address_whose_package_is_missing_names_it() -> None:
    with pytest.raises(Incomplete, match=r"oss://bucket/log.jsonl needs a package.*ossfs"):
        score(QUESTIONS, "oss://bucket/log.jsonl")


def test_folders_at_addresses_hold_what_folders_hold(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    files = fsspec.filesystem("memory")
    files.pipe("/logs/a.jsonl", LOG)
    files.pipe("/logs/deep/b.jsonl.gz", gzip.compress(LOG))
    files.pipe("/logs/notes.txt", b"no log")
    with files.open("/logs/c.parquet", "wb") as file:
        parquet.write_table(arrow.Table.from_pylist([{"q": "What is X?", "answer": "X."}]), file)
    assert len(rows("memory://logs")) == 2 * len(GOOD_TRACES) + 1
    assert len(rows("memory://logs/*.jsonl")) == len(GOOD_TRACES)
    assert places.is_there("memory://logs/*.csv") is False
    files.rm("/logs", recursive=True)
    assert places.is_there("memory://logs") is False
