"""How the grader and people agree on an axis: kappa, AC1, alpha between people, sensitivity and specificity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from surefoot.calibration.joining import Answer
from surefoot.calibration.results import UNGRADED, Bucket
from surefoot.calibration.tables import Confusion, Numbers, interval_of, share_of
from surefoot.records import Interval
from surefoot.rubric import Axis
from surefoot.stats.agreement import Level, Weights, ac1s, cohen_kappa, kappas, krippendorff_alpha

_ORDINAL = frozenset({"citation_supports", "refusal_quality"})
_ONE_VALUE = "only one value was ever used, so there is nothing to agree on beyond chance"

Views = tuple[Numbers, Numbers]  # what Confusion.views gives


def is_ordinal(axis: Axis) -> bool:
    """Its values have an order: numbers, or words that a reader puts in order at sight."""
    return axis.name in _ORDINAL or bool(axis.values and all(isinstance(value, int) for value in axis.values))


class Agreement(NamedTuple):
    """What the table of one axis says of the grader, and why there is no kappa where there is none."""

    kappa: Interval | None
    weighted_kappa: Interval | None
    ac1: Interval | None
    per_bucket: dict[str, Bucket]
    reason: str


def agreement_of(confusion: Confusion, *, weighted: bool = False) -> Agreement:
    """Of a table that speaks for all answers."""
    views = confusion.views()
    kappa = kappa_of(confusion, views)
    return Agreement(
        kappa,
        kappa_of(confusion, views, "quadratic") if weighted else None,
        ac1_of(confusion, views),
        buckets_of(confusion, views),
        "" if kappa else _ONE_VALUE,
    )


def kappa_of(confusion: Confusion, views: Views, weights: Weights = "none") -> Interval | None:
    """Cohen's kappa; None where only one value was ever used. A verdict that is lacking agrees with no label."""
    tables = [confusion.shares(), *views]
    if weights == "none":
        shares, *drawn = map(_square, tables)
    else:  # what is ungraded has no place on a scale
        graded = [row for row, name in enumerate(confusion.rows) if name != UNGRADED]
        shares, *drawn = (table[..., graded, :] for table in tables)
    # The large-sample interval has no width where all agree, so it is taken from the draws.
    plain = cohen_kappa(shares.tolist(), weights) if shares.sum() else None
    return None if plain is None else interval_of(plain.value, (kappas(table, weights) for table in drawn))


def ac1_of(confusion: Confusion, views: Views) -> Interval | None:
    """Gwet's AC1 over the values that were used at all."""
    shares, *drawn = map(_square, (confusion.shares(), *views))
    used = np.flatnonzero(shares.sum(axis=0) + shares.sum(axis=1))
    if len(used) < 2:
        return None
    value, *many = (ac1s(table[..., used, :][..., used]) for table in (shares, *drawn))
    return interval_of(float(value), many)


def alpha_of(answers: Sequence[Answer], axis: Axis) -> tuple[float | None, str]:
    """Krippendorff's alpha between people, or why there is none."""
    units = [answer.votes for answer in answers if len(answer.votes) > 1]
    if not units:
        return None, "no answer has labels by two annotators"
    level: Level = "ordinal" if is_ordinal(axis) else "nominal" if axis.values else "interval"
    alpha = krippendorff_alpha(units, level, order=axis.values)
    return alpha, "" if alpha is not None else "all labels on answers that two annotators saw are the same"


def buckets_of(confusion: Confusion, views: Views) -> dict[str, Bucket]:
    """Sensitivity and specificity for every value of the axis."""
    found = {}
    for at, name in enumerate(confusion.columns):
        others = [column for column in range(len(confusion.columns)) if column != at]
        sensitivity = _share(confusion, views, at, [at])
        specificity = _share(confusion, views, at, others, rejects=True)
        reason = "" if sensitivity else f"no labelled answer is {name}"
        if specificity is None:
            reason = f"all labelled answers are {name}"
        found[name] = Bucket(sensitivity=sensitivity, specificity=specificity, reason=reason)
    return found


def _share(
    confusion: Confusion, views: Views, row: int, columns: list[int], *, rejects: bool = False
) -> Interval | None:
    """Of the answers with these labels, how many have this verdict (or, `rejects`, have not)."""
    counts = confusion.tally()[:, columns].sum(axis=1)
    whole = float(counts.sum())
    if not whole:
        return None
    if confusion.is_plain(confusion.rows[row]):
        hits = float(whole - counts[row] if rejects else counts[row])
        return share_of(hits, whole, confusion.labels_count(confusion.columns[column] for column in columns))
    value, *drawn = (_part(table[..., columns].sum(axis=-1), row, rejects) for table in (confusion.shares(), *views))
    return interval_of(float(value), drawn)


def _part(by_row: Numbers, row: int, rejects: bool) -> Numbers:
    """A label that has no share in a draw is found as often as not."""
    whole = by_row.sum(axis=-1)
    share = np.divide(by_row[..., row], whole, out=np.full_like(whole, 0.5), where=whole > 0)
    return np.asarray(1 - share if rejects else share)


def _square(table: Numbers) -> Numbers:
    """With a column of nothing for each row that no label can have."""
    missing = table.shape[-2] - table.shape[-1]
    return np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, missing)])
