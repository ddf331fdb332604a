"""What a table of numbers does not say by itself, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from surefoot.calibration.answers import Answer
from surefoot.calibration.confusion import Confusion, named
from surefoot.calibration.results import UNGRADED
from surefoot.core.records import Interval, whose
from surefoot.core.rubric import Axis
from surefoot.core.table import ACCEPTABLE
from surefoot.core.words import counted

ENOUGH = 50  # labels
_HIGH, _LOW = 0.8, 0.4  # of agreement and kappa
_NAMED, _LONGEST_ID = 3, 60
_FEWEST_PAIRS = 2  # scores with a label
_HARDLY_BY_CHANCE = 3  # a fair draw that should meet a verdict so often misses it one time in twenty

COUNTED = "Every answer is labelled, so the rates are counted; the intervals are for further answers like these."


def headline(answers: Sequence[Answer], accepted: Interval | None, caught: Interval | None, labels: str) -> str:
    """The two numbers that whoever ships needs, and whose `labels` they rest on."""
    if accepted is not None:
        first = f"of the answers the grader calls acceptable, {_share(accepted)} are not"
    elif any(answer.verdict in ACCEPTABLE for answer in answers):
        first = "how many of the answers the grader calls acceptable are not is unknown: no label on them counts"
    else:
        first = "the grader calls no answer acceptable"
    second = (
        f"of the bad ones, {_share(caught)} are caught"
        if caught
        else "no labelled answer is bad, so how many bad ones are caught is unknown"
    )
    return f"{_begun(first)}; {second} (by {labels})."


def passed_over(answers: Sequence[Answer]) -> str:
    """Answers that people would not label may be the hard ones; "" where there are none."""
    without = [answer for answer in answers if answer.passed_over]
    if not without:
        return ""
    shown = len(without) + sum(bool(answer.votes) for answer in answers)
    said = Counter(named(answer.verdict) for answer in without).most_common()
    verdicts = ", ".join(f"{count} of them {_graded(verdict)}" for verdict, count in said)
    return (
        f"{len(without)} of {counted(shown, 'answer')} shown were skipped or could not be told ({verdicts}): all rates"
        " hold for the others only, and are too good if these are the hard ones."
    )


def scores(answers: Sequence[Answer], axis: Axis) -> Iterator[str]:
    """How near a grader's scores come to those of people, answer by answer: a mean may be right by chance."""
    both = [(answer.verdict, answer.label) for answer in answers if axis.is_dimension]
    pairs = [(one, two) for one, two in both if isinstance(one, (int, float)) and isinstance(two, (int, float))]
    if len(pairs) < _FEWEST_PAIRS:
        return
    apart = sum(abs(one - two) for one, two in pairs) / len(pairs)
    yield f"On {counted(len(pairs), 'answer')}, grader and labels are {apart:.1f} points apart on average."


def unsure(answers: Sequence[Answer]) -> Iterator[str]:
    """Who cannot tell gives no label, and agrees or disagrees with nobody."""
    torn = [answer for answer in answers if answer.unsure and answer.votes]
    if torn:
        names = ", ".join(answer.question_id[:_LONGEST_ID] for answer in torn[:_NAMED])
        yield (
            f"Of {counted(len(torn), 'labelled answer')}, such as {names}, another annotator says that they cannot"
            " tell: the labels count, and agreement between annotators leaves who cannot tell out."
        )


def by_verdict(confusion: Confusion) -> str:
    """Why rates are post-stratified."""
    picked = f" Labelled answers that were picked, not drawn ({confusion.picked}), speak for themselves alone."
    return (
        "The labels are on these very answers and were drawn by verdict, so the labels of each verdict stand for all"
        f" answers that have it (post-stratified).{picked if confusion.picked else ''}"
    )


def notes(confusion: Confusion, kappa: Interval | None, agreement: float | None) -> Iterator[str]:
    if confusion.labelled < ENOUGH:
        few = f"{confusion.labelled} labels are few" if confusion.labelled > 1 else "One label is little"
        yield f"{few}: {ENOUGH} is the least to go by, several hundred are better."
    answers, labelled = confusion.drawn_by_verdict()
    for verdict, n in answers.items():
        if not labelled[verdict]:
            beside = ", not counting those that were picked" if confusion.picked else ""
            none = f"No answer {_graded(verdict)} has a label that counts ({n} of {confusion.total}{beside})"
            would_be_met = labelled.total() * n / answers.total() >= _HARDLY_BY_CHANCE
            but = " A fair draw would have met some, so these labels are no sample: label some of them."
            yield f"{none}, which widens the intervals.{but if would_be_met else ''}"
    if kappa is not None and agreement is not None and kappa.value < _LOW and agreement >= _HIGH:
        yield (
            f"Kappa is low ({kappa.value:z.2f}) although grader and labels mostly agree ({agreement:.1%}): nearly"
            " all answers have one value, where chance agrees often. Go by sensitivity and specificity here."
        )


def divided(answers: Sequence[Answer]) -> Iterator[str]:
    """Without this, a grader that errs where annotators disagree looks like one that never does."""
    torn = [answer for answer in answers if answer.is_disputed]
    if torn:
        who = _begun(whose(name for answer in answers for name in answer.votes))
        of = counted(sum(bool(answer.votes) for answer in answers), "labelled answer")
        names = ", ".join(answer.question_id[:_LONGEST_ID] for answer in torn[:_NAMED])
        yield (
            f"{who} are divided on {len(torn)} of {of}, such as {names}: these count as not labelled, so kappa and"
            " rates are those of the answers they agree on. Settle them, or agree on the rubric first."
        )


def clusters(answers: Sequence[Answer], confusion: Confusion) -> Iterator[str]:
    """Why intervals are wider than so many answers would have them."""
    questions = len({answer.question_id for answer in answers})
    if questions < len(answers):
        yield (
            f"{len(answers)} answers are attempts at {counted(questions, 'question')}, which count as no more than"
            f" {questions}: intervals allow for attempts at one question that are all right or all wrong."
        )
    if len({answer.member[0] for answer in answers}) < questions and confusion.alike:
        documents = len({answer.document for answer in answers} - {""})
        without = len({answer.question_id for answer in answers if not answer.document})
        beside = f" ({counted(without, 'question')} on none that is known)" if without else ""
        yield (
            f"The questions are on {counted(documents, 'document')}{beside}, and answers on one document go together"
            f" (correlation {confusion.alike:.2f}): all {len(answers)} count for about"
            f" {confusion.counts * len(answers):.0f} independent ones in the intervals."
        )


def _share(share: Interval) -> str:
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _graded(row: str) -> str:
    return "without a verdict" if row == UNGRADED else f"graded {row}"
