"""The desk at which people label a run: what lies before whom, what they have said, and how it is kept."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

import msgspec
from msgspec import Struct

from surefoot.errors import Incomplete
from surefoot.gate.queue import next_for
from surefoot.ledger import Ledger
from surefoot.records import BY_CHOICE, CANNOT_TELL, SKIPPED, Drawn, Label, PassedOver, Value
from surefoot.rubric import Rubric
from surefoot.web.forms import BadForm, Field, applying, read
from surefoot.web.keeping import Keeper
from surefoot.web.marking import View, view_of, visible
from surefoot.web.offers import Offers, key_of
from surefoot.web.sheets import Pile, Sheet
from surefoot.web.shelf import SENDING, UNDO, Shelf

_OPEN_FOR = 30 * 60.0  # seconds that an answer stays with whoever has it before them
_READ_AGAIN_AFTER = 10.0  # seconds: others may write to the ledger too
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
    people: int


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


class Desk:
    """Any number of people at once. Looking never waits for saving."""

    def __init__(self, pile: Pile, rubric: Rubric, fields: Sequence[Field], ledger: Ledger, target: int) -> None:
        self.pile, self.rubric, self.fields, self.ledger = pile, rubric, tuple(fields), ledger
        self.keeper = Keeper(ledger)
        self.target, self._sample_target = min(target, len(pile.places)), target
        self._numbers = {sheet.version: number for number, sheet in enumerate(pile.sheets, 1)}
        self._drawn = {place.version: place.drawn for place in pile.places}
        self._gate = {place.version for place in pile.places if place.for_gate}
        self._open: dict[str, tuple[str, float]] = {}  # by person: what lies before them, and since when
        self._offers = Offers(key_of(ledger, pile.run))
        self._kept: list[Label] = []  # rows of ours: a reading that began before one was written does not have it
        self._reading, self._looking = threading.Lock(), threading.RLock()  # taken in this order
        self._view = lru_cache(maxsize=100)(lambda version: view_of(self._sheet(version).item))
        self.read_again()

    def read_again(self) -> None:
        """Take note of what others have written to the ledger."""
        with self._reading:
            start = len(self._kept)
            found = self.keeper.read(self._numbers.keys())
            with self._looking:
                self._shelf = Shelf(self.fields[0].name, [*found, *self._kept[start:]])
                self._read_at = time.monotonic()

    def keep_fresh(self) -> None:
        """Read again now and then. A ledger that cannot be read now is read later; saving says what is wrong."""
        if time.monotonic() - self._read_at > _READ_AGAIN_AFTER:
            with contextlib.suppress(Incomplete):
                self.read_again()

    def next_number(self, person: str) -> int | None:
        """Lay the next answer before a person; None when nothing is left for them."""
        with self._looking:
            shelf, now = self._shelf, time.monotonic()
            being_read = {v for who, (v, since) in self._open.items() if who != person and now - since < _OPEN_FOR}
            taken = shelf.by_others(person) | being_read
            mine = {*shelf.mine(person), *shelf.passed_over(person, CANNOT_TELL)}
            place = next_for(self.pile.places, mine, taken, shelf.passed_over(person, SKIPPED))
            if place is None:
                self._open.pop(person, None)
                return None
            self._open[person] = (place.version, now)
            self._offers.add(person, place.version)
            return self._numbers[place.version]

    def page(self, number: int, person: str, proofs: Collection[str] = ()) -> Page | None:
        if not 1 <= number <= len(self.pile.sheets):
            return None
        sheet = self.pile.sheets[number - 1]
        view = self._view(sheet.version)
        with self._looking:
            said = self._shelf.of(person, sheet.version)
            before, after = self._beside(sheet.version, person)
            return Page(
                number, sheet, view, self._asked(view),
                {axis: label.value for axis, label in said.items()},
                next((said[field.name].note for field in self.fields if field.name in said), ""),
                self.progress(person), before, after, self._shelf.last_sent(person),
                self._offers.proof(person, sheet.version, proofs),
            )  # fmt: skip

    def progress(self, person: str) -> Progress:
        queued = self._drawn.keys()
        with self._looking:
            mine, together = set(self._shelf.mine(person)) & queued, self._shelf.labelled & queued
            return Progress(len(mine), len(together), self.target, len(self._shelf.people))

    @property
    def gate_is_served(self) -> bool:
        """True when there were answers that the gate waited for, and all of them are labelled."""
        with self._looking:
            return bool(self._gate) and self._gate <= self._shelf.labelled

    @property
    def is_for_the_gate(self) -> bool:
        """True when nothing else is put before people."""
        return self._drawn.keys() == self._gate

    @property
    def sample(self) -> Sample | None:
        """What the gate asked for is no sample of the run; None where it asked for nothing."""
        if not self._gate:
            return None
        own = {sheet.version for sheet in self.pile.sheets if sheet.run == self.pile.run}
        with self._looking:
            sampled = self._shelf.sampled & own
        reachable = len(own - self._gate | sampled)
        return Sample(len(sampled), min(self._sample_target, reachable))

    def last_sent(self, person: str) -> str:
        with self._looking:
            return self._shelf.last_sent(person)

    def save(self, person: str, sent: Sent, proofs: Collection[str] = ()) -> str:
        """Keep what was sent; where to go then. The ledger has it on disk when this returns."""
        sheet = self._sheet_of(sent)
        fields = self._asked(self._view(sheet.version))
        values = read(fields, sent.values)
        drawn = self._how_drawn(person, sheet.version, proofs)
        reached = self._write(
            person, sheet.version, lambda said: self._rows(person, sheet, sent, fields, values, said, drawn)
        )
        return "/done" if reached else self.onwards(person)

    def skip(self, person: str, number: int, why: PassedOver = SKIPPED, proofs: Collection[str] = ()) -> str:
        """Keep that a person saw an answer and gives no label. Skipping a labelled one leaves its label alone."""
        if not 1 <= number <= len(self.pile.sheets):
            return self.onwards(person)
        sheet = self.pile.sheets[number - 1]
        sent = Sent(number, sheet.version, secrets.token_hex(16), note=why)
        drawn = self._how_drawn(person, sheet.version, proofs)

        def rows_of(said: list[Label]) -> list[Label]:
            if why == SKIPPED and Shelf(self.fields[0].name, said).mine(person):
                return []
            return self._rows(person, sheet, sent, self.fields, {}, said, drawn)

        self._write(person, sheet.version, rows_of)
        return self.onwards(person)

    def undo(self, person: str, sending: str) -> str:
        """Take back what a person sent, by new rows that say what was said before; back to that answer."""
        with self._looking:
            last, found = self._shelf.last_sent(person), self._shelf.before(person, sending)
        if not found:
            raise BadForm("there is nothing to take back", "reload the page")
        version = found[0][0].version

        def rows_of(said: list[Label]) -> list[Label]:
            then = Shelf(self.fields[0].name, said)
            if then.has(person, sending + UNDO):
                return []
            if sending != last or sending != then.last_sent(person):
                raise BadForm("you have saved something since, in another tab", "reload the page")
            return [
                msgspec.structs.replace(row, id=f"{sending}{UNDO}:{row.axis}", value=value, note=note)
                for row, value, note in then.before(person, sending)
            ]

        self._write(person, version, rows_of)
        with self._looking:
            self._open[person] = (version, time.monotonic())
        return f"/answers/{self._numbers[version]}"

    def onwards(self, person: str) -> str:
        number = self.next_number(person)
        return "/done" if number is None else f"/answers/{number}"

    def _rows(
        self, person: str, sheet: Sheet, sent: Sent, fields: Sequence[Field], values: Mapping[str, Value],
        said: Sequence[Label], drawn: Drawn,
    ) -> list[Label]:  # fmt: skip
        """One row for each axis on which a person says something else than before; a note goes with the first."""
        then = Shelf(self.fields[0].name, said)
        # What is sent twice says nothing new and makes no row, unless it was changed or taken back in between. A page
        # whose reply was lost may not know of that.
        sending = secrets.token_hex(16) if then.has(person, sent.id) else sent.id
        latest, note = then.of(person, sheet.version), _clean(sent.note)
        question_id, attempt = sheet.key
        rows = []
        for field in fields:
            old, value = latest.get(field.name), values.get(field.name)
            words = note if field.is_needed else ""
            if (old.value if old else None, old.note if old else "") != (value, words):
                rows.append(Label(
                    id=f"{sending}:{field.name}", at="", annotator=person, question_id=question_id, attempt=attempt,
                    axis=field.name, value=value, note=words, version=sheet.version,
                    rubric_sha256=self.rubric.sha256, run=sheet.run, drawn=_still_drawn(said, drawn),
                ))  # fmt: skip
        return rows

    def _how_drawn(self, person: str, version: str, proofs: Collection[str]) -> Drawn:
        """An answer that somebody went to by its address was chosen, and is no part of a random sample."""
        with self._looking:
            if not self._offers.has(person, version, proofs):
                self.next_number(person)  # it may be the one that comes next anyway
            return self._drawn.get(version, "chosen") if self._offers.has(person, version, proofs) else "chosen"

    def _write(self, person: str, version: str, rows_of: Callable[[list[Label]], list[Label]]) -> bool:
        """Add to what a person said of an answer; True where that reached the target, or gave the gate all it needs."""
        said, rows = self.keeper.write(person, version, rows_of)
        with self._looking:
            before = self.progress(person).together, self.gate_is_served
            self._kept += rows
            self._shelf.add(rows)
            after = self.progress(person).together, self.gate_is_served
            is_stale = any(row not in self._shelf for row in said)
        if is_stale:  # another server has written to the ledger
            with contextlib.suppress(Incomplete):
                self.read_again()
        return before[0] < self.target <= after[0] or after[1] > before[1]

    def _asked(self, view: View) -> list[Field]:
        return applying(self.fields, cites=view.cites, refused=view.refuses)

    def _sheet(self, version: str) -> Sheet:
        return self.pile.sheets[self._numbers[version] - 1]

    def _sheet_of(self, sent: Sent) -> Sheet:
        if not SENDING.fullmatch(sent.id):
            raise BadForm("what was sent has no name that a page would give it", "reload the page")
        if self._numbers.get(sent.version) != sent.number:
            raise BadForm("this page is of an answer that is not in the run any more", "reload the page")
        return self._sheet(sent.version)

    def _beside(self, version: str, person: str) -> tuple[int | None, int | None]:
        """The answers a person labelled before and after this one; the one that lies open comes last."""
        trail = self._shelf.mine(person)
        at = trail.index(version) if version in trail else len(trail)
        trail.append(self._open.get(person, ("", 0.0))[0])
        before, after = trail[at - 1] if at else "", trail[at + 1] if at + 1 < len(trail) else ""
        return self._numbers.get(before), self._numbers.get(after)


def _clean(note: str) -> str:
    return " ".join(visible(note).split())[:_LONGEST_NOTE]


def _still_drawn(said: Sequence[Label], drawn: Drawn) -> Drawn:
    """As it was when it was first labelled, unless it was picked since: that stays."""
    ways = [row.drawn for row in said] or [drawn]
    return next((way for way in ways if way in BY_CHOICE), ways[0])
