"""A test that may be looked at after every run.

Of the pairs of answers that differ, how many got worse? If nothing has changed, worse and better are equally likely.
The e-value is what a fair bet against that would have won: an unchanged pipeline reaches 1/alpha with a chance of at
most alpha, however often it is run again.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, log, pi, sqrt

import numpy as np
from scipy.special import betainc, betaincinv, betaln

_TAIL = 1e-12  # of an integral, left out
_COUNTED = 200  # pairs up to which the e-value is computed in whole numbers
_VANISHED = 40  # of a term: exp(-40)
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(128)
_NODES, _NODE_WEIGHTS = (_NODES + 1) / 2, _NODE_WEIGHTS / 2


def e_value(worse: int, better: int) -> float:
    """2^(b+c+1) * integral from 1/2 to 1 of t^b (1-t)^c dt, for b worse and c better; inf where no float holds it."""
    if worse + better <= _COUNTED:
        above, below = _e_quotient(worse, better)
        return above / below
    try:
        return exp(log_e_value(worse, better))
    except OverflowError:
        return inf


def log_e_value(worse: int, better: int) -> float:
    if worse + better <= _COUNTED:
        above, below = _e_quotient(worse, better)
        return log(above) - log(below)
    if worse > better:
        integral = betaln(worse + 1, better + 1) + log(betainc(better + 1, worse + 1, 0.5))
        return float((worse + better + 1) * log(2) + integral)
    # The integral is too small for a float: the quotient below, divided by its last term, has terms that soon vanish.
    k = np.arange(min(worse, int(sqrt(_VANISHED * (better + 2)))))
    return float(np.log1p(np.cumprod((worse - k) / (better + 2 + k)).sum())) - log(better + 1)


def _e_quotient(worse: int, better: int) -> tuple[int, int]:
    """The integral in whole numbers: (C(n+1, 0) + ... + C(n+1, worse)) / ((n+1) C(n, worse))."""
    n = worse + better
    term = total = 1
    for k in range(worse):
        term = term * (n + 1 - k) // (k + 1)
        total += term
    return total, term * (better + 1)


@lru_cache(maxsize=65_536)
def chance_of_rise(worse: int, better: int, pairs: int, above: float) -> float:
    """The chance that the rate rose by more than `above`, given how many of the pairs got worse and better.

    Under Dirichlet(worse + 1/2, better + 1/2, others + 1): the share of pairs that differ and the share of these that
    got worse are independent, so it is one integral.
    """
    same = pairs - worse - better
    if min(worse, better, same) < 0:
        raise ValueError("more pairs differ than there are")
    a, b = worse + better + 1, same + 1
    least, most = (float(betaincinv(a, b, share)) for share in (_TAIL, 1 - _TAIL))
    # When fewer than |above| differ the rate cannot have moved that far.
    still = float(betainc(a, b, abs(above))) if above < 0 else 0.0
    least = max(least, abs(above))
    if least >= most:
        return still
    differ = least + (most - least) * _NODES
    density = np.exp((a - 1) * np.log(differ) + (b - 1) * np.log1p(-differ) - betaln(a, b))
    moved = betainc(better + 0.5, worse + 0.5, (1 - above / differ) / 2)  # ten times as fast as its complement
    return min(1.0, still + (most - least) * float(_NODE_WEIGHTS @ (density * moved)))


def rise_upper(worse: int, better: int, pairs: int, alpha: float) -> float:
    """The rise that is exceeded with a chance of alpha only."""
    low, high = -1.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if chance_of_rise(worse, better, pairs, middle) > alpha else (low, middle)
    return (low + high) / 2


def spent(alpha: float, look: int) -> float:
    """The part of alpha that the look (or release) number 1, 2, 3... may use; all parts add up to alpha."""
    return 6 * alpha / (pi * look) ** 2
