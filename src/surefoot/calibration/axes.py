"""Calibrate a grader: every axis of its verdicts held against people's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from surefoot.calibration import figures, wording
from surefoot.calibration.confidences import reliability_of, send_to_a_person
from surefoot.calibration.figures import good_or_bad, only
from surefoot.calibration.joining import FACTUALITY, Answer, Joined, Place, join
from surefoot.calibration.means import is_number, mean_of
from surefoot.calibration.results import DIVIDED, MEAN, NOTHING_SAID, PICKED, AxisCalibration, Bucket, Calibration, Rate
from surefoot.calibration.tables import Confusion, Kind, confusion_of, from_certificate, named
from surefoot.records import CANNOT_TELL, SKIPPED, Certificate, Label, Value, whose, whose_by_name
from surefoot.rubric import Axis, Rubric
from surefoot.stats.agreement import Level, krippendorff_alpha
from surefoot.types import Verdict

RISK = 0.05
_LARGEST_COUNT = 20  # above, a count is a number and no set of buckets
_NOT_BUCKETS = "kappa is for values that can be told apart, not for scores"
_ONE_VALUE = "only one value was ever used, so there is nothing to agree on beyond chance"
_ORDINAL = frozenset({"citation_supports", "refusal_quality"})
_WIDTH_OF = "wrong"

Others = Mapping[str, Sequence[Answer]]  # answers without labels, by axis


def calibrate(
    verdicts: Sequence[Verdict],
    labels: Iterable[Label],
    rubric: Rubric,
    target: Others | None = None,
    *,
    versions: Mapping[Place, str] | None = None,
    documents: Mapping[str, str] | None = None,
    risk: float = RISK,
) -> Calibration:
    """Hold the verdicts of one grader against people's labels; `target` are its verdicts on answers without labels."""
    joined = join(verdicts, labels, versions=versions, documents=documents)
    return calibrate_joined(joined, rubric, target, risk=risk)


def calibrate_joined(
    joined: Joined, rubric: Rubric, target: Others | None = None, *, risk: float = RISK
) -> Calibration:
    """The same for the answers of several runs, joined one after the other."""
    axes, elsewhere, first = {}, dict[str, dict[str, Rate]](), dict[str, Any]()
    for axis in rubric.axes:
        answers = joined.axes.get(axis.name, [])
        if not any(answer.votes for answer in answers):
            continue
        people = tuple(sorted({name for answer in answers for name in answer.votes}))
        found = calibrate_axis(answers, axis, risk)
        axes[axis.name] = replace(found, annotators=people, labelled_by=whose(people))
        if axis.name == FACTUALITY and found.kappa_reason not in NOTHING_SAID:
            labels = f"{wording.counted(found.n, 'label')} of {whose_by_name(people)}"
            first = _first(_table(answers, axis, good_or_bad), labels)
        others = (target or {}).get(axis.name)
        if others and axis.values:
            table = _table(answers, axis)
            elsewhere[axis.name] = {
                bucket: figures.rate_elsewhere(others, _table(answers, axis, only(bucket)), bucket)
                for bucket in table.columns
            }
    shown = joined.axes.get(FACTUALITY, [])
    passed = Counter(answer.passed_over for answer in shown)
    explained = wording.elsewhere("of the run above", joined.labelled) if elsewhere else ""
    return Calibration(
        **first, skipped=passed[SKIPPED], cannot_tell=passed[CANNOT_TELL], skipped_note=wording.passed_over(shown),
        axes=axes, grader=joined.grader, labels=joined.labelled, annotators=tuple(sorted(joined.people)),
        labelled_by=whose(joined.people), target=elsewhere or None, target_explanation=explained,
        problems=tuple(joined.problems),
    )  # fmt: skip


def _first(confusion: Confusion, labels: str) -> dict[str, Any]:
    accepted, found = figures.accepted_but_bad(confusion), figures.caught(confusion)
    told = wording.headline(confusion, accepted, found and found[0], labels)
    return {"headline": told, "accepted_but_bad": accepted, "bad_caught": found and found[0]}


def calibrate_axis(answers: Sequence[Answer], axis: Axis, risk: float = RISK) -> AxisCalibration:
    confusion = _table(answers, axis)
    labelled = sum(answer.label is not None for answer in answers)
    alpha, alpha_reason = _alpha(answers, axis)
    divided = sum(answer.divides_people for answer in answers)
    found = AxisCalibration(n=labelled, divided=divided, alpha=alpha, alpha_reason=alpha_reason, explanation="")
    if not labelled:
        return _nothing(found, confusion, answers, axis, DIVIDED)
    if labelled < len(answers) and all(answer.chosen for answer in answers if answer.label is not None):
        return _nothing(found, confusion, answers, axis, PICKED)
    reliability, no_reliability = reliability_of(answers, confusion)
    means = {}
    explanation = wording.COUNTED if confusion.complete else wording.by_verdict(confusion)
    if is_number(axis):
        means[MEAN], explained = mean_of(answers, axis)
        explanation = f"{explanation} {explained}" if axis.values else explained
    said = filter(None, (wording.divided(answers), *wording.going_together(answers, confusion)))
    found = replace(
        found, kappa_reason=_NOT_BUCKETS, corrected=means, explanation=explanation, reliability=reliability,
        reliability_reason=no_reliability, notes=tuple(said),
    )  # fmt: skip
    if not confusion.columns:
        return found
    found = _with_buckets(found, answers, confusion, axis)
    more = wording.notes(confusion, found.kappa, found.ac1)
    return replace(found, notes=(*found.notes, *more), send_to_a_person=send_to_a_person(answers, confusion, risk))


def _with_buckets(
    found: AxisCalibration, answers: Sequence[Answer], confusion: Confusion, axis: Axis
) -> AxisCalibration:
    """What a table says besides: agreement, rates, and the table itself. Each bucket is held against all others."""
    buckets = {bucket: _table(answers, axis, only(bucket)) for bucket in confusion.columns if axis.values}
    rates = {bucket: figures.corrected(table, bucket) for bucket, table in buckets.items()}
    kappa, needed = figures.kappa_of(confusion), ""
    if not is_number(axis):
        widest = max(rates, key=lambda name: (rates[name].high or 0) - (rates[name].low or 0))
        bucket = _WIDTH_OF if _WIDTH_OF in rates else widest
        needed = figures.labels_needed(buckets[bucket], rates[bucket], bucket)
    return replace(
        found,
        kappa=kappa,
        kappa_reason="" if kappa else _ONE_VALUE,
        weighted_kappa=figures.kappa_of(confusion, "quadratic") if _is_ordinal(axis) or not axis.values else None,
        ac1=figures.ac1_of(confusion),
        per_bucket={bucket: figures.bucket_of(table, bucket) for bucket, table in buckets.items()},
        corrected=rates | found.corrected,
        table=confusion.table(confusion.drawn),
        chosen=confusion.table(confusion.chosen),
        answers=confusion.answers(),
        worth=confusion.worth(),
        answers_worth=confusion.answers_worth(),
        labels_needed=needed,
    )


def by_certificate(others: Others, certificate: Certificate, rubric: Rubric) -> Calibration:
    """Correct the rates of a run that nobody labelled with what a certificate says of its grader."""
    axes, first = {}, dict[str, Any]()
    for axis in rubric.axes:
        record, answers = certificate.axes.get(axis.name), others.get(axis.name)
        if record is None or not answers or not axis.values or not record.table:
            continue
        whole, people = from_certificate(record, axis.values), certificate.annotators_of(axis.name)
        tables = {bucket: from_certificate(record, axis.values, only(bucket)) for bucket in whole.columns}
        if axis.name == FACTUALITY:
            labels = f"the certificate of {certificate.at[:10]}, {wording.counted(record.n, 'label')}"
            first = _first(from_certificate(record, axis.values, good_or_bad), f"{labels} of {whose_by_name(people)}")
        given = {row for row, labels_ in record.table.items() if any(labels_.values())}
        axes[axis.name] = AxisCalibration(
            n=0,
            divided=record.divided,
            kappa=record.kappa,
            kappa_reason="" if record.kappa else "the certificate has none",
            per_bucket={bucket: figures.bucket_of(table, bucket) for bucket, table in tables.items()},
            corrected={bucket: figures.rate_elsewhere(answers, table, bucket) for bucket, table in tables.items()},
            # as people gave them, whatever they are worth
            table={row: {c: record.table[row].get(c, 0) for c in whole.columns} for row in whole.rows if row in given},
            answers=whole.answers(),
            worth=record.worth,
            answers_worth=record.answers_worth,
            annotators=people,
            labelled_by=whose(people),
            answers_here=dict(Counter(named(answer.verdict) for answer in answers)),
            explanation=wording.elsewhere(f"of the certificate of {certificate.at[:10]}", record.n),
            notes=(wording.divided_there(record.divided, people),) if record.divided else (),
        )
    return Calibration(
        **first, axes=axes, grader=certificate.grader, labels=0, annotators=(),
        labelled_by=whose(certificate.annotators), certificate=certificate,
        certificate_reason="it is an earlier one that still stands: no labels were drawn from these answers",
    )  # fmt: skip


def _table(answers: Sequence[Answer], axis: Axis, kind: Kind = str) -> Confusion:
    """Counts have a column for each number up to the largest; scores and large counts have no table."""
    values: Sequence[Value] = axis.values
    if not values:
        numbers = [value for answer in answers for value in (answer.verdict, answer.label) if value is not None]
        largest = max((value for value in numbers if isinstance(value, (int, float))), default=0)
        if axis.is_dimension or largest > _LARGEST_COUNT:
            return Confusion((), (), (), ())
        values = range(axis.least, int(largest) + 1)
    return confusion_of(answers, values, by_flag=axis.name != FACTUALITY, kind=kind)


def _is_ordinal(axis: Axis) -> bool:
    """Its values have an order: numbers, or words that a reader puts in order at sight."""
    return axis.name in _ORDINAL or bool(axis.values and all(isinstance(value, int) for value in axis.values))


def _alpha(answers: Sequence[Answer], axis: Axis) -> tuple[float | None, str]:
    """Krippendorff's alpha between people, or why there is none."""
    units = [answer.votes for answer in answers if len(answer.votes) > 1]
    if not units:
        return None, "no answer has labels by two annotators"
    level: Level = "ordinal" if _is_ordinal(axis) else "nominal" if axis.values else "interval"
    alpha = krippendorff_alpha(units, level, order=axis.values)
    return alpha, "" if alpha is not None else "all labels on answers that two annotators saw are the same"


def _nothing(
    found: AxisCalibration, confusion: Confusion, answers: Sequence[Answer], axis: Axis, reason: str
) -> AxisCalibration:
    """What is left where labels tell nothing of the other answers: the grader's own rates."""
    graded, buckets = confusion.answers(), confusion.columns if axis.values else ()
    shares = {bucket: graded.get(bucket, 0) / confusion.total for bucket in buckets}
    rates = {
        bucket: Rate(value=None, low=None, high=None, method="post-stratified", graded=share)
        for bucket, share in shares.items()
    }
    if is_number(axis):
        rates[MEAN], _ = mean_of(answers, axis)
    return replace(
        found,
        kappa_reason=reason,
        per_bucket={bucket: Bucket(sensitivity=None, specificity=None, reason=reason) for bucket in buckets},
        corrected={name: replace(rate, warning=reason) for name, rate in rates.items()},
        chosen=confusion.table(confusion.chosen),
        answers=graded,
        explanation="The rates are the grader's own: nothing can be said of its errors.",
    )
