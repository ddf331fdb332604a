"""What the scores of a council's reviewers are worth: bias, votes that add nothing, and whether the rubric pays off.

What an answer deserves cancels out of a comparison of reviewers, as it is the same for all who scored it. So a bias
that every reviewer has is not seen here; only labels by people show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from math import atanh, sqrt, tanh
from statistics import median
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from surefoot.core.draws import Influence, Pairs, interval, less, mean_of, pairs_of, reach, tau
from surefoot.core.records import Interval
from surefoot.council.ranking import Given, Numbers
from surefoot.council.rows import CAPPED, HOLISTIC, OVERALL, OWN, PLACE, UNCAPPED, AnswerKey, Scores

Flags = NDArray[np.bool_]
# Scores are mostly whole numbers: reviewers who agree to the point are not known to agree better than this.
ROUNDING = 1 / 12
FEWEST_QUESTIONS = 15  # with fewer, chance alone can make any of a hundred figures stand out
FEWEST_COMPARED = 2  # reviewers: of two that differ nobody can say which one is off
# Share of reports with a false alarm, by turned signs; as scores pile up at 10 it may be twice that. 5 % is the limit.
ALARMS = 0.015
_MOST_PULL = 0.9
_FAR = 1.5  # standard deviations
_HALF = 0.5  # of the usual agreement with the others: who has less is noise
_CLOSER = 0.25  # a copy is at most this far from its twin, in what is between either and the nearest third
_ALMOST_ONE = 1 - 1e-9
_PANELS = 40  # of reviewers drawn with replacement from those there are
_SEED = 20_011
Kind = Literal["shift", "length", "position", "self_preference"]
KINDS: tuple[Kind, ...] = ("shift", "length", "position", "self_preference")
_Cell = tuple[Kind, str]  # with the dimension
_Found = Influence | str  # a figure, or why there is none


class Preferences(NamedTuple):
    """What people prefer: pairs of answers of a sheet, with 1 where they prefer the first, -1 the second."""

    pairs: Pairs
    signs: Numbers


class Figure(Struct, frozen=True):
    """A figure with its 95 % interval, or None and the reason."""

    figure: Interval | None = None
    questions: int = 0
    reason: str = ""


class ReviewerBias(Figure, frozen=True, kw_only=True):
    """shift: points above the others. length: points more than the others give for twice the length. position: points
    more than the others give for each place further down. self_preference: points that own answers get beyond the
    usual shift."""

    reviewer: str
    dimension: str
    kind: Kind
    stands_out: bool = False


class Success(Struct, frozen=True):
    """Whether the rubric earns its cost: what reviewers differ by on each dimension (the variance, their levels taken
    out), whether the order stays if other reviewers had been asked, and whether people see it the same way."""

    variance: dict[str, Figure]
    stability: dict[str, Figure]  # by the rubric's overall score, by the holistic score, and the first less the second
    people: dict[str, Figure]
    earns_its_cost: Literal["yes", "no", "not shown"]
    because: str


class Sheet:
    """What reviewers gave to answers, as arrays: for each name of a score a row for each reviewer, a column for each
    answer. The overall score is the one before ceilings, with the one that counts beside it (CAPPED).

    `own` False leaves out what reviewers gave to answers of their own model; `lengths` are of the answers' texts.
    """

    def __init__(self, scores: Scores, lengths: Mapping[AnswerKey, int] | None = None, *, own: bool = True) -> None:
        cells = {(who, answer): _before_ceilings(found) for who, given in scores.items()
                 for answer, found in given.items() if own or OWN not in found}  # fmt: skip
        self.reviewers = tuple(sorted(scores))
        self.answers = tuple(sorted({answer for _, answer in cells}))
        self.questions = tuple(sorted({answer.question for answer in self.answers}))
        at = {question: place for place, question in enumerate(self.questions)}
        self.question_of = np.array([at[answer.question] for answer in self.answers], dtype=np.intp)
        self.lengths = np.array([(lengths or {}).get(answer, 0) for answer in self.answers])
        names, self.scores = dict.fromkeys(name for found in cells.values() for name in found), dict[str, Given]()
        for name in (*names, OVERALL, CAPPED, HOLISTIC, OWN, PLACE):
            row = [cells.get(place, {}).get(name, np.nan) for place in product(self.reviewers, self.answers)]
            self.scores[name] = np.ma.masked_invalid(np.reshape(row, (len(self.reviewers), len(self.answers))))
        beside = (OVERALL, CAPPED, HOLISTIC, UNCAPPED, OWN, PLACE)
        self.dimensions = tuple(one for one in names if one not in beside)
        self.measured = (*self.dimensions, OVERALL)

    def compared(self, name: str) -> Flags:
        """The answers that two reviewers or more scored: nobody scores an own answer, so few have all."""
        return np.asarray(self.scores[name].count(axis=0) >= FEWEST_COMPARED)

    def count(self, answers: Flags) -> int:
        """How many questions these answers are to."""
        return len(np.unique(self.question_of[answers]))

    def sums(self, values: Numbers | Given) -> Numbers:
        """Added up for each question."""
        given = ~np.ma.getmaskarray(values)
        return np.bincount(self.question_of[given], values[given], minlength=len(self.questions)).astype(float)

    def means(self, values: Given) -> Given:
        """The mean of each question's answers."""
        return self.sums(values) / np.ma.masked_equal(self.sums(values * 0 + 1), 0)

    def slope(self, x: Numbers, y: Given) -> Influence | None:
        """By how much `y` rises with `x`; None where `x` is the same everywhere."""
        flat, rise = (_flat(one) for one in (np.ma.masked_array(x, y.mask), y))
        spread, n = float(flat @ flat), self.count(_known(y))
        if spread <= 0:
            return None
        value = float(flat @ rise) / spread
        # What the slope would be without each question: one with far-off answers pulls it toward itself.
        shares = self.sums(flat * flat) / spread
        left = 1 - np.minimum(shares + 1 / n, _MOST_PULL)
        return Influence(value, self.sums(flat * (rise - value * flat)) / spread / left, n, shares)

    def correlation(self, x: Given, y: Given) -> Influence:
        """Fisher's z of the correlation. Who always gives the same score agrees with nobody."""
        n = int(x.count())
        a, b = (flat / (sqrt(float(flat @ flat) / n) or 1.0) for flat in (_flat(x), _flat(y)))
        r = max(-_ALMOST_ONE, min(_ALMOST_ONE, float(a @ b) / n))
        parts = self.sums(a * b - r * (a * a + b * b) / 2) / n / (1 - r * r)
        return Influence(atanh(r), parts, self.count(_known(x)))


def _before_ceilings(found: Mapping[str, float]) -> Mapping[str, float]:
    overall = found.get(OVERALL)
    return found if overall is None else {**found, OVERALL: found.get(UNCAPPED, overall), CAPPED: overall}


def _known(values: Given) -> Flags:
    return np.asarray(~np.ma.getmaskarray(values))


def _flat(values: Given) -> Numbers:
    """What each value differs from their mean by, 0 where nothing is given."""
    return np.asarray((values - values.mean()).filled(0.0))


def _mean(by_question: Given) -> Influence:
    return mean_of(by_question.filled(0.0), _known(by_question))


def reviewer_bias(sheet: Sheet, left_out: Iterable[str] = ()) -> tuple[ReviewerBias, ...]:
    """Every bias of every reviewer. Those in `left_out` add nothing, so nobody is compared with them.

    One that stands out pulls the others' mean and would make them stand out the other way: so the largest is
    established first and its reviewer leaves the comparison, until nothing more stands out. The largest and not the
    clearest: who is pulled by another's bias shows a part of it, however clearly. All intervals hold together.
    """
    everybody = set(range(len(sheet.reviewers)))
    useful = {row for row in everybody if sheet.reviewers[row] not in set(left_out)}
    compared = useful if len(useful) >= FEWEST_COMPARED else everybody
    groups: dict[_Cell, set[int]] = {(kind, name): set(compared) for kind in KINDS for name in sheet.measured}
    found = {(row, *cell): _bias(sheet, cell, row, group) for cell, group in groups.items() for row in everybody}
    wide = reach([one for one in found.values() if isinstance(one, Influence)], ALARMS)
    settled: set[tuple[int, Kind, str]] = set()
    while sizes := {key: abs(one.value) for key, one in found.items()
                    if isinstance(one, Influence) and key not in settled and abs(one.strength) > wide}:  # fmt: skip
        row, kind, name = key = max(sizes, key=lambda one: (sizes[one], one))
        settled.add(key)
        group = groups[kind, name]
        if row in group and len(group) > FEWEST_COMPARED:
            group.remove(row)
            found.update({(one, kind, name): _bias(sheet, (kind, name), one, group) for one in everybody})
    return tuple(
        ReviewerBias(**asdict(_figure(found[row, kind, name], wide)), reviewer=sheet.reviewers[row], dimension=name,
                     kind=kind, stands_out=(row, kind, name) in settled)
        for row, kind, name in found
    )  # fmt: skip


def _bias(sheet: Sheet, cell: _Cell, row: int, group: set[int]) -> _Found:
    """The figure of a reviewer, or why there is none."""
    (kind, name), others = cell, sorted(group - {row})
    if not others:
        return "needs another reviewer"
    # The median: one of them may score at random.
    lead = sheet.scores[name][row] - np.ma.median(sheet.scores[name][others], axis=0)  # type: ignore[no-untyped-call]
    own, place = _known(sheet.scores[OWN][row]), sheet.scores[PLACE][row]
    if kind == "position":
        lead = np.ma.masked_where(place.mask, lead)
        if not lead.count():
            return "does not apply: each answer was reviewed alone"
    if kind == "self_preference":
        if not own.any():
            return "does not apply: none of the answers is by the reviewer's model"
        ours, rest = (sheet.means(np.ma.masked_where(others, lead)) for others in (~own, own))
        beyond = ours - rest
        lead = np.ma.masked_where(~_known(beyond)[sheet.question_of], lead)
    if (questions := sheet.count(_known(lead))) < FEWEST_QUESTIONS:
        return f"not enough data: needs {FEWEST_QUESTIONS} questions that others scored too, has {questions}"
    if kind == "shift":
        return _mean(sheet.means(lead))
    if kind == "self_preference":
        return _mean(beyond)
    if kind == "position":
        return sheet.slope(place.filled(0.0), lead) or "all answers were shown at the same place"
    doublings = np.log2(np.maximum(1, sheet.lengths))
    # One answer of unusual length would decide the slope by itself, and chance often has one such.
    middle, far = doublings[_known(lead)].mean(), _FAR * doublings[_known(lead)].std()
    return sheet.slope(np.clip(doublings, middle - far, middle + far), lead) or "all answers are equally long"


def redundant(sheet: Sheet) -> dict[str, str]:
    """The reviewers whose votes may be saved, and why: who follows nobody (noise), or repeats another one (a copy)."""
    table = sheet.scores[OVERALL].copy()
    scored = _known(table)
    steady = [row for row, own in enumerate(scored) if sheet.count(own) >= FEWEST_QUESTIONS]
    shared = np.asarray(scored[steady].all(axis=0))
    if len(steady) <= FEWEST_COMPARED or sheet.count(shared) < FEWEST_QUESTIONS:
        return {}
    table[:, ~shared] = np.ma.masked
    noise = _noise(sheet, table, steady)
    copies = _copies(sheet, [row for row in steady if row not in noise])
    return {sheet.reviewers[row]: why for row, why in sorted((noise | copies).items())}


def _noise(sheet: Sheet, table: Given, rows: Sequence[int]) -> dict[int, str]:
    """Who scores as if without a look at the answers."""
    found = {row: sheet.correlation(table[row], table[[one for one in rows if one != row]].mean(axis=0))
             for row in rows}  # fmt: skip
    wide, noise = reach(list(found.values())), {}
    for row, one in found.items():
        usual, most = tanh(median(other.value for at, other in found.items() if at != row)), tanh(one.within(wide).high)
        if most < _HALF * usual:
            noise[row] = f"its scores hardly follow the answers: agreement with the others is {tanh(one.value):.2f}"
            noise[row] += f" (at most {most:.2f}), while {usual:.2f} is usual here"
    return noise if len(rows) - len(noise) >= FEWEST_COMPARED else {}


def _copies(sheet: Sheet, rows: Sequence[int]) -> dict[int, str]:
    """Who repeats another reviewer: closer than two minds that round to whole numbers can be, and far from thirds."""
    apart, names = dict[tuple[int, int], float](), sheet.dimensions or (OVERALL,)
    for one, other in combinations(rows, 2):
        gaps = np.ma.stack([sheet.scores[name][one] - sheet.scores[name][other] for name in names])
        apart[one, other] = float(((gaps - gaps.mean(axis=1, keepdims=True)) ** 2).mean()) if gaps.count() else 10.0
    copies: dict[int, str] = {}
    for (one, other), near in apart.items():
        thirds = [far for pair, far in apart.items() if {one, other} & set(pair) and pair != (one, other)]
        if thirds and one not in copies and near < min(2 * ROUNDING, _CLOSER * min(thirds)):
            copies[other] = f"repeats {sheet.reviewers[one]}, or the other way round: one of the two is enough"
    return copies


def success(sheet: Sheet, people: Preferences | None = None) -> Success:
    among = (
        sheet.compared(OVERALL) & sheet.compared(HOLISTIC)
        if sheet.scores[HOLISTIC].count()
        else sheet.compared(OVERALL)
    )
    stability = _compared({name: _stability(sheet, name, among) for name in (OVERALL, HOLISTIC)})
    agreement = _compared({name: _with_people(sheet, name, people) for name in (OVERALL, HOLISTIC)})
    # People decide where there are labels: a stable order may be stably wrong.
    labelled, steady = agreement["difference"].figure, stability["difference"]
    found, because = labelled or steady.figure, steady.reason
    earns: Literal["yes", "no", "not shown"] = "not shown"
    if found:
        earns = "yes" if found.low > 0 else "no" if found.high < 0 else "not shown"
        by = f"by {found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f}, Kendall's tau)"
        because = f"its order agrees with people {by} more than that of the holistic score"
        if not labelled:
            because = f"its order is {by} more stable than that of the holistic score; labels by people say more"
    variance = {name: _figure(_variance(sheet, name)) for name in (*sheet.measured, HOLISTIC)}
    return Success(variance, stability, agreement, earns, because)


def _figure(found: _Found, wide: float | None = None) -> Figure:
    if isinstance(found, str):
        return Figure(reason=found)
    return Figure(interval(found) if wide is None else found.within(wide), found.n)


def _compared(found: dict[str, _Found]) -> dict[str, Figure]:
    one, other = found[OVERALL], found[HOLISTIC]
    gap = one if isinstance(one, str) else other if isinstance(other, str) else less(one, other)
    return {"rubric": _figure(one), "holistic": _figure(other), "difference": _figure(gap)}


def _missing(sheet: Sheet, name: str, answers: Flags) -> str:
    """Why a measure on all reviewers' scores cannot be taken."""
    if not sheet.scores[name].count():
        return f"no reviewer gave {name} scores"
    found = sheet.count(answers)
    few = f"not enough data: needs {FEWEST_QUESTIONS} questions that two reviewers scored, has {found}"
    return "" if found >= FEWEST_QUESTIONS else few


def _variance(sheet: Sheet, name: str) -> _Found:
    """What reviewers differ by on an answer, their levels taken out."""
    if why := _missing(sheet, name, sheet.compared(name)):
        return why
    apart = sheet.scores[name].copy()
    apart[:, ~sheet.compared(name)] = np.ma.masked
    for axis in (0, 1, 0):  # the answers' means are taken out, then the reviewers' levels
        apart = apart - apart.mean(axis=axis, keepdims=True)
    return _mean(sheet.means((apart**2).sum(axis=0) / (apart.count(axis=0) - 1)))


def _stability(sheet: Sheet, name: str, among: Flags) -> _Found:
    """Kendall's tau of the order by all reviewers with that by reviewers drawn anew, on average."""
    if why := _missing(sheet, name, among):
        return why
    size = len(sheet.reviewers)
    pairs = pairs_of(sheet.question_of, among)
    everyone, drawn = sheet.scores[name].mean(axis=0), np.random.default_rng(_SEED).integers(0, size, (_PANELS, size))
    panels = (sheet.scores[name][panel].mean(axis=0) for panel in drawn)
    signs = (pairs.signs(np.where(_known(one), one.filled(0.0), everyone.filled(0.0))) for one in panels)
    found = [tau(pairs, pairs.signs(everyone.filled(0.0)), one) for one in signs]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return "reviewers give all answers the same score"
    parts = np.mean([one.parts for one in known], axis=0)
    return Influence(float(np.mean([one.value for one in known])), parts, known[0].n)


def _with_people(sheet: Sheet, name: str, people: Preferences | None) -> _Found:
    """Kendall's tau of the council's order with what people prefer."""
    if people is None:
        return "no labels by people were given"
    scores = sheet.scores[CAPPED if name == OVERALL else name].mean(axis=0)
    kept = _known(scores)[people.pairs.one] & _known(scores)[people.pairs.other]
    pairs, signs = people.pairs.at(kept), people.signs[kept]
    if (labelled := len(pairs.questions)) < FEWEST_QUESTIONS:
        return f"not enough data: needs labels on {FEWEST_QUESTIONS} questions with this score, has {labelled}"
    found = tau(pairs, pairs.signs(scores.filled(0.0)), signs)
    return found or "people or reviewers see no difference between any two answers"
