"""OpenTelemetry spans (GenAI conventions and OpenInference) put together into traces.

A question, its retrieval and its answer lie in different spans of one trace, and the spans of one trace may lie
anywhere in a file, so spans are collected first (`spans_in`) and joined by trace id at the end (`traces_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import DecodeError, Struct, json

from surefoot.io.fields import passages_in
from surefoot.types import Passage, Retrieved, Trace

_QUESTION = ("input.value", "gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages")
_ANSWER = ("output.value", "gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_QUESTION_ID = ("surefoot.question_id", "question_id", "qid", "metadata.qid", "metadata.question_id")
_DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_DOCUMENT_KEY = re.compile(r"retrieval\.documents\.(\d{1,6})\.document\.(id|content|metadata)")
_MESSAGE_KEY = re.compile(
    r"(llm\.(?:input|output)_messages|gen_ai\.(?:prompt|completion))\.(\d{1,6})\.(?:message\.)?(role|content)"
)
_TEXT_KEYS = (
    "question", "query", "input", "answer", "output", "response", "result", "content", "text", "value", "messages",
    "contents",
)  # fmt: skip


class Span(Struct, frozen=True):
    """The part of a span that holds a question, an answer, a retrieval or a failure."""

    trace_id: str
    is_root: bool
    question_id: str | None = None
    question: str | None = None
    answer: str | None = None
    retrieved: Retrieved | None = None
    error: str | None = None


def spans_in(row: Mapping[str, object]) -> list[Span | None] | None:
    """The spans a row holds: an OTLP export, one span, or a flattened one; None when it is no span row.

    A None in the list is a span that cannot be read, for lack of a trace id: it still has to be accounted for.
    """
    if "resourceSpans" in row or "resource_spans" in row:
        return [_span(raw) if isinstance(raw, dict) else None for raw in _walk(row)]
    if "attributes" in row or any(key.startswith("attributes.") for key in row):
        span = _span(row)
        return None if span is None else [span]
    return None


def traces_of(spans: list[Span]) -> dict[str, Trace]:
    """One trace per trace id: the outermost span that says a thing is believed."""
    by_id: dict[str, list[Span]] = {}
    for span in spans:
        by_id.setdefault(span.trace_id, []).append(span)
    return {name: _joined(sorted(group, key=lambda s: not s.is_root)) for name, group in by_id.items()}


def _joined(spans: list[Span]) -> Trace:
    passages = [p for span in spans if span.retrieved is not None for p in span.retrieved]
    has_retrieval = any(span.retrieved is not None for span in spans)
    answer = next((s.answer for s in spans if s.answer), None)
    return Trace(
        question_id=next((s.question_id for s in spans if s.question_id), None),
        question=next((s.question for s in spans if s.question), None),
        answer=answer,
        retrieved=Retrieved(_distinct(passages)) if has_retrieval else None,
        error=next((s.error for s in spans if s.error and (s.is_root or answer is None)), None),
    )


def _distinct(passages: list[Passage]) -> list[Passage]:
    """Each once, although several spans may name it, some of them by its id alone."""
    with_text = {passage.id for passage in passages if passage.text}
    return [p for p in dict.fromkeys(passages) if p.text or p.id not in with_text]


def _walk(row: Mapping[str, object]) -> Iterator[object]:
    for resource in _list(row, "resourceSpans", "resource_spans"):
        for scope in _list(resource, "scopeSpans", "scope_spans"):
            yield from _list(scope, "spans") if isinstance(scope, dict) else [scope]


def _list(value: object, *keys: str) -> list[object]:
    """What lies under one of the keys; anything that is no object stands for itself, to be counted as unreadable."""
    if not isinstance(value, dict):
        return [value]
    return next((found for key in keys if isinstance(found := value.get(key), list)), [])


def _span(raw: Mapping[str, object]) -> Span | None:
    context = raw.get("context")
    context = context if isinstance(context, dict) else {}
    trace_id = raw.get("traceId") or raw.get("trace_id") or raw.get("context.trace_id") or context.get("trace_id")
    if not isinstance(trace_id, str):
        return None
    attributes = _attributes(raw)
    return Span(
        trace_id,
        is_root=not any(raw.get(key) for key in _PARENT),
        question_id=_attribute_text(attributes, _QUESTION_ID, "user"),
        question=_attribute_text(attributes, _QUESTION, "user"),
        answer=_attribute_text(attributes, _ANSWER, "assistant"),
        retrieved=_documents(attributes),
        error=_status_error(raw),
    )


def _attributes(raw: Mapping[str, object]) -> dict[str, object]:
    """Attributes as a flat dictionary, from OTLP's key/value list, a nested object or dotted columns."""
    value = _decoded(raw.get("attributes"))
    if isinstance(value, list):
        flat = _key_values(value)
    else:
        flat = dict(_flattened(value, "")) if isinstance(value, dict) else {}
    flat |= {key[len("attributes.") :]: v for key, v in raw.items() if key.startswith("attributes.")}
    return _with_messages(flat)


def _flattened(value: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _flattened(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item


def _key_values(pairs: list[object]) -> dict[str, object]:
    found = ((pair.get("key"), pair.get("value")) for pair in pairs if isinstance(pair, dict))
    return {key: _any_value(value) for key, value in found if isinstance(key, str)}


def _any_value(value: object) -> object:
    if not isinstance(value, dict):
        return value
    for key in ("kvlistValue", "arrayValue"):
        if isinstance(value.get(key), dict):
            values = _list(value[key], "values")
            return _key_values(values) if key == "kvlistValue" else [_any_value(item) for item in values]
    return next(iter(value.values()), None)


def _with_messages(flat: dict[str, object]) -> dict[str, object]:
    """OpenInference and OpenLLMetry spread messages over numbered keys: gather them under one."""
    messages: dict[str, dict[int, dict[str, object]]] = {}
    for key, value in flat.items():
        if match := _MESSAGE_KEY.fullmatch(key):
            messages.setdefault(match[1], {}).setdefault(int(match[2]), {})[match[3]] = value
    gathered = {name: [parts[i] for i in sorted(parts)] for name, parts in messages.items()}
    return {**gathered, **flat}


def _attribute_text(attributes: Mapping[str, object], keys: tuple[str, ...], role: str) -> str | None:
    for key in keys:
        if key in attributes and (text := _text(attributes[key], role)):
            return text
    return None


def _text(value: object, role: str) -> str | None:
    """Plain text, or what a JSON string, a list of messages or an object says in the given role."""
    if isinstance(value, str):
        if value[:1] not in "[{":
            return value
        try:
            return _text(json.decode(value), role) or value
        except (DecodeError, RecursionError):
            return value
    if isinstance(value, list):
        messages = [_message(m) for m in value if isinstance(m, dict)]
        texts = [text for m in messages if m.get("role", role) == role and (text := _text(m.get("parts") or m, role))]
        return texts[-1] if texts else None
    if isinstance(value, dict):
        return next((text for k in _TEXT_KEYS if (text := _text(value.get(k), role))), None)
    return None


def _message(value: dict[str, object]) -> dict[str, object]:
    """A message by its plain keys: OpenInference writes `message.role`, or puts all of it under `message`."""
    inner = value.get("message")
    return inner if isinstance(inner, dict) else {key.rpartition(".")[2]: item for key, item in value.items()}


def _documents(attributes: Mapping[str, object]) -> Retrieved | None:
    numbered: dict[int, dict[str, object]] = {}
    for key, value in attributes.items():
        if match := _DOCUMENT_KEY.fullmatch(key):
            numbered.setdefault(int(match[1]), {})[match[2]] = _decoded(value) if match[2] == "metadata" else value
    if numbered:
        return passages_in([numbered[i] for i in sorted(numbered)])
    found = (passages_in(_decoded(attributes.get(key))) for key in _DOCUMENTS)
    return next((passages for passages in found if passages is not None), None)


def _decoded(value: object) -> object:
    """What a text holds, where it is JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.decode(value)
    except (DecodeError, RecursionError):
        return value


def _status_error(raw: Mapping[str, object]) -> str | None:
    status = raw.get("status")
    code = status.get("code") if isinstance(status, dict) else raw.get("status_code", status)
    if code not in (2, "2", "ERROR", "STATUS_CODE_ERROR"):
        return None
    message = status.get("message") if isinstance(status, dict) else raw.get("status_message")
    return str(message or "the span ended with an error")[:300]
