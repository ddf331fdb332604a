"""A council's scores as verdict rows of runs, like all others, and what the rows come to for each run.

question_id, attempt   the answer
axis                   "council.DIMENSION", "council.overall" (capped), "council.holistic", "council.safety";
                       "council.uncapped" of a reviewer whose overall score a ceiling holds down
value                  a score from 1 to 10, 0 for an unsafe answer; "safe" or "unsafe"; None, and `reason` says why
grader                 "council/REVIEWER+DIGEST", or "council/pooled+RUBRIC+DIGEST" for all reviewers together
via                    OWN where the reviewer is the model that gave the answer; such a score is never pooled;
                       "shown 2 of 3" where answers were reviewed side by side
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.intervals import clustered_mean
from surefoot.core.records import Interval
from surefoot.core.rubric import AXIS_PREFIX, HIGHEST
from surefoot.core.types import Evidence, Item, Question, Verdict, without_surrogates
from surefoot.council.ballots import Answer, Review
from surefoot.council.prompts import Settings, Sources, review_prompt
from surefoot.council.ranking import Known, Ranked, rank
from surefoot.models.seam import Prompt
from surefoot.text.normal import is_empty

VERSION = 4  # of what reviewers are asked about an answer of a run, and of how a score is made of it
GRADER = "council/"
OVERALL, UNCAPPED, HOLISTIC, SAFETY = "overall", "uncapped", "holistic", "safety"
CAPPED = "capped"  # the overall score as it counts, where OVERALL is the one before ceilings
UNSAFE = "unsafe"
OWN, PLACE = "own answer", "place"  # PLACE: at which the reviewer saw the answer, of several
POOLED = "pooled"
_LABEL = "A"
_CAPPED = "capped by "
_SHOWN = re.compile(r"shown (\d+) of")
_LONGEST_REASON = 400


class AnswerKey(NamedTuple):
    """One answer. Answers to the same question go together: runs find the same questions hard."""

    run: str
    question: str
    attempt: int = 1


Scores = Mapping[str, Mapping[AnswerKey, Mapping[str, float]]]  # by reviewer; what is not scored is not there


class RunReview(Struct, frozen=True):
    """Who reviews, and by what. `holistic` asks for one number beside the rubric; `beside` are the answers to
    `question` that are shown together."""

    reviewers: tuple[str, ...]
    settings: Settings
    holistic: bool = False
    question: str = ""
    beside: tuple[Answer, ...] = ()

    @property
    def digest(self) -> str:
        """Of all that a reviewer's score depends on, the reviewer and the answer apart."""
        chosen = self.settings
        told = [VERSION, chosen.rubric.sha256, chosen.weights, chosen.use_rubric, chosen["SEED"],
                chosen["SAFETY_GATE"], chosen["SAFETY_SCORE_CAP"], self.question, self.beside]  # fmt: skip
        encoded = msgspec.json.encode(without_surrogates(msgspec.to_builtins(told)), order="deterministic")
        return hashlib.sha256(encoded).hexdigest()[:8]

    @property
    def pooled(self) -> str:
        """The grader of what all reviewers say together: another reviewer makes it another council."""
        panel = hashlib.sha256("\0".join((self.digest, *sorted(self.reviewers))).encode()).hexdigest()[:8]
        return f"{GRADER}{POOLED}+{self.settings.rubric.name}+{panel}"

    @property
    def graders(self) -> dict[str, str]:
        """By reviewer, under which its scores are kept."""
        return {reviewer: grader_of(reviewer, self.digest) for reviewer in self.reviewers}

    @property
    def ways(self) -> tuple[Settings, ...]:
        """How each reviewer is asked about each answer."""
        by_number = (replace(self.settings, use_rubric=False),) if self.holistic else ()
        return (self.settings, *by_number)


def axis_of(dimension: str) -> str:
    return AXIS_PREFIX + dimension


def grader_of(reviewer: str, digest: str) -> str:
    return f"{GRADER}{reviewer}+{digest}"


def reviewer_of(grader: str) -> str:
    """POOLED for all reviewers together."""
    name = grader.removeprefix(GRADER)
    return POOLED if name.startswith(f"{POOLED}+") else name.rpartition("+")[0] or name


def rubric_of(pooled: str) -> str:
    """By which all reviewers together scored."""
    return pooled.removeprefix(f"{GRADER}{POOLED}+").rpartition("+")[0]


def scores_of(verdicts: Mapping[str, Iterable[Verdict]]) -> dict[str, dict[AnswerKey, dict[str, float]]]:
    """The scores by reviewer and answer on each dimension that has one, with OVERALL and HOLISTIC among them, and OWN,
    PLACE and UNSAFE where they are the case. The verdicts are by run."""
    found: dict[str, dict[AnswerKey, dict[str, float]]] = {}
    for run, row in ((run, row) for run, some in verdicts.items() for row in some):
        given = {UNSAFE: 1.0} if row.value == UNSAFE else {}
        if row.axis.startswith(AXIS_PREFIX) and (score := score_in(row)) is not None:
            place = _SHOWN.search(row.via)
            given = {row.axis.removeprefix(AXIS_PREFIX): score} | ({OWN: 1.0} if row.via.startswith(OWN) else {})
            given |= {PLACE: float(place[1])} if place else {}
        if given:
            answer = AnswerKey(run, row.question_id, row.attempt)
            found.setdefault(reviewer_of(row.grader), {}).setdefault(answer, {}).update(given)
    return found


def score_in(row: Verdict) -> float | None:
    return float(row.value) if isinstance(row.value, (int, float)) else None


def unanswered(item: Item) -> str:
    """Why there is nothing to review, in the decision table's words; "" where there is."""
    if item.trace.error is not None or item.trace.answer is None:
        return "missing" if item.trace.error is None else "error"
    return "empty" if is_empty(item.trace.answer) else ""


class Asked(NamedTuple):
    """What a reviewer is asked about one answer, in one of the ways of asking, and the review to come."""

    answer: AnswerKey
    way: int
    prompt: Prompt
    review: Review


def prompts_on(items: Mapping[AnswerKey, Item], review: RunReview) -> dict[str, list[Asked]]:
    """What each reviewer is asked about the answers."""
    found: dict[str, list[Asked]] = {reviewer: [] for reviewer in review.reviewers}
    for key, item in items.items():
        if not unanswered(item):
            question, answer = item.question, Answer(_LABEL, text=item.trace.answer or "")
            sources = Sources(tuple(item.trace.retrieved or ()), question.gold_claims, absent=not question.answerable)
            for (reviewer, asked), (way, settings) in product(found.items(), enumerate(review.ways)):
                asked.append(Asked(key, way, *review_prompt(question.text, [answer], settings, reviewer, sources)))
    return found


def known_of(question: Question, bucket: object = None) -> Known:
    """What the question set says of answering and of refusing, and whether the answer was graded as a refusal."""
    has_gold = bool(question.gold_claims or question.gold_ids)
    return Known(
        None if bucket is None else bucket == "refused",
        None if question.answerable else "invented",
        "needless_refusal" if question.answerable and has_gold else None,
    )


def verdicts_alone(
    item: Item, review: RunReview, reviews: Sequence[Sequence[Review]], author: str, bucket: object
) -> list[Verdict]:
    """What each reviewer and all together say of an answer that was reviewed alone. `reviews` has the reviews of each
    way of asking in turn; `author` is the model that gave the answer, and `bucket` what it was graded as, if known."""
    if why := unanswered(item):
        return [_row(item, one, OVERALL, None, reason=why) for one in (*review.graders.values(), review.pooled)]
    answer, known = Answer(_LABEL, author, item.trace.answer or ""), known_of(item.question, bucket)
    ranked = [rank([answer], given, settings, item.question.text, known=known)
              for settings, given in zip(review.ways, reviews, strict=True)]  # fmt: skip
    return [*verdicts_on(item, review, ranked)]


def verdicts_on(item: Item, review: RunReview, ranked: Sequence[Ranked], label: str = _LABEL) -> Iterator[Verdict]:
    """What each reviewer and all together say of an answer, each way of asking in turn."""
    for one, overall in zip(ranked, (OVERALL, HOLISTIC), strict=False):
        votes = {vote.reviewer: vote for vote in one.votes if vote.label == label}
        why = {void.reviewer: void.reason for void in (*one.void, *one.abstained)}
        for reviewer, grader in review.graders.items():
            if (vote := votes.get(reviewer)) is None:
                yield _row(item, grader, overall, None, reason=why.get(reviewer, "not asked"))
                continue
            place = f"shown {vote.shown.index(label) + 1} of {len(vote.shown)}" if len(vote.shown) > 1 else ""
            via = ", ".join(filter(None, (OWN if vote.own else "", place)))
            for name, value in vote.scores.items():
                if name in review.settings.rubric.dimensions:  # the others are checked by code
                    yield _row(item, grader, name, value, via)
            number = "one number, not the rubric" if vote.holistic else ""
            reason = (_capped_words(vote.capped_by), vote.reason, vote.unused, number, vote.notes)
            yield _row(item, grader, overall, vote.value, via, "; ".join(filter(None, reason)))
            if vote.capped_by:
                yield _row(item, grader, UNCAPPED, vote.uncapped, via)
        row = next(row for row in one.ranking if row.label == label)
        grader, via = review.pooled, f"{row.votes} of {len(review.reviewers)} reviewers"
        for name, mean in row.dimensions.items():
            if mean is not None:
                yield _row(item, grader, name, mean, via)
        reasons = (_capped_words(row.capped_by) or row.reason, *row.faults)
        yield _row(item, grader, overall, row.overall, via, "; ".join(filter(None, reasons)))
        if row.safety is not None and overall == OVERALL:
            evidence = tuple(Evidence(claim=finding.text) for finding in row.safety.findings)
            words = "; ".join(f"{finding.pattern}: {finding.why}" for finding in row.safety.findings)
            safe = "safe" if row.safety.passed else UNSAFE
            yield replace(_row(item, grader, SAFETY, safe, reason=words), evidence=evidence)


def _row(
    item: Item, grader: str, dimension: str, value: float | str | None, via: str = "", reason: str = ""
) -> Verdict:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    axis, attempt = axis_of(dimension), item.trace.attempt
    return Verdict(item.question.id, axis, whole, grader, attempt, via, reason[:_LONGEST_REASON])


def _capped_words(by: Sequence[str]) -> str:
    """The reason of an overall score that ceilings hold down."""
    return f"{_CAPPED}{', '.join(by)}" if by else ""


_Values = dict[str, list[float]]  # by question


class ScoredAnswer(Struct, frozen=True, kw_only=True):
    """One answer before a council."""

    run: str
    question_id: str
    attempt: int
    question: str
    answer: str | None
    score: float | None  # of all reviewers together
    reason: str
    by: Mapping[str, tuple[float | None, str]]  # reviewer: score and reason


class Mean(Interval, frozen=True):
    """Of a run's scores, with its 95 % interval over the questions."""

    answers: int


class RunScores(Struct, frozen=True, kw_only=True):
    """What a council says of a run. `rank` is by `overall`, over the answers that every run has a score for.

    `behind` is by how much the first run scores higher on the same questions.
    """

    run: str
    rank: int | None = None
    overall: Mean | None
    behind: Mean | None = None
    dimensions: dict[str, Mean]
    not_scored: dict[str, int]  # by reason
    capped: dict[str, int]  # by ceiling
    unsafe: tuple[str, ...]  # ids of questions
    own: tuple[str, ...]  # reviewers whose own answers these are


def scored_answers(found: Mapping[str, Sequence[Verdict]], items: Mapping[AnswerKey, Item]) -> Iterator[ScoredAnswer]:
    """What all reviewers together and each of them gave to every answer."""
    given: dict[AnswerKey, dict[str, tuple[float | None, str]]] = {}
    for run, row in ((run, row) for run, some in found.items() for row in some if row.axis == axis_of(OVERALL)):
        by = given.setdefault(AnswerKey(run, row.question_id, row.attempt), {})
        by[reviewer_of(row.grader)] = score_in(row), row.reason
    for answer, item in items.items():
        by = given.get(answer, {})
        score, reason = by.pop(POOLED, (None, unanswered(item) or "not asked"))
        yield ScoredAnswer(
            run=answer.run, question_id=answer.question, attempt=answer.attempt, question=item.question.text,
            answer=item.trace.answer, score=score, reason=reason, by=by,
        )  # fmt: skip


def run_scores(
    found: Mapping[str, Sequence[Verdict]], answers: Sequence[ScoredAnswer], documents: Mapping[str, str]
) -> list[RunScores]:
    """The best run first. Runs are ranked over the questions that all of them have scores for."""
    shared = set.intersection(*({one.question_id for one in answers if one.run == run and one.score is not None}
                                for run in found))  # fmt: skip
    made, overall = list[RunScores](), dict[str, _Values]()
    for run, verdicts in found.items():
        scores, mine = scores_of({run: verdicts}), [one for one in answers if one.run == run]
        pooled, by_axis = scores.get(POOLED, {}), defaultdict[str, _Values](lambda: defaultdict(list))
        for answer, by in pooled.items():
            for name, score in by.items():
                if answer.question in shared and name != UNSAFE:
                    by_axis[name][answer.question].append(score)
        overall[run] = by_axis[OVERALL]
        means = {name: _mean(values, documents) for name, values in by_axis.items() if values}
        capped = [one.reason.partition(";")[0].removeprefix(_CAPPED) for one in mine if one.reason.startswith(_CAPPED)]
        made.append(RunScores(
            run=run, overall=means.pop(OVERALL, None), dimensions=means,
            not_scored=dict(Counter(one.reason for one in mine if one.score is None)),
            capped=dict(Counter(name for names in capped for name in names.split(", "))),
            unsafe=tuple(answer.question for answer, by in pooled.items() if UNSAFE in by),
            own=tuple(sorted(who for who, given in scores.items() if any(OWN in by for by in given.values()))),
        ))  # fmt: skip
    made.sort(key=lambda one: (one.overall is None, -one.overall.value if one.overall else 0.0, one.run))
    values = [one.overall.value for one in made if one.overall]
    for at, one in enumerate(made):
        if one.overall:
            # Question by question: what makes a question hard for both runs cancels out.
            gaps = {id: [fmean(best) - fmean(overall[one.run][id])] for id, best in overall[made[0].run].items()}
            behind = _mean(gaps, documents, -HIGHEST) if at else None
            made[at] = replace(one, rank=values.index(one.overall.value) + 1, behind=behind)
    return made


def _mean(values: _Values, documents: Mapping[str, str], least: float = 0.0) -> Mean:
    return Mean(*clustered_mean(values, documents, HIGHEST, least), sum(map(len, values.values())))
