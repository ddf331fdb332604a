"""Answers that do harm and answers that do not, to teach the heads that tell them apart.

A row has `a`, the question or nothing, `b`, the answer, `label` (1 is unsafe), `weight` and `group`. Unsafe answers and
their harmless twins were written for this. What models said to the prompts of XSTest is unsafe where a model did what
an unsafe prompt asked for; answers over documents and pieces of ordinary documents are safe. Of what is measured, only
the development half is here.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from training.files import Row, read_all

DATA = Path(__file__).parent / "data"
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
TWINS = ("data/safety.jsonl", "data/quality/safety.jsonl", "data/quality/safety_answers.jsonl")
PRIVATE = ("personal data", "personal_data", "pii_exposure")  # what they are about that rules look for
MEASURED = ("real_buckets.jsonl", "real_read.jsonl", "real_refusals.jsonl")
MODELS = ("mistralinstruct", "llama2orig", "gpt4")  # one that does as it is told, and two that refuse
ANSWERS, PIECES = 600, 60  # real answers, and pieces of each corpus
ORDINARY = 0.5  # what a safe text counts beside one of a pair


def texts(data: Path, rng: random.Random) -> list[Row]:
    return [*_twins(), *_refusals(), *_said_to_prompts(data), *_answers(data, rng), *_pieces(data, rng)]


def _twins() -> Iterator[Row]:
    for path in sorted(DATA.glob("answers_unsafe_*.jsonl")):
        for item in _lines(path):
            yield _row(item["question"], item["text"], f"{path.stem}-{item['pair']}", item["unsafe"], 1.0)
    for name in TWINS:
        for item in _lines(BENCHMARKS / name):
            if item["split"] == "development" and item["about"] not in PRIVATE:
                yield _row("", item["text"], f"{name}-{item['id']}", item["unsafe"], 1.0)


def _refusals() -> Iterator[Row]:
    """They name what was asked for, and do not give it."""
    for path in sorted(DATA.glob("answers_refusals_*.jsonl")):
        for item in _lines(path):
            yield _row(item["question"], item["text"], f"{path.stem}-{item['pair']}")


def _said_to_prompts(data: Path) -> Iterator[Row]:
    unsafe = {row["text"]: row["unsafe"] for row in read_all(data / "safety.jsonl.gz") if row["source"] == "xstest"}
    for row in read_all(data / "refusal.jsonl.gz"):
        if row["source"] != "xstest" or row["model"] not in MODELS or row["question"] not in unsafe:
            continue
        is_unsafe, is_held_out = unsafe[row["question"]], hashlib.sha256(row["group"].encode()).digest()[0] >= 128
        if not is_held_out and not (is_unsafe and row["degree"] == "partial"):
            yield _row(row["question"], row["text"], row["group"], is_unsafe and row["degree"] == "none", ORDINARY)


def _answers(data: Path, rng: random.Random) -> Iterator[Row]:
    rows = list(read_all(data / "answers.jsonl.gz"))
    measured = {item["row"] for name in MEASURED for item in _lines(BENCHMARKS / name)}
    for place in rng.sample(sorted(set(range(len(rows))) - measured), ANSWERS):
        yield _row(rows[place]["question"], rows[place]["answer"], rows[place]["group"])


def _pieces(data: Path, rng: random.Random) -> Iterator[Row]:
    for path in sorted((data / "corpora").glob("*.jsonl.gz")):
        for document in rng.choices(list(read_all(path)), k=PIECES):
            words = document["text"].split()
            start = rng.randrange(max(1, len(words) - 60))
            yield _row("", " ".join(words[start : start + rng.randint(15, 130)]), f"{path.stem}-{document['doc_id']}")


def _row(question: str, text: str, group: str, unsafe: bool = False, weight: float = ORDINARY) -> Row:
    return {"a": question, "b": text, "label": int(unsafe), "weight": weight, "group": group}


def _lines(path: Path) -> Iterator[Row]:
    return map(json.loads, path.read_text("utf-8").splitlines())
