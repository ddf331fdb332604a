"""What was appended is there after a crash; what is done with goes."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

from surefoot.live.spool import Spool


def test_rows_come_back_in_order_after_restarts(tmp_path: Path) -> None:
    rows = [f"row {number}".encode() for number in range(1_200)]
    with closing(Spool(tmp_path, "queue")) as first:
        places = [first.append([row]) for row in rows[:4]]
        assert first.append(rows[4:1_100]) == first.end
    with closing(Spool(tmp_path, "queue")) as again:
        again.append(rows[1_100:])
        assert [row for row, _ in again.rows(0)] == rows
        assert [place for _, place in again.rows(0)][:4] == places
        assert [row for row, _ in again.rows(places[3])] == rows[4:]
    assert stat.S_IMODE((tmp_path / "queue.db").stat().st_mode) == 0o600


def test_nothing_is_left_of_what_is_done_with(tmp_path: Path) -> None:
    with closing(Spool(tmp_path, "queue")) as queue:
        first = queue.append([b"row one", b"row two"])
        queue.append([b"row three"])
        queue.drop(first)
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"row one" not in left and b"row two" not in left and b"row three" in left
        queue.drop(queue.end)
    with closing(Spool(tmp_path, "queue")) as again:
        assert list(again.rows(0)) == [] and again.append([b"row four"]) > first, "places only grow"
