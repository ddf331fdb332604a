"""What people have said of answers: what each sent and took back, and where they differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core import records
from surefoot.core.errors import UsageError
from surefoot.core.records import CANNOT_TELL, Label, Value, is_settler
from surefoot.io.labels import time_after
from surefoot.services.looks import LookList, agreed_words

UNDO = "~undo"
_ROW = re.compile(rf"([0-9a-f]{{32}}(?:{UNDO})?):[0-9]+(\.[0-9]+)?:.*", re.DOTALL)  # id of a row: sending, place, axis


class Said(Struct, frozen=True):
    """What one annotator says of one answer."""

    who: str
    values: dict[str, Value]  # by axis
    note: str


class Dispute(Struct, frozen=True):
    """An answer on which annotators differ."""

    key: str
    question: str
    axes: frozenset[str]
    said: tuple[Said, ...]
    settled: tuple[Said, ...]
    is_open: bool


class Past:
    """What a person has sent, in order, and their newest rows."""

    def __init__(self, rows: Iterable[Label], who: str) -> None:
        self.rows = [row for row in rows if row.annotator == who]
        self.newest = {(row.version, row.axis): row for row in self.rows}
        self.sent: defaultdict[str, list[Label]] = defaultdict(list)
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            if match := _ROW.fullmatch(row.id):
                self.sent[match[1]].append(row)
                self._keys[match[1]] |= set() if match[2] else {row.version}
        self.kept = [name for name in self.sent if UNDO not in name and name + UNDO not in self.sent]

    def keys(self, sending: str) -> tuple[str, ...]:
        """The answers that were looked at, without those that were grouped with them."""
        return tuple(sorted(self._keys[sending]))

    def looks_since(self, key: str) -> int:
        """How often the person looked at something else since."""
        last = (n for n, name in enumerate(reversed(self.kept)) if any(row.version == key for row in self.sent[name]))
        return next(last, 0)

    def said(self, key: str) -> Said:
        found = [row for (version, _), row in self.newest.items() if version == key and is_word(row)]
        values: dict[str, Value] = {row.axis: CANNOT_TELL if row.value is None else row.value for row in found}
        return Said(found[0].annotator if found else "", values, next(filter(None, map(records.reason_of, found)), ""))

    def taking_back(self, sending: str) -> Iterator[Label]:
        """Rows with the values of before; none where it was taken back already."""
        for row in self.sent[sending] if sending + UNDO not in self.sent else ():
            before = [one for one in self.rows if (one.version, one.axis) == (row.version, row.axis)]
            old = before[before.index(row) - 1] if before.index(row) and row.drawn != "again" else None
            value, note = (old.value, old.note) if old else (None, "")  # votes before a second look stand
            yield replace(row, id=row.id.replace(sending, sending + UNDO, 1), at="", value=value, note=note)


def dated(rows: Iterable[Label], known: Iterable[Label], who: str) -> Iterator[Label]:
    """New rows, at a time at which they count: the project may hold times that no clock of ours has shown yet."""
    newest = max((row.at for row in known if row.annotator == who), default="")
    if (at := time_after(newest, datetime.now(UTC))) is None:
        message = f"an earlier label of yours has the time {newest[:40]!r}, and no other can be later"
        raise UsageError(message, "it came with a file; label this answer under another name")
    return (replace(row, at=at) for row in rows)


def is_word(row: Label) -> bool:
    return row.value is not None or records.why_passed_over(row) == CANNOT_TELL


def disputes(rows: Sequence[Label], looks: LookList) -> list[Dispute]:
    """The answers that annotators call differently, those that somebody has settled last."""
    people = agreed_words(row for row in rows if not is_settler(row.annotator))
    disputed: dict[str, list[Label]] = {key: [] for (key, _), word in people.items() if word.disputed}
    for row in rows:
        if row.version in disputed:
            disputed[row.version].append(row)
    found = []
    for key, some in disputed.items():
        words, text = agreed_words(some), looks.answers[key].item.question.text
        axes = frozenset(axis for _, axis in words if (key, axis) in people and people[key, axis].disputed)
        said = [Past(some, name).said(key) for name in sorted({row.annotator for row in some})]
        settled = tuple(one for one in said if is_settler(one.who))
        others = tuple(one for one in said if one.values and one not in settled)
        found.append(Dispute(key, text, axes, others, settled, any(words[key, axis].disputed for axis in axes)))
    return sorted(found, key=lambda one: not one.is_open)
