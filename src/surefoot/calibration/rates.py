"""The rates people would count, from all verdicts and some labels, and what more labels would buy."""

from __future__ import annotations

from surefoot.calibration.results import UNGRADED, Method, Rate
from surefoot.calibration.tables import Confusion, share_of
from surefoot.records import Interval
from surefoot.stats.correction import Stratum, post_stratified

_MORE = 50
_ROUGHLY = 4_000  # draws, for what is only foretold
_ONLY_THE_ESTIMATE = 1  # draw: the estimate takes none


def corrected(confusion: Confusion) -> dict[str, Rate]:
    """The share of each bucket: counted where every answer is labelled, else post-stratified by verdict."""
    by_verdict = confusion.answers()
    found = {}
    for bucket in confusion.columns:
        graded = by_verdict.get(bucket, 0) / confusion.total
        rate = _counted(confusion, bucket) if confusion.complete else _post_stratified(confusion, bucket)
        method: Method = "counted" if confusion.complete else "post-stratified"
        found[bucket] = Rate(value=rate.value, low=rate.low, high=rate.high, method=method, graded=graded)
    return found


def _counted(confusion: Confusion, bucket: str) -> Interval:
    hits = sum(cell.labels.get(bucket, 0) for cell in (*confusion.drawn, *confusion.chosen))
    return share_of(hits, confusion.total, confusion.labels_count(confusion.columns))


def _post_stratified(confusion: Confusion, bucket: str) -> Interval:
    """The estimate is that of all labels, whatever they count for in the interval."""
    value = post_stratified(confusion.strata_as_counted(bucket), draws=_ONLY_THE_ESTIMATE).value
    found = post_stratified(confusion.strata(bucket))
    return Interval(value, min(found.low, value), max(found.high, value))


def labels_needed(confusion: Confusion, rates: dict[str, Rate], bucket: str) -> str:
    """What 50 more labels would buy, given where they help most."""
    if confusion.complete:
        return f"More labels are not to be had: only more {_more(confusion)} can narrow the intervals."
    now = rates[bucket]
    strata = confusion.strata(bucket)
    best: tuple[float, float, str] | None = None
    for at, cell in enumerate(confusion.drawn):
        more = min(_MORE, cell.n - cell.m)
        if more <= 0:
            continue
        then = _after(strata[at], more * cell.counts)
        after = post_stratified([*strata[:at], then, *strata[at + 1 :]], draws=_ROUGHLY)
        best = min(filter(None, (best, ((after.high - after.low) / 2, more, cell.verdict))))
    if best is None or now.low is None or now.high is None:
        return ""
    (width, more, verdict), before = best, (now.high - now.low) / 2
    if width >= before:
        return f"More labels would hardly narrow the interval of {bucket}: only more {_more(confusion)} do."
    which = "answers that are not graded" if verdict == UNGRADED else f"answers graded {verdict}"
    change = f"from ±{100 * before:.1f} to about ±{100 * width:.1f} points"
    return f"{more} more label{'' if more == 1 else 's'} on {which} would narrow the interval of {bucket} {change}."


def _after(stratum: Stratum, more: float) -> Stratum:
    """If the new labels come out like those before; all together tell no more than there are questions."""
    m = min(stratum.m + more, max(stratum.m, stratum.n))
    k = min(m, round(m * (stratum.k + 0.5) / (stratum.m + 1)))
    return Stratum(stratum.n, m, k)


def _more(confusion: Confusion) -> str:
    return "questions" if confusion.counts < 1 else "answers"
