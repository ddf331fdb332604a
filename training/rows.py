"""Everything the model learns from, in one file of rows: labelled data, made pairs and pairs written by hand.

`python -m training.rows DATA OUT.jsonl.gz [labelled asked made written stated]`

A row has `a` (claim or question), `b` (passage), `label` (supported, contradicted, not_enough, unsupported,
or 0/1 for the answers head), `weight`, `source`, `group` and `part`; an answered question may have `said`, the words of
the passage that answer it.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from surefoot.text.normal import digest, pieces_of
from training.files import Row, read_all, write_all
from training.made.corpora import read_corpora
from training.made.maker import made_rows, some_of_each
from training.questions.from_qa import answers_rows, support_rows
from training.split import part_of
from training.stated.passages import stated_rows

WORDS = 165  # about 256 tokens with the claim
WRITTEN = Path(__file__).parent / "data"
WEIGHTS = {
    "contractnli": 2.0, "docnli_mnli": 0.7, "docnli_fever": 0.8, "vitaminc": 1.0, "written": 3.0, "made": 0.8,
    "stated": 0.6,
}  # fmt: skip
MADE = 60_000
STATED = 13_000  # passages
TRAINING = {"labelled": 0.7, "asked": 0.3, "made": 0.7}  # the share that trains, where it is not all that may
PASSAGES = 3_500  # of one source at most, so that no kind of text drowns the others
FEWER_PASSAGES = {"vitaminc": 1_900, "docnli_fever": 1_900, "fm2": 1_500}  # encyclopedic text is easy
# How much more a supported claim counts in sources that have few, so that free wording is no sign of a false one.
SUPPORTED = {"docnli_fever": 1.6, "docnli_mnli": 1.6, "factcheckbench": 2.0, "summedits": 1.8, "wice": 1.8}
NAMED_BY_PAGE = ("vitc", "fm2", "squad")  # groups of these sources are named after their page
BESIDE = 0.4  # the share of written pairs that are seen among other text too
LETTERS = {"s": "supported", "c": "contradicted", "n": "not_enough"}


def labelled(data: Path, rng: random.Random) -> Iterator[Row]:
    for row in read_all(data / "support.jsonl.gz"):
        if row["use"] == "train" and row["source"] == "contractnli":
            yield from _contract(row, rng)
        else:
            context = _under_title(digest(row["context"], row["claim"], WORDS), row["group"], rng)
            yield _row(row["claim"], context, row["label"], row["source"], row["group"], use=row["use"])


def _under_title(context: str, group: str, rng: random.Random) -> str:
    """Half of the passages whose page has a name stand under it, as the product gives them to the model."""
    kind, _, name = group.partition("-")
    if kind not in NAMED_BY_PAGE or rng.random() < 0.5:
        return context
    title = name.replace("_", " ")
    return f"{title}\n{context.removeprefix(f'{title}: ')}"


def _contract(row: Row, rng: random.Random) -> Iterator[Row]:
    """The digest of the document, the evidence in its surroundings, and near clauses that do not decide."""
    claim, label, group = row["claim"], row["label"], row["group"]
    whole = digest(row["context"], claim, WORDS)
    pieces = pieces_of(row["context"])
    evidence = {" ".join(text.split()) for text in row["evidence"]}
    deciding = [i for i, piece in enumerate(pieces) if any(piece in text or text in piece for text in evidence)]
    yield _row(claim, whole, label if _has(whole, row, evidence) else "not_enough", "contractnli", group)
    for place in deciding[:3]:
        for _ in range(1 + 2 * (label == "contradicted")):  # few contracts contradict: see each in several windows
            start = max(0, place - rng.randint(0, 4))
            window = _cut(" ".join(pieces[start : place + 1 + rng.randint(0, 4)]))
            yield _row(claim, window, label, "contractnli", group)
    rest = " ".join(piece for i, piece in enumerate(pieces) if i not in deciding)
    if not deciding or rng.random() < 0.5:
        yield _row(claim, digest(rest, claim, rng.choice((60, WORDS))), "not_enough", "contractnli", group)


def _has(window: str, row: Row, evidence: set[str]) -> bool:
    """Whether a digest still holds what the people who labelled the document pointed at."""
    flat = " ".join(window.split())
    return row["label"] == "not_enough" or any(text[:80] in flat for text in evidence)


def _cut(text: str) -> str:
    return " ".join(text.split()[:WORDS])


def written(_: Path, rng: random.Random) -> Iterator[Row]:
    """Pairs our authors wrote; they train and fit, and none is held out, so they are in no figure."""
    for path in _written_files():
        items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for number, item in enumerate(items):
            group = f"{path.stem}-{number}"
            part = "fit" if part_of(group) == "fit" else "train"
            for text, label in _written_pairs(item):
                yield _row(text, item["passage"], label, "written", group, part)
                beside = rng.choice(items)
                if part == "train" and beside is not item and rng.random() < BESIDE:
                    yield _row(text, _beside(item["passage"], beside["passage"], rng), label, "written", group, part)


def _written_pairs(item: Row) -> Iterator[tuple[str, str | int]]:
    yield from ((claim, LETTERS[letter]) for letter, claim in item["claims"])
    yield from ((question, int(letter == "y")) for letter, question in item["questions"])


def _beside(passage: str, other: str, rng: random.Random, size: int = WORDS) -> str:
    """A window of a document holds more than what a claim is about: some of another text before or after it."""
    room = max(0, size - len(passage.split()))
    words = other.split()
    before = rng.random() < 0.5
    some = " ".join(words[-room:] if before else words[:room]) if room else ""
    return f"{some}\n{passage}" if before else f"{passage}\n{some}"


def stated(_: Path, rng: random.Random, count: int = STATED) -> Iterator[Row]:
    """Invented statements with minimal pairs of claims; they train and fit like the written ones."""
    texts = [json.loads(line)["passage"] for path in _written_files() for line in path.read_text("utf-8").splitlines()]
    for number, (passage, claims) in islice(enumerate(stated_rows(rng)), count):
        group = f"stated-{number}"
        size = rng.choice((0, 0, 60, 110, WORDS))
        context = _beside(passage, rng.choice(texts), rng, size) if size else passage
        for claim in claims:
            part = "fit" if part_of(group) == "fit" else "train"
            yield _row(claim.text, context, claim.label, "stated", group, part, kind=claim.kind)


def _written_files() -> list[Path]:
    return sorted(WRITTEN.glob("written_*.jsonl"))


def made(data: Path, rng: random.Random, count: int = MADE) -> Iterator[Row]:
    passages = some_of_each(list(read_corpora(data)), PASSAGES, FEWER_PASSAGES, rng)
    for row in islice(made_rows(passages, rng, per_passage=6), count):
        yield _row(row["claim"], row["context"], row["label"], "made", row["group"], kind=row["kind"])


def asked(data: Path, rng: random.Random) -> Iterator[Row]:
    for row in support_rows(data, rng):
        context = _under_title(digest(row["context"], row["claim"], WORDS), row["group"], rng)
        yield _row(row["claim"], context, row["label"], "qa", row["group"])
    for row in answers_rows(data, rng):
        context = _under_title(digest(row["context"], row["question"], WORDS), row["group"], rng)
        made = _row(row["question"], context, row["answers"], f"answers_{row['source']}", row["group"])
        yield made | {"said": row["said"]}


def _row(
    a: str, b: str, label: str | int, source: str, group: str, part: str = "", use: str = "train", kind: str = ""
) -> Row:
    where = part or (part_of(group) if use == "train" else "eval")
    row = {"a": a, "b": b, "label": label, "source": source, "group": group, "part": where, "kind": kind}
    weight = WEIGHTS.get(source, 1.0) * (SUPPORTED.get(source, 1.0) if label == "supported" else 1.0)
    return row | {"weight": round(weight, 2)}


PARTS: dict[str, Callable[[Path, random.Random], Iterator[Row]]] = {
    "labelled": labelled,
    "asked": asked,
    "made": made,
    "written": written,
    "stated": stated,
}


def every(data: Path, names: Iterable[str], seed: int = 1) -> Iterator[Row]:
    """A part's rows do not depend on which other parts are made."""
    for name in names:
        rng = random.Random(f"{seed} {name} drawn")
        for row in PARTS[name](data, random.Random(f"{seed} {name}")):
            if row["part"] != "train" or rng.random() < TRAINING.get(name, 1.0):
                yield row


def main(data: Path, out: Path, names: list[str]) -> None:
    seen: Counter[tuple[str, str, str]] = Counter()

    def counted() -> Iterator[Row]:
        for row in every(data, names or PARTS):
            seen[row["source"], row["part"], str(row["label"])] += 1
            yield row

    write_all(out, counted())
    for key, number in sorted(seen.items()):
        print(*key, number)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
