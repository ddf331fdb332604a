"""The fields of a trace: where they may lie in a logged row, and what their values mean.

To read a new shape, add its paths to PATHS, or pass `--map`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import DecodeError, json

from surefoot.io.kinds import kind_of
from surefoot.text.citations import split_list
from surefoot.types import Passage, Retrieved, Trace

Path = tuple[str, ...]


class Candidate(NamedTuple):
    """A key of the row that may hold a field: itself (`direct`), or somewhere below."""

    key: str
    direct: bool
    below: tuple[Path, ...]


PATHS: Mapping[str, tuple[str, ...]] = {
    "question_id": ("qid", "q_id", "question_id", "questionId", "id"),
    "question": (
        "q", "question", "user_input", "input", "query", "handoff.question", "input.question", "inputs.question",
    ),
    "answer": (
        "answer.text", "answer.claim", "answer.answer", "answer", "answer_text", "answer_json.claim",
        "answer_json.answer", "answer_json.text", "parsed.claim", "parsed.answer", "raw", "response",
        "actual_output", "actualOutput", "handoff.scholar.claim", "output", "outputs.answer",
    ),
    "citations": (
        "citations", "answer.citations", "answer_json.citations", "parsed.citations", "cited_chunks",
        "citations_in_answer", "handoff.scholar.citations", "outputs.citations",
    ),
    "retrieved": (
        "chunks", "retrieved_ids", "allowed_ids", "retrieval.topk", "retrieved_context_ids",
        "handoff.scope.allowed_ids", "retrieved", "passages",
    ),
    "contexts": ("retrieved_contexts", "retrieval_context", "retrievalContext", "contexts"),
    "error": ("error", "exception"),
    "triage": ("label",),
}  # fmt: skip
ALIASES = {"qid": "question_id", "q": "question", "chunks": "retrieved"}  # of fields, in --map
# One row may hold many traces: test-case files and exports wrap them in a list under one of these keys.
CONTAINERS = ("testCases", "test_cases", "traces", "samples")

Plan = dict[str, list[Candidate]]  # where to look in rows that have a given set of keys

# What a row should have, and the fields that provide it; those of the first list are named to the user.
_SOUGHT = {
    "question": (("question_id", "question"), ()),
    "answer": (("answer",), ("error", "triage")),
    "contexts": (("retrieved", "contexts"), ()),
}
_KEYS_NAMED = 12

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


def candidates(paths: Sequence[str]) -> list[Candidate]:
    """Paths gathered under their first key, in the order of the keys' first appearance."""
    below: dict[str, list[Path]] = {}
    for path in paths:
        key, *rest = path.split(".")
        below.setdefault(key, []).extend([tuple(rest)] if rest else [])
    return [Candidate(key, key in paths, tuple(rest)) for key, rest in below.items()]


def unread(row: Mapping[str, object], plan: Plan) -> str:
    """One sentence on a row that lacks its question or answer, or has passages where none are looked for."""
    read = {one.key for found in plan.values() for one in found}
    free = {key: value for key, value in row.items() if key not in read}
    if any(key in row for key in CONTAINERS) or not free:
        return ""
    lacking = [name for name, (named, other) in _SOUGHT.items() if not any(plan[field] for field in (*named, *other))]
    passages = next(_passages_in(free), "") if "contexts" in lacking else ""
    if lacking in ([], ["contexts"]):
        hint = f"{passages} looks like retrieved passages and is not read; --map contexts={passages} reads it"
        return hint if passages else ""
    keys = ", ".join(str(key)[:40] for key in list(row)[:_KEYS_NAMED])
    options = " ".join(f"--map {name}={passages if passages and name == 'contexts' else 'KEY'}" for name in lacking)
    return f"rows with the keys {keys} have {'; '.join(map(_looked_for, lacking))}; say where they lie with {options}"


def _looked_for(name: str) -> str:
    keys = (path.partition(".")[0] for field in _SOUGHT[name][0] for path in PATHS[field])
    return f"no {name} (looked for {', '.join(dict.fromkeys(keys))})"


def _passages_in(values: Mapping[str, object], below: str = "") -> Iterator[str]:
    """Paths to lists of texts, or of objects with a text; messages of a chat have a role."""
    for key, value in values.items():
        if isinstance(value, dict) and not below:
            yield from _passages_in(value, f"{key}.")
        if isinstance(value, list) and not any(isinstance(one, dict) and "role" in one for one in value):
            yield from [f"{below}{key}"] * any(" " in one.text.strip() for one in contexts_in(value) or ())


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
