"""The desk at which people review a question set: which question comes next, and what becomes of it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from msgspec import Struct

from surefoot.core.errors import UsageError
from surefoot.core.types import Passage, Question
from surefoot.datasets.hygiene import Finding
from surefoot.datasets.locks import content_hash, lock_path, read_lock
from surefoot.datasets.question_file import Entry, QuestionFile
from surefoot.datasets.review import Decision, decided
from surefoot.io.questions import ACCEPTED, PROPOSED, REJECTED, made_of, review_of
from surefoot.report.prose import visible
from surefoot.review.form import Fields, edit_of
from surefoot.review.view import View, view_of
from surefoot.review.writing import Author, are_against
from surefoot.web.pages import BadForm

_OPEN_FOR = 10 * 60.0  # seconds that a question stays with whoever has it before them
_NEAREST = 5


class Sent(Struct, frozen=True):
    """What a page sends. `version` is that of the row that the person saw."""

    number: int
    version: str
    decision: Decision
    fields: Fields
    stratum: str = ""
    anyway: bool = False  # accepted although the documents seem to say otherwise


class Progress(Struct, frozen=True):
    decided: int
    total: int


class Page(Struct, frozen=True):
    """A question as it stands now."""

    number: int
    entry: Entry
    view: View
    review: str
    reviewer: str
    progress: Progress
    stratum: str
    strata: dict[str, int]  # how many are left in each
    before: str
    after: str
    can_undo: bool


class _Done(Struct, frozen=True):
    """A decision that can be taken back as long as nobody has changed the row since."""

    number: int
    former: Question
    version: str
    stratum: str


class Desk:
    """Any number of people at once. Nothing is kept here but what lies open, and what can be undone."""

    def __init__(self, file: QuestionFile, passages: Sequence[Passage]) -> None:
        self.file = file
        self._passages = {passage.id: passage for passage in passages}
        self.author = Author(file.path, passages)
        self._lock = threading.RLock()
        self._open: dict[str, tuple[str, float]] = {}  # by person: the id of a question, and since when
        self._done: dict[str, list[_Done]] = {}
        if not self.entries:
            hint = "`surefoot questions build` proposes questions"
            raise UsageError(f"{file.path} holds no question to review", hint)

    @property
    def entries(self) -> list[Entry]:
        """What was proposed, whatever became of it; other questions are nobody's to review."""
        with self._lock:
            every = self.file.entries()
        return [entry for entry in every if review_of(entry.question) in (PROPOSED, ACCEPTED, REJECTED)]

    def progress(self, stratum: str = "") -> Progress:
        states = [review_of(entry.question) for entry in self.entries if _is_in(entry, stratum)]
        return Progress(sum(state != PROPOSED for state in states), len(states))

    def counts(self) -> Counter[str]:
        return Counter(str(review_of(entry.question)) for entry in self.entries)

    def onwards(self, person: str, stratum: str = "", after: int = 0) -> str:
        """Lay the next question that nobody has decided before a person; where to go."""
        with self._lock:
            now = time.monotonic()
            taken = {qid for who, (qid, since) in self._open.items() if who != person and now - since < _OPEN_FOR}
            left = [
                (number <= after, number, entry.question.id)
                for number, entry in enumerate(self.entries, 1)
                if review_of(entry.question) == PROPOSED and _is_in(entry, stratum) and entry.question.id not in taken
            ]
            if not left:
                self._open.pop(person, None)
                return address("/done", stratum)
            _, number, qid = min(left)
            self._open[person] = (qid, now)
            return _page_address(number, stratum)

    def page(self, number: int, person: str, stratum: str = "") -> Page | None:
        entries = self.entries
        if not 1 <= number <= len(entries):
            return None
        entry = entries[number - 1]
        in_reach = [place for place, one in enumerate(entries, 1) if _is_in(one, stratum) or place == number]
        at = in_reach.index(number)
        reviewed = made_of(entry.question).get("reviewed")
        return Page(
            number, entry, self._view(entry.question), str(review_of(entry.question)),
            str(reviewed.get("by", "")) if isinstance(reviewed, dict) else "",
            self.progress(stratum), stratum, _left(entries),
            _page_address(in_reach[at - 1], stratum) if at else "",
            _page_address(in_reach[at + 1], stratum) if at + 1 < len(in_reach) else "",
            self.can_undo(person),
        )  # fmt: skip

    def decide(self, person: str, sent: Sent) -> str:
        """Write a decision into the file; where to go then. It is on disk when this returns."""
        former: list[Question] = []

        def make(entry: Entry) -> Question | None:
            if entry.version != sent.version:
                return None
            former.append(entry.question)
            return self._decided(entry.question, person, sent)

        changed = self.file.change(make)
        if not changed:
            raise BadForm("this question was changed in another window or by somebody else", "reload the page")
        done = [
            _Done(sent.number, *pair, sent.stratum)
            for pair in zip(former, (one.version for one in changed), strict=True)
        ]
        with self._lock:
            self._done.setdefault(person, []).extend(done)
        return self.onwards(person, sent.stratum, sent.number)

    def objections(self, sent: Sent) -> tuple[Finding, ...]:
        """What the documents and the other questions say against an edit, where a person should think again."""
        entry = next((one for one in self.entries if one.version == sent.version), None)
        if entry is None or sent.decision == "rejected" or sent.anyway:
            return ()
        edit = self._edit(entry.question, sent)
        if edit == entry.question:
            return ()
        findings = self.author.against(edit)
        return findings if are_against(findings) else ()

    def address_of(self, qid: str) -> str:
        numbers = [number for number, entry in enumerate(self.entries, 1) if entry.question.id == qid]
        return _page_address(numbers[-1], "") if numbers else "/"

    def can_undo(self, person: str) -> bool:
        return bool(self._done.get(person))

    def undo(self, person: str) -> str:
        """Put back the row as it was before the last decision of a person; back to that question."""
        with self._lock:
            done = self._done.get(person)
            if not done:
                raise BadForm("there is nothing to undo since the page was started", "go back to the question with k")
            last = done[-1]
            changed = self.file.change(lambda entry: last.former if entry.version == last.version else None)
            done.pop()  # only now: a file that could not be written is tried again
        if not changed:
            raise BadForm(f"{last.former.id} was changed by somebody else since", "reload the page")
        return _page_address(last.number, last.stratum)

    def _decided(self, question: Question, person: str, sent: Sent) -> Question:
        if sent.decision == "rejected":
            return decided(question, "rejected", person)
        edit = self._edit(question, sent)
        after, path = content_hash(edit), lock_path(self.file.path)
        if path.is_file() and read_lock(path).get(question.id, after) != after:
            hint = f"reject it, or make a new version of the set: surefoot questions clone {self.file.path} NEW"
            raise BadForm(f"{question.id} is locked, so its words may not change", hint)
        return decided(question, "accepted", person, edit)

    def _edit(self, question: Question, sent: Sent) -> Question:
        view = self._view(question)
        ids = [*question.gold_ids, *(shown.id for shown in (*view.evidence, *view.others))]
        return edit_of(question, sent.fields, {visible(one): one for one in ids})

    def _view(self, question: Question) -> View:
        return view_of(question, self._passages, self.author.nearest(question.text, _NEAREST))


def address(path: str, stratum: str) -> str:
    return f"{path}?stratum={quote(stratum)}" if stratum else path


def _page_address(number: int, stratum: str) -> str:
    return address(f"/questions/{number}", stratum)


def _left(entries: Sequence[Entry]) -> dict[str, int]:
    left = dict.fromkeys((entry.question.stratum for entry in entries), 0)
    for entry in entries:
        left[entry.question.stratum] += review_of(entry.question) == PROPOSED
    return left


def _is_in(entry: Entry, stratum: str) -> bool:
    return not stratum or entry.question.stratum == stratum
