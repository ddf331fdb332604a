"""What may be wrong with the reviewers of one question, seen in their votes alone; `habits.py` is for many questions.

One question has few answers, so every figure comes with an exact p, one from permutations of a fixed seed, or an
interval; with too few votes it is None, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations, product
from math import sqrt, tanh
from statistics import NormalDist, fmean, variance

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.intervals import t_quantile
from surefoot.reviewers.order import Table, Vote, fit, labels_of, table_of
from surefoot.reviewers.sheet import ROUNDING

ALPHA = 0.05
FEWEST_LENGTHS = 5  # with four answers not even a perfect order has p < .05
FEWEST_FOR_CORRELATION = 8
FEWEST_SIGNS = 6  # with five votes not even five of one sign have p < .05
USUAL_SHIFT = 0.5  # points by which reviewers differ in any case
_FEWEST_SCORES = 5  # that two ballots must share to be one voice
_EXACT_ORDERS, _EXACT_SIGNS = 7, 14  # up to so many values, every order or every choice of signs is tried
_TRIES = 9_999
_SEED = 20_011
_ROUNDING_ERROR = 1e-9  # orders that come to the same must count as the same


class Figure(Struct, frozen=True):
    value: float | None = None
    p: float | None = None
    n: int = 0
    reason: str = ""


class Shift(Struct, frozen=True):
    """By how many points a reviewer scores above the others on the same answers, shrunk, with an interval."""

    reviewer: str
    shift: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = ""  # "harsh", "generous", or "" where the interval holds 0
    reason: str = ""


class Own(Struct, frozen=True):
    """A vote on one's own answer, less what others gave it, and less what this reviewer gives more to others."""

    reviewer: str
    label: str
    difference: float


class Bias(Struct, frozen=True):
    length: Figure
    position: Figure
    self_preference: Figure
    own_votes: tuple[Own, ...]
    reviewers: tuple[Shift, ...]
    effective_votes: Figure
    identical_ballots: tuple[tuple[str, str], ...]


def audit(votes: Sequence[Vote], lengths: Mapping[str, int], shown: Mapping[str, Sequence[str]]) -> Bias:
    """Look at all votes, those on own answers too. `shown` has the display order of each reviewer where it is known."""
    table = table_of(votes, capped=False)
    own = own_votes(votes, table)
    identical = identical_ballots(votes)
    return Bias(
        length=length(table, lengths),
        position=position(table, shown),
        self_preference=self_preference(own),
        own_votes=own,
        reviewers=shifts(table),
        effective_votes=effective_votes(table, identical),
        identical_ballots=identical,
    )


def length(table: Table, lengths: Mapping[str, int]) -> Figure:
    """Spearman's correlation of an answer's length with its mean score."""
    labels = labels_of(table)
    if len(labels) < FEWEST_LENGTHS:
        return Figure(n=len(labels), reason=f"needs {FEWEST_LENGTHS} scored answers, there are {len(labels)}")
    scores = ranks([fmean(row[label] for row in table.values() if label in row) for label in labels])
    sizes = ranks([float(lengths[label]) for label in labels])
    if len(set(scores)) == 1 or len(set(sizes)) == 1:
        return Figure(n=len(labels), reason="all answers have the same length or the same score")
    return Figure(float(np.corrcoef(scores, sizes)[0, 1]), permuted_p([(scores, sizes)]), len(labels))


def position(table: Table, shown: Mapping[str, Sequence[str]]) -> Figure:
    """Points that an answer gains by each place further down it is shown.

    An answer that everybody saw in the same place may be low because of the place or because it is poor: with one
    display order nobody can know which.
    """
    known = {who: row for who, row in table.items() if row and set(row) <= set(shown.get(who, ()))}
    if not known:
        return Figure(reason="not identifiable: the order in which answers were shown is not known")
    places: Table = {who: {label: float(list(shown[who]).index(label)) for label in row} for who, row in known.items()}
    count = sum(map(len, known.values()))
    (_, free), (_, scores) = fit(places), fit(known)
    spread = sum(place * place for row in free.values() for place in row.values())
    if spread < ALPHA:
        return Figure(n=count, reason="not identifiable: everybody saw the answers in the same order")
    slope = sum(scores[who][label] * free[who][label] for who in known for label in known[who]) / spread
    groups = [(list(scores[who].values()), list(places[who].values())) for who in known]
    return Figure(slope, permuted_p(groups, exact=False), count)


def own_votes(votes: Iterable[Vote], table: Table) -> tuple[Own, ...]:
    found = []
    for vote in votes:
        others = _others(table, vote.reviewer, vote.label)
        if vote.own and vote.uncapped is not None and others:
            lead = _lead(table, vote.reviewer) or 0.0
            found.append(Own(vote.reviewer, vote.label, vote.uncapped - fmean(others) - lead))
    return tuple(found)


def self_preference(own: Sequence[Own]) -> Figure:
    """By how many points reviewers favour their own answers, on average."""
    if not own:
        return Figure(reason="no reviewer scored an own answer that others scored too")
    p = sign_flip_p([one.difference for one in own])
    few = "" if p is not None else "too few votes on own answers to rule out chance"
    return Figure(fmean(one.difference for one in own), p, len(own), few)


def shifts(table: Table) -> tuple[Shift, ...]:
    """How harsh or generous each reviewer is; the intervals hold for all reviewers together."""
    leads = {who: _lead(table, who) for who in sorted(table)}
    known = {who: lead for who, lead in leads.items() if lead is not None}
    residuals = [value for row in fit(table)[1].values() for value in row.values()]
    free = len(residuals) - len(table) - len(labels_of(table)) + 1
    if len(known) < 2 or free < 1:
        reason = "needs two reviewers who scored the same two answers"
        return tuple(Shift(who, reason=reason) for who in leads)
    noise = max(sum(value * value for value in residuals) / free, ROUNDING)
    errors = {who: noise / len(table[who]) * len(known) / (len(known) - 1) for who in known}
    between = max(variance(known.values()) - fmean(errors.values()), USUAL_SHIFT**2)
    reach = t_quantile(1 - ALPHA / 2 / len(known), free)
    found = []
    for who, lead in leads.items():
        if lead is None:
            found.append(Shift(who, reason="scored nothing that another reviewer scored"))
            continue
        kept = between / (between + errors[who])
        middle, half = kept * lead, reach * sqrt(kept * errors[who])
        verdict = "harsh" if middle + half < 0 else "generous" if middle - half > 0 else ""
        found.append(Shift(who, middle, middle - half, middle + half, verdict))
    return tuple(found)


def _lead(table: Table, reviewer: str) -> float | None:
    """By how much a reviewer scores above the mean of the others, on the answers that both have."""
    row = table.get(reviewer, {})
    gaps = [value - fmean(others) for label, value in row.items() if (others := _others(table, reviewer, label))]
    return fmean(gaps) if gaps else None


def _others(table: Table, reviewer: str, label: str) -> list[float]:
    return [row[label] for who, row in table.items() if who != reviewer and label in row]


def effective_votes(table: Table, identical: Sequence[tuple[str, str]]) -> Figure:
    """How many independent reviewers the reviewers amount to, by what their deviations from the common view share.

    Reviewers who agree because an answer is good are not correlated in this sense; two that err alike are.
    """
    size, copies = len(table), {later for _, later in identical}
    if copies:
        reason = f"identical ballots count once: {', '.join(sorted(copies))}"
        return Figure(float(len(table.keys() - copies)), None, size, reason)
    shared = [label for label in labels_of(table) if all(label in row for row in table.values())]
    if size < 3 or len(shared) < FEWEST_FOR_CORRELATION:
        needed = f"needs 3 reviewers who all scored {FEWEST_FOR_CORRELATION} answers"
        return Figure(n=size, reason=f"{needed}; there are {size} and {len(shared)}")
    _, residuals = fit({who: {label: row[label] for label in shared} for who, row in table.items()})
    # What is left over once the common view is taken out leans apart by nature; that lean is no independence.
    lean = 1 / (size - 1)
    sure = tanh(NormalDist().inv_cdf(1 - ALPHA / (size * (size - 1))) / sqrt(len(shared) - 3))
    alike = correlations([list(row.values()) for row in residuals.values()], ALPHA * ROUNDING)
    excess = sum((r + lean) / (1 + lean) for r in alike if r > sure)
    return Figure(size**2 / (size + 2 * excess), None, size)


def identical_ballots(votes: Sequence[Vote]) -> tuple[tuple[str, str], ...]:
    """Reviewers whose ballots agree in every score of at least two answers and five scores: one voice, twice."""
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for vote in votes:
        cells.setdefault(vote.reviewer, {}).update({(vote.label, name): s for name, s in vote.scores.items()})
    return tuple(
        (one, other)
        for one, other in combinations(sorted(cells), 2)
        if len(row := cells[one]) >= _FEWEST_SCORES and row == cells[other] and len({label for label, _ in row}) > 1
    )


def ranks(values: Sequence[float]) -> list[float]:
    """1 for the smallest; equal values share the mean of their ranks."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def permuted_p(groups: Sequence[tuple[Sequence[float], Sequence[float]]], *, exact: bool = True) -> float:
    """How often chance orders within each group make the groups' common slope as steep.

    With few values in one group, all orders are tried.
    """
    generator = np.random.default_rng(_SEED)
    seen, tried, size = 0.0, np.zeros(1), 0.0
    for one, other in groups:
        x, y = (np.asarray(values, dtype=float) - np.mean(values) for values in (one, other))
        if exact and len(x) <= _EXACT_ORDERS:
            orders = np.array(list(permutations(y)))
        else:
            orders = generator.permuted(np.tile(y, (_TRIES, 1)), axis=1)
        seen, tried, size = seen + float(x @ y), tried + orders @ x, size + sqrt(float(x @ x) * float(y @ y))
    return _share(np.abs(tried) >= abs(seen) - _ROUNDING_ERROR * size)


def sign_flip_p(differences: Sequence[float]) -> float | None:
    """How often chance signs give a sum as far from 0; None where the differences are too few to tell."""
    if len(differences) < FEWEST_SIGNS:
        return None
    values = np.asarray(differences, dtype=float)
    if len(values) <= _EXACT_SIGNS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(values))))
    else:
        signs = np.random.default_rng(_SEED).choice((-1.0, 1.0), size=(_TRIES, len(values)))
    return _share(np.abs(signs @ values) >= abs(float(values.sum())) - _ROUNDING_ERROR)


def _share(hits: NDArray[np.bool_]) -> float:
    """Where orders are drawn, what was seen is one of the possible ones too, so p is never 0."""
    drawn = len(hits) == _TRIES
    return (drawn + int(hits.sum())) / (drawn + len(hits))


def correlations(rows: Sequence[Sequence[float]], least: float) -> list[float]:
    """Pearson's correlation of every two rows; 0 where one varies by no more than `least`: it shares nothing."""
    table = np.asarray(rows, dtype=float)
    moves = table.var(axis=1, ddof=1) > least
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(np.outer(moves, moves), np.corrcoef(table), 0.0)
    return [float(r) for r in found[np.triu_indices(len(table), 1)]]
