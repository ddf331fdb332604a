"""A new version of a question set: changed questions get new ids, untouched ones keep theirs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.types import Question

_VERSION = re.compile(r"(?P<stem>.+)@v(?P<number>\d{1,9})")


def clone(questions: Sequence[Question], changed: Collection[str]) -> list[Question]:
    """The next version of a set: each question in `changed` gets a fresh id and says which one it replaces."""
    unknown = sorted(set(changed) - {question.id for question in questions})
    if unknown:
        raise UsageError(f"there is no question {unknown[0]!r} to change", "name the ids as they stand in the set")
    taken = {question.id for question in questions}
    cloned = []
    for question in questions:
        if question.id in changed:
            fresh = next_id(question.id, taken)
            taken.add(fresh)
            metadata = {**question.metadata, "replaces": question.id}
            question = replace(question, id=fresh, metadata=metadata)
        cloned.append(question)
    return cloned


def next_id(qid: str, taken: Collection[str]) -> str:
    """q7 -> q7@v2 -> q7@v3, skipping ids that exist."""
    match = _VERSION.fullmatch(qid)
    stem, number = (match["stem"], int(match["number"])) if match else (qid, 1)
    while (fresh := f"{stem}@v{number + 1}") in taken:
        number += 1
    return fresh


def as_row(question: Question) -> dict[str, object]:
    """A question in the words of a question file."""
    row: dict[str, object] = {
        "qid": question.id, "q": question.text, "answerable": question.answerable, "gold_ids": list(question.gold_ids),
    }  # fmt: skip
    if len(question.gold_claims) == 1:
        row["gold_claim"] = question.gold_claims[0]
    elif question.gold_claims:
        row["gold_claims"] = list(question.gold_claims)
    for name in ("stratum", "probes"):
        if getattr(question, name):
            row[name] = getattr(question, name)
    if question.retrieval != "normal":
        row["retrieval"] = question.retrieval
    return {**question.metadata, **row}


def write_questions(path: Path, questions: Sequence[Question]) -> None:
    """In the format that the file's name asks for: .jsonl, .yaml, or a JSON array."""
    rows = [as_row(question) for question in questions]
    if path.suffix in (".yaml", ".yml"):
        data = msgspec.yaml.encode(rows)
    elif path.suffix in (".jsonl", ".ndjson"):
        data = msgspec.json.Encoder().encode_lines(rows)
    else:
        data = b"[\n" + b",\n".join(b"  " + msgspec.json.encode(row) for row in rows) + b"\n]\n"
    path.write_bytes(data)
