"""From a logged row to a Trace, whatever its shape.

One table says where each field may be found; the first path that leads to a value wins, row by row, so a file
may mix shapes. To read a new shape, add its paths here (or pass `--map field=path`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import DecodeError, Struct, json

from surefoot.errors import UsageError
from surefoot.text.citations import split_list
from surefoot.types import Passage, Trace

Path = tuple[str, ...]
Candidate = tuple[str, bool, tuple[Path, ...]]  # a key of the row, may it be the value, the paths below it

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
ALIASES = {"qid": "question_id", "q": "question", "chunks": "retrieved"}

# One row may hold many traces: test-case files and exports wrap them in a list under one of these keys.
CONTAINERS = ("testCases", "test_cases", "traces", "samples")

_ID_KEYS = ("id", "chunk_id", "passage_id", "doc_id", "document_id", "node_id", "ref", "source")
_TEXT_KEYS = ("text", "content", "page_content", "chunk", "passage")
_LONGEST_ID = 300
_PLANS_KEPT, _PASSAGES_KEPT = 1_000, 100_000


class Plan(Struct):
    """Where to look in rows that have a given set of keys."""

    question_id: list[Candidate]
    question: list[Candidate]
    answer: list[Candidate]
    citations: list[Candidate]
    retrieved: list[Candidate]
    contexts: list[Candidate]
    error: list[Candidate]
    triage: list[Candidate]


class TraceReader:
    """Reads rows of any known shape, and of the user's own through `mapping` (field -> path)."""

    def __init__(self, mapping: Mapping[str, str] | None = None) -> None:
        self._paths = {field: _candidates(paths) for field, paths in PATHS.items()}
        for name, path in (mapping or {}).items():
            field = ALIASES.get(name, name)
            if field not in PATHS or field == "triage":
                fields = ", ".join(field for field in PATHS if field != "triage")
                raise UsageError(f"--map names the field {name!r}, which there is not", f"the fields are {fields}")
            # A key may itself contain dots, so the path is also tried as one key.
            self._paths[field] = [(path, True, ()), *_candidates((path,))]
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._passages: dict[str, Passage] = {}

    def read(self, row: dict[str, object]) -> Trace | str:
        """The trace a row holds, or the reason why it holds none."""
        plan = self._plans.get(tuple(row)) or self._plan(row)
        question_id = _first(row, plan.question_id) if plan.question_id else None
        question = _first(row, plan.question) if plan.question else None
        if question_id is not None and type(question_id) is not str:
            question_id = _scalar(question_id) or None
        if type(question) is not str:
            if question_id is None:
                return _no_question(row)
            question = None
        error = _error_text(_first(row, plan.error)) if plan.error else None
        citations = _citations(_first(row, plan.citations)) if plan.citations else None
        answer = _first(row, plan.answer) if plan.answer else None
        if type(answer) is str:
            if answer[:1] == "{" and answer[-1:] == "}":
                answer, citations = _unwrapped(answer, citations)
        elif answer is None:
            answer = _answer_told_otherwise(citations, _first(row, plan.triage))
        else:
            error = error or f"the answer is {_kind(answer)}, not text"
            answer = None
        retrieved = self._retrieved(row, plan) if plan.retrieved or plan.contexts else None
        return Trace(question_id, question, answer, retrieved, citations, error)

    def _plan(self, row: dict[str, object]) -> Plan:
        if len(self._plans) >= _PLANS_KEPT:
            self._plans.clear()
        found = {field: [c for c in candidates if c[0] in row] for field, candidates in self._paths.items()}
        plan = self._plans[tuple(row)] = Plan(**found)
        return plan

    def _retrieved(self, row: dict[str, object], plan: Plan) -> tuple[Passage, ...] | None:
        values = _first(row, plan.retrieved) if plan.retrieved else None
        if type(values) is not list:
            values = _first(row, plan.contexts) if plan.contexts else None
            if type(values) is not list:
                return None
            values = [{"text": value} if type(value) is str else value for value in values]
        known, passages = self._passages, []
        for value in values:
            if type(value) is dict and len(value) == 1:
                value = value.get("id", value)
            # Ids repeat from trace to trace: a passage that is an id and no more is made once.
            passages.append((known.get(value) if type(value) is str else None) or self._passage(value))
        return tuple(passages)

    def _passage(self, value: object) -> Passage:
        """A retrieved passage: an id, an object with an id and a text, or a bare long text."""
        text = ""
        if isinstance(value, dict):
            text = _first_text(value, _TEXT_KEYS)
            value = _first_text(value, _ID_KEYS)
        identifier = value if isinstance(value, str) else _scalar(value)
        if len(identifier) > _LONGEST_ID:
            return Passage("", text or identifier)
        passage = Passage(identifier, text)
        if not text:
            if len(self._passages) > _PASSAGES_KEPT:
                self._passages.clear()
            self._passages[identifier] = passage
        return passage


def _candidates(paths: Sequence[str]) -> list[Candidate]:
    """Paths gathered under their first key, in the order of the keys' first appearance."""
    below: dict[str, list[Path]] = {}
    for path in paths:
        key, *rest = path.split(".")
        below.setdefault(key, []).extend([tuple(rest)] if rest else [])
    return [(key, key in paths, tuple(rest)) for key, rest in below.items()]


def _first(row: dict[str, object], candidates: list[Candidate]) -> object:
    for key, direct, below in candidates:
        value = row[key]
        if below and (type(value) is dict or type(value) is list):
            value = next((found for path in below if (found := _descend(value, path)) is not None), None)
        elif not direct:
            continue
        if value is not None:
            return value
    return None


def _descend(value: object, path: Path) -> object:
    """Follow keys, list positions, and `*` (every element of a list)."""
    for depth, key in enumerate(path):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key == "*":
            found = [_descend(item, path[depth + 1 :]) for item in value]
            return [item for item in found if item is not None]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _citations(value: object) -> tuple[str, ...] | None:
    """A citation field: ids, objects with an id, or one string of them."""
    if isinstance(value, str):
        return tuple(split_list(value.strip("[] ")))
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return None
    return tuple(
        _first_text(i, _ID_KEYS) if isinstance(i, dict) else i if type(i) is str else _scalar(i) for i in value
    )


def _unwrapped(answer: str, citations: tuple[str, ...] | None) -> tuple[str, tuple[str, ...] | None]:
    """An answer that is itself a JSON object, as structured output often is."""
    try:
        inner = json.decode(answer)
    except (DecodeError, RecursionError):
        return answer, citations
    if not isinstance(inner, dict):
        return answer, citations
    text = _first_text(inner, ("claim", "answer", "text", "response"))
    if not text:
        return answer, citations
    return text, citations if citations is not None else _citations(inner.get("citations"))


def _answer_told_otherwise(citations: tuple[str, ...] | None, triage: object) -> str | None:
    """Logs without the answer's text still tell what it cited, or that it rightly cited nothing."""
    if citations:
        return f"citations: [{', '.join(citations)}]"
    return "not in context" if citations == () and triage == "ok" else None


def _error_text(value: object) -> str | None:
    if not value:
        return None
    if isinstance(value, dict):
        value = _first_text(value, ("message", "detail", "type")) or "unnamed error"
    return "the pipeline reported an error" if value is True else re.sub(r"\s+", " ", str(value))[:300]


def _first_text(value: dict[object, object], keys: Sequence[str]) -> str:
    for key in keys:
        found = value.get(key)
        if type(found) is str:
            return found
        if found is not None and not isinstance(found, (dict, list)):
            return _scalar(found)
    metadata = value.get("metadata")
    return _first_text(metadata, keys) if isinstance(metadata, dict) else ""


def _scalar(value: object) -> str:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _no_question(row: Iterable[str]) -> str:
    keys = ", ".join(str(key)[:40] for key in list(row)[:8])
    return f"no field names the question (the row has: {keys or 'nothing'})"


def _kind(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object without text",
    }
    return names.get(type(value), type(value).__name__)
