"""How well `refusal_quality` tells good refusals from poor ones.

    python benchmarks/quality_refusals.py [--show]

`benchmarks/data/quality/refusal_quality.jsonl` holds 220 refusals over all four levels and many styles, each with its
level and what it has, written by a language model that saw neither the code nor its output. The rules were worked on
with the development half in sight; of the held-out half only totals were looked at. Every row is a refusal, so each is
given a level here; the last line says how many of them the grader as a whole takes for one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.refusals import Quality, refusal_quality
from surefoot.graders.rules import Rules

DATA = Path(__file__).parent / "data" / "quality" / "refusal_quality.jsonl"
LEVELS = range(4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--show", action="store_true", help="list the development rows that are read otherwise")
    show = parser.parse_args().show
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for split in ("development", "held-out"):
        part = [row for row in rows if row["split"] == split]
        found = [refusal_quality(item_of(row)) for row in part]
        _print(split, part, found)
        if show and split == "development":
            _show(part, found)


def item_of(row: dict[str, Any]) -> Item:
    passages = Retrieved(Passage(one["id"], one["text"], one["doc"]) for one in row["passages"])
    question = Question(row["id"], row["question"], row["expects"])
    return Item(question, Trace(question_id=row["id"], answer=row["answer"], retrieved=passages))


def _print(split: str, rows: list[dict[str, Any]], found: list[Quality]) -> None:
    count = Counter((row["level"], one.level) for row, one in zip(rows, found, strict=True))
    right = sum(count[level, level] for level in LEVELS)
    print(
        f"\n### {split}: {right} of {len(rows)} as labelled ({right / len(rows):.1%}), weighted kappa {_kappa(count)}\n"
    )
    print("| level | " + " | ".join(f"graded {level}" for level in LEVELS) + " |")
    print("|---" * (len(LEVELS) + 1) + "|")
    for level in LEVELS:
        print(f"| {level} | " + " | ".join(str(count[level, other]) for other in LEVELS) + " |")
    graded = [one.verdicts for one in FindingsGrader(Rules()).read([item_of(row) for row in rows])]
    given = [any(verdict.axis == "refusal_quality" for verdict in verdicts) for verdicts in graded]
    kept = Counter((row["level"], one.level) for row, one, is_given in zip(rows, found, given, strict=True) if is_given)
    print(f"\ntaken for refusals by the grader `rules`: {sum(given)} of {len(rows)}, kappa on those {_kappa(kept)}")


def _kappa(count: Counter[tuple[int, int]]) -> str:
    if len({level for pair in count for level in pair}) < 2:
        return "unknown: one level only"
    if all(level == other for level, other in count):
        return "1.00 (without a disagreement there is no interval)"
    found = cohens_kappa(np.array([[count[level, other] for other in LEVELS] for level in LEVELS]), wt="fc")
    return f"{found.kappa:.2f} ({found.kappa_low:.2f} to {found.kappa_upp:.2f})"


def _show(rows: list[dict[str, Any]], found: list[Quality]) -> None:
    for row, one in zip(rows, found, strict=True):
        if row["level"] != one.level:
            print(f"\n{row['id']} is {row['level']} ({', '.join(row['has'])}), graded {one.level}: {one.reason}")
            print(f"  question: {row['question']}\n  answer: {row['answer']}")
            print("".join(f"  rests on: {evidence.claim}\n" for evidence in one.evidence), end="")


if __name__ == "__main__":
    main()
