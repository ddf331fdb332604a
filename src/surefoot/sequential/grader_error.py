"""What the grader's own errors leave of a rise.

A certificate says how often an answer with this verdict is truly wrong. Each draw takes one such rate for every
verdict, then a truth for every answer that no person has labelled, and looks at the rise that these truths show.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from surefoot.records import AxisRecord, Discordant
from surefoot.sequential.counting import BY_PEOPLE, ONE_ANSWER, TWO_ANSWERS

DRAWS = 4_000
_SEED = 20
_NEVER = 1e-12
Numbers = NDArray[np.float64]


def chances_of_rise(
    moves: Mapping[str, int], bucket: str, record: AxisRecord, fixed: Discordant, above: tuple[float, ...]
) -> tuple[float, ...]:
    """The chances that the true rate of a bucket rose by more than each of `above`.

    `fixed` are pairs whose counts alone are known, as of steps that another grader graded: they are taken as they are.
    """
    generator = np.random.default_rng(_SEED)
    rates = {verdict: _rate(record, verdict, bucket, generator) for verdict in sorted(_verdicts(moves))}
    worse, better = np.full(DRAWS, fixed.worse), np.full(DRAWS, fixed.better)
    for move, count in sorted(moves.items()):
        if ONE_ANSWER in move:
            continue  # one answer, one truth: it cannot have got worse
        before, after = (_truth(token, bucket, rates) for token in move.split(TWO_ANSWERS))
        turned, mended = after * (1 - before), before * (1 - after)
        got_worse = generator.binomial(count, turned)
        worse += got_worse
        better += generator.binomial(count - got_worse, np.clip(mended / np.maximum(1 - turned, _NEVER), 0, 1))
    pairs = sum(moves.values()) + fixed.pairs
    # As in stats.sequential: the share of pairs that differ, and the share of these that got worse, are independent.
    differ = np.maximum(generator.beta(worse + better + 1, pairs - worse - better + 1), _NEVER)
    return tuple(
        float(betainc(better + 0.5, worse + 0.5, np.clip((1 - margin / differ) / 2, 0, 1)).mean()) for margin in above
    )


def doubt(record: AxisRecord, verdict: str, bucket: str) -> float:
    """How unsure it is whether an answer with this verdict truly belongs to the bucket: 0 is sure, 1/4 a coin."""
    labelled, inside = _labels(record, verdict, bucket)
    share = (inside + 0.5) / (labelled + 1)
    return share * (1 - share)


def _rate(record: AxisRecord, verdict: str, bucket: str, generator: np.random.Generator) -> Numbers:
    labelled, inside = _labels(record, verdict, bucket)
    return generator.beta(inside + 0.5, labelled - inside + 0.5, DRAWS)


def _labels(record: AxisRecord, verdict: str, bucket: str) -> tuple[float, float]:
    """Labels on answers with this verdict, and those in the bucket: as many as they are worth."""
    labels = record.weighed.get(verdict, {})
    return sum(labels.values()), labels.get(bucket, 0)


def _truth(token: str, bucket: str, rates: Mapping[str, Numbers]) -> Numbers:
    if token.endswith(BY_PEOPLE):
        return np.full(DRAWS, float(token.removesuffix(BY_PEOPLE) == bucket))
    return rates[token]


def _verdicts(moves: Mapping[str, int]) -> set[str]:
    tokens = {token for move in moves if TWO_ANSWERS in move for token in move.split(TWO_ANSWERS)}
    return {token for token in tokens if not token.endswith(BY_PEOPLE)}
