"""Does the grader know when it is wrong? Its confidence held against what people say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from surefoot.calibration.answers import Answer
from surefoot.calibration.confusion import Confusion, named
from surefoot.calibration.results import Fit, Reliability, SendToAPerson
from surefoot.stats.confidence import (
    FEWEST_OF_EACH,
    Isotonic,
    conformal_threshold,
    expected_calibration_error,
    fit_isotonic,
    fit_platt,
    reliability,
)
from surefoot.stats.design_effect import Member, Numbers, each_counts

_ENOUGH_FOR_ANY_SHAPE = 200  # verdicts: from here on a curve of no given shape, below a logistic one


class Held(NamedTuple):
    """A verdict with its confidence, whether people agree, and how many answers it stands for."""

    confidence: float
    agreed: bool
    weight: float
    source: str
    member: Member


def reliability_of(answers: Sequence[Answer], confusion: Confusion) -> tuple[Reliability | None, str]:
    """Bins, ECE, and a curve per source; or why there is nothing of it."""
    if not any(map(_states, answers)):
        return None, "the verdicts state no confidence from 0 to 1"
    held = _held(answers, confusion)
    if not held:
        return None, "no answer with a confidence is labelled"

    def worth(shares: Numbers, places: Iterable[int]) -> float:
        members = Counter[Member]()
        for share, at in zip(shares.tolist(), places, strict=True):
            members[held[at].member] += share
        return each_counts(members, confusion.alike)

    said, agreed, weights = _columns(held)
    bins = reliability(said, agreed, weights=weights, worth=worth)
    fits = {source: _fit([row for row in held if row.source == source]) for source in sorted({r.source for r in held})}
    ece = expected_calibration_error(said, agreed, weights=weights)
    return Reliability(n=len(held), bins=tuple(bins), ece=ece or 0.0, fits=fits), ""


def send_to_a_person(answers: Sequence[Answer], confusion: Confusion, risk: float) -> SendToAPerson | None:
    """From which confidence down a person should look, so that at most `risk` of all verdicts are wrong and unseen."""
    held = _held(answers, confusion)
    if not held:
        return None
    said, agreed, weights = _columns(held)
    threshold = conformal_threshold(said, [not right for right in agreed], risk, weights=weights)
    if threshold is None:
        few = "one labelled verdict is too little" if len(held) == 1 else f"{len(held)} labelled verdicts are too few"
        reason = f"{few} to promise that at most {risk:.0%} stay wrong and unseen"
        return SendToAPerson(risk=risk, threshold=None, reason=reason)
    below = [(answer.confidence or 0.0) <= threshold for answer in answers if _states(answer)]
    return SendToAPerson(risk=risk, threshold=threshold, share=sum(below) / len(below))


def _states(answer: Answer) -> bool:
    return answer.verdict is not None and answer.confidence is not None and 0 <= answer.confidence <= 1


def _held(answers: Sequence[Answer], confusion: Confusion) -> list[Held]:
    answered, labelled = Counter[str](), Counter[str]()
    for cell in confusion.drawn:
        answered[cell.verdict] += cell.n
        labelled[cell.verdict] += int(cell.m)
    found = []
    for answer in answers:
        if answer.label is not None and _states(answer):
            drawn = 0 if answer.chosen else labelled[named(answer.verdict)]
            stands_for = answered[named(answer.verdict)] / drawn if drawn else 1.0
            agrees = answer.label == answer.verdict
            found.append(Held(float(answer.confidence or 0.0), agrees, stands_for, answer.source, answer.member))
    return found


def _columns(held: Sequence[Held]) -> tuple[list[float], list[bool], list[float]]:
    return [row.confidence for row in held], [row.agreed for row in held], [row.weight for row in held]


def _fit(held: Sequence[Held]) -> Fit:
    said, agreed, weights = _columns(held)
    fit = (fit_isotonic if len(held) >= _ENOUGH_FOR_ANY_SHAPE else fit_platt)(said, agreed, weights=weights)
    if fit is None:
        reason = f"a fit takes {FEWEST_OF_EACH} verdicts that the labels bear out and {FEWEST_OF_EACH} that they do not"
        return Fit(kind=None, n=len(held), reason=f"{reason}; there are {sum(agreed)} and {len(held) - sum(agreed)}")
    if isinstance(fit, Isotonic):
        return Fit(kind="isotonic", n=len(held), confidences=fit.confidences, right=fit.right)
    return Fit(kind="platt", n=len(held), slope=fit.slope, intercept=fit.intercept)
