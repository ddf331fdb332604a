"""From which confidence on a verdict is sure, so that at most one in twenty sure ones is wrong.

    python benchmarks/sure.py [--grader local|rules] [--acceptable] [--labels FILE --data FOLDER]

On the labelled answers of grading.py and the free ones of quality_answers.py. With `--labels`, also on answers that a
small language model wrote over public questions: FILE has their buckets by the line number of FOLDER/answers.jsonl.gz
(`row`, `bucket`, and in `also` others that can be defended).

A verdict is wrong if its bucket is; with `--acceptable`, only if it takes an acceptable answer for a bad one or the
other way round. Each reason of the decision table has its own level; at level 1 only verdicts that hang on no reading
are sure, and without a level none is. Levels are chosen so that most verdicts are sure, and at most a given share of
them, the limit, is wrong.

What is fitted looks better than it is. So documents are split into tenths, in three ways: levels are fitted on nine of
them, and the sure verdicts of the tenth are counted. The highest limit is chosen with which at most one in twenty of
those is wrong, or else the one with fewest. The last line is to be copied into SURE_FROM of graders/grader.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import grading
import quality_answers
import real_answers
from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item
from surefoot.graders.grader import JUDGES, FindingsGrader, Graded
from surefoot.jobs.grade import DEFAULT

LEVELS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1.0)
MOST_WRONG, LIMITS = 0.05, (0.05, 0.04, 0.03, 0.02, 0.01)
PRICES, FEWEST = range(1, 100), 5  # right verdicts that a wrong one takes away; that a reason must gain
WAYS, PARTS = 3, 10
HEAD = "| sure | wrong bucket | acceptable or not |\n|---|---|---|---|"


class Labelled(NamedTuple):
    source: str
    document: str
    item: Item
    buckets: tuple[str | None, ...]  # that can be defended, the best first


class Checked(NamedTuple):
    """`confidence` is 1 where nothing hangs on what the judge reads."""

    source: str
    document: str
    reason: str
    confidence: float
    is_in_wrong_bucket: bool
    is_misled: bool
    counts: bool  # as wrong, in the fit


Levels = Mapping[str, float]


def demo_answers() -> Iterator[Labelled]:
    for row, item in zip(*grading.load(), strict=True):
        document = next((name.partition("#")[0] for name in row["retrieved"]), row["qid"])
        yield Labelled("demo questions", document, item, (row["expected"]["factuality"],))


def free_answers() -> Iterator[Labelled]:
    for row in quality_answers.rows_of(quality_answers.DATA / "free.jsonl"):
        document = row["passages"][0].get("doc") or row["question"]
        yield Labelled("free wording", document, quality_answers.item_of(row), tuple(row["buckets"]))


def model_answers(labels: Path, folder: Path) -> Iterator[Labelled]:
    for label, row, item in real_answers.labelled(labels, folder):
        buckets = tuple(None if bucket == "none" else bucket for bucket in (label["bucket"], *label["also"]))
        yield Labelled("a small model", row["group"], item, buckets)


def checked(answer: Labelled, graded: Graded, by_acceptable: bool) -> Checked:
    confidence = graded.verdicts[0].confidence
    wrong = graded.bucket not in answer.buckets
    misled = (graded.bucket in ACCEPTABLE) not in {bucket in ACCEPTABLE for bucket in answer.buckets}
    sure = 1.0 if confidence is None else confidence
    return Checked(
        answer.source, answer.document, graded.reason, sure, wrong, misled, misled if by_acceptable else wrong
    )


def fit(verdicts: Sequence[Checked], limit: float) -> Levels:
    """Of levels that are best if a wrong verdict takes away so many right ones, those with the lowest such price."""
    for price in PRICES:
        levels: dict[str, float] = {}
        for reason in sorted({one.reason for one in verdicts}):
            own = [(one.confidence, -price if one.counts else 1) for one in verdicts if one.reason == reason]
            gains = [sum(worth for confidence, worth in own if confidence >= level) for level in LEVELS]
            if max(gains) >= FEWEST:
                levels[reason] = LEVELS[gains.index(max(gains))]
        sure = sure_by(levels, verdicts)
        if (sum(one.counts for one in sure) + 1) / (len(sure) + 2) <= limit:
            return levels
    return {}


def held_out(verdicts: Sequence[Checked], limit: float) -> list[Checked]:
    """The sure verdicts on documents that the levels were not fitted on, of each way to split them."""
    found: list[Checked] = []
    for way in range(WAYS):
        parts: list[list[Checked]] = [[] for _ in range(PARTS)]
        for one in verdicts:
            parts[int(hashlib.sha256(f"{way} {one.document}".encode()).hexdigest(), 16) % PARTS].append(one)
        for number, part in enumerate(parts):
            others = [one for place, other in enumerate(parts) if place != number for one in other]
            found += sure_by(fit(others, limit), part)
    return found


def sure_by(levels: Levels, verdicts: Sequence[Checked]) -> list[Checked]:
    return [one for one in verdicts if one.confidence >= levels.get(one.reason, 2)]


def print_row(name: str, verdicts: Sequence[Checked], sure: Sequence[Checked]) -> None:
    wrong, misled = sum(one.is_in_wrong_bucket for one in sure), sum(one.is_misled for one in sure)
    shares = [f"{count} ({count / max(1, len(sure)):.1%})" for count in (wrong, misled)]
    print(f"| {name} | {len(sure)} of {len(verdicts)} | {' | '.join(shares)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--grader", choices=list(JUDGES), default=DEFAULT)
    parser.add_argument("--acceptable", action="store_true", help="fit to acceptable or not, rather than to buckets")
    parser.add_argument("--labels", type=Path, help="buckets of rows of answers.jsonl.gz")
    parser.add_argument("--data", type=Path, help="the folder with answers.jsonl.gz")
    given = parser.parse_args()
    answers = [*demo_answers(), *free_answers()]
    answers += model_answers(given.labels, given.data) if given.labels and given.data else ()
    grader = FindingsGrader(JUDGES[given.grader]())
    graded = zip(answers, grader.read([one.item for one in answers]), strict=True)
    found = [checked(one, verdict, given.acceptable) for one, verdict in graded if verdict.bucket is not None]
    reasons = [reason for reason, _ in Counter(one.reason for one in found).most_common()]
    print(f"grader {grader.name}\n\n| from {HEAD}")
    for level in LEVELS:
        print_row(f"{level:g}", found, sure_by(dict.fromkeys(reasons, level), found))
    print(f"\n| hangs on no reading {HEAD}")
    for reason in reasons:
        print_row(reason, [one for one in found if one.reason == reason], sure_by({reason: 1}, found))
    print(f"\n| on other documents than it was fitted on, limit {HEAD}")
    unseen = {limit: held_out(found, limit) for limit in LIMITS}
    for limit, sure in unseen.items():
        print_row(f"{limit:.0%}", [*found] * WAYS, sure)
    shares = {limit: sum(one.counts for one in sure) / len(sure) for limit, sure in unseen.items() if sure}
    good = [limit for limit, share in shares.items() if share <= MOST_WRONG]
    chosen = good[0] if good else min(shares, key=shares.__getitem__)
    for source in dict.fromkeys(one.source for one in found):
        of_source = [[one for one in some if one.source == source] for some in ([*found] * WAYS, unseen[chosen])]
        print_row(f"{chosen:.0%}, {source}", *of_source)
    print_row(f"{chosen:.0%}, fitted on all and counted on the same", found, sure_by(fit(found, chosen), found))
    print(f'\n"{given.grader}": {json.dumps(fit(found, chosen))}')


if __name__ == "__main__":
    main()
