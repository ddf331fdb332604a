"""Traces from logged rows of every shape: one reader for whoever scores, replays or grades what was logged.

The table in `fields` says where each field may be found; the first path that leads to a value wins, row by row, so a
file may mix shapes. A row may also hold several traces, or spans that wait for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.io import fields, otel, remarks
from surefoot.io.fields import CONTAINER_KEYS, CONTAINERS, PATHS, UNLESS, Candidate, Plan
from surefoot.io.flags import is_flagged
from surefoot.io.kinds import kind_of
from surefoot.io.rows import Row, read_rows
from surefoot.io.said import decoded
from surefoot.io.spans import CHILDREN, MARKS, Span, spans_in, traces_of
from surefoot.types import Problem, Retrieved, Trace

SPANS = "spans"  # what stands for the file of a trace that was put together from several rows
_PLANS_KEPT, _REMARKS_KEPT = 1_000, 5
_NOTHING: frozenset[str] = frozenset()
_CONTAINERS = tuple(tuple(path.split(".")) for path in CONTAINERS)
# A row with none of these keys is one trace, unless it has the attributes of a span in columns of their own.
_SEVERAL = frozenset(path.partition(".")[0] for path in (*CONTAINERS, *CHILDREN, *MARKS, *otel.EXPORTS))
# What rows of logs have and spans do not; `context` is left out, as it may be that of a span.
_BESIDE_ANSWERS = frozenset(
    path for field in ("citations", "retrieved", "contexts") for path in PATHS[field] if "." not in path
) - {"context"}
_SPAN_KEYS = ("traceId", "trace_id", "context.trace_id", "context", "trace")
_EXPORTED = {"kind", "row", "sha256"}  # the keys of a line that `surefoot export` wrote
_FAILED_CHECK = ("failureReason", 1)  # promptfoo: what stands under `error` is said of the answer, which is there


class TraceReader:
    """Reads rows of any known shape, and of the user's own through `mapping` (field -> path)."""

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self._candidates = {field: fields.candidates(paths) for field, paths in PATHS.items()}
        self._mapped = {name: fields.ALIASES.get(name, name) for name in mapping or {}}
        for name, path in (mapping or {}).items():
            if self._mapped[name] not in PATHS or name == "triage":
                known = ", ".join(field for field in PATHS if field != "triage")
                raise UsageError(f"--map: there is no field {name!r} to map", f"the fields are {known}")
            # A key may itself contain dots, so the path is also tried as one key.
            self._candidates[self._mapped[name]] = [Candidate(path, True, ()), *fields.candidates((path,))]
        # Whoever says where questions or answers lie has rows of their own; whose data they are, any row may say.
        self._is_own = bool(set(self._mapped.values()) - {"subject"})
        self._subject = (mapping or {}).get("subject", "")
        self._plans: dict[tuple[object, ...], Plan] = {}
        self.found_fields: set[str] = set()  # names of the mapping that led to a value in some row
        self.remarks: set[str] = set()  # on rows in which a field is not found

    def read(self, row: dict[str, object]) -> Trace | str:
        """The trace a row holds, or the reason why it holds none."""
        plan = self._plans.get(tuple(row)) or self.plan(row)
        if self._mapped:
            self.found_fields.update(n for n, field in self._mapped.items() if _first(row, plan[field]) is not None)
        question_id, asked = _first(row, plan["question_id"]), _first(row, plan["question"])
        question = fields.question_in(asked)
        if not isinstance(question_id, str):
            question_id = fields.scalar(question_id) or None
        if question_id is None and question is None:
            return remarks.no_question(row, plan)
        if question is None and asked is not None and len(self.remarks) < _REMARKS_KEPT:
            self.remarks.add(remarks.no_text(row, plan))
        retrieved = fields.together(fields.passages_in(_first(row, plan["retrieved"])), _contexts(row, plan))
        misfit, retrieved = (retrieved, None) if isinstance(retrieved, str) else (None, retrieved)
        key, failed = _FAILED_CHECK
        error = None if row.get(key) == failed else fields.error_in(_first(row, plan["error"]))
        found = fields.trace_of(
            question_id,
            question,
            _first(row, plan["answer"]),
            retrieved,
            fields.citations_in(_first(row, plan["citations"])),
            error or misfit,
            _first(row, plan["triage"]),
        )
        given = _first(row, plan["subject"]) if plan["subject"] else None
        subject = given if isinstance(given, str) else fields.scalar(given)
        return replace(found, subject=subject) if subject else found

    def read_row(self, row: Row) -> Iterator[tuple[object, Trace | Span | Problem]]:
        """What lies in a row, each with the part of the row it was read from."""
        source, line, value, _ = row
        if isinstance(value, Problem):
            yield None, value
        elif isinstance(value, dict) and value.keys() == _EXPORTED:
            if isinstance(trace := _descend(value, ("row", "trace")), dict):  # else it is a verdict, a question...
                yield trace, self._trace(trace, source, line)
        elif not isinstance(value, dict) or self.is_one_trace(value):
            yield value, self._trace(value, source, line)
        elif (spans := self._spans(value)) and not (len(spans) == 1 and self._is_whole(value)):
            if self._subject and any(span and span.subject for span in spans):
                self.found_fields.add("subject")
            unnamed = Problem("malformed", "a span has no trace id", source, line)
            yield from ((value, unnamed if span is None else span) for span in spans)
        elif isinstance(parts := self._parts(value), list):
            yield from (found for part in parts for found in self.read_row(Row(source, line, part)))
        else:
            yield value, self._trace(value, source, line)

    def is_one_trace(self, row: Mapping[str, object]) -> bool:
        """False where the keys of a row may mean spans, a list of traces, or a line of an export."""
        if row.keys() == _EXPORTED:
            return False
        if self._is_own:
            return CONTAINER_KEYS.isdisjoint(row)
        return _SEVERAL.isdisjoint(row) and not (
            any(key in row for key in _SPAN_KEYS) and any(key.startswith(otel.ATTRIBUTES) for key in row)
        )

    def _spans(self, row: dict[str, object]) -> list[Span | None] | None:
        return None if self._is_own else spans_in(row, self._subject)

    def _is_whole(self, row: dict[str, object]) -> bool:
        """True for a row with the ids or times of a span that has its answer and what belongs to it in itself."""
        if all(row.get(key) is None for key in _BESIDE_ANSWERS):
            return False
        found = self.read(row)
        return isinstance(found, Trace) and found.question is not None and found.answer is not None

    def plan(self, row: dict[str, object]) -> Plan:
        """Per field, the keys of this row that may hold it."""
        if len(self._plans) >= _PLANS_KEPT:
            self._plans.clear()
        names = {key.lower(): key for key in reversed(row)} | {key: key for key in row}  # tables write them as titles
        plan = {
            field: [
                c._replace(key=key)
                for c in found
                if (key := names.get(c.key) or names.get(c.key.lower()))
                and UNLESS.get(c.key, _NOTHING).isdisjoint(names)
            ]
            for field, found in self._candidates.items()
        }
        self._plans[tuple(row)] = plan
        if len(self.remarks) < _REMARKS_KEPT and (remark := remarks.unread(row, plan)):
            self.remarks.add(remark)
        return plan

    def _parts(self, value: dict[str, object]) -> object:
        """The list that a row holds instead of a trace, if it does."""
        if isinstance(self.read(value), Trace):
            return None
        found = (_descend(value, path) for path in _CONTAINERS)
        return next((inner for inner in found if isinstance(inner, list) and inner), None)

    def _trace(self, row: object, source: str, line: int) -> Trace | Problem:
        if not isinstance(row, dict):
            return Problem("malformed", f"a trace must be an object, not {kind_of(row)}", source, line)
        found = self.read(row)
        return found if isinstance(found, Trace) else Problem("no_question", found, source, line)


class Logged(Struct, frozen=True):
    """A trace and where it was found. `name` is the id of a trace of spans, `row` what any other was read from."""

    found: Trace | Problem
    source: str
    line: int
    row: object = None
    repairs: str = ""  # to the row's text, without which it could not be read
    name: str = ""
    span_flagged: bool = False  # where a span says that the answer is bad

    @property
    def flagged(self) -> bool:
        """Whether somebody said that the answer is bad."""
        return self.span_flagged or (isinstance(self.row, dict) and is_flagged(self.row))


def read_traces(paths: Iterable[str | Path], mapping: Mapping[str, str] | None = None) -> Iterator[Logged]:
    """All that files, folders or stdin hold, in order; traces of spans come last, when all spans are there."""
    return traces_in(read_rows(paths), mapping)


def traces_in(
    rows: Iterable[Row], mapping: Mapping[str, str] | None = None, spans: list[Span] | None = None
) -> Iterator[Logged]:
    """The same for rows, wherever they come from. `spans` shows to others which spans wait."""
    reader, spans = TraceReader(mapping), [] if spans is None else spans
    for row in rows:
        for part, found in reader.read_row(row):
            if isinstance(found, Span):
                spans.append(found)
            else:
                yield Logged(found, row.source, row.line, part, row.repairs)
    flagged = {span.trace_id for span in spans if span.flagged}
    for number, (name, trace) in enumerate(traces_of(spans).items(), 1):
        yield Logged(trace, SPANS, number, name=": ".join(filter(None, name)), span_flagged=name[0] in flagged)
    for remark in sorted(reader.remarks):
        yield Logged(Problem("note", remark), "", 0)


def _contexts(row: dict[str, object], plan: Plan) -> Retrieved | None:
    found = _first(row, plan["contexts"])
    if isinstance(found, str) and row.get("retrieval_context") == found:
        return fields.contexts_in(found.split("|"))  # as DeepEval writes lists into tables and JSON lines
    return fields.contexts_in(found)


def _first(row: dict[str, object], found: list[Candidate]) -> object:
    for key, direct, below in found:
        value = row[key]
        inner = decoded(value) if below else None
        if type(inner) is dict or type(inner) is list:
            below_it = next((one for path in below if (one := _descend(inner, path)) is not None), None)
            value = value if below_it is None and direct and type(value) is not dict else below_it
        elif not direct:
            continue
        if value is not None:
            return value
    return None


def _descend(value: object, path: tuple[str, ...]) -> object:
    """Follow keys, list positions, and `*` (every element of a list)."""
    for depth, key in enumerate(path):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key == "*":
            found = [_descend(item, path[depth + 1 :]) for item in value]
            return [item for item in found if item is not None]
        elif isinstance(value, list) and key.isdecimal() and len(key) < 9 and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
