"""Are quotes found where they stand, and only there?

    python benchmarks/quality_quotes.py [FILE ...]

Each row of a file has a passage, a quote as a model might give it, and whether a careful reader would say that the
passage has these words. Sloppy copies match; what changes a number, a name, a negation or a "may", and what is stitched
together from far places, does not. Failing rows are shown of the development split alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from surefoot.graders.quotes import why_void

OWN = Path(__file__).parent / "data" / "quality" / "quotes.jsonl"


def load(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def is_right(row: dict[str, Any]) -> bool:
    return (why_void(row["quote"], row["passage"], "") == "") == bool(row["matches"])


def show(path: Path) -> None:
    rows = load(path)
    right: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for row in rows:
        place = (row["split"], f"{row['kind']} ({'stands there' if row['matches'] else 'does not'})")
        total[place] += 1
        right[place] += is_right(row)
        if not is_right(row) and row["split"] == "development":
            print(f"{row['id']}: {row['quote']!r} in {row['passage']!r} should {'' if row['matches'] else 'not '}match")
    print(f"\n{path.name}\n\n| split | kind | rows | right |\n|---|---|---|---|")
    for split, kind in sorted(total):
        print(f"| {split} | {kind} | {total[split, kind]} | {right[split, kind]} |")
    print(f"| | all | {total.total()} | {right.total()} |")


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(OWN)]:
        show(Path(name))
