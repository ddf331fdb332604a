"""A rubric's weights fitted to what people prefer: never negative, summing to 1, and no further from the rubric's own
than the preferences bear out on questions that the fit has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.intervals import Ints, Numbers, Pairs, interval, share
from surefoot.core.records import Interval
from surefoot.core.result import Result
from surefoot.core.rubric import HIGHEST, Fault, Rubric
from surefoot.reviewers.sheet import Answer, Flags, Sheet
from surefoot.reviewers.success import Opinions

FEWEST_QUESTIONS = 30
FEWEST_CONTRADICTED = 6  # questions: if only five changed, all for the better, that may still be chance
FOLDS = 5
DRAWS = 200
_TAIL = 0.01  # of the draws on either side: at .025 intervals cover 92 %, and 95 is what they say
MOST_PAIRS = 1_000
_HOLDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, inf)  # how strongly weights are held to the rubric's; inf: kept as they are
_STEPS = 150
_SEED = 20_011
_SAME = 1e-9
_LARGE = 500.0  # its exponential is still a number
Overall = Callable[[Numbers], Numbers]  # every answer's overall score by some weights, with the rubric's ceilings


class RubricTuned(Result, frozen=True, kw_only=True):
    """The fitted weights and what they gain, or the `reason` why these labels could not show a gain.

    `gain` is in the share of pairs that come out as people prefer, on questions left out of the fit; `agrees` is that
    share with the rubric's own weights. `alone` are the weights by the preferences alone, with their intervals.
    `written` is the new rubric's file, None where nothing is gained.
    """

    weights: dict[str, float] | None = None
    before: dict[str, float] | None = None
    alone: dict[str, Interval] | None = None
    agrees: float | None = None
    gain: Interval | None = None
    questions: int
    pairs: int | None = None
    reason: str | None = None
    written: str | None = None

    @property
    def is_better(self) -> bool:
        return self.gain is not None and self.gain.low > 0

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OK if self.written else ExitCode.INCONCLUSIVE


class _Data(NamedTuple):
    """Pairs as people order them: `gaps` are scores of the preferred answer less those of the other."""

    better: Ints
    worse: Ints
    folds: tuple[Ints, Ints]
    gaps: Numbers

    def at(self, kept: Flags) -> _Data:
        folds = self.folds[0][kept], self.folds[1][kept]
        return _Data(self.better[kept], self.worse[kept], folds, self.gaps[kept])


def tune(scores: Numbers, weights: dict[str, float], people: Opinions, overall: Overall) -> RubricTuned:
    """Fit to the preferences. `scores` has a row for each answer and a column for each weight.

    What the weights gain is measured on `overall`, as answers will be scored.
    """
    start = np.array(list(weights.values()))
    pairs, signs = _thinned(people)
    questions = pairs.questions
    right = _right(overall(start), pairs, signs)
    if refused := _refused(pairs, right, len(questions)):
        return RubricTuned(reason=refused, questions=len(questions))
    data = _data(scores, pairs, signs)
    gain = _gain(data, start, pairs, overall)
    held = _chosen(data, start)
    alone = _alone(data, start, pairs)
    return RubricTuned(
        weights=dict(zip(weights, map(float, _fit(data.gaps, start, held)), strict=True)), before=weights,
        alone=dict(zip(weights, alone, strict=True)), agrees=float(right.mean()), gain=gain,
        questions=len(questions), pairs=len(signs),
    )  # fmt: skip


def scoring(sheet: Sheet, rubric: Rubric, faults: Mapping[Answer, Fault | None]) -> tuple[Numbers, Flags, Overall]:
    """The mean scores of answers on each weight, which of them have one, and how weights make overall scores of them.

    Where an answer declines, what stands in for a dimension has its score. Only whole ballots count.
    """
    columns, whole = [], np.ones((len(sheet.reviewers), len(sheet.answers)), dtype=bool)
    for name in rubric.weights:
        names = [name, *(axis.name for axis in rubric.axes if axis.replaces == name)]
        known = [sheet.column(one) for one in names if one in sheet]
        if not known:
            hint = f"score them by it: surefoot council RUN --reviewer MODEL --rubric {rubric.name}"
            raise UsageError(f"the runs have no scores on {name}, which the rubric {rubric.name} asks for", hint)
        columns.append(np.sum([column.values for column in known], axis=0))
        whole &= np.sum([column.given for column in known], axis=0) == 1
    ballots, count = np.stack(columns, axis=2), whole.sum(axis=0)
    caps = np.full(whole.shape, float(HIGHEST))
    for cap in rubric.caps:
        if cap.of:
            held = np.broadcast_to([faults.get(answer) == cap.of for answer in sheet.answers], whole.shape)
        elif cap.axis in sheet:
            held = sheet.column(cap.axis).given & (sheet.column(cap.axis).values < cap.below)
        else:
            continue
        caps = np.where(held, np.minimum(caps, cap.at), caps)

    def mean(values: Numbers) -> Numbers:
        total = np.einsum("ra...,ra->a...", values, whole.astype(float))
        return np.asarray(total / np.maximum(1, count).reshape(-1, *[1] * (total.ndim - 1)))

    return mean(ballots), count > 0, lambda weights: mean(np.minimum(ballots @ weights, caps))


def _thinned(people: Opinions) -> Opinions:
    """The pairs of which people prefer one, and no more than are needed."""
    kept = people.signs != 0
    if int(kept.sum()) > MOST_PAIRS:
        drawn = np.random.default_rng(_SEED).choice(np.flatnonzero(kept), MOST_PAIRS, replace=False)
        kept = np.isin(np.arange(len(kept)), drawn)
    return Opinions(people.pairs.at(kept), people.signs[kept])


def _refused(pairs: Pairs, right: Numbers, questions: int) -> str:
    if questions < FEWEST_QUESTIONS:
        return f"preferences on {questions} questions cannot show a gain; it takes {FEWEST_QUESTIONS}"
    contradicted = len(pairs.at(right < 1).questions)
    if contradicted < FEWEST_CONTRADICTED:
        few = f"the rubric's order contradicts people on {contradicted} questions"
        return f"{few}, and a gain can be shown from {FEWEST_CONTRADICTED} on: the weights are fine as they are"
    return ""


def _right(overall: Numbers, pairs: Pairs, signs: Numbers) -> Numbers:
    """1 for each pair that comes out as people prefer, 1/2 for a tie."""
    return np.asarray((1 + signs * pairs.signs(overall)) / 2)


def _data(scores: Numbers, pairs: Pairs, signs: Numbers) -> _Data:
    better, worse = np.where(signs > 0, (pairs.one, pairs.other), (pairs.other, pairs.one))
    questions = pairs.questions
    fold_of = np.zeros(int(questions.max()) + 1, dtype=np.intp)
    fold_of[questions] = np.random.default_rng(_SEED).permutation(len(questions)) % FOLDS
    gaps = scores[better] - scores[worse]
    folds = fold_of[pairs.question_of[better]], fold_of[pairs.question_of[worse]]
    return _Data(better, worse, folds, gaps / max(float(gaps.std()), _SAME))


def _parted(data: _Data, fold: int) -> tuple[_Data, _Data]:
    """Pairs without a question of the fold, and pairs of such questions alone."""
    one, other = data.folds
    return data.at((one != fold) & (other != fold)), data.at((one == fold) & (other == fold))


def _gain(data: _Data, start: Numbers, pairs: Pairs, overall: Overall) -> Interval:
    """What weights gain on questions that neither the fit nor the choice of how strongly to hold them has seen."""
    better, worse, values = [], [], []
    for fold in range(FOLDS):
        seen, unseen = _parted(data, fold)
        asked = Pairs(unseen.better, unseen.worse, pairs.question_of)
        preferred = np.ones(len(unseen.better))
        fitted = _fit(seen.gaps, start, _chosen(seen, start))
        now, before = (_right(overall(weights), asked, preferred) for weights in (fitted, start))
        better.append(unseen.better)
        worse.append(unseen.worse)
        values.append(now - before)
    tested = Pairs(np.concatenate(better), np.concatenate(worse), pairs.question_of)
    return interval(share(tested, np.concatenate(values)))


def _chosen(data: _Data, start: Numbers) -> float:
    """How strongly to hold the weights: as is best for questions left out."""
    losses = np.mean([_losses(*_parted(data, fold), start) for fold in range(FOLDS)], axis=0)
    return max(held for held, loss in zip(_HOLDS, losses, strict=True) if loss <= losses.min())


def _losses(seen: _Data, unseen: _Data, start: Numbers) -> Numbers:
    """Of each of _HOLDS, on pairs that were not seen."""
    if not len(seen.gaps) or not len(unseen.gaps):
        return np.zeros(len(_HOLDS))
    found = _strengths(seen.gaps, start, _HOLDS)
    return np.asarray(np.logaddexp(0, -unseen.gaps @ found.T).mean(axis=0))


def _alone(data: _Data, start: Numbers, pairs: Pairs) -> list[Interval]:
    """The weights that the preferences alone ask for, and what they would be with other questions."""
    generator = np.random.default_rng(_SEED)
    one, other = pairs.question_of[data.better], pairs.question_of[data.worse]
    questions = pairs.questions
    times = generator.multinomial(len(questions), np.full(len(questions), 1 / len(questions)), DRAWS).astype(float)
    first, second = (times[:, np.searchsorted(questions, place)] for place in (one, other))
    drawn = _descend(
        data.gaps, np.zeros((DRAWS, len(start), len(start))), np.where(one == other, first, first * second)
    )
    low, high = np.quantile(_to_one(drawn, start), (_TAIL, 1 - _TAIL), axis=0)
    value = _fit(data.gaps, start, 0.0)
    return [Interval(float(v), float(min(v, a)), float(max(v, b))) for v, a, b in zip(value, low, high, strict=True)]


def _fit(gaps: Numbers, start: Numbers, held: float) -> Numbers:
    return np.asarray(_to_one(_strengths(gaps, start, [held]), start)[0])


def _to_one(strengths: Numbers, start: Numbers) -> Numbers:
    """Weights that sum to 1; the rubric's where no dimension tells what people prefer."""
    totals = strengths.sum(axis=1, keepdims=True)
    return np.where(totals > _SAME, strengths / np.maximum(totals, _SAME), start)


def _strengths(gaps: Numbers, start: Numbers, holds: Sequence[float]) -> Numbers:
    """What a point on each dimension adds to the odds of being preferred, by logistic regression, for each hold.

    Only the part that is not along the rubric's weights is held, so that they are kept in proportion, not in size.
    """
    along = start / float(np.linalg.norm(start))
    across = np.eye(len(start)) - np.outer(along, along)
    found = np.zeros((len(holds), len(start)))
    loose = [at for at, held in enumerate(holds) if held < inf]
    if loose:
        found[loose] = _descend(gaps, np.stack([holds[at] * across for at in loose]))
    if len(loose) < len(holds):
        found[[at for at, held in enumerate(holds) if held == inf]] = (
            _descend((gaps @ along)[:, None], np.zeros((1, 1, 1))) * along
        )
    return found


def _descend(gaps: Numbers, holds: Numbers, times: Numbers | None = None) -> Numbers:
    """Minimise the mean logistic loss with x.hold.x / 2 and no x below 0, for many holds or many draws at once.

    By accelerated projected gradient. `times` says how often each pair counts.
    """
    counts = np.ones((len(holds), len(gaps))) if times is None else times
    shares = counts / counts.sum(axis=1, keepdims=True)
    curved = np.einsum("pi,bp,pj->bij", gaps, shares, gaps, optimize=True) / 4 + holds
    step = 1 / (np.linalg.eigvalsh(curved)[:, -1:] + _SAME)
    x = y = np.zeros(holds.shape[:2])
    for turn in range(_STEPS):
        pull = shares / (1 + np.exp(np.minimum(y @ gaps.T, _LARGE)))
        after = np.maximum(0.0, y + step * (pull @ gaps - np.einsum("bij,bj->bi", holds, y)))
        y = after + turn / (turn + 3) * (after - x)
        x = after
    return x
