"""One version by itself: answers by bucket, what the axes say, what to look into."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from surefoot.core.table import BUCKETS
from surefoot.core.types import Estimate, Problem, Question, Trace, counted, in_plain_words
from surefoot.gate import calibrate
from surefoot.gate import sides as trust
from surefoot.gate.metrics import METRICS, UNGRADED, Counted, buckets, measured, strata
from surefoot.gate.sides import BUCKET_AXIS, Run, Said, asked_of, cited_in, labels_apart, side_of

Layer = Literal["retrieval", "reranking", "prompt", "generation", "question set"]
Place = Literal["not retrieved", "not cited", "cited", "not named", "not known"]
_AGAINST = frozenset({"contradicted", "conflicts_gold"})


class Facts(Struct, frozen=True):
    """What a cause is read from."""

    bucket: str
    reason: str  # the grader's, unless a label has put the answer into another bucket
    expects: str
    exists: object = None  # the verdicts on citations
    supports: object = None
    gold: Place = "not known"  # where the passage with the expected answer is

    @property
    def is_over_refusal(self) -> bool:
        return self.bucket == "refused" and self.expects == "answer"


class Cause(NamedTuple):
    layer: Layer
    finding: str
    action: str
    fits: Callable[[Facts], bool]


# The first that fits is the one to look into.
# fmt: off
CAUSES = (
    Cause("retrieval", "no passage that has the expected answer was retrieved",
          "Retrieve more candidates before reranking, and look at how these passages are cut.",
          lambda f: f.gold == "not retrieved" and f.expects == "answer"),
    Cause("question set", "the cited passages support the answer, and no passage is named for the expected one",
          "Find the passage that has the expected answer, and name it in gold_ids.",
          lambda f: f.reason == "conflicts_gold" and f.supports == "yes" and f.gold == "not named"),
    Cause("prompt", "cites a source that was not retrieved",
          "Show each id beside its passage, and reject answers that cite any other.",
          lambda f: f.exists == "no"),
    Cause("prompt", "answers where the documents are silent",
          "If they really are: say in the prompt when to refuse, and let a weak best match count as no evidence.",
          lambda f: f.expects == "refusal"),
    Cause("prompt", "refuses although an answer is expected",
          "Loosen the wording that allows refusals, and check that passages reach the prompt whole.",
          lambda f: f.is_over_refusal),
    Cause("prompt", "makes claims without a citation",
          "Ask for a citation after every claim, and reject answers without one.",
          lambda f: f.reason == "uncited"),
    Cause("reranking", "the passage that has the expected answer was retrieved, and another one is cited",
          "Is the cited one another version, or about something else? Rank the passage that applies first.",
          lambda f: f.gold == "not cited"),
    Cause("generation", "says something else than the passages it was given",
          "The evidence was there: try a stronger model, fewer passages, or quoting before answering.",
          lambda f: f.reason in _AGAINST or f.supports in ("no", "partly")),
    Cause("generation", "does not answer what was asked, or adds to what the passages say",
          "Ask for the answer alone, in the words of the passages.",
          lambda _: True),
)
# fmt: on


class Fault(Struct, frozen=True):
    """A cause with the questions whose answers point to it, each once."""

    layer: Layer
    finding: str
    action: str
    answers: int
    questions: tuple[str, ...]


def cause_of(said: Said, question: Question | None) -> Cause | None:
    """None for an answer that is as it should be, or that nobody has judged."""
    if said.bucket is None:
        return None
    facts = _facts(said.bucket, said, question)
    if facts.bucket not in ("wrong", "unsupported") and not facts.is_over_refusal:
        return None
    return next(cause for cause in CAUSES if cause.fits(facts))


def faults(answers: Iterable[tuple[Said, Question | None]]) -> tuple[Fault, ...]:
    """What to look into, the most frequent first."""
    found: dict[Cause, list[str]] = {}
    for said, question in answers:
        if cause := cause_of(said, question):
            found.setdefault(cause, []).append(said.question_id)
    made = [
        Fault(cause.layer, cause.finding, cause.action, len(ids), tuple(dict.fromkeys(ids)))
        for cause, ids in found.items()
    ]
    return tuple(sorted(made, key=lambda fault: -fault.answers))


def _facts(bucket: str, said: Said, question: Question | None) -> Facts:
    graded = said.graded.get(BUCKET_AXIS) or said.verdicts[BUCKET_AXIS]
    values = {axis: verdict.value for axis, verdict in said.verdicts.items()}
    return Facts(
        bucket,
        graded.reason.partition(", ")[0] if graded.value == bucket else "",
        question.expects if question else "",
        values.get("citation_exists"),
        values.get("citation_supports"),
        _place_of_gold(said.trace, question),
    )


def _place_of_gold(trace: Trace | None, question: Question | None) -> Place:
    if question is not None and not question.gold_ids:
        return "not named"
    retrieved = trace.retrieved if trace else None
    if trace is None or question is None or retrieved is None or retrieved.ids is None:
        return "not known"
    gold = set(question.gold_ids)
    if gold.isdisjoint(retrieved.ids):
        return "not retrieved"
    cited = cited_in(trace, question)
    return "not cited" if cited and gold.isdisjoint(cited) else "cited" if cited else "not known"


AXES = ("factuality", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
_NAMED = re.compile(r"'[^']*'|\d+")
_RANK = {"wrong": 0, "unsupported": 1, None: 2, "refused": 3, "correct": 4}  # the worst first


class Judged(Struct, frozen=True):
    """An answer with its question; a file of verdicts does not know the question."""

    said: Said
    question: Question | None


class Overview(Struct, frozen=True, kw_only=True):
    name: str
    graders: tuple[str, ...]
    buckets: Counted
    by_stratum: dict[str, Counted]
    shares: dict[str, dict[str, Estimate]]  # by stratum ("" is all), then by bucket
    axes: dict[str, dict[str, int]]  # how many answers have which value
    faults: tuple[Fault, ...]
    answers: tuple[Judged, ...]  # the worst first
    trust: calibrate.Trust
    failed_checks: dict[str, str]  # by grader: what it misread of answers of known label
    problems: tuple[Problem, ...]
    incomplete: tuple[str, ...]  # why the run could not be read whole

    @property
    def total(self) -> int:
        return sum(self.buckets.values())

    @property
    def unsure(self) -> list[Said]:
        return [one.said for one in self.answers if is_unsure(one.said)]


def is_unsure(said: Said) -> bool:
    """Return whether the grader is unsure of this answer; a label never is."""
    return BUCKET_AXIS in said.verdicts and said.verdicts[BUCKET_AXIS].unsure


def reason_of(said: Said) -> str:
    """Why an answer is in its bucket, unless the bucket says it all: as verdicts have it, for programs."""
    verdict = said.verdicts.get(BUCKET_AXIS)
    if verdict is not None and verdict.reason:
        return "" if verdict.reason == verdict.value else verdict.reason
    return (said.trace.error or "") if said.trace else ""


def why_of(said: Said, question: Question | None = None) -> str:
    """The reason in plain words; where a label gives none, that of a grader who agrees with it."""
    verdict, graded = said.verdicts.get(BUCKET_AXIS), said.graded.get(BUCKET_AXIS)
    if verdict is None or (verdict.value is None and said.trace and said.trace.error):
        return (said.trace.error or "") if said.trace else ""
    agrees = graded is not None and graded.value == verdict.value
    reason = verdict.reason or (graded.reason if graded and agrees else "")
    expected = " ".join(question.gold_claims) if question and disagrees(reason) else ""
    return "unsure: " * is_unsure(said) + in_plain_words(reason) + (f": {expected}" if expected else "")


def disagrees(reason: str) -> bool:
    """With the expected answer: then it does not matter what supports it."""
    return reason.startswith("conflicts_gold")


def headline(found: Overview) -> str:
    """`97 of 130 answers are bad: 61 wrong, 36 unsupported.`"""
    if found.total and found.buckets[UNGRADED] == found.total:
        return _nothing_graded(found)
    wrong, unsupported, lacking = (found.buckets[bucket] for bucket in ("wrong", "unsupported", UNGRADED))
    bad = wrong + unsupported
    parts = f": {wrong} wrong, {unsupported} unsupported" if bad else ""
    left = f"; {lacking} not graded" if lacking else ""
    left += f"; {len(found.unsure)} unsure" if found.unsure else ""
    return f"{bad or 'none'} of {counted(found.total, 'answer')} {'is' if bad == 1 else 'are'} bad{parts}{left}."


def _nothing_graded(found: Overview) -> str:
    """With the most frequent reason, whichever passage or number it names."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for one in found.answers:
        reasons[_NAMED.sub("", why_of(one.said))].append(why_of(one.said))
    most = max(reasons.values(), key=len)
    why = f": {most[0]}" if most[0] else ""
    count = f" ({len(most)} of them)" if why and len(most) < found.total else ""
    return f"none of {counted(found.total, 'answer')} {'could be' if why else 'is'} graded{why}{count}."


def overview_of(runs: Sequence[Run]) -> Overview:
    """All runs of one version together."""
    apart = [labels_apart(run) for run in runs]
    asked, _, _ = asked_of(apart, apart)
    side = side_of(apart, asked)
    answers = [Judged(said, asked[id]) for id in asked for said in side.answers[id]]
    pairs = [(one.said, one.question) for one in answers]
    by_stratum = {name: buckets(side, ids) for name, ids in strata(asked).items()}
    return Overview(
        name=side.name,
        graders=tuple(sorted(trust.graders_of(side.runs))),
        buckets=buckets(side, asked),
        by_stratum=by_stratum,
        shares={"": _shares(answers)} | {
            name: _shares([one for one in answers if _stratum(one) == name]) for name in by_stratum if name
        },
        axes=_axes(answers),
        faults=faults(pairs),
        answers=tuple(sorted(answers, key=_worst_first)),
        trust=calibrate.trust_in(side),
        failed_checks=trust.failed_checks(side.runs),
        problems=tuple(problem for run in side.runs for problem in run.problems),
        incomplete=tuple(trust.unusable(side.runs)),
    )  # fmt: skip


def _stratum(one: Judged) -> str:
    return one.question.stratum if one.question else ""


def _shares(answers: Sequence[Judged]) -> dict[str, Estimate]:
    """The share of each bucket with its interval; where nothing was graded there is none."""
    judged = [(one.said, one.question) for one in answers]
    metrics = {bucket: METRICS[bucket]._replace(shape="share") for bucket in (*BUCKETS, UNGRADED)}
    if all(one.said.bucket is None for one in answers):
        return dict.fromkeys(metrics, Estimate(0, 0, reason="no answer was graded"))
    return {bucket: measured(metric, judged)[0] for bucket, metric in metrics.items()}


def _axes(answers: Sequence[Judged]) -> dict[str, dict[str, int]]:
    found: Mapping[str, Counter[str]] = {axis: Counter() for axis in AXES}
    for one in answers:
        for axis, verdict in one.said.verdicts.items():
            if axis in found and verdict.value is not None:
                found[axis][str(verdict.value)] += 1
    return {axis: dict(counted) for axis, counted in found.items()}


def _worst_first(one: Judged) -> tuple[int, str, int]:
    return _RANK[one.said.bucket], one.said.question_id, one.said.attempt


def trust_in(found: Overview) -> str:
    """How far the verdicts of a run can be trusted, by the labels on its answers."""
    told = found.trust
    return calibrate.in_words(told) + ("" if told.drawn else f"; to find out: surefoot label {found.name}")
