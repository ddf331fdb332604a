"""Spans, runs and observations put together into traces.

A question, its retrieval and its answer lie in different spans of one trace, and the spans of one trace may lie
anywhere in a file, so spans are collected first (`spans_in`) and joined by trace id at the end (`traces_of`). What
LangSmith calls a run and Langfuse an observation is a span here; the names of all of them are in these tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from surefoot.core.errors import UsageError, unknown
from surefoot.core.types import Passage, Problem, Retrieved, Trace
from surefoot.io import rows as fields
from surefoot.io.rows import (
    CARRIERS,
    ENVELOPES,
    LESS_PLAIN,
    PATHS,
    Candidate,
    Plan,
    Row,
    carried,
    contexts_in,
    decoded,
    descend,
    error_in,
    is_flagged,
    kind_of,
    read_rows,
    said,
    scalar,
)

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
_DEEPEST_SPAN = 20
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
        if key.startswith("retrieval.documents.") and (match := _DOCUMENT_KEY.fullmatch(key)):
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
        if isinstance(item, dict) and depth < _DEEPEST_SPAN:
            yield from _flattened(item, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", item


def _key_values(pairs: list[object], depth: int = 0) -> dict[str, object]:
    found = ((pair.get("key"), pair.get("value")) for pair in pairs if isinstance(pair, dict))
    return {key: _any_value(value, depth) for key, value in found if isinstance(key, str)}


def _any_value(value: object, depth: int = 0) -> object:
    if not isinstance(value, dict) or depth > _DEEPEST_SPAN:
        return value
    for key in ("kvlistValue", "arrayValue") if "stringValue" not in value else ():
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
        if key.startswith(("llm.", "gen_ai.")) and (match := _MESSAGE_KEY.fullmatch(key)):
            messages.setdefault(match[1], {}).setdefault(int(match[2]), {})[match[3]] = value
    return {name: [parts[i] for i in sorted(parts)] for name, parts in messages.items()} | flat


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
        question_id=next((s.question_id for s in spans if s.question_id), None), question=_question(spans),
        answer=answer, retrieved=Retrieved(_distinct(passages)) if has_retrieval else None,
        error=next((s.error for s in spans if s.error and (not s.parent or answer is None)), None),
        seconds=spans[0].seconds, subject=subject,
    )  # fmt: skip


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
    is_part = query is not None and (prompt is None or query in prompt)
    return asked.get("plain", query if is_part else prompt)


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
        trace_id, _text_at(raw, _SPAN_ID),
        _text_at(raw, PARENT) or parent or (_text_at(raw, _SPAN_ID) if "body" in raw else ""), kind,
        str(next((raw[key] for key in _START if raw.get(key) is not None), "")),
        question_id=_text_at(told, _QUESTION_ID) or None, question=question, answer=answer,
        retrieved=_retrieved(told, kind) if (found := documents(flat)) is None else found, error=_error(raw),
        flagged=is_flagged(told), seconds=_seconds(raw),
        subject=_named(told, (subject, subject.removeprefix("attributes.")) if subject else _SUBJECT),
    )  # fmt: skip


def _kind(told: Mapping[str, object]) -> Kind:
    name = _text_at(told, _KIND).strip('"').lower()
    kind: Kind = next((kind for kind, parts in _KINDS.items() if any(part in name for part in parts)), "plain")
    called = _text_at(told, ("span_attributes.name", "name")).lower()
    return "retrieval" if kind == "aside" and any(part in called for part in _SEARCHES) else kind


def _said(told: Mapping[str, object], keys: Sequence[str], role: str) -> str | None:
    found = (said(_unquoted(told[key]), role) for key in _present(tuple(told), tuple(keys)) if key in told)
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
    for path in _present(tuple(row), tuple(paths)):
        value = _at(row, path)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value:
            return value
    return ""


@lru_cache(maxsize=10_000)
def _present(keys: tuple[str, ...], paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths that begin with one of the keys of a row."""
    return tuple([path for path in paths if path in keys or path.partition(".")[0] in keys])


def _at(row: Mapping[str, object], path: str) -> object:
    """Columns may have dots in their names."""
    if path in row:
        return row[path]
    value: object = row
    for key in path.split("."):
        value = decoded(value)
        value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            return None
    return value


# What a row should have: the fields that provide it and are named to the user, and others that make up for it.
_SOUGHT = {
    "question": (("question_id", "question"), ()),
    "answer": (("answer",), ("error", "triage")),
    "contexts": (("retrieved", "contexts"), ()),
}
_LIKELY = {
    "question": re.compile(r"question|query|prompt|utterance|ask|user|input|request", re.IGNORECASE),
    "answer": re.compile(r"answer|response|reply|output|completion|result|bot|assistant|generated", re.IGNORECASE),
}
_IDS_OF_PASSAGES = frozenset({"chunk_id", "passage_id", "node_id", "doc_id", "document_id"})
_KEYS_NAMED, _DEEPEST = 12, 3


def unread(row: Mapping[str, object], plan: Plan) -> str:
    """One sentence on a row that lacks its question or answer, or has passages where none are looked for."""
    free, lacking = _free(row, plan), _lacking(plan)
    if not _CONTAINER_KEYS.isdisjoint(row) or not free or not lacking:
        return ""
    if lacking == ["contexts"]:
        found = next((place for place in _places(free) if place[0] not in _LIKELY), None)
        words = "looks like retrieved passages and is not read; --map"
        return f"{found[1]} {words} {'='.join(found)} reads it" if found else ""
    looked_for = "; ".join(f"no {name} (looked for {_names(name)})" for name in lacking)
    return f"rows with the keys {_keys(row)} have {looked_for}; {_map_for(free, lacking)}"


def no_question(row: Mapping[str, object], plan: Plan) -> str:
    """The same for a row whose question is not found, so that it cannot be used."""
    free = row if plan["question"] else _free(row, plan)
    has_passages = any(field not in _LIKELY for field, _ in _places(free))
    others = [name for name in _lacking(plan) if name == "answer" or (name == "contexts" and has_passages)]
    looked_for = f"the row has: {_keys(row) or 'nothing'}; looked for {_names('question')}"
    return f"no field names the question ({looked_for}); {_map_for(free, ['question', *others])}"


def no_text(row: Mapping[str, object], plan: Plan) -> str:
    """On a row that may have its question under some key, in which no text is called like one."""
    key, value = next((one.key, row[one.key]) for one in plan["question"] if row.get(one.key) is not None)
    if not isinstance(value, (dict, list)):
        return f"{key} is {fields.kind_of(value)}, not a text"
    inside = value if isinstance(value, dict) else {}
    texts = [name for name, text in inside.items() if isinstance(text, str)]
    has = f" (it has: {_keys(inside)})" if inside else ""
    inner = texts[0] if len(texts) == 1 else "KEY"
    return f"no question is found in {key}{has}; say where it lies with --map question={key}.{inner}"


def _free(row: Mapping[str, object], plan: Plan) -> dict[str, object]:
    """What no field is looked for in."""
    read = {one.key for found in plan.values() for one in found}
    return {key: value for key, value in row.items() if key not in read}


def _lacking(plan: Plan) -> list[str]:
    return [name for name, (named, other) in _SOUGHT.items() if not any(plan[field] for field in (*named, *other))]


def _keys(row: Mapping[str, object]) -> str:
    return ", ".join(str(key)[:40] for key in list(row)[:_KEYS_NAMED])


def _names(name: str) -> str:
    names = list(dict.fromkeys(path for field in _SOUGHT[name][0] for path in PATHS[field] if "." not in path))
    return ", ".join(names[:_KEYS_NAMED]) + (" and others" if len(names) > _KEYS_NAMED else "")


def _map_for(row: Mapping[str, object], lacking: Sequence[str]) -> str:
    """What to try: the first passages, and the one text that is called like a question or an answer."""
    places, options = list(_places(row)), []
    for name in lacking:
        found = ["=".join(place) for place in places if place[0] in (name, *_SOUGHT[name][0])]
        options.append(found[0] if len(found) == 1 or (found and name == "contexts") else f"{name}=KEY")
    they_lie = "it lies" if len(lacking) == 1 else "they lie"
    is_sure = not any(option.endswith("=KEY") for option in options)
    return ("try " if is_sure else f"say where {they_lie} with ") + " ".join(f"--map {option}" for option in options)


def _places(values: Mapping[str, object], below: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    """Fields and where they may lie: texts by their names, and lists of texts or of objects with a text or the id of a
    passage; messages of a chat have a role."""
    for key, value in values.items():
        path = f"{below}{key}"
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _places(value, f"{path}.", depth + 1)
        elif isinstance(value, str) and value.strip():
            yield from ((field, path) for field, words in _LIKELY.items() if words.search(key))
        elif isinstance(value, list) and not any(isinstance(one, dict) and "role" in one for one in value):
            if any(" " in one.text.strip() for one in contexts_in(value) or ()):
                yield "contexts", path
            elif any(isinstance(one, dict) and not _IDS_OF_PASSAGES.isdisjoint(one) for one in value):
                yield "retrieved", path


SPANS = "spans"  # what stands for the file of a trace that was put together from several rows
_PLANS_KEPT, _REMARKS_KEPT = 1_000, 5
_NOTHING: frozenset[str] = frozenset()
# A key that is not read beside some others, as it means another thing there: DeepEval's `context` is gold.
_UNLESS: Mapping[str, frozenset[str]] = {
    "context": frozenset({"actual_output", "actualOutput", "retrieval_context"}),
    **dict.fromkeys(LESS_PLAIN, frozenset((*PATHS["retrieved"], *CARRIERS)).difference(LESS_PLAIN)),
}
# One row may hold many traces: test-case files and exports wrap them in a list under one of these paths.
_CONTAINERS = (
    "testCases", "test_cases", "traces", "samples", "testRunData.testCases", "results.results", "results", "runs",
    "data",
)  # fmt: skip
_CONTAINER_KEYS = frozenset(path.partition(".")[0] for path in _CONTAINERS)
# A row with none of these keys is one trace, unless it has the attributes of a span in columns of their own.
_SEVERAL = frozenset(path.partition(".")[0] for path in (*_CONTAINERS, *CHILDREN, *MARKS, *EXPORTS))
# What rows of logs have and spans do not; `context` is left out, as it may be that of a span.
_BESIDE_ANSWERS = frozenset(
    path for field in ("citations", "retrieved", "contexts") for path in PATHS[field] if "." not in path
) - {"context"}
_SPAN_KEYS = ("traceId", "trace_id", "context.trace_id", "context", "trace")
_EXPORTED = {"kind", "row", "sha256"}  # the keys of a line that `surefoot export` wrote
_FAILED_CHECK = ("failureReason", 1)  # promptfoo: what stands under `error` is said of the answer, which is there


_PASSAGES, _FORMS_KEPT = {"retrieved", "contexts"}, 100
Place = str | tuple[str, str]  # a key, or one of a row and one of the object under it


class TraceReader:
    """Reads rows of any known shape, and of the user's own through `mapping` (field -> path)."""

    def __init__(self, mapping: Mapping[str, str] | None = None, *, is_log: bool = True) -> None:
        self._given = mapping or {}
        self._is_log = is_log  # else what a pipeline sends back, which must have the answer itself
        self._candidates = {field: fields.candidates(paths) for field, paths in PATHS.items()}
        self._mapped = {name: fields.ALIASES.get(name, name) for name in self._given}
        for name, path in self._given.items():
            if self._mapped[name] not in PATHS or name == "triage":
                raise unknown(f"--map: there is no field {name!r} to map", name, sorted(PATHS.keys() - {"triage"}))
            # A key may itself contain dots, so the path is also tried as one key.
            if not is_log and self._mapped[name] in _PASSAGES:
                self._candidates |= {field: [] for field in _PASSAGES - {*self._mapped.values()}}
            self._candidates[self._mapped[name]] = [Candidate(path, True, ()), *fields.candidates((path,))]
        # Whoever says where questions or answers lie has rows of their own; whose data they are, any row may say.
        self._is_own = bool(set(self._mapped.values()) - {"subject"})
        self._subject = self._given.get("subject", "")
        self._plans: dict[tuple[object, ...], Plan] = {}
        # Rows are known by their keys: first which of them hold objects, then, by the keys of these, the form.
        self.forms: dict[tuple[object, ...], Forms] = {}
        self.found_fields: set[str] = set()  # names of the mapping that led to a value in some row
        self.remarks: set[str] = set()  # on rows in which a field is not found

    def read(self, row: dict[str, object]) -> Trace | str:
        """The trace a row holds, or the reason why it holds none."""
        plan = self._plans.get(tuple(row)) or self.plan(row)
        if self._mapped:
            self.found_fields.update(
                n for n, f in self._mapped.items() if _first(row, plan[f]) is not None or (f == "error" and plan[f])
            )
        question_id, asked = _first(row, plan["question_id"]), _first(row, plan["question"])
        question = asked if type(asked) is str and asked[:1] not in ("{", "[") else said(asked, "user")
        if type(question_id) is not str:
            question_id = fields.scalar(question_id) or None
        if question_id is None and question is None:
            return no_question(row, plan) if asked is None else no_text(row, plan)
        if question is None and asked is not None and len(self.remarks) < _REMARKS_KEPT:
            self.remarks.add(no_text(row, plan))
        retrieved, misfit = fields.passages_in(_first(row, plan["retrieved"])), ""
        if plan["contexts"]:
            retrieved, misfit = fields.together(retrieved, _contexts(row, plan))
        key, failed = _FAILED_CHECK
        error = fields.error_in(_first(row, plan["error"])) if plan["error"] and row.get(key) != failed else None
        citations = fields.citations_in(_first(row, plan["citations"])) if plan["citations"] else None
        answer = _first(row, plan["answer"])
        if is_envelope(row) and not any(citations or ()) and (whole := fields.by_vendor(row, retrieved)):
            answer, citations, retrieved = whole
        elif isinstance(answer, (dict, list)) or (type(answer) is str and fields.may_be_json(answer)):
            answer, citations, retrieved = fields.unwrapped(answer, citations, retrieved)
        error = error or misfit or None
        if answer is None and self._is_log:
            answer = fields.answer_from(citations, _first(row, plan["triage"]))
        elif answer is not None and type(answer) is not str:
            error, answer = error or f"the answer is {kind_of(answer)}, not text", None
        found = Trace(question_id, question, answer, retrieved, citations, error)
        if not plan["subject"]:
            return found
        given = _first(row, plan["subject"])
        subject = given if isinstance(given, str) else fields.scalar(given)
        return replace(found, subject=subject) if subject else found

    def check_mapping(self) -> None:
        """Refuse a mapping of which a part has led to nothing: the rows were read by guesses."""
        for name, path in self._given.items():
            if name not in self.found_fields:
                hint = "name a field as it stands in the rows"
                raise UsageError(f"--map {name}={path} leads to nothing in any row", hint)

    def read_row(self, row: Row) -> Iterator[tuple[object, Trace | Span | Problem]]:
        """What lies in a row, each with the part of the row it was read from."""
        source, line, value, _ = row
        if isinstance(value, Problem):
            yield None, value
        elif isinstance(value, dict) and value.keys() == _EXPORTED:
            if isinstance(trace := descend(value, "row.trace"), dict):  # else it is a verdict, a question...
                yield trace, self._trace(trace, source, line)
        elif not isinstance(value, dict) or self.is_one_trace(value):
            yield value, self._trace(value, source, line)
        elif (spans := None if self._is_own else spans_in(value, self._subject)) and not (
            len(spans) == 1 and self._is_whole(value)
        ):
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
            return _CONTAINER_KEYS.isdisjoint(row)
        return _SEVERAL.isdisjoint(row) and not (
            any(key in row for key in _SPAN_KEYS) and any(key.startswith(ATTRIBUTES) for key in row)
        )

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
            self.forms.clear()
        names = {key.lower(): key for key in reversed(row)} | {key: key for key in row}  # tables write them as titles
        plan = {
            field: [
                c._replace(key=key)
                for c in found
                if (key := names.get(c.key) or names.get(c.key.lower()))
                and _UNLESS.get(c.key, _NOTHING).isdisjoint(names)
            ]
            for field, found in self._candidates.items()
        }
        self._plans[tuple(row)] = plan
        if len(self.remarks) < _REMARKS_KEPT and (remark := unread(row, plan)):
            self.remarks.add(remark)
        return plan

    def learn(self, row: dict[str, Any]) -> Forms:
        """The forms of rows with these keys, and among them now that of this row."""
        plan = self._plans.get(tuple(row)) or self.plan(row)
        holders = {one.key for found in plan.values() for one in found if one.below}
        objects = tuple([key for key in row if key in holders and type(row[key]) is dict])
        objects, forms = self.forms.setdefault(tuple(row), (objects, {}))
        if len(forms) < _FORMS_KEPT and all(type(row[key]) is dict for key in objects):
            is_read = self._is_log and not self._given and self.is_one_trace(row) and not is_envelope(row)
            forms[tuple([tuple(row[key]) for key in objects])] = _form(row, plan, objects) if is_read else None
        return objects, forms

    def _parts(self, value: dict[str, object]) -> object:
        """The list that a row holds instead of a trace, if it does."""
        if isinstance(self.read(value), Trace):
            return None
        found = (descend(value, path) for path in _CONTAINERS)
        return next((inner for inner in found if isinstance(inner, list) and inner), None)

    def _trace(self, row: object, source: str, line: int) -> Trace | Problem:
        if not isinstance(row, dict):
            return Problem("malformed", f"a trace must be an object, not {kind_of(row)}", source, line)
        found = self.read(row)
        return found if isinstance(found, Trace) else Problem("no_question", found, source, line)


def is_envelope(row: Mapping[str, object]) -> bool:
    """Whether a row may be what a vendor of models sent, with notes beside the answer."""
    return not ENVELOPES.isdisjoint(row) or ("citations" in row and isinstance(row.get("output"), dict))


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
    reader, is_whole, row = TraceReader(mapping), spans is None, None
    spans = [] if spans is None else spans
    for row in rows:
        for part, found in reader.read_row(row):
            if isinstance(found, Span):
                spans.append(found)
            else:
                yield Logged(found, row.source, row.line, part, row.repairs)
    if is_whole and row:
        reader.check_mapping()
    flagged = {span.trace_id for span in spans if span.flagged}
    for number, (name, trace) in enumerate(traces_of(spans).items(), 1):
        yield Logged(trace, SPANS, number, name=": ".join(filter(None, name)), span_flagged=name[0] in flagged)
    for remark in sorted(reader.remarks):
        yield Logged(Problem("note", remark), "", 0)


_READ = ("question_id", "question", "answer", "retrieved", "citations", "contexts", "error")


class Form(NamedTuple):
    """Where rows with the same keys have what is read, in the order of `_READ`."""

    places: tuple[Place | None, ...]
    is_whole: bool  # whether question and answer may be other values than texts; if not, fields may lie inside these


def _form(row: Mapping[str, Any], plan: Plan, objects: tuple[str, ...]) -> Form | None:
    """None where a field may lie in several places, deeper, or in what a text holds."""
    places, texts = dict[str, Place | None](), set[str]()
    for field in _READ:
        found = list[Place]()
        for key, direct, below in plan[field]:
            inside = [route for route in below if key in objects and route[0] in row[key]]
            found += [(key, route[0]) for route in inside]
            if any(len(route) > 1 for route in inside):
                return None
            if below and key not in objects:
                texts.add(key)
            if direct and not (below and key in objects):
                found.append(key)
        if len(found) > 1:
            return None
        places[field] = found[0] if found else None
    is_open = texts - {places["question"], places["answer"]}
    return None if is_open else Form(tuple(places.values()), is_whole=not texts)


Forms = tuple[tuple[str, ...], dict[tuple[tuple[str, ...], ...], Form | None]]  # keys of objects; forms by keys inside


def _contexts(row: dict[str, object], plan: Plan) -> Retrieved | None:
    found = _first(row, plan["contexts"])
    if isinstance(found, str) and row.get("retrieval_context") == found:
        return fields.contexts_in(found.split("|"))  # as DeepEval writes lists into tables and JSON lines
    return fields.contexts_in(found)


def _first(row: dict[str, object], found: list[Candidate]) -> object:
    for key, direct, below in found:
        value = row[key]
        if below and (type(value) is not str or value[:1] in ("{", "[")):
            inner = decoded(value)
            if type(inner) is dict or type(inner) is list:
                below_it = next((one for path in below if (one := descend(inner, path)) is not None), None)
                value = value if below_it is None and direct and type(value) is not dict else below_it
            elif not direct:
                continue
        elif not direct:
            continue
        if value is not None:
            return value
    return None
