"""Measure refusal detection against labelled answers.

    python benchmarks/refusal.py [--data FOLDER]

Two sources. `benchmarks/data/refusals.jsonl` holds document-QA answers in many wordings, written for this purpose
without sight of the rules; its development part was used to tune them, of its held-out part only totals were looked
at. `--data` names a folder with refusal.jsonl.gz, public data split by group into halves in the same way.
Binary: `refused` or `partial` against a labelled refusal.
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

OWN = Path(__file__).parent / "data" / "refusals.jsonl"
VALUES = ("refused", "partial", "answered")


def public_rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    names = {"full": "refused", "partial": "partial", "none": "answered"}
    for row in rows:
        half = hashlib.sha256(row["group"].encode()).digest()[0] < 128
        row |= {"split": "development" if half else "held-out", "refusal": names[row["degree"]]}
    return rows


def own_rows() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    return [row | {"source": "own answers", "kind": "grounded"} for row in rows]


def scores(pairs: Iterable[tuple[bool, bool]]) -> str:
    """Table cells for (labelled, predicted) pairs."""
    count = Counter(pairs)
    hit, false, missed = count[True, True], count[False, True], count[True, False]
    precision, recall = hit / max(1, hit + false), hit / max(1, hit + missed)
    f1 = 2 * hit / max(1, 2 * hit + false + missed)
    return f"{sum(count.values())} | {hit + missed} | {precision:.3f} | {recall:.3f} | {f1:.3f}"


def print_split(name: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{name}\n\n| source | answers | refusals | precision | recall | F1 | all three values right |")
    print("|---|---|---|---|---|---|---|")
    for source in sorted({row["source"] for row in rows}):
        part = [row for row in rows if row["source"] == source]
        cells = scores((row["refusal"] != "answered", row["value"] != "answered") for row in part)
        right = sum(row["refusal"] == row["value"] for row in part) / len(part)
        print(f"| {source} | {cells} | {right:.3f} |")
    count = Counter((row["kind"], row["refusal"], row["value"]) for row in rows)
    print("\n| labelled | " + " | ".join(f"read as {value}" for value in VALUES) + " |\n|---|---|---|---|")
    for kind in sorted({row["kind"] for row in rows}):
        for label in VALUES:
            cells = " | ".join(str(count[kind, label, value]) for value in VALUES)
            print(f"| {kind}, {label} | {cells} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with refusal.jsonl.gz")
    folder = parser.parse_args().data
    rows = own_rows() + (public_rows(folder / "refusal.jsonl.gz") if folder else [])
    detect("I do not know.")  # compile outside the clock
    start = time.perf_counter()
    values = [detect(row["text"]).value for row in rows]
    seconds = time.perf_counter() - start
    for row, value in zip(rows, values, strict=True):
        row["value"] = value
    for split in ("development", "held-out"):
        print_split(f"### {split}", [row for row in rows if row["split"] == split])
    words = sum(len(row["text"].split()) for row in rows) / len(rows)
    print(f"\n{len(rows) / seconds:,.0f} answers/s on one core ({words:.0f} words on average)")


if __name__ == "__main__":
    main()
