"""Axes that are numbers: the mean people would give, from all scores and some labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from surefoot.calibration.answers import Answer
from surefoot.calibration.results import Method, Rate
from surefoot.records import Value
from surefoot.rubric import HIGHEST, LOWEST, Axis
from surefoot.stats import ALPHA
from surefoot.stats.correction import ppi_mean, ppi_refused
from surefoot.stats.design_effect import alikeness, each_counts


class Part(NamedTuple):
    """The mean of some answers, with what its interval adds to either side."""

    n: int
    value: float
    half: float
    method: Method
    why: str


_COUNTED = "Every answer is labelled, so the mean is counted."
_STEADIED = (
    "The labels are from this very run: the mean is theirs, steadied by the scores of the other answers (PPI++)."
)
_TOO_FEW = "There is no mean: it takes two labels on flagged answers, and two on the others."
_AMONG = {True: "of the flagged answers, ", False: "of the answers that are not flagged, ", None: ""}
_ALL_THE_SAME = "all labels are the same, which does not tell how far other answers may differ"


def is_number(axis: Axis) -> bool:
    """Its values can be averaged: counts, scores, and steps with numbers for names."""
    return axis.is_dimension or not axis.values or all(isinstance(value, int) for value in axis.values)


def mean_of(answers: Sequence[Answer], axis: Axis) -> tuple[Rate, str]:
    """The mean, and a sentence on how it was found.

    Flagged answers are labelled more often than others, so both kinds are estimated apart and weighed by their number.
    Answers that were picked speak for themselves alone.
    """
    picked = [answer for answer in answers if answer.chosen and answer.label is not None]
    drawn = [answer for answer in answers if not answer.chosen or answer.label is None]
    scores = [_number(answer.verdict) for answer in answers if answer.verdict is not None]
    graded = float(np.mean(scores)) if scores else None
    alike = max(
        _alike([answer for answer in answers if answer.verdict is not None], scores),
        _alike(labelled := [a for a in answers if a.label is not None], [_number(a.label) for a in labelled]),
    )
    parts = [Part(1, _number(answer.label), 0.0, "counted", _COUNTED) for answer in picked]
    for flag in (True, False, None):
        kind = [answer for answer in drawn if answer.flagged is flag]
        part = _part(kind, _AMONG[flag], alike)
        if kind and part is None:
            return Rate(method="labels alone", graded=graded), _TOO_FEW
        parts += [part] if part else []
    # The weakest of the ways is named.
    way = next((p for m in ("labels alone", "ppi++", "counted") for p in parts if p.method == m), parts[0])
    whole = sum(part.n for part in parts)
    value = sum(part.n * part.value for part in parts) / whole
    halves = [part.n / whole * part.half for part in parts]
    # Where answers that go together are in several parts, these err together.
    half = sum(halves) if _deff(drawn, alike) > 1 else sqrt(sum(one**2 for one in halves))
    if not half:
        return Rate(value=value, method=way.method, graded=graded, warning=_ALL_THE_SAME), way.why
    least, most = (float(LOWEST), float(HIGHEST)) if axis.is_dimension else (float(axis.least), inf)
    if axis.values:
        least, most = _number(min(axis.values)), _number(max(axis.values))
    low, high = max(least, value - half), min(most, value + half)
    return Rate(value=value, low=low, high=high, method=way.method, graded=graded), way.why


def _part(answers: Sequence[Answer], among: str, alike: float) -> Part | None:
    labelled = [answer for answer in answers if answer.label is not None]
    rest = [answer for answer in answers if answer.label is None]
    if len(labelled) < 2:
        return None
    labels = [_number(answer.label) for answer in labelled]
    refused = ppi_refused(labels)
    if rest and refused is None and all(answer.verdict is not None for answer in answers):
        scores, others = ([_number(answer.verdict) for answer in some] for some in (labelled, rest))
        found = ppi_mean(labels, scores, others)
        half = (found.high - found.low) / 2 * sqrt(max(_deff(labelled, alike), _deff(answers, alike)))
        return Part(len(answers), found.value, half, "ppi++", _STEADIED)
    worth = len(labels) / _deff(labelled, alike)
    error = float(np.std(labels, ddof=1)) / sqrt(worth)
    half = float(stdtrit(max(1, worth - 1), 1 - ALPHA / 2)) * error
    not_why = f"{among}{refused}" if refused else "not every answer has a score"
    why = f"The mean is that of the labels alone: {not_why}." if rest else _COUNTED
    return Part(len(answers), float(np.mean(labels)), half, "labels alone" if rest else "counted", why)


def _alike(answers: Sequence[Answer], numbers: Sequence[float]) -> float:
    return alikeness(np.array(numbers, dtype=float)[:, None], [answer.member for answer in answers])


def _deff(answers: Sequence[Answer], alike: float) -> float:
    """How many times the squared error grows because some answers go together; 1 where none do."""
    return 1 / each_counts(Counter(answer.member for answer in answers), alike)


def _number(value: Value) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is no number")
    return float(value)
