"""A corpus that a user names: a file that `surefoot corpus add` made, rows of their own, or documents as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from surefoot.corpus.corpus import FILE, named_sources, read_documents
from surefoot.corpus.passages import Row
from surefoot.errors import UsageError
from surefoot.io.rows import read_rows
from surefoot.io.sources import TRACE_SUFFIXES
from surefoot.types import Passage, Problem

_ID_KEYS = ("id", "chunk_id", "passage_id", "doc_id", "document_id")
_TEXT_KEYS = ("text", "content", "page_content", "chunk", "passage")
_DOC_KEYS = ("doc", "title", "document", "source")
_PROSE = (".md", ".txt")


def load_corpus(path: str | Path, *, with_texts: bool = True) -> list[Passage]:
    return [row.passage for row in load_rows(path, with_texts=with_texts)]


def load_rows(path: str | Path, *, with_texts: bool = True) -> list[Row]:
    """Rows of {id, text, doc, page} in JSON or Parquet, documents of any format that is read, or a folder of these."""
    given = Path(path)
    if not given.exists():
        raise UsageError(f"the corpus {given} does not exist", "pass JSON lines with `id` and `text`, or a folder")
    if (given / FILE).is_file():
        given = given / FILE
    files = sorted(file for file in given.rglob("*") if file.is_file()) if given.is_dir() else [given]
    prose = [file for file in files if file.suffix.lower() in _PROSE]
    found = [passage for file in prose for passage in _paragraphs(file, given)]
    documents = [one for one in named_sources([given]) if one.is_readable and one.suffix not in _PROSE]
    for read in read_documents(documents, {}):
        if read.problem:
            raise UsageError(f"{read.name} in the corpus {given} cannot be read: {read.problem}", read.hint)
        found += read.rows
    if not found or any(suffix in TRACE_SUFFIXES for file in files for suffix in file.suffixes):
        found += _row_passages(given, with_texts)
    if not found:
        raise UsageError(f"the corpus {given} holds no passage", "each row needs an `id` and a `text`")
    _refuse_doubles(found, given)
    return found


def _paragraphs(file: Path, root: Path) -> Iterator[Row]:
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
            yield Row(f"{name}#{number}", f"{heading}\n{paragraph}" if heading else paragraph, title)
            heading = ""


def _row_passages(given: Path, with_texts: bool) -> Iterator[Row]:
    for source, line, value, _ in read_rows([given]):
        if not isinstance(value, Problem):
            yield _row_passage(value, f"{source}:{line}", with_texts)
        elif value.kind != "note":
            raise UsageError(f"the corpus cannot be read: {value}", "each row needs an `id` and a `text`")


def _row_passage(row: object, where: str, with_texts: bool) -> Row:
    if not isinstance(row, dict):
        raise UsageError(f"{where}: a passage must be an object", "each row needs an `id` and a `text`")
    identifier, text = _first(row, _ID_KEYS), _first(row, _TEXT_KEYS)
    if not identifier or (with_texts and not text):
        missing = "id" if not identifier else "text"
        raise UsageError(f"{where}: the passage has no {missing}", "each row needs an `id` and a `text`")
    page = row.get("page")
    labels = row.get("labels")
    return Row(
        identifier, text, _first(row, _DOC_KEYS), page if type(page) is int else None, _first(row, ("heading",)),
        tuple(map(str, labels)) if isinstance(labels, list) else (),
    )  # fmt: skip


def _first(row: dict[object, object], keys: tuple[str, ...]) -> str:
    value = next((row[key] for key in keys if row.get(key) is not None), "")
    return str(value) if isinstance(value, (str, int)) else ""


def _refuse_doubles(passages: list[Row], given: Path) -> None:
    seen: dict[str, Row] = {}
    for passage in passages:
        if seen.setdefault(passage.id, passage) != passage:
            hint = "a citation must lead to one passage: give each its own id"
            raise UsageError(f"the corpus {given} has two passages with the id {passage.id!r}", hint)
