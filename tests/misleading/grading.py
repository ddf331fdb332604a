"""Answers that a grader is easily misled by, each with the verdict it should get.

    python -m tests.misleading.grading [--show]

prints, for each kind of answer, how many of all cases the local grader gets right. The tests grade those that are not
`extended`. A case with `known_failure` is graded wrongly today, for that reason. `want` says what must be found:

- `buckets`: the bucket is one of these; "none" if the answer must stay ungraded, with `ungraded_reason`
- `reasons`: so is its reason, and `flag` is among the flags behind it
- `refusal`, `quality`, `uncited`: whether the answer refuses, how well, and how many claims lack a citation
- `claims`, `citations_of`: the number of claims, and what the claim with certain words cites
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import FindingsGrader, Graded
from surefoot.graders.local import LocalJudge

Case = dict[str, Any]
FILE = Path(__file__).parent / "grading.jsonl"
CASES: list[Case] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
KINDS = tuple(dict.fromkeys(case["kind"] for case in CASES))


def item_of(case: Case) -> Item:
    asked = case["question"]
    gold_ids, gold_claims = tuple(asked.get("gold_ids", ())), tuple(asked.get("gold_claims", ()))
    question = Question(case["id"], asked["text"], asked["expects"], gold_ids=gold_ids, gold_claims=gold_claims)
    passages = Retrieved(Passage(one["id"], one["text"], one.get("doc", "")) for one in case["passages"])
    return Item(question, Trace(question.id, answer=case["answer"], retrieved=passages))


def graded(cases: Sequence[Case]) -> dict[str, str]:
    """What is wrong with the verdict on each case, by id; "" if nothing is."""
    found = FindingsGrader(LocalJudge()).read([item_of(case) for case in cases])
    return {case["id"]: "; ".join(_faults(case["want"], one)) for case, one in zip(cases, found, strict=True)}


def _faults(want: dict[str, Any], found: Graded) -> Iterator[str]:
    verdicts = {verdict.axis: verdict for verdict in found.verdicts}
    reason, *flags = verdicts["factuality"].reason.split(", ")
    reason, bucket = reason.partition(":")[0], found.bucket or "none"
    if bucket not in want["buckets"] or reason not in want.get("reasons", [reason]):
        yield f"{bucket}/{reason}, not {'|'.join(want['buckets'])}/{'|'.join(want.get('reasons', ['any']))}"
    given = {
        "refusal": found.findings.refusal,
        "quality": verdicts["refusal_quality"].value if "refusal_quality" in verdicts else None,
        "uncited": verdicts["extra_claim_count"].value if "extra_claim_count" in verdicts else None,
        "claims": len(found.findings.claims),
        "ungraded_reason": reason,
    }
    for name, value in given.items():
        if name in want and value != want[name]:
            yield f"{name} {value}, not {want[name]}"
    if "flag" in want and want["flag"] not in flags:
        yield f"no flag {want['flag']}"
    for words, ids in want.get("citations_of", {}).items():
        cited = [set(claim.citations) for claim in found.findings.claims if words.lower() in claim.text.lower()]
        if cited[:1] != [set(ids)]:
            yield f"the claim with {words!r} cites {cited}, not {ids}"


def main() -> None:
    faults = graded(CASES)
    click.echo("| kind | right |\n|---|---|")
    for kind in KINDS:
        cases = [case for case in CASES if case["kind"] == kind]
        click.echo(f"| {kind} | {sum(not faults[case['id']] for case in cases)} of {len(cases)} |")
    click.echo(f"| all | {sum(not fault for fault in faults.values())} of {len(CASES)} |")
    if "--show" in sys.argv:
        click.echo("\n".join(["", *(f"{name}: {fault}" for name, fault in faults.items() if fault)]))


if __name__ == "__main__":
    main()
