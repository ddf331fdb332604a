"""The steps of a release: every one pairs a new run of the frozen reference with a new run of the candidate.

Evidence adds up over the steps, so running again until it looks good does not work; and each release, each look at
one, may use only its part of alpha. A run that was used before is no new evidence: one lucky run of the reference
would speak against the candidate again and again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.records import Discordant, Step
from surefoot.sequential.counting import added

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
    deterministic: bool = False  # the candidate says that it always answers alike


class Block(Struct, frozen=True):
    """A rule that has blocked the release, and the counts behind that."""

    rule: str  # as in Step.counts
    blocks_from: float  # the e-value it took
    at: str
    base_name: str
    cand_name: str
    others: Discordant  # of all steps behind it, without the two runs at hand
    again: Discordant | None  # of the two runs at hand when they were compared before, where they are behind it


class Earlier(Struct, frozen=True):
    """A decision about the same answers of the candidate."""

    at: str
    base_name: str
    same_runs: bool = False  # it was about the two runs at hand
    shipped_since: bool = False  # and these ship now that chance is allowed for, by the same rules and nothing waived


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
    left_out: tuple[str, ...] = ()  # the reference of each earlier step that was against another one
    blocks: tuple[Block, ...] = ()
    has_begun: bool = False  # there are steps of the release, these two runs among them


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
        others, earlier, tuple(step.reference for step in others if step.reference != now.reference),
        _blocks(steps, mine, now), bool(mine),
    )  # fmt: skip


def strict_blocks(steps: Sequence[Step], now: Step) -> tuple[Earlier, ...]:
    """Where the gate file's rules have blocked the very same answers: against others, or now by other rules.

    Only the same comparison that ships by the same rules, nothing waived, takes a block back, as after labels.
    """
    standing: dict[Hashable, Step] = {}
    for row in (*steps, now):
        if row.mode == SEQUENTIAL or row.overridden or not _has_its_answers(row, now):
            continue
        if row.outcome == "BLOCK":
            standing[_said(row)] = row
        elif (before := standing.get(_said(row))) and _takes_back(before, row):
            del standing[_said(row)]
    return tuple(_earlier(row, now) for row in standing.values() if row is not now)


def _earlier(row: Step, now: Step) -> Earlier:
    same_runs = _said(row) == _said(now)
    return Earlier(row.at, row.base_name, same_runs, same_runs and not now.overridden and _takes_back(row, now))


def _takes_back(before: Step, row: Step) -> bool:
    """The texts of the rules tell, limits and all; those of the oldest steps are not known."""
    return row.outcome == "SHIP" and not row.waived and bool(before.rules) and set(before.rules) <= set(row.rules)


def _has_its_answers(row: Step, now: Step) -> bool:
    return row.cand_run == now.cand_run or bool(row.cand_answers and row.cand_answers == now.cand_answers)


def _said(one: Step | Candidacy) -> Hashable:
    """What was compared: the same answers under another name are the same comparison."""
    return (one.base_answers or one.base_run, one.cand_answers or one.cand_run)


def so_far(steps: Sequence[Step], until: Step) -> tuple[int | None, int, int]:
    """The number of a step's release, and the answers newly wrong and mended over its steps up to this one."""
    if until.mode != SEQUENTIAL:
        return None, 0, 0
    kept = newest([step for step in steps if step.programme == until.programme and step.mode == SEQUENTIAL])
    releases = list(dict.fromkeys(step.release for step in kept))
    place_of_it = next(number for number, step in enumerate(kept) if _pair(step) == _pair(until))
    mine = [step for step in kept[: place_of_it + 1] if step.release == until.release]
    counted = [step for step in _adding_up(mine, until.reference) if isinstance(step, Step)]
    wrong = _counts(counted, "wrong")
    return releases.index(until.release) + 1, wrong.worse, wrong.better


def newest(steps: Sequence[Step]) -> list[Step]:
    """One row for each two runs, the last; in the order in which they were compared first.

    What an earlier row counted and the last did not still counts, and what blocked is kept: nothing is forgotten by
    asking for fewer rules. In the strict mode, rows by other rules than the gate file's replace only each other.
    """
    found: dict[Hashable, Step] = {}
    for step in steps:
        apart = step.mode != SEQUENTIAL and bool(step.overridden)
        key = (step.programme, step.mode, step.base_run, step.cand_run, apart)
        if key in found:
            before = found[key]
            step = replace(
                step, counts={**before.counts, **step.counts}, moves={**before.moves, **step.moves},
                blocked_by={**before.blocked_by, **step.blocked_by},
            )  # fmt: skip
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
    shipped = any(step.closes for step in mine if step.release == last)
    number = last.removeprefix(stem)
    return f"{stem}{int(number) + 1}" if shipped and number.isdecimal() else last


def _is(step: Step, now: Candidacy) -> bool:
    return _pair(step) == _pair(now)


def _pair(one: Step | Candidacy) -> tuple[str, str]:
    return one.base_run, one.cand_run


def _blocks(rows: Sequence[Step], mine: Sequence[Step], now: Candidacy) -> tuple[Block, ...]:
    """What has blocked the release, against whatever reference, by the counts that the newest labels leave."""
    found = []
    for number, step in enumerate(mine, 1):
        behind = [one for one in _adding_up(mine[:number], step.reference) if isinstance(one, Step)]
        for rule, blocks_from in step.blocked_by.items():
            at = min(row.at for row in rows if _pair(row) == _pair(step) and rule in row.blocked_by)
            others = _counts([one for one in behind if not _is(one, now)], rule)
            again = next((one.counts.get(rule) for one in behind if _is(one, now)), None)
            found.append(Block(rule, blocks_from, at, step.base_name, step.cand_name, others, again))
    return tuple(found)


def _counts(steps: Sequence[Step], rule: str) -> Discordant:
    return added(step.counts[rule] for step in steps if rule in step.counts)


def _counted(mine: Sequence[Step], now: Candidacy) -> tuple[list[Step | Candidacy], str]:
    """The steps that add up, the one at hand among them; and why that one does not, if it does not."""
    order: list[Step | Candidacy] = [now if _is(step, now) else step for step in mine]
    order += [] if now in order else [now]
    before = order[: order.index(now)]
    return _adding_up(order, now.reference), _fault(now, _used_by(before, now.reference))


def _adding_up(order: Sequence[Step | Candidacy], reference: str) -> list[Step | Candidacy]:
    return [one for one in _used_by(order, reference) if one.reference == reference]


def _used_by(order: Sequence[Step | Candidacy], reference: str) -> list[Step | Candidacy]:
    """The steps that add up, and those against another reference: they do not, but their runs are used up."""
    used: list[Step | Candidacy] = []
    for one in order:
        if one.reference != reference or not _fault(one, used):
            used.append(one)
    return used


def _fault(one: Step | Candidacy, before: Sequence[Step | Candidacy]) -> str:
    """Why a step is no new evidence beside those before it."""
    used = {run for other in before for run in _pair(other)}
    if one.base_run == one.cand_run:
        return "a run compared with itself is no evidence: run the candidate"
    if one.base_run in used:
        return "the run of the reference was used before, so this adds nothing: run the reference again as well"
    if one.cand_run in used:
        return "the run of the candidate was used before, so this adds nothing: run the candidate again"
    answers = (one.base_answers, one.cand_answers)
    if all(answers) and answers in {(other.base_answers, other.cand_answers) for other in before}:
        return "both runs give the answers of an earlier step again, so this adds nothing: ask more questions"
    if one.cand_answers and not one.deterministic and one.cand_answers in {other.cand_answers for other in before}:
        return "the candidate gives the answers of an earlier run again, so this adds nothing: ask more questions"
    return ""
