"""Rows tend to look like the row before: such runs are decoded straight into structs, a slice at a time.

A shape is guessed from one row and then checked by the decoder itself: every key must be there, no other may be,
and texts must be texts. A slice that does not fit is read row by row instead, with the same result, only slower.
What is not text (retrieved passages, citation lists) stays undecoded, because it repeats from row to row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Raw

from surefoot.io.fields import citations_in, contexts_in, error_in, passages_in, trace_of
from surefoot.io.rows import decode_one
from surefoot.io.traces import TraceReader
from surefoot.types import Problem, Retrieved, Trace

Value = TypeVar("Value")

_TEXTS = ("question_id", "question", "answer")
_RAWS = ("retrieved", "contexts", "citations", "error")
_VALUES_KEPT = 20_000
_JSON_IN_TEXT = (b'"{', b'"[')


class LikeRow(Protocol):
    """A row of a known shape. A field that the shape lacks is None, or empty bytes."""

    question_id: str | None
    question: str | None
    answer: str
    retrieved: Raw
    contexts: Raw
    citations: Raw
    error: Raw


class Shape:
    """Decodes rows that have exactly the keys of a sample row."""

    def __init__(self, keys: dict[str, str], others: list[str]) -> None:
        fields: list[tuple[str, Any]] = [(field, str if field in _TEXTS else Raw) for field in keys]
        fields += [(f"other_{i}", Raw) for i in range(len(others))]
        rename = {**keys, **{f"other_{i}": key for i, key in enumerate(others)}}
        absent = dict.fromkeys(_TEXTS) | dict.fromkeys(_RAWS, b"")
        namespace = {field: value for field, value in absent.items() if field not in keys}
        row = msgspec.defstruct("Row", fields, rename=rename, namespace=namespace, forbid_unknown_fields=True, gc=False)
        self._decoder = msgspec.json.Decoder(row)
        self._retrieved: dict[bytes, Retrieved | None] = {}
        self._citations: dict[bytes, tuple[str, ...] | None] = {}

    @classmethod
    def of(cls, reader: TraceReader, row: dict[str, object]) -> Shape | None:
        """The shape of a row, if each field lies directly under a single key and the texts are texts."""
        keys: dict[str, str] = {}
        for field, candidates in reader.plan(row).items():
            # A path below a text leads nowhere, and a text stays a text in every row of the shape.
            live = [c for c in candidates if c.direct or not isinstance(row[c.key], str)]
            if field in _TEXTS and live:
                if not isinstance(row[live[0].key], str):
                    return None
                keys[field] = live[0].key
            elif field in _RAWS and live:
                if len(live) > 1 or not live[0].direct:
                    return None
                keys[field] = live[0].key
        if "answer" not in keys or not keys.keys() & {"question", "question_id"}:
            return None
        if len(set(keys.values())) < len(keys) or keys.keys() >= {"retrieved", "contexts"}:
            return None
        return cls(keys, [key for key in row if key not in keys.values()])

    def decode_lines(self, data: bytes) -> list[LikeRow] | None:
        """The rows, or None when one of them is of another shape, or may hold JSON in a text."""
        if any(mark in data for mark in _JSON_IN_TEXT):
            return None
        try:
            rows: list[Any] = self._decoder.decode_lines(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return rows

    def trace(self, row: LikeRow) -> Trace:
        read_passages, raw = (passages_in, row.retrieved) if row.retrieved else (contexts_in, row.contexts)
        return trace_of(
            row.question_id,
            row.question,
            row.answer,
            _once(self._retrieved, bytes(raw), read_passages) if raw else None,
            _once(self._citations, bytes(row.citations), citations_in) if row.citations else None,
            error_in(_decoded(bytes(row.error))) if row.error else None,
        )


def _once(known: dict[bytes, Value], raw: bytes, read: Callable[[object], Value]) -> Value:
    """What the same bytes gave before, or give now."""
    if raw in known:
        return known[raw]
    if len(known) >= _VALUES_KEPT:
        known.clear()
    value = known[raw] = read(_decoded(raw))
    return value


def _decoded(raw: bytes) -> object:
    """The value of a field; None where it is no JSON after all, since it was passed over unread until now."""
    value = decode_one(raw).value
    return None if isinstance(value, Problem) else value
