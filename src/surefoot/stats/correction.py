"""Rates as people would count them, from many verdicts of a grader and a few labels.

Which function fits: labels drawn by verdict from the same run, `post_stratified`; an older calibration set,
`rogan_gladen`; numbers instead of buckets, `ppi_mean`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.records import Interval
from surefoot.stats import ALPHA, Z
from surefoot.stats.quantiles import beta_quantile

DRAWS = 20_000
FEWEST_EVENTS = 10  # of both kinds: with fewer labels PPI's interval is too narrow
Numbers = NDArray[np.float64]


class Stratum(Struct, frozen=True):
    """The answers that got one verdict: all of them, those a person labelled, and of these those in the bucket.

    They are no whole numbers where some count for less than others.

    `prior` is the guess before any label, as so many labels in the bucket and as many outside. Several verdicts that
    are not the bucket's own should share one guess by their size, or a rare bucket looks common because there are many
    of them.
    """

    n: float
    m: float
    k: float
    prior: float = 0.5


class Corrected(Struct, frozen=True):
    """A rate freed of the grader's error. `value` stays within 0 and 1; a warning says if the formula gave another."""

    value: float | None
    low: float
    high: float
    warning: str = ""


def jeffreys(successes: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a plain share: equal tails of Beta(successes + 1/2, failures + 1/2), open at 0 and 1."""
    failures = n - successes
    low = beta_quantile(ALPHA / 2, successes + 0.5, failures + 0.5) if successes else 0.0
    high = beta_quantile(1 - ALPHA / 2, successes + 0.5, failures + 0.5) if failures else 1.0
    return low, high


def post_stratified(strata: Sequence[Stratum], *, draws: int = DRAWS) -> Interval:
    """The rate of a bucket behind this run, with its 95 % interval.

    rate = sum over verdicts of (share of answers with this verdict) x (share of these in the bucket). Both are
    uncertain: the first as Dirichlet(n + 1/2), the second as Beta(k + prior, m - k + prior).
    """
    n, m, k = _columns(strata)
    prior = np.array([stratum.prior for stratum in strata if stratum.n])
    low, high = rate_limits(n, m, k, np.random.default_rng(0), draws, prior)
    mean = float((n + 0.5) / (n + 0.5).sum() @ ((k + prior) / (m + 2 * prior)))
    return Interval(mean, min(float(low), mean), max(float(high), mean))


def rate_limits(
    n: Numbers, m: Numbers, k: Numbers, generator: np.random.Generator, draws: int, prior: Numbers | float = 0.5
) -> tuple[Numbers, Numbers]:
    """Both ends of the interval for many cases at once; the verdicts are along the last axis.

    As in Jeffreys' interval the ends are open: where no label of a verdict is in the bucket perhaps none ever is, so
    the lower limit counts 0 for it, and where all are the upper limit counts 1. Without this the lower limits of rare
    buckets are too high (benchmarks/calibration.py).
    """
    weights = generator.standard_gamma(n + 0.5, (draws, *n.shape))
    weights /= weights.sum(axis=-1, keepdims=True)
    shares = generator.beta(k + prior, m - k + prior, (draws, *n.shape))
    low = np.quantile((weights * np.where(k == 0, 0, shares)).sum(axis=-1), ALPHA / 2, axis=0)
    high = np.quantile((weights * np.where(k == m, 1, shares)).sum(axis=-1), 1 - ALPHA / 2, axis=0)
    return np.asarray(low), np.minimum(1, high)  # weights may add up to a hair more than 1


def confusion_draws(
    table: Numbers, answers: Numbers, *, seed: int = 0, draws: int = DRAWS, unseen: bool = True
) -> Numbers:
    """What the whole confusion table may look like: shares of all answers, as (draws, verdicts, labels).

    Labels are drawn by verdict, so the table as counted shows too many flagged answers, and sensitivity read from it
    is too high. Here each row is put back to its share of the run. A verdict nobody gave has share 0; one nobody
    labelled may hide any label. All guesses about a row together weigh as much as one label. `unseen` False: a label
    that nobody gave after a verdict never is given. An interval should cover both views.
    """
    generator = np.random.default_rng(seed)
    weights = np.where(answers > 0, generator.standard_gamma(answers + 0.5, (draws, len(answers))), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    possible = (table > 0) | (table.sum(axis=1, keepdims=True) == 0) | unseen
    rows = generator.standard_gamma(np.where(possible, table + 1 / table.shape[1], 0.0), (draws, *table.shape))
    return np.asarray(weights[:, :, None] * rows / rows.sum(axis=2, keepdims=True))


def rogan_gladen(
    positives: float, n: float, sensitivity: tuple[float, float], specificity: tuple[float, float]
) -> Corrected:
    """The rate behind `positives` of `n`, by a grader whose errors were counted elsewhere as (successes, of).

    The interval is that of Lang and Reiczigel (2014).
    """
    (hits, m1), (rejections, m0) = sensitivity, specificity
    share, informed = positives / n, hits / m1 + rejections / m0 - 1
    n_, p = n + Z**2, (positives + Z**2 / 2) / (n + Z**2)
    se, sp = (hits + 1) / (m1 + 2), (rejections + 1) / (m0 + 2)
    if informed <= 0 or se + sp <= 1:
        return Corrected(None, 0.0, 1.0, "the grader finds this bucket no better than chance would")
    rate = (p + sp - 1) / (se + sp - 1)
    from_se, from_sp = se * (1 - se) / (m1 + 2), sp * (1 - sp) / (m0 + 2)
    shift = 2 * Z**2 * (rate * from_se - (1 - rate) * from_sp)
    error = sqrt(p * (1 - p) / n_ + rate**2 * from_se + (1 - rate) ** 2 * from_sp) / (se + sp - 1)
    raw = (share + rejections / m0 - 1) / informed
    value = min(1.0, max(0.0, raw))
    low, high = (min(1.0, max(0.0, rate + shift + side * Z * error)) for side in (-1, 1))
    return Corrected(value, min(low, value), max(high, value), _outside(raw))


def _outside(raw: float) -> str:
    if 0 <= raw <= 1:
        return ""
    return (
        f"the correction gives {raw:.1%}, which no rate can be, so {0 if raw < 0 else 1:.0%} is shown: by chance, or "
        "because the grader's errors are no longer those that were counted"
    )


def ppi_mean(labels: Sequence[float], scores: Sequence[float], scores_rest: Sequence[float]) -> Interval:
    """The mean that people would give, by PPI++: the labelled mean, moved by what the scores of the rest add.

    `scores` are the grader's for the labelled answers, in the same order.
    """
    y, f, rest = (np.asarray(values, dtype=float) for values in (labels, scores, scores_rest))
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    shared = float(((y - y.mean()) * (f - f.mean())).mean())
    weight = min(1.0, max(0.0, shared / ((1 + len(y) / len(rest)) * spread))) if spread else 0.0  # of the scores
    left = y - weight * f
    value = weight * float(rest.mean()) + float(left.mean())
    error = sqrt(weight**2 * float(rest.var()) / len(rest) + float(left.var()) / len(left))
    return Interval(value, value - Z * error, value + Z * error)


def ppi_refused(labels: Sequence[float]) -> str | None:
    """Why PPI should not be used on these labels; None when it may."""
    usual = Counter(labels).most_common(1)
    events = len(labels) - usual[0][1] if usual else 0
    if events >= FEWEST_EVENTS:
        return None
    return (
        f"only {events} labels differ from the usual value, and below {FEWEST_EVENTS} the interval would be too narrow"
    )


def _columns(strata: Sequence[Stratum]) -> tuple[Numbers, Numbers, Numbers]:
    """n, m and k of the verdicts that were given at all."""
    given = [(stratum.n, stratum.m, stratum.k) for stratum in strata if stratum.n]
    if not given:
        raise ValueError("no rate without answers")
    n, m, k = np.array(given, dtype=float).T
    return n, m, k
