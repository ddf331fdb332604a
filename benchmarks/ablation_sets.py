"""The decisions on which every check of the grader is weighed: an item or a pair, and when it is read rightly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.misleading.grading import CASES, _faults, item_of

import filings
import grader_edits
import grading
import quality_answers
import real_answers
import tables
from grader_sources import pair_of
from heldout import Row, by_source, held_out, rows_of, sample
from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Item
from surefoot.graders.gold import agreement
from surefoot.graders.grader import FindingsGrader
from surefoot.graders.judges import Judge, Pair
from surefoot.text.claims import claims_of

Decision = Callable[[Judge], str]  # what was decided, shown by its value
Case = tuple[str, Decision, Callable[[str], bool]]  # its name, how it is decided, whether that is right


def _of_item(name: str, item: Item, is_right: Callable[[str], bool]) -> Case:
    def decide(judge: Judge) -> str:
        return str(FindingsGrader(judge).read([item])[0].bucket)

    return name, decide, is_right


def _of_pair(name: str, pair: Pair, supported: bool) -> Case:
    def decide(judge: Judge) -> str:
        return str(judge.judge([pair])[0].support == "supported")

    return name, decide, lambda found: found == str(supported)


def _misleading() -> Iterator[Case]:
    for case in CASES:

        def decide(judge: Judge, case: Row = case) -> str:
            return "; ".join(_faults(case["want"], FindingsGrader(judge).read([item_of(case)])[0]))

        yield case["id"], decide, lambda found: not found


def _of_gold(data: Path, limit: int) -> Iterator[Case]:
    rows = [row for row in rows_of(data / "correctness.jsonl.gz") if held_out(row) and row["gold_answer"]]
    for part in by_source(rows).values():
        for row in sample(part, limit, lambda row: row["label"]):

            def decide(_: Judge, row: Row = row) -> str:
                claims = claims_of(row["answer"], (), (), None, (), row["question"]).claims
                gold = row["gold_answer"]
                golds = tuple(gold) if isinstance(gold, list) else (gold,)
                return agreement(row["question"], golds, row["answer"], claims)

            yield (
                row["id"],
                decide,
                _among(["agrees"] if row["label"] == "correct" else ["silent", "conflicts", "none"]),
            )


def _among(wanted: Sequence[str]) -> Callable[[str], bool]:
    return lambda found: found in wanted


def _alike(wanted: str) -> Callable[[str], bool]:
    return lambda found: (found in ACCEPTABLE) == (wanted in ACCEPTABLE)


def sets_of(data: Path, share: float) -> dict[str, list[Case]]:
    def part(count: int) -> int:
        return max(1, round(share * count))

    found: dict[str, list[Case]] = {}
    qa = list(rows_of(data / "qa.jsonl.gz"))
    for name, with_gold in (("tables", False), ("tables, gold told", True)):
        found[name] = [
            _of_item(f"{number}", case.item, case.is_right)
            for number, case in enumerate(tables.cases(qa, part(200), with_gold))
        ]
    found["misleading"] = list(_misleading())
    for file in quality_answers.FILES:
        rows = sample(quality_answers.rows_of(quality_answers.DATA / file), part(240), lambda row: row["kind"])
        found[file.removesuffix(".jsonl")] = [
            _of_item(row["id"], quality_answers.item_of(row), _among(row["buckets"])) for row in rows
        ]
    found["edits"] = [
        _of_pair(row["id"], Pair(row["passage"], row["text"]), row["label"] == "supported")
        for row in sample(grader_edits.load(), part(600), lambda row: row["kind"])
    ]
    rows = [row for row in rows_of(data / "support.jsonl.gz") if held_out(row)]
    found["support"] = [
        _of_pair(row["id"], pair_of(row), row["label"] == "supported")
        for source in by_source(rows).values()
        for row in sample(source, part(60), lambda row: row["label"])
    ]
    found["demo answers"] = [
        _of_item(str(place), item, _among([str(row["expected"]["factuality"])]))
        for place, (row, item) in enumerate(zip(*grading.load(), strict=True))
        if place % max(1, round(1 / share)) == 0
    ]
    found["real answers"] = [
        _of_item(
            str(label["row"]),
            item,
            _alike(label["bucket"]),
        )
        for label, _, item in real_answers.labelled(real_answers.BUCKETS, data)
    ]
    found["filings"] = [
        _of_item(row["id"], quality_answers.item_of(row), _among(row["buckets"]))
        for row in sample(filings.load(data), part(150), lambda row: row["buckets"])
    ]
    found["correctness"] = list(_of_gold(data, part(400)))
    return found
