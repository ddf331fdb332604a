"""The lists beside the desk: what a person has said so far, and the answers on which people disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from surefoot.core.records import (
    CANNOT_TELL,
    SETTLED,
    Label,
    Value,
    bare_name,
    is_ai,
    is_settler,
    reason_of,
    whose,
    why_passed_over,
)
from surefoot.label.labels import History


class Said(Struct, frozen=True):
    """What one annotator says of one answer."""

    who: str
    version: str
    values: dict[str, Value]  # by axis
    note: str
    at: str


class Dispute(Struct, frozen=True):
    """An answer to which people give different labels."""

    axes: tuple[str, ...]  # on which they differ
    said: tuple[Said, ...]
    agreed: dict[str, Value]  # what all of them say
    settled: tuple[Said, ...] = ()

    @property
    def between(self) -> str:
        """Whose labels differ, in words."""
        return whose(one.who for one in self.said)

    @property
    def is_open(self) -> bool:
        """Nobody has settled it, or those who did say different things."""
        return any(len({one.values.get(axis) for one in self.settled} - {None}) != 1 for axis in self.axes)


def own(history: History, person: str) -> list[Said]:
    """What a person said of each answer, the latest first."""
    return [said_by(history, person, version) for version in reversed(history.said(person))]


def said_by(history: History, person: str, version: str) -> Said:
    return _said(person, version, history.last(person, version))


def disputes(history: History) -> dict[str, Dispute]:
    """The answers on which people disagree, by version."""
    found = {}
    for version, by_person in history.by_version().items():
        rows = [_said(who, version, labels) for who, labels in sorted(by_person.items())]
        said = tuple(one for one in rows if not is_settler(one.who))
        by_axis = _by_axis(said)
        if axes := tuple(axis for axis, values in by_axis.items() if len(values) > 1):
            agreed = {axis: next(iter(values)) for axis, values in by_axis.items() if len(values) == 1}
            found[version] = Dispute(axes, said, agreed, tuple(one for one in rows if is_settler(one.who)))
    return found


def settler(person: str) -> str:
    """The name under which a person settles what others disagree on."""
    return SETTLED + person


def name_of(who: str) -> str:
    name = bare_name(who).removeprefix(SETTLED)
    return f"{name} (AI)" if is_ai(who) else name


def _by_axis(said: Iterable[Said]) -> dict[str, set[Value]]:
    """The values given on each axis. Who cannot tell disagrees with nobody."""
    found: dict[str, set[Value]] = {}
    for one in said:
        for axis, value in one.values.items():
            if value != CANNOT_TELL:
                found.setdefault(axis, set()).add(value)
    return found


def _said(who: str, version: str, rows: Mapping[str, Label]) -> Said:
    values: dict[str, Value] = {
        axis: why_passed_over(row) or row.value
        for axis, row in rows.items()
        if row.value is not None or why_passed_over(row) == CANNOT_TELL
    }
    note = next((reason_of(row) for axis, row in rows.items() if axis in values and row.note), "")
    return Said(who, version, values, note, max((row.at for row in rows.values()), default=""))
