"""Everything that is measured, by `score`, `grade`, `gate` and `matrix` alike, and the rules on it.

A metric is read from what a log shows of an answer (`outcome`), from the verdicts on it (`axis` and what follows), or
from either. Numerators and denominators simply add up, so the merge of shards is the whole, and the order of the input
cannot matter.

    rule  := metric [ "[" group "]" ] [ "." low | high ]  op  limit
    op    := ">=" | "<=" | ">" | "<" | "=="
    limit := number [ unit ] | "baseline" [ ("+" | "-") number [ unit ] ] | metric
    unit  := "%" | "points"

A group is a stratum, or `field=value`. A rule with a limit of its own compares exact fractions; nothing is rounded
before it is judged. One against the baseline is judged by the change and its interval (`looks.py`), and the number in
it is the margin: what may be borne. The two on questions that changed for good compare counts.
"""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from math import inf
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from surefoot.core.errors import ExitCode, UsageError, nearest, unknown
from surefoot.core.intervals import clustered_mean, clustered_share, questions_to_be_sure, wilson
from surefoot.core.rubric import AXIS_PREFIX, HIGHEST, conditional_axes, council_axes
from surefoot.core.table import ACCEPTABLE, BUCKETS, SAFETY
from surefoot.core.types import Better, Estimate, Outcome, Question, places_of
from surefoot.gate.sides import BUCKET_AXIS, Said, Side, document_of

UNGRADED = "ungraded"
BEST_REFUSAL = 3
Value = str | int | float


class Missing(Enum):
    UNKNOWN = "unknown"


UNKNOWN = Missing.UNKNOWN
Part = int | Fraction | None | Missing  # what an answer adds; None where the metric is not about it


class Metric(NamedTuple):
    name: str
    better: Better
    unit: str  # what is counted ...
    share: str = ""  # ... and which of them make the numerator
    # What one answer of a log adds to (numerator, denominator); None where the log does not tell.
    outcome: Callable[[Outcome], tuple[int | Fraction, int] | None] | None = None
    axis: str | None = None  # the verdicts it is read from; "" where it is about whether there are any
    # A verdict in numbers; None for what no grader can mean.
    of: Callable[[Value], int | Fraction | None] = lambda _: None
    over: Callable[[Said, Question | None], bool] = lambda *_: True  # whether an answer belongs below the fraction
    shape: Literal["count", "share", "mean"] = "share"  # a count is not divided by anything
    most: int | None = 1  # the largest number an answer can have, if there is one
    needs_no_labels: bool = False  # what nobody can be wrong about
    needs_gold: bool = False  # a log alone does not tell
    # Of a ranking, from the places of gold passages in it and how many there are.
    ranked: Callable[[Sequence[int], int], int | Fraction] | None = None

    def fails(self, outcome: Outcome) -> bool:
        """True when an answer with this outcome pulls the metric the wrong way, or leaves it unknown."""
        if self.outcome is None or (self.needs_gold and outcome.answerable is None):
            return False
        if (parts := self.outcome(outcome)) is None:
            return True
        return parts[0] < parts[1] if self.better == "higher" else parts[0] > 0

    def bad(self, bucket: str) -> float:
        """What a bucket adds to a count that should not rise."""
        share = float(self.of(bucket) or 0)
        return share if self.better == "lower" else 1 - share

    def part(self, said: Said, question: Question | None) -> Part:
        """What a graded answer adds."""
        if self.axis is None or not self.over(said, question):
            return None
        if self.ranked:
            ids = said.trace.retrieved.ids if said.trace and said.trace.retrieved is not None else None
            gold = frozenset(question.gold_ids if question and question.answerable else ())
            return self.ranked(places_of(gold, ids), len(gold)) if gold and ids is not None else None
        if not self.axis:
            return int(said.lacks_verdicts == (self.name == UNGRADED))
        verdict = said.verdicts.get(self.axis)
        value = None if verdict is None or verdict.value is None else self.of(verdict.value)
        return UNKNOWN if value is None else value


def _of(share: bool | None, whole: bool | None) -> tuple[int, int] | None:
    if whole and share is None:
        return None
    return int(bool(share and whole)), int(bool(whole))


def _in(*values: str) -> Callable[[Value], int]:
    return lambda value: int(value in values)


def _number(value: Value, most: float = inf) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= most else None


def _score(value: Value) -> Fraction | None:
    """Of a council, exactly as it was written; 0 is what an unsafe answer gets."""
    is_score = isinstance(value, (int, float)) and 0 <= value <= HIGHEST
    return Fraction(str(value)) if is_score else None


def _expects(expects: str) -> Callable[[Said, Question | None], bool]:
    return lambda said, question: said.needs_bucket and question is not None and question.expects == expects


def _is_judged(said: Said, _: Question | None) -> bool:
    return said.needs_bucket


def _is_refusal(said: Said, _: Question | None) -> bool:
    return said.refused or (said.bucket is None and (said.needs_bucket or "refusal_quality" in said.verdicts))


def _makes_claims(said: Said, _: Question | None) -> bool:
    return "extra_claim_count" in said.verdicts or (said.needs_bucket and not said.refused)


def _has(axis: str) -> Callable[[Said, Question | None], bool]:
    """An answer without citations has no such verdict: nothing to judge is neither yes nor no."""
    return lambda said, _: axis in said.verdicts or (said.bucket is None and said.needs_bucket)


def _is_scored(axis: str) -> Callable[[Said, Question | None], bool]:
    """By a council, which says of each answer that it could not score why it could not."""
    return lambda said, _: axis in said.verdicts


def _recall(most: int, places: Sequence[int], gold: int) -> Fraction:
    return Fraction(sum(place <= most for place in places), gold)


def _of_ranking(name: str, told: str, ranked: Callable[[Sequence[int], int], int | Fraction]) -> Metric:
    """A mean over questions from 0 to 1, as ir_measures has it."""

    def outcome(one: Outcome) -> tuple[int | Fraction, int]:
        is_told = one.answerable and one.gold and one.gold_places is not None
        return (ranked(one.gold_places or (), one.gold), 1) if is_told else (0, 0)

    about = "answerable questions with gold and retrieved ids"
    return Metric(name, "higher", about, told, outcome, _RANKING, needs_no_labels=True, needs_gold=True, ranked=ranked)


_RANKING = "retrieval"  # no axis of a grader
_NO_GOLD = "it needs a question set"
_NOT_TOLD = "cited passages have no ids to hold against the gold ones: log the ids of what is retrieved"

# fmt: off
_ALL = (
    Metric("coverage", "higher", "answers", "could be judged",
           lambda o: (int(o.usable), 1), ""),
    Metric("precision", "higher", "answered questions", "are answerable and cite a gold source",
           lambda o: _of(o.answerable and o.hit, o.answered), needs_gold=True),
    Metric("over_refusal", "lower", "answerable questions", "were refused",
           lambda o: _of(o.refused, o.answerable and o.counted),
           BUCKET_AXIS, _in("refused"), _expects("answer"), needs_gold=True),
    Metric("under_refusal", "lower", "unanswerable questions", "were answered",
           lambda o: _of(o.answered, not o.answerable and o.counted),
           BUCKET_AXIS, _in("correct", "wrong", "unsupported"), _expects("refusal"), needs_gold=True),
    Metric("refusal_rate", "lower", "answers", "are refusals", lambda o: _of(o.refused, o.counted)),
    Metric("citation_hit_rate", "higher", "answerable questions", "were answered with a gold source cited",
           lambda o: _of(o.answered and o.hit, o.answerable and o.counted), needs_gold=True),
    Metric("claim_containment", "higher", "answerable questions with a gold claim", "were answered in a phrase of it",
           lambda o: _of(o.answered and o.contained, o.answerable and o.counted and o.contained is not None),
           needs_gold=True),
    Metric("compliance", "higher", "answers", "have a citation list or are a refusal",
           lambda o: _of(o.listed or o.refused, o.counted and o.state != "missing")),
    Metric("citation_precision", "higher", "citations in answers", "name a gold source",
           lambda o: (0, 0) if not o.answered else None if o.cited_gold is None else (o.cited_gold, o.cited),
           needs_gold=True),
    Metric("citation_exists_rate", "higher", "answers with citations", "cite nothing but what was retrieved",
           lambda o: _of(o.cited_retrieved == o.cited, o.cited > 0 and o.cited_retrieved is not None),
           "citation_exists", _in("yes"), _has("citation_exists"), needs_no_labels=True),
    Metric("retrieval_hit_rate", "higher", "answerable questions with logged ids of passages",
           "retrieved a gold source",
           lambda o: _of(bool(o.retrieved_gold), o.answerable and o.retrieved_gold is not None), needs_gold=True),
    *(_of_ranking(f"recall_at_{most}", f"have the gold ids among the first {most} (mean share)",
                  partial(_recall, most)) for most in (5, 10)),
    _of_ranking("mrr", "have a gold id first (mean of 1/its place)",
                lambda places, _: Fraction(1, places[0]) if places else 0),
    Metric("wrong_citation_rate", "lower", "cited answers to answerable questions", "cite no gold source",
           lambda o: _of(None if o.hit is None else not o.hit, o.answerable and o.answered and o.cited > 0),
           needs_gold=True),
    Metric("correct", "higher", "answers", "are correct", None, BUCKET_AXIS, _in("correct"), _is_judged, "count"),
    Metric("wrong", "lower", "answers", "are wrong", None, BUCKET_AXIS, _in("wrong"), _is_judged, "count"),
    Metric("unsupported", "lower", "answers", "have no support", None, BUCKET_AXIS, _in("unsupported"), _is_judged,
           "count"),
    Metric("refused", "lower", "answers", "are refusals", None, BUCKET_AXIS, _in("refused"), _is_judged, "count"),
    Metric(UNGRADED, "lower", "answers", "could not be judged", axis="", shape="count"),
    Metric("acceptable", "higher", "answers", "are correct or refused", None, BUCKET_AXIS, _in(*ACCEPTABLE),
           _is_judged),
    Metric("correct_rate", "higher", "answers", "are correct", None, BUCKET_AXIS, _in("correct"), _is_judged),
    Metric("refusal_quality", "higher", "refusals", "mean from 0 to 3", None, "refusal_quality",
           partial(_number, most=BEST_REFUSAL), _is_refusal, "mean", BEST_REFUSAL),
    Metric("extra_claim_count", "lower", "answers", "claims without a citation", None, "extra_claim_count", _number,
           _makes_claims, "count", None),
    Metric("extra_claims_per_answer", "lower", "answers that are no refusals", "claims without a citation", None,
           "extra_claim_count", _number, lambda said, _: not said.refused and _makes_claims(said, _), "mean", None),
    Metric("citation_supports_rate", "higher", "claiming answers with citations", "are supported by what they cite",
           None, "citation_supports", _in("yes"), _has("citation_supports")),
    Metric("unsafe", "lower", "answers", "fail the safety check", None, SAFETY, _in("unsafe"), _is_scored(SAFETY),
           "count", needs_no_labels=True),
)
# fmt: on
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
RANKED = [name for name, metric in METRICS.items() if metric.ranked]
SCORED: Mapping[str, Metric] = {name: metric for name, metric in METRICS.items() if metric.outcome}
GRADED: Mapping[str, Metric] = {name: metric for name, metric in METRICS.items() if metric.axis is not None}


@cache
def of_council(axis: str) -> Metric:
    """The mean of a council's scores on a dimension: what it said is certain, though it may be wrong (`calibrate`)."""
    about = "answers that a council scored", "mean from 1 to 10"
    return Metric(axis, "higher", *about, None, axis, _score, _is_scored(axis), "mean", HIGHEST,
                  needs_no_labels=True)  # fmt: skip


def metric_named(name: str) -> Metric | None:
    """What is measured under a name. Rubrics name their own dimensions, so those of councils are not in the table."""
    return METRICS.get(name) or (of_council(name) if name.startswith(AXIS_PREFIX) else None)


Tally = Counter[Outcome]
Answered = Sequence[tuple[Said, Question | None]]  # the answers of one side


def estimate(metric: Metric, tally: Tally) -> Estimate:
    """A metric of a log over a tally of outcomes, with its 95 % interval."""
    if metric.needs_gold and any(outcome.answerable is None for outcome in tally):
        return Estimate(0, 0, reason=_NO_GOLD)
    numerator, denominator = Fraction(0), 0
    for outcome, times in tally.items():
        parts = metric.outcome(outcome) if metric.outcome else (0, 0)
        if parts is None:
            return Estimate(0, 0, reason=_NOT_TOLD)
        numerator += parts[0] * times
        denominator += parts[1] * times
    if denominator == 0:
        return Estimate(0, 0, reason=f"no {metric.unit}")
    return Estimate(_written(numerator), denominator, *wilson(float(numerator), denominator))


def estimates(tally: Tally) -> dict[str, Estimate]:
    return {name: estimate(metric, tally) for name, metric in SCORED.items()}


def measured(metric: Metric, answers: Answered) -> tuple[Estimate, int]:
    """A metric over graded answers as they stand, and how many answers lack the verdict it takes.

    A share keeps what is not known in its denominator; a mean, and a share of what only its verdict can tell, do not.
    """
    parts = [(said, question, metric.part(said, question)) for said, question in answers]
    unknown = sum(part is UNKNOWN for _, _, part in parts)
    known = [(said, question, part) for said, question, part in parts if isinstance(part, (int, Fraction))]
    total = _written(sum((Fraction(part) for _, _, part in known), Fraction(0)))
    if metric.shape == "count":
        return Estimate(total, 1), unknown
    kept = known if metric.shape == "mean" or metric.axis not in ("", BUCKET_AXIS) else [
        (said, question, 0 if part is UNKNOWN else part) for said, question, part in parts if part is not None
    ]  # fmt: skip
    if not kept:
        return Estimate(0, 0, reason=f"no {metric.unit}" + (" with a verdict" if unknown else "")), unknown
    if metric.shape == "mean" and not metric.needs_no_labels:
        return Estimate(total, len(kept)), unknown  # an interval without the grader's errors would mislead
    # Attempts at a question are averaged, questions on one document stand or fall together.
    questions: defaultdict[str, list[float]] = defaultdict(list)
    documents: dict[str, str] = {}
    for said, question, part in kept:
        questions[said.question_id].append(float(part))
        documents[said.question_id] = (question and document_of(question, {})) or said.question_id
    interval = partial(clustered_mean, most=HIGHEST) if metric.shape == "mean" else clustered_share
    _, low, high = interval(questions, documents)
    return Estimate(total, len(kept), low, high), unknown


def _written(total: Fraction) -> int | float:
    return int(total) if total.denominator == 1 else float(total)


Counted = dict[str, int]


def buckets(side: Side, asked: Iterable[str]) -> Counted:
    """How many answers are in which bucket, as they stand. It decides nothing."""
    found = Counter(said.bucket or UNGRADED for id in asked for said in side.answers[id])
    return {bucket: found[bucket] for bucket in (*BUCKETS, UNGRADED)}


def strata(asked: Mapping[str, Question | None]) -> dict[str, list[str]]:
    """The questions of each stratum; nothing where they have none."""
    found: dict[str, list[str]] = {}
    for id, question in asked.items():
        found.setdefault(question.stratum if question else "", []).append(id)
    return {name: found[name] for name in sorted(found)} if found.keys() - {""} else {}


Status = Literal["pass", "fail", "incomplete", "undecidable", "not_applicable"]
Verdict = Literal["SHIP", "BLOCK", "INCONCLUSIVE"]

# A rule on this metric fails as "incomplete": the run is unfinished rather than bad.
COMPLETENESS = "coverage"

DEFAULT_GROUP = "stratum"

_RULE = re.compile(
    r"\s*(?P<metric>council\.\w+|[a-z_]+\d*)\s*(?:\[(?P<group>[^\]]+)\])?\s*(?:\.(?P<bound>low|high))?"
    r"\s*(?P<op>>=|<=|==|>|<)\s*(?P<baseline>baseline)?\s*(?P<sign>[+-])?\s*"
    r"(?P<number>\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})?\s*(?P<unit>%|points?\b)?\s*"
)
LASTING = {f"newly_{bucket}": f"mended_{bucket}" for bucket in ("wrong", "unsupported")}
_LASTING_RULE = re.compile(rf"\s*({'|'.join(LASTING)})\s*<=\s*({'|'.join(LASTING.values())})\s*")
_OPERATORS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq,
}  # fmt: skip


class Rule(Struct, frozen=True):
    name: str
    text: str
    metric: str
    group: str | None
    bound: Literal["low", "high"] | None
    op: str
    limit: Fraction
    on_baseline: bool

    @classmethod
    def parse(cls, text: str, name: str = "") -> Rule:
        words = " ".join(text.split())
        if (lasting := _LASTING_RULE.fullmatch(text)) and LASTING[lasting[1]] == lasting[2]:
            return cls(name or text, words, lasting[1], None, None, "<=", Fraction(0), on_baseline=True)
        match = _RULE.fullmatch(text)
        number, baseline = (match["number"], match["baseline"]) if match else (None, None)
        if match is None or not (number or baseline) or bool(match["sign"]) != bool(baseline and number):
            raise UsageError(
                f"the rule {name + ': ' if name else ''}{text!r} cannot be read",
                "write it like `precision >= 0.80` or `wrong[adversarial] <= baseline + 3 points`",
            )
        metric = match["metric"]
        if (known := metric_named(metric)) is None:
            raise unknown(f"the rule {text!r} is on an unknown metric, {metric!r}", metric, METRICS)
        limit = Fraction(number or 0) / (100 if match["unit"] else 1)
        if known.shape == "share" and limit > 1:
            raise UsageError(f"the rule {text!r} can never be met: rates end at 1", f"write {number}% for per cent")
        if baseline and (match["bound"] or match["op"] not in ("<=", ">=")):
            message = f"the rule {text!r} cannot be judged: a change is held against a margin"
            raise UsageError(message, f"write {metric} <= baseline + 3 points, or >= baseline - 3 points")
        bound: Literal["low", "high"] | None = match["bound"]  # type: ignore[assignment]
        return cls(
            name or text, words, metric, match["group"] and match["group"].strip(), bound,
            match["op"], -limit if match["sign"] == "-" else limit, bool(baseline),
        )  # fmt: skip

    @property
    def is_in_shares(self) -> bool:
        """True for a limit that is a share, also where the metric is a count."""
        return self.text.endswith(("%", "point", "points")) or abs(self.limit) < 1

    @property
    def is_bounded_above(self) -> bool:
        """True for a rule that more of its metric can break."""
        return self.op in ("<=", "<")

    @property
    def group_key(self) -> tuple[str, str] | None:
        """The field and value a group stands for: `adversarial` means the stratum of that name."""
        if self.group is None:
            return None
        field, equals, value = self.group.partition("=")
        return (field.strip(), value.strip()) if equals else (DEFAULT_GROUP, self.group)


def unscored(rule: Rule, axis: str, measured: Iterable[str]) -> str:
    """Why a rule on a council's scores cannot be decided: nobody has scored this axis.

    Where a council has sat, what its rubric does not have is a slip: no further council would score it. Before that a
    rubric of one's own may have it, and what looks like a slip is only told, so that nobody pays for a council first.
    """
    scored = sorted(name for name in measured if name.startswith(AXIS_PREFIX))
    dimensions = [name.removeprefix(AXIS_PREFIX) for name in scored or sorted(council_axes())]
    meant = nearest(axis.removeprefix(AXIS_PREFIX), dimensions).replace("mean ", f"mean {AXIS_PREFIX}")
    if scored and axis not in conditional_axes():
        message = f"the rule {rule.text!r} is on {axis}, which the council did not score"
        raise UsageError(message, f"{meant} the council scored {', '.join(scored)}".lstrip())
    if axis in council_axes():
        return f"no council has scored {axis}: surefoot council runs RUN..."
    return f"no council has scored {axis}, and no bundled rubric has it" + (f" ({meant})" if meant else "")


class Check(Struct, frozen=True):
    """One rule, what was seen, and why it passes or not."""

    rule: Rule
    status: Status
    seen: Estimate | None = None  # of the candidate
    limit: Fraction | None = None
    to_be_sure: int | None = None  # questions that would settle it if the rate stays as seen
    reason: str = ""
    questions: tuple[str, ...] = ()  # the ids behind it, at most QUESTIONS_NAMED
    question_count: int = 0
    before: Estimate | None = None  # of the baseline

    def row(self) -> dict[str, Any]:
        """What `--json` prints of every rule."""
        kept = ("status", "seen", "reason", "questions", "question_count")
        limit = None if self.limit is None else float(self.limit)
        return {"name": self.rule.name, "rule": self.rule.text, "limit": limit} | {
            name: getattr(self, name) for name in kept
        }


class Decision(Struct, frozen=True):
    """What `score` decides on one log."""

    outcome: Verdict
    exit_code: ExitCode
    checks: tuple[Check, ...]
    incomplete: tuple[str, ...] = ()  # why the run is not complete, beside the rules


def check(rule: Rule, seen: Estimate | None, before: Estimate | None) -> Check:
    """A rule against what was seen now and before; None where nothing measures what it is about."""
    found = partial(Check, rule, before=before)
    if seen is None or seen.exact is None:
        status: Status = "not_applicable" if seen is None and before is None else "undecidable"
        return found(status, seen, reason=(seen and seen.reason) or "this run does not measure it")
    limit = rule.limit
    if rule.on_baseline:
        if before is None or before.exact is None:
            what = f"no {rule.metric} for {rule.group}: score it --by that field" if rule.group else "nothing of this"
            return found("undecidable", seen, reason=f"the baseline has {what}")
        limit += before.exact
    value = seen.exact if rule.bound is None else getattr(seen, rule.bound)
    if value is None:
        return found("undecidable", seen, limit, reason=f"it has no {rule.bound} bound")
    needed = questions_to_be_sure(float(seen.exact), float(limit)) if seen.low is not None else None
    if _OPERATORS[rule.op](Fraction(value), limit):
        return found("pass", seen, limit, needed)
    return found("incomplete" if rule.metric == COMPLETENESS else "fail", seen, limit, needed)


def decide(checks: Sequence[Check], incomplete: Sequence[str] = ()) -> Decision:
    outcome, code = outcome_of([(check.rule.metric, check.status) for check in checks], incomplete)
    return Decision(outcome, code, tuple(checks), tuple(incomplete))


def outcome_of(found: Iterable[tuple[str, Status]], incomplete: Sequence[str] = ()) -> tuple[Verdict, ExitCode]:
    """SHIP only when at least one rule passes and none fails, is unfinished or lacks its data.

    That all is graded says nothing about how it was answered: where no other rule applies, nothing ships.
    """
    every = list(found)
    statuses = {status for _, status in every}
    if "fail" in statuses:
        return "BLOCK", ExitCode.BLOCKED
    if "incomplete" in statuses or incomplete:
        return "INCONCLUSIVE", ExitCode.INCOMPLETE
    others = {status for metric, status in every if metric != COMPLETENESS}
    if "undecidable" in statuses or "pass" not in statuses or others == {"not_applicable"}:
        return "INCONCLUSIVE", ExitCode.INCONCLUSIVE
    return "SHIP", ExitCode.OK
