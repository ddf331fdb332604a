"""Passages that others have cut: rows of JSON or Parquet, as search engines and frameworks write them.

A row keeps the id it brings if no other passage of its file has it; else its id is made of its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace

from surefoot.core.errors import UsageError
from surefoot.core.types import Problem
from surefoot.corpus.passages import Ids, Row
from surefoot.io import rows as io
from surefoot.io.rows import TEXT_KEYS, BadRow, first_text, kind_of, passage_in

_OF_QUESTIONS = ("answerable", "expects", "gold_ids", "gold_claim", "gold_claims")
CONTENT_IDS = "such a passage has an id made of its text"


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
    distinct = list({replace(row, file="", sha256=""): row for row in found}.values())
    counts = Counter(row.id for row in distinct if row.id)
    bad = [problem for problem in problems if problem.kind != "note"]
    notes = [f"rows skipped: {len(bad):,} of {len(found) + len(bad):,}; {_told(bad[0])}"] if bad else []
    if doubled := [id_ for id_, count in counts.items() if count > 1]:
        notes.append(f"ids of several passages: {len(doubled):,}, such as {doubled[0]!r}; {CONTENT_IDS}")
    ids = Ids(name)
    return [row if counts[row.id] == 1 else with_id(row, ids) for row in distinct], notes


def with_id(row: Row, ids: Ids) -> Row:
    """The row with an id made of its text."""
    return replace(row, id=ids.of(next(iter(row.labels), ""), row.text))


def _row(value: object, *, with_texts: bool) -> Row:
    if not isinstance(value, dict):
        raise BadRow(f"a passage must be an object, not {kind_of(value)}")
    if any(key in value for key in _OF_QUESTIONS):
        raise BadRow("this is a question, not a passage")
    found, labels = passage_in(value), value.get("labels")
    if not found.text.strip() and (with_texts or not found.id):
        raise BadRow(f"the passage has no text: {', '.join(TEXT_KEYS[:4])} may hold it")
    heading, file, sha256 = (first_text(value, (key,)) for key in ("heading", "file", "sha256"))
    return Row(
        found.id, found.text, found.doc, found.page, heading,
        tuple(map(str, labels)) if isinstance(labels, list) else (), file, sha256,
    )  # fmt: skip


def _told(problem: Problem) -> str:
    return f"line {problem.line}: {problem.message}" if problem.line else problem.message
