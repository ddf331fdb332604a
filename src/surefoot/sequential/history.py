"""The steps of a release: every one pairs a new run of the frozen reference with a new run of the candidate.

Evidence adds up over the steps, so running again until it looks good does not work; and each release, each look at
one, may use only its part of alpha. A run that was used before is no new evidence: one lucky run of the reference
would speak against the candidate again and again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.records import Step

SEQUENTIAL = "sequential"


class Candidacy(Struct, frozen=True, kw_only=True):
    """Which version wants to ship, against which, shown by which two runs."""

    programme: str
    reference: str
    pipeline: str  # the candidate's
    version: str = ""  # the candidate's, where it has one
    base_run: str
    cand_run: str
    base_answers: str = ""
    cand_answers: str = ""


class Place(Struct, frozen=True):
    """A step among those of its release."""

    programme: str
    reference: str
    release: str
    number: int  # of the release within the programme
    look: int  # at the release
    adds: bool  # False when it is no new evidence
    note: str = ""
    steps: tuple[Step, ...] = ()  # earlier ones of the release
    earlier: tuple[Step, ...] = ()  # those of them whose counts add up with this one's


def place(steps: Sequence[Step], now: Candidacy) -> Place:
    """Where a comparison stands. The same two runs compared again are the same step; its newest row counts."""
    kept = newest([step for step in steps if step.programme == now.programme and step.mode == SEQUENTIAL])
    release = now.version or _release_without_version(kept, now)
    releases = list(dict.fromkeys([*(step.release for step in kept), release]))
    mine = [step for step in kept if step.release == release]
    counted, note = _counted(mine, now)
    others = tuple(step for step in mine if not _is(step, now))
    earlier = tuple(step for step in counted if isinstance(step, Step))
    adds = not note
    if not now.version:
        name_it = "a run without --version belongs to the release that has not shipped yet; name new ones by it"
        note = f"{note}; {name_it}" if note else name_it if others else ""
    return Place(
        now.programme, now.reference, release, releases.index(release) + 1, max(1, len(counted)), adds, note,
        others, earlier,
    )  # fmt: skip


def so_far(steps: Sequence[Step], until: Step) -> tuple[int | None, int, int]:
    """The number of a step's release, and the answers newly wrong and mended over its steps up to this one."""
    if until.mode != SEQUENTIAL:
        return None, 0, 0
    kept = newest([step for step in steps if step.programme == until.programme and step.mode == SEQUENTIAL])
    releases = list(dict.fromkeys(step.release for step in kept))
    place_of_it = next(number for number, step in enumerate(kept) if _pair(step) == _pair(until))
    mine = [step for step in kept[: place_of_it + 1] if step.release == until.release]
    counted = [step for step in _adding_up(mine, until.reference) if isinstance(step, Step)]
    wrong = [step.counts["wrong"] for step in counted if "wrong" in step.counts]
    return releases.index(until.release) + 1, sum(one.worse for one in wrong), sum(one.better for one in wrong)


def newest(steps: Sequence[Step]) -> list[Step]:
    """One row for each two runs, the last; in the order in which they were compared first.

    What an earlier row counted and the last did not still counts: nothing is forgotten by asking for fewer rules.
    """
    found: dict[Hashable, Step] = {}
    for step in steps:
        key = (step.programme, step.mode, step.base_run, step.cand_run)
        if key in found:
            counts, moves = {**found[key].counts, **step.counts}, {**found[key].moves, **step.moves}
            step = replace(step, counts=counts, moves=moves)
        found[key] = step
    return list(found.values())


def _release_without_version(kept: Sequence[Step], now: Candidacy) -> str:
    """What was compared since the pipeline shipped last is one release: leaving the version out starts no new one."""
    stem = f"{now.pipeline} #"
    mine = [step for step in kept if step.release.startswith(stem)]
    again = [step for step in mine if _is(step, now)]
    if again:
        return again[0].release
    if not mine:
        return f"{stem}1"
    last = mine[-1].release
    shipped = any(step.outcome == "SHIP" for step in mine if step.release == last)
    number = last.removeprefix(stem)
    return f"{stem}{int(number) + 1}" if shipped and number.isdecimal() else last


def _is(step: Step, now: Candidacy) -> bool:
    return _pair(step) == _pair(now)


def _pair(one: Step | Candidacy) -> tuple[str, str]:
    return one.base_run, one.cand_run


def _counted(mine: Sequence[Step], now: Candidacy) -> tuple[list[Step | Candidacy], str]:
    """The steps that add up, the one at hand among them; and why that one does not, if it does not."""
    order: list[Step | Candidacy] = [now if _is(step, now) else step for step in mine]
    order += [] if now in order else [now]
    counted = _adding_up(order, now.reference)
    before = _adding_up(order[: order.index(now)], now.reference)
    return counted, _fault(now, before)


def _adding_up(order: Sequence[Step | Candidacy], reference: str) -> list[Step | Candidacy]:
    counted: list[Step | Candidacy] = []
    for one in order:
        if one.reference == reference and not _fault(one, counted):
            counted.append(one)
    return counted


def _fault(one: Step | Candidacy, counted: Sequence[Step | Candidacy]) -> str:
    """Why a step is no new evidence beside those that count already."""
    used = {run for other in counted for run in _pair(other)}
    if one.base_run == one.cand_run:
        return "a run compared with itself is no evidence: run the candidate"
    if one.base_run in used:
        return "the run of the reference was used before, so this adds nothing: run the reference again as well"
    if one.cand_run in used:
        return "the run of the candidate was used before, so this adds nothing: run the candidate again"
    answers = (one.base_answers, one.cand_answers)
    if all(answers) and answers in {(other.base_answers, other.cand_answers) for other in counted}:
        return "both runs give the answers of an earlier step again, so this adds nothing: ask more questions"
    return ""
