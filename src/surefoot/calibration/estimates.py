"""What verdicts and labels say of the grader, and of the answers: shares, rates, agreement and means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from surefoot.calibration.answers import FACTUALITY, Answer
from surefoot.calibration.confusion import Confusion, Mask, confusion_of
from surefoot.calibration.results import UNGRADED, Bucket, Method, Rate
from surefoot.core import intervals as correction
from surefoot.core.intervals import ALPHA, Numbers, alikeness, each_counts, kappas, t_quantile, used_values
from surefoot.core.records import Interval, Value
from surefoot.core.rubric import HIGHEST, LOWEST, Axis
from surefoot.core.table import ACCEPTABLE as ACCEPTED
from surefoot.core.table import BUCKETS

ACCEPTABLE, BAD = "acceptable", "bad"
_FACTUALITY = Axis(FACTUALITY, "", BUCKETS)
_OTHERS = "any other"
_DIGITS = 12  # what sums of shares are exact to
_NO_SPREAD = 1e-12
_MORE, _ROUGHLY = 50, 4_000  # labels, and draws for what is only foretold


_COUNTED = "Every answer is labelled, so the mean is counted."
_BY_LABELS = "The mean is that of the labels alone."
_TOO_FEW = "There is no mean: it takes two labels on flagged answers, and two on the others."
_ALL_THE_SAME = "all labels are the same, which does not tell how far other answers may differ"


class Part(NamedTuple):
    """The mean of some answers, with what its interval adds to either side."""

    n: int
    value: float
    half: float
    is_counted: bool  # every answer is labelled


def good_or_bad(value: str) -> str:
    """What whoever ships asks: is it acceptable, or is it bad?"""
    return ACCEPTABLE if value in ACCEPTED else BAD if value in BUCKETS else value


def only(bucket: str) -> Callable[[str], str]:
    return lambda value: bucket if value == bucket else _OTHERS


def headline(answers: Sequence[Answer]) -> tuple[Interval | None, Interval | None]:
    """The two numbers that whoever ships needs: of the answers the grader calls acceptable, how many are bad; of the
    bad ones, how many it catches."""
    confusion = confusion_of(answers, _FACTUALITY, good_or_bad)
    return accepted_but_bad(confusion), sensitivity_of(confusion)


def accepted_but_bad(confusion: Confusion) -> Interval | None:
    """Of the answers the grader calls acceptable, how many are bad; the table is one of `good_or_bad`."""
    return _share(confusion, confusion.graded(ACCEPTABLE), confusion.labelled_as(BAD))


def sensitivity_of(confusion: Confusion, bucket: str = BAD) -> Interval | None:
    """Of the answers in a bucket, how many the grader puts there."""
    return _share(confusion, confusion.labelled_as(bucket), confusion.graded(bucket))


def specificity_of(confusion: Confusion, bucket: str) -> Interval | None:
    """Of all others, how many the grader leaves out of the bucket."""
    return _share(confusion, ~confusion.labelled_as(bucket), ~confusion.graded(bucket))


def bucket_of(confusion: Confusion, bucket: str) -> Bucket:
    """Sensitivity and specificity; the table is one of this bucket and the others."""
    found, spared = sensitivity_of(confusion, bucket), specificity_of(confusion, bucket)
    reason = f"all labelled answers are {bucket}" if spared is None else ""
    reason = f"no labelled answer is {bucket}" if found is None else reason
    return Bucket(sensitivity=found, specificity=spared, reason=reason)


def _share(confusion: Confusion, whole: Mask, part: Mask) -> Interval | None:
    """Of the answers in one part of the table, how many are in another; None where nobody labelled one of them."""
    tally, inside = confusion.tally, whole & part
    if not tally[whole].sum():
        return None
    value, *drawn = (_ratio(table, inside, whole) for table in (confusion.shares, *confusion.views))
    if confusion.complete or all(np.ptp(draws) < _NO_SPREAD for draws in drawn):
        return _plain(float(tally[inside].sum()), float(tally[whole].sum()), confusion.labels_count(whole))
    return _covering(float(value), drawn)


def _ratio(table: Numbers, part: Mask, whole: Mask) -> Numbers:
    """What has no share in a draw is found as often as not."""
    below = np.asarray(table[..., whole].sum(axis=-1))
    return np.asarray(np.divide(table[..., part].sum(axis=-1), below, out=np.full_like(below, 0.5), where=below > 0))


def _covering(value: float, views: Iterable[Numbers]) -> Interval:
    """The middle 95 % of the draws in either view, and the value itself."""
    ends = [np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2]) for draws in views]
    low, high = min(float(low) for low, _ in ends), max(float(high) for _, high in ends)
    return Interval(*(round(end, _DIGITS) for end in (value, min(value, low), max(value, high))))


def _plain(hits: float, of: float, each: float) -> Interval:
    """Jeffreys' interval of a plain share, where every one counts for `each`."""
    low, high = correction.jeffreys(hits * each, of * each)
    return Interval(hits / of, min(low, hits / of), max(high, hits / of))


def kappa_of(confusion: Confusion) -> Interval | None:
    """Cohen's kappa; None where only one value was ever used. A verdict that is lacking agrees with no label."""
    shares, *drawn = map(_square, [confusion.shares, *confusion.views])
    if len(used_values(shares)) < 2:
        return None
    return _covering(float(kappas(shares)), map(kappas, drawn))


def agreement_of(confusion: Confusion) -> float:
    """Return the share of answers on which grader and labels agree."""
    shares = _square(confusion.shares)
    return float(np.trace(shares) / shares.sum())


def _square(table: Numbers) -> Numbers:
    """With a column of nothing for each row that no label can have."""
    missing = table.shape[-2] - table.shape[-1]
    return np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, missing)])


def corrected(confusion: Confusion, bucket: str) -> Rate:
    """The share of a bucket: counted where every answer is labelled, else post-stratified by verdict."""
    graded = confusion.answers().get(bucket, 0) / confusion.total
    method: Method = "counted" if confusion.complete else "post-stratified"
    if confusion.complete:
        inside = float(confusion.tally[confusion.labelled_as(bucket)].sum())
        found = _plain(inside, confusion.total, confusion.labels_count(np.ones_like(confusion.tally, dtype=bool)))
    else:  # the estimate is that of all labels, whatever they count for in the interval; it takes no draws
        value = correction.post_stratified(confusion.strata(bucket, as_counted=True), draws=1).value
        limits = correction.post_stratified(confusion.strata(bucket))
        found = Interval(value, min(limits.low, value), max(limits.high, value))
    return Rate(value=found.value, low=found.low, high=found.high, method=method, graded=graded)


def labels_needed(confusion: Confusion, now: Rate, bucket: str) -> str:
    """What 50 more labels would buy, given where they help most."""
    more_of = "questions" if confusion.counts < 1 else "answers"
    if confusion.complete:
        return f"Every answer is labelled: only more {more_of} can narrow the intervals."
    strata, options = confusion.strata(bucket), []
    for at, cell in enumerate(confusion.drawn):
        if more := min(_MORE, cell.n - cell.m):
            then = [*strata[:at], _after(strata[at], more * cell.counts), *strata[at + 1 :]]
            after = correction.post_stratified(then, draws=_ROUGHLY)
            options.append(((after.high - after.low) / 2, more, cell.verdict))
    if not options or now.low is None or now.high is None:
        return ""
    (width, more, verdict), before = min(options), (now.high - now.low) / 2
    if width >= before:
        return f"More labels would hardly narrow the interval of {bucket}: only more {more_of} do."
    which = "answers that are not graded" if verdict == UNGRADED else f"answers graded {verdict}"
    change = f"from ±{100 * before:.1f} to about ±{100 * width:.1f} points"
    return f"{more} more label{'' if more == 1 else 's'} on {which} would narrow the interval of {bucket} {change}."


def _after(stratum: correction.Stratum, more: float) -> correction.Stratum:
    """If the new labels come out like those before; all together tell no more than there are questions."""
    m = min(stratum.m + more, max(stratum.m, stratum.n))
    k = min(m, round(m * (stratum.k + 0.5) / (stratum.m + 1)))
    return correction.Stratum(stratum.n, m, k)


def is_number(axis: Axis) -> bool:
    """Its values can be averaged: counts, scores, and steps with numbers for names."""
    return axis.is_dimension or not axis.values or all(isinstance(value, int) for value in axis.values)


def mean_of(answers: Sequence[Answer], axis: Axis) -> tuple[Rate, str]:
    """The mean, and a sentence on how it was found.

    Flagged answers are labelled more often than others, so both kinds are estimated apart and weighed by their number.
    Answers that were picked speak for themselves alone.
    """
    scored = [answer for answer in answers if answer.verdict is not None]
    labelled = [answer for answer in answers if answer.label is not None]
    picked = [answer for answer in labelled if answer.chosen]
    drawn = [answer for answer in answers if not answer.chosen or answer.label is None]
    scores = [_number(answer.verdict) for answer in scored]
    graded = float(np.mean(scores)) if scores else None
    alike = max(_alike(scored, scores), _alike(labelled, [_number(answer.label) for answer in labelled]))
    parts = [Part(1, _number(answer.label), 0.0, is_counted=True) for answer in picked]
    for flag in (True, False, None):
        kind = [answer for answer in drawn if answer.flagged is flag]
        part = _part(kind, alike)
        if kind and part is None:
            return Rate(method="labels alone", graded=graded), _TOO_FEW
        parts += [part] if part else []
    is_counted = all(part.is_counted for part in parts)
    method: Method = "counted" if is_counted else "labels alone"
    why = _COUNTED if is_counted else _BY_LABELS
    whole = sum(part.n for part in parts)
    value = sum(part.n * part.value for part in parts) / whole
    halves = [part.n / whole * part.half for part in parts]
    # Where answers that go together are in several parts, these err together.
    half = sum(halves) if _deff(drawn, alike) > 1 else sqrt(sum(one**2 for one in halves))
    if not half:
        return Rate(value=value, method=method, graded=graded, warning=_ALL_THE_SAME), why
    least, most = (float(LOWEST), float(HIGHEST)) if axis.is_dimension else (float(axis.least), inf)
    if axis.values:
        least, most = _number(min(axis.values)), _number(max(axis.values))
    low, high = max(least, value - half), min(most, value + half)
    return Rate(value=value, low=low, high=high, method=method, graded=graded), why


def _part(answers: Sequence[Answer], alike: float) -> Part | None:
    labelled = [answer for answer in answers if answer.label is not None]
    if len(labelled) < 2:
        return None
    labels = [_number(answer.label) for answer in labelled]
    worth = len(labels) / _deff(labelled, alike)
    error = float(np.std(labels, ddof=1)) / sqrt(worth)
    half = t_quantile(1 - ALPHA / 2, max(1.0, worth - 1)) * error
    return Part(len(answers), float(np.mean(labels)), half, is_counted=len(labelled) == len(answers))


def _alike(answers: Sequence[Answer], numbers: Sequence[float]) -> float:
    return alikeness(np.array(numbers, dtype=float)[:, None], [answer.member for answer in answers])


def _deff(answers: Sequence[Answer], alike: float) -> float:
    """How many times the squared error grows because some answers go together; 1 where none do."""
    return 1 / each_counts(Counter(answer.member for answer in answers), alike)


def _number(value: Value) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is no number")
    return float(value)
