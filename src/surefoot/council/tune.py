"""People's preferences from a file, and a rubric's weights fitted to them: never negative, summing to 1, and no further
from the rubric's own than the preferences bear out on questions that the fit has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import numpy as np
from msgspec import field
from msgspec.structs import replace
from numpy.typing import NDArray

from surefoot.core.draws import Pairs, interval, pairs_of, share
from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.records import Interval, is_called_like_a_grader
from surefoot.core.result import Result
from surefoot.core.rubric import HIGHEST, Rubric, read_score
from surefoot.core.table import BUCKETS
from surefoot.core.types import Problem
from surefoot.council.evaluate import Flags, Preferences, Sheet
from surefoot.council.ranking import Known, Numbers
from surefoot.council.rows import GRADER, OVERALL, OWN, POOLED, UNSAFE, AnswerKey, Scores, axis_of
from surefoot.io.rows import BadRow, converted, fields_of, quoted, read_rows

FEWEST_QUESTIONS = 30
FEWEST_CONTRADICTED = 6  # questions: if only five changed, all for the better, that may still be chance
FOLDS = 5
MOST_PAIRS = 1_000
_HOLDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 30.0)  # how strongly weights are held to the rubric's; the last: kept
_STEPS = 150
_SEED = 20_011
_SAME = 1e-9
_LARGE = 500.0  # its exponential is still a number
_AXES = (None, "", OVERALL, axis_of(OVERALL), "factuality")
_HINT = 'rows are {"question_id": "q1", "run": "a", "value": 8}, or {"question_id": "q1", "prefers": "a", "over": "b"}'
Overall = Callable[[Numbers], Numbers]  # every answer's overall score by some weights, with the rubric's ceilings


class RubricTuned(Result, frozen=True, kw_only=True):
    """The fitted weights and what they gain, or the `reason` why these labels could not show a gain.

    `gain` is in the share of pairs that come out as people prefer, on questions left out of the fit; `agrees` is that
    share with the rubric's own weights. `held` says, by ceiling, how many pairs come out against people because it
    holds the preferred answer down, whatever the weights. `written` is the new rubric's file, None without a gain.
    """

    weights: dict[str, float] | None = None
    before: dict[str, float] | None = None
    agrees: float | None = None
    gain: Interval | None = None
    held: dict[str, int] = field(default_factory=dict)
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


class Scoring:
    """Scores answers by any weights, as a council does. Only ballots that have a score for every weight count.

    `scores` has the mean of each answer on each weight, `whole` says which answers have one, `held` which answers a
    ceiling or the safety gate holds down in some ballot, by its name.
    """

    def __init__(self, sheet: Sheet, scores: Scores, rubric: Rubric, known: Mapping[AnswerKey, Known]) -> None:
        size, places, rows, ceilings = len(sheet.answers), list[int](), list[list[float]](), list[float]()
        self.held = defaultdict[str, Flags](lambda: np.zeros(size, dtype=bool))
        checked = [axis.name for axis in rubric.axes if axis.check]
        for place, answer in enumerate(sheet.answers):
            pooled = scores.get(POOLED, {}).get(answer, {})
            self.held["safety"][place] = unsafe = UNSAFE in pooled
            for reviewer in sheet.reviewers:
                given = {**scores[reviewer].get(answer, {}), **{one: pooled[one] for one in checked if one in pooled}}
                declines = rubric.says_refused(given)
                refused, fault = bool(declines), None if declines is None else known[answer].fault(declines)
                if OWN in given or any(name not in given for name in rubric.applying(refused)):
                    continue
                caps = rubric.ceilings(given, refused=refused, fault=fault)
                places.append(place)
                rows.append([given[name] for name in rubric.applying(refused)])
                ceilings.append(min([0.0] if unsafe else [HIGHEST, *(cap.at for cap in caps)]))
                for name in rubric.score(given, refused=refused, fault=fault).capped_by:
                    self.held[name][place] = True
        if not places:
            hint = f"score them by it: surefoot council runs RUN --reviewer MODEL --rubric {rubric.name}"
            raise UsageError(f"no reviewer scored an answer on all dimensions of the rubric {rubric.name}", hint)
        self._places, self._rows, self._ceilings = np.array(places), np.array(rows), np.array(ceilings)
        self._counts = np.bincount(self._places, minlength=size)
        self.whole: Flags = self._counts > 0
        self.scores = np.stack([self._means(column) for column in self._rows.T], axis=1)

    def __call__(self, weights: Numbers) -> Numbers:
        return self._means(np.minimum(np.round(self._rows @ weights, 9), self._ceilings))

    def _means(self, values: Numbers) -> Numbers:
        sums = np.bincount(self._places, values, minlength=len(self._counts))
        return np.asarray(sums / np.maximum(1, self._counts))


def tune(
    scores: Numbers, weights: dict[str, float], people: Preferences, overall: Overall,
    held: Mapping[str, Flags] | None = None,
) -> RubricTuned:  # fmt: skip
    """Fit to the preferences. `scores` has a row for each answer and a column for each weight.

    What the weights gain is measured on `overall`, as answers will be scored.
    """
    start, kept = np.array(list(weights.values())), people.signs != 0
    if int(kept.sum()) > MOST_PAIRS:
        drawn = np.random.default_rng(_SEED).choice(np.flatnonzero(kept), MOST_PAIRS, replace=False)
        kept = np.isin(np.arange(len(kept)), drawn)
    pairs, signs = people.pairs.at(kept), people.signs[kept]
    better, worse = np.where(signs > 0, (pairs.one, pairs.other), (pairs.other, pairs.one))
    ordered = Pairs(better, worse, pairs.question_of)
    questions, before = pairs.questions, overall(start)
    right = _right(before, ordered)
    if len(questions) < FEWEST_QUESTIONS:
        few = f"preferences on {len(questions)} questions cannot show a gain; it takes {FEWEST_QUESTIONS}"
        return RubricTuned(reason=few, questions=len(questions))
    by_cap = {name: int(flags[better[right < 1]].sum()) for name, flags in (held or {}).items()}
    found = RubricTuned(before=weights, agrees=float(right.mean()), questions=len(questions), pairs=len(signs),
                        held={name: count for name, count in by_cap.items() if count})  # fmt: skip
    if (contradicted := len(ordered.at(right < 1).questions)) < FEWEST_CONTRADICTED:
        few = f"the rubric's order contradicts people on {contradicted} questions"
        few += f", and a gain can be shown from {FEWEST_CONTRADICTED} on: the weights are fine as they are"
        return replace(found, reason=few)
    gaps = scores[better] - scores[worse]
    gaps /= max(float(gaps.std()), _SAME)
    fold_of = np.zeros(int(questions.max()) + 1, dtype=np.intp)
    fold_of[questions] = np.random.default_rng(_SEED).permutation(len(questions)) % FOLDS
    folds = np.stack([fold_of[pairs.question_of[better]], fold_of[pairs.question_of[worse]]])
    tested, values = [], []
    for fold in range(FOLDS):
        seen, unseen = (folds != fold).all(axis=0), (folds == fold).all(axis=0)
        fitted = _fitted(gaps[seen], folds[:, seen], start)
        asked = ordered.at(unseen)
        tested.append(np.flatnonzero(unseen))
        values.append(_right(overall(fitted), asked) - _right(before, asked))
    places = np.concatenate(tested)
    gain = interval(share(Pairs(better[places], worse[places], pairs.question_of), np.concatenate(values)))
    new = dict(zip(weights, map(float, _fitted(gaps, folds, start)), strict=True))
    return replace(found, weights=new, gain=gain)


def _right(overall: Numbers, ordered: Pairs) -> Numbers:
    """1 for each pair that comes out as people prefer, 1/2 for a tie."""
    return np.asarray((1 + ordered.signs(overall)) / 2)


def _fitted(gaps: Numbers, folds: NDArray[np.intp], start: Numbers) -> Numbers:
    """The weights, held to the rubric's as strongly as is best for questions left out."""
    losses = np.zeros(len(_HOLDS))
    for fold in range(FOLDS):
        seen, unseen = (folds != fold).all(axis=0), (folds == fold).all(axis=0)
        if seen.any() and unseen.any():
            found = _strengths(gaps[seen], start, _HOLDS)
            losses += np.logaddexp(0, -gaps[unseen] @ found.T).mean(axis=0)
    best = max(hold for hold, loss in zip(_HOLDS, losses, strict=True) if loss <= losses.min())
    [found] = _strengths(gaps, start, [best])
    total = float(found.sum())
    return found / total if total > _SAME else start


def _strengths(gaps: Numbers, start: Numbers, holds: Sequence[float]) -> Numbers:
    """What a point on each dimension adds to the odds of being preferred, by logistic regression, for each hold.

    Only the part that is not along the rubric's weights is held, so that they are kept in proportion, not in size. By
    accelerated projected gradient: no strength is below 0.
    """
    along = start / float(np.linalg.norm(start))
    across = np.eye(len(start)) - np.outer(along, along)
    held = np.stack([hold * across for hold in holds])
    step = 1 / (np.linalg.eigvalsh(gaps.T @ gaps / len(gaps) / 4 + held)[:, -1:] + _SAME)
    x = y = np.zeros(held.shape[:2])
    for turn in range(_STEPS):
        pull = 1 / (1 + np.exp(np.minimum(y @ gaps.T, _LARGE))) / len(gaps)
        after = np.maximum(0.0, y + step * (pull @ gaps - np.einsum("bij,bj->bi", held, y)))
        y = after + turn / (turn + 3) * (after - x)
        x = after
    return x


def read_preferences(path: str, sheet: Sheet, answerable: Mapping[str, bool], problems: list[Problem]) -> Preferences:
    """The pairs of a sheet's answers that people order. Rows that cannot be used go to `problems`."""
    places, runs = {answer: at for at, answer in enumerate(sheet.answers)}, {answer.run for answer in sheet.answers}
    scores, preferred = defaultdict[int, list[float]](list), defaultdict[tuple[int, int], list[int]](list)
    kinds = set[bool]()
    read = converted(read_rows([path]), lambda row: _label(row, places, runs, answerable), "bad_label", problems)
    for _, (one, other, value, is_bucket) in read:
        if other is not None:
            preferred[min(one, other), max(one, other)].append(1 if one < other else -1)
        else:
            scores[one].append(value)
            kinds.add(is_bucket)
    if not scores and not preferred:
        first = f": {problems[0]}" if problems else ""
        raise UsageError(f"{path} has no label on an answer that reviewers scored{first}", _HINT)
    if len(kinds) > 1:
        raise UsageError(f"{path} has scores and buckets, which cannot be compared", "pass a file of one of them")
    means = np.array([fmean(scores[at]) if at in scores else 0.0 for at in range(len(places))])
    compared = pairs_of(sheet.question_of, np.array([at in scores for at in range(len(places))]))
    ones, others = np.array(list(preferred), dtype=np.intp).reshape(-1, 2).T
    pairs = Pairs(np.append(compared.one, ones), np.append(compared.other, others), sheet.question_of)
    return Preferences(pairs, np.append(compared.signs(means), [float(np.sign(sum(v))) for v in preferred.values()]))


def _label(
    row: object, places: Mapping[AnswerKey, int], runs: set[str], answerable: Mapping[str, bool]
) -> tuple[int, int | None, float, bool]:
    """The places of the preferred answer and of the other one; or of one answer, its score, and whether that is a
    bucket."""
    fields = fields_of(row, "label", {}, {"question_id": ("question_id", "qid", "id")}, ("question_id",))
    who, id = str(fields.get("annotator") or fields.get("grader") or ""), str(fields["question_id"])
    if who.startswith(GRADER) or is_called_like_a_grader(who):
        raise BadRow(f"it is by {quoted(who)}, a grader: that would prove reviewers right by themselves")

    def place(run: object) -> int:
        if run is None and len(runs) > 1:
            raise BadRow("it does not say on the answer of which run it is")
        if run is not None and str(run) not in runs:
            raise BadRow(f"there is no run {quoted(str(run))} among those given")
        known, attempt = next(iter(runs)) if run is None else str(run), str(fields.get("attempt") or 1)
        found = places.get(AnswerKey(known, id, int(attempt) if attempt.isdecimal() else 0))
        if found is None:
            raise BadRow(f"reviewers did not score an answer to question {quoted(id)}")
        return found

    if "prefers" in fields or "over" in fields:
        one, other = place(fields.get("prefers", "")), place(fields.get("over", ""))
        if one == other:
            raise BadRow("it prefers an answer to itself")
        return one, other, 0.0, False
    one, axis, value = place(fields.get("run")), fields.get("axis"), fields.get("value")
    if axis not in _AXES:
        raise BadRow(f"its axis {quoted(axis)} says nothing of the whole answer; {axis_of(OVERALL)} or factuality do")
    if value in BUCKETS:  # whether a sound system would have answered so
        sound = "correct" if answerable.get(id, True) else "refused"
        return one, None, float(value == sound), True
    if (score := read_score(value)) is None:
        raise BadRow(f"{quoted(str(value))} is neither a score from 1 to 10 nor a bucket")
    return one, None, score, False
