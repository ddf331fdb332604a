"""Traces of the questions that are asked: from what a pipeline sends back, in any shape, or from a file of them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.types import Ask, Problem, ProblemLog, Trace
from surefoot.io.rows import kind_of, said
from surefoot.io.traces import TraceReader, read_traces
from surefoot.text.normal import normalise

# Names that can only mean the question; a bare `id` may as well be that of the reply.
_QUESTION_IDS = ("qid", "q_id", "question_id", "questionId")
_TOKENS = ("tokens", "total_tokens")
# What objects of a user's own, or of a framework, may hold: anything more could lead anywhere.
_ATTRIBUTES = (
    "answer", "response", "citations", "retrieved", "passages", "chunks", "error", "tokens", "cost_usd", "usage",
    "id", "chunk_id", "passage_id", "doc_id", "document_id", "node_id", "text", "content", "page_content", "metadata",
    "message", "type", "node", "text_resource", "source_nodes", "documents", "user_input", "retrieved_contexts",
    "retrieved_context_ids", "sources",
)  # fmt: skip
_MESSAGE = ("content", "text", "message", "data")  # an object with one of these may be a message
_DEEPEST = 12


def trace_of_reply(reply: object, ask: Ask, reader: TraceReader) -> Trace:
    """A text is the answer; an object is read like a row of a trace file; a Trace is taken as it is."""
    if isinstance(reply, Trace):
        return reply
    if isinstance(reply, str):
        return Trace(ask.id, answer=reply)
    if not isinstance(reply, dict):
        raise Incomplete(f"the pipeline returned {kind_of(reply)}, not an answer")
    row = {str(key): value for key, value in reply.items()}
    refuse_other(next((row[key] for key in _QUESTION_IDS if row.get(key) is not None), None), ask)
    trace = _read(row, ask, reader)
    if trace.answer is None and trace.error is None:
        keys = ", ".join(list(row)[:8]) or "nothing"
        raise Incomplete(f"the reply has no answer (it has: {keys})", "say where it lies with --map answer=PATH")
    return replace(trace, question_id=ask.id, question=None, **_spent(row))


def refuse_other(answered: object, ask: Ask) -> None:
    """Raise where a reply says that it answers another question."""
    if answered is not None and str(answered) != ask.id:
        raise Incomplete(f"the pipeline answered the question {str(answered)[:80]!r}, which was not asked")


def _read(row: dict[str, object], ask: Ask, reader: TraceReader) -> Trace:
    """A reply without an answer may be a message, or have what the parts of a pipeline gave by their names."""
    parts = {key: value for part in row.values() if isinstance(part, dict) for key, value in part.items()}
    found = [reader.read({**given, "qid": ask.id}) for given in (row, parts)]
    traces = [trace for trace in found if isinstance(trace, Trace)]
    answered = next((trace for trace in traces if trace.answer is not None or trace.error is not None), None)
    if not traces:  # with --map question_id=PATH, where the reply has nothing
        raise Incomplete(f"the reply cannot be read: {found[0]}")
    message = {key: row[key] for key in _MESSAGE if key in row}
    return answered or replace(traces[0], answer=said(message, "assistant"))


def plain(value: object, depth: int = 0) -> object:
    """What a Python function returned, as JSON would have it: tuples and sets are lists, objects are their fields."""
    if isinstance(value, str):
        return "".join(value)
    if value is None or isinstance(value, (bool, int, float, bytes, bytearray, Trace)) or depth > _DEEPEST:
        return value
    if isinstance(value, (Sequence, Set)) and not hasattr(value, "_fields"):
        return [plain(item, depth + 1) for item in value]
    fields = value if isinstance(value, Mapping) else _attributes(value)
    is_object = bool(fields) or isinstance(value, Mapping)
    return {str(key): plain(item, depth + 1) for key, item in fields.items()} if is_object else value


def _attributes(value: object) -> dict[str, object]:
    """Its declared fields, and others that we know the names of. To ask for one may fail, since it may run code."""
    declared = (getattr(value, name, ()) for name in ("_fields", "__struct_fields__", "__dataclass_fields__"))
    found = dict[str, object]()
    for name in dict.fromkeys((*_ATTRIBUTES, *itertools.chain(*declared))):
        with contextlib.suppress(Exception):
            found[name] = getattr(value, name)
    return {name: item for name, item in found.items() if not callable(item)}


def _spent(row: dict[str, object]) -> dict[str, object]:
    """Tokens and cost, where the reply has them."""
    usage = row.get("usage")
    inside = usage if isinstance(usage, dict) else {}
    tokens = next((value for key in _TOKENS for value in (row.get(key), inside.get(key)) if type(value) is int), None)
    cost = next((value for value in (row.get("cost_usd"), inside.get("cost_usd")) if type(value) in (int, float)), None)
    return {"tokens": tokens, "cost_usd": cost}


class ReplayPipeline:
    """A trace file asked again: the answers that were logged, by question id or by text."""

    forces_null = True  # each trace of such a question must show that nothing was retrieved
    deterministic = True

    def __init__(self, path: str, mapping: Mapping[str, str]) -> None:
        if not Path(path).exists():
            raise UsageError(f"the trace file {path} does not exist", "name it like --pipeline traces:FILE")
        self.name = f"traces:{Path(path).name}"
        self.problems = ProblemLog()  # what in the file could not be used, or was used with a doubt
        self._kept: dict[tuple[str, str], Trace] = {}
        for logged in read_traces([path], mapping):
            trace, notes = logged.found, [logged.repairs] if logged.repairs else []
            if isinstance(trace, Problem):
                self.problems.add(trace)
            else:
                keys = _keys(trace.question_id, trace.question)
                if any(key in self._kept for key in keys):
                    asked = trace.question_id or trace.question or ""
                    notes.append(f"question {asked[:80]!r} has a trace already: the last one is taken")
                self._kept |= dict.fromkeys(keys, trace)
            for note in notes:
                self.problems.add(Problem("note", note, logged.source, logged.line))
        if not self._kept:
            first = next((f": {problem}" for problem in self.problems.all_named if problem.kind != "note"), "")
            raise UsageError(f"no trace could be read from {path}{first}", "say where the fields lie with --map")

    def answer(self, ask: Ask) -> Trace:
        trace = next((self._kept[key] for key in _keys(ask.id, ask.text) if key in self._kept), None)
        if trace is None:
            raise Incomplete("the trace file has no answer to this question")
        if ask.retrieval == "null" and (trace.retrieved is None or len(trace.retrieved)):
            raise Incomplete("not run: the trace does not show that nothing was retrieved")
        return replace(trace, question_id=ask.id)


def _keys(question_id: str | None, text: str | None) -> list[tuple[str, str]]:
    """By its id first, and else by its text."""
    by_id = [("id", question_id)] if question_id is not None else []
    return by_id + ([("text", normalise(text))] if text is not None else [])
