"""Calibrate a grader: every axis of its verdicts held against people's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec.structs import replace

from surefoot.calibration import wording
from surefoot.calibration.agreement import agreement_of, alpha_of, is_ordinal
from surefoot.calibration.confidences import reliability_of, send_to_a_person
from surefoot.calibration.joining import FACTUALITY, Answer, Joined, Place, join
from surefoot.calibration.means import is_number, mean_of
from surefoot.calibration.rates import corrected, labels_needed
from surefoot.calibration.results import (
    DIVIDED,
    MEAN,
    NOTHING_SAID,
    PICKED,
    AxisCalibration,
    Bucket,
    Calibration,
    Rate,
    SendToAPerson,
    Table,
)
from surefoot.calibration.tables import Confusion, confusion_of, from_certificate, named
from surefoot.calibration.transfer import rates_elsewhere
from surefoot.records import AxisRecord, Certificate, Label, Value, whose
from surefoot.rubric import Axis, Rubric
from surefoot.types import Verdict

RISK = 0.05
_LARGEST_COUNT = 20  # above, a count is a number and no set of buckets
_NOT_BUCKETS = "kappa is for values that can be told apart, not for scores"
_WIDTH_OF = "wrong"

Verdicts = Mapping[str, Sequence[Value]]  # of other answers, by axis


def calibrate(
    verdicts: Sequence[Verdict],
    labels: Iterable[Label],
    rubric: Rubric,
    target: Verdicts | None = None,
    *,
    versions: Mapping[Place, str] | None = None,
    risk: float = RISK,
) -> Calibration:
    """Hold the verdicts of one grader against people's labels; `target` are its verdicts on answers without labels."""
    return calibrate_joined(join(verdicts, labels, versions=versions), rubric, target, risk=risk)


def calibrate_joined(
    joined: Joined, rubric: Rubric, target: Verdicts | None = None, *, risk: float = RISK, of_target: str = ""
) -> Calibration:
    """The same for the answers of several runs, joined one after the other."""
    axes, elsewhere = {}, dict[str, dict[str, Rate]]()
    bucketed = {(a.question_id, a.attempt) for a in joined.axes.get(FACTUALITY, []) if a.label is not None}
    for axis in rubric.axes:
        answers = joined.axes.get(axis.name, [])
        if not any(answer.votes for answer in answers):
            continue
        people = tuple(sorted({name for answer in answers for name in answer.votes}))
        found = calibrate_axis(answers, axis, risk, bucketed)
        axes[axis.name] = replace(found, annotators=people, labelled_by=whose(people))
        others = (target or {}).get(axis.name)
        if others and axis.values:
            elsewhere[axis.name] = rates_elsewhere(others, _table(answers, axis))
    return Calibration(
        axes=axes,
        grader=joined.grader,
        labels=joined.labelled,
        annotators=tuple(sorted(joined.people)),
        labelled_by=whose(joined.people),
        target=elsewhere or None,
        target_explanation=wording.elsewhere(f"of {of_target or 'the run above'}", joined.labelled)
        if elsewhere
        else "",
        problems=tuple(joined.problems),
    )


def calibrate_axis(
    answers: Sequence[Answer], axis: Axis, risk: float = RISK, bucketed: Container[Place] = ()
) -> AxisCalibration:
    """`bucketed` are the answers that people put into a bucket, whether or not this axis applies to them."""
    found = _where_people_agree(answers, axis, risk, bucketed)
    divided = sum(answer.divides_people for answer in answers)
    if found.kappa_reason in NOTHING_SAID:
        return replace(found, divided=divided)
    first = (wording.divided(answers) if divided else "", wording.repeated(answers))
    return replace(found, divided=divided, notes=(*filter(None, first), *found.notes))


def _where_people_agree(
    answers: Sequence[Answer], axis: Axis, risk: float, bucketed: Container[Place]
) -> AxisCalibration:
    confusion = _table(answers, axis)
    labelled = sum(answer.label is not None for answer in answers)
    if not labelled:
        return _nothing(confusion, answers, axis, DIVIDED)
    if labelled < len(answers) and all(answer.chosen for answer in answers if answer.label is not None):
        return _nothing(confusion, answers, axis, PICKED)
    alpha, alpha_reason = alpha_of(answers, axis)
    reliability, no_reliability = reliability_of(answers, confusion)
    means = {}
    explanation = wording.COUNTED if confusion.complete else wording.by_verdict(confusion)
    if is_number(axis):
        means[MEAN], explained = mean_of(answers, axis)
        explanation = f"{explanation} {explained}" if axis.values else explained
    found = AxisCalibration(
        n=labelled, kappa=None, kappa_reason=_NOT_BUCKETS, alpha=alpha, alpha_reason=alpha_reason, per_bucket={},
        corrected=means, table={}, chosen={}, answers={}, explanation=explanation, reliability=reliability,
        reliability_reason=no_reliability,
    )  # fmt: skip
    if not confusion.columns:
        return found
    found = _with_buckets(found, confusion, axis, send_to_a_person(answers, confusion, risk))
    said = wording.notes(confusion, found.kappa, found.ac1, lambda row: wording.why_unlabelled(row, answers, bucketed))
    return replace(found, notes=tuple(said))


def _with_buckets(
    found: AxisCalibration, confusion: Confusion, axis: Axis, person: SendToAPerson | None
) -> AxisCalibration:
    """What a table says besides: agreement, rates, and the table itself."""
    agreed = agreement_of(confusion, weighted=is_ordinal(axis) or not axis.values)
    rates = corrected(confusion) if axis.values else {}
    return replace(
        found,
        kappa=agreed.kappa,
        kappa_reason=agreed.reason,
        weighted_kappa=agreed.weighted_kappa,
        ac1=agreed.ac1,
        per_bucket=agreed.per_bucket if axis.values else {},
        corrected=rates | found.corrected,
        table=confusion.table(confusion.drawn),
        chosen=confusion.table(confusion.chosen),
        answers=confusion.answers(),
        worth=confusion.worth(),
        answers_worth=confusion.answers_worth(),
        labels_needed="" if is_number(axis) else labels_needed(confusion, rates, _of_interest(rates)),
        send_to_a_person=person,
    )


def by_certificate(verdicts: Verdicts, certificate: Certificate, rubric: Rubric) -> Calibration:
    """Correct the rates of a run that nobody labelled with what a certificate says of its grader."""
    axes = {}
    for axis in rubric.axes:
        record, others = certificate.axes.get(axis.name), verdicts.get(axis.name)
        if record is None or not others or not axis.values or not record.table:
            continue
        confusion = from_certificate(record, axis.values)
        axes[axis.name] = AxisCalibration(
            n=0,
            divided=record.divided,
            kappa=record.kappa,
            kappa_reason="" if record.kappa else "the certificate has none",
            per_bucket=agreement_of(confusion).per_bucket,
            corrected=rates_elsewhere(others, confusion),
            table=_as_counted(record, confusion),
            chosen={},
            answers=confusion.answers(),
            worth=record.worth,
            answers_worth=record.answers_worth,
            annotators=certificate.annotators_of(axis.name),
            labelled_by=whose(certificate.annotators_of(axis.name)),
            answers_here=dict(Counter(map(named, others))),
            explanation=wording.elsewhere(f"of the certificate of {certificate.at[:10]}", record.n),
            notes=(wording.divided_there(record.divided, certificate.annotators_of(axis.name)),)
            if record.divided
            else (),
        )
    return Calibration(
        axes=axes, grader=certificate.grader, labels=0, annotators=(), labelled_by=whose(certificate.annotators),
        certificate=certificate,
        certificate_reason="it is an earlier one that still stands: no labels were drawn from these answers",
    )  # fmt: skip


def _table(answers: Sequence[Answer], axis: Axis) -> Confusion:
    """Counts have a column for each number up to the largest; scores and large counts have no table."""
    values: Sequence[Value] = axis.values
    if not values:
        numbers = [value for answer in answers for value in (answer.verdict, answer.label) if value is not None]
        largest = max((value for value in numbers if isinstance(value, (int, float))), default=0)
        if axis.is_dimension or largest > _LARGEST_COUNT:
            return Confusion((), (), (), ())
        values = range(axis.least, int(largest) + 1)
    return confusion_of(answers, values, by_flag=axis.name != FACTUALITY)


def _as_counted(record: AxisRecord, confusion: Confusion) -> Table:
    """The labels of a certificate as people gave them, whatever they are worth."""
    labelled = {row: labels for row in confusion.rows if any((labels := record.table.get(row, {})).values())}
    return {row: {column: labels.get(column, 0) for column in confusion.columns} for row, labels in labelled.items()}


def _of_interest(rates: Mapping[str, Rate]) -> str:
    """The bucket whose interval matters most: wrong, else the one that is least known."""
    return (
        _WIDTH_OF
        if _WIDTH_OF in rates
        else max(rates, key=lambda name: (rates[name].high or 0) - (rates[name].low or 0))
    )


def _nothing(confusion: Confusion, answers: Sequence[Answer], axis: Axis, reason: str) -> AxisCalibration:
    """What is left where labels tell nothing of the other answers: the grader's own rates."""
    alpha, alpha_reason = alpha_of(answers, axis)
    graded = confusion.answers()
    buckets = confusion.columns if axis.values else ()
    rates = {
        bucket: Rate(
            value=None, low=None, high=None, method="post-stratified", graded=graded.get(bucket, 0) / confusion.total
        )
        for bucket in buckets
    }
    if is_number(axis):
        rates[MEAN], _ = mean_of(answers, axis)
    return AxisCalibration(
        n=sum(answer.label is not None for answer in answers),
        kappa=None,
        kappa_reason=reason,
        alpha=alpha,
        alpha_reason=alpha_reason,
        per_bucket={bucket: Bucket(sensitivity=None, specificity=None, reason=reason) for bucket in buckets},
        corrected={name: replace(rate, warning=reason) for name, rate in rates.items()},
        table={},
        chosen=confusion.table(confusion.chosen),
        answers=graded,
        explanation="The rates are the grader's own: nothing can be said of its errors.",
    )
