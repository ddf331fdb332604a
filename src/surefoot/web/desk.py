"""The desk at which people label a run: what lies before whom, what they have said, and how it is kept."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from surefoot.errors import Incomplete
from surefoot.ledger import Ledger
from surefoot.queueing import next_for
from surefoot.records import Drawn, Label, Value
from surefoot.rubric import Rubric
from surefoot.web.forms import BadForm, Field, applying, read
from surefoot.web.marking import View, view_of, visible
from surefoot.web.sheets import Pile, Sheet
from surefoot.web.shelf import UNDO, Shelf

_OPEN_FOR = 30 * 60.0  # seconds that an answer stays with whoever has it before them
_READ_AGAIN_AFTER = 10.0  # seconds: others may write to the ledger too
_LONGEST_NOTE = 2_000


class Sent(Struct, frozen=True):
    """What a page sends. `id` is made by the page: what is sent twice is one label."""

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


class Desk:
    """Any number of people at once. Saving is one at a time; looking never waits for it."""

    def __init__(self, pile: Pile, rubric: Rubric, fields: Sequence[Field], ledger: Ledger, target: int) -> None:
        self.pile, self.rubric, self.fields, self.ledger = pile, rubric, tuple(fields), ledger
        self.target = min(target, len(pile.places))
        self._numbers = {sheet.version: number for number, sheet in enumerate(pile.sheets, 1)}
        self._drawn = {place.version: place.drawn for place in pile.places}
        self._gate = {place.version for place in pile.places if place.drawn == "gate"}
        self._open: dict[str, tuple[str, float]] = {}  # by person: what lies before them, and since when
        self._offered: set[str] = set()
        self._skipped: defaultdict[str, list[str]] = defaultdict(list)
        self._saving, self._looking = threading.Lock(), threading.RLock()  # taken in this order
        self._view = lru_cache(maxsize=100)(lambda version: view_of(self._sheet(version).item))
        self.read_again()

    def read_again(self) -> None:
        """Take note of what others have written to the ledger."""
        with self._saving:
            self._shelf = Shelf(self.fields[0].name, self.ledger.labels(versions=self._numbers.keys()))
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
            place = next_for(self.pile.places, set(shelf.mine(person)), taken, self._skipped[person])
            if place is None:
                self._open.pop(person, None)
                return None
            self._open[person] = (place.version, now)
            self._offered.add(place.version)
            return self._numbers[place.version]

    def page(self, number: int, person: str) -> Page | None:
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

    def last_sent(self, person: str) -> str:
        with self._looking:
            return self._shelf.last_sent(person)

    def save(self, person: str, sent: Sent) -> str:
        """Keep what was sent; where to go then. The ledger has it on disk when this returns."""
        sheet = self._sheet_of(sent)
        fields = self._asked(self._view(sheet.version))
        values = read(fields, sent.values)
        with self._saving:
            before = self.progress(person), self.gate_is_served
            if not self._shelf.has(person, sent.id):
                self._keep(self._rows(person, sheet, sent, fields, values))
            after = self.progress(person), self.gate_is_served
        reached = before[0].together < self.target <= after[0].together or after[1] > before[1]
        return "/done" if reached else self.onwards(person)

    def skip(self, person: str, number: int) -> str:
        if 1 <= number <= len(self.pile.sheets):
            version, skipped = self.pile.sheets[number - 1].version, self._skipped[person]
            with self._looking:
                if version in skipped:
                    skipped.remove(version)
                skipped.append(version)
        return self.onwards(person)

    def undo(self, person: str, sending: str) -> str:
        """Take back what a person sent, by new rows that say what was said before; back to that answer."""
        with self._saving:
            found = self._shelf.before(person, sending)
            if not found:
                raise BadForm("there is nothing to take back")
            if not self._shelf.has(person, sending + UNDO):
                if sending != self._shelf.last_sent(person):
                    raise BadForm("you have saved something since, in another tab", "reload the page")
                at = self._now()
                self._keep([
                    _changed(row, f"{sending}{UNDO}:{row.axis}", at, value, note) for row, value, note in found
                ])  # fmt: skip
        version = found[0][0].version
        self._open[person] = (version, time.monotonic())
        return f"/answers/{self._numbers[version]}"

    def onwards(self, person: str) -> str:
        number = self.next_number(person)
        return "/done" if number is None else f"/answers/{number}"

    def _rows(
        self, person: str, sheet: Sheet, sent: Sent, fields: Sequence[Field], values: Mapping[str, Value]
    ) -> list[Label]:
        """One row for each axis on which a person says something else than before; a note goes with the first."""
        said, at, note = self._shelf.of(person, sheet.version), self._now(), _clean(sent.note)
        question_id, attempt = sheet.key
        drawn = self._how_drawn(person, sheet.version)
        rows = []
        for field in fields:
            old, value = said.get(field.name), values.get(field.name)
            words = note if field.is_needed else ""
            if (old.value if old else None, old.note if old else "") != (value, words):
                rows.append(Label(
                    id=f"{sent.id}:{field.name}", at=at, annotator=person, question_id=question_id, attempt=attempt,
                    axis=field.name, value=value, note=words, version=sheet.version,
                    rubric_sha256=self.rubric.sha256, run=sheet.run, drawn=drawn,
                ))  # fmt: skip
        return rows

    def _how_drawn(self, person: str, version: str) -> Drawn:
        """An answer that somebody went to by its address was chosen, and is no part of a random sample."""
        with self._looking:
            if version not in self._offered | self._shelf.labelled:
                self.next_number(person)  # a page that was open when the server was started anew is the next one again
            is_drawn = version in self._offered | self._shelf.labelled
            return self._drawn.get(version, "chosen") if is_drawn else "chosen"

    def _keep(self, rows: Sequence[Label]) -> None:
        if rows:
            self.ledger.add_labels(rows)
            with self._looking:
                self._shelf.add(rows)

    def _now(self) -> str:
        """Later than every label there is, whatever the clock does: the latest counts."""
        now, newest = datetime.now(UTC), self._shelf.newest
        if now.isoformat(timespec="microseconds") <= newest:
            with contextlib.suppress(ValueError):  # a time that came in with a file may be written in another way
                now = datetime.fromisoformat(newest).astimezone(UTC) + timedelta(microseconds=1)
        return now.isoformat(timespec="microseconds")

    def _asked(self, view: View) -> list[Field]:
        return applying(self.fields, cites=view.cites, refused=view.refuses)

    def _sheet(self, version: str) -> Sheet:
        return self.pile.sheets[self._numbers[version] - 1]

    def _sheet_of(self, sent: Sent) -> Sheet:
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


def _changed(row: Label, name: str, at: str, value: Value, note: str) -> Label:
    return Label(
        id=name, at=at, annotator=row.annotator, question_id=row.question_id, attempt=row.attempt, axis=row.axis,
        value=value, note=note, version=row.version, rubric_sha256=row.rubric_sha256, run=row.run, drawn=row.drawn,
    )  # fmt: skip
