"""People's preferences from a file, and a rubric's weights fitted to them: never negative, summing to 1, and no further
from the rubric's own than the preferences bear out on questions that the fit has not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean

import numpy as np
from msgspec import field
from msgspec.structs import replace
from numpy.typing import NDArray

from surefoot.core.errors import ExitCode, UsageError
from surefoot.core.intervals import Pairs, interval, pairs_of, share
from surefoot.core.records import Interval, is_called_like_a_grader
from surefoot.core.result import Result
from surefoot.core.rubric import ACCURACY, HIGHEST, Fault, Rubric, read_score
from surefoot.core.table import BUCKETS
from surefoot.core.types import Problem
from surefoot.council.evaluate import Flags, Numbers, Preferences, Sheet
from surefoot.council.rows import GRADER, OVERALL, AnswerKey, axis_of
from surefoot.io.rows import Row, quoted, read_rows

FEWEST_QUESTIONS = 30
FEWEST_CONTRADICTED = 6  # questions: if only five changed, all for the better, that may still be chance
FOLDS = 5
MOST_PAIRS = 1_000
_HOLDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 30.0)  # how strongly weights are held to the rubric's; the last: kept
_STEPS = 150
_SEED = 20_011
_SAME = 1e-9
_LARGE = 500.0  # its exponential is still a number
_AXES = ("", OVERALL, axis_of(OVERALL), "factuality")
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
    """How weights make overall scores of what reviewers gave. Only whole ballots count.

    `scores` has the mean of each answer on each weight, `whole` says which answers have one, `held` which answers a
    ceiling holds down in some ballot, by its name. Where an answer declines, what stands in for a dimension counts.
    """

    def __init__(
        self, sheet: Sheet, rubric: Rubric, faults: Mapping[AnswerKey, Fault | None], unsafe: Collection[AnswerKey] = ()
    ) -> None:
        columns, shape = [], (len(sheet.reviewers), len(sheet.answers))
        full = np.ones(shape, dtype=bool)
        for name in rubric.weights:
            names = [name, *(axis.name for axis in rubric.axes if axis.replaces == name)]
            known = [one for one in names if one in sheet.values]
            if not known:
                hint = f"score them by it: surefoot council RUN --reviewer MODEL --rubric {rubric.name}"
                raise UsageError(f"the runs have no scores on {name}, which the rubric {rubric.name} asks for", hint)
            columns.append(np.sum([sheet.values[one] for one in known], axis=0))
            full &= np.sum([sheet.given[one] for one in known], axis=0) == 1
        self._ballots, self._full, self._caps = np.stack(columns, axis=2), full, np.full(shape, float(HIGHEST))
        self.held: dict[str, Flags] = {}
        stand_ins = [sheet.given[one.name] for one in rubric.axes if one.replaces and one.name in sheet.values]
        declines = np.any(stand_ins, axis=0) if stand_ins else np.zeros(shape, dtype=bool)
        rules = [("safety", 0.0, np.broadcast_to([one in unsafe for one in sheet.answers], shape))]
        for cap in rubric.caps:
            if cap.of:
                at_fault = [faults.get(one) == cap.of for one in sheet.answers]
                rules.append((cap.of, cap.at, np.broadcast_to(at_fault, shape)))
            elif cap.axis in sheet.values:
                low = sheet.given[cap.axis] & (sheet.values[cap.axis] < cap.below)
                rules.append((cap.axis, cap.at, low & ~declines if cap.axis == ACCURACY else low))
        base = self._ballots @ np.array(list(rubric.weights.values()))
        for name, at, applies in rules:
            self._caps = np.where(applies, np.minimum(self._caps, at), self._caps)
            binds = (applies & full & (base > at)).any(axis=0)
            self.held[name] = self.held.get(name, np.zeros(len(binds), dtype=bool)) | binds
        self.whole: Flags = np.asarray(full.any(axis=0))
        self.scores = self._mean(self._ballots)

    def __call__(self, weights: Numbers) -> Numbers:
        return self._mean(np.minimum(self._ballots @ weights, self._caps))

    def _mean(self, values: Numbers) -> Numbers:
        total = np.einsum("ra...,ra->a...", values, self._full.astype(float))
        return np.asarray(total / np.maximum(1, self._full.sum(axis=0)).reshape(-1, *[1] * (total.ndim - 1)))


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
    questions, right = pairs.questions, _right(overall(start), ordered)
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
        values.append(_right(overall(fitted), asked) - _right(overall(start), asked))
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
    scores, preferred = (
        defaultdict[AnswerKey, list[float]](list),
        defaultdict[tuple[AnswerKey, AnswerKey], list[int]](list),
    )
    kinds, faults = set[bool](), dict[str, list[Row]]()
    for row in read_rows([path]):
        try:
            found = _label(row.value, sheet, answerable)
        except ValueError as error:
            faults.setdefault(str(error), []).append(row)
            continue
        if isinstance(found[1], AnswerKey):
            one, other = found
            preferred[min(one, other), max(one, other)].append(1 if one < other else -1)
        else:
            answer, value, is_bucket = found
            scores[answer].append(value)
            kinds.add(is_bucket)
    for fault, bad in faults.items():
        more = f" (and so on, {len(bad)} rows)" if len(bad) > 1 else ""
        problems.append(Problem("bad_label", fault + more, bad[0].source, bad[0].line))
    if not scores and not preferred:
        first = f": {problems[0]}" if problems else ""
        raise UsageError(f"{path} has no label on an answer that reviewers scored{first}", _HINT)
    if len(kinds) > 1:
        raise UsageError(f"{path} has scores and buckets, which cannot be compared", "pass a file of one of them")
    places = {answer: at for at, answer in enumerate(sheet.answers)}
    means = np.array([fmean(scores[answer]) if answer in scores else 0.0 for answer in sheet.answers])
    compared = pairs_of(sheet.question_of, np.array([answer in scores for answer in sheet.answers]))
    ones, others = (np.array([places[pair[side]] for pair in preferred], dtype=np.intp) for side in (0, 1))
    pairs = Pairs(np.append(compared.one, ones), np.append(compared.other, others), sheet.question_of)
    return Preferences(pairs, np.append(compared.signs(means), [float(np.sign(sum(v))) for v in preferred.values()]))


def _label(
    row: object, sheet: Sheet, answerable: Mapping[str, bool]
) -> tuple[AnswerKey, AnswerKey] | tuple[AnswerKey, float, bool]:
    """The preferred answer and the other one, or an answer, its score, and whether that is a bucket."""
    if isinstance(row, Problem):
        raise ValueError(row.message)
    if not isinstance(row, dict):
        raise ValueError("it is not an object")
    who = str(row.get("annotator") or row.get("grader") or "")
    if who.startswith(GRADER) or is_called_like_a_grader(who):
        raise ValueError(f"it is by {quoted(who)}, a grader: that would prove reviewers right by themselves")
    if "prefers" in row or "over" in row:
        one, other = (_answer(row, row.get(key, ""), sheet) for key in ("prefers", "over"))
        if one == other:
            raise ValueError("it prefers an answer to itself")
        return one, other
    answer, axis, value = _answer(row, row.get("run"), sheet), str(row.get("axis", "")), row.get("value")
    if axis not in _AXES:
        named = f"{axis_of(OVERALL)} or factuality do"
        raise ValueError(f"its axis {quoted(axis)} says nothing of the whole answer; {named}")
    if value in BUCKETS:  # whether a sound system would have answered so
        sound = "correct" if answerable.get(answer.question, True) else "refused"
        return answer, float(value == sound), True
    if (score := read_score(value)) is None:
        raise ValueError(f"{quoted(str(value))} is neither a score from 1 to 10 nor a bucket")
    return answer, score, False


def _answer(row: Mapping[str, object], run: object, sheet: Sheet) -> AnswerKey:
    """By the id of the question, and the run where there are several."""
    question, attempt = str(row.get("question_id") or row.get("qid") or row.get("id") or ""), row.get("attempt", 1)
    if run is None and len(sheet.runs) > 1:
        raise ValueError("it does not say on the answer of which run it is")
    known = next(iter(sheet.runs)) if run is None else str(run)
    if known not in sheet.runs:
        raise ValueError(f"there is no run {quoted(str(run))} among those given")
    found = AnswerKey(known, question, int(str(attempt)) if str(attempt).isdecimal() else 0)
    if found not in sheet.known:
        raise ValueError(f"reviewers did not score an answer to question {quoted(question)}")
    return found
