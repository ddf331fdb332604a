"""What `questions check` finds in damaged questions, and in sound ones: python benchmarks/check.py [--every N]

Takes the demo's questions (every Nth) and damages them one kind at a time: gold claims and gold ids become those of
another question, answerable ones are called unanswerable, unanswerable ones answerable with the nearest passage as
gold, and some are asked twice in other words. A damage is found if a finding of a kind that fits is at least 50 % sure.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from surefoot.build.reading import Reader, duplicates_of
from surefoot.core.types import Question
from surefoot.datasets import demo
from surefoot.datasets.hygiene import Finding
from surefoot.pipelines.retriever import Retriever

REWORDED = Path(__file__).parent / "data" / "reworded.json"
GOLD = {"gold_unsupported", "gold_contradicted", "gold_not_answering", "other_document"}
CORPUS = demo.corpus()
DOCUMENT = {passage.id: passage.doc for passage in CORPUS}


def other(questions: Sequence[Question], question: Question) -> Question:
    """The next one about another passage, of the same document if there is one: a slip that is easily made."""
    start = questions.index(question)
    following = [*questions[start + 1 :], *questions[:start]]
    apart = [one for one in following if one.answerable and not set(one.gold_ids) & set(question.gold_ids)]
    near = [one for one in apart if DOCUMENT[one.gold_ids[0]] == DOCUMENT[question.gold_ids[0]]]
    return (near or apart)[0]


def sure(found: Iterable[Finding], kinds: set[str]) -> set[str]:
    return {one.kind for one in found if one.confidence >= 0.5} & kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the first of these; 0 by default")
    parser.add_argument("--only", default="", help="damages with these words in their name")
    parser.add_argument("--json", type=Path, help="a file for all findings")
    options = parser.parse_args()
    every = demo.questions()
    chosen = [one for one in every if one.retrieval == "normal"][options.start :: options.every]
    answerable, others = [one for one in chosen if one.answerable], [one for one in chosen if not one.answerable]
    reader, retriever, record = Reader(CORPUS), Retriever(CORPUS), list[dict[str, Any]]()

    def nearest(question: Question) -> tuple[str, ...]:
        return tuple(passage.id for passage, _ in retriever.search(question.text, 1))

    def row(name: str, questions: Sequence[Question], damage: Callable[[Question], Question], kinds: set[str]) -> None:
        if options.only not in name:
            return
        found = []
        for question in questions:
            found.append(list(reader.findings(damage(question))))
            record.append({"damage": name, "qid": question.id, "findings": [asdict(one) for one in found[-1]]})
            if options.json:
                options.json.write_text(json.dumps(record, indent=1), encoding="utf-8")
        hits = [sure(some, kinds) for some in found]
        by_kind = ", ".join(f"{kind} {count}" for kind, count in Counter(kind for hit in hits for kind in hit).items())
        share = sum(map(bool, hits)) / max(1, len(hits))
        print(f"| {name} | {len(hits)} | {sum(map(bool, hits))} | {share:.0%} | {by_kind} |", flush=True)

    print("| damage | questions | found | share | kinds |\n|---|---|---|---|---|")
    row("none, called answerable", answerable, lambda one: one, GOLD)
    row("none, called unanswerable", others, lambda one: one, {"answered"})
    row("claim of another", answerable, lambda one: replace(one, gold_claims=other(answerable, one).gold_claims), GOLD)
    row("gold id of another", answerable, lambda one: replace(one, gold_ids=other(answerable, one).gold_ids), GOLD)
    row("claim and id of another", answerable,
        lambda one: replace(other(answerable, one), id=one.id, text=one.text), GOLD)  # fmt: skip
    row("called unanswerable", answerable, lambda one: replace(one, expects="refusal", gold_ids=()), {"answered"})
    row("called answerable", others, lambda one: replace(one, expects="answer", gold_ids=nearest(one)), GOLD)
    again = json.loads(REWORDED.read_text(encoding="utf-8"))
    twice = [replace(one, id=f"{one.id}-again", text=again[one.id]) for one in every if one.id in again]
    hits = {one.qid for one in duplicates_of([*every, *twice]) if one.confidence >= 0.5}
    print(f"| none, duplicates | {len(every)} | {sum(1 for _ in duplicates_of(every))} | | duplicate |")
    print(f"| asked twice | {len(twice)} | {len(hits)} | {len(hits) / len(twice):.0%} | duplicate |")


if __name__ == "__main__":
    main()
