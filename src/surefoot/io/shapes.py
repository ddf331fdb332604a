"""Rows tend to look like the row before: such runs are decoded straight into structs, a block at a time.

A shape is guessed from one row and then checked by the decoder itself: every key must be there, no other may be,
and texts must be texts. A row that does not fit is read by itself instead, with the same result, only slower. What is
not text (retrieved passages, citation lists) stays undecoded until it is asked for, because it often repeats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol

import msgspec
from msgspec import Raw

from surefoot.io.rows import decode_one
from surefoot.io.sources import line_ends
from surefoot.io.traces import TraceReader
from surefoot.io.writer import UNREADABLE
from surefoot.types import Problem

_TEXTS = ("question_id", "question", "answer")
_RAWS = ("retrieved", "citations", "error")


class LikeRow(Protocol):
    """A row of a known shape; what the shape lacks must not be asked for."""

    question_id: str
    question: str
    answer: str
    retrieved: Raw
    citations: Raw
    error: Raw


class Shape:
    """Decodes rows that have exactly the keys of a sample row."""

    def __init__(self, keys: dict[str, str], all_keys: Iterable[str]) -> None:
        names = {key: field for field, key in keys.items()}
        rename = {names.get(key, f"other_{number}"): key for number, key in enumerate(all_keys)}
        # In the order of the row, in which they are found fastest.
        fields: list[tuple[str, Any]] = [(field, str if field in _TEXTS else Raw) for field in rename]
        row = msgspec.defstruct("Row", fields, rename=rename, forbid_unknown_fields=True, gc=False)
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(row)
        self.fields = frozenset(keys)

    @classmethod
    def of(cls, reader: TraceReader, row: dict[str, object]) -> Shape | None:
        """The shape of a row, if each field lies directly under a single key and the texts are texts."""
        keys: dict[str, str] = {}
        for field, candidates in reader.plan(row).items():
            # A path below a text leads nowhere, and a text stays a text in every row of the shape.
            live = [c for c in candidates if c.direct or not isinstance(row[c.key], str)]
            if not live or field == "triage":
                continue
            if field == "contexts" or (field in _TEXTS and not isinstance(row[live[0].key], str)):
                return None
            if field in _RAWS and (len(live) > 1 or not live[0].direct):
                return None
            keys[field] = live[0].key
        if "answer" not in keys or not keys.keys() & {"question", "question_id"}:
            return None
        if len(set(keys.values())) < len(keys):
            return None
        return cls(keys, row)

    def decode_lines(self, data: bytes) -> tuple[list[LikeRow], list[int]]:
        """The rows, and the numbers of the lines that are of another shape."""
        lines = line_ends(data) + (not data.endswith(b"\n"))
        try:
            rows: list[LikeRow] = self._decoder.decode_lines(data)
            if len(rows) == lines:
                return rows, []
        except UNREADABLE:
            pass
        each = [self._decode(line) for line in data.split(b"\n")[:lines]]
        return [row for row in each if row is not None], [line for line, row in enumerate(each) if row is None]

    def column(self, field: str, rows: Sequence[LikeRow]) -> list[Any]:
        """A field of each row; of what is no text, the bytes."""
        found = list(map(attrgetter(field), rows))
        if field in _TEXTS:
            return found
        together = b"\n".join(found).split(b"\n")  # faster than one after the other; hardly any has a line end in it
        return together if len(together) == len(found) else list(map(bytes, found))

    def _decode(self, line: bytes) -> LikeRow | None:
        try:
            row: LikeRow = self._decoder.decode(line)
        except UNREADABLE:
            return None
        return row


def value_of(raw: bytes) -> object:
    """What the bytes of a field hold. They were passed over unread until now, and may be no JSON after all."""
    value = decode_one(raw).value
    return None if isinstance(value, Problem) else value
