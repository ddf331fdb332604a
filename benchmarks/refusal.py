"""Measure refusal detection against people's labels.

    python benchmarks/refusal.py --data ../shared/data

Rows are split by group into a development half, on which the cues were tuned, and a held-out half, of which
only totals were ever looked at. Binary: `refused` or `partial` against the gold `is_refusal`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from surefoot.text.refusals import detect

VALUES = ("refused", "partial", "answered")
DEGREES = ("full", "partial", "none")


def is_development(group: str) -> bool:
    return hashlib.sha256(group.encode()).digest()[0] < 128


def load(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def scores(pairs: Iterable[tuple[bool, bool]]) -> str:
    """Table cells for (gold, predicted) pairs."""
    count = Counter(pairs)
    hit, false, missed = count[True, True], count[False, True], count[True, False]
    precision = hit / max(1, hit + false)
    recall = hit / max(1, hit + missed)
    f1 = 2 * hit / max(1, 2 * hit + false + missed)
    return f"{sum(count.values())} | {hit + missed} | {precision:.3f} | {recall:.3f} | {f1:.3f}"


def print_half(name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n### {name}\n\n| on | rows | refusals | precision | recall | F1 |\n|---|---|---|---|---|---|")
    for field in ("source", "kind"):
        for value in sorted({row[field] for row in rows}):
            part = [row for row in rows if row[field] == value]
            cells = scores((row["is_refusal"], row["value"] != "answered") for row in part)
            print(f"| {field} {value} | {cells} |")
    count = Counter((row["kind"], row["degree"], row["value"]) for row in rows)
    print("\n| kind, gold degree | " + " | ".join(VALUES) + " |\n|---|---|---|---|")
    for kind in sorted({row["kind"] for row in rows}):
        for degree in DEGREES:
            cells = " | ".join(str(count[kind, degree, value]) for value in VALUES)
            print(f"| {kind}, {degree} | {cells} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with refusal.jsonl.gz")
    rows = load(parser.parse_args().data / "refusal.jsonl.gz")
    detect("I do not know.")  # compile outside the clock
    start = time.perf_counter()
    values = [detect(row["text"]).value for row in rows]
    seconds = time.perf_counter() - start
    for row, value in zip(rows, values, strict=True):
        row["value"] = value
    print_half("Development half", [row for row in rows if is_development(row["group"])])
    print_half("Held-out half", [row for row in rows if not is_development(row["group"])])
    words = sum(len(row["text"].split()) for row in rows) / len(rows)
    print(f"\n{len(rows) / seconds:,.0f} answers/s on one core ({words:.0f} words on average)")


if __name__ == "__main__":
    main()
