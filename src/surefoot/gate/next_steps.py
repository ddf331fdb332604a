"""What would decide an open rule: labels on a few answers, and what they cost, or more runs."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil, floor, sqrt
from statistics import NormalDist, fmean

import numpy as np
from msgspec import Struct

from surefoot.core.records import Drawn
from surefoot.gate.change import Answer, Draws, Evidence, Numbers
from surefoot.gate.judge import Opened
from surefoot.gate.metrics import Value
from surefoot.gate.sides import BUCKET_AXIS, SIDES, Said, Side, SideName
from surefoot.text.normal import is_empty

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


FIRST_LABELS = 60  # answers by which people get to know a grader
MOST_LABELS = 80  # that are asked for at once
_ENOUGH_DRAWN = 40
_LIKELY, _WORTH_IT = 0.5, 0.1
_SECONDS_PER_LABEL = 30
_NORMAL = NormalDist()


class Waiting(Struct, frozen=True):
    """An answer that waits for a label. `drawn` is how it came to be asked for."""

    question_id: str
    attempt: int
    side: SideName
    run: str  # id; "" where there is only a file of verdicts
    drawn: Drawn = "gate"


def next_steps(
    opened: Sequence[Opened], unchecked: Mapping[str, Evidence], sides: Mapping[SideName, Side]
) -> tuple[tuple[Waiting, ...], list[str]]:
    """Which answers to label, and for each open rule what else would decide it. Rules on what is `unchecked` wait for
    labels that tell how far the grader errs, and for nothing else."""
    said = _by_key(sides)
    known = {one.rule.name: one.evidence for one in opened} | dict(unchecked)
    telling = {name: _telling(evidence) & said.keys() for name, evidence in known.items()}
    waiting = _first_labels(said, set().union(*telling.values()))
    chosen = {one.rule.name: _to_decide(one, said) for one in opened if not telling[one.rule.name]}
    for keys, _ in chosen.values():
        waiting |= {key: waiting.get(key) or _waiting(said[key], "gate") for key in keys}
    # One page asks for them all, so each rule names as many.
    ask = partial(_to_label, len(waiting), sides["cand"].name if any(one.run for _, one in said.values()) else "")
    learning = ", ".join(name for name, keys in telling.items() if keys)
    steps = [f"{learning}: {ask('would tell how far the grader errs')}"] if learning else []
    for one in opened:
        if one.rule.name in chosen:
            keys, chance = chosen[one.rule.name]
            odds = f"decide it about {max(1, round(chance * 10))} times in 10"
            what = "would most likely decide it" if chance >= _LIKELY else odds
            ways = [*([ask(what)] if keys else []), *_more_runs(one, said)] or ["more questions"]
            steps.append(f"{one.rule.name}: {'; or '.join(ways)}")
    return tuple(waiting.values()), steps


def _telling(evidence: Evidence) -> set[str]:
    """Answers whose labels would tell how far the grader errs, as long as too little is known of that."""
    few, verdicts = evidence.labels < _ENOUGH_DRAWN, evidence.unchecked
    return {one.key for one in evidence.answers if one.label is None and (few or one.verdict in verdicts)}


def _by_key(sides: Mapping[SideName, Side]) -> dict[str, tuple[SideName, Said]]:
    """Every different answer that a person could be shown, as the evidence calls it."""
    found: dict[str, tuple[SideName, Said]] = {}
    for name in reversed(SIDES):
        for said in sides[name].all_answers():
            if not said.run or _can_be_labelled(said):
                found.setdefault(said.key, (name, said))
    return found


def _can_be_labelled(said: Said) -> bool:
    trace = said.trace
    return trace is not None and trace.error is None and trace.answer is not None and not is_empty(trace.answer)


def _waiting(one: tuple[SideName, Said], drawn: Drawn) -> Waiting:
    side, said = one
    return Waiting(said.question_id, said.attempt, side, said.run, drawn)


def _first_labels(said: Mapping[str, tuple[SideName, Said]], keys: Iterable[str]) -> dict[str, Waiting]:
    """A sample of both versions, drawn by chance among the answers with each verdict."""
    verdicts: dict[str, str | None] = {}
    for key in keys:
        verdict = said[key][1].graded.get(BUCKET_AXIS)
        verdicts[key] = None if verdict is None or verdict.value is None else str(verdict.value)
    places = queue(verdicts, target=FIRST_LABELS)[:FIRST_LABELS]
    return {place.version: _waiting(said[place.version], place.drawn) for place in places}


def _to_decide(one: Opened, said: Mapping[str, object]) -> tuple[list[str], float]:
    """The fewest answers whose labels would most likely decide a rule, and the chance that they do."""
    chosen, chances = _by_labels(one, said)
    enough = next((count for count, chance in enumerate(chances) if chance >= _LIKELY), None)
    count = len(chosen) if enough is None else enough
    is_useful = count and chances[count] >= chances[0] + _WORTH_IT
    return (chosen[:count], chances[count]) if is_useful else ([], 0.0)


def _more_runs(one: Opened, said: Mapping[str, tuple[SideName, Said]]) -> list[str]:
    is_asked = any(answer.run for _, answer in said.values())
    return ["more runs of each"] if is_asked and not all(one.evidence.deterministic) else []


def _to_label(count: int, run: str, what: str) -> str:
    these = "a label on this answer" if count == 1 else f"labels on these {count} answers"
    how = f": surefoot label {run}" if run else ""
    return f"{these} {what} ({_time(count * _SECONDS_PER_LABEL)}){how}"


def _time(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    return f"about {minutes} minute{'s' * (minutes > 1)}" if minutes < 120 else f"about {round(minutes / 60)} hours"


def _by_labels(rule: Opened, said: Mapping[str, object]) -> tuple[list[str], list[float]]:
    """The answers to label next, and the chance that labels on the first 0, 1, 2... of them decide."""
    answers = rule.evidence.answers
    order = [n for n in in_doubt(answers, rule.draws) if answers[n].key in said][:MOST_LABELS]
    whole = left = rule.draws.variance
    sums: dict[tuple[Value | None, int | None], Numbers] = {}
    chances = [0.0]
    for n in order:
        alike = answers[n].verdict, answers[n].side
        sums[alike] = sums.get(alike, 0.0) + rule.draws.truth[:, n]
        left = min(left, _unexplained(rule.draws, list(sums.values())))
        chances.append(_chance(rule, whole, left))
    return [answers[n].key for n in order], chances


def in_doubt(answers: Sequence[Answer], draws: Draws) -> list[int]:
    """What only one side gave and nobody has labelled: first the verdict in most doubt, by lot among its answers.

    By lot, and not the most doubtful answer first, so that each label also tells of the answers that get none.
    """
    opened = [n for n, one in enumerate(answers) if one.label is None and one.side is not None]
    variance = draws.truth.var(axis=0)
    alike: defaultdict[Value | None, list[float]] = defaultdict(list)
    for n in opened:
        alike[answers[n].verdict].append(float(variance[n]))
    doubt = {verdict: round(fmean(found), 12) for verdict, found in alike.items()}
    return sorted(opened, key=lambda n: (-doubt[answers[n].verdict], str(answers[n].verdict), lot("", answers[n].key)))


def _unexplained(draws: Draws, known: Sequence[Numbers]) -> float:
    """The variance of the change once some sums are known: what they add, and what they tell of the rest."""
    weight = np.sqrt(draws.weights)[:, None]
    told = np.column_stack([np.ones(len(draws.weights)), *known]) * weight
    change = draws.change * weight[:, 0]
    fit, *_ = np.linalg.lstsq(told, change, rcond=None)
    return float(((change - told @ fit) ** 2).sum())


def _chance(one: Opened, whole: float, rest: float) -> float:
    """That the rule is decided when all but `rest` of the variance has come to light."""
    change, sign = one.change, 1 if one.rule.is_bounded_above else -1
    mean, limit = sign * change.change, sign * change.limit
    known, left = sqrt(max(whole - rest, 1e-18)), sqrt(max(rest, 0.0))
    ships = _NORMAL.cdf((limit + change.margin - left * _NORMAL.inv_cdf(1 - one.alpha_ship) - mean) / known)
    blocks = 1 - _NORMAL.cdf((limit + left * _NORMAL.inv_cdf(1 - one.alpha_block) - mean) / known)
    return min(1.0, ships + blocks)
