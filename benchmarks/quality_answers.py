"""Answers that hedge, wordy refusals, claims in odd wrappings, free wording: how many are graded as they should be.

    python benchmarks/quality_answers.py [--grader local|rules] [--show] [FILE ...]

The files of `benchmarks/data/quality` were written from a description, without sight of the code, but for the
development rows of `gold.jsonl` and `numbers.jsonl`. A row is right if its bucket is among those it accepts and, where
it says how many claims it makes beyond the cited one, as many (or more, if any) are read as claims and not borne out.
The grader was worked on with the development rows in sight; of the held-out ones only totals were looked at, and
`--show` prints none of them. The blind rows were written last and opened only after they had been graded once:
benchmarks/RESULTS.md has the totals of that first sight.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import JUDGES, FindingsGrader, Graded
from surefoot.jobs.grade import DEFAULT

DATA = Path(__file__).parent / "data" / "quality"
FILES = ("hedges.jsonl", "gold.jsonl", "wrappings.jsonl", "numbers.jsonl", "free.jsonl")
Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def item_of(row: Row) -> Item:
    question = Question(
        row["id"],
        row["question"],
        row["expects"],
        gold_ids=tuple(row["gold_ids"]),
        gold_claims=tuple(row["gold_claims"]),
    )
    passages = (Passage(one["id"], one["text"], one.get("doc", "")) for one in row["passages"])
    return Item(question, Trace(row["id"], answer=row["answer"], retrieved=Retrieved(passages)))


def is_right(row: Row, graded: Graded) -> bool:
    if graded.bucket not in row["buckets"]:
        return False
    extra = sum(not (claim.citations and claim.supported) for claim in graded.findings.claims)
    wanted = row.get("extra_claims")
    return wanted is None or (extra >= wanted if wanted else extra == 0)


def shown(row: Row, graded: Graded) -> str:
    claims = [f"    {claim.by_retrieved}: {claim.text!r} {claim.citations}" for claim in graded.findings.claims]
    found = f"{graded.bucket} ({graded.reason}, {graded.findings.refusal})"
    return "\n".join([f"{row['id']} {found}, not {row['buckets']}: {row['answer']!r}", *claims])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path, default=[DATA / name for name in FILES])
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    parser.add_argument("--show", action="store_true", help="print the rows that are not right, but for those held out")
    options = parser.parse_args()
    grader = FindingsGrader(JUDGES[options.grader]())
    print(f"grader {grader.name}\n\n| file | kind | split | tried | right |\n|---|---|---|---|---|")
    for path in options.files:
        rows = rows_of(path)
        graded = list(zip(rows, grader.read([item_of(row) for row in rows]), strict=True))
        tried = Counter((row["kind"], row["split"]) for row in rows)
        right = Counter((row["kind"], row["split"]) for row, one in graded if is_right(row, one))
        for kind, split in sorted(tried):
            print(f"| {path.name} | {kind} | {split} | {tried[kind, split]} | {right[kind, split]} |")
        for row, one in graded if options.show else ():
            if row["split"] != "held-out" and not is_right(row, one):
                print(shown(row, one))


if __name__ == "__main__":
    main()
