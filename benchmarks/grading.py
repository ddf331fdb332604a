"""Agreement of a grader with buckets that two authors assigned before any grader saw the answers.

    python benchmarks/grading.py

`benchmarks/data/answers.jsonl` holds 240 answers to the demo questions by two authors, each with the bucket, reason and
axes a careful reader gives it; `answers-more.jsonl` 120 by a third, worded as freely as language models word them. The
graders were worked on with the development half and the free answers in sight; of the held-out half only totals were
looked at. The authors are language models that saw neither the code nor its output.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from surefoot.core.table import BUCKETS
from surefoot.core.types import Item, Retrieved, Trace
from surefoot.datasets import demo
from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.jobs.grade import DEFAULT

DATA = Path(__file__).parent / "data"
AXES = ("refusal", "reason", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
COLUMNS = (*BUCKETS, None)


def load() -> tuple[list[dict[str, Any]], list[Item]]:
    passages = {passage.id: passage for passage in demo.corpus()}
    questions = {question.id: question for question in demo.questions()}
    rows = _read("answers.jsonl") + [{**row, "split": "free wording"} for row in _read("answers-more.jsonl")]
    items = []
    for row in rows:
        cited = row.get("citations")
        trace = Trace(
            question_id=row["qid"],
            answer=row["answer"],
            retrieved=Retrieved(passages[i] for i in row["retrieved"]),
            citations=None if cited is None else tuple(cited),
        )
        items.append(Item(questions[row["qid"]], trace))
    return rows, items


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def print_split(name: str, rows: list[dict[str, Any]]) -> None:
    count = Counter((row["expected"]["factuality"], row["found"]["factuality"]) for row in rows)
    right = sum(n for (expected, found), n in count.items() if expected == found)
    print(f"\n### {name}: {right} of {len(rows)} buckets as expected ({right / len(rows):.1%})\n")
    print("| expected | " + " | ".join(f"graded {bucket or 'none'}" for bucket in COLUMNS) + " | agreement |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for expected in COLUMNS:
        cells = [count[expected, found] for found in COLUMNS]
        share = count[expected, expected] / (sum(cells) or 1)
        print(f"| {expected or 'none'} | " + " | ".join(map(str, cells)) + f" | {share:.0%} |")
    agreed = {axis: sum(row["expected"].get(axis) == row["found"][axis] for row in rows) for axis in AXES}
    print("\n" + ", ".join(f"{axis} {n / len(rows):.0%}" for axis, n in agreed.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    rows, items = load()
    grader = FindingsGrader(JUDGES[parser.parse_args().grader]())
    start = time.perf_counter()
    graded = grader.read(items)
    seconds = time.perf_counter() - start
    for row, one in zip(rows, graded, strict=True):
        row["found"] = one.row
        if row["expected"]["factuality"] is None:
            row["expected"]["refusal"] = None  # an empty answer neither answers nor refuses
    print(f"grader {grader.name}: {len(rows)} answers in {seconds:.1f} s")
    for split in ("development", "free wording", "held-out"):
        print_split(split, [row for row in rows if row["split"] == split])


if __name__ == "__main__":
    main()
