"""How easily chance alone would show a figure: exact where answers are few, else by permutations of a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import sqrt

import numpy as np

_EXACT_UP_TO = 7
_TRIES = 9_999
_SEED = 20_011
_ROUNDING_ERROR = 1e-12
_FEWEST_SIGNS, _MOST_SIGNS = 6, 14  # with five votes not even five of one sign have p < .05


def ranks(values: Sequence[float]) -> list[float]:
    """1 for the smallest; equal values share the mean of their ranks."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def permuted_p(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Pearson's correlation, and how often a chance order of `other` gives one as far from 0."""
    x, y = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    x, y = x - x.mean(), y - y.mean()
    size = sqrt(float(x @ x) * float(y @ y))
    seen = float(x @ y)
    if len(x) <= _EXACT_UP_TO:
        orders = np.array(list(permutations(y)))
        return seen / size, float(np.mean(np.abs(orders @ x) >= abs(seen) - _ROUNDING_ERROR * size))
    orders = np.random.default_rng(_SEED).permuted(np.tile(y, (_TRIES, 1)), axis=1)
    return seen / size, _share(np.abs(orders @ x) >= abs(seen) - _ROUNDING_ERROR * size)


def permuted_within_p(groups: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """How often chance orders within each group make the groups' common slope as steep."""
    generator = np.random.default_rng(_SEED)
    seen, tried = 0.0, np.zeros(_TRIES)
    for one, other in groups:
        x, y = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
        x = x - x.mean()
        seen += float(x @ y)
        tried += generator.permuted(np.tile(y, (_TRIES, 1)), axis=1) @ x
    return _share(np.abs(tried) >= abs(seen) - _ROUNDING_ERROR)


def correlations(rows: Sequence[Sequence[float]], least: float) -> list[float]:
    """Pearson's correlation of every two rows; 0 where one varies by no more than `least`: it shares nothing."""
    table = np.asarray(rows, dtype=float)
    table = table - table.mean(axis=1, keepdims=True)
    size = np.sqrt((table * table).sum(axis=1, keepdims=True))
    moves = size > sqrt(least * (table.shape[1] - 1))
    scaled = np.divide(table, size, out=np.zeros_like(table), where=moves)
    return [float(r) for r in (scaled @ scaled.T)[np.triu_indices(len(table), 1)]]


def sign_flip_p(differences: Sequence[float]) -> float | None:
    """How often chance signs give a sum as far from 0; None where the differences are too few to tell."""
    if len(differences) < _FEWEST_SIGNS:
        return None
    values = np.asarray(differences, dtype=float)
    far = abs(float(values.sum())) - _ROUNDING_ERROR
    if len(values) <= _MOST_SIGNS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(values))))
        return float(np.mean(np.abs(signs @ values) >= far))
    signs = np.random.default_rng(_SEED).choice((-1.0, 1.0), size=(_TRIES, len(values)))
    return _share(np.abs(signs @ values) >= far)


def _share(hits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """What was seen is one of the possible orders, so p is never 0."""
    return (1 + int(hits.sum())) / (1 + len(hits))
