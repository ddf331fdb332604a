"""What would decide an open rule: labels on a few answers, and what they cost, or more runs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil, floor, sqrt

from msgspec import Struct

from surefoot.core.records import Drawn
from surefoot.gate.sides import SideName

FLAGGED = frozenset({"wrong", "unsupported", None})


class Place(Struct, frozen=True):
    """An answer's place in the queue. One that is shared goes to everybody, so that people can be compared."""

    version: str
    drawn: Drawn
    shared: bool = False
    for_gate: bool = False  # a decision waits for it
    unsure: bool = False  # the grader is unsure of it


def queue(
    verdicts: Mapping[str, str | None],
    gate_needs: Mapping[str, Drawn] | None = None,
    *,
    unsure: Collection[str] = (),
    target: int = 50,
    overlap: float = 0.0,
    graded: bool = True,
    seed: str = "",
) -> list[Place]:
    """Every answer once. `verdicts` has the bucket that a grader chose, by version; None where it chose none.
    `unsure` are the versions whose verdict is unsure.

    It depends on nothing but its arguments, so a server that is started again goes on where it was.
    """
    asked_for = gate_needs or {}
    by_lot = sorted(verdicts, key=lambda version: lot(seed, version))
    needed = [version for version in by_lot if version in asked_for]
    half = ceil(target / 2)
    doubted = [version for version in by_lot if version in unsure and version not in asked_for][:half]
    taken = {*asked_for, *doubted}
    drawn = [version for version in by_lot if version not in taken]
    flagged = [version for version in drawn if graded and verdicts[version] in FLAGGED]
    others = [version for version in drawn if not graded or verdicts[version] not in FLAGGED]
    most_flagged = ceil((target - len(doubted)) / 2)
    order: list[tuple[str, Drawn]] = [(version, asked_for[version]) for version in needed]
    order += [(version, "chosen") for version in doubted]
    order += [(version, "flagged") for version in flagged[:most_flagged]]
    order += [(version, "sample") for version in _by_verdict(others, verdicts)]
    # The flagged ones beyond their half come last, as soon as the others are used up.
    order += [(version, "flagged") for version in flagged[most_flagged:]]
    return [
        Place(version, why, _crosses(number, overlap), version in asked_for, version in unsure)
        for number, (version, why) in enumerate(order)
    ]


def next_for(
    places: Sequence[Place], mine: Collection[str], taken: Collection[str], skipped: Sequence[str] = ()
) -> Place | None:
    """The next answer for one person. `mine`, `taken` (by others) and `skipped` (oldest first) are versions.

    What somebody else has labelled or has before them is left to them, unless it is shared. What was skipped comes
    again when nothing else is left.
    """

    def waits(place: Place) -> bool:
        return place.version not in mine and (place.shared or place.version not in taken)

    fresh = (place for place in places if place.version not in skipped and waits(place))
    again = (place for place in places if place.version in skipped and waits(place))
    return next(fresh, None) or min(again, key=lambda place: skipped.index(place.version), default=None)


def lot(seed: str, version: str) -> bytes:
    """A lot drawn for each answer by itself: answers that come later leave the order of the others alone."""
    return hashlib.sha256(f"{seed}\0{version}".encode()).digest()


def _by_verdict(versions: Sequence[str], verdicts: Mapping[str, str | None]) -> Iterator[str]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for version in versions:
        groups[str(verdicts[version])].append(version)
    turns = [
        ((number + 0.5) / sqrt(len(group)), verdict, version)
        for verdict, group in groups.items()
        for number, version in enumerate(group)
    ]
    return (version for _, _, version in sorted(turns))


def _crosses(number: int, overlap: float) -> bool:
    """True for a share of `overlap` of all numbers, evenly spread."""
    return floor((number + 1) * overlap + 1e-9) > floor(number * overlap + 1e-9)


class Waiting(Struct, frozen=True):
    question_id: str
    attempt: int
    side: SideName
    run: str
    drawn: Drawn = "look"
