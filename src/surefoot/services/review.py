"""Questions that were proposed are accepted or rejected, and questions of one's own added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from surefoot.datasets.question_file import Entry, QuestionFile, Row
from surefoot.datasets.review import Decision, accepted_unread, decided
from surefoot.errors import UsageError
from surefoot.io.questions import ACCEPTED, PROPOSED, REJECTED, review_of
from surefoot.services.result import Fields


@dataclass(frozen=True)
class Reviewed(Fields):
    """How many questions of the file are in each state of the review."""

    file: str
    proposed: int
    accepted: int
    rejected: int


def review_questions(
    file: str | Path, *, accept: Collection[str] = (), reject: Collection[str] = (), by: str = "python"
) -> Reviewed:
    """Accept and reject questions by their ids, and say how many are in each state; `surefoot questions review` is
    the page for it."""
    questions = QuestionFile(file)
    _check_ids(questions, accept, reject)

    def make(entry: Entry) -> Row | None:
        qid = entry.question.id
        decision: Decision = "accepted" if qid in accept else "rejected"
        return decided(entry, decision, by) if qid in accept or qid in reject else None

    if accept or reject:
        questions.change(make)
    found = Counter(review_of(entry.question) for entry in questions.entries())
    return Reviewed(str(file), found[PROPOSED], found[ACCEPTED], found[REJECTED])


def accept_unread(file: str | Path) -> int:
    """Accept all that is proposed, and write down that nobody read it."""

    def make(entry: Entry) -> Row | None:
        return accepted_unread(entry) if review_of(entry.question) == PROPOSED else None

    return QuestionFile(file).change(make)


def _check_ids(questions: QuestionFile, accept: Collection[str], reject: Collection[str]) -> None:
    known = {entry.question.id for entry in questions.entries()}
    if strange := sorted({*accept, *reject} - known):
        raise UsageError(f"there is no question {strange[0]!r} to review", "name the ids as they stand in the set")
    if both := sorted({*accept} & {*reject}):
        raise UsageError(f"the question {both[0]!r} cannot be both accepted and rejected", "name it once")
