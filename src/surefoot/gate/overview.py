"""One run by itself: how many answers are in which bucket, what the axes say, and what to look into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from surefoot.gate import causes, counts, trust
from surefoot.gate.causes import Fault
from surefoot.gate.counts import Counted
from surefoot.gate.metrics import METRICS, UNGRADED, measured
from surefoot.gate.sides import BUCKET_AXIS, Run, Said, asked_of, labels_apart, side_of
from surefoot.gate.trust import Trust
from surefoot.table import BUCKETS
from surefoot.types import Estimate, Problem, Question

AXES = ("factuality", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
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
    trust: Trust
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


def overview_of(runs: Sequence[Run]) -> Overview:
    """All runs of one version together."""
    apart = [labels_apart(run) for run in runs]
    asked, _ = asked_of(apart, apart)
    side = side_of(apart, asked)
    answers = [Judged(said, asked[id]) for id in asked for said in side.answers[id]]
    pairs = [(one.said, one.question) for one in answers]
    both = {"base": side, "cand": side}
    strata = {name: sides["cand"] for name, sides in counts.by_stratum(both, asked).items()}  # type: ignore[arg-type]
    return Overview(
        name=side.name,
        graders=tuple(sorted(trust.graders_of(side.runs))),
        buckets=counts.buckets(side, asked),
        by_stratum=strata,
        shares={"": _shares(answers)} | {
            name: _shares([one for one in answers if _stratum(one) == name]) for name in strata if name
        },
        axes=_axes(answers),
        faults=causes.faults(pairs),
        answers=tuple(sorted(answers, key=_worst_first)),
        trust=trust.trust_in(both, asked),  # type: ignore[arg-type]
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
