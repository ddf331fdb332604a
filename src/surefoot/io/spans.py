"""Spans, runs and observations put together into traces.

A question, its retrieval and its answer lie in different spans of one trace, and the spans of one trace may lie
anywhere in a file, so spans are collected first (`spans_in`) and joined by trace id at the end (`traces_of`). What
LangSmith calls a run and Langfuse an observation is a span here; the names of all of them are in these tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from surefoot.core.types import Passage, Retrieved, Trace
from surefoot.io.fields import carried, contexts_in, decoded, error_in, is_flagged, said, scalar

# An export, the parts of it, and the spans or log records in these.
_EXPORTS = (
    (("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"), ("spans",)),
    (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")),
)
EXPORTS = tuple(key for outer, _, _ in _EXPORTS for key in outer)
ATTRIBUTES = ("attributes", "record_attributes")
# Attributes of spans, and columns of their like, that hold what was asked.
QUESTION = (
    "input.value", "gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "mlflow.spanInputs",
    "ai.observability.record_root.input", "langfuse.trace.input", "langfuse.observation.input",
    "gen_ai.retrieval.query.text", "ai.observability.retrieval.query_text", "inputs", "input", "question", "query",
)  # fmt: skip
_DOCUMENTS = (
    "gen_ai.retrieval.documents", "retrieval.documents", "ai.observability.retrieval.retrieved_contexts",
)  # fmt: skip
_DOCUMENT_KEY = re.compile(r"retrieval\.documents\.(\d{1,6})\.document\.(id|content|metadata)")
_MESSAGE_KEY = re.compile(
    r"(llm\.(?:input|output)_messages|gen_ai\.(?:prompt|completion))\.(\d{1,6})\.(?:message\.)?(role|content)"
)
_DEEPEST = 20
# Events that are one message each; others have the attributes of a span.
_MESSAGE_EVENTS = {"gen_ai.user.message": "gen_ai.input.messages", "gen_ai.choice": "gen_ai.output.messages"}


def raw_spans(row: Mapping[str, object]) -> list[object]:
    """All spans of an OTLP export, and its log records, each as a span with one event."""
    return [found for keys in _EXPORTS for found in _walk(row, *keys)]


def tells_question(name: str) -> bool:
    """Whether an attribute or event of this name may hold what was asked: messages are spread over numbered keys."""
    return name.startswith(QUESTION) or name in _MESSAGE_EVENTS


def is_asked(raw: Mapping[str, object]) -> bool:
    """The same of a span of an OTLP export, without reading what it holds."""
    pairs, events = raw.get("attributes"), raw.get("events")
    named = [(pairs, "key"), (events, "name")]
    return any(
        isinstance(one, dict) and tells_question(str(one.get(key)))
        for found, key in named for one in (found if isinstance(found, list) else ())
    )  # fmt: skip


def attributes(raw: Mapping[str, object]) -> dict[str, object]:
    """What a span says of itself and in its events."""
    flat = _flat(raw)
    events = raw.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            flat = _with_event(flat, event, event.get("name"))
    if "body" in raw:  # a log record is an event itself
        flat = _with_event({}, raw, raw.get("eventName") or flat.get("event.name"))
    return _with_messages(flat)


def documents(flat: Mapping[str, object]) -> Retrieved | None:
    numbered: dict[int, dict[str, object]] = {}
    for key, value in flat.items():
        if match := _DOCUMENT_KEY.fullmatch(key):
            numbered.setdefault(int(match[1]), {})[match[2]] = decoded(value) if match[2] == "metadata" else value
    if numbered:
        return contexts_in([numbered[i] for i in sorted(numbered)])
    found = (contexts_in(decoded(flat.get(key))) for key in _DOCUMENTS)
    return next((passages for passages in found if passages is not None), None)


def _walk(value: object, *keys: tuple[str, ...]) -> Iterator[object]:
    """What lies under the keys, list in list; what is no object stands for itself, to be counted as unreadable."""
    if not keys or not isinstance(value, dict):
        yield value
        return
    inner = next((found for key in keys[0] if isinstance(found := value.get(key), list)), [])
    for item in inner:
        yield from _walk(item, *keys[1:])


def _flat(raw: Mapping[str, object]) -> dict[str, object]:
    """Attributes as a flat dictionary, from OTLP's key/value list, a nested object or dotted columns."""
    value = next((decoded(raw[key]) for key in ATTRIBUTES if key in raw), None)
    if isinstance(value, list):
        flat = _key_values(value)
    else:
        flat = dict(_flattened(value, "")) if isinstance(value, dict) else {}
    flat |= {key[len("attributes.") :]: v for key, v in raw.items() if key.startswith("attributes.")}
    return flat


def _flattened(value: Mapping[str, object], prefix: str, depth: int = 0) -> Iterator[tuple[str, object]]:
    for key, item in value.items():
        if isinstance(item, dict) and depth < _DEEPEST:
            yield from _flattened(item, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", item


def _key_values(pairs: list[object], depth: int = 0) -> dict[str, object]:
    found = ((pair.get("key"), pair.get("value")) for pair in pairs if isinstance(pair, dict))
    return {key: _any_value(value, depth) for key, value in found if isinstance(key, str)}


def _any_value(value: object, depth: int = 0) -> object:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return value
    for key in ("kvlistValue", "arrayValue"):
        if isinstance(inner := value.get(key), dict):
            values = inner.get("values")
            values = values if isinstance(values, list) else []
            read = [_any_value(item, depth + 1) for item in values] if key == "arrayValue" else None
            return _key_values(values, depth + 1) if read is None else read
    return next(iter(value.values()), None)


def _with_event(flat: dict[str, object], event: Mapping[str, object], name: object) -> dict[str, object]:
    if not isinstance(name, str) or not name.startswith("gen_ai."):
        return flat
    body = _any_value(event.get("body"))
    told = _flat(event) | (body if isinstance(body, dict) else {})
    return {**flat, _MESSAGE_EVENTS[name]: told} if name in _MESSAGE_EVENTS else {**told, **flat}


def _with_messages(flat: dict[str, object]) -> dict[str, object]:
    """OpenInference and OpenLLMetry spread messages over numbered keys: gather them under one."""
    messages: dict[str, dict[int, dict[str, object]]] = {}
    for key, value in flat.items():
        if match := _MESSAGE_KEY.fullmatch(key):
            messages.setdefault(match[1], {}).setdefault(int(match[2]), {})[match[3]] = value
    gathered = {name: [parts[i] for i in sorted(parts)] for name, parts in messages.items()}
    return {**gathered, **flat}


Kind = Literal["plain", "model", "retrieval", "aside"]

_TRACE_ID = ("traceId", "trace_id", "context.trace_id", "trace.trace_id", "root_span_id")
_SPAN_ID = ("spanId", "span_id", "context.span_id", "trace.span_id", "id")
PARENT = (
    "parentSpanId", "parent_span_id", "parent_id", "parentId", "trace.parent_id", "parent_run_id",
    "parentObservationId", "parent_observation_id", "span_parents",
)  # fmt: skip
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp", "timeUnixNano")
_NANOSECONDS = (("startTimeUnixNano", "endTimeUnixNano"), ("start_time_unix_nano", "end_time_unix_nano"))
_PUT = ("inputs", "input", "outputs", "output")
MARKS = (*PARENT, "startTime", "start_time", "run_type", "span_attributes")  # besides a trace id, of a span
# What a row may hold all spans of a trace under.
CHILDREN = ("child_runs", "observations", "spans", "data.spans", "trace.data.spans")
_ANSWER = (
    "output.value", "gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "mlflow.spanOutputs",
    "ai.observability.record_root.output", "langfuse.trace.output", "langfuse.observation.output", "outputs", "output",
    "answer", "response",
)  # fmt: skip
_QUESTION_ID = (
    "surefoot.question_id", "question_id", "qid", "metadata.qid", "metadata.question_id", "extra.metadata.qid",
    "extra.metadata.question_id",
)  # fmt: skip
# Whose data a trace is. `session.id` names a visit and no person.
_SUBJECT = (
    "enduser.id", "user.id", "enduser.pseudo.id", "langfuse.user.id", "user_id", "userId", "subject_id",
    "metadata.user_id", "extra.metadata.user_id",
)  # fmt: skip
LOOKED_FOR = ", ".join(QUESTION)  # for the question of a trace
_KIND = (
    "openinference.span.kind", "mlflow.spanType", "ai.observability.span_type", "langfuse.observation.type",
    "traceloop.span.kind", "gen_ai.operation.name", "run_type", "span_attributes.type", "span_kind", "type",
)  # fmt: skip
_KINDS: Mapping[Kind, tuple[str, ...]] = {
    "retrieval": ("retriev",),
    "model": ("llm", "generat", "chat", "completion"),
    "aside": ("embed", "rerank", "tool", "guardrail", "evaluat", "score", "function"),
}
_SEARCHES = ("retriev", "search")  # in the name of a tool or function
_SPANS_DEEPEST = 50


class Span(Struct, frozen=True):
    """The part of a span that holds a question, an answer, a retrieval or a failure."""

    trace_id: str
    span_id: str = ""
    parent: str = ""
    kind: Kind = "plain"
    start: str = ""  # in whatever way the export writes times
    question_id: str | None = None
    question: str | None = None
    answer: str | None = None
    retrieved: Retrieved | None = None
    error: str | None = None
    flagged: bool = False
    seconds: float | None = None
    subject: str = ""


def spans_in(row: Mapping[str, object], subject: str = "") -> list[Span | None] | None:
    """The spans a row holds: an OTLP export, one span, or a span with those below it; None when it is no span row.

    A None in the list is a span that cannot be read, for lack of a trace id: it still has to be accounted for.
    `subject` is where spans name the person, if not where they usually do.
    """
    if any(key in row for key in EXPORTS):
        return [_span(raw, "", "", subject) if isinstance(raw, dict) else None for raw in raw_spans(row)]
    children = _children(row)
    if children:
        name = _text_at(row, _TRACE_ID) or _text_at(row, ("id", "info.trace_id", "info.request_id"))
        return list(_tree(row, children, name, "", subject))
    has_attributes = any(key.startswith(ATTRIBUTES) for key in row)
    if has_attributes or (any(key in row for key in MARKS) and any(key in row for key in _PUT)):
        span = _span(row, "", "", subject)
        return None if span is None else [span]
    return None


def traces_of(spans: list[Span]) -> dict[tuple[str, str], Trace]:
    """One trace per trace id: the outermost span that says a thing is believed.

    Only where a trace id has spans at the top that answer different questions is each of these a trace, so that the
    key has the question, too.
    """
    by_id: dict[str, list[Span]] = {}
    for span in spans:
        by_id.setdefault(span.trace_id, []).append(span)
    groups = {(name, asked): group for name, every in by_id.items() for asked, group in _by_question(every).items()}
    return {key: _joined(_outermost_first(group), _subject([*group, *by_id[key[0]]])) for key, group in groups.items()}


def _by_question(spans: list[Span]) -> dict[str, list[Span]]:
    asked = {s.question for s in spans if not s.parent and s.kind == "plain" and s.question and s.answer}
    if len(asked) <= 1:
        return {"": spans}
    above = {span.span_id: span for span in spans if span.span_id}
    groups: dict[str, list[Span]] = {}
    for span in spans:
        groups.setdefault(_lineage(span, above)[-1].question or "", []).append(span)
    return groups


def _lineage(span: Span, above: Mapping[str, Span]) -> list[Span]:
    """A span and those above it, as far as they are known."""
    line = [span]
    while line[-1].parent in above and len(line) < _SPANS_DEEPEST:
        line.append(above[line[-1].parent])
    return line


def _outermost_first(spans: list[Span]) -> list[Span]:
    above = {span.span_id: span for span in spans if span.span_id}

    def depth(span: Span) -> int:
        line = _lineage(span, above)
        return len(line) - (not line[-1].parent)  # below one that is not there, it is deeper than at the top

    return sorted(spans, key=lambda span: (depth(span), span.start))


def _subject(spans: list[Span]) -> str | UnsetType:
    """Any span may say whose data it is: often the outermost, but some name the person beside each call of a model."""
    return next((span.subject for span in spans if span.subject), UNSET)


def _joined(spans: list[Span], subject: str | UnsetType) -> Trace:
    passages = [p for span in spans if span.retrieved is not None for p in span.retrieved]
    has_retrieval = any(span.retrieved is not None for span in spans)
    answer = _answer(spans)
    return Trace(
        question_id=next((s.question_id for s in spans if s.question_id), None),
        question=_question(spans),
        answer=answer,
        retrieved=Retrieved(_distinct(passages)) if has_retrieval else None,
        error=next((s.error for s in spans if s.error and (not s.parent or answer is None)), None),
        seconds=spans[0].seconds,
        subject=subject,
    )


def _answer(spans: list[Span]) -> str | None:
    """What the outermost span gave, or else the last of the models that are called by the same one."""
    said_by = [span for span in spans if span.answer]
    plain = next((span.answer for span in said_by if span.kind == "plain"), None)
    return plain or next((s.answer for s in reversed(said_by) if s.parent == said_by[0].parent), None)


def _question(spans: list[Span]) -> str | None:
    """What the outermost span was asked. A model is asked more than the question, if it is shown passages too."""
    asked: dict[Kind, str] = {}
    for span in spans:
        if span.question:
            asked.setdefault(span.kind, span.question)
    query, prompt = asked.get("retrieval"), asked.get("model")
    if query is not None and (prompt is None or query in prompt):
        prompt = query
    return asked.get("plain", prompt)


def _distinct(passages: list[Passage]) -> list[Passage]:
    """Each once, although several spans may name it, some of them by its id or its text alone."""
    with_text = {passage.id for passage in passages if passage.text}
    with_id = {passage.text for passage in passages if passage.id}
    return [
        passage
        for passage in {(one.id, one.text): one for one in passages}.values()
        if (passage.text or passage.id not in with_text) and (passage.id or passage.text not in with_id)
    ]


def _children(row: Mapping[str, object]) -> list[object]:
    """The spans below a row, if they are spans: some exports only name them, and other rows may have such a key."""
    found = (decoded(_at(row, path)) for path in CHILDREN)
    return next((inner for inner in found if isinstance(inner, list) and any(map(_is_span, inner))), [])


def _is_span(value: object) -> bool:
    return isinstance(value, dict) and any(key in value for key in (*_TRACE_ID, *PARENT, *_PUT))


def _tree(
    row: Mapping[str, object], children: Sequence[object], name: str, parent: str, subject: str, depth: int = 0
) -> Iterator[Span | None]:
    """A row as a span, where it says something itself, and all spans below it."""
    if depth or any(key in row for key in _PUT):
        yield _span(row, name, parent, subject)
    above = _text_at(row, _SPAN_ID) if any(key in row for key in _PUT) else ""
    for child in children if depth < _SPANS_DEEPEST else ():
        below = _tree(child, _children(child), name, above, subject, depth + 1) if isinstance(child, dict) else [None]
        yield from below


def _span(raw: Mapping[str, object], trace_id: str, parent: str, subject: str) -> Span | None:
    trace_id = trace_id or _text_at(raw, _TRACE_ID)
    if not trace_id:
        return None
    flat = attributes(raw)
    told = {**raw, **flat}
    kind = _kind(told)
    question = _said(told, QUESTION, "user") if kind != "aside" else None
    answer = _said(told, _ANSWER, "assistant") if kind in ("plain", "model") else None
    return Span(
        trace_id,
        _text_at(raw, _SPAN_ID),
        _text_at(raw, PARENT) or parent or (_text_at(raw, _SPAN_ID) if "body" in raw else ""),
        kind,
        _start(raw),
        question_id=_text_at(told, _QUESTION_ID) or None,
        question=question,
        answer=answer,
        retrieved=_retrieved(told, kind) if (found := documents(flat)) is None else found,
        error=_error(raw),
        flagged=is_flagged(told),
        seconds=_seconds(raw),
        subject=_named(told, (subject, subject.removeprefix("attributes.")) if subject else _SUBJECT),
    )


def _kind(told: Mapping[str, object]) -> Kind:
    name = _text_at(told, _KIND).strip('"').lower()
    kind: Kind = next((kind for kind, parts in _KINDS.items() if any(part in name for part in parts)), "plain")
    called = _text_at(told, ("span_attributes.name", "name")).lower()
    return "retrieval" if kind == "aside" and any(part in called for part in _SEARCHES) else kind


def _said(told: Mapping[str, object], keys: Sequence[str], role: str) -> str | None:
    found = (said(_unquoted(told[key]), role) for key in keys if key in told)
    return next(filter(None, found), None)


def _unquoted(value: object) -> object:
    """MLflow writes texts as JSON, too."""
    inner = decoded(f"[{value}]") if isinstance(value, str) and value[:1] == '"' == value[-1:] else None
    return inner[0] if isinstance(inner, list) and len(inner) == 1 else value


def _retrieved(told: Mapping[str, object], kind: Kind) -> Retrieved | None:
    """What a retriever gave, or an answer came with."""
    found = (carried(decoded(told[key]), bare=kind == "retrieval") for key in _ANSWER if key in told)
    given = next((passages for passages in found if passages is not None), None)
    return None if kind == "aside" else given if given is not None else carried(told, bare=False)


def _error(raw: Mapping[str, object]) -> str | None:
    if found := error_in(raw.get("error")):
        return found
    status = raw.get("status")
    status = status if isinstance(status, dict) else {"code": raw.get("status_code", status or raw.get("level"))}
    code = status.get("code", status.get("status_code"))
    if code not in (2, "2", "ERROR", "STATUS_CODE_ERROR"):
        return None
    message = status.get("message") or status.get("description") or raw.get("status_message")
    return str(message or raw.get("statusMessage") or "the span ended with an error")[:300]


def _start(raw: Mapping[str, object]) -> str:
    return str(next((raw[key] for key in _START if raw.get(key) is not None), ""))


def _seconds(raw: Mapping[str, object]) -> float | None:
    """From start to end by the same clock; None where that clock was set back meanwhile."""
    for start, end in _NANOSECONDS:
        try:
            taken = (int(str(raw[end])) - int(str(raw[start]))) / 1e9
        except (KeyError, ValueError):
            continue
        return taken if taken >= 0 else None
    return None


def _named(told: Mapping[str, object], paths: Sequence[str]) -> str:
    """An id, which may be a number."""
    return _text_at(told, paths) or next(filter(None, (scalar(_at(told, path)) for path in paths)), "")


def _text_at(row: Mapping[str, object], paths: Sequence[str]) -> str:
    """The first of some paths that leads to a text, or to a list of which the first is one."""
    for path in paths:
        value = _at(row, path)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value:
            return value
    return ""


def _at(row: Mapping[str, object], path: str) -> object:
    """Columns may have dots in their names."""
    if path in row:
        return row[path]
    value: object = row
    for key in path.split("."):
        value = decoded(value)
        value = value.get(key) if isinstance(value, dict) else None
    return value
