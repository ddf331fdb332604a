"""The rates people would count, from all verdicts and some labels, and what more labels would buy."""

from __future__ import annotations

from surefoot.calibration.results import UNGRADED, Rate
from surefoot.calibration.tables import Confusion
from surefoot.stats.correction import Stratum, post_stratified
from surefoot.stats.intervals import jeffreys

_MORE = 50
_ROUGHLY = 4_000  # draws, for what is only foretold


def corrected(confusion: Confusion) -> dict[str, Rate]:
    """The share of each bucket: counted where every answer is labelled, else post-stratified by verdict."""
    by_verdict = confusion.answers()
    found = {}
    for bucket in confusion.columns:
        graded = by_verdict.get(bucket, 0) / confusion.total
        if confusion.complete:
            hits = sum(cell.labels.get(bucket, 0) for cell in (*confusion.drawn, *confusion.chosen))
            low, high = jeffreys(hits, confusion.total)
            found[bucket] = Rate(value=hits / confusion.total, low=low, high=high, method="counted", graded=graded)
        else:
            rate = post_stratified(confusion.strata(bucket))
            found[bucket] = Rate(
                value=rate.value, low=rate.low, high=rate.high, method="post-stratified", graded=graded
            )
    return found


def labels_needed(confusion: Confusion, rates: dict[str, Rate], bucket: str) -> str:
    """What 50 more labels would buy, given where they help most."""
    if confusion.complete:
        return "More labels are not to be had: only more answers can narrow the intervals."
    now = rates[bucket]
    strata = confusion.strata(bucket)
    best: tuple[float, int, str] | None = None
    for at, cell in enumerate(confusion.drawn):
        more = min(_MORE, cell.n - cell.m)
        if more <= 0:
            continue
        after = post_stratified([*strata[:at], _after(strata[at], more), *strata[at + 1 :]], draws=_ROUGHLY)
        best = min(filter(None, (best, ((after.high - after.low) / 2, more, cell.verdict))))
    if best is None or now.low is None or now.high is None:
        return ""
    (width, more, verdict), before = best, (now.high - now.low) / 2
    if width >= before:
        return f"More labels would hardly narrow the interval of {bucket}: only more answers do."
    which = "answers that are not graded" if verdict == UNGRADED else f"answers graded {verdict}"
    change = f"from ±{100 * before:.1f} to about ±{100 * width:.1f} points"
    return f"{more} more label{'' if more == 1 else 's'} on {which} would narrow the interval of {bucket} {change}."


def _after(stratum: Stratum, more: int) -> Stratum:
    """If the new labels come out like those before."""
    m = stratum.m + more
    return Stratum(stratum.n, m, round(m * (stratum.k + 0.5) / (stratum.m + 1)))
