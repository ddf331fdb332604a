"""Questions of one's own: written over a corpus, held against it at once, and added to a question set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from surefoot.build.duplicates import duplicates_of
from surefoot.build.reading import Reader
from surefoot.corpus.load import load_corpus
from surefoot.datasets.hygiene import SURE, Finding
from surefoot.datasets.protocol import KINDS, USUAL, Kind
from surefoot.datasets.question_file import Entry, QuestionFile, Row
from surefoot.datasets.review import decided
from surefoot.errors import ExitCode, UsageError
from surefoot.io.questions import REJECTED, question_of, review_of
from surefoot.services.result import Fields
from surefoot.text.normal import normalise
from surefoot.types import Passage, Question


class Draft(Struct, frozen=True, kw_only=True):
    """A question as somebody writes it; without gold ids nothing answers it."""

    text: str
    gold_ids: tuple[str, ...] = ()
    gold_claims: tuple[str, ...] = ()
    stratum: str = ""


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
    draft = Draft(text=question, gold_ids=tuple(gold), gold_claims=tuple(claims), stratum=stratum)
    author = Author(file, load_corpus(corpus))
    findings = author.read(draft)
    if are_against(findings) and not anyway:
        return NewQuestion(author.file, None, findings)
    return author.write(draft, findings, by=by)


def are_against(findings: Sequence[Finding]) -> bool:
    """Whether a person should think again."""
    return any(one.confidence >= SURE for one in findings)


class Author:
    """Writes questions over one corpus into one file."""

    def __init__(self, file: str | Path, passages: Sequence[Passage]) -> None:
        self._file = QuestionFile(file)
        if not self._file.path.parent.is_dir():
            raise UsageError(f"there is no folder {self._file.path.parent}", "make it first, or choose another place")
        self._ids = {passage.id for passage in passages}
        self._reader = Reader(passages)

    def nearest(self, text: str, limit: int) -> list[Passage]:
        return self._reader.nearest(text, limit)

    def knows(self, passage: str) -> bool:
        return passage in self._ids

    def read(self, draft: Draft) -> tuple[Finding, ...]:
        """What the documents, and the questions that are there already, say against it."""
        self._check(draft)
        there = self._file.entries() if self._file.path.exists() else []
        return self.against(question_of(_row(draft, there)))

    def against(self, question: Question) -> tuple[Finding, ...]:
        """The same of a question that may be in the file already."""
        there = self._file.entries() if self._file.path.exists() else []
        others = [entry for entry in there if entry.question.id != question.id]
        return (*self._reader.findings(question), *_in_other_words(question, others))

    def write(self, draft: Draft, findings: Sequence[Finding], *, by: str) -> NewQuestion:
        """Whatever was found; it is kept with the question."""

        def make(there: list[Entry]) -> Row:
            row = _row(draft, there)
            row["made"] = {"kind": "written", "by": by}
            if findings:
                row["made"]["findings"] = [{"kind": one.kind, "confidence": one.confidence} for one in findings]
            return decided(Entry(row, question_of(row), ""), "accepted", by)

        return NewQuestion(str(self._file.path), self._file.add(make)["qid"], tuple(findings))

    @property
    def file(self) -> str:
        return str(self._file.path)

    def _check(self, draft: Draft) -> None:
        if not draft.text.strip():
            raise UsageError("the question has no text", "write one with --question")
        if unknown := [one for one in draft.gold_ids if not self.knows(one)]:
            hint = "`surefoot corpus search CORPUS WORDS` shows ids"
            raise UsageError(f"the corpus has no passage {unknown[0]!r}", hint)
        if bool(draft.gold_ids) != any(claim.strip() for claim in draft.gold_claims):
            missing = "gold claim" if draft.gold_ids else "gold passage"
            raise UsageError(f"an answerable question needs a {missing}", "give both --gold and --claim")


def _in_other_words(question: Question, there: Sequence[Entry]) -> list[Finding]:
    found = duplicates_of([*(entry.question for entry in _kept(there)), question])
    return [one for one in found if one.qid == question.id]


def _kept(there: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in there if review_of(entry.question) != REJECTED]


def _row(draft: Draft, there: Sequence[Entry]) -> Row:
    same = next((one for one in _kept(there) if normalise(one.question.text) == normalise(draft.text)), None)
    if same is not None:
        raise UsageError(f"question {same.question.id!r} asks the same", "ask something else, or edit that one")
    taken = {entry.question.id for entry in there}
    number = next(number for number in range(1, len(taken) + 2) if f"own-{number}" not in taken)
    kind = _kind(draft)
    return {
        "qid": f"own-{number}", "question": " ".join(draft.text.split()), "answerable": bool(draft.gold_ids),
        "stratum": draft.stratum or kind.stratum, "probes": kind.probes, "gold_ids": list(draft.gold_ids),
        "gold_claims": [" ".join(claim.split()) for claim in draft.gold_claims if claim.strip()],
        "retrieval": kind.retrieval,
    }  # fmt: skip


def _kind(draft: Draft) -> Kind:
    """The one that its stratum names, if that fits; a stratum may have any name."""
    usual = USUAL["answer" if draft.gold_ids else "refusal"]
    named = KINDS.get("refuse" if draft.stratum == "grounded" else draft.stratum, usual)
    return named if named.expects == usual.expects else usual
