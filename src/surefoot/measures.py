"""What is measured when two runs are compared: one line per measure, each a sum over the answers of one side.

An answer adds a number, nothing (the measure is not about it), or something not known yet. What is not known keeps
its place: it says between which limits the measure may still come to lie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Literal, NamedTuple

from msgspec import Struct

from surefoot.records import is_annotator
from surefoot.stats.clusters import clustered_share
from surefoot.table import ACCEPTABLE, BUCKETS
from surefoot.types import Estimate, Expects, Question, Trace, Verdict

SideName = Literal["base", "cand"]
SIDES: tuple[SideName, SideName] = ("base", "cand")
UNGRADED = "ungraded"
BUCKET_AXIS = "factuality"
BEST_REFUSAL = 3


class Missing(Enum):
    UNKNOWN = "unknown"


Part = int | None | Missing
UNKNOWN = Missing.UNKNOWN


class Said(Struct, frozen=True):
    """What one side said in one attempt, and the settled verdicts on it."""

    verdicts: dict[str, Verdict]  # by axis
    trace: Trace | None
    judged_elsewhere: bool = False  # nobody gave buckets, but this answer has other verdicts
    version: str = ""  # version_of the answer, where it is known

    @property
    def bucket(self) -> str | None:
        verdict = self.verdicts.get(BUCKET_AXIS)
        return verdict.value if verdict and isinstance(verdict.value, str) and verdict.value in BUCKETS else None

    @property
    def refused(self) -> bool:
        return self.bucket == "refused"

    @property
    def by_people(self) -> bool:
        """True when people or AI annotators put it into its bucket."""
        verdict = self.verdicts.get(BUCKET_AXIS)
        return bool(self.bucket and verdict and is_annotator(verdict.grader))

    def read(self, axis: str, absent: Part) -> Part | str:
        """The value on an axis; `absent` is what it means that an answer with a bucket has no such verdict."""
        verdict = self.verdicts.get(axis)
        if verdict is not None:
            return UNKNOWN if verdict.value is None else verdict.value
        if self.bucket:
            return absent
        return None if self.judged_elsewhere else UNKNOWN


class Pair(Struct, frozen=True):
    """The two sides' answers in the same attempt at the same question."""

    question_id: str
    attempt: int
    question: Question | None
    base: Said
    cand: Said

    def side(self, name: SideName) -> Said:
        return self.base if name == "base" else self.cand

    @property
    def stratum(self) -> str:
        return self.question.stratum if self.question else ""

    @property
    def is_one_answer(self) -> bool:
        """True when both sides gave the very same answer: whatever is true of one is true of the other."""
        return bool(self.base.version) and self.base.version == self.cand.version


class Measure(NamedTuple):
    name: str
    shape: Literal["count", "share", "mean"]  # a count is not divided by anything
    axis: str  # where it is read from; "" when it can always be told
    unit: str  # what it is counted over
    part: Callable[[Said, Question | None], Part]
    most: int | None = 1  # the largest part an answer may have, if there is one
    shared: bool = False  # only over what both sides refused
    known_only: bool = False  # nothing but its verdict tells whether an answer belongs below the fraction


class McNemar(Struct, frozen=True):
    """The exact test on `wrong`: for information, it decides nothing."""

    newly_wrong: int
    newly_fixed: int
    p: float


class Measured(Struct, frozen=True):
    """A measure of one side, and the limits within which what is unknown may move it (None: no limit)."""

    estimate: Estimate
    unknown: int
    least: Fraction | None = None
    most: Fraction | None = None

    @property
    def is_empty(self) -> bool:
        """True when there is nothing to measure, as against nothing measured yet."""
        return self.estimate.value is None and not self.unknown


def _is(*buckets: str) -> Callable[[Said, Question | None], Part]:
    return lambda said, _: UNKNOWN if said.bucket is None else int(said.bucket in buckets)


def _refusing(expects: Expects, refused: bool) -> Callable[[Said, Question | None], Part]:
    def part(said: Said, question: Question | None) -> Part:
        if question is None or question.expects != expects:
            return None
        return UNKNOWN if said.bucket is None else int(said.refused is refused)

    return part


def _quality(said: Said, _: Question | None) -> Part:
    if said.bucket and not said.refused:
        return None
    return _number(said.read("refusal_quality", UNKNOWN), BEST_REFUSAL)


def _extra_claims(said: Said, _: Question | None) -> Part:
    return _number(said.read("extra_claim_count", None if said.refused else UNKNOWN))


def _number(value: Part | str, most: int | None = None) -> Part:
    """What no grader can mean by its number is no verdict."""
    if isinstance(value, str) or (isinstance(value, int) and (value < 0 or value > (value if most is None else most))):
        return UNKNOWN
    return value


def _yes(axis: str) -> Callable[[Said, Question | None], Part]:
    def part(said: Said, _: Question | None) -> Part:
        # An answer without citations has no such verdict: nothing to judge is neither yes nor no.
        value = said.read(axis, None)
        return int(value == "yes") if isinstance(value, str) else value

    return part


def _graded(said: Said, _: Question | None = None) -> int:
    return int(said.bucket is not None or said.judged_elsewhere)


# fmt: off
_ALL = (
    *(Measure(bucket, "count", BUCKET_AXIS, "answers", _is(bucket)) for bucket in BUCKETS),
    Measure(UNGRADED, "count", "", "answers", lambda said, _: 1 - _graded(said)),
    Measure("coverage", "share", "", "answers", _graded),
    Measure("acceptable", "share", BUCKET_AXIS, "answers", _is(*ACCEPTABLE)),
    Measure("correct_rate", "share", BUCKET_AXIS, "answers", _is("correct")),
    Measure("over_refusal", "share", BUCKET_AXIS, "answerable questions", _refusing("answer", True)),
    Measure("under_refusal", "share", BUCKET_AXIS, "unanswerable questions", _refusing("refusal", False)),
    Measure("refusal_quality", "mean", "refusal_quality", "refusals", _quality, BEST_REFUSAL),
    Measure("refusal_quality_shared", "mean", "refusal_quality", "refusals of both sides", _quality, BEST_REFUSAL,
            shared=True),
    Measure("extra_claim_count", "count", "extra_claim_count", "answers", _extra_claims, None),
    Measure("extra_claims_per_answer", "mean", "extra_claim_count", "answers that are no refusals",
            lambda said, question: None if said.refused else _extra_claims(said, question), None),
    Measure("citation_exists_rate", "share", "citation_exists", "answers with citations",
            _yes("citation_exists"), known_only=True),
    Measure("citation_supports_rate", "share", "citation_supports", "claiming answers with citations",
            _yes("citation_supports"), known_only=True),
)
# fmt: on
MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _ALL}


def part_of(measure: Measure, pair: Pair, side: SideName) -> Part:
    """What an answer adds. A refusal is shared unless the other side is known to have answered."""
    if measure.shared and any(said.bucket and not said.refused for said in (pair.base, pair.cand)):
        return None
    return measure.part(pair.side(side), pair.question)


def measure_side(measure: Measure, pairs: Sequence[Pair], side: SideName) -> Measured:
    parts = [part_of(measure, pair, side) for pair in pairs]
    known = [part for part in parts if isinstance(part, int)]
    total, unknown = sum(known), len([part for part in parts if part is UNKNOWN])
    whole = 1 if measure.shape == "count" else len(known) + unknown
    # A mean is taken over what is known; a share keeps every answer in its denominator that is known to be its own.
    below = len(known) if measure.shape == "mean" or measure.known_only else whole
    if not whole:
        return Measured(Estimate(0, 0, reason=f"no {measure.unit}"), unknown)
    low, high = _interval(measure, pairs, parts) if measure.shape == "share" and below else (None, None)
    reason = None if below else f"no {measure.unit} with a verdict"
    most = Fraction(total + (measure.most or 0) * unknown, whole) if measure.most is not None or not unknown else None
    return Measured(Estimate(total, below, low, high, reason), unknown, Fraction(total, whole), most)


def _interval(measure: Measure, pairs: Sequence[Pair], parts: Sequence[Part]) -> tuple[float, float]:
    """Of a share: attempts at a question are averaged, questions on one document stand or fall together."""
    questions: defaultdict[str, list[float]] = defaultdict(list)
    documents: dict[str, str] = {}
    for pair, part in zip(pairs, parts, strict=True):
        if isinstance(part, int) or (part is UNKNOWN and not measure.known_only):
            questions[pair.question_id].append(part if isinstance(part, int) else 0)
            documents[pair.question_id] = (pair.question and document_of(pair.question, {})) or pair.question_id
    _, low, high = clustered_share(questions, documents)
    return low, high


def document_of(question: Question, documents: Mapping[str, str]) -> str | None:
    """The document that a question is about, as far as it is known: by itself, or by its first gold passage."""
    said = question.group("doc") or question.group("document")
    if said or not question.gold_ids:
        return said or None
    gold = question.gold_ids[0]
    document, mark, _ = gold.partition("#")
    return documents.get(gold) or (document if mark else None)


def mcnemar(pairs: Iterable[Pair]) -> McNemar:
    """Over the answers that both sides have graded."""
    graded = [(pair.base.bucket, pair.cand.bucket) for pair in pairs if pair.base.bucket and pair.cand.bucket]
    worse = sum(before != "wrong" and after == "wrong" for before, after in graded)
    better = sum(before == "wrong" and after != "wrong" for before, after in graded)
    return McNemar(worse, better, mcnemar_p(worse, better))


def mcnemar_p(newly_wrong: int, newly_fixed: int) -> float:
    """min(1, 2 P(X <= the smaller)) for X binomial(both, 1/2), in exact integers."""
    n = newly_wrong + newly_fixed
    term = total = 1
    for k in range(min(newly_wrong, newly_fixed)):
        term = term * (n - k) // (k + 1)
        total += term
    return float(min(Fraction(1), Fraction(2 * total, 2**n)))
