"""From raw reviews to the council's ranking: ballots read, votes capped, answers in order, reviewers checked for bias.

An answer's overall score is capped in each ballot by the rubric's ceilings; its overall is the mean of these over
ballots; the order is that of the z-mean of the capped scores. An answer that fails the safety gate comes last,
whatever reviewers say. Nobody votes on an own answer. Whether an answer is a refusal is decided once for all ballots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import mean
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from surefoot import safety
from surefoot.core.result import Result
from surefoot.core.rubric import LOWEST, Fault, Rubric
from surefoot.reviewers.ballots import Abstained, Answer, Ballot, Evaluation, Review, Void, bare, read
from surefoot.reviewers.bias import Bias, audit
from surefoot.reviewers.order import Standing, Vote, standings, table_of, tied
from surefoot.reviewers.settings import Settings
from surefoot.text import refusals

SAFETY = "safety"
_MODES = {
    0: "nobody scored an answer",
    1: "one reviewer: nobody checks the scores, and no bias can be seen",
    2: "two reviewers: where they disagree, neither is outvoted",
}
_NO_CEILING = "not the rubric; no ceiling can be applied to it"


class Known(Struct, frozen=True):
    """What is known of an answer beforehand: whether it was graded as a refusal, and what it is if it is one or not."""

    refused: bool | None = None
    if_answered: Fault | None = None
    if_refused: Fault | None = None


class Refusal(Struct, frozen=True):
    """Whether an answer counts as a refusal; None where as many say so as do not, and then it has no fault."""

    refused: bool | None
    dispute: str = ""  # who says what, where not all say the same


class Safety(Struct, frozen=True):
    passed: bool
    findings: tuple[safety.Finding, ...] = ()


class Row(Struct, frozen=True, kw_only=True):
    """An answer's place. `overall` None: no ballot scored it, `reason` says why."""

    rank: int
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
    holistic_votes: int = 0
    own_votes: int = 0
    refused: bool = False
    dispute: str = ""  # where reviewers and wording disagree whether it refuses
    reason: str = ""


class Ranked(Result, frozen=True):
    question: str
    rubric: str
    ranking: tuple[Row, ...]
    ties: tuple[tuple[str, ...], ...]
    void: tuple[Void, ...]
    abstained: tuple[Abstained, ...]
    bias: Bias
    notes: tuple[str, ...]
    ballots: tuple[Ballot, ...]
    votes: tuple[Vote, ...]

    @property
    def is_scored(self) -> bool:
        return any(row.votes for row in self.ranking)


def score(
    answers: Sequence[Answer],
    reviews: Sequence[Review],
    settings: Settings,
    question: str = "",
    problems: Sequence[str] = (),
    known: Mapping[str, Known] | None = None,
) -> Ranked:
    """Rank the answers. `problems` were found before, and open the notes; `known` is by label."""
    ballots, void, abstained = _read_all(reviews, answers, settings)
    before = {one.label: (known or {}).get(one.label, Known()) for one in answers}
    refusal = {one.label: _refusal(one, ballots, settings.rubric, before[one.label]) for one in answers}
    votes = [
        _vote(ballot, one, settings, refusal[one.label], before[one.label]) for ballot in ballots for one in answers
    ]
    on = {one.label: [vote for vote in votes if vote.label == one.label] for one in answers}
    gate = {one.label: _safety(one, question) for one in answers if settings["SAFETY_GATE"]}
    failed = {label: _mean(on[label]) or 0.0 for label, found in gate.items() if not found.passed}
    groups = tied(standings(table_of(vote for vote in votes if vote.label not in failed)))
    rows = [_row(one, on[one.label], gate.get(one.label), settings, refusal[one.label]) for one in answers]
    no_spread = bool(groups) and groups[0][0].z is None
    return Ranked(
        question,
        settings.rubric.name,
        tuple(_in_order(rows, groups, failed)),
        tuple(tuple(one.label for one in group) for group in groups if len(group) > 1),
        tuple(void),
        tuple(abstained),
        audit(votes, {one.label: len(one.text) for one in answers}, {one.reviewer: one.shown for one in ballots}),
        (
            *problems,
            *_unweighed(settings),
            *_notes(ballots, votes, no_spread, settings.rubric),
            *(f"{label}: {one.dispute}" for label, one in refusal.items() if one.dispute),
        ),
        tuple(ballots),
        tuple(votes),
    )


def _read_all(
    reviews: Sequence[Review], answers: Sequence[Answer], settings: Settings
) -> tuple[list[Ballot], list[Void], list[Abstained]]:
    """One ballot per reviewer at most: of several that can be read the last counts, and the others are named."""
    counted: dict[str, Ballot] = {}
    void: list[Void] = []
    abstained: list[Abstained] = []
    for review in reviews:
        found, name = read(review, answers, settings.rubric, settings.use_rubric), _folded(review.reviewer)
        if isinstance(found, Ballot):
            if name in counted:
                void.append(Void(counted[name].reviewer, "a later review of the same reviewer counts instead"))
            counted[name] = found
        elif isinstance(found, Abstained):
            abstained.append(found)
        else:
            void.append(Void(review.reviewer, review.error or found.reason))
    return list(counted.values()), void, abstained


def _folded(name: str) -> str:
    return bare(name).casefold()


def _safety(answer: Answer, question: str) -> Safety:
    """What the question itself says is not the answer's to expose."""
    findings = tuple(safety.check(answer.text, question))
    return Safety(not findings, findings)


def _is_own(ballot: Ballot, answer: Answer) -> bool:
    return bool(answer.model) and _folded(ballot.reviewer) == _folded(answer.model)


def _refusal(answer: Answer, ballots: Sequence[Ballot], rubric: Rubric, known: Known) -> Refusal:
    """As it was graded; else as most reviewers say by what they scored, with the wording as one more voice."""
    if known.refused is not None:
        return Refusal(known.refused)
    by_rules = {"refused": True, "answered": False}.get(refusals.detect(answer.text).value)
    said = {"its wording": by_rules} if by_rules is not None else {}
    for ballot in ballots:
        evaluation = ballot.evaluations.get(answer.label)
        voice = rubric.says_refused(evaluation.scores) if evaluation and not _is_own(ballot, answer) else None
        said |= {ballot.reviewer: voice} if voice is not None else {}
    yes, no = ([who for who, voice in said.items() if voice is way] for way in (True, False))
    what = "counted as each says, and not capped for it" if len(yes) == len(no) else "the majority counts"
    dispute = f"a refusal by {', '.join(yes)}, an answer by {', '.join(no)}: {what}" if yes and no else ""
    return Refusal(None if len(yes) == len(no) else len(yes) > len(no), dispute)


def _vote(ballot: Ballot, answer: Answer, settings: Settings, refusal: Refusal, known: Known) -> Vote:
    about: dict[str, Any] = {
        "reviewer": ballot.reviewer,
        "label": answer.label,
        "own": _is_own(ballot, answer),
        "holistic": ballot.is_holistic or answer.label in ballot.holistic,
    }
    if (value := ballot.holistic.get(answer.label)) is not None:
        return Vote(value=value, uncapped=value, **about)
    evaluation = ballot.evaluations.get(answer.label)
    if evaluation is None:
        return Vote(reason="not scored in the ballot", **about)
    # What stands on a required dimension and cannot be read is the lowest score: "0/5" must not lift an answer.
    rubric, scores = (
        settings.rubric,
        evaluation.scores | dict.fromkeys(_unread_required(evaluation, settings.rubric), 1.0),
    )
    fault = {True: known.if_refused, False: known.if_answered, None: None}[refusal.refused]
    refused = bool(rubric.says_refused(scores)) if refusal.refused is None else refusal.refused
    found = rubric.score(scores, settings.weights, refused=refused, fault=fault)
    unused = [f"{name} {value:g}" for name, value in scores.items() if name not in found.scores]
    why = f"{', '.join(unused)} not counted: the answer counts as {'a refusal' if refused else 'no refusal'}"
    about["unused"] = why if unused else ""
    return Vote(**about, **{name: getattr(found, name) for name in found.__struct_fields__})


def _unread_required(evaluation: Evaluation, rubric: Rubric) -> list[str]:
    return [name for name in evaluation.unread if name in rubric.required]


def _row(answer: Answer, votes: Sequence[Vote], gate: Safety | None, settings: Settings, refusal: Refusal) -> Row:
    """An answer with what its votes come to; its place is not known yet."""
    counted = [vote for vote in votes if vote.counts]
    overall = _mean(votes)
    capped_by = [name for vote in counted for name in vote.capped_by]
    if gate is not None and not gate.passed:
        capped_by.append(SAFETY)
        cap = float(settings["SAFETY_SCORE_CAP"])
        # A score of 0 is below every other, so it is certain even where nobody has voted.
        overall = min(overall, cap) if overall is not None else cap if cap == 0 else None
    whys = {vote.reviewer: "own answer" if vote.own else vote.reason for vote in votes}
    unscored = "; ".join(f"{reviewer}: {why}" for reviewer, why in whys.items()) or "there is no ballot that counts"
    dimensions = {name: _mean(votes, name) for name in settings.rubric.applying(bool(refusal.refused))}
    beside = {name: _mean(votes, name) for name in settings.rubric.dimensions if name not in dimensions}
    return Row(
        rank=0,
        label=answer.label,
        model=answer.model,
        overall=overall,
        dimensions=dimensions | {name: value for name, value in beside.items() if value is not None},
        capped_by=tuple(dict.fromkeys(capped_by)),
        votes=len(counted),
        safety=gate,
        missing=tuple(sorted({name for vote in counted for name in vote.missing})),
        holistic_votes=sum(vote.holistic for vote in counted),
        own_votes=sum(vote.own for vote in votes),
        refused=bool(refusal.refused),
        dispute=refusal.dispute,
        reason="" if counted else unscored,
    )


def _mean(votes: Sequence[Vote], dimension: str = "") -> float | None:
    """Of the votes that count, overall or on a dimension."""
    scores = [vote.scores.get(dimension) if dimension else vote.value for vote in votes if vote.counts]
    known = [score for score in scores if score is not None]
    return mean(known) if known else None


def _in_order(rows: Sequence[Row], groups: Sequence[Sequence[Standing]], failed: Mapping[str, float]) -> Iterator[Row]:
    """Scored answers, then those that nobody scored, then those that `failed` the gate, by their mean without it."""
    by_label, place = {row.label: row for row in rows}, 1
    for group in groups:
        for one in group:
            yield replace(by_label.pop(one.label), rank=place, z=one.z, borda=one.borda)
        place += len(group)
    rest = sorted(by_label, key=lambda label: (label in failed, -failed.get(label, 0.0), label))
    for number, label in enumerate(rest, place):
        yield replace(by_label[label], rank=number)


def _notes(ballots: Sequence[Ballot], votes: Sequence[Vote], no_spread: bool, rubric: Rubric) -> Iterator[str]:
    """What a reader must know to weigh the result."""
    reviewers = {vote.reviewer for vote in votes if vote.counts}
    if len(reviewers) in _MODES:
        yield _MODES[len(reviewers)]
    if no_spread:
        yield "no reviewer scored two answers, so the order is that of the plain means"
    for ballot in ballots:
        own = {vote.label: vote for vote in votes if vote.reviewer == ballot.reviewer}
        notes = (*_notes_on(ballot, rubric), *_contradictions(ballot, own))
        yield from (f"{ballot.reviewer}: {note}" for note in notes)
    for vote in votes:
        notes = (vote.reason if vote.missing else "", vote.unused)
        yield from (f"{vote.reviewer}: {vote.label}: {note}" for note in notes if note)


def _unweighed(settings: Settings) -> Iterator[str]:
    """Dimensions that reviewers score and nobody weighs."""
    left_out = [name for name in settings.rubric.weights if not settings.weights.get(name)]
    if left_out:
        yield f"the weights leave out {', '.join(left_out)}"


def _contradictions(ballot: Ballot, votes: Mapping[str, Vote]) -> Iterator[str]:
    """Where a reviewer's own list puts an answer before one that it scored higher, with our ceilings and without."""
    for before, after in pairwise(votes[label] for label in ballot.ranking if votes[label].value is not None):
        lower = [getattr(before, name) < getattr(after, name) for name in ("value", "uncapped")]
        if all(lower):
            scores = f"{before.uncapped:.2f} and {after.uncapped:.2f}"
            yield f"its ranking puts {before.label} before {after.label}, its scores do not ({scores})"


def _notes_on(ballot: Ballot, rubric: Rubric) -> Iterator[str]:
    if ballot.is_holistic:
        yield f"one number per answer, {_NO_CEILING}"
    elif ballot.holistic:
        yield f"{', '.join(ballot.holistic)}: one number, {_NO_CEILING}"
    yield from ballot.problems
    for label, evaluation in ballot.evaluations.items():
        for name, value in evaluation.unread.items():
            counts = f" and counts as {LOWEST}" if name in _unread_required(evaluation, rubric) else ""
            yield f"{label}: {name} is no score{counts}: {value}"
