"""Answers over annual filings: figures looked up, rounded, rescaled or derived, and the same gone wrong.

    python benchmarks/filings.py --data FOLDER [--limit 100] [--grader local|rules]

`data/filings_answers.jsonl` was written by an AI author without sight of the code or of training data. It names
stretches of filings by document, section and characters; FOLDER holds them as corpora/edgar.jsonl.gz. Most of
these filings also gave sentences to the training, so they are no held-out documents. Only totals are printed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from heldout import Row, rows_of, sample
from quality_answers import item_of
from quality_answers import rows_of as lines_of
from surefoot.core.table import BUCKETS
from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.jobs.grade import DEFAULT

ANSWERS = Path(__file__).parent / "data" / "filings_answers.jsonl"


def load(folder: Path) -> list[Row]:
    """The answers, with the text of their passages."""
    texts = {(one["doc_id"], one["section"]): one["text"] for one in rows_of(folder / "corpora" / "edgar.jsonl.gz")}
    rows = lines_of(ANSWERS)
    for row in rows:
        text = texts[row["doc_id"], row["section"]]
        row["passages"] = [{"id": one["id"], "text": text[one["start"] : one["end"]]} for one in row["passages"]]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with corpora/edgar.jsonl.gz")
    parser.add_argument("--limit", type=int, default=0, help="answers, 0 for all")
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    given = parser.parse_args()
    rows = sample(load(given.data), given.limit, lambda row: row["buckets"])
    grader = FindingsGrader(JUDGES[given.grader]())
    graded = grader.read([item_of(row) for row in rows])
    count = Counter((row["buckets"][0], one.bucket) for row, one in zip(rows, graded, strict=True))
    print(f"grader {grader.name}\n\n| labelled | answers | " + " | ".join(f"graded {name}" for name in BUCKETS) + " |")
    print("|---" * (len(BUCKETS) + 2) + "|")
    for label in dict.fromkeys(row["buckets"][0] for row in rows):
        tried = sum(row["buckets"][0] == label for row in rows)
        print(f"| {label} | {tried} | " + " | ".join(str(count[label, name]) for name in BUCKETS) + " |")


if __name__ == "__main__":
    main()
