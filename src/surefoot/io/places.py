"""Where the fields of a trace may lie in a logged row. To read a new shape, add its paths here, or pass `--map`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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

# One row may hold many traces: test-case files and exports wrap them in a list under one of these keys.
CONTAINERS = ("testCases", "test_cases", "traces", "samples")

Plan = dict[str, list[Candidate]]  # where to look in rows that have a given set of keys
