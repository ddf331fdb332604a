"""Whether scoring by a rubric earns its cost on one's own answers: how far reviewers agree, whether the order stays if
other reviewers had been asked, whether conciseness means short, and whether people see it the same way."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct

from surefoot.core.intervals import Influence, Pairs, interval, less, pairs_of, reach, tau
from surefoot.core.records import Interval
from surefoot.reviewers.habits import FEWEST_QUESTIONS
from surefoot.reviewers.sheet import CAPPED, HOLISTIC, OVERALL, Flags, Numbers, Sheet

CONCISENESS = "conciseness"
PANELS = 40  # of reviewers drawn with replacement from those there are
_SEED = 20_011
Earns = Literal["yes", "no", "not shown"]


class Figure(Struct, frozen=True):
    """A figure with its 95 % interval, or None and the reason."""

    figure: Interval | None = None
    questions: int = 0
    reason: str = ""


class Agreement(Struct, frozen=True, kw_only=True):
    """How far reviewers agree on one dimension.

    `variance` is what they differ by on an answer, their levels taken out; `against_holistic` is this less the same of
    the holistic score, with intervals that hold for all dimensions together. `reliability` is the share of a single
    score's variance that is due to the answer.
    """

    dimension: str
    variance: Figure
    against_holistic: Figure
    reliability: Figure


class Compared(Struct, frozen=True):
    """A measure by the rubric's overall score, by the holistic score, and the first less the second."""

    rubric: Figure
    holistic: Figure
    difference: Figure


class Success(Struct, frozen=True):
    dimensions: tuple[Agreement, ...]
    stability: Compared
    conciseness_against_length: Figure
    people: Compared
    earns_its_cost: Earns
    because: str


class Opinions(NamedTuple):
    """What people prefer: pairs of answers of a sheet, with 1 where they prefer the first, -1 the second."""

    pairs: Pairs
    signs: Numbers


def success(sheet: Sheet, people: Opinions | None = None) -> Success:
    stability, agreement = _stability(sheet), _people(sheet, people)
    earns, because = _verdict(stability, agreement)
    return Success(_dimensions(sheet), stability, _conciseness(sheet), agreement, earns, because)


def _figure(found: Influence | str) -> Figure:
    return Figure(reason=found) if isinstance(found, str) else Figure(interval(found), found.n)


def _too_few(sheet: Sheet, answers: Flags) -> str:
    found = len(np.unique(sheet.question_of[answers]))
    enough = found >= FEWEST_QUESTIONS
    return (
        "" if enough else f"not enough data: needs {FEWEST_QUESTIONS} questions that all reviewers scored, has {found}"
    )


def _dimensions(sheet: Sheet) -> tuple[Agreement, ...]:
    names = (*sheet.measured, *((HOLISTIC,) if HOLISTIC in sheet else ()))
    apart = {name: _disagreement(sheet, name) for name in names}
    holistic = apart.get(HOLISTIC, "no reviewer gave a holistic score")
    against: dict[str, Influence | str] = {}
    for name, found in apart.items():
        known = isinstance(found, Influence) and isinstance(holistic, Influence)
        against[name] = less(found, holistic) if known else holistic if isinstance(holistic, str) else found  # type: ignore[arg-type]
    wide = reach([one for name, one in against.items() if isinstance(one, Influence) and name != HOLISTIC])
    return tuple(
        Agreement(
            dimension=name,
            variance=_figure(apart[name]),
            against_holistic=_beside(against[name], wide) if name != HOLISTIC else Figure(reason=""),
            reliability=_figure(_reliability(sheet, name)),
        )
        for name in names
    )


def _beside(found: Influence | str, wide: float) -> Figure:
    return Figure(reason=found) if isinstance(found, str) else Figure(found.within(wide), found.n)


def _residuals(sheet: Sheet, name: str) -> tuple[Numbers, Numbers, Flags] | str:
    """For each answer what reviewers differ by, and how far its mean is from the usual; both squared."""
    size = len(sheet.reviewers)
    answers = sheet.scored(name)
    if size < 2:
        return "needs two reviewers"
    if few := _too_few(sheet, answers):
        return few
    scores = sheet.column(name).values
    levels = scores[:, answers].mean(axis=1, keepdims=True)
    flat = np.where(answers, scores - levels, 0.0)
    means = flat.mean(axis=0)
    return ((flat - means) ** 2).sum(axis=0), means**2, answers


def _disagreement(sheet: Sheet, name: str) -> Influence | str:
    found = _residuals(sheet, name)
    if isinstance(found, str):
        return found
    apart, _, answers = found
    return sheet.mean(apart / (len(sheet.reviewers) - 1), answers)


def _reliability(sheet: Sheet, name: str) -> Influence | str:
    """The intraclass correlation of single scores, reviewers' levels taken out."""
    found = _residuals(sheet, name)
    if isinstance(found, str):
        return found
    apart, between, answers = found
    size = len(sheet.reviewers)
    noise, signal = sheet.sums(apart, answers), sheet.sums(size * between, answers)
    count = sheet.sums(np.ones(len(answers)), answers)

    def correlation(e: Numbers, s: Numbers) -> Numbers:
        within, above = e / (size - 1), s - e / (size - 1)
        whole = above + size * within
        return np.divide(above, whole, out=np.zeros_like(whole), where=whole > 0)

    value = float(correlation(noise.sum(keepdims=True), signal.sum(keepdims=True))[0])
    without = correlation(noise.sum() - noise, signal.sum() - signal)
    n = int((count > 0).sum())
    parts = np.where(count > 0, (value - without) * (n - 1) / n, 0.0)
    return Influence(value, parts, n)


def _stability(sheet: Sheet) -> Compared:
    """Kendall's tau of the order by all reviewers with that by reviewers drawn anew, on average."""
    both = OVERALL in sheet and HOLISTIC in sheet
    answers = sheet.scored(OVERALL, HOLISTIC) if both else None
    return _compared({name: _stability_of(sheet, name, answers) for name in (OVERALL, HOLISTIC)})


def _stability_of(sheet: Sheet, name: str, among: Flags | None) -> Influence | str:
    size = len(sheet.reviewers)
    if name not in sheet:
        return f"no reviewer gave {'a holistic' if name == HOLISTIC else 'an overall'} score"
    answers = sheet.scored(name) if among is None else among
    if size < 2:
        return "needs two reviewers"
    if few := _too_few(sheet, answers):
        return few
    pairs, scores = pairs_of(sheet.question_of, answers), sheet.column(name).values
    everyone = pairs.signs(scores.mean(axis=0))
    panels = np.random.default_rng(_SEED).integers(0, size, (PANELS, size))
    found = [tau(pairs, everyone, pairs.signs(scores[panel].mean(axis=0))) for panel in panels]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return "reviewers give all answers the same score"
    return Influence(
        float(np.mean([one.value for one in known])), np.mean([one.parts for one in known], axis=0), known[0].n
    )


def _conciseness(sheet: Sheet) -> Figure:
    """Kendall's tau of conciseness with length: below 0 where longer answers are called less concise."""
    if CONCISENESS not in sheet:
        return Figure(reason="the rubric has no conciseness")
    scores, known = sheet.column(CONCISENESS).pooled(range(len(sheet.reviewers)))
    sizes, there = sheet.sizes
    usable = known & there
    if len(np.unique(sheet.question_of[usable])) < FEWEST_QUESTIONS:
        return Figure(reason=f"not enough data: needs {FEWEST_QUESTIONS} questions")
    pairs = pairs_of(sheet.question_of, usable)
    return _figure(tau(pairs, pairs.signs(scores), pairs.signs(sizes)) or "all answers are equally long or concise")


def _people(sheet: Sheet, people: Opinions | None) -> Compared:
    """Kendall's tau of the council's order with what people prefer."""
    if people is None:
        return _compared(dict.fromkeys((OVERALL, HOLISTIC), "no labels by people were given"))
    names = {OVERALL: CAPPED if CAPPED in sheet else OVERALL, HOLISTIC: HOLISTIC}
    return _compared({name: _with_people(sheet, used, people) for name, used in names.items()})


def _with_people(sheet: Sheet, name: str, people: Opinions) -> Influence | str:
    if name not in sheet:
        return f"no reviewer gave {'a holistic' if name == HOLISTIC else 'an overall'} score"
    scores, known = sheet.column(name).pooled(range(len(sheet.reviewers)))
    kept = known[people.pairs.one] & known[people.pairs.other]
    pairs, signs = people.pairs.at(kept), people.signs[kept]
    labelled = len(pairs.questions)
    if labelled < FEWEST_QUESTIONS:
        return f"not enough data: needs labels on {FEWEST_QUESTIONS} questions, has {labelled}"
    return tau(pairs, pairs.signs(scores), signs) or "people or reviewers see no difference between any two answers"


def _compared(found: dict[str, Influence | str]) -> Compared:
    rubric, holistic = found[OVERALL], found[HOLISTIC]
    known = isinstance(rubric, Influence) and isinstance(holistic, Influence)
    missing = rubric if isinstance(rubric, str) else holistic
    return Compared(_figure(rubric), _figure(holistic), _figure(less(rubric, holistic) if known else missing))  # type: ignore[arg-type]


def _verdict(stability: Compared, people: Compared) -> tuple[Earns, str]:
    """People decide where there are labels: a stable order may be stably wrong."""
    by_people, by_reviewers = people.difference.figure, stability.difference.figure
    found = by_people or by_reviewers
    if found is None:
        return "not shown", stability.difference.reason
    agrees = "its order agrees with people by {} more than that of the holistic score"
    stays = "its order is by {} more stable than that of the holistic score; labels by people say more"
    words = f"{found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f}, Kendall's tau)"
    earns: Earns = "yes" if found.low > 0 else "no" if found.high < 0 else "not shown"
    return earns, (agrees if by_people else stays).format(words)
