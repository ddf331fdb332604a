"""Which rows of the public data no model of ours may have been trained on, and samples of them.

A row that may be measured only (`use: eval`) is held out. Of the others a fifth of the groups is: the documents, pages
and questions whose hash says so. SQuAD 2.0 has too few groups for that; its last two by name are held out.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
FROM = 80  # of a hundred
NAMED = {"squad2": ("squad-Packet_switching", "squad-Steam_engine")}


def held_out(row: Row) -> bool:
    if row["use"] == "eval":
        return True
    if row["source"] in NAMED:
        return row["group"] in NAMED[row["source"]]
    return int(hashlib.sha256(row["group"].encode()).hexdigest(), 16) % 100 >= FROM


def rows_of(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def by_source(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["source"]].append(row)
    return dict(sorted(found.items()))


def sample(rows: list[Row], limit: int, label: Callable[[Row], object], seed: int = 0) -> list[Row]:
    """At most `limit` rows with the labels in their own proportion (0: all); the same ones for the same seed."""
    if not limit or len(rows) <= limit:
        return rows
    strata: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: str(row["id"])):
        strata[str(label(row))].append(row)
    chosen: list[Row] = []
    for name, part in sorted(strata.items()):
        count = max(1, round(limit * len(part) / len(rows)))
        chosen += random.Random(f"{seed} {name}").sample(part, min(count, len(part)))
    return chosen
