"""A log that somebody writes to, rotates and cuts, as programs that write logs do."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.monitor import follow
from surefoot.monitor.follow import LOST, Position, Tail


def lines_of(tail: Tail) -> list[bytes]:
    found = []
    while (piece := tail.read()) is not None:
        found += piece.lines.splitlines()
    return found


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


Start = Callable[..., Tail]


@pytest.fixture
def start(log: Path) -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda position=None: stack.enter_context(closing(Tail(log, position)))


def add(log: Path, text: str) -> None:
    with log.open("a") as file:
        file.write(text)


def test_a_line_is_read_once_it_is_whole(log: Path, start: Start) -> None:
    tail = start()
    assert tail.read() is None, "a log that is not there yet is waited for"
    add(log, "one\ntw")
    assert lines_of(tail) == [b"one"]
    add(log, 'o\n{"whole": 1}')
    assert lines_of(tail) == [b"two", b'{"whole": 1}'], "an object is whole without the end of its line"
    add(log, "\nthree\n")
    assert lines_of(tail) == [b"", b"three"]


def test_a_rotated_log_is_read_to_its_end_and_then_the_new_one(log: Path, start: Start) -> None:
    add(log, "one\n")
    tail = start()
    assert lines_of(tail) == [b"one"]
    add(log, "two\nthree, never ended")
    log.rename(log.with_name("answers.jsonl.1"))
    assert lines_of(tail) == [b"two"], "whoever writes may not have noticed yet"
    add(log, "four\n")
    assert lines_of(tail) == [b"three, never ended", b"four"]


def test_after_a_restart_the_rotated_log_is_found_under_its_new_name(log: Path, start: Start) -> None:
    add(log, "one\n")
    tail = start()
    piece = tail.read()
    assert piece is not None
    tail.close()
    add(log, "two\n")
    log.rename(log.with_name("answers.jsonl.1"))
    add(log, "three\n")
    assert lines_of(start(piece.position)) == [b"two", b"three"]
    log.with_name("answers.jsonl.1").unlink()
    again = start(piece.position).read()
    assert again is not None and again.lines == b"three\n" and again.problems[0].kind == LOST
    assert "whatever came after byte 4 is lost" in again.problems[0].message


def zipped(path: Path) -> None:
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def zstandard(path: Path) -> None:
    packed = pytest.importorskip("zstandard").ZstdCompressor().compress(path.read_bytes())
    path.with_name(f"{path.name}.zst").write_bytes(packed)
    path.unlink()


@pytest.mark.parametrize("pack", [lambda _: None, zipped, zstandard])
@pytest.mark.parametrize("name", ["answers.jsonl.1", "answers.1.jsonl", "answers-20261116.jsonl"])
@pytest.mark.parametrize("is_copied", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_a_log_is_found_again_however_it_was_rotated(
    log: Path, start: Start, pack: Callable[[Path], None], name: str, is_copied: bool, is_open: bool
) -> None:
    """Renamed or copied and cut, packed or not, by a monitor that goes on and one that starts again."""
    for number, other in enumerate(("answers.jsonl.2", "answers.txt")):
        add(log.with_name(other), f"another one {number}\n" * 1_000)
    zipped(log.with_name("answers.jsonl.2"))
    add(log, "".join(f"line {number}\n" for number in range(100)))
    tail = start()
    pieces = [tail.read(), tail.read()]
    assert pieces[0] is not None and pieces[1] is None
    add(log, "one\ntwo\n")
    if not is_open:
        tail.close()
        tail = start(pieces[0].position)
    if is_copied:
        shutil.copy(log, log.with_name(name))
        with log.open("r+") as file:
            file.truncate()
    else:
        log.rename(log.with_name(name))
    pack(log.with_name(name))
    add(log, "three\n")
    assert lines_of(tail) == [b"one", b"two", b"three"]


def test_another_log_that_ends_alike_is_not_taken_for_the_same(log: Path, start: Start) -> None:
    alike = "x" * 400 + "\n"
    add(log, f"first\n{alike}")
    tail = start()
    assert len(lines_of(tail)) == 2
    log.write_text(f"other\n{alike}new\n", encoding="utf-8")  # written anew in place, and longer than before
    assert [line[:5] for line in lines_of(tail)] == [b"other", b"xxxxx", b"new"]


def test_a_folder_that_is_gone_is_waited_for_and_what_is_no_file_is_not_opened(log: Path, start: Start) -> None:
    add(log, "one\n")
    tail = start()
    piece = tail.read()
    assert piece is not None
    tail.close()
    os.mkfifo(log.with_name("answers.pipe"))
    log.rename(log.parent.with_name("elsewhere"))
    assert start(piece.position).read() is None
    shutil.rmtree(log.parent)
    assert start(piece.position).read() is None


@pytest.mark.parametrize("new", ["x\n", "a line that is longer than what was there before\nand one more\n"])
def test_a_log_that_is_cut_and_written_anew_is_read_from_its_start(log: Path, new: str, start: Start) -> None:
    add(log, "first\nsecond\n")
    tail = start()
    assert lines_of(tail) == [b"first", b"second"]
    with log.open("r+") as file:
        file.truncate()
        file.write(new)
    piece = tail.read()
    assert piece is not None and piece.lines.decode() == new and piece.problems[0].kind == LOST


def test_a_line_without_end_is_named_and_skipped(log: Path, monkeypatch: pytest.MonkeyPatch, start: Start) -> None:
    monkeypatch.setattr(follow, "PIECE_BYTES", 10)
    monkeypatch.setattr(follow, "LONGEST_LINE", 40)
    add(log, "one\n" + "x" * 95)
    tail = start()
    assert lines_of(tail) == [b"one"]
    add(log, "x" * 7 + "\ntwo\n")
    assert lines_of(tail) == [b"two"]


@given(st.lists(st.text("ab\n", max_size=9)), st.lists(st.booleans()), st.integers(1, 9))
def test_however_it_is_written_and_restarted_each_line_comes_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], restarts: list[bool], block: int
) -> None:
    log = tmp_path_factory.mktemp("log") / "log"
    tail, position, found = Tail(log), Position(), b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "PIECE_BYTES", block)
        for number, text in enumerate([*texts, "\n"]):
            add(log, text)
            while (piece := tail.read()) is not None:
                found, position = found + piece.lines, piece.position
                assert not piece.problems
            if number < len(restarts) and restarts[number]:
                tail.close()
                tail = Tail(log, position)
    assert found.decode() == "".join(texts) + "\n"
    tail.close()
