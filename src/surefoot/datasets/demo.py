"""The bundled demo set, and corpora of a user's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import msgspec

from surefoot.errors import UsageError
from surefoot.io.questions import question_of
from surefoot.io.rows import read_rows
from surefoot.io.sources import TRACE_SUFFIXES
from surefoot.types import Passage, Problem, Question

_MARK = re.compile(r"^\[(?P<local>[^\s\]]+) p(?P<page>\d+)\] ", re.MULTILINE)
_ID_KEYS = ("id", "chunk_id", "passage_id", "doc_id", "document_id")
_TEXT_KEYS = ("text", "content", "page_content", "chunk", "passage")
_DOC_KEYS = ("doc", "title", "document", "source")
_PROSE = (".md", ".txt")


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


def corpus_from(path: str | Path) -> list[Passage]:
    """A user's corpus: rows of {id, text, doc, page} in JSON or Parquet, or a folder of such or of .md/.txt files."""
    given = Path(path)
    if not given.exists():
        raise UsageError(f"the corpus {given} does not exist", "pass JSON lines with `id` and `text`, or a folder")
    prose = _prose_files(given)
    found = [passage for file in prose for passage in _paragraphs(file, given)]
    if not prose or (given.is_dir() and _has_rows(given)):
        found += _row_passages(given)
    if not found:
        raise UsageError(f"the corpus {given} holds no passage", "each row needs an `id` and a `text`")
    _refuse_doubles(found, given)
    return found


def _prose_files(given: Path) -> list[Path]:
    files = sorted(given.rglob("*")) if given.is_dir() else [given]
    return [file for file in files if file.suffix.lower() in _PROSE and file.is_file()]


def _has_rows(folder: Path) -> bool:
    return any(suffix in TRACE_SUFFIXES for file in folder.rglob("*") for suffix in file.suffixes)


def _paragraphs(file: Path, root: Path) -> Iterator[Passage]:
    """Paragraph by paragraph, a heading going with the one below it; ids count the paragraphs from 1."""
    name = file.relative_to(root).as_posix() if file != root else file.name
    text = file.read_text("utf-8", errors="replace").replace("\r\n", "\n")
    title = next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), file.stem)
    heading, number = "", 0
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = paragraph.strip("\n").rstrip()
        if re.fullmatch(r"#{1,6} .*", paragraph):
            heading = paragraph.lstrip("# ").strip()
        elif paragraph.strip():
            number += 1
            yield Passage(f"{name}#{number}", f"{heading}\n{paragraph}" if heading else paragraph, title)
            heading = ""


def _row_passages(given: Path) -> Iterator[Passage]:
    for source, line, value, _ in read_rows([given]):
        if not isinstance(value, Problem):
            yield _row_passage(value, f"{source}:{line}")
        elif value.kind != "note":
            raise UsageError(f"the corpus cannot be read: {value}", "each row needs an `id` and a `text`")


def _row_passage(row: object, where: str) -> Passage:
    if not isinstance(row, dict):
        raise UsageError(f"{where}: a passage must be an object", "each row needs an `id` and a `text`")
    identifier, text = _first(row, _ID_KEYS), _first(row, _TEXT_KEYS)
    if not identifier or not text:
        missing = "id" if not identifier else "text"
        raise UsageError(f"{where}: the passage has no {missing}", "each row needs an `id` and a `text`")
    page = row.get("page")
    return Passage(identifier, text, _first(row, _DOC_KEYS), page if type(page) is int else None)


def _first(row: dict[object, object], keys: tuple[str, ...]) -> str:
    value = next((row[key] for key in keys if row.get(key) is not None), "")
    return str(value) if isinstance(value, (str, int)) else ""


def _refuse_doubles(passages: list[Passage], given: Path) -> None:
    seen: dict[str, Passage] = {}
    for passage in passages:
        if seen.setdefault(passage.id, passage) != passage:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {passage.id!r}", hint)
