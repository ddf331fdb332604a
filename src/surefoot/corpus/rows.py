"""Passages that others have cut: rows of JSON or Parquet, as search engines and frameworks write them.

A row keeps the id it brings if no other passage of its file has it; else its id is made of its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import PurePosixPath

from surefoot.corpus.passages import Ids, Row
from surefoot.errors import UsageError
from surefoot.io import rows as io
from surefoot.io.fields import first_text
from surefoot.io.kinds import BadRow, kind_of
from surefoot.io.sources import TRACE_SUFFIXES
from surefoot.types import Problem

_IDS = ("id", "passage_id", "chunk_id", "_id", "id_", "doc_id", "document_id")
_TEXTS = ("text", "content", "page_content", "body", "chunk", "passage")
_DOCS = ("doc", "title", "document", "source", "file_name")
_PAGES = ("page_label", "page_number", "page")  # the label is what the page says of itself
_INSIDE = ("metadata", "payload", "_source", "document", "node", "kwargs")
_DEEPEST = 3
_OF_QUESTIONS = ("answerable", "expects", "gold_ids", "gold_claim", "gold_claims")
_COMPRESSED = (".gz", ".zst")
CONTENT_IDS = "those passages have ids made of their texts"


def is_rows(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return (path.with_suffix("") if path.suffix in _COMPRESSED else path).suffix in TRACE_SUFFIXES


def rows_of(
    given: Iterable[io.Row], name: str, *, with_texts: bool = True, most: int | None = None
) -> tuple[list[Row], list[str]]:
    """The passages of one file, and what is to be said about it. Without `with_texts` an id is enough.

    `most` characters are read: few bytes of a compressed file may hold many.
    """
    problems: list[Problem] = []
    found, size = list[Row](), 0
    for _, row in io.converted(given, partial(_row, with_texts=with_texts), "bad_passage", problems):
        found.append(row)
        size += len(row.text)
        if most is not None and size > most:
            raise UsageError(f"its rows have more than {most:,} characters", "split it")
    distinct = list(dict.fromkeys(found))
    counts = Counter(row.id for row in distinct if row.id)
    bad = [problem for problem in problems if problem.kind != "note"]
    notes = [f"{len(bad):,} of {len(found) + len(bad):,} rows were skipped; {_told(bad[0])}"] if bad else []
    if doubled := [id_ for id_, count in counts.items() if count > 1]:
        notes.append(f"{len(doubled):,} ids stand for several passages, such as {doubled[0]!r}; {CONTENT_IDS}")
    ids = Ids(name)
    return [row if counts[row.id] == 1 else with_id(row, ids) for row in distinct], notes


def with_id(row: Row, ids: Ids) -> Row:
    """The row with an id made of its text."""
    return Row(ids.of(next(iter(row.labels), ""), row.text), row.text, row.doc, row.page, row.heading, row.labels)


def _row(value: object, *, with_texts: bool) -> Row:
    if not isinstance(value, dict):
        raise BadRow(f"a passage must be an object, not {kind_of(value)}")
    if any(key in value for key in _OF_QUESTIONS):
        raise BadRow("this is a question, not a passage")
    id_, text = _found(value, _IDS), _found(value, _TEXTS)
    if not text.strip() and (with_texts or not id_):
        raise BadRow(f"the passage has no text: {', '.join(_TEXTS[:4])} may hold it")
    page, labels = _found(value, _PAGES), value.get("labels")
    return Row(
        id_, text, _found(value, _DOCS), int(page) if page.isdecimal() and len(page) < 7 else None,
        first_text(value, ("heading",)), tuple(map(str, labels)) if isinstance(labels, list) else (),
    )  # fmt: skip


def _found(value: dict[object, object], keys: tuple[str, ...], depth: int = 0) -> str:
    """The first of some keys that holds anything, also in what frameworks wrap around a passage."""
    here = next((text for key in keys if (text := first_text(value, (key,)))), "")
    if here or depth == _DEEPEST:
        return here
    inside = (inner for key in _INSIDE if isinstance(inner := value.get(key), dict))
    return next((text for inner in inside if (text := _found(inner, keys, depth + 1))), "")


def _told(problem: Problem) -> str:
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message
