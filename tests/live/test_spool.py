"""What was appended is there after a crash; what is done with goes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from surefoot.live import spool
from surefoot.live.spool import Place, Spool


def test_rows_come_back_in_order_across_files_and_restarts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_SEGMENT_BYTES", 10)
    with closing(Spool(tmp_path, "queue")) as first:
        places = [first.append(f"row {number}\n".encode()) for number in range(6)]
    with closing(Spool(tmp_path, "queue")) as again:
        again.append(b"row 6\n")
        assert [row for row, _ in again.rows(Place())] == [f"row {number}\n".encode() for number in range(7)]
        assert [place for _, place in again.rows(Place())][:6] == places
        assert [row for row, _ in again.rows(places[3])] == [b"row 4\n", b"row 5\n", b"row 6\n"]
        again.drop(places[3])
        assert sorted(path.name for path in tmp_path.iterdir()) == ["queue-2.jsonl", "queue-3.jsonl", "queue-4.jsonl"]


def test_nothing_is_left_of_what_is_done_with(tmp_path: Path) -> None:
    with closing(Spool(tmp_path, "queue")) as queue:
        queue.drop(queue.append(b"row 1\n"))
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b""]
        queue.append(b"row 2\n")
        assert [row for row, _ in queue.rows(Place())] == [b"row 2\n"]


def test_a_row_that_was_torn_by_a_crash_is_cut_off(tmp_path: Path) -> None:
    with closing(Spool(tmp_path, "queue")) as first:
        first.append(b'{"a": 1}\n')
    with (tmp_path / "queue-1.jsonl").open("ab") as file:
        file.write(b'{"a": ')
    with closing(Spool(tmp_path, "queue")) as again:
        again.append(b'{"a": 2}\n')
        assert [row for row, _ in again.rows(Place())] == [b'{"a": 1}\n', b'{"a": 2}\n']
