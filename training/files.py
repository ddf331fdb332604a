"""Gzipped JSON lines, in and out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_all(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def read_usable(path: Path) -> Iterator[Row]:
    """The rows of a file that may train weights that are given away."""
    yield from (row for row in read_all(path) if row["use"] == "train")


def write_all(path: Path, rows: Iterable[Row]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=6) as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
