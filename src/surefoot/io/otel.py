"""The attributes of OpenTelemetry spans, flat: from OTLP exports, nested objects, dotted columns, and span events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from surefoot.io.fields import contexts_in
from surefoot.io.said import decoded
from surefoot.types import Retrieved

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
