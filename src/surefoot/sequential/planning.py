"""What a gate will be able to tell, before anything is run: what ships, what is blocked, and what labels buy."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.stats.correction import Stratum, post_stratified
from surefoot.stats.power import detectable_difference, fewest_pairs_that_ship
from surefoot.stats.sequential import chance_of_rise, log_e_value, spent

RUNS = 5  # pairs of runs looked ahead
MOST_PAIRS = 1_000_000  # of answers in one pair of runs
_TRIES, _SEED = 4_000, 0
_OFTEN = 0.8
_ALL_POINTS, _POINTS = 40, 12  # a longer boundary is computed at some points and drawn straight between them
# A middling grader: it flags this share of what is wrong, and of what is not.
_FOUND, _FALSE_ALARMS = 0.8, 0.05


class Chance(Struct, frozen=True):
    """Within so many pairs of runs, by simulation with independent answers and a grader that makes no errors."""

    runs: int
    chance: float


class Change(Struct, frozen=True):
    """What happens to a pipeline whose rate of wrong answers goes from `before` to `after`."""

    before: float
    after: float
    blocked: tuple[Chance, ...]
    shipped: tuple[Chance, ...]


class Known(Struct, frozen=True):
    """With so many labels the true rate of wrong answers is known to about +- `half_width`."""

    labels: int
    half_width: float


class Plan(Struct, frozen=True, kw_only=True):
    questions: int
    repeats: int
    pairs: int  # answers of one pair of runs
    alpha: float
    margin: float
    rate: float
    new_wrong_that_ship: int | None  # in one pair of runs, nothing better; None: not even a clean one ships
    new_wrong_questions_that_ship: int | None  # wrong in more than half of their repeats
    questions_to_ship: int | None  # the fewest that can ship at all; repeats and more runs do not replace them
    questions_to_ship_unchanged: int | None  # with which one pair of runs ships what has not changed 4 times in 5
    detectable: float  # difference of a share that a plain comparison would find 4 times in 5
    changes: tuple[Change, ...]
    labels: tuple[Known, ...]
    rate_from: str = ""  # where nobody chose it


def plan(
    questions: int, *, repeats: int, alpha: float, margin: float, rate: float, labels: int, rate_from: str = ""
) -> Plan:
    pairs = questions * repeats
    fewest = fewest_pairs_that_ship(0, 0, margin, spent(alpha, 1))
    enough = fewest is not None and questions >= fewest
    after = {round(value, 6): value for value in (3 * rate, 2 * rate, rate + margin, rate) if value <= 1}
    return Plan(
        questions=questions,
        repeats=repeats,
        pairs=pairs,
        alpha=alpha,
        margin=margin,
        rate=rate,
        new_wrong_that_ship=_most_new_wrong(pairs, alpha, margin) if enough else None,
        new_wrong_questions_that_ship=_most_new_wrong(questions, alpha, margin) if enough else None,
        questions_to_ship=fewest,
        questions_to_ship_unchanged=_enough_to_ship(rate, alpha, margin, fewest),
        detectable=detectable_difference(questions, alpha=alpha),
        changes=tuple(
            _change(pairs, rate, value, alpha, margin if enough else None) for value in sorted(after.values())
        ),
        labels=tuple(
            _known(questions, rate, count) for count in (labels, 2 * labels, 4 * labels) if count <= questions
        ),
        rate_from=rate_from,
    )


def _most_new_wrong(pairs: int, alpha: float, margin: float) -> int:
    """What is blocked does not ship, however large the margin."""
    first = spent(alpha, 1)
    ends = _blocks(first), _cannot_ship(pairs, margin, first)
    return min(_fewest_worse(0, end, 0, pairs) for end in ends) - 1


def _change(pairs: int, before: float, after: float, alpha: float, margin: float | None) -> Change:
    """A first release, run after run: what is blocked once stays blocked, what has shipped has shipped.

    Without a margin nothing ships.
    """
    turned, mended = after * (1 - before), before * (1 - after)
    generator = np.random.default_rng(_SEED)
    drawn = generator.multinomial(pairs, [turned, mended, max(0.0, 1 - turned - mended)], (_TRIES, RUNS)).cumsum(axis=1)
    blocked = np.zeros(_TRIES, dtype=bool)
    shipped = np.zeros(_TRIES, dtype=bool)
    chances: list[tuple[Chance, Chance]] = []
    for run in range(1, RUNS + 1):
        worse, better = drawn[:, run - 1, 0], drawn[:, run - 1, 1]
        blocks = worse >= _boundary(better, _blocks(spent(alpha, 1)), run * pairs)
        blocked |= blocks & ~shipped
        if margin is not None:
            cannot = _cannot_ship(run * pairs, margin, spent(alpha, run))
            shipped |= (worse < _boundary(better, cannot, run * pairs)) & ~blocked
        chances.append((Chance(run, float(blocked.mean())), Chance(run, float(shipped.mean()))))
    return Change(before, after, tuple(one for one, _ in chances), tuple(one for _, one in chances))


def _blocks(alpha: float) -> Callable[[int, int], bool]:
    return lambda worse, better: log_e_value(worse, better) >= -log(alpha)


def _cannot_ship(pairs: int, margin: float, alpha: float) -> Callable[[int, int], bool]:
    return lambda worse, better: chance_of_rise(worse, better, pairs, margin) > alpha


def _boundary(better: NDArray[np.int64], reached: Callable[[int, int], bool], pairs: int) -> NDArray[np.float64]:
    """For each number of pairs that got better, the fewest that have to get worse for the test to be true."""
    low, high = int(better.min()), int(better.max())
    points = np.unique(
        np.linspace(low, high, high - low + 1 if high - low < _ALL_POINTS else _POINTS).round().astype(int)
    )
    fewest: list[int] = []
    for point in points:  # the more got better, the more have to get worse
        fewest.append(_fewest_worse(int(point), reached, fewest[-1] if fewest else 0, pairs))
    return np.interp(better, points, fewest)


def _fewest_worse(better: int, reached: Callable[[int, int], bool], at_least: int, pairs: int) -> int:
    none = pairs - better + 1
    low, step = at_least - 1, 1
    while low + step < none and not reached(low + step, better):
        low, step = low + step, 2 * step
    high = min(none, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle, better) else (middle, high)
    return high


def _enough_to_ship(rate: float, alpha: float, margin: float, fewest: int | None) -> int | None:
    """About how many questions, asked once, ship an unchanged pipeline often enough; None where too many."""
    if fewest is None:
        return None
    first = spent(alpha, 1)
    moved = rate * (1 - rate)

    def ships(count: int) -> bool:
        drawn = np.random.default_rng(_SEED).multinomial(count, [moved, moved, 1 - 2 * moved], _TRIES)
        worse, better = drawn[:, 0], drawn[:, 1]
        cannot, blocked = (
            _boundary(better, end, count) for end in (_cannot_ship(count, margin, first), _blocks(first))
        )
        return float(((worse < cannot) & (worse < blocked)).mean()) >= _OFTEN

    too_few, enough = fewest - 1, fewest
    while not ships(enough):
        too_few, enough = enough, 2 * enough
        if enough > MOST_PAIRS:
            return None
    while enough - too_few > max(1, enough // 100):
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if ships(middle) else (middle, enough)
    return enough


def _known(questions: int, rate: float, labels: int) -> Known:
    """As the label page would draw them: flagged answers first up to half of the labels, then a sample of the rest."""
    flagged = round(questions * (_FOUND * rate + _FALSE_ALARMS * (1 - rate)))
    rest = questions - flagged
    on_flagged = min(flagged, max((labels + 1) // 2, labels - rest))
    on_rest = labels - on_flagged
    wrong_flagged = min(1.0, _FOUND * rate * questions / flagged) if flagged else 0.0
    wrong_rest = min(1.0, (1 - _FOUND) * rate * questions / rest) if rest else 0.0
    strata = [
        Stratum(flagged, on_flagged, round(wrong_flagged * on_flagged)),
        Stratum(rest, on_rest, round(wrong_rest * on_rest)),
    ]
    found = post_stratified([stratum for stratum in strata if stratum.n])
    return Known(labels, (found.high - found.low) / 2)
