"""What may be wrong with the reviewers, told from their votes alone. A figure that cannot be had is None, and says why.

The votes looked at are uncapped: a ceiling is ours and not the reviewer's. One sitting has few answers, so every
figure comes with an exact p, one from permutations of a fixed seed, or an interval; with too few votes it is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt, tanh
from statistics import NormalDist, fmean, variance

from msgspec import Struct

from surefoot.council.chance import correlations, permuted_p, permuted_within_p, ranks, sign_flip_p
from surefoot.council.ranking import Table, Vote, levels_of
from surefoot.stats.quantiles import t_quantile

ALPHA = 0.05
_FEWEST_LENGTHS = 5  # with four answers not even a perfect order has p < .05
_FEWEST_FOR_CORRELATION = 8
# Scores are mostly whole numbers: reviewers who agree to the point are not known to agree better than this.
_ROUNDING = 1 / 12
_USUAL_SHIFT = 0.5  # points by which reviewers differ in any case


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
    table = _uncapped(vote for vote in votes if not vote.own)
    own = own_votes(votes, table)
    return Bias(
        length=length(table, lengths),
        position=position(table, shown),
        self_preference=self_preference(own),
        own_votes=own,
        reviewers=shifts(table),
        effective_votes=effective_votes(table, identical := identical_ballots(votes)),
        identical_ballots=identical,
    )


def _uncapped(votes: Iterable[Vote]) -> Table:
    table: Table = {}
    for vote in votes:
        if vote.uncapped is not None:
            table.setdefault(vote.reviewer, {})[vote.label] = vote.uncapped
    return table


def length(table: Table, lengths: Mapping[str, int]) -> Figure:
    """Spearman's correlation of an answer's length with its mean score."""
    labels = sorted({label for row in table.values() for label in row})
    if len(labels) < _FEWEST_LENGTHS:
        return Figure(n=len(labels), reason=f"needs {_FEWEST_LENGTHS} scored answers, there are {len(labels)}")
    scores = ranks([fmean(row[label] for row in table.values() if label in row) for label in labels])
    sizes = ranks([float(lengths[label]) for label in labels])
    if len(set(scores)) == 1 or len(set(sizes)) == 1:
        return Figure(n=len(labels), reason="all answers have the same length or the same score")
    rho, p = permuted_p(scores, sizes)
    return Figure(rho, p, len(labels))


def position(table: Table, shown: Mapping[str, Sequence[str]]) -> Figure:
    """Points that an answer gains by each place further down it is shown.

    An answer that everybody saw in the same place may be low because of the place or because it is poor: with one
    display order the two cannot be told apart.
    """
    known = {who: row for who, row in table.items() if row and set(row) <= set(shown.get(who, ()))}
    if not known:
        return Figure(reason="not identifiable: the order in which answers were shown is not known")
    places: Table = {who: {label: float(list(shown[who]).index(label)) for label in row} for who, row in known.items()}
    count = sum(map(len, known.values()))
    free, scores = _residuals(places), _residuals(known)
    spread = sum(place * place for row in free.values() for place in row.values())
    if spread < ALPHA:
        return Figure(n=count, reason="not identifiable: everybody saw the answers in the same order")
    slope = sum(scores[who][label] * free[who][label] for who in known for label in known[who]) / spread
    p = permuted_within_p([(list(scores[who].values()), list(places[who].values())) for who in known])
    return Figure(slope, p, count)


def own_votes(votes: Iterable[Vote], table: Table) -> tuple[Own, ...]:
    leniency = {reviewer: _lead(table, reviewer) for reviewer in table}
    found = []
    for vote in votes:
        others = [row[vote.label] for who, row in table.items() if who != vote.reviewer and vote.label in row]
        if vote.own and vote.uncapped is not None and others:
            lead = leniency.get(vote.reviewer)
            found.append(Own(vote.reviewer, vote.label, vote.uncapped - fmean(others) - (lead or 0.0)))
    return tuple(found)


def self_preference(own: Sequence[Own]) -> Figure:
    """By how many points reviewers favour their own answers, on average."""
    if not own:
        return Figure(reason="no reviewer scored an own answer that others scored too")
    p = sign_flip_p([one.difference for one in own])
    few = "" if p is not None else "too few votes on own answers to tell it from chance"
    return Figure(fmean(one.difference for one in own), p, len(own), few)


def shifts(table: Table) -> tuple[Shift, ...]:
    """How harsh or generous each reviewer is; the intervals hold for all reviewers together."""
    leads = {who: _lead(table, who) for who in sorted(table)}
    known = {who: lead for who, lead in leads.items() if lead is not None}
    residuals = [value for row in _residuals(table).values() for value in row.values()]
    labels = {label for row in table.values() for label in row}
    free = len(residuals) - len(table) - len(labels) + 1
    if len(known) < 2 or free < 1:
        reason = "needs two reviewers who scored the same two answers"
        return tuple(Shift(who, reason=reason) for who in leads)
    noise = max(sum(value * value for value in residuals) / free, _ROUNDING)
    errors = {who: noise / len(table[who]) * len(known) / (len(known) - 1) for who in known}
    between = max(variance(known.values()) - fmean(errors.values()), _USUAL_SHIFT**2)
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


def effective_votes(table: Table, identical: Sequence[tuple[str, str]]) -> Figure:
    """How many independent reviewers the reviewers are worth, by what their deviations from the common view share.

    Reviewers who agree because an answer is good are not correlated in this sense; two that err alike are.
    """
    copies = {later for _, later in identical}
    if copies:
        value = float(len(table.keys() - copies))
        return Figure(value, None, len(table), f"identical ballots count once: {', '.join(sorted(copies))}")
    shared = [label for label in next(iter(table.values()), {}) if all(label in row for row in table.values())]
    if len(table) < 3 or len(shared) < _FEWEST_FOR_CORRELATION:
        needed = f"needs 3 reviewers who all scored {_FEWEST_FOR_CORRELATION} answers"
        return Figure(n=len(table), reason=f"{needed}; there are {len(table)} and {len(shared)}")
    residuals = _residuals({who: {label: row[label] for label in shared} for who, row in table.items()})
    pairs = len(table) * (len(table) - 1) // 2
    # What is left over once the common view is taken out leans apart by nature; that lean is no independence.
    lean = 1 / (len(table) - 1)
    sure = tanh(NormalDist().inv_cdf(1 - ALPHA / 2 / pairs) / sqrt(len(shared) - 3))
    alike = correlations([[row[label] for label in shared] for row in residuals.values()], ALPHA * _ROUNDING)
    excess = sum((r + lean) / (1 + lean) for r in alike if r > sure)
    return Figure(len(table) ** 2 / (len(table) + 2 * excess), None, len(table))


def identical_ballots(votes: Sequence[Vote]) -> tuple[tuple[str, str], ...]:
    """Reviewers whose ballots agree in every score of at least two answers and five scores: one voice, twice."""
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for vote in votes:
        cells.setdefault(vote.reviewer, {}).update({(vote.label, name): s for name, s in vote.scores.items()})
    return tuple(
        (one, other)
        for one, other in combinations(sorted(cells), 2)
        if len(cells[one]) >= 5 and cells[one] == cells[other] and len({label for label, _ in cells[one]}) > 1
    )


def _lead(table: Table, reviewer: str) -> float | None:
    """By how much a reviewer scores above the mean of the others, on the answers that both have."""
    gaps = []
    for label, value in table.get(reviewer, {}).items():
        others = [row[label] for who, row in table.items() if who != reviewer and label in row]
        if others:
            gaps.append(value - fmean(others))
    return fmean(gaps) if gaps else None


def _residuals(table: Table) -> Table:
    """What neither the reviewer nor the answer explains."""
    levels = levels_of(table)
    labels = {label for row in table.values() for label in row}
    answers = {label: fmean(row[label] - levels[who] for who, row in table.items() if label in row) for label in labels}
    return {
        who: {label: value - levels[who] - answers[label] for label, value in row.items()} for who, row in table.items()
    }
