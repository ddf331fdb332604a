"""Does the grader know when it is wrong? Its confidence held against what people say."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.calibration.answers import Answer
from surefoot.calibration.confusion import Confusion, named
from surefoot.calibration.results import Reliability, SendToAPerson
from surefoot.stats.confidence import conformal_threshold, fit, reliability

_NO_CONFIDENCE = "the verdicts state no confidence from 0 to 1"


def reliability_of(answers: Sequence[Answer], confusion: Confusion) -> tuple[Reliability | None, str]:
    """Bins, their mean gap, and a curve for each source; or None and why."""
    stated = [answer for answer in answers if _states(answer)]
    checked = [answer for answer in stated if answer.label is not None]
    if not checked:
        return None, "no answer with a confidence is labelled" if stated else _NO_CONFIDENCE
    members = [answer.member for answer in checked]
    bins, ece = reliability(*_columns(checked, confusion), members, confusion.alike)
    sources = sorted({answer.source for answer in checked})
    by_source = {source: [answer for answer in checked if answer.source == source] for source in sources}
    fits = {source: fit(*_columns(mine, confusion)) for source, mine in by_source.items()}
    return Reliability(n=len(checked), bins=tuple(bins), ece=ece, fits=fits), ""


def _columns(checked: Sequence[Answer], confusion: Confusion) -> tuple[list[float], list[bool], list[float]]:
    """What was stated, whether people agree, and how many answers of the run each stands for."""
    said = [answer.confidence or 0.0 for answer in checked]
    return said, [answer.label == answer.verdict for answer in checked], weights_of(checked, confusion)


def send_to_a_person(answers: Sequence[Answer], confusion: Confusion, risk: float) -> SendToAPerson | None:
    """From which confidence down a person should look, so that at most `risk` of all verdicts are wrong and unseen."""
    stated = [answer for answer in answers if _states(answer)]
    checked = [answer for answer in stated if answer.label is not None]
    if not checked:
        return None
    said, agreed, weights = _columns(checked, confusion)
    threshold = conformal_threshold(said, [not right for right in agreed], risk, weights)
    if threshold is None:
        count = len(checked)
        few = "one labelled verdict is too little" if count == 1 else f"{count} labelled verdicts are too few"
        reason = f"{few} to promise that at most {risk:.0%} stay wrong and unseen"
        return SendToAPerson(risk=risk, threshold=None, reason=reason)
    below = sum((answer.confidence or 0.0) <= threshold for answer in stated)
    return SendToAPerson(risk=risk, threshold=threshold, share=below / len(stated))


def _states(answer: Answer) -> bool:
    return answer.verdict is not None and answer.confidence is not None and 0 <= answer.confidence <= 1


def weights_of(labelled: Sequence[Answer], confusion: Confusion) -> list[float]:
    """How many answers of the run each labelled one stands for."""
    answers, drawn = confusion.drawn_by_verdict()
    return [
        1.0 if one.chosen or not drawn[named(one.verdict)] else answers[named(one.verdict)] / drawn[named(one.verdict)]
        for one in labelled
    ]
