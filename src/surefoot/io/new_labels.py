"""Labels of a file beside those that a project has: on which answers they are, and which of them are new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.io.kinds import quoted
from surefoot.records import BY_CHOICE, Label, place_of, why_passed_over
from surefoot.types import Problem

Place = tuple[str, int]  # a file, and a line of it
TICK = timedelta(microseconds=1)


def bound(
    labels: Iterable[Label],
    versions: Mapping[tuple[str, int], str],
    problems: list[Problem],
    *,
    run: str = "",
    rubric_sha256: str = "",
    places: Mapping[str, Place] | None = None,
) -> list[Label]:
    """The labels as labels on the answers of a run, of which `versions` has the version by question and attempt.

    One on an answer that the run does not have is named, with its place if that is known by its id, and left out.
    """
    known, found = set(versions.values()), []
    for label in labels:
        version = label.version or versions.get((label.question_id, label.attempt), "")
        if version not in known:
            message = f"{called(label)} is on an answer that the run does not have, and was left out"
            source, line = (places or {}).get(label.id, ("", None))
            problems.append(Problem("unknown_question", message, source, line))
        else:
            found.append(sealed(replace(label, version=version, run=run, rubric_sha256=rubric_sha256)))
    return found


def not_yet_in(known: Iterable[Label], labels: Iterable[Label], now: str) -> list[Label]:
    """The labels that are new, so that a file may be read in again; those without a time count from `now`.

    New is what differs from the last label of the person, is later, or is on an answer that was picked by hand. What
    was once picked stays picked (`records.current`), so a later file need not say so.
    """
    rows = sorted(known, key=lambda row: (row.at, row.id))
    ids, newest = {row.id for row in rows}, {place_of(row): row for row in rows}
    picked = {place_of(row) for row in rows if row.drawn in BY_CHOICE}
    fresh = []
    for label in sorted(labels, key=lambda label: (not label.at, label.at)):  # those without a time come last
        place = place_of(label)
        before, is_pick = newest.get(place), label.drawn in BY_CHOICE and place not in picked
        if label.id in ids or not (is_pick or _is_new(label, before)):
            continue
        fresh.append(_dated(label, before, datetime.fromisoformat(now)))
        newest[place] = max(before or fresh[-1], fresh[-1], key=lambda row: (row.at, row.id))
        picked |= {place} if is_pick else set()
    return fresh


def _is_new(label: Label, before: Label | None) -> bool:
    if before is None:
        # Without a time, there is nothing to take back.
        return bool(label.at) or label.value is not None or why_passed_over(label) is not None
    # A file without notes says nothing about them.
    other_note = bool(label.note) and label.note.strip() != before.note.strip()
    return label.value != before.value or other_note or label.at > before.at


def _dated(label: Label, before: Label | None, now: datetime) -> Label:
    """At its own time if it has one, but for the correction of a label of that very time; else so that it counts."""
    if label.at and (before is None or label.at != before.at):
        return label
    if (at := time_after(before.at if before else "", now)) is None:
        message = f"{called(label)} cannot be changed: it has the time {quoted(before and before.at)}"
        raise UsageError(message, "no time is later; nothing was imported: give the label under another name")
    return sealed(replace(label, at=at))


def called(label: Label) -> str:
    attempt = f" (attempt {label.attempt})" if label.attempt > 1 else ""
    return f"{label.annotator}'s {label.axis} label on question {quoted(label.question_id)}{attempt}"


def sealed(label: Label) -> Label:
    """The label with the hash of all it says as its id."""
    said = {name: value for name, value in msgspec.to_builtins(label).items() if name != "subject"}
    content = msgspec.json.encode({**said, "id": ""}, order="deterministic")
    return replace(label, id=hashlib.sha256(content).hexdigest())


def time_after(newest: str, now: datetime) -> str | None:
    """When a label must be dated so that it counts: now, or just after the newest of the person where that is ahead.

    Times are put in order as texts. None where no time is later.
    """
    times = [now.isoformat(timespec="microseconds")]
    try:
        ahead = datetime.fromisoformat(newest).replace(tzinfo=UTC)  # as it is written, since texts are compared
        times += [(ahead + step).isoformat(timespec="microseconds") for step in (TICK, timedelta(seconds=1))]
    except (ValueError, OverflowError):
        pass  # a time that is none
    return next((at for at in times if at > newest), None)
