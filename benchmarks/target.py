"""Answers without gold: how many right ones are called off target, and how many that answer another question are not.

    python benchmarks/target.py [--data FOLDER] [--limit 60] [--grader local|rules]

Right answers are those of `grading.py` and `quality_answers.py`, and with FOLDER those of `filings.py`, stripped of all
that tells the answer. Answers to another question are right ones, put under a question on the same documents.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

import filings
import grading
import quality_answers
from surefoot.core.types import Item, Question
from surefoot.graders.grader import JUDGES, FindingsGrader
from surefoot.jobs.grade import DEFAULT


def right_ones(data: Path | None) -> Iterator[tuple[str, list[Item]]]:
    yield (
        "demo",
        [item for row, item in zip(*grading.load(), strict=True) if row["expected"]["factuality"] == "correct"],
    )
    yield (
        "free words",
        [
            quality_answers.item_of(row)
            for row in quality_answers.rows_of(quality_answers.DATA / "free.jsonl")
            if row["buckets"] == ["correct"]
        ],
    )
    if data:
        yield "filings", [quality_answers.item_of(row) for row in filings.load(data) if row["buckets"] == ["correct"]]


def under(question: str, item: Item, number: int) -> Item:
    """The answer as if nothing but the question were known."""
    qid = str(number)
    return Item(Question(qid, question, "answer"), replace(item.trace, question_id=qid))


def exchanged(items: list[Item], rng: random.Random) -> Iterator[tuple[str, Item]]:
    """Each answer under another question to which the same passages were retrieved."""
    for item in items:
        known = {passage.id for passage in item.trace.sources}
        others = sorted(
            {
                other.question.text
                for other in items
                if other.question.text != item.question.text and known & {one.id for one in other.trace.sources}
            }
        )
        if others:
            yield rng.choice(others), item


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="folder with corpora/edgar.jsonl.gz")
    parser.add_argument("--limit", type=int, default=0, help="answers of a set, 0 for all")
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    given = parser.parse_args()
    grader, rng = FindingsGrader(JUDGES[given.grader]()), random.Random(0)
    print("| answers | their own question: right claims | off target | another question: right claims | off target |")
    print("|---|---|---|---|---|")
    for name, items in right_ones(given.data):
        chosen = rng.sample(items, given.limit) if 0 < given.limit < len(items) else items
        own = [(item.question.text, item) for item in chosen]
        cells = []
        for pairs in (own, list(exchanged(chosen, rng))):
            read = grader.read([under(question, item, number) for number, (question, item) in enumerate(pairs)])
            open_ones = [one for one in read if one.reason in ("correct", "off_target")]
            cells += [len(open_ones), sum(one.reason == "off_target" for one in open_ones)]
        print(f"| {name} | " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
