"""What the value of a trace field means: citation lists, retrieved passages, errors, wrapped answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import DecodeError, json

from surefoot.io.kinds import kind_of
from surefoot.text.citations import split_list
from surefoot.types import Passage, Retrieved, Trace

_ID_KEYS = ("id", "chunk_id", "passage_id", "doc_id", "document_id", "node_id", "id_", "_id", "document.id")
_ORIGIN_KEYS = ("ref", "source")  # serve as an id where there is no other
_TEXT_KEYS = ("text", "content", "page_content", "chunk", "passage", "context", "document.content", "document")
# Where frameworks put the fields of a passage, if not in the passage itself.
_INSIDE = ("document", "node", "kwargs", "payload", "_source", "content", "metadata", "document.metadata")
_ANSWER_KEYS = ("claim", "answer", "text", "response")
_ERROR_KEYS = ("message", "detail", "type")
_LONGEST_ID = 300
_DEEPEST = 3
_SENTENCE_ENDS = tuple(".!?。！？")
_WORDS = 3


def trace_of(
    question_id: str | None,
    question: str | None,
    answer: object,
    retrieved: Retrieved | None,
    citations: tuple[str, ...] | None,
    error: str | None,
    triage: object = None,
) -> Trace:
    """Put a trace together; the answer may still be wrapped in JSON, replaced by its citations, or no text at all."""
    if type(answer) is str:
        if answer[:1] == "{" and answer[-1:] == "}":
            answer, citations = _unwrapped(answer, citations)
    elif answer is None:
        answer = _answer_from(citations, triage)
    else:
        error = error or f"the answer is {kind_of(answer)}, not text"
        answer = None
    return Trace(question_id, question, answer, retrieved, citations, error)


def citations_in(value: object) -> tuple[str, ...] | None:
    """Ids, objects with an id, or one string of them."""
    if isinstance(value, str):
        return tuple(split_list(value.strip("[] ")))
    if isinstance(value, dict):
        value = [value]
    return tuple(map(_identifier, value)) if isinstance(value, list) else None


def passages_in(value: object) -> Retrieved | None:
    """Retrieved passages: ids, or objects with an id and perhaps a text."""
    return Retrieved(map(_passage, value)) if isinstance(value, list) else None


def contexts_in(value: object) -> Retrieved | None:
    """Retrieved texts without ids, as test-case files keep them."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return None
    return Retrieved(Passage("", item) if isinstance(item, str) else _passage(item) for item in value)


def together(ids: Retrieved | None, texts: Retrieved | None) -> Retrieved | str | None:
    """What was retrieved, where a log has the ids in one list and the texts in another; or why they do not fit."""
    if texts is None or any(passage.text for passage in ids or ()):
        return ids
    if not ids:  # no list of ids, or an empty one: passages that have none
        return texts
    if len(ids) != len(texts):
        return f"the log has {len(ids)} ids of retrieved passages and {len(texts)} texts"
    pairs = zip(ids, texts, strict=True)
    return Retrieved(Passage(known.id or text.id, text.text, text.doc, text.page) for known, text in pairs)


def error_in(value: object) -> str | None:
    if not value:
        return None
    if isinstance(value, dict):
        value = first_text(value, _ERROR_KEYS) or "unnamed error"
    return "the pipeline reported an error" if value is True else re.sub(r"\s+", " ", str(value))[:300]


def first_text(value: dict[object, object], keys: Sequence[str]) -> str:
    """The first of some keys that holds a text or a number."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str):
            return found
        if text := scalar(found):
            return text
    return ""


def _text_in(value: dict[object, object], keys: Sequence[str], depth: int = 0) -> str:
    """The same, also in what frameworks wrap around a passage."""
    inside = (value[key] for key in _INSIDE if key in value) if depth < _DEEPEST else ()
    return first_text(value, keys) or next(
        (text for inner in inside if isinstance(inner, dict) and (text := _text_in(inner, keys, depth + 1))), ""
    )


def scalar(value: object) -> str:
    """A number as text; "" for anything else."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _identifier(value: object) -> str:
    if isinstance(value, dict):
        return _text_in(value, _ID_KEYS) or _text_in(value, _ORIGIN_KEYS)
    return value if isinstance(value, str) else scalar(value)


def _passage(value: object) -> Passage:
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := value.get("id"), str):
        value = only
    identifier = _identifier(value)
    if not isinstance(value, dict):
        return Passage("", identifier) if _is_text(identifier) else Passage(identifier)
    text, page = _text_in(value, _TEXT_KEYS), value.get("page")
    if len(identifier) > _LONGEST_ID:
        identifier, text = "", text or identifier
    return Passage(identifier, text, first_text(value, ("doc",)), page if type(page) is int else None)


def _is_text(value: str) -> bool:
    """True for a passage that was written where its id could stand: a whole sentence, or too long for an id."""
    return len(value) > _LONGEST_ID or (value.rstrip()[-1:] in _SENTENCE_ENDS and value.count(" ") >= _WORDS)


def _unwrapped(answer: str, citations: tuple[str, ...] | None) -> tuple[str, tuple[str, ...] | None]:
    """An answer that is itself a JSON object, as structured output often is."""
    try:
        inner = json.decode(answer)
    except (DecodeError, RecursionError):
        return answer, citations
    text = first_text(inner, _ANSWER_KEYS) if isinstance(inner, dict) else ""
    if not text:
        return answer, citations
    return text, citations if citations is not None else citations_in(inner.get("citations"))


def _answer_from(citations: tuple[str, ...] | None, triage: object) -> str | None:
    """Logs without the answer's text may still show what it cited, or that it rightly cited nothing."""
    if citations:
        return f"citations: [{', '.join(citations)}]"
    return "not in context" if citations == () and triage == "ok" else None
