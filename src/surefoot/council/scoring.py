"""From raw reviews to the council's result: ballots read, votes capped, answers in order, reviewers looked at.

The order of work: an answer's overall score is capped in each ballot by the rubric's ceilings; its overall is the mean
of these over ballots; the order is that of the z-mean of the capped scores. An answer that fails the safety gate comes
last, whatever reviewers say. Nobody votes on an own answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from surefoot import safety
from surefoot.council import ballots, bias, ranking
from surefoot.council.ballots import Abstained, Ballot, Evaluation, Void
from surefoot.council.ranking import Vote
from surefoot.council.settings import Settings
from surefoot.council.sitting import Answer, Review, Sitting
from surefoot.rubric import LOWEST, Rubric
from surefoot.text import jsonblocks, refusals

SAFETY = "safety"
_MOST_BLOCKS = 500  # of JSON in a review that are looked for in answers
_MODES = {
    0: "nobody scored an answer",
    1: "one reviewer: nobody checks the scores, and no bias can be seen",
    2: "two reviewers: where they disagree, neither is outvoted",
}


class Safety(Struct, frozen=True):
    passed: bool
    findings: tuple[safety.Finding, ...] = ()


class Row(Struct, frozen=True):
    """An answer's place. `overall` None: no ballot scored it, `reason` says why."""

    rank: int
    label: str
    model: str
    overall: float | None
    dimensions: dict[str, float | None]
    capped_by: tuple[str, ...]
    borda: float | None
    z: float | None
    votes: int
    safety: Safety | None
    missing: tuple[str, ...] = ()  # dimensions that a ballot left out, so that the others weigh more
    holistic_votes: int = 0
    own_votes: int = 0
    refused: bool = False
    reason: str = ""


class Result(Struct, frozen=True):
    question: str
    rubric: str
    ranking: tuple[Row, ...]
    ties: tuple[tuple[str, ...], ...]
    void: tuple[Void, ...]
    abstained: tuple[Abstained, ...]
    bias: bias.Bias
    notes: tuple[str, ...]
    ballots: tuple[Ballot, ...]
    votes: tuple[Vote, ...]

    @property
    def is_scored(self) -> bool:
        return any(row.votes for row in self.ranking)


def score(sitting: Sitting, settings: Settings) -> Result:
    rubric = settings.rubric
    counted, void, abstained = read_all(sitting.reviews, sitting.answers, rubric, settings.use_rubric)
    refused = {answer.label: refusals.detect(answer.text).value == "refused" for answer in sitting.answers}
    votes = [vote for ballot in counted for vote in votes_of(ballot, sitting.answers, settings, refused)]
    gate = gate_of(sitting) if settings.gate else {}
    failed = {label for label, found in gate.items() if not found.passed}
    standings = ranking.standings(ranking.table_of(vote for vote in votes if vote.label not in failed))
    groups = ranking.tied(standings)
    rows = _Rows(sitting.answers, votes, gate, settings.cap, refused, rubric).ranked(groups, failed)
    return Result(
        sitting.question,
        rubric.name,
        tuple(rows),
        tuple(tuple(one.label for one in group) for group in groups if len(group) > 1),
        tuple(void),
        tuple(abstained),
        bias.audit(
            votes, {one.label: len(one.text) for one in sitting.answers}, {one.reviewer: one.shown for one in counted}
        ),
        tuple(_notes(sitting, counted, votes, standings, rubric)),
        tuple(counted),
        tuple(votes),
    )


def read_all(
    reviews: Sequence[Review], answers: Sequence[Answer], rubric: Rubric, use_rubric: bool = True
) -> tuple[list[Ballot], list[Void], list[Abstained]]:
    """One ballot per reviewer at most: of several that can be read the last counts, and the others are named."""
    counted: dict[str, Ballot] = {}
    void: list[Void] = []
    abstained: list[Abstained] = []
    for review in reviews:
        found, name = reading(review, answers, rubric, use_rubric), _folded(review.reviewer)
        if isinstance(found, Ballot):
            if name in counted:
                void.append(Void(counted[name].reviewer, "a later review of the same reviewer counts instead"))
            counted[name] = found
        elif isinstance(found, Abstained):
            abstained.append(found)
        else:
            void.append(Void(review.reviewer, review.error or found.reason))
    return list(counted.values()), void, abstained


def reading(review: Review, answers: Sequence[Answer], rubric: Rubric, use_rubric: bool) -> Ballot | Abstained | Void:
    """What a review says, with what is not its own left out and named. Live reviews and those of a file are read so."""
    text, problems = review.text, list[str]()
    if isinstance(text, str):
        text, problems = _own_words(text, answers)
    labels = [answer.label for answer in answers]
    found = ballots.read(
        review.reviewer, text, labels, rubric, code=review.code, use_rubric=use_rubric, shown=review.shown
    )
    if isinstance(found, Ballot):
        return replace(found, problems=(*found.problems, *problems))
    if isinstance(found, Void) and isinstance(text, str):
        why = jsonblocks.why_broken(text)
        return Void(found.reviewer, "; ".join([found.reason, *([why] if why else []), *problems]))
    return found


def _own_words(text: str, answers: Sequence[Answer]) -> tuple[str, list[str]]:
    """A review without the JSON blocks that it has from an answer, and which answers they stand in."""
    written = {answer.label: _bare(answer.text) for answer in answers if "{" in answer.text}
    blocks = jsonblocks.spans(text) if written else []
    if len(blocks) > _MOST_BLOCKS:
        return "(blocks)", [f"it has more than {_MOST_BLOCKS} of them"]
    kept, problems = text, []
    for start, end in reversed(blocks):
        block = _bare(text[start:end])
        if label := next((label for label, answer in written.items() if block in answer), ""):
            kept = f"{kept[:start]}(a block of an answer){kept[end:]}"
            problems.append(f"a JSON block that stands in {label} is not the reviewer's own, and was left out")
    return kept, list(dict.fromkeys(problems))


def _bare(text: str) -> str:
    return "".join(text.split())


def votes_of(ballot: Ballot, answers: Sequence[Answer], settings: Settings, refused: Mapping[str, bool]) -> list[Vote]:
    made = []
    for answer in answers:
        about: dict[str, Any] = {
            "reviewer": ballot.reviewer,
            "label": answer.label,
            "own": bool(answer.model) and _same(ballot.reviewer, answer.model),
            "holistic": ballot.is_holistic or answer.label in ballot.holistic,
        }
        if (value := ballot.holistic.get(answer.label)) is not None:
            made.append(Vote(value=value, uncapped=value, **about))
            continue
        evaluation = ballot.evaluations.get(answer.label)
        if evaluation is None:
            made.append(Vote(reason="not scored in the ballot", **about))
            continue
        found = settings.rubric.score(
            _held(evaluation, settings.rubric), settings.weights, refused=refused[answer.label]
        )
        made.append(
            Vote(
                value=found.value,
                uncapped=found.uncapped,
                capped_by=found.capped_by,
                scores=found.scores,
                missing=found.missing,
                reason=found.reason,
                **about,
            )
        )
    return made


def _held(evaluation: Evaluation, rubric: Rubric) -> dict[str, float]:
    """What stands on the axis of a ceiling and cannot be read is the lowest score: "0/5" must not lift an answer."""
    return evaluation.scores | {name: float(LOWEST) for name in _unread_ceilings(evaluation, rubric)}


def _unread_ceilings(evaluation: Evaluation, rubric: Rubric) -> list[str]:
    return [name for name in evaluation.unread if any(cap.axis == name for cap in rubric.caps)]


def gate_of(sitting: Sitting) -> dict[str, Safety]:
    """Each answer through the safety check. What the question itself says is not the answer's to expose."""
    found = {one.label: tuple(safety.check(one.text, sitting.question)) for one in sitting.answers}
    return {label: Safety(not findings, findings) for label, findings in found.items()}


class _Rows:
    """Makes the rows of the ranking."""

    def __init__(
        self,
        answers: Sequence[Answer],
        votes: Sequence[Vote],
        gate: Mapping[str, Safety],
        cap: float,
        refused: Mapping[str, bool],
        rubric: Rubric,
    ) -> None:
        self.answers = {answer.label: answer for answer in answers}
        self.votes = {answer.label: [vote for vote in votes if vote.label == answer.label] for answer in answers}
        self.gate, self.cap, self.refused, self.rubric = gate, cap, refused, rubric

    def ranked(self, groups: Sequence[Sequence[ranking.Standing]], failed: set[str]) -> list[Row]:
        """Scored answers, then those that nobody scored, then those that fail the gate."""
        rows: list[Row] = []
        for group in groups:
            first = len(rows) + 1
            rows += [self._row(one.label, first, one.z, one.borda) for one in group]
        scored = {row.label for row in rows}
        for label in sorted(self.answers.keys() - scored - failed):
            rows.append(self._row(label, len(rows) + 1))
        for label in sorted(failed, key=lambda label: (-(self._mean(label) or 0.0), label)):
            rows.append(self._row(label, len(rows) + 1))
        return rows

    def _mean(self, label: str) -> float | None:
        values = [vote.value for vote in self.votes[label] if vote.value is not None and not vote.own]
        return mean(values) if values else None

    def _row(self, label: str, rank: int, z: float | None = None, borda: float | None = None) -> Row:
        votes = [vote for vote in self.votes[label] if vote.counts]
        overall, capped_by = self._mean(label), [name for vote in votes for name in vote.capped_by]
        if (gate := self.gate.get(label)) is not None and not gate.passed:
            capped_by.append(SAFETY)
            # A score of 0 is below every other, so it is certain even where nobody has voted.
            overall = min(overall, self.cap) if overall is not None else self.cap if self.cap == 0 else None
        return Row(
            rank,
            label,
            self.answers[label].model,
            overall,
            {name: self._dimension(votes, name) for name in self.rubric.applying(self.refused[label])},
            tuple(dict.fromkeys(capped_by)),
            borda,
            z,
            len(votes),
            gate,
            tuple(sorted({name for vote in votes for name in vote.missing})),
            sum(vote.holistic for vote in votes),
            sum(vote.own for vote in self.votes[label]),
            self.refused[label],
            "" if votes else self._why_unscored(label),
        )

    def _dimension(self, votes: Sequence[Vote], name: str) -> float | None:
        values = [vote.scores[name] for vote in votes if name in vote.scores]
        return mean(values) if values else None

    def _why_unscored(self, label: str) -> str:
        votes = self.votes[label]
        if not votes:
            return "there is no ballot that counts"
        whys = {vote.reviewer: "own answer" if vote.own else vote.reason for vote in votes}
        return "; ".join(f"{reviewer}: {why}" for reviewer, why in whys.items())


def _same(reviewer: str, model: str) -> bool:
    return _folded(reviewer) == _folded(model)


def _folded(name: str) -> str:
    return _bare(name).casefold()


def _notes(
    sitting: Sitting,
    counted: Sequence[Ballot],
    votes: Sequence[Vote],
    standings: Sequence[ranking.Standing],
    rubric: Rubric,
) -> list[str]:
    """What a reader must know to weigh the result."""
    notes = list(sitting.problems)
    reviewers = {vote.reviewer for vote in votes if vote.counts}
    if len(reviewers) in _MODES:
        notes.append(_MODES[len(reviewers)])
    if standings and standings[0].z is None:
        notes.append("no reviewer scored two answers, so the order is that of the plain means")
    for ballot in counted:
        if ballot.is_holistic:
            notes.append(f"{ballot.reviewer}: one number per answer, not the rubric; no ceiling can be applied to it")
        elif ballot.holistic:
            given = ", ".join(ballot.holistic)
            notes.append(f"{ballot.reviewer}: {given}: one number, not the rubric; no ceiling can be applied to it")
        notes += [f"{ballot.reviewer}: {problem}" for problem in ballot.problems]
        for label, evaluation in ballot.evaluations.items():
            for name, value in evaluation.unread.items():
                counts = f" and counts as {LOWEST}" if name in _unread_ceilings(evaluation, rubric) else ""
                notes.append(f"{ballot.reviewer}: {label}: {name} is no score{counts}: {value}")
    return notes + [f"{vote.reviewer}: {vote.label}: {vote.reason}" for vote in votes if vote.reason and vote.missing]
