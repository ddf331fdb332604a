"""The cases of the calibration: rows of the groups set aside for it, read as the product reads them.

`python -m training.fit_cases DATA ROWS.jsonl.gz QUICK_BASE OUT.jsonl.gz`
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from surefoot.graders.features import Offsets, features, prepare, readable_claim
from surefoot.graders.figures import worded_as
from training.cases import About, Case, write_cases
from training.files import read_all, read_usable
from training.pairs import whole_texts
from training.split import part_of

_OF_A_SOURCE = 500
_OF_ROWS = {"made": 1_200, "qa": 1_200, "written": 3_000, "question": 3_500}
_ASKED = ("squad2", "clapnq")  # whose passages are read whole, too


class Draft(NamedTuple):
    """A case before it is read."""

    about: About
    source: str
    label: str | int
    passage: str
    text: str
    question: str = ""


def drafts(data: Path, rows: Path, rng: random.Random) -> Iterator[Draft]:
    yield from _labelled(data, rng)
    yield from _responses(data)
    yield from _of_rows(rows, rng)
    yield from _questions(data)


def _labelled(data: Path, rng: random.Random) -> Iterator[Draft]:
    by_source: dict[str, list[Draft]] = defaultdict(list)
    for row in read_usable(data / "support.jsonl.gz"):
        if part_of(row["group"]) == "fit":
            draft = Draft("claim", row["source"], row["label"], row["context"], row["claim"])
            by_source[row["source"]].append(draft)
    for found in by_source.values():
        rng.shuffle(found)
        yield from found[:_OF_A_SOURCE]


def _responses(data: Path) -> Iterator[Draft]:
    for row in read_usable(data / "response.jsonl.gz"):
        if part_of(row["group"]) == "fit":
            label = "supported" if row["label"] == "faithful" else "unsupported"
            yield Draft("response", row["source"], label, "\n".join(row["passages"]), row["answer"], row["question"])


def _of_rows(rows: Path, rng: random.Random) -> Iterator[Draft]:
    """Of what was made from documents and from questions."""
    found: dict[str, list[Draft]] = {kind: [] for kind in _OF_ROWS}
    for row in read_all(rows):
        if row["part"] != "fit":
            continue
        if isinstance(row["label"], int):
            found["question"].append(Draft("question", row["source"], row["label"], row["b"], row["a"]))
        elif row["source"] in found:
            found[row["source"]].append(Draft("claim", row["source"], row["label"], row["b"], row["a"]))
    for kind, count in _OF_ROWS.items():
        rng.shuffle(found[kind])
        yield from found[kind][:count]


def _questions(data: Path) -> Iterator[Draft]:
    for row in read_usable(data / "qa.jsonl.gz"):
        told = row["passages"] and row["answerable"] is not None
        if row["source"] in _ASKED and told and part_of(row["group"]) == "fit":
            passage = "\n".join(row["passages"])
            yield Draft("question", row["source"], int(row["answerable"]), passage, row["question"])


def read_as_product(draft: Draft, offsets: Offsets) -> Case | None:
    """The case of a draft; None where there is nothing to read."""
    if draft.about == "question":
        reading = prepare(draft.passage, draft.text, offsets)
        return Case("question", draft.source, draft.label, reading) if reading.windows else None
    claim = worded_as(draft.text, draft.passage)
    reading = prepare(draft.passage, readable_claim(claim, draft.question), offsets)
    if not reading.windows:
        return None
    passage = "\n".join(reading.windows) if reading.skipped else draft.passage
    counted = features(passage, claim, draft.question, reading.among)
    return Case(draft.about, draft.source, draft.label, reading, counted)


def offsets_of(base: Path) -> Offsets:
    tokenizer = whole_texts(base)

    @lru_cache(maxsize=20_000)
    def offsets(text: str) -> tuple[tuple[int, int], ...]:
        return tuple(tokenizer.encode(text, add_special_tokens=False).offsets)

    return offsets


def main(data: Path, rows: Path, base: Path, out: Path) -> None:
    offsets = offsets_of(base)
    found = (read_as_product(draft, offsets) for draft in drafts(data, rows, random.Random(5)))
    cases = [case for case in found if case]
    write_cases(out, cases)
    for key, number in sorted(Counter((case.about, case.source) for case in cases).items()):
        print(*key, number)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]))
