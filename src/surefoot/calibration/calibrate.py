"""Calibrate a grader: every axis of its verdicts held against people's labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from surefoot.calibration import estimates, results, words
from surefoot.calibration.answers import FACTUALITY, Answer, Joined
from surefoot.calibration.confusion import Confusion, confusion_of, named
from surefoot.calibration.estimates import is_number, mean_of, only
from surefoot.calibration.results import NOTHING_SAID, AxisCalibration, Bucket, Calibration, Differing, Rate
from surefoot.core.intervals import percent_agreement
from surefoot.core.records import SKIPPED, whose, whose_by_name
from surefoot.core.rubric import AXIS_PREFIX, Axis, Rubric
from surefoot.core.words import counted

_NOT_BUCKETS = "kappa is for values that can be told apart, not for scores"
_ONE_VALUE = "only one value was ever used, so there is nothing to agree on beyond chance"
_WIDTH_OF = "wrong"


def calibrate(joined: Joined, rubric: Rubric, *, corpus: str = "") -> Calibration:
    """Hold verdicts against labels."""
    axes, first = dict[str, AxisCalibration](), dict[str, Any]()
    for axis in (*rubric.axes, *_scored_by_council(joined)):
        answers = joined.axes.get(axis.name, [])
        if not any(answer.votes for answer in answers):
            continue
        one = axes[axis.name] = calibrate_axis(answers, axis)
        if axis.name == FACTUALITY and one.kappa_reason not in NOTHING_SAID:
            accepted, caught = estimates.headline(answers)
            said = words.headline(
                answers, accepted, caught, f"{counted(one.n, 'label')} of {whose_by_name(one.annotators)}"
            )
            first = {"headline": said, "accepted_but_bad": accepted, "bad_caught": caught}
    shown = joined.axes.get(FACTUALITY, [])
    skipped = sum(answer.passed_over == SKIPPED for answer in shown)
    return Calibration(
        **first, skipped=skipped, cannot_tell=sum(answer.unsure > 0 for answer in shown),
        skipped_note=words.passed_over(shown), axes=axes, grader=joined.grader, rubric_sha256=rubric.sha256,
        corpus=corpus, labels=joined.labelled, runs=joined.runs, differ=_differing(joined),
        annotators=tuple(sorted(joined.people)),
        labelled_by=whose(joined.people), problems=tuple(joined.problems),
    )  # fmt: skip


def _differing(joined: Joined) -> tuple[Differing, ...]:
    """All of them, those among the answers that were picked too."""
    found = [
        Differing(
            question_id=one.question_id, attempt=one.attempt, run=joined.runs[one.run - 1] if joined.runs else "",
            graded=named(one.verdict), label=named(one.label), confidence=one.confidence,
        )
        for one in joined.axes.get(FACTUALITY, ())
        if one.label is not None and one.label != one.verdict
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (-(one.confidence or 0), one.question_id, one.attempt)))


def _scored_by_council(joined: Joined) -> list[Axis]:
    """The dimensions of a council's scores, whatever its rubric calls them; whether an answer is safe is no score."""
    return [
        Axis(name=name, asks="", weight=0.0)
        for name, answers in sorted(joined.axes.items())
        if name.startswith(AXIS_PREFIX) and not any(isinstance(answer.verdict, str) for answer in answers)
    ]


def calibrate_axis(answers: Sequence[Answer], axis: Axis) -> AxisCalibration:
    confusion = confusion_of(answers, axis)
    labelled = [answer for answer in answers if answer.label is not None]
    people = tuple(sorted({name for answer in answers for name in answer.votes}))
    found = AxisCalibration(
        n=len(labelled), divided=sum(answer.is_disputed for answer in answers), kappa_reason=_NOT_BUCKETS,
        between_people=percent_agreement(answer.independent for answer in answers), annotators=people,
        labelled_by=whose(people), explanation="",
    )  # fmt: skip
    if all(answer.verdict is None for answer in answers):
        return _without_sample(found, confusion, answers, axis, results.NO_VERDICT)
    if not labelled:
        return _without_sample(found, confusion, answers, axis, results.DIVIDED)
    if len(labelled) < len(answers) and all(answer.chosen for answer in labelled):
        return _without_sample(found, confusion, answers, axis, results.PICKED)
    means, explanation = {}, words.COUNTED if confusion.complete else words.by_verdict(confusion)
    if is_number(axis):
        means[results.MEAN], explained = mean_of(answers, axis)
        explanation = f"{explanation} {explained}" if axis.values else explained
    found = replace(
        found, corrected=means, explanation=explanation,
        notes=(*words.divided(answers), *words.unsure(answers), *words.clusters(answers, confusion),
               *words.scores(answers, axis)),
    )  # fmt: skip
    if not confusion.columns:
        return found
    found = _with_buckets(found, answers, confusion, axis)
    return replace(found, notes=(*found.notes, *words.notes(confusion, found.kappa, found.agreement)))


def _with_buckets(
    found: AxisCalibration, answers: Sequence[Answer], confusion: Confusion, axis: Axis
) -> AxisCalibration:
    """What a table says besides: agreement, rates, and the table itself. Each bucket is held against all others."""
    buckets = {bucket: confusion_of(answers, axis, only(bucket)) for bucket in confusion.columns if axis.values}
    rates = {bucket: estimates.corrected(table, bucket) for bucket, table in buckets.items()}
    kappa, needed = estimates.kappa_of(confusion), ""
    if not is_number(axis):
        widest = max(rates, key=lambda name: (rates[name].high or 0) - (rates[name].low or 0))
        bucket = _WIDTH_OF if _WIDTH_OF in rates else widest
        needed = estimates.labels_needed(buckets[bucket], rates[bucket], bucket)
    return replace(
        found,
        kappa=kappa,
        kappa_reason="" if kappa else _ONE_VALUE,
        agreement=estimates.agreement_of(confusion),
        per_bucket={bucket: estimates.bucket_of(table, bucket) for bucket, table in buckets.items()},
        corrected=rates | found.corrected,
        table=confusion.table(confusion.drawn),
        chosen=confusion.table(confusion.chosen),
        answers=confusion.answers(),
        labels_needed=needed,
    )


def _without_sample(
    found: AxisCalibration, confusion: Confusion, answers: Sequence[Answer], axis: Axis, reason: str
) -> AxisCalibration:
    """What is left where labels tell nothing of the other answers: the grader's own rates."""
    graded, buckets = confusion.answers(), confusion.columns if axis.values else ()
    rates = {
        bucket: Rate(method="post-stratified", graded=graded.get(bucket, 0) / confusion.total, warning=reason)
        for bucket in buckets
    }
    if is_number(axis):
        rates[results.MEAN] = Rate(method="labels alone", graded=mean_of(answers, axis)[0].graded, warning=reason)
    return replace(
        found,
        kappa_reason=reason,
        per_bucket={bucket: Bucket(reason=reason) for bucket in buckets},
        corrected=rates,
        chosen=confusion.table(confusion.chosen),
        answers=graded,
        explanation="The rates are the grader's own: nothing can be said of its errors.",
    )
