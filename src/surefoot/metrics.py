"""The metrics: each one is a line that says what an outcome adds above and below the fraction.

Numerators and denominators simply add up, so the merge of shards is the whole, and the order of the input
cannot matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from surefoot.outcomes import Outcome
from surefoot.stats import wilson
from surefoot.types import Better, Estimate


class Metric(NamedTuple):
    name: str
    better: Better
    unit: str  # what is counted ...
    share: str  # ... and which of them make the numerator
    # What one answer adds to (numerator, denominator); None where the log does not tell.
    parts: Callable[[Outcome], tuple[int, int] | None]

    def fails(self, outcome: Outcome) -> bool:
        """True when an answer with this outcome pulls the metric the wrong way, or leaves it unknown."""
        if (parts := self.parts(outcome)) is None:
            return True
        numerator, denominator = parts
        return numerator < denominator if self.better == "higher" else numerator > 0


_NOT_TOLD = "cited passages have no ids to hold against the gold ones: log the ids of what is retrieved"


def _of(share: bool | None, whole: bool) -> tuple[int, int] | None:
    if whole and share is None:
        return None
    return int(bool(share and whole)), int(whole)


# fmt: off
_ALL = (
    Metric("coverage", "higher", "questions", "have a usable answer",
           lambda o: (int(o.usable), 1)),
    Metric("precision", "higher", "answered questions", "are answerable and cite a gold source",
           lambda o: _of(o.answerable and o.hit, o.answered)),
    Metric("over_refusal", "lower", "answerable questions", "were refused",
           lambda o: _of(o.refused, o.answerable and o.counted)),
    Metric("under_refusal", "lower", "unanswerable questions", "were answered",
           lambda o: _of(o.answered, not o.answerable and o.counted)),
    Metric("citation_hit_rate", "higher", "answerable questions", "were answered with a gold source cited",
           lambda o: _of(o.answered and o.hit, o.answerable and o.counted)),
    Metric("claim_containment", "higher", "answerable questions", "were answered in a phrase of the gold claim",
           lambda o: _of(o.answered and o.contained, o.answerable and o.counted)),
    Metric("compliance", "higher", "questions", "got a citation list or a refusal",
           lambda o: _of(o.listed or o.refused, o.counted)),
    Metric("citation_precision", "higher", "citations in answers", "name a gold source",
           lambda o: (0, 0) if not o.answered else None if o.cited_gold is None else (o.cited_gold, o.cited)),
    Metric("citation_exists_rate", "higher", "citations in answers with a logged retrieval",
           "name a source that was retrieved",
           lambda o: (o.cited_retrieved, o.cited) if o.answered and o.cited_retrieved is not None else (0, 0)),
    Metric("retrieval_hit_rate", "higher", "answerable questions with logged ids of passages",
           "retrieved a gold source",
           lambda o: _of(bool(o.retrieved_gold), o.answerable and o.retrieved_gold is not None)),
    Metric("wrong_citation_rate", "lower", "cited answers to answerable questions", "cite no gold source",
           lambda o: _of(None if o.hit is None else not o.hit, o.answerable and o.answered and o.cited > 0)),
)
# fmt: on
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}

Tally = Counter[Outcome]


def estimate(metric: Metric, tally: Tally) -> Estimate:
    """The metric over a tally of outcomes, with its 95 % interval."""
    numerator = denominator = 0
    for outcome, times in tally.items():
        if (parts := metric.parts(outcome)) is None:
            return Estimate(0, 0, reason=_NOT_TOLD)
        above, below = parts
        numerator += above * times
        denominator += below * times
    if denominator == 0:
        return Estimate(0, 0, reason=f"no {metric.unit}")
    low, high = wilson(numerator, denominator)
    return Estimate(numerator, denominator, low, high)


def estimates(tally: Tally) -> dict[str, Estimate]:
    return {name: estimate(metric, tally) for name, metric in METRICS.items()}
