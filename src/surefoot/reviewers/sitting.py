"""Answers of runs before a council: each answer alone, to every reviewer, with the passages it was made from in view.

An answer is scored as on a sitting of its own (`scores.py`), so ceilings, safety and the rule on own answers are the
same; what comes of it are rows (`rows.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Evidence, Item, Question, Verdict
from surefoot.models.seam import Prompt
from surefoot.reviewers import rows
from surefoot.reviewers.ballots import Answer, Ballot, Review
from surefoot.reviewers.order import Vote
from surefoot.reviewers.prompts import Sources, review_prompt
from surefoot.reviewers.scores import Known, Ranked, score
from surefoot.reviewers.settings import Settings
from surefoot.text.normal import is_empty

VERSION = 2  # of what reviewers are asked about an answer of a run, and of how a score is made of it
_LABEL = "A"
_LONGEST_REASON = 400


class Sitting(Struct, frozen=True):
    """Who reviews, and by what. `holistic` are the settings for one number beside the rubric, where that is wanted."""

    reviewers: tuple[str, ...]
    settings: Settings
    holistic: Settings | None = None

    @property
    def digest(self) -> str:
        """Of all that a reviewer's score depends on, the reviewer and the answer apart."""
        chosen = self.settings
        told = [VERSION, chosen.rubric.sha256, chosen.weights, chosen.use_rubric, chosen["SEED"],
                chosen["SAFETY_GATE"], chosen["SAFETY_SCORE_CAP"]]  # fmt: skip
        return _short_hash(msgspec.json.encode(told, order="deterministic"))

    @property
    def pooled(self) -> str:
        """The grader of what all reviewers say together: another reviewer makes it another council."""
        panel = _short_hash("\0".join((self.digest, *sorted(self.reviewers))).encode())
        return f"{rows.GRADER}{rows.POOLED}+{self.settings.rubric.name}+{panel}"

    def grader(self, reviewer: str) -> str:
        return rows.grader_of(reviewer, self.digest)

    @property
    def ways(self) -> tuple[Settings, ...]:
        """How each reviewer is asked about each answer."""
        return (self.settings, self.holistic) if self.holistic is not None else (self.settings,)


def unanswered(item: Item) -> str:
    """Why there is nothing to review, in the decision table's words; "" where there is."""
    if item.trace.error is not None:
        return "error"
    if item.trace.answer is None:
        return "missing"
    return "empty" if is_empty(item.trace.answer) else ""


def prompt_on(item: Item, settings: Settings, reviewer: str) -> tuple[Prompt, Review]:
    """What a reviewer is asked about one answer, and the review to come."""
    question = item.question
    sources = Sources(tuple(item.trace.retrieved or ()), question.gold_claims, absent=not question.answerable)
    answer = Answer(_LABEL, text=item.trace.answer or "")
    return review_prompt(question.text, [answer], settings, reviewer, sources)


def known_of(question: Question, bucket: object = None) -> Known:
    """What the question set says of answering and of refusing, and whether the answer was graded as a refusal."""
    has_gold = bool(question.gold_claims or question.gold_ids)
    return Known(
        None if bucket is None else bucket == "refused",
        None if question.answerable else "invented",
        "needless_refusal" if question.answerable and has_gold else None,
    )


def verdicts_on(
    item: Item, sitting: Sitting, reviews: Sequence[Sequence[Review]], author: str, bucket: object
) -> list[Verdict]:
    """What each reviewer and all together say of an answer. `reviews` has the reviews of each way of asking in turn;
    `author` is the model that gave the answer, and `bucket` what it was graded as, where that is known."""
    if why := unanswered(item):
        graders = (*map(sitting.grader, sitting.reviewers), sitting.pooled)
        return [_row(item, grader, rows.OVERALL, None, reason=why) for grader in graders]
    answer, known = Answer(_LABEL, author, item.trace.answer or ""), {_LABEL: known_of(item.question, bucket)}
    found: list[Verdict] = []
    for settings, given in zip(sitting.ways, reviews, strict=True):
        ranked = score([answer], given, settings, item.question.text, known=known)
        overall = rows.OVERALL if settings is sitting.settings else rows.HOLISTIC
        for reviewer in sitting.reviewers:
            found += _by_reviewer(item, sitting.grader(reviewer), reviewer, ranked, overall)
        found += _pooled(item, sitting, ranked, overall)
    return found


def _by_reviewer(item: Item, grader: str, reviewer: str, ranked: Ranked, overall: str) -> Iterator[Verdict]:
    vote = next((one for one in ranked.votes if one.reviewer == reviewer), None)
    if vote is None:
        why = {one.reviewer: one.reason for one in ranked.void} | {one.reviewer: one.reason for one in ranked.abstained}
        yield _row(item, grader, overall, None, reason=why.get(reviewer, "not asked"))
        return
    via = rows.OWN if vote.own else ""
    for name, value in vote.scores.items():
        yield _row(item, grader, name, value, via)
    notes = next((_notes(ballot) for ballot in ranked.ballots if ballot.reviewer == reviewer), "")
    yield _row(item, grader, overall, vote.value, via, _reason(vote, notes))
    if vote.capped_by:
        yield _row(item, grader, rows.UNCAPPED, vote.uncapped, via)


def _pooled(item: Item, sitting: Sitting, ranked: Ranked, overall: str) -> Iterator[Verdict]:
    [row] = ranked.ranking
    grader, via = sitting.pooled, f"{row.votes} of {len(sitting.reviewers)} reviewers"
    for name, value in row.dimensions.items():
        if value is not None:
            yield _row(item, grader, name, value, via)
    dispute = f"{rows.DISPUTED}{row.dispute}" if row.dispute else ""
    reason = "; ".join(filter(None, (rows.capped_words(row.capped_by) or row.reason, dispute)))
    yield _row(item, grader, overall, row.overall, via, reason)
    if row.safety is not None and overall == rows.OVERALL:
        findings = row.safety.findings
        evidence = tuple(Evidence(claim=finding.text) for finding in findings)
        why = "; ".join(f"{finding.pattern}: {finding.why}" for finding in findings)
        safe = rows.SAFE if row.safety.passed else rows.UNSAFE
        yield replace(_row(item, grader, rows.SAFETY, safe, reason=why), evidence=evidence)


def _row(
    item: Item, grader: str, dimension: str, value: float | str | None, via: str = "", reason: str = ""
) -> Verdict:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    axis, answer = rows.axis_of(dimension), item.trace
    return Verdict(item.question.id, axis, whole, grader, answer.attempt, via, reason[:_LONGEST_REASON])


def _reason(vote: Vote, notes: str) -> str:
    holistic = "one number, not the rubric" if vote.holistic else ""
    return "; ".join(filter(None, (rows.capped_words(vote.capped_by), vote.reason, vote.unused, holistic, notes)))


def _notes(ballot: Ballot) -> str:
    evaluation = ballot.evaluations.get(_LABEL)
    return evaluation.notes if evaluation is not None else ""


def _short_hash(told: bytes) -> str:
    return hashlib.sha256(told).hexdigest()[:8]
