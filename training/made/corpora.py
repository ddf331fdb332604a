"""Reading the documents that training rows are made of. A document's group is the one other files use for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from training.files import read_all

_CHUNK = 6_000  # characters; a passage is a stretch of a document, not all of it
_CLAIM_SOURCES = ("vitaminc", "docnli_fever", "fm2")
_QUESTION_SOURCES = ("squad_shifts", "squad2", "clapnq", "policyqa", "tatqa")


class Passage(Struct, frozen=True):
    group: str  # rows of one group belong on one side of a split
    source: str
    text: str


def read_corpora(folder: Path) -> Iterator[Passage]:
    """Every passage of the corpora, of the contexts of claims and of the passages of questions, each once."""
    seen: set[int] = set()
    for passage in _every(folder):
        key = hash((passage.group, passage.text))
        if key not in seen and len(passage.text) > 60:
            seen.add(key)
            yield passage


def _every(folder: Path) -> Iterator[Passage]:
    for path in sorted((folder / "corpora").glob("*.jsonl.gz")):
        for document in read_all(path):
            group = group_of(document["doc_id"])
            for text in chunks(document["text"]):
                yield Passage(group, document["doc_id"].partition("/")[0], text)
    for row in read_all(folder / "support.jsonl.gz"):
        if row["source"] in _CLAIM_SOURCES and row["use"] == "train":
            yield Passage(row["group"], row["source"], row["context"].replace("\ufffd", " "))
    for row in read_all(folder / "qa.jsonl.gz"):
        if row["source"] in _QUESTION_SOURCES and row["use"] == "train":
            for text in row["passages"]:
                yield Passage(row["group"], row["source"], text)


def group_of(doc_id: str) -> str:
    """ "contractnli/34" is "cnli-34" and "cuad/x" is "cuad-x"; a filing's sections share its group."""
    source, _, name = doc_id.partition("/")
    return f"{'cnli' if source == 'contractnli' else source}-{name}"


def chunks(text: str) -> Iterator[str]:
    """Stretches of a long text, cut at the ends of lines or sentences."""
    start = 0
    while start < len(text):
        end = start + _CHUNK
        if end < len(text):
            cut = max(text.rfind("\n", start + _CHUNK // 2, end), text.rfind(". ", start + _CHUNK // 2, end) + 1)
            end = cut if cut > start else end
        yield text[start:end]
        start = end
