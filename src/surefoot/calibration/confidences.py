"""Does the grader know when it is wrong? Its confidence held against what people say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from surefoot.calibration.clusters import Member, Numbers, each_counts
from surefoot.calibration.joining import Answer
from surefoot.calibration.results import Bin, Fit, Reliability, SendToAPerson
from surefoot.calibration.tables import Confusion, named
from surefoot.stats.confidence import (
    FEWEST_OF_EACH,
    Isotonic,
    conformal_threshold,
    expected_calibration_error,
    fit_isotonic,
    fit_platt,
    reliability,
)

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
    stated = [answer for answer in answers if _states(answer)]
    if not stated:
        return None, "the verdicts state no confidence from 0 to 1"
    held = _held(stated, confusion)
    if not held:
        return None, "no answer with a confidence is labelled"
    said, agreed, weights = _columns(held)

    def worth(shares: Numbers, places: Iterable[int]) -> float:
        members = Counter[Member]()
        for share, at in zip(shares.tolist(), places, strict=True):
            members[held[at].member] += share
        return each_counts(members, confusion.alike)

    bins = tuple(
        Bin(low=float(b.low), high=float(b.high), n=b.n, confidence=b.confidence, agreed=b.accuracy,
            agreed_low=b.accuracy_low, agreed_high=b.accuracy_high)
        for b in reliability(said, agreed, weights=weights, worth=worth)
    )  # fmt: skip
    fits = {source: _fit([row for row in held if row.source == source]) for source in sorted({r.source for r in held})}
    ece = expected_calibration_error(said, agreed, weights=weights)
    return Reliability(n=len(held), bins=bins, ece=ece or 0.0, fits=fits), ""


def send_to_a_person(answers: Sequence[Answer], confusion: Confusion, risk: float) -> SendToAPerson | None:
    """From which confidence down a person should look, so that at most `risk` of all verdicts are wrong and unseen."""
    stated = [answer for answer in answers if _states(answer)]
    held = _held(stated, confusion)
    if not held:
        return None
    said, agreed, weights = _columns(held)
    threshold = conformal_threshold(said, [not right for right in agreed], risk, weights=weights)
    if threshold is None:
        few = "one labelled verdict is too little" if len(held) == 1 else f"{len(held)} labelled verdicts are too few"
        reason = f"{few} to promise that at most {risk:.0%} stay wrong and unseen"
        return SendToAPerson(risk=risk, threshold=None, reason=reason)
    below = sum((answer.confidence or 0.0) <= threshold for answer in stated)
    return SendToAPerson(risk=risk, threshold=threshold, share=below / len(stated))


def _states(answer: Answer) -> bool:
    return answer.verdict is not None and answer.confidence is not None and 0 <= answer.confidence <= 1


def _held(answers: Sequence[Answer], confusion: Confusion) -> list[Held]:
    answered, labelled = defaultdict[str, float](float), defaultdict[str, float](float)
    for cell in confusion.drawn:
        answered[cell.verdict] += cell.n
        labelled[cell.verdict] += cell.m
    stands_for = {verdict: answered[verdict] / m for verdict, m in labelled.items() if m}
    return [
        Held(
            float(answer.confidence or 0.0),
            answer.label == answer.verdict,
            1.0 if answer.chosen else stands_for.get(named(answer.verdict), 1.0),
            answer.source,
            answer.member,
        )
        for answer in answers
        if answer.label is not None
    ]


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
