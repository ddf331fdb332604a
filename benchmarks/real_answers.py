"""How the local grader reads answers that a language model wrote over public questions, against labels.

    python benchmarks/real_answers.py --data FOLDER [--half development]

FOLDER has answers.jsonl.gz, which is not part of this repository. The labels are, by the line of that file, counted
from 0, with the start of the answer's SHA-256: a line that has another answer by now is left out, and counted.

`real_read.jsonl` has 400 answers of all sources and prompts, read whole by two AI annotators and a third where they
differed, as `real_read.md` says: the benchmark that counts. No document is in both halves, and the sealed one is for
the end.
`real_buckets.jsonl` has the `bucket` of 150 answers, with its reason and in `also` others that can be defended; "none"
stands for an answer that says nothing. `real_refusals.jsonl` has 472 other answers, most of them with a word that
refusals have: whether each is refused, partial or answered, whether it `sounds_like_refusal`, and whether the annotator
was `sure`. The rules were written with the `development` half in sight and without the `held-out` one.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from surefoot.core.table import ACCEPTABLE
from surefoot.core.types import Expects, Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import FindingsGrader, Graded
from surefoot.graders.local import LocalJudge

READ, BUCKETS, REFUSALS = (Path(__file__).parent / f"real_{name}.jsonl" for name in ("read", "buckets", "refusals"))
VALUES = ("correct", "wrong", "unsupported", "refused", "none")
KINDS = ("refusals", "answers that sound like one", "plain answers", "partial answers")
Label = dict[str, Any]


def labelled(labels: Path, folder: Path) -> Iterator[tuple[Label, Label, Item]]:
    """Each label with its line of answers.jsonl.gz and the item in it; not those of answers that have changed."""
    by_row = {label["row"]: label for label in map(json.loads, labels.read_text("utf-8").splitlines())}
    with gzip.open(folder / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if label := by_row.get(number):
                row = json.loads(line)
                if label.get("sha256") in (None, fingerprint(row)):
                    yield label, row, item_of(number, row)


def fingerprint(row: Label) -> str:
    return hashlib.sha256(row["answer"].encode()).hexdigest()[:12]


def item_of(number: int, row: Label) -> Item:
    passages = Retrieved(Passage(one["id"], one["text"]) for one in row["passages"])
    expects: Expects = "answer" if row["answerable"] else "refusal"
    ids, claims = (row["gold_ids"], row["gold_answer"]) if row["answerable"] else ((), ())
    question = Question(str(number), row["question"], expects, gold_ids=tuple(ids), gold_claims=tuple(claims))
    return Item(question, Trace(question.id, answer=row["answer"], retrieved=passages))


def half_of(label: Label) -> str:
    return "held-out" if hashlib.sha256(str(label["row"]).encode()).digest()[0] % 2 else "development"


def kind_of(label: Label) -> str | None:
    if label["label"] == "answered":
        return KINDS[1] if label["sounds_like_refusal"] else KINDS[2]
    return {"refused": KINDS[0], "partial": KINDS[3]}.get(label["label"])


def share(right: Iterable[bool]) -> str:
    found = list(right)
    return f"{sum(found)} of {len(found)} ({sum(found) / len(found):.0%})" if found else "-"


def print_read(labels: Sequence[Label], items: Sequence[Item]) -> None:
    """Whether answers are acceptable: with and without gold, all of them and those of which the grader is sure."""
    print("\n## Read whole: acceptable or not\n")
    print("| citations | gold | half | all | sure | bucket | wrong: precision, recall |")
    print("|---|---|---|---|---|---|---|")
    misread = Counter[tuple[str, ...]]()
    for citations, told in (("required", "bucket"), ("optional", "optional")):
        grader = FindingsGrader(LocalJudge(), citations="required" if told == "bucket" else "optional")
        for gold in (True, False):
            asked = items if gold else [without_gold(item) for item in items]
            graded = list(zip(labels, grader.read(asked), strict=True))
            for half in sorted({label["half"] for label in labels}):
                mine = [(label, one) for label, one in graded if label["half"] == half]
                right = [(one.bucket in ACCEPTABLE) == (label[told] in ACCEPTABLE) for label, one in mine]
                sure = [is_right for is_right, (_, one) in zip(right, mine, strict=True) if not one.verdicts[0].unsure]
                same = share((one.bucket or "none") == label[told] for label, one in mine)
                said = [label[told] == "wrong" for label, one in mine if one.bucket == "wrong"]
                there = [one.bucket == "wrong" for label, one in mine if label[told] == "wrong"]
                cells = (citations, "told" if gold else "not told", half, share(right), share(sure), same)
                print(f"| {' | '.join(cells)} | {share(said)}, {share(there)} |")
                misread.update((citations, str(gold), half, label[told], one.bucket or "none") for label, one in mine)
    print("\n| citations | gold | half | labelled | graded | answers |\n|---|---|---|---|---|---|")
    for key, count in sorted(misread.items()):
        if key[3] != key[4]:
            print(f"| {' | '.join(key)} | {count} |")


def without_gold(item: Item) -> Item:
    return replace(item, question=replace(item.question, expects="answer", gold_ids=(), gold_claims=()))


def print_buckets(labels: Sequence[Label], graded: Sequence[Graded]) -> None:
    pairs: list[tuple[Label, str]] = [(label, one.bucket or "none") for label, one in zip(labels, graded, strict=True)]
    print("\n## Buckets\n\n| | all | development | held-out |\n|---|---|---|---|")
    measures: dict[str, Callable[[Label, str], bool]] = {
        "bucket as labelled": lambda label, found: found == label["bucket"],
        "or another that can be defended": lambda label, found: found in (label["bucket"], *label["also"]),
        "acceptable or not": lambda label, found: (found in ACCEPTABLE) == (label["bucket"] in ACCEPTABLE),
    }
    for name, is_right in measures.items():
        cells = [
            share(is_right(label, found) for label, found in pairs if half in ("all", half_of(label)))
            for half in ("all", "development", "held-out")
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    count = Counter((label["bucket"], found) for label, found in pairs)
    print(f"\n| labelled | {' | '.join(f'graded {value}' for value in VALUES)} |\n|{'---|' * (len(VALUES) + 1)}")
    for value in VALUES:
        print(f"| {value} | {' | '.join(str(count[value, found]) for found in VALUES)} |")


def print_refusals(labels: Sequence[Label], graded: Sequence[Graded]) -> None:
    pairs = [(label, one.findings.refusal == "refused") for label, one in zip(labels, graded, strict=True)]
    print("\n## Refused or not\n\n| | all | development | held-out | sure | sure, development | sure, held-out |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        cells = [
            share(
                is_refused == (kind == KINDS[0])
                for label, is_refused in pairs
                if kind_of(label) == kind and label["sure"] >= sure and half in ("all", half_of(label))
            )
            for sure in (False, True)
            for half in ("all", "development", "held-out")
        ]
        print(f"| {kind} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="the folder with answers.jsonl.gz")
    parser.add_argument("--half", choices=("development", "sealed"), help="of the answers read whole; without it, both")
    given, grader = parser.parse_args(), FindingsGrader(LocalJudge())
    folder = given.data
    print(f"grader {grader.name}")
    read = [(label, item) for label, _, item in labelled(READ, folder) if given.half in (None, label["half"])]
    print_read([label for label, _ in read], [item for _, item in read])
    if given.half:
        return
    for path, show in ((BUCKETS, print_buckets), (REFUSALS, print_refusals)):
        found = list(labelled(path, folder))
        left_out = len(path.read_text("utf-8").splitlines()) - len(found)
        if left_out:
            print(f"{path.name}: {left_out} left out, since their answers have changed")
        show([label for label, _, _ in found], list(grader.read([item for _, _, item in found])))


if __name__ == "__main__":
    main()
