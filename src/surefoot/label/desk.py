"""The desk at which people label a run: which answer each of them has before them, and which labels they give."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.records import CANNOT_TELL, SKIPPED, Drawn, Label, Value, cannot_tell_because, is_settler
from surefoot.core.rubric import Rubric
from surefoot.gate.next_steps import next_for
from surefoot.label.form import Field, applying, read, says_cannot_tell
from surefoot.label.labels import SENDING, UNDO, History, Labels
from surefoot.label.lists import Dispute, Said, disputes, own, said_by, settler
from surefoot.label.view import View, view_of
from surefoot.report.prose import visible
from surefoot.services.label_queue import LabelQueue, Sheet
from surefoot.store import Project
from surefoot.web.pages import BadForm

_OPEN_FOR = 30 * 60.0  # seconds that an answer stays with whoever has it before them
_LONGEST_NOTE = 2_000


class Sent(Struct, frozen=True):
    """What a page sends. `id` is made by the page, and an undo names it."""

    number: int
    version: str
    id: str
    values: dict[str, str] = {}
    note: str = ""


class Progress(Struct, frozen=True):
    mine: int
    together: int
    target: int
    cannot_tell: int = 0  # of whoever looks
    by_ai_alone: int = 0


class Sample(Struct, frozen=True):
    """Of the run's answers that were drawn by chance: how many are labelled, and how many the target needs."""

    labelled: int
    needed: int


class Page(Struct, frozen=True):
    """An answer as one person sees it now."""

    number: int
    sheet: Sheet
    view: View
    fields: list[Field]
    values: dict[str, Value]
    note: str
    progress: Progress
    before: int | None
    after: int | None
    undo: str
    proof: str  # that the queue offered it; "" where somebody went there by its address
    dispute: Dispute | None = None  # that is to be settled here


class Listed(Struct, frozen=True):
    """An answer in a list, with what was said of it."""

    number: int
    question: str
    said: Said


class Quarrel(Struct, frozen=True):
    """An answer in the list of those that people disagree on."""

    number: int
    question: str
    dispute: Dispute


class Desk:
    """Any number of people at once. Looking never waits for saving."""

    def __init__(self, queue: LabelQueue, rubric: Rubric, fields: Sequence[Field], project: Project) -> None:
        self.queue, self.rubric, self.fields, self.project = queue, rubric, fields, project
        self.target = queue.wanted
        self._numbers = {sheet.version: number for number, sheet in enumerate(queue.sheets, 1)}
        self._drawn = {place.version: place.drawn for place in queue.places}
        self._gate = {place.version for place in queue.places if place.for_gate}
        self._open: dict[str, tuple[str, float]] = {}  # by person: what lies before them, and since when
        self._offered: set[tuple[str, str]] = set()  # person and version
        self.labels = Labels(project, self._numbers.keys(), fields[0].name)
        self._view = lru_cache(maxsize=100)(lambda number: view_of(queue.sheets[number - 1].item))

    def next_number(self, person: str) -> int | None:
        """Lay the next answer before a person; None when nothing is left for them."""
        with self.labels.lock:
            history, now = self.labels.history, time.monotonic()
            being_read = {v for who, (v, since) in self._open.items() if who != person and now - since < _OPEN_FOR}
            taken = history.by_others(person) | being_read
            mine = {*history.said(person), *history.said(settler(person))}
            place = next_for(self.queue.places, mine, taken, history.passed_over(person, SKIPPED))
            if place is None:
                self._open.pop(person, None)
                return None
            self._open[person] = (place.version, now)
            self._offered.add((person, place.version))
            return self._numbers[place.version]

    def onwards(self, person: str) -> str:
        number = self.next_number(person)
        return "/done" if number is None else f"/answers/{number}"

    def page(self, number: int, person: str, proofs: Collection[str] = ()) -> Page | None:
        if not 1 <= number <= len(self.queue.sheets):
            return None
        sheet, view = self.queue.sheets[number - 1], self._view(number)
        with self.labels.lock:
            said = said_by(self.labels.history, person, sheet.version)
            before, after = self._beside(sheet.version, person)
            return Page(
                number, sheet, view, self._asked(view), said.values, said.note,
                self.progress(person), before, after, self.last_sent(person),
                self._proof(person, sheet.version) if self._was_offered(person, sheet.version, proofs) else "",
            )  # fmt: skip

    def progress(self, person: str) -> Progress:
        with self.labels.lock:
            history = self.labels.history
            mine, unsure = history.mine(person), history.passed_over(person, CANNOT_TELL)
            queued = self._drawn.keys()
            done = queued & history.done_for(person)
            by_ai = len(queued & history.labelled) - len(done)
            return Progress(len(queued & mine), len(done), self.target, len(unsure), by_ai)

    @property
    def gate_is_served(self) -> bool:
        """True when there were answers that the gate waited for, and all of them are labelled."""
        with self.labels.lock:
            return bool(self._gate) and self._gate <= self.labels.history.labelled

    @property
    def is_for_the_gate(self) -> bool:
        """True when nothing else is put before people."""
        return self._drawn.keys() == self._gate

    @property
    def sample(self) -> Sample | None:
        """What the gate picked for what it would decide is no sample of the run; None where it picked nothing."""
        if "gate" not in self._drawn.values():
            return None
        own = {sheet.version for sheet in self.queue.sheets if sheet.run == self.queue.newest}
        with self.labels.lock:
            sampled = self.labels.history.sampled & own
        reachable = len(own - self._gate | sampled)
        return Sample(len(sampled), min(self.queue.target, reachable))

    def last_sent(self, person: str) -> str:
        with self.labels.lock:
            return self.labels.history.last_sent(person)

    def save(self, person: str, sent: Sent, proofs: Collection[str] = ()) -> str:
        """Keep what was sent; where to go then. It is in the database when this returns."""
        fields = self._fields_for(sent)
        values = read(fields, sent.values)
        rows_of = self._changes(person, sent, fields, values, self._how_drawn(person, sent.version, proofs))
        together, served = self.progress(person).together, self.gate_is_served
        self.labels.write(person, sent.version, rows_of)
        reached = together < self.target <= self.progress(person).together or self.gate_is_served > served
        return "/done" if reached else self.onwards(person)

    def settle(self, person: str, sent: Sent) -> str:
        """Keep what a person decides on an answer that others disagree on, as a label of its own; to the next one."""
        fields = self._fields_for(sent)
        if says_cannot_tell(fields, sent.values):
            raise BadForm("a settled answer has a label", "choose one, or leave it open")
        values = read(fields, sent.values)
        self.labels.write(settler(person), sent.version, self._changes(settler(person), sent, fields, values, "chosen"))
        rest = [one.number for one in self.disputes() if one.dispute.is_open]
        return f"/settle/{next((number for number in rest if number > sent.number), rest[0])}" if rest else "/settle"

    def take_back(self, person: str, number: int) -> str:
        """Take back all that a person said of an answer, whenever that was; an undo brings it back."""
        if not 1 <= number <= len(self.queue.sheets):
            raise BadForm("there is no such answer", "reload the page")
        version, sending = self.queue.sheets[number - 1].version, secrets.token_hex(16)

        def rows_of(before: History) -> list[Label]:
            rows = before.last(person, version).values()
            blank = [replace(row, id=f"{sending}:{row.axis}", value=None, note="") for row in rows]
            return [new for new, old in zip(blank, rows, strict=True) if old.value is not None or old.note]

        self.labels.write(person, version, rows_of)
        return "/settle" if is_settler(person) else "/mine"

    def own(self, person: str) -> list[Listed]:
        """What a person has said of answers of this run, the latest first."""
        with self.labels.lock:
            found = own(self.labels.history, person)
        numbered = [(self._numbers[one.version], one) for one in found]
        return [Listed(number, self._question(number), one) for number, one in numbered]

    def disputes(self) -> list[Quarrel]:
        """The answers that people disagree on, in the order of the run."""
        with self.labels.lock:
            found = disputes(self.labels.history)
        numbered = sorted((self._numbers[version], version) for version in found)
        return [Quarrel(number, self._question(number), found[version]) for number, version in numbered]

    @property
    def open_disputes(self) -> int:
        with self.labels.lock:
            return sum(one.is_open for one in disputes(self.labels.history).values())

    def page_to_settle(self, number: int, person: str) -> Page | None:
        """An answer with what people say of it; None where they agree."""
        found = next((one.dispute for one in self.disputes() if one.number == number), None)
        page = self.page(number, settler(person)) if found else None
        if page is None or found is None:
            return None
        fields = [
            replace(field, choices=tuple(c for c in field.choices if c.value != CANNOT_TELL)) for field in page.fields
        ]
        return replace(page, fields=fields, values=found.agreed | page.values, progress=self.progress(person),
                       proof="", dispute=found)  # fmt: skip

    def skip(self, person: str, number: int, proofs: Collection[str] = ()) -> str:
        """Keep that a person saw an answer and gives no label. Skipping leaves what they said of it before alone."""
        if not 1 <= number <= len(self.queue.sheets):
            return self.onwards(person)
        sent = Sent(number, self.queue.sheets[number - 1].version, secrets.token_hex(16), note=SKIPPED)
        changes = self._changes(person, sent, self.fields, {}, self._how_drawn(person, sent.version, proofs))

        def rows_of(before: History) -> list[Label]:
            return [] if before.said(person) else changes(before)

        self.labels.write(person, sent.version, rows_of)
        return self.onwards(person)

    def undo(self, person: str, sending: str) -> str:
        """Take back what a person sent, by new rows with the values of before; back to that answer."""
        with self.labels.lock:
            last, found = self.last_sent(person), self.labels.history.undoing(person, sending)
        if not found:
            raise BadForm("there is nothing to take back", "reload the page")
        version = found[0].version

        def rows_of(before: History) -> list[Label]:
            if before.has(person, sending + UNDO):
                return []
            if sending != last or sending != before.last_sent(person):
                raise BadForm("you have saved something since, in another tab", "reload the page")
            return before.undoing(person, sending)

        self.labels.write(person, version, rows_of)
        if is_settler(person):
            return f"/settle/{self._numbers[version]}"
        with self.labels.lock:
            self._open[person] = (version, time.monotonic())
        return f"/answers/{self._numbers[version]}"

    def _fields_for(self, sent: Sent) -> list[Field]:
        """The fields of the form that was sent, if the page was of this run."""
        if not SENDING.fullmatch(sent.id):
            raise BadForm("what was sent has no name that a page would give it", "reload the page")
        if self._numbers.get(sent.version) != sent.number:
            raise BadForm("this page is of an answer that is not in the run any more", "reload the page")
        return self._asked(self._view(sent.number))

    def _question(self, number: int) -> str:
        return self.queue.sheets[number - 1].item.question.text

    def _changes(
        self, person: str, sent: Sent, fields: Sequence[Field], values: Mapping[str, Value], drawn: Drawn
    ) -> Callable[[History], list[Label]]:
        """One row for each axis that a person labels otherwise than before; a note goes with the first."""
        question_id, attempt = self.queue.sheets[sent.number - 1].key
        subject = str(self.queue.sheets[sent.number - 1].item.trace.subject or "")
        run, note = self.queue.sheets[sent.number - 1].run, " ".join(visible(sent.note).split())[:_LONGEST_NOTE]
        note = cannot_tell_because(note) if says_cannot_tell(fields, sent.values) else note

        def rows_of(before: History) -> list[Label]:
            # What is sent twice changes nothing and makes no row, unless it was changed or taken back in between. A
            # page whose reply was lost may not know of that.
            sending = secrets.token_hex(16) if before.has(person, sent.id) else sent.id
            latest, rows = before.last(person, sent.version), []
            for field in fields:
                old, value = latest.get(field.name), values.get(field.name)
                words = note if field.is_needed else ""
                if (old.value if old else None, old.note if old else "") != (value, words):
                    rows.append(Label(
                        id=f"{sending}:{field.name}", at="", annotator=person, question_id=question_id,
                        attempt=attempt, axis=field.name, value=value, note=words, version=sent.version, run=run,
                        rubric_sha256=self.rubric.sha256, drawn=before.drawn(person, sent.version, drawn),
                        subject=subject,
                    ))  # fmt: skip
            return rows

        return rows_of

    def _how_drawn(self, person: str, version: str, proofs: Collection[str]) -> Drawn:
        """An answer that somebody went to by its address was chosen, and is no part of a random sample."""
        with self.labels.lock:
            if not self._was_offered(person, version, proofs):
                self.next_number(person)  # it may be the one that comes next anyway
            return self._drawn.get(version, "chosen") if self._was_offered(person, version, proofs) else "chosen"

    def _was_offered(self, person: str, version: str, proofs: Collection[str]) -> bool:
        return (person, version) in self._offered or self._proof(person, version) in proofs

    def _proof(self, person: str, version: str) -> str:
        """For the browser to keep, so that a server that is started anew still knows what it offered.

        It keeps honest people's samples right. Who wants to pick answers can skip to them anyway, and is counted.
        """
        return hashlib.sha256(f"{version}\0{person}".encode("utf-8", "replace")).hexdigest()[:32]

    def _asked(self, view: View) -> list[Field]:
        return applying(self.fields, cites=view.cites, refused=view.refuses)

    def _beside(self, version: str, person: str) -> tuple[int | None, int | None]:
        """The answers a person read before and after this one; the one that lies open comes last."""
        trail = self.labels.history.said(person)
        at = trail.index(version) if version in trail else len(trail)
        trail.append(self._open.get(person, ("", 0.0))[0])
        before, after = trail[at - 1] if at else "", trail[at + 1] if at + 1 < len(trail) else ""
        return self._numbers.get(before), self._numbers.get(after)
