"""The bundled demo set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

import msgspec

from surefoot.core.types import Passage, Question
from surefoot.io.questions import question_of

_MARK = re.compile(r"^\[(?P<local>[^\s\]]+) p(?P<page>\d+)\] ", re.MULTILINE)


def corpus() -> list[Passage]:
    """The passages of the demo documents, in the order of the documents' names."""
    folder = files("surefoot") / "demo" / "corpus"
    documents = sorted((file for file in folder.iterdir() if file.name.endswith(".md")), key=lambda file: file.name)
    return [
        passage for file in documents for passage in passages_of(file.read_text("utf-8"), file.name.removesuffix(".md"))
    ]


def questions() -> list[Question]:
    data = (files("surefoot") / "demo" / "questions.jsonl").read_bytes()
    return [question_of(row) for row in msgspec.json.Decoder().decode_lines(data)]


def passages_of(text: str, doc_id: str) -> Iterator[Passage]:
    """The marked passages of a demo document; its title is the first line."""
    title = text.partition("\n")[0].removeprefix("# ").strip()
    marks = list(_MARK.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.start() if following else len(text)
        yield Passage(f"{doc_id}#{mark['local']}", text[mark.end() : end].strip(), title, int(mark["page"]))
