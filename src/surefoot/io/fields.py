"""Where the fields of a trace may lie in a logged row. To read a new shape, add its paths here, or pass `--map`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from surefoot.io.values import contexts_in

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
