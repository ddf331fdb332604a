"""Questions that people write or change: what speaks against one, and what may not change any more."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from msgspec.structs import replace

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.core.errors import UsageError
from surefoot.core.types import Passage, Question
from surefoot.datasets.hygiene import Finding
from surefoot.datasets.protocol import USUAL
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import decided
from surefoot.io.questions import REJECTED, content_hash, lock_path, read_lock, review_of
from surefoot.text.normal import id_of_text, normalise


class Author:
    """Writes questions over one corpus into one file."""

    def __init__(self, file: QuestionFile, passages: Sequence[Passage]) -> None:
        self._file, self._reader = file, Reader(passages)
        self._reading = Lock()  # the model reads for one person at a time

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._reader.nearest(text, limit)

    def against(self, question: Question) -> tuple[Finding, ...]:
        """What the documents, and the questions that are there already, say against a question."""
        others = [one for one in _kept(self._file.questions()) if one.id != question.id]
        again = (one for one in duplicates_of([*others, question]) if one.qid == question.id)
        with self._reading:
            return (*self._reader.findings(question), *again)

    def check_edit(self, question: Question, edit: Question) -> None:
        after, path = content_hash(edit), lock_path(self._file.path)
        if path.is_file() and read_lock(path).get(question.id, after) != after:
            hint = f"reject it, or make a new version of the set: surefoot questions clone {self._file.path} NEW"
            raise UsageError(f"{question.id} is locked, so its words may not change", hint)

    def new(self, given: Question) -> Question:
        """A question of somebody's own, with an id, and of the usual kind."""
        kind = USUAL[given.expects]
        _check_new(given, self._file.questions())
        return replace(
            given, id=id_of_text(given.text), stratum=kind.stratum, probes=kind.probes, retrieval=kind.retrieval
        )

    def add(self, question: Question, findings: Sequence[Finding], by: str) -> str:
        """Add the question, with whatever was found, and return its id."""
        made: dict[str, object] = {"kind": "written", "by": by}
        if findings:
            made["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
        accepted = decided(replace(question, metadata={"made": made}), "accepted", by)
        return self._file.add(accepted, lambda there: _check_new(question, there)).id


def _check_new(question: Question, there: Sequence[Question]) -> None:
    same = next((one for one in _kept(there) if normalise(one.text) == normalise(question.text)), None)
    if same is not None:
        raise UsageError(f"question {same.id!r} asks the same", "ask something else, or edit that one")


def _kept(there: Sequence[Question]) -> list[Question]:
    return [question for question in there if review_of(question) != REJECTED]
