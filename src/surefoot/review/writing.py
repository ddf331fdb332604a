"""Questions that people write on the page: checked against the corpus, then added to the question set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.core.errors import UsageError
from surefoot.core.types import Passage, Question
from surefoot.datasets.hygiene import SURE, Finding
from surefoot.datasets.protocol import USUAL
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import decided
from surefoot.io.questions import REJECTED, review_of
from surefoot.text.normal import id_of_text, normalise


def written_question(text: str, gold: Sequence[str] = (), claims: Sequence[str] = ()) -> Question:
    """Return the question as somebody writes it; without gold ids nothing answers it."""
    kind = USUAL["answer" if gold else "refusal"]
    kept = tuple(" ".join(claim.split()) for claim in claims if claim.strip())
    words = " ".join(text.split())
    return Question(id_of_text(words), words, kind.expects, kind.stratum, kind.probes, tuple(gold), kept)


def are_against(findings: Sequence[Finding]) -> bool:
    """Whether a person should think again."""
    return any(one.confidence >= SURE for one in findings)


class Author:
    """Writes questions over one corpus into one file."""

    def __init__(self, file: str | Path, passages: Sequence[Passage]) -> None:
        self._file = QuestionFile(file)
        self._ids = {passage.id for passage in passages}
        self._reader = Reader(passages)

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._reader.nearest(text, limit)

    def read(self, question: Question) -> tuple[Finding, ...]:
        """What the documents, and the questions that are there already, say against a new question."""
        self._check(question)
        _check_new(question, self._file.questions())
        return self.against(question)

    def against(self, question: Question) -> tuple[Finding, ...]:
        """The same of a question that may be in the file already."""
        others = [one for one in _kept(self._file.questions()) if one.id != question.id]
        again = (one for one in duplicates_of([*others, question]) if one.qid == question.id)
        return (*self._reader.findings(question), *again)

    def write(self, question: Question, findings: Sequence[Finding], *, by: str) -> str:
        """Add the question, with whatever was found, and return its id."""
        made: dict[str, object] = {"kind": "written", "by": by}
        if findings:
            made["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
        accepted = decided(replace(question, metadata={"made": made}), "accepted", by)
        return self._file.add(accepted, lambda there: _check_new(question, there)).id

    def _check(self, question: Question) -> None:
        if not question.text:
            raise UsageError("the question has no text", "write one")
        if unknown := [one for one in question.gold_ids if one not in self._ids]:
            raise UsageError(f"the corpus has no passage {unknown[0]!r}", "search for it on the page")


def _check_new(question: Question, there: Sequence[Question]) -> None:
    same = next((one for one in _kept(there) if normalise(one.text) == normalise(question.text)), None)
    if same is not None:
        raise UsageError(f"question {same.id!r} asks the same", "ask something else, or edit that one")


def _kept(there: Sequence[Question]) -> list[Question]:
    return [question for question in there if review_of(question) != REJECTED]
