"""Questions of one's own: written over a corpus, held against it at once, and added to a question set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.corpus.corpus import load_corpus
from surefoot.datasets.hygiene import SURE, Finding
from surefoot.datasets.protocol import KINDS, USUAL
from surefoot.datasets.question_file import QuestionFile
from surefoot.datasets.review import decided
from surefoot.errors import ExitCode, UsageError
from surefoot.io.questions import REJECTED, review_of
from surefoot.services.result import Fields
from surefoot.text.normal import id_of_text, normalise
from surefoot.types import Expects, Passage, Question


@dataclass(frozen=True)
class NewQuestion(Fields):
    """The id of the question in its file, None where it was not added; and what was found against it."""

    file: str
    id: str | None
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.BLOCKED if self.id is None else ExitCode.OK


def add_question(
    file: str | Path,
    question: str,
    *,
    corpus: str | Path,
    gold: Sequence[str] = (),
    claims: Sequence[str] = (),
    unanswerable: bool = False,
    stratum: str = "",
    by: str = "author",
    anyway: bool = False,
) -> NewQuestion:
    """Add a question to a file of JSON lines, which is made if there is none.

    An answerable one names its `gold` passages and the `claims` that these support. It is not added if the documents
    seem to say otherwise - no gold passage supports a claim, or some passage answers the unanswerable - unless
    `anyway`.
    """
    if unanswerable == bool(gold or claims):
        hint = "name its gold passages and claims, or say that it is unanswerable"
        raise UsageError("a question is either answerable or unanswerable", hint)
    author, written = Author(file, load_corpus(corpus)), written_question(question, gold, claims, stratum)
    findings = author.read(written)
    if are_against(findings) and not anyway:
        return NewQuestion(str(author.path), None, findings)
    return author.write(written, findings, by=by)


def written_question(text: str, gold: Sequence[str] = (), claims: Sequence[str] = (), stratum: str = "") -> Question:
    """As somebody writes it; without gold ids nothing answers it. It is filed under the kind that its stratum names, if
    that fits; a stratum may have any name."""
    expects: Expects = "answer" if gold else "refusal"
    kind = KINDS.get("refuse" if stratum == "grounded" else stratum, USUAL[expects])
    kind = kind if kind.expects == expects else USUAL[expects]
    kept = tuple(" ".join(claim.split()) for claim in claims if claim.strip())
    words = " ".join(text.split())
    return Question(
        id_of_text(words), words, expects, stratum or kind.stratum, kind.probes, tuple(gold), kept, kind.retrieval
    )


def are_against(findings: Sequence[Finding]) -> bool:
    """Whether a person should think again."""
    return any(one.confidence >= SURE for one in findings)


class Author:
    """Writes questions over one corpus into one file."""

    def __init__(self, file: str | Path, passages: Sequence[Passage]) -> None:
        self._file = QuestionFile(file)
        self.path = self._file.path
        if not self.path.parent.is_dir():
            raise UsageError(f"there is no folder {self.path.parent}", "make it first, or choose another place")
        self.ids = {passage.id for passage in passages}
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

    def write(self, question: Question, findings: Sequence[Finding], *, by: str) -> NewQuestion:
        """Whatever was found; it is kept with the question."""
        made: dict[str, object] = {"kind": "written", "by": by}
        if findings:
            made["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
        accepted = decided(replace(question, metadata={"made": made}), "accepted", by)
        added = self._file.add(accepted, lambda there: _check_new(question, there))
        return NewQuestion(str(self.path), added.id, tuple(findings))

    def _check(self, question: Question) -> None:
        if not question.text:
            raise UsageError("the question has no text", "write one with --question")
        if unknown := [one for one in question.gold_ids if one not in self.ids]:
            hint = "`surefoot corpus search CORPUS WORDS` shows ids"
            raise UsageError(f"the corpus has no passage {unknown[0]!r}", hint)
        if bool(question.gold_ids) != bool(question.gold_claims):
            missing = "gold claim" if question.gold_ids else "gold passage"
            raise UsageError(f"an answerable question needs a {missing}", "give both --gold and --claim")


def _check_new(question: Question, there: Sequence[Question]) -> None:
    same = next((one for one in _kept(there) if normalise(one.text) == normalise(question.text)), None)
    if same is not None:
        raise UsageError(f"question {same.id!r} asks the same", "ask something else, or edit that one")


def _kept(there: Sequence[Question]) -> list[Question]:
    return [question for question in there if review_of(question) != REJECTED]
