"""Traces from rows of every kind: one reader for whoever scores, asks again or grades what was logged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from surefoot.io.fields import TraceReader
from surefoot.io.otel import Span, spans_in, traces_of
from surefoot.io.places import CONTAINERS
from surefoot.io.rows import Row, read_rows
from surefoot.io.values import kind_of
from surefoot.types import Problem, Trace

_SPAN_KEYS = ("resourceSpans", "resource_spans", "attributes")
# A row with none of these keys is one trace: a span that is not in an export names its trace.
_TOLD_BY = frozenset({*CONTAINERS, *_SPAN_KEYS, "traceId", "trace_id", "context.trace_id", "context"})
SPANS = "spans"  # what stands for the file of a trace that was put together from several rows


class RowReader:
    """Reads a row whatever it is: a trace, several in a list, spans that wait for others, or a problem."""

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self.traces = TraceReader(mapping)
        self._has_mapping = bool(mapping)

    def read(self, row: Row) -> Iterator[tuple[object, Trace | Span | Problem]]:
        """What lies in a row, each with the part of the row it was read from."""
        source, line, value, _ = row
        if isinstance(value, Problem):
            yield None, value
        elif not isinstance(value, dict) or self.is_one_trace(value):
            yield value, self._trace(value, source, line)
        elif spans := spans_in(value):
            unnamed = Problem("malformed", "a span has no trace id", source, line)
            yield from ((value, unnamed if span is None else span) for span in spans)
        else:
            yield from ((part, self._trace(part, source, line)) for part in self._parts(value))

    def is_one_trace(self, row: Mapping[str, object]) -> bool:
        """False where the keys of a row may mean spans, or a list of traces."""
        if self._has_mapping or _TOLD_BY.isdisjoint(row):
            return True
        return not any(key in CONTAINERS or key.startswith(_SPAN_KEYS) for key in row)

    def _parts(self, value: dict[str, object]) -> list[object]:
        if isinstance(self.traces.read(value), Trace):
            return [value]
        return next((inner for key in CONTAINERS if isinstance(inner := value.get(key), list) and inner), [value])

    def _trace(self, row: object, source: str, line: int) -> Trace | Problem:
        if not isinstance(row, dict):
            return Problem("malformed", f"a trace must be an object, not {kind_of(row)}", source, line)
        found = self.traces.read(row)
        return found if isinstance(found, Trace) else Problem("no_question", found, source, line)


class Logged(Struct, frozen=True):
    """A trace and where it was found. `name` is the id of a trace of spans, `row` what any other was read from."""

    found: Trace | Problem
    source: str
    line: int
    row: object = None
    repairs: str = ""  # to the row's text, without which it could not be read
    name: str = ""


def read_traces(paths: Iterable[str | Path], mapping: Mapping[str, str] | None = None) -> Iterator[Logged]:
    """All that files, folders or stdin hold, in order; traces of spans come last, when all spans are there."""
    reader, spans = RowReader(mapping), list[Span]()
    for row in read_rows(paths):
        for part, found in reader.read(row):
            if isinstance(found, Span):
                spans.append(found)
            else:
                yield Logged(found, row.source, row.line, part, row.repairs)
    for number, (name, trace) in enumerate(traces_of(spans).items(), 1):
        yield Logged(trace, SPANS, number, name=name)
