"""Does the grader know when it is wrong? Its confidence held against what people say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from surefoot.calibration.answers import Answer
from surefoot.calibration.confusion import Confusion, named
from surefoot.calibration.results import Reliability, SendToAPerson
from surefoot.stats.confidence import conformal_threshold, reliability
from surefoot.stats.design_effect import Member, Numbers, each_counts


class Checked(NamedTuple):
    """Verdicts with a confidence that are labelled: whether people agree, and how many answers each stands for."""

    confidences: list[float]
    agreed: list[bool]
    weights: list[float]
    members: list[Member]


def reliability_of(answers: Sequence[Answer], confusion: Confusion) -> tuple[Reliability | None, str]:
    """Bins and ECE; or why there is nothing of it."""
    if not any(map(_states, answers)):
        return None, "the verdicts state no confidence from 0 to 1"
    checked = _checked(answers, confusion)
    if not checked.members:
        return None, "no answer with a confidence is labelled"

    def worth(shares: Numbers, places: Iterable[int]) -> float:
        members = Counter[Member]()
        for share, at in zip(shares.tolist(), places, strict=True):
            members[checked.members[at]] += share
        return each_counts(members, confusion.alike)

    bins, ece = reliability(checked.confidences, checked.agreed, checked.weights, worth)
    return Reliability(n=len(checked.members), bins=tuple(bins), ece=ece), ""


def send_to_a_person(answers: Sequence[Answer], confusion: Confusion, risk: float) -> SendToAPerson | None:
    """From which confidence down a person should look, so that at most `risk` of all verdicts are wrong and unseen."""
    checked = _checked(answers, confusion)
    count = len(checked.members)
    if not count:
        return None
    threshold = conformal_threshold(checked.confidences, [not right for right in checked.agreed], risk, checked.weights)
    if threshold is None:
        few = "one labelled verdict is too little" if count == 1 else f"{count} labelled verdicts are too few"
        reason = f"{few} to promise that at most {risk:.0%} stay wrong and unseen"
        return SendToAPerson(risk=risk, threshold=None, reason=reason)
    below = [(answer.confidence or 0.0) <= threshold for answer in answers if _states(answer)]
    return SendToAPerson(risk=risk, threshold=threshold, share=sum(below) / len(below))


def _states(answer: Answer) -> bool:
    return answer.verdict is not None and answer.confidence is not None and 0 <= answer.confidence <= 1


def _checked(answers: Sequence[Answer], confusion: Confusion) -> Checked:
    answered, labelled = confusion.drawn_by_verdict()
    found = Checked([], [], [], [])
    for answer in answers:
        if answer.label is not None and _states(answer):
            drawn = 0 if answer.chosen else labelled[named(answer.verdict)]
            found.confidences.append(float(answer.confidence or 0.0))
            found.agreed.append(answer.label == answer.verdict)
            found.weights.append(answered[named(answer.verdict)] / drawn if drawn else 1.0)
            found.members.append(answer.member)
    return found
