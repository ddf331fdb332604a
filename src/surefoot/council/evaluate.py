"""What the scores of a council's reviewers are worth: bias, independent votes, and whether the rubric earns its cost.

What an answer deserves cancels out of a comparison of reviewers, as it is the same for all who scored it. So a bias
that every reviewer has is not seen here; only labels by people show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import atanh, exp, sqrt, tanh
from statistics import median, median_low
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from surefoot.core.intervals import Influence, Pairs, interval, less, mean_of, pairs_of, reach, tau
from surefoot.core.records import Interval
from surefoot.council.rows import HOLISTIC, OVERALL, AnswerKey

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
# Scores are mostly whole numbers: reviewers who agree to the point are not known to agree better than this.
ROUNDING = 1 / 12
CONCISENESS = "conciseness"
CAPPED = "capped"  # the overall score as it counts; reviewers are judged by what they said, without ceilings
FEWEST_QUESTIONS = 15  # with fewer, chance alone can make any of a hundred figures stand out
FEWEST_FOR_SPREAD = 40  # deviations are more unruly than scores
FEWEST_COMPARED = 2  # reviewers: of two that differ nobody can say which one is off
FEWEST_USEFUL = 4  # reviewers, among whom errors that two of them share can be seen
# Share of reports with a false alarm, by turned signs; as scores pile up at 10 it may be twice that. 5 % is the limit.
ALARMS = 0.015
_MOST_PULL = 0.9
_FAR = 1.5  # standard deviations
_ROUNDED = 0.25  # what rounding to whole numbers moves a score by
_HALF = 0.5  # of the usual agreement with the others: who has less is noise
_CLOSER = 0.25  # a copy is at most this far from its twin, in what is between either and the nearest third
_SHARED = 0.1  # a correlation of errors below this hardly changes what votes are worth
_ALMOST_ONE = 1 - 1e-9
_PANELS = 40  # of reviewers drawn with replacement from those there are
_SEED = 20_011
Kind = Literal["shift", "spread", "length", "position", "self_preference"]
KINDS: tuple[Kind, ...] = ("shift", "spread", "length", "position", "self_preference")
_Cell = tuple[Kind, str]  # with the dimension
_Found = Influence | str  # a figure, or why there is none


Scores = Mapping[
    str, Mapping[AnswerKey, Mapping[str, float]]
]  # by reviewer, answer and dimension; not scored: not there


class Preferences(NamedTuple):
    """What people prefer: pairs of answers of a sheet, with 1 where they prefer the first, -1 the second."""

    pairs: Pairs
    signs: Numbers


class Figure(Struct, frozen=True):
    """A figure with its 95 % interval, or None and the reason."""

    figure: Interval | None = None
    questions: int = 0
    reason: str = ""


class ReviewerBias(Struct, frozen=True, kw_only=True):
    """One figure with its interval, or None and the reason.

    shift: points above the others. spread: mean deviation by that of the others. length: points more than the others
    give for twice the length. position: points more than the others give for each place further down.
    self_preference: points that own answers get beyond the usual shift.
    """

    reviewer: str
    dimension: str
    kind: Kind
    figure: Interval | None = None
    stands_out: bool = False
    against: tuple[str, ...] = ()  # whom the reviewer was compared with
    questions: int = 0
    reason: str = ""


class RedundantReviewer(Struct, frozen=True):
    """A reviewer whose votes may be saved."""

    reviewer: str
    why: str


class Alike(Struct, frozen=True):
    """Two reviewers who err alike: the correlation of what is wrong with their overall scores."""

    reviewers: tuple[str, str]
    correlation: Interval


class Independence(Struct, frozen=True):
    """How many independent votes the reviewers amount to; None where not measured, and `reason` says why."""

    effective_votes: float | None = None
    votes: int = 0
    redundant: tuple[RedundantReviewer, ...] = ()
    alike: tuple[Alike, ...] = ()
    reason: str = ""


class Agreement(Struct, frozen=True, kw_only=True):
    """`variance` is what reviewers differ by on an answer, their levels taken out; `against_holistic` is this less the
    same of the holistic score, with intervals that hold for all dimensions together."""

    dimension: str
    variance: Figure
    against_holistic: Figure


class Compared(Struct, frozen=True):
    """A measure by the rubric's overall score, by the holistic score, and the first less the second."""

    rubric: Figure
    holistic: Figure
    difference: Figure


class Success(Struct, frozen=True):
    """Whether the rubric earns its cost: how far reviewers agree, whether the order stays if other reviewers had been
    asked, whether conciseness means short, and whether people see it the same way."""

    dimensions: tuple[Agreement, ...]
    stability: Compared
    conciseness_against_length: Figure
    people: Compared
    earns_its_cost: Literal["yes", "no", "not shown"]
    because: str


class Sheet:
    """What reviewers gave to answers, as arrays: for each dimension a row for each reviewer, a column for each answer.

    `lengths` are of the answers' texts, `own` and `places` by reviewer and answer: who scored an own answer, and at
    which place of several the answer was shown.
    """

    def __init__(
        self,
        scores: Scores,
        lengths: Mapping[AnswerKey, int] | None = None,
        own: Iterable[tuple[str, AnswerKey]] = (),
        places: Mapping[tuple[str, AnswerKey], int] | None = None,
    ) -> None:
        self.reviewers = tuple(sorted(scores))
        self.answers = tuple(sorted({answer for given in scores.values() for answer in given}))
        self.runs, self.known = {answer.run for answer in self.answers}, set(self.answers)
        self.questions = tuple(sorted({answer.question for answer in self.answers}))
        at = {question: place for place, question in enumerate(self.questions)}
        self.question_of = np.array([at[answer.question] for answer in self.answers], dtype=np.intp)
        self.values: dict[str, Numbers] = {}  # 0 where nothing is given
        self.given: dict[str, Flags] = {}
        self._weights: dict[str, Numbers] = {}
        for row, reviewer in enumerate(self.reviewers):
            for column, answer in enumerate(self.answers):
                for name, score in scores[reviewer].get(answer, {}).items():
                    self._put(name, row, column, score)
        self.dimensions = tuple(name for name in self.values if name not in (OVERALL, HOLISTIC, CAPPED))
        self.measured = (*self.dimensions, *((OVERALL,) if OVERALL in self.values else ()))
        for row, reviewer in enumerate(self.reviewers):
            for column, answer in enumerate(self.answers):
                self._put("length", row, column, (lengths or {}).get(answer))
                self._put("place", row, column, (places or {}).get((reviewer, answer)))
                self._put("own", row, column, 1.0 if (reviewer, answer) in own else None)

    def _put(self, name: str, row: int, column: int, value: float | None) -> None:
        if name not in self.values:
            self.values[name] = np.zeros((len(self.reviewers), len(self.answers)))
            self.given[name] = np.zeros((len(self.reviewers), len(self.answers)), dtype=bool)
        if value is not None:
            self.values[name][row, column], self.given[name][row, column] = value, True

    def pooled(self, name: str, rows: Sequence[int] | NDArray[np.intp]) -> tuple[Numbers, Flags]:
        """The mean of some reviewers on each answer. Who scores at random would blur it, and so counts for less."""
        if name not in self._weights:
            # One over the variance of a reviewer's own errors, roughly: by how far most of the others are away.
            values, given, usual = self.values[name], self.given[name], []
            for row, mine in enumerate(given):
                both = {other: mine & theirs for other, theirs in enumerate(given) if other != row}
                apart = [float((values[row] - values[other])[on].var()) for other, on in both.items() if on.any()]
                usual.append(median_low(apart) if apart else 0.0)
            self._weights[name] = 1 / np.maximum(np.array(usual) - median(usual) / 2, ROUNDING)
        weights = self._weights[name][rows]
        total = weights @ self.given[name][rows]
        return np.divide(weights @ self.values[name][rows], total, out=np.zeros(len(total)), where=total > 0), total > 0

    def compared(self, name: str) -> Flags:
        """The answers that two reviewers or more scored: nobody scores an own answer, so few have all."""
        return np.asarray(self.given[name].sum(axis=0) >= FEWEST_COMPARED)

    def count(self, answers: Flags) -> int:
        """How many questions these answers are to."""
        return len(np.unique(self.question_of[answers]))

    def sums(self, values: Numbers, given: Flags) -> Numbers:
        """Added up for each question."""
        return np.bincount(self.question_of[given], values[given], minlength=len(self.questions)).astype(float)

    def means(self, values: Numbers, given: Flags) -> tuple[Numbers, Flags]:
        """The mean of each question's answers, and which questions have one."""
        count = self.sums(np.ones(len(given)), given)
        return self.sums(values, given) / np.maximum(1, count), count > 0

    def mean(self, values: Numbers, given: Flags) -> Influence:
        return mean_of(*self.means(values, given))

    def slope(self, x: Numbers, y: Numbers, given: Flags) -> Influence | None:
        """By how much `y` rises with `x`; None where `x` is the same everywhere."""
        flat = np.where(given, x - x[given].mean(), 0.0)
        spread = float(flat @ flat)
        if spread <= 0:
            return None
        rise, n = np.where(given, y - y[given].mean(), 0.0), self.count(given)
        value = float(flat @ rise) / spread
        # What the slope would be without each question: one with far-off answers pulls it toward itself.
        shares = self.sums(flat * flat, given) / spread
        left = 1 - np.minimum(shares + 1 / n, _MOST_PULL)
        return Influence(value, self.sums(flat * (rise - value * flat), given) / spread / left, n, shares)

    def correlation(self, x: Numbers, y: Numbers, given: Flags) -> Influence:
        """Fisher's z of the correlation. Who always gives the same score agrees with nobody."""
        scaled, n = [], int(given.sum())
        for values in (x, y):
            flat = np.where(given, values - values[given].mean(), 0.0)
            scaled.append(flat / (sqrt(float(flat @ flat) / n) or 1.0))
        x, y = scaled
        r = max(-_ALMOST_ONE, min(_ALMOST_ONE, float(x @ y) / n))
        parts = self.sums(x * y - r * (x * x + y * y) / 2, given) / n / (1 - r * r)
        return Influence(atanh(r), parts, self.count(given))


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
    made = []
    for key in sorted(found, key=lambda key: (key[0], KINDS.index(key[1]), key[2])):
        (row, kind, name), one = key, found[key]
        figure = one.within(wide) if isinstance(one, Influence) else None
        if figure and kind == "spread":
            figure = Interval(exp(figure.value), exp(figure.low), exp(figure.high))
        made.append(ReviewerBias(
            reviewer=sheet.reviewers[row], dimension=name, kind=kind, figure=figure, stands_out=key in settled,
            against=tuple(sheet.reviewers[other] for other in sorted(groups[kind, name] - {row})) if figure else (),
            questions=one.n if isinstance(one, Influence) else 0, reason=one if isinstance(one, str) else "",
        ))  # fmt: skip
    return tuple(made)


def _bias(sheet: Sheet, cell: _Cell, row: int, group: set[int]) -> _Found:
    """The figure of a reviewer, or why there is none."""
    (kind, name), others = cell, sorted(group - {row})
    if not others:
        return "needs another reviewer"
    theirs, known = sheet.pooled(name, others)
    mine, given = sheet.values[name][row], sheet.given[name]
    both, fewest = given[row] & known, FEWEST_QUESTIONS
    lead, own = np.where(both, mine - theirs, 0.0), sheet.given["own"][row]
    if kind == "spread":
        both, fewest = np.asarray(given[[row, *others]].all(axis=0)), FEWEST_FOR_SPREAD
    if kind in ("length", "position"):
        both = both & sheet.given["length" if kind == "length" else "place"][row]
        if kind == "position" and not both.any():
            return "does not apply: each answer was reviewed alone"
    if kind == "self_preference":
        if not own.any():
            return "does not apply: none of the answers is by the reviewer's model"
        (ours, with_own), (rest, with_rest) = sheet.means(lead, both & own), sheet.means(lead, both & ~own)
        shared = with_own & with_rest
        both = both & shared[sheet.question_of]
    if (questions := sheet.count(both)) < fewest:
        return f"not enough data: needs {fewest} questions that others scored too, has {questions}"
    if kind == "shift":
        return sheet.mean(lead, both)
    if kind == "self_preference":
        return mean_of(ours - rest, shared)
    if kind == "position":
        return sheet.slope(sheet.values["place"][row], lead, both) or "all answers were shown at the same place"
    if kind == "length":
        doublings = np.log2(np.maximum(1, sheet.values["length"][row]))
        # One answer of unusual length would decide the slope by itself, and chance often has one such.
        middle, far = doublings[both].mean(), _FAR * doublings[both].std()
        return sheet.slope(np.clip(doublings, middle - far, middle + far), lead, both) or "all answers are equally long"
    # The logarithm of the ratio of mean deviations. Squares would hang on a few answers.
    scores = sheet.values[name][[row, *others]]
    away = np.where(both, np.abs(scores - scores[:, both].mean(axis=1, keepdims=True)), 0.0) + _ROUNDED
    sums = [sheet.sums(values, both) for values in (away[0], away[1:].mean(axis=0))]
    value, without = (np.log(a / b) for a, b in (map(np.sum, sums), (one.sum() - one for one in sums)))
    parts = np.where(sums[0] > 0, (value - without) * (questions - 1) / questions, 0.0)
    return Influence(float(value), parts, questions)


def independence(sheet: Sheet) -> Independence:
    """Three things make a vote worth less than one: it follows nobody (noise), it repeats another one (a copy), or two
    err alike. Only what some reviewers share is seen; an error that all of them share needs labels by people."""
    names = (OVERALL,) if OVERALL in sheet.values else sheet.dimensions
    every = np.all([sheet.given[name] for name in names], axis=0)
    steady = [row for row, own in enumerate(every) if sheet.count(own) >= FEWEST_QUESTIONS]
    shared, size = np.asarray(every[steady].all(axis=0)), len(steady)
    if size < FEWEST_COMPARED or sheet.count(shared) < FEWEST_QUESTIONS:
        reason = f"not enough data: needs 2 reviewers who scored the same answers to {FEWEST_QUESTIONS} questions"
        return Independence(votes=len(sheet.reviewers), reason=reason)
    table = np.asarray(np.mean([sheet.values[name] for name in names], axis=0))
    noise = _noise(sheet, table, shared, steady) if size > FEWEST_COMPARED else {}
    copies = _copies(sheet, [row for row in steady if row not in noise])
    left = [row for row in steady if row not in noise and row not in copies]
    redundant = tuple(RedundantReviewer(sheet.reviewers[row], why) for row, why in sorted((noise | copies).items()))
    if len(left) < FEWEST_USEFUL:
        few = f"errors that two reviewers share are seen from {FEWEST_USEFUL} useful reviewers on"
        return Independence(votes=size, redundant=redundant, reason=f"{few}, and there are {len(left)}")
    # What is left over once the common view is taken out leans apart by nature; that lean is no independence.
    errors, lean = table[left] - table[left].mean(axis=0), 1 / (len(left) - 1)
    pairs = {(one, other): sheet.correlation(errors[one], errors[other], shared)
             for one, other in combinations(range(len(left)), 2)}  # fmt: skip
    wide, alike, total = reach(list(pairs.values()), ALARMS), [], 0.0
    for (one, other), found in pairs.items():
        limits = found.within(wide)
        value, low, high = (max(0.0, (tanh(z) + lean) / (1 + lean)) for z in (limits.value, limits.low, limits.high))
        if low > _SHARED:
            named = sheet.reviewers[left[one]], sheet.reviewers[left[other]]
            alike.append(Alike(named, Interval(value, low, high)))
            total += value
    return Independence(len(left) ** 2 / (len(left) + 2 * total), size, redundant, tuple(alike))


def _noise(sheet: Sheet, table: Numbers, shared: Flags, rows: Sequence[int]) -> dict[int, str]:
    """Who scores as if without a look at the answers."""
    found = {}
    for row in rows:
        others = [one for one in rows if one != row]
        mean = sheet.pooled(OVERALL, others)[0] if OVERALL in sheet.values else table[others].mean(axis=0)
        found[row] = sheet.correlation(table[row], mean, shared)
    wide, noise = reach(list(found.values())), {}
    for row, one in found.items():
        usual, most = tanh(median(other.value for at, other in found.items() if at != row)), tanh(one.within(wide).high)
        if most < _HALF * usual:
            noise[row] = f"its scores hardly follow the answers: agreement with the others is {tanh(one.value):.2f}"
            noise[row] += f" (at most {most:.2f}), while {usual:.2f} is usual here"
    return noise if len(rows) - len(noise) >= FEWEST_COMPARED else {}


def _copies(sheet: Sheet, rows: Sequence[int]) -> dict[int, str]:
    """Who repeats another reviewer: closer than two minds that round to whole numbers can be, and far from thirds."""
    apart: dict[tuple[int, int], float] = {}
    for one, other in combinations(rows, 2):
        gaps = []
        for name in sheet.dimensions or sheet.measured:
            both = sheet.given[name][one] & sheet.given[name][other]
            gap = (sheet.values[name][one] - sheet.values[name][other])[both]
            gaps.append(gap - gap.mean() if len(gap) else gap)
        apart[one, other] = float((np.concatenate(gaps) ** 2).mean()) if any(map(len, gaps)) else 10.0
    copies: dict[int, str] = {}
    for (one, other), near in apart.items():
        thirds = [far for pair, far in apart.items() if {one, other} & set(pair) and pair != (one, other)]
        if thirds and one not in copies and near < min(2 * ROUNDING, _CLOSER * min(thirds)):
            copies[other] = f"repeats {sheet.reviewers[one]}, or the other way round: one of the two is enough"
    return copies


def success(sheet: Sheet, people: Preferences | None = None) -> Success:
    both = OVERALL in sheet.values and HOLISTIC in sheet.values
    among = sheet.compared(OVERALL) & sheet.compared(HOLISTIC) if both else None
    stability = _compared({name: _stability(sheet, name, among) for name in (OVERALL, HOLISTIC)})
    names = {OVERALL: CAPPED if CAPPED in sheet.values else OVERALL, HOLISTIC: HOLISTIC}
    agreement = _compared({name: _with_people(sheet, used, people) for name, used in names.items()})
    # People decide where there are labels: a stable order may be stably wrong.
    found, because = agreement.difference.figure or stability.difference.figure, stability.difference.reason
    earns: Literal["yes", "no", "not shown"] = "not shown"
    if found:
        earns = "yes" if found.low > 0 else "no" if found.high < 0 else "not shown"
        by = f"by {found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f}, Kendall's tau)"
        because = f"its order agrees with people {by} more than that of the holistic score"
        if not agreement.difference.figure:
            because = f"its order is {by} more stable than that of the holistic score; labels by people say more"
    return Success(_dimensions(sheet), stability, _conciseness(sheet), agreement, earns, because)


def _figure(found: _Found, wide: float | None = None) -> Figure:
    if isinstance(found, str):
        return Figure(reason=found)
    return Figure(interval(found) if wide is None else found.within(wide), found.n)


def _compared(found: dict[str, _Found]) -> Compared:
    rubric, holistic = found[OVERALL], found[HOLISTIC]
    return Compared(_figure(rubric), _figure(holistic), _figure(_less(rubric, holistic)))


def _less(one: _Found, other: _Found) -> _Found:
    return one if isinstance(one, str) else other if isinstance(other, str) else less(one, other)


def _missing(sheet: Sheet, name: str, answers: Flags | None = None) -> str:
    """Why a measure on all reviewers' scores cannot be taken."""
    if name not in sheet.values:
        return f"no reviewer gave {'a holistic' if name == HOLISTIC else 'an overall'} score"
    if len(sheet.reviewers) < FEWEST_COMPARED:
        return "needs two reviewers"
    found = sheet.count(sheet.compared(name) if answers is None else answers)
    few = f"not enough data: needs {FEWEST_QUESTIONS} questions that two reviewers scored, has {found}"
    return "" if found >= FEWEST_QUESTIONS else few


def _dimensions(sheet: Sheet) -> tuple[Agreement, ...]:
    found: dict[str, _Found] = {HOLISTIC: "no reviewer gave a holistic score"}
    for name in (*sheet.measured, *((HOLISTIC,) if HOLISTIC in sheet.values else ())):
        if why := _missing(sheet, name):
            found[name] = why
            continue
        answers, given = sheet.compared(name), sheet.given[name] & sheet.compared(name)
        count, apart = np.maximum(FEWEST_COMPARED, given.sum(axis=0)), sheet.values[name]
        for axis in (0, 1, 0):  # the answers' means are taken out, then the reviewers' levels
            size = np.maximum(1, given.sum(axis=axis, keepdims=True))
            apart = np.where(given, apart - np.where(given, apart, 0.0).sum(axis=axis, keepdims=True) / size, 0.0)
        found[name] = sheet.mean((apart**2).sum(axis=0) / (count - 1), answers)
    holistic = found.pop(HOLISTIC)
    against = {name: _less(one, holistic) for name, one in found.items()}
    wide = reach([one for one in against.values() if isinstance(one, Influence)])
    own = [Agreement(dimension=name, variance=_figure(one), against_holistic=_figure(against[name], wide))
           for name, one in found.items()]  # fmt: skip
    return (*own, Agreement(dimension=HOLISTIC, variance=_figure(holistic), against_holistic=Figure()))


def _stability(sheet: Sheet, name: str, among: Flags | None) -> _Found:
    """Kendall's tau of the order by all reviewers with that by reviewers drawn anew, on average."""
    if why := _missing(sheet, name, among):
        return why
    size = len(sheet.reviewers)
    pairs = pairs_of(sheet.question_of, sheet.compared(name) if among is None else among)
    everyone, _ = sheet.pooled(name, range(size))
    panels = [sheet.pooled(name, panel) for panel in np.random.default_rng(_SEED).integers(0, size, (_PANELS, size))]
    signs = (pairs.signs(np.where(known, scores, everyone)) for scores, known in panels)
    found = [tau(pairs, pairs.signs(everyone), one) for one in signs]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return "reviewers give all answers the same score"
    parts = np.mean([one.parts for one in known], axis=0)
    return Influence(float(np.mean([one.value for one in known])), parts, known[0].n)


def _conciseness(sheet: Sheet) -> Figure:
    """Kendall's tau of conciseness with length: below 0 where longer answers are called less concise."""
    if CONCISENESS not in sheet.values:
        return Figure(reason="the rubric has no conciseness")
    scores, known = sheet.pooled(CONCISENESS, range(len(sheet.reviewers)))
    usable = known & sheet.given["length"][0]
    if sheet.count(usable) < FEWEST_QUESTIONS:
        return Figure(reason=f"not enough data: needs {FEWEST_QUESTIONS} questions")
    pairs = pairs_of(sheet.question_of, usable)
    found = tau(pairs, pairs.signs(scores), pairs.signs(sheet.values["length"][0]))
    return _figure(found or "all answers are equally long or concise")


def _with_people(sheet: Sheet, name: str, people: Preferences | None) -> _Found:
    """Kendall's tau of the council's order with what people prefer."""
    if people is None:
        return "no labels by people were given"
    if name not in sheet.values:
        return _missing(sheet, name)
    scores, known = sheet.pooled(name, range(len(sheet.reviewers)))
    kept = known[people.pairs.one] & known[people.pairs.other]
    pairs, signs = people.pairs.at(kept), people.signs[kept]
    if (labelled := len(pairs.questions)) < FEWEST_QUESTIONS:
        return f"not enough data: needs labels on {FEWEST_QUESTIONS} questions, has {labelled}"
    return tau(pairs, pairs.signs(scores), signs) or "people or reviewers see no difference between any two answers"
