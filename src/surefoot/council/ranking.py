"""From raw reviews to the council's ranking: ballots read, votes capped, answers in order.

An answer's overall score is capped in each ballot by the rubric's ceilings; its overall is the mean of these over
ballots. An answer that fails the safety gate comes last, whatever reviewers say; one that nobody scored has no rank.
Nobody votes on an own answer. Whether an answer is a refusal is decided once for all ballots.

Scores are pointwise; the order is derived from them, never asked for. Reviewers differ in how high they score and how
far they spread, so the order is that of the mean z-score: each vote less the reviewer's level, by the reviewer's
spread. With few answers a spread is hardly known, so it is drawn toward the spread that all reviewers share. Borda
points check the result: where the two disagree, answers are declared tied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import inf, sqrt
from statistics import mean
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from surefoot.core.result import Result
from surefoot.core.rubric import HIGHEST, LOWEST, Check, Fault, Rubric, Scored
from surefoot.council.ballots import Abstained, Answer, Ballot, Review, Void, bare, read
from surefoot.council.prompts import Settings
from surefoot.text import jsonblocks, refusals, safety
from surefoot.text.normal import language_of

TOLERANCE = 1e-9
# The shared spread counts like this many further answers of a reviewer. With none, a reviewer who gave 8, 8 and 7.9
# would be as sure of the difference as one who gave 9, 6 and 2; with many, one who scores at random gets more say.
PRIOR_ANSWERS = 1
_FENCED = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
_MODES = {
    0: "nobody scored an answer",
    1: "one reviewer: nobody checks the scores, and no bias can be seen",
    2: "two reviewers: where they disagree, neither is outvoted",
}
_NO_CEILING = "not the rubric; no ceiling can be applied to it"
Table = dict[str, dict[str, float]]  # reviewer -> label -> score
Numbers = NDArray[np.float64]
Given = np.ma.MaskedArray[Any, np.dtype[np.float64]]  # masked where nothing is given


class Vote(Scored, frozen=True, kw_only=True):
    """What one ballot says about one answer: its overall score, capped, or None and why."""

    reviewer: str
    label: str
    holistic: bool = False
    own: bool = False  # the reviewer's own answer: on record, never counted
    unused: str = ""  # scores on dimensions that do not apply, as the answer counts as a refusal or not
    notes: str = ""  # the reviewer's reasons
    shown: tuple[str, ...] = ()  # the order in which the reviewer saw the answers

    @property
    def counts(self) -> bool:
        return self.value is not None and not self.own


class Standing(Struct, frozen=True):
    """Where an answer stands: its z-mean (None where no spread is known) and its Borda points."""

    label: str
    mean: float
    z: float | None
    borda: float

    @property
    def strength(self) -> float:
        return self.mean if self.z is None else self.z


class Known(Struct, frozen=True):
    """What is known of an answer beforehand: whether it was graded as a refusal, and what it is if it is one or not."""

    refused: bool | None = None
    if_answered: Fault | None = None
    if_refused: Fault | None = None

    def fault(self, refused: bool) -> Fault | None:
        return self.if_refused if refused else self.if_answered


class Safety(Struct, frozen=True):
    passed: bool
    findings: tuple[safety.Finding, ...] = ()


class SafetyGate(Struct, frozen=True):
    enabled: bool
    score_cap: float
    failed_models: tuple[str, ...]  # the label where the model is not named


class Row(Struct, frozen=True, kw_only=True):
    """An answer's place. `overall` and `rank` None: no ballot scored it, `reason` says why."""

    rank: int | None = None
    label: str
    model: str
    overall: float | None
    dimensions: dict[str, float | None]
    capped_by: tuple[str, ...]
    borda: float | None = None
    z: float | None = None
    votes: int
    safety: Safety | None
    missing: tuple[str, ...] = ()  # dimensions that a ballot left out, so that the others weigh more
    refused: bool = False
    faults: tuple[str, ...] = ()  # of its form, by the rubric's own rules
    reason: str = ""


class Ranked(Result, frozen=True):
    question: str
    rubric: str
    weights: dict[str, float]
    ranking: tuple[Row, ...]
    ties: tuple[tuple[str, ...], ...]
    void: tuple[Void, ...]
    abstained: tuple[Abstained, ...]
    safety_gate: SafetyGate
    notes: tuple[str, ...]
    votes: tuple[Vote, ...]

    @property
    def is_scored(self) -> bool:
        return any(row.votes for row in self.ranking)


def rank(
    answers: Sequence[Answer], reviews: Sequence[Review], settings: Settings, question: str = "",
    problems: Sequence[str] = (), known: Known | None = None,
) -> Ranked:  # fmt: skip
    """Rank the answers. `problems` were found before, and open the notes; `known` is of each answer."""
    found = [read(review, answers, settings.rubric, settings.use_rubric) for review in reviews]
    # Of several ballots of one reviewer the last counts, and the others are named.
    last = {_folded(one.reviewer): one for one in found if isinstance(one, Ballot)}
    ballots, abstained = list(last.values()), tuple(one for one in found if isinstance(one, Abstained))
    void = [Void(one.reviewer, "a later review of the same reviewer counts instead") if isinstance(one, Ballot) else one
            for one in found if id(one) not in map(id, ballots) and not isinstance(one, Abstained)]  # fmt: skip
    before = known or Known()
    votes, rows, failed = list[Vote](), dict[str, Row](), dict[str, float]()
    rubric, gated, cap = settings.rubric, bool(settings["SAFETY_GATE"]), float(settings["SAFETY_SCORE_CAP"])
    for one in answers:
        refused = _refuses(one, ballots, rubric, before)
        forms = {axis.name: form_of_answer(one.text, axis.check) for axis in rubric.axes if axis.check}
        checked = {name: score for name, (score, _) in forms.items()}
        on = [_vote(ballot, one, settings, refused, before, checked) for ballot in ballots]
        votes += on
        counted, overall = [vote for vote in on if vote.counts], _mean(on)
        capped_by = [name for vote in counted for name in vote.capped_by]
        if unsafe := tuple(safety.check(one.text, question)) if gated else ():
            failed[one.label] = overall or 0.0
            capped_by.append("safety")
            # A score of 0 is below every other, so it is certain even where nobody has voted.
            overall = min(overall, cap) if overall is not None else cap if cap == 0 else None
        whys = (f"{vote.reviewer}: {'own answer' if vote.own else vote.reason}" for vote in on)
        rows[one.label] = Row(
            label=one.label, model=one.model, overall=overall, capped_by=tuple(dict.fromkeys(capped_by)),
            dimensions={name: _mean(on, name) for name in rubric.applying(refused)},
            votes=len(counted), safety=Safety(not unsafe, unsafe) if gated else None,
            missing=tuple(sorted({name for vote in counted for name in vote.missing})), refused=refused,
            faults=tuple(fault for _, faults in forms.values() for fault in faults),
            reason="" if counted else "; ".join(whys) or "there is no ballot that counts",
        )  # fmt: skip
    table: Table = {}
    for vote in votes:
        if vote.value is not None and not vote.own and vote.label not in failed:
            table.setdefault(vote.reviewer, {})[vote.label] = vote.value
    groups, notes = standings(table), list(problems)
    if left_out := [name for name in rubric.weights if not settings.weights.get(name)]:
        notes.append(f"the weights leave out {', '.join(left_out)}")
    if groups and groups[0][0].z is None:
        notes.append("no reviewer scored two answers, so the order is that of the plain means")
    notes += _notes(ballots, votes, rubric)
    gate = SafetyGate(gated, cap, tuple(rows[label].model or label for label in failed))
    ties = tuple(tuple(one.label for one in group) for group in groups if len(group) > 1)
    return Ranked(
        question, rubric.name, settings.weights, tuple(_in_order(rows, groups, failed)), ties, tuple(void),
        abstained, gate, tuple(notes), tuple(votes),
    )  # fmt: skip


def _folded(name: str) -> str:
    return bare(name).casefold()


def _is_own(ballot: Ballot, answer: Answer) -> bool:
    return bool(answer.model) and _folded(ballot.reviewer) == _folded(answer.model)


def form_of_answer(text: str, check: Check) -> tuple[float, list[str]]:
    """Score the form of an answer by the share of the rules that it keeps, and say which it breaks."""
    words, content, faults = len(text.split()), None, []
    fenced = _FENCED.fullmatch(text)
    if check.json or check.fields:
        try:
            content = jsonblocks.strict(fenced[1] if fenced else text)
        except ValueError as error:
            faults += [f"it is not JSON: {error}"] if check.json else []
    there = content if isinstance(content, dict) else {}
    faults += [f"the field {name} is missing" for name in check.fields if there.get(name) in (None, "")]
    if words < check.shortest:
        faults.append(f"it has {words} words, and {check.shortest} are the fewest")
    if check.longest is not None and words > check.longest:
        faults.append(f"it has {words} words, and {check.longest} are the most")
    if check.language and (spoken := language_of(text)) not in ("", check.language):
        faults.append(f"its language is {spoken}, not {check.language}")
    rules = check.json + len(check.fields) + (check.shortest > 0) + (check.longest is not None) + bool(check.language)
    return HIGHEST - (HIGHEST - LOWEST) * len(faults) / max(1, rules), faults


def _refuses(answer: Answer, ballots: Sequence[Ballot], rubric: Rubric, known: Known) -> bool:
    """Whether an answer is a refusal: as it was graded; else by its wording, or where most reviewers scored it as one,
    for a refusal may be worded in any way."""
    if known.refused is not None:
        return known.refused
    said = [rubric.says_refused(ballot.evaluations[answer.label].scores) for ballot in ballots
            if answer.label in ballot.evaluations and not _is_own(ballot, answer)]  # fmt: skip
    return refusals.detect(answer.text).value == "refused" or said.count(True) > said.count(False)


def _vote(
    ballot: Ballot, answer: Answer, settings: Settings, refused: bool, known: Known, checked: dict[str, float]
) -> Vote:
    vote = Vote(reviewer=ballot.reviewer, label=answer.label, own=_is_own(ballot, answer), shown=ballot.shown,
                notes=ballot.notes.get(answer.label, ""))  # fmt: skip
    if (value := ballot.holistic.get(answer.label)) is not None:
        return replace(vote, value=value, uncapped=value, holistic=True)
    evaluation = ballot.evaluations.get(answer.label)
    if evaluation is None:
        return replace(vote, reason="not scored in the ballot")
    # What stands on a required dimension and cannot be read is the lowest score: "0/5" must not lift an answer.
    rubric, lowest = settings.rubric, dict.fromkeys(evaluation.unread.keys() & settings.rubric.required, float(LOWEST))
    scores = evaluation.scores | lowest | checked
    found = rubric.score(scores, settings.weights, refused=refused, fault=known.fault(refused))
    unused = [f"{name} {value:g}" for name, value in scores.items() if name not in found.scores]
    why = f"{', '.join(unused)} not counted: the answer counts as {'a refusal' if refused else 'no refusal'}"
    return replace(vote, unused=why if unused else "", **asdict(found))


def _mean(votes: Sequence[Vote], dimension: str = "") -> float | None:
    """Of the votes that count, overall or on a dimension."""
    scores = [vote.scores.get(dimension) if dimension else vote.value for vote in votes if vote.counts]
    known = [score for score in scores if score is not None]
    return mean(known) if known else None


def _in_order(rows: dict[str, Row], groups: Sequence[Sequence[Standing]], failed: Mapping[str, float]) -> Iterator[Row]:
    """Scored answers, those that nobody scored, and those that `failed` the gate, by their mean without it."""
    place = 1
    for group in groups:
        for one in group:
            yield replace(rows.pop(one.label), rank=place, z=one.z, borda=one.borda)
        place += len(group)
    for label in sorted(rows, key=lambda label: (label in failed, -failed.get(label, 0.0), label)):
        has_place = rows[label].overall is not None
        yield replace(rows[label], rank=place if has_place else None)
        place += has_place


def _notes(ballots: Sequence[Ballot], votes: Sequence[Vote], rubric: Rubric) -> Iterator[str]:
    """What a reader must know to weigh the result."""
    reviewers = {vote.reviewer for vote in votes if vote.counts}
    if len(reviewers) in _MODES:
        yield _MODES[len(reviewers)]
    for ballot in ballots:
        if ballot.holistic:
            per = f"{', '.join(ballot.holistic)}: one number" if ballot.evaluations else "one number per answer"
            yield f"{ballot.reviewer}: {per}, {_NO_CEILING}"
        yield from (f"{ballot.reviewer}: {problem}" for problem in ballot.problems)
        for label, evaluation in ballot.evaluations.items():
            for name, value in evaluation.unread.items():
                counts = f" and counts as {LOWEST}" if name in rubric.required else ""
                yield f"{ballot.reviewer}: {label}: {name} is no score{counts}: {value}"
    for vote in votes:
        notes = (vote.reason if vote.missing else "", vote.unused)
        yield from (f"{vote.reviewer}: {vote.label}: {note}" for note in notes if note)


def standings(table: Table) -> list[list[Standing]]:
    """Every scored answer, best first; those of one group are tied, in the order of their mean, then of their label."""
    labels = sorted({label for row in table.values() for label in row})
    if not labels:
        return []
    given = np.ma.masked_invalid([[row.get(label, np.nan) for label in labels] for row in table.values()])
    figures = zip_longest(labels, given.mean(axis=0).tolist(), z_means(given).tolist(), borda(given).tolist())
    found = [Standing(*one) for one in figures]
    found.sort(key=lambda one: (-round(one.mean, 9), one.label))
    groups = tied(sorted(found, key=lambda one: -round(one.strength, 9)))
    return [[one for one in found if one in group] for group in groups]


def tied(ordered: Sequence[Standing]) -> list[list[Standing]]:
    """The answers in groups, best first; those of one group are tied.

    Two answers are tied if they are equally strong, or if Borda puts them the other way round. All that stand between
    two tied answers disagree with one of them, so groups are always neighbours.
    """

    def ties(one: Standing, after: Standing) -> bool:
        return one.strength - after.strength <= TOLERANCE or after.borda - one.borda > TOLERANCE

    groups: list[list[Standing]] = []
    for one in ordered:
        first = next((at for at, group in enumerate(groups) if any(ties(other, one) for other in group)), len(groups))
        groups[first:] = [[*(other for group in groups[first:] for other in group), one]]
    return groups


def z_means(given: Given) -> Numbers:
    """Each answer's mean z-score; empty if no reviewer scored two answers, so that no spread is known."""
    if not len(spreads := shrunk_spreads(given)):
        return spreads
    spreads[spreads == 0] = inf
    return np.asarray(((given - levels(given)[:, None]) / spreads[:, None]).mean(axis=0))


def shrunk_spreads(given: Given) -> Numbers:
    """Each reviewer's standard deviation, drawn toward the pooled one; empty if there is none."""
    free = given.count(axis=1) - 1
    if not free.any():
        return np.empty(0)
    own = given.std(axis=1, ddof=1).filled(0.0)
    pooled = sqrt(free @ own**2 / free.sum())
    return np.asarray((free * own + PRIOR_ANSWERS * pooled) / (free + PRIOR_ANSWERS))


def levels(given: Given) -> Numbers:
    """What each reviewer gives to an average answer.

    The level is the reviewer's mean if everybody scored everything. Where votes are missing - one's own answer is not
    voted on - the mean would depend on how good the missing ones are; so answers and reviewers are fitted together.
    """
    voted = (~np.ma.getmaskarray(given)).astype(float)
    shared = np.diag(voted.sum(axis=1)) - voted / voted.sum(axis=0) @ voted.T
    offsets = np.linalg.pinv(shared) @ (given - given.mean(axis=0)).sum(axis=1).filled(0.0)
    return np.asarray(offsets + (given - offsets[:, None]).mean(axis=0).mean())


def borda(given: Given) -> Numbers:
    """Points for every answer that a ballot puts below, half for every equal one, summed over ballots.

    Where a ballot leaves one of two answers out, the two count as the other ballots have them: leaving out the vote on
    an own answer pushes nobody down. Two answers that no ballot has both of count as equal.
    """
    gaps = given[:, :, None] - given[:, None, :]
    shares = ((gaps > TOLERANCE) + 0.5 * (abs(gaps) <= TOLERANCE)).mean(axis=0).filled(0.5)
    return np.asarray(((shares.sum(axis=1) - 0.5) * len(given)).round(9))  # but for the one with itself
