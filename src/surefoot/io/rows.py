"""The fields of a trace: where they may lie in a logged row, and what their values mean.

To read a new shape, add its paths to PATHS, or pass `--map`.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import DecodeError

from surefoot.core.files import UNREADABLE
from surefoot.core.types import Passage, Problem, Retrieved, Trace, without_surrogates
from surefoot.io.sources import Block, Document, Lines, Packed, ParquetGroup, blocks_from, packed_rows
from surefoot.text.citations import split_list

_YES = ("flagged", "is_flagged", "thumbs_down", "user_flagged")
_NO = ("ok", "thumbs_up")  # false is said against the answer
_SAID = ("feedback", "user_feedback", "thumbs", "vote", "user_score", "user_rating")
_INSIDE = ("value", "score", "rating", "label", "type", "thumbs")
_AGAINST = frozenset({
    "down", "thumbs_down", "thumbsdown", "negative", "bad", "dislike", "disliked", "downvote", "no", "false", "wrong",
    "incorrect", "unhelpful", "-1", "👎",
})  # fmt: skip
_PREFIXES = ("", "metadata.", "surefoot.")


def is_flagged(row: Mapping[str, object]) -> bool:
    """True where somebody said that the answer is bad; a row that says nothing is not flagged."""
    inside = row.get("metadata")
    rows = (row, inside) if isinstance(inside, dict) else (row,)
    return any(_is_flagged(one, prefix) for one in rows for prefix in _PREFIXES)


def _is_flagged(row: Mapping[str, object], prefix: str) -> bool:
    return (
        any(row.get(prefix + key) in (True, "true", "True") for key in _YES)
        or any(row.get(prefix + key) is False for key in _NO)
        or any(_is_against(row[prefix + key]) for key in _SAID if prefix + key in row)
    )


def _is_against(said: object) -> bool:
    if isinstance(said, dict):
        return any(_is_against(said[key]) for key in _INSIDE if key in said)
    if isinstance(said, str):
        return said.strip().lower().replace(" ", "_") in _AGAINST
    return said is False or (isinstance(said, (int, float)) and said <= 0)


# The names under which an object may hold what either side said, the likeliest first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "user": ("question", "query", "user_input", "input", "inputs", "prompt", "q"),
    "assistant": (
        "answer", "claim", "response", "result", "output", "output_text", "outputs", "completion", "generated_text",
        "replies", "answers", "data", "generations", "choices",
    ),
}  # fmt: skip
_EITHER = ("content", "text", "value", "messages", "message", "parts", "contents", "gen_ai.event.content")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "AIMessageChunk": "assistant"}
_BLOCKS = ("text", "output_text", "input_text")  # the parts of a message that are text
_NO_TEXTS = ("role", "type", "id", "name")
_DEEPEST = 8
_LONGEST_LITERAL = 1 << 20


def said(value: object, role: str, depth: int = 0) -> str | None:
    """What the given role, `user` or `assistant`, says in a value; of several messages, the last."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        inner = decoded(value)
        return (said(inner, role, depth + 1) if isinstance(inner, (dict, list)) else None) or value
    if isinstance(value, list):
        return _said_in_list(value, role, depth)
    if not isinstance(value, dict):
        return None
    found = (said(value.get(name), role, depth + 1) for name in (*_NAMES[role], *_EITHER) if name in value)
    return next(filter(None, found), None) or _only(value)


def _only(value: Mapping[str, object]) -> str | None:
    """The one text of an object that has nothing else."""
    ((key, text),) = value.items() if len(value) == 1 else [("", None)]
    return text if isinstance(text, str) and key not in _NO_TEXTS else None


def decoded(value: object) -> object:
    """The object or list that a text holds, written as JSON or by Python; any other value as it is."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return msgspec.json.decode(value)
    except (DecodeError, RecursionError):
        return _literal(value)


def _literal(value: str) -> object:
    """Tables that pandas wrote hold lists as Python shows them."""
    if value[-1:] not in ("}", "]") or len(value) > _LONGEST_LITERAL:
        return value
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            found = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return found if isinstance(found, (dict, list)) else value


def _said_in_list(value: list[object], role: str, depth: int) -> str | None:
    if value and isinstance(value[0], list):  # a batch of one
        return said(value[0], role, depth + 1)
    if len(value) == 1 and isinstance(value[0], str):
        return value[0]
    messages = [_message(one) for one in value if isinstance(one, dict)]
    blocks = [str(one["text"]) for one in messages if one.get("type") in _BLOCKS and "text" in one]
    if blocks:
        return "".join(blocks)
    by_role = [one for one in messages if _role(one, role) == role]
    texts = [text for one in by_role if (text := said(one.get("parts") or one, role, depth + 1))]
    return texts[-1] if texts else None


def _message(value: dict[str, object]) -> dict[str, object]:
    """A message by its plain keys, wherever a framework puts them (`message.role`, `kwargs`)."""
    for name in ("message", "kwargs"):
        inner = value.get(name)
        value = inner if isinstance(inner, dict) else value
    return {str(key).rpartition(".")[2]: item for key, item in value.items()}


def _role(message: Mapping[str, object], otherwise: str) -> object:
    kind = message.get("type")
    known = _ROLES.get(kind, kind if kind in ("system", "tool") else None) if isinstance(kind, str) else None
    role = message.get("role") or known or otherwise
    return _ROLES.get(role, role) if isinstance(role, str) else role


_LONGEST_QUOTE = 60
_NO_NAMES: Mapping[str, tuple[str, ...]] = {}


class BadRow(ValueError):
    """Why a row cannot be used. `kind` is that of the problem, where it is another than usual."""

    kind = ""


class Is(NamedTuple):
    """What a field must be, in words and as a check."""

    words: str
    fits: Callable[[Any], bool]


def _is_identifier(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and bool(value))


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(fits, value))


TEXT = Is("a text", lambda value: isinstance(value, str))
WORD = Is("a text", lambda value: isinstance(value, (str, int, float)) and not isinstance(value, bool))
IDENTIFIER = Is("a text or a whole number", _is_identifier)
TEXTS = Is("a list of texts", _is_list_of(TEXT.fits))
IDENTIFIERS = Is("a list of texts", _is_list_of(_is_identifier))
FLAG = Is("true or false", lambda value: isinstance(value, bool))
NUMBER = Is("a number", lambda value: type(value) in (int, float))
COUNT = Is("a whole number from 1", lambda value: type(value) is int and value >= 1)
OBJECT = Is("an object", lambda value: isinstance(value, dict))


def one_of(*values: str) -> Is:
    return Is(" or ".join(map(repr, values)), lambda value: value in values)


def fields_of(
    value: object,
    noun: str,
    kinds: Mapping[str, Is],
    names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
    required: Sequence[str] = (),
) -> dict[str, Any]:
    """The fields of a row by our own names; BadRow says which of them is missing or not what it must be.

    `names` has the keys under which a field may lie, of which the first with a value counts. The first of the
    `required` fields is the id that names the row.
    """
    if not isinstance(value, dict):
        raise BadRow(f"the {noun} is {kind_of(value)}, not an object")
    row: dict[str, Any] = dict(value)
    for field, keys in names.items():
        found = [row.pop(key) for key in keys if key in row]
        row[field] = next((item for item in found if item is not None), None)
    for field in required:
        given = row.get(field)
        if given is None or (isinstance(given, str) and not given.strip()):
            expected = " or ".join(names.get(field, (field,)))
            raise BadRow(f"{_named(row, required)}the {noun} has no {field}: {expected} must hold it")
    for field, given in row.items():
        kind = kinds.get(field)
        if kind is not None and given is not None and not kind.fits(given):
            shown = quoted(given) if isinstance(given, str) or kind is COUNT else kind_of(given)
            raise BadRow(f"{_named(row, required)}{field} must be {kind.words}, not {shown}")
    return row


def _named(row: Mapping[str, Any], required: Sequence[str]) -> str:
    identifier = row.get(required[0]) if required else None
    return f"question {quoted(identifier)}: " if identifier is not None else ""


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)


def quoted(value: object) -> str:
    """A foreign value inside a sentence, which it must not drown."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."


Route = tuple[str, ...]


class Candidate(NamedTuple):
    """A key of the row that may hold a field: itself (`direct`), or somewhere below."""

    key: str
    direct: bool
    below: tuple[Route, ...]


# What passages lie under, in a row or in what a function returned; the last ones only where a retriever wrote them.
CARRIERS = (
    "retrieved_contexts", "retrieval_context", "retrievalContext", "contexts", "source_documents", "source_nodes",
    "documents", "context",
)  # fmt: skip
_BARE_CARRIERS = ("retrieved", "chunks", "passages", "nodes", "results", "result", "output", "matches", "hits")
# Passages too, or ids of them, where a row has no plainer name for what was retrieved.
_LESS_PLAIN = ("sources", "hits", "matches", "nodes")
_WRAPPERS = ("vars", "outputs", "output", "response", "response.output", "response.metadata", "result")

PATHS: Mapping[str, tuple[str, ...]] = {
    "question_id": (
        "qid", "q_id", "question_id", "questionId", "vars.qid", "vars.question_id", "id",
    ),
    "question": (
        "q", "question", "user_input", "input", "query", "handoff.question", "inputs", "vars", "request", "prompt",
        "messages",
    ),
    "answer": (
        "answer.text", "answer.claim", "answer.answer", "answer.content", "answer", "answer_text", "answer_json.claim",
        "answer_json.answer", "answer_json.text", "parsed.claim", "parsed.answer", "raw", "response",
        "actual_output", "actualOutput", "handoff.scholar.claim", "output", "outputs", "result", "completion",
        "answers.0", "replies.0", "messages", "user_input.*",
    ),
    "citations": (
        "citations", "answer.citations", "answer_json.citations", "parsed.citations", "cited_chunks",
        "citations_in_answer", "handoff.scholar.citations",
        *(f"{wrapper}.citations" for wrapper in _WRAPPERS[1:]),
    ),
    "retrieved": (
        "chunks", "retrieved_ids", "allowed_ids", "retrieval.topk", "retrieved_context_ids",
        "handoff.scope.allowed_ids", "retrieved", "passages", *_LESS_PLAIN,
    ),
    "contexts": (
        *CARRIERS, "answers.0.documents", *(f"{wrapper}.{name}" for wrapper in _WRAPPERS for name in CARRIERS),
    ),
    "error": ("error", "exception"),
    "subject": ("subject_id", "user_id", "userId", "subject"),
    "triage": ("label",),
}  # fmt: skip
ALIASES = {"qid": "question_id", "q": "question", "chunks": "retrieved"}  # of fields, in --map
# A key that is not read beside some others, as it means another thing there: DeepEval's `context` is gold.
UNLESS: Mapping[str, frozenset[str]] = {
    "context": frozenset({"actual_output", "actualOutput", "retrieval_context"}),
    **dict.fromkeys(
        _LESS_PLAIN, frozenset(path for path in (*PATHS["retrieved"], *CARRIERS) if path not in _LESS_PLAIN)
    ),
}
# One row may hold many traces: test-case files and exports wrap them in a list under one of these paths.
CONTAINERS = (
    "testCases", "test_cases", "traces", "samples", "testRunData.testCases", "results.results", "results", "runs",
    "data",
)  # fmt: skip
CONTAINER_KEYS = frozenset(path.partition(".")[0] for path in CONTAINERS)

Plan = dict[str, list[Candidate]]  # where to look in rows that have a given set of keys

# What a passage has, in a corpus as in a trace. Its own id comes before that of the document it is from.
_ID_KEYS = ("id", "chunk_id", "passage_id", "node_id", "id_", "_id", "doc_id", "document_id", "document.id")
_ORIGIN_KEYS = ("ref", "source")  # serve as an id where there is no other
TEXT_KEYS = ("text", "content", "page_content", "body", "chunk", "passage", "context", "document.content", "document")
_DOC_KEYS = ("doc", "title", "document", "source", "file_name")
_PAGE_KEYS = ("page_label", "page_number", "page")  # the label is what the page says of itself
_LONGEST_PAGE = 6  # digits
# Where frameworks put the fields of a passage, if not in the passage itself.
_FIELDS_INSIDE = (
    "document",
    "node",
    "kwargs",
    "payload",
    "_source",
    "content",
    "text_resource",
    "metadata",
    "document.metadata",
)
_ERROR_KEYS = ("message", "detail", "type")
_LONGEST_ID = 300
_FIELDS_DEEPEST = 3
_SENTENCE_ENDS = tuple(".!?。！？")
_WORDS = 3


def candidates(paths: Sequence[str]) -> list[Candidate]:
    """Paths gathered under their first key, in the order of the keys' first appearance."""
    below: dict[str, list[Route]] = {}
    for path in paths:
        key, *rest = path.split(".")
        below.setdefault(key, []).extend([tuple(rest)] if rest else [])
    return [Candidate(key, key in paths, tuple(rest)) for key, rest in below.items()]


def trace_of(
    question_id: str | None,
    question: str | None,
    answer: object,
    retrieved: Retrieved | None,
    citations: tuple[str, ...] | None,
    error: str | None,
    triage: object,
) -> Trace:
    """Put a trace together; the answer may still be wrapped in JSON, replaced by its citations, or no text at all."""
    if isinstance(answer, (dict, list)) or (type(answer) is str and answer[:1] in ("{", "[")):
        answer, citations = _unwrapped(answer, citations)
    if answer is None:
        answer = _answer_from(citations, triage)
    elif type(answer) is not str:
        error = error or f"the answer is {kind_of(answer)}, not text"
        answer = None
    return Trace(question_id, question, answer, retrieved, citations, error)


def question_in(value: object) -> str | None:
    """A text, or what the user says in messages or an object."""
    if isinstance(value, str):
        return said(value, "user") if value[:1] in ("{", "[") else value
    return said(value, "user")


def citations_in(value: object) -> tuple[str, ...] | None:
    """Ids, objects with an id, or one string of them."""
    if isinstance(value, str):
        return tuple(split_list(value.strip("[] ")))
    if isinstance(value, dict):
        value = [value]
    return tuple(map(_identifier, value)) if isinstance(value, list) else None


def passages_in(value: object) -> Retrieved | None:
    """Retrieved passages: ids, or objects with an id and perhaps a text. In the cell of a table, a list of ids."""
    value = decoded(value)
    if isinstance(value, str):
        value = [value] if _is_text(value) else split_list(value)
    return Retrieved(map(_passage, value)) if isinstance(value, list) else None


def contexts_in(value: object) -> Retrieved | None:
    """Retrieved texts without ids, as test-case files keep them."""
    value = decoded(value)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return None
    return Retrieved(Passage("", item) if isinstance(item, str) else _passage(item) for item in value)


def carried(value: object, *, bare: bool) -> Retrieved | None:
    """The passages in what a step of a pipeline gave: with an answer, or (`bare`) nothing but passages."""
    if not isinstance(value, dict):
        return contexts_in(value) if bare and isinstance(value, list) else None
    found = (contexts_in(value[key]) for key in (*CARRIERS, *(_BARE_CARRIERS if bare else ())) if key in value)
    return next((passages for passages in found if passages is not None), None)


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
        if text := found if isinstance(found, str) else scalar(found):
            return text
    return ""


def _text_in(value: dict[object, object], keys: Sequence[str], depth: int = 0) -> str:
    """The same, also in what frameworks wrap around a passage."""
    inside = (value[key] for key in _FIELDS_INSIDE if key in value) if depth < _FIELDS_DEEPEST else ()
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


def passage_in(value: dict[object, object]) -> Passage:
    """A passage inside whatever is wrapped around it; what it lacks is empty."""
    text, doc = _text_in(value, TEXT_KEYS), _text_in(value, _DOC_KEYS)
    return Passage(_text_in(value, _ID_KEYS), text, "" if doc == text else doc, _page_in(value))


def _page_in(value: dict[object, object]) -> int | None:
    page = _text_in(value, _PAGE_KEYS)
    return int(page) if page.isdecimal() and len(page) <= _LONGEST_PAGE else None


def _passage(value: object) -> Passage:
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := value.get("id"), str):
        value = only
    identifier = _identifier(value)
    if not isinstance(value, dict):
        return Passage("", identifier) if _is_text(identifier) else Passage(identifier)
    found = passage_in(value)
    if len(identifier) > _LONGEST_ID:
        return Passage("", found.text or identifier, found.doc, found.page)
    return Passage(identifier, found.text, found.doc, found.page)


def _is_text(value: str) -> bool:
    """True for a passage that was written where its id could stand: a whole sentence, or too long for an id."""
    return len(value) > _LONGEST_ID or (value.rstrip()[-1:] in _SENTENCE_ENDS and value.count(" ") >= _WORDS)


def _unwrapped(answer: object, citations: tuple[str, ...] | None) -> tuple[object, tuple[str, ...] | None]:
    """An answer that is an object, or the JSON of one, as structured output often is."""
    inner = decoded(answer)
    if citations is None and isinstance(inner, dict):
        citations = citations_in(inner.get("citations"))
    return said(answer, "assistant") or answer, citations


def _answer_from(citations: tuple[str, ...] | None, triage: object) -> str | None:
    """Logs without the answer's text may still show what it cited, or that it rightly cited nothing."""
    if citations:
        return f"citations: [{', '.join(citations)}]"
    return "not in context" if citations == () and triage == "ok" else None


Kind = TypeVar("Kind")

# No NaN, and no integer so long that reading it would take for ever.
_PATIENT = json.JSONDecoder(
    parse_constant=lambda _: None, parse_int=lambda digits: int(digits) if len(digits) < 4_000 else None
)
_DECODER = msgspec.json.Decoder()
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])


class Row(NamedTuple):
    """A value and where it stands. What cannot be read is a Problem; `repairs` were needed to read the rest."""

    source: str
    line: int
    value: object
    repairs: str = ""


def read_rows(paths: Iterable[str | Path]) -> Iterator[Row]:
    """All rows of files, folders or `-` (stdin), in order."""
    for block in blocks_from(paths):
        yield from rows_in(block)


def usable(rows: Iterable[Row], problems: list[Problem]) -> Iterator[Row]:
    """The rows that could be read; the others, and notes on repairs, go to `problems`."""
    for row in rows:
        if isinstance(row.value, Problem):
            problems.append(row.value)
            continue
        if row.repairs:
            problems.append(Problem("note", row.repairs, row.source, row.line))
        yield row


def converted(
    rows: Iterable[Row], convert: Callable[[object], Kind], fault: str, problems: list[Problem]
) -> Iterator[tuple[Row, Kind]]:
    """What `convert` makes of each row; one with which it cannot is a problem of the kind `fault`."""
    for row in usable(rows, problems):
        try:
            yield row, convert(row.value)
        except BadRow as error:
            problems.append(Problem(error.kind or fault, str(error), row.source, row.line))


def rows_in(block: Block) -> Iterable[Row]:
    """The rows of one block, in whatever process."""
    source = block.source
    if isinstance(block, Lines):
        return decode_lines(block.data(), source, block.first_line)
    if isinstance(block, Document):
        return _document_rows(block.content, source)
    if isinstance(block, Packed):
        return [Row(source, line, value) for line, value in packed_rows(block)]
    if isinstance(block, ParquetGroup):
        problems, values = block.rows()
        rows = [Row(source, line, value) for line, value in enumerate(values, block.first_row)]
        return [*(Row(source, 0, problem) for problem in problems), *rows]
    return [Row(source, line, value) for line, value in enumerate(block.values, 1)]


def decode_lines(data: bytes, source: str, first_line: int) -> list[Row]:
    """JSON lines; blank lines are no rows."""
    try:
        values: list[object] = _DECODER.decode_lines(data)
    except UNREADABLE:
        values = []
    if len(values) == data.count(b"\n") + (not data.endswith(b"\n")):
        return [Row(source, line, value) for line, value in enumerate(values, first_line)]
    return list(_each_line(data, source, first_line))


def _document_rows(data: bytes, source: str) -> Iterable[Row]:
    """The elements of a JSON array, or the objects of a pretty-printed file, with the lines they start on.

    A broken document gives what precedes the break.
    """
    try:
        return _element_rows(_ELEMENTS.decode(data), data, source)
    except UNREADABLE:
        rows = list(_patiently(data, source))
    is_none = bool(rows) and all(isinstance(row.value, Problem) for row in rows)  # no document after all
    return decode_lines(data, source, 1) if is_none else rows


def _element_rows(elements: Iterable[msgspec.Raw], data: bytes, source: str) -> Iterator[Row]:
    line, at = 1, 0
    for element in elements:
        raw = bytes(element)
        start = data.find(raw, at)
        line += data.count(b"\n", at, start)
        yield decode_one(raw, source, line)
        line += raw.count(b"\n")
        at = start + len(raw)


def decode_one(data: bytes, source: str = "", line: int = 0) -> Row:
    """One JSON value, also where NaN, broken UTF-8 or lone surrogates have to be replaced."""
    try:
        return Row(source, line, _DECODER.decode(data))
    except UNREADABLE:
        text = data.decode("utf-8", "replace")
    try:
        value = without_surrogates(_PATIENT.decode(text))
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not valid JSON: {_short(error)}", source, line)
    return Row(source, line, value, _repairs(text) or "a number too long to read was read as null")


def _each_line(data: bytes, source: str, first_line: int) -> Iterator[Row]:
    for line, raw in enumerate(data.split(b"\n"), first_line):
        if not raw.strip():
            continue
        try:
            yield from [Row(source, line, value) for value in _DECODER.decode_lines(raw)]
        except UNREADABLE:
            yield decode_one(raw, source, line)


def _unreadable(message: str, source: str, line: int) -> Row:
    return Row(source, line, Problem("malformed", message, source, line))


def _patiently(data: bytes, source: str) -> Iterator[Row]:
    text = data.decode("utf-8", "replace")
    at = _skip(text, 0, " \t\r\n")
    in_array = text.startswith("[", at)
    at, line, counted = at + in_array, 1, 0
    while True:
        at = _skip(text, at, " \t\r\n,")
        line, counted = line + text.count("\n", counted, at), at
        if at >= len(text):
            break
        if text[at] == ("]" if in_array else "["):  # one array may follow another
            in_array, at = not in_array, at + 1
            continue
        try:
            value, end = _PATIENT.raw_decode(text, at)
            value = without_surrogates(value)
        except (ValueError, RecursionError) as error:
            yield _unreadable(f"not valid JSON from here on: {_short(error)}", source, line)
            return
        yield Row(source, line, value, _repairs(text[at:end]))
        at = end
    if in_array:
        yield _unreadable("the array is not closed: the file looks cut off", source, line)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _repairs(text: str) -> str:
    found = list[str]()
    if "\ufffd" in text:
        found.append("broken UTF-8 replaced")
    if "\\ud" in text or "\\uD" in text:
        found.append("lone surrogates replaced")
    if "NaN" in text or "Infinity" in text:
        found.append("NaN or Infinity read as null")
    return ", ".join(found)


def _short(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).split(": line")[0].removesuffix(" at").removesuffix(" starting")
