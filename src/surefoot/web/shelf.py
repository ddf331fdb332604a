"""The labels on a run as they stand, kept ready: a page is made without asking the ledger."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from surefoot.records import BY_CHOICE, CANNOT_TELL, SKIPPED, Drawn, Label, Value

SENDING = re.compile(r"[0-9a-f]{32}")  # what a page calls what it sends
UNDO = "~undo"
_SENT = re.compile(rf"({SENDING.pattern})({UNDO})?:.*", re.DOTALL)


class Shelf:
    """Rows come in the order they were made. `needed` is the axis that makes an answer count as labelled."""

    def __init__(self, needed: str, rows: Iterable[Label] = ()) -> None:
        self._needed = needed
        self._sent: defaultdict[str, dict[str, list[Label]]] = defaultdict(dict)  # by person: what they sent, in order
        self._said: defaultdict[tuple[str, str], dict[str, list[Label]]] = defaultdict(dict)  # by person and version
        self._mine: defaultdict[str, dict[str, None]] = defaultdict(dict)  # by person: versions, the latest last
        self._people: defaultdict[str, dict[str, Drawn]] = defaultdict(dict)  # by version: who labelled it, how drawn
        self._passed: defaultdict[str, dict[str, str]] = defaultdict(
            dict
        )  # by person: versions without a label, and why
        self._ids: set[str] = set()
        self.add(rows)

    def __contains__(self, row: Label) -> bool:
        return row.id in self._ids

    def add(self, rows: Iterable[Label]) -> None:
        """Those that are new."""
        for row in rows:
            if row.id in self._ids:
                continue
            self._ids.add(row.id)
            self._said[row.annotator, row.version].setdefault(row.axis, []).append(row)
            if row.axis == self._needed:
                self._count(row)
            if sent := _SENT.fullmatch(row.id):
                self._sent[row.annotator].setdefault(sent[1] + (sent[2] or ""), []).append(row)

    def _count(self, row: Label) -> None:
        mine, people, passed = self._mine[row.annotator], self._people[row.version], self._passed[row.annotator]
        mine.pop(row.version, None)
        people.pop(row.annotator, None)
        passed.pop(row.version, None)
        if row.value is None and row.note in (SKIPPED, CANNOT_TELL):
            passed[row.version] = row.note
        if row.value is not None:
            mine[row.version] = None
            people[row.annotator] = row.drawn

    def of(self, person: str, version: str) -> dict[str, Label]:
        """What a person last said of an answer, by axis."""
        said = self._said.get((person, version), {})
        return {axis: rows[-1] for axis, rows in said.items() if rows[-1].value is not None}

    def mine(self, person: str) -> list[str]:
        """The versions a person has labelled, the latest last."""
        return list(self._mine.get(person, ()))

    def passed_over(self, person: str, why: str) -> list[str]:
        """The versions that a person has seen and not labelled for this reason, the latest last."""
        return [version for version, reason in self._passed.get(person, {}).items() if reason == why]

    def by_others(self, person: str) -> set[str]:
        return {version for version, people in self._people.items() if people.keys() - {person}}

    @property
    def labelled(self) -> set[str]:
        """The versions that anybody has labelled."""
        return {version for version, people in self._people.items() if people}

    @property
    def sampled(self) -> set[str]:
        """Of those, the ones that somebody had drawn by chance. The others speak for themselves alone."""
        return {version for version, people in self._people.items() if set(people.values()) - BY_CHOICE}

    @property
    def people(self) -> list[str]:
        return sorted(person for person, versions in self._mine.items() if versions)

    def has(self, person: str, sending: str) -> bool:
        return sending in self._sent.get(person, {})

    def last_sent(self, person: str) -> str:
        """What an undo would take back; "" where there is nothing left."""
        sent = self._sent.get(person, {})
        return next((name for name in reversed(sent) if not name.endswith(UNDO) and name + UNDO not in sent), "")

    def before(self, person: str, sending: str) -> list[tuple[Label, Value, str]]:
        """The rows of a sending, each with the value and note that it replaced."""
        found = []
        for row in self._sent.get(person, {}).get(sending, []):
            said = self._said[person, row.version][row.axis]
            place = said.index(row)
            found.append((row, said[place - 1].value, said[place - 1].note) if place else (row, None, ""))
        return found
