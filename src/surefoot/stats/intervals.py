"""The interval that Bayes' rule gives a rate when nothing was known before."""

from __future__ import annotations

from scipy.special import betaincinv

from surefoot.stats import ALPHA


def jeffreys(successes: float, n: float, level: float = 1 - ALPHA) -> tuple[float, float]:
    """Equal tails of Beta(successes + 1/2, failures + 1/2); 0 and n successes reach to the end."""
    tail, failures = (1 - level) / 2, n - successes
    low = float(betaincinv(successes + 0.5, failures + 0.5, tail)) if successes else 0.0
    high = float(betaincinv(successes + 0.5, failures + 0.5, 1 - tail)) if failures else 1.0
    return low, high
