"""What came of the cells: their answers with verdicts, or why there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from surefoot.measures import MEASURES, UNGRADED, Pair, measure_side
from surefoot.pairing import Side, pairs_of
from surefoot.self_checks import failed_checks
from surefoot.table import BUCKETS
from surefoot.types import Estimate

RATES = ("over_refusal", "under_refusal", "citation_supports_rate")


class CellResult(Struct, frozen=True):
    name: str
    values: dict[str, str]
    run: str  # its folder
    answers: tuple[Pair, ...] = ()  # both sides of a pair are this cell's: what measures one side measures a cell
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


def result_of(name: str, values: Mapping[str, str], run: str, side: Side, notes: tuple[str, ...] = ()) -> CellResult:
    answers = tuple(pairs_of(side, side))
    counted = Counter(pair.base.bucket or UNGRADED for pair in answers)
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
        rates={name: measure_side(MEASURES[name], answers, "base").estimate for name in RATES if graded},
        tokens=sum(tokens) if tokens else None,
        cost_usd=sum(costs) if costs else None,
    )
