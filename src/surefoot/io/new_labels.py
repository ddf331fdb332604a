"""Labels of a file beside those that a ledger has: on which answers they are, and which of them are new."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.io.kinds import quoted
from surefoot.records import BY_CHOICE, Drawn, Label, place_of
from surefoot.types import Problem

TICK = timedelta(microseconds=1)


def bound(
    labels: Iterable[Label],
    versions: Mapping[tuple[str, int], str],
    problems: list[Problem],
    *,
    run: str = "",
    rubric_sha256: str = "",
) -> list[Label]:
    """The labels as labels on the answers of a run, of which `versions` has the version by question and attempt.

    One on an answer that the run does not have is named and left out.
    """
    known = set(versions.values())
    found = []
    for label in labels:
        version = label.version or versions.get((label.question_id, label.attempt), "")
        if version not in known:
            problems.append(Problem("unknown_question", f"{called(label)} is on an answer that the run does not have"))
            continue
        bare = replace(label, version=version, run=label.run or run, rubric_sha256=label.rubric_sha256 or rubric_sha256)
        found.append(sealed(bare) if label == sealed(label) else bare)
    return found


def not_yet_in(known: Iterable[Label], labels: Iterable[Label], now: str) -> list[Label]:
    """The labels that say something new, so that a file may be read in again; those without a time count from `now`.

    New is what differs from what the person said last, or was said later. What a person has once picked by hand stays
    picked: no later file makes a random sample of it.
    """
    rows, told, when = list(known), list(labels), datetime.fromisoformat(now)
    by_id = {row.id: row for row in rows}
    newest = {place_of(row): row for row in sorted(rows, key=lambda row: (row.at, row.id))}
    picked = {place_of(row): row.drawn for row in (*told, *rows) if row.drawn in BY_CHOICE}
    fresh = []
    for label in sorted(told, key=lambda label: (not label.at, label.at)):  # what has no time is said after the rest
        one, before = _kept_picked(label, picked), newest.get(place_of(label))
        if any(_is_among(by_id, said) for said in (label, one)) or not _is_new(one, before):
            continue
        fresh.append(_counting(sealed(one) if one.id in by_id else one, before, when))
        newest[place_of(label)] = max(before or fresh[-1], fresh[-1], key=lambda row: (row.at, row.id))
    # A pick may be told with a time before that of what stands.
    standing = [newest[place] for place in dict.fromkeys(map(place_of, told)) if place in newest and place in picked]
    late = [row for row in standing if row.drawn not in BY_CHOICE and row.value is not None]
    return fresh + [_counting(replace(row, drawn=picked[place_of(row)], at=""), row, when) for row in late]


def _kept_picked(label: Label, picked: Mapping[Hashable, Drawn]) -> Label:
    if label.drawn in BY_CHOICE or (drawn := picked.get(place_of(label))) is None:
        return label
    return sealed(replace(label, drawn=drawn))


def _is_among(by_id: Mapping[str, Label], label: Label) -> bool:
    """Whether it is there as it is. A row with an id of its own may have been edited since."""
    there = by_id.get(label.id) if label.at else None
    return there is not None and not _differ(label, there)


def _is_new(label: Label, before: Label | None) -> bool:
    if before is None:
        return bool(label.at) or label.value is not None  # without a time, there is nothing to take back
    return _differ(label, before) or label.at > before.at


def _differ(label: Label, before: Label) -> bool:
    """Whether it says something else. A file without notes says nothing about them."""
    is_picked = [one.drawn in BY_CHOICE for one in (label, before)]
    other_note = bool(label.note) and label.note.strip() != before.note.strip()
    return label.value != before.value or is_picked[0] != is_picked[1] or other_note


def _counting(label: Label, before: Label | None, now: datetime) -> Label:
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
    said = msgspec.json.encode({**msgspec.to_builtins(label), "id": ""}, order="deterministic")
    return replace(label, id=hashlib.sha256(said).hexdigest())


def time_after(newest: str, now: datetime) -> str | None:
    """When a label must be dated so that it counts: now, or just after the newest of the person where that is ahead.

    None where no time is later, as texts are compared.
    """
    return next((at for at in _times(newest, now) if at > newest), None)


def _times(newest: str, now: datetime) -> Iterator[str]:
    """By the clock, or as it is written, for that is how times are put in order."""
    yield now.isoformat(timespec="microseconds")
    for step in (TICK, timedelta(seconds=1)):
        for as_written in (False, True):
            with contextlib.suppress(ValueError, OverflowError):
                time = datetime.fromisoformat(newest)
                is_utc = as_written or time.tzinfo is None
                time = time.replace(tzinfo=UTC) if is_utc else time.astimezone(UTC)
                yield (time + step).isoformat(timespec="microseconds")
