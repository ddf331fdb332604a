"""What came of the cells: their answers with verdicts, or why there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from surefoot.core.table import BUCKETS
from surefoot.core.types import Estimate, Question
from surefoot.gate.metrics import METRICS, UNGRADED, Metric, measured
from surefoot.gate.sides import Run, Said, asked_of, side_of
from surefoot.gate.trust import failed_checks

STRATA = ("unanswerable", "adversarial", "retrieval_null")  # where pipelines differ most


def _acceptable_in(stratum: str) -> Metric:
    """The share of answers that are correct or refused, of the questions in one stratum."""
    whole = METRICS["acceptable"]
    return whole._replace(
        name=f"{whole.name}[{stratum}]", unit=f"{stratum} questions",
        over=lambda said, question: question is not None and question.stratum == stratum and whole.over(said, question),
    )  # fmt: skip


RATES: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *(METRICS[name] for name in ("over_refusal", "under_refusal", "citation_supports_rate", "refusal_quality")),
        *map(_acceptable_in, STRATA),
    )
}


class CellResult(Struct, frozen=True):
    name: str
    values: dict[str, str]
    run: str  # id
    answers: tuple[tuple[Said, Question | None], ...] = ()
    failed: str = ""  # why there are no verdicts
    notes: tuple[str, ...] = ()  # what went wrong with single answers
    failed_checks: dict[str, str] = {}  # what graders misread of known label, by grader
    buckets: dict[str, int] = {}
    rates: dict[str, Estimate] = {}
    tokens: int | None = None
    cost_usd: float | None = None

    @property
    def graded(self) -> int:
        return sum(self.buckets.get(bucket, 0) for bucket in BUCKETS)

    @property
    def complete(self) -> bool:
        return not self.failed and not self.failed_checks and not self.buckets[UNGRADED]


def result_of(name: str, values: Mapping[str, str], run: str, side: Run, notes: tuple[str, ...] = ()) -> CellResult:
    asked, _ = asked_of([side], [side])
    given = side_of([side], asked).answers
    answers = tuple((one, asked[id]) for id in asked for one in given[id])
    counted = Counter(one.bucket or UNGRADED for one, _ in answers)
    graded = any(counted[bucket] for bucket in BUCKETS)  # without, a rate of 0 would be a claim
    tokens = [trace.tokens for trace in side.traces.values() if trace.tokens is not None]
    costs = [trace.cost_usd for trace in side.traces.values() if trace.cost_usd is not None]
    return CellResult(
        name,
        dict(values),
        run,
        answers,
        notes=notes,
        failed_checks=failed_checks([side]),
        buckets={bucket: counted[bucket] for bucket in (*BUCKETS, UNGRADED)},
        rates={name: measured(metric, answers)[0] for name, metric in RATES.items() if graded},
        tokens=sum(tokens) if tokens else None,
        cost_usd=sum(costs) if costs else None,
    )
