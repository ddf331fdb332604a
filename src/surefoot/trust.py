"""How far the verdicts of a comparison can be trusted, and the rules about that.

A rule about the grader is never failed, only undecidable: what is not known of the grader is no fault of the candidate.
But without it nothing ships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from surefoot import gate
from surefoot.calibration.certificates import standing
from surefoot.gate import Check, Rule
from surefoot.measures import BUCKET_AXIS, SideName
from surefoot.pairing import Side
from surefoot.records import PEOPLE, AxisRecord, Certificate, is_person
from surefoot.types import Estimate

LIFTED = "lifted by --uncalibrated"
_EXACT = 10**9


class Trust(Struct, frozen=True):
    """The certificate of whoever gave the verdicts, or why there is none and how to get one."""

    graders: tuple[str, ...] = ()
    certificate: Certificate | None = None
    reason: str = ""  # why there is none, or why a newer one does not count
    remedy: str = ""
    by_people: bool = False  # nobody but people: there is no grader to distrust


def trust_in(sides: Mapping[SideName, Side], certificates: Sequence[Certificate]) -> Trust:
    """One certificate has to fit the grader, the rubric and the documents of both sides."""
    graders = {name for side in sides.values() for name in side.graders or {v.grader for v in side.counted()}}
    nameless = {name for name in graders if not name.removeprefix(PEOPLE).strip()}
    named = tuple(sorted(name for name in graders - nameless if not is_person(name)))
    remedy = _remedy(sides["cand"])
    if nameless:
        return Trust(named, reason="there are verdicts that do not say who gave them", remedy=remedy)
    if not named:
        return Trust(tuple(sorted(graders)), by_people=bool(graders), reason="" if graders else "there are no verdicts")
    if len(named) > 1:
        return Trust(named, reason=f"a certificate is for one grader, not for {' and '.join(named)}", remedy=remedy)
    for side in (sides["base"], sides["cand"]):
        certificate, reason = standing(certificates, named[0], side.rubric, side.corpus)
        if certificate is None:
            return Trust(named, reason=reason, remedy=remedy)
    return Trust(named, certificate, reason, remedy)


def judge(rule: Rule, trust: Trust, *, lifted: bool) -> Check:
    """Hold a rule about the grader against its certificate; `lifted` does without what cannot be shown."""
    if trust.by_people:
        return Check(rule, "not_applicable", reason="the verdicts are people's own")
    seen = _seen(rule, trust.certificate)
    if seen is None:
        check = Check(rule, "undecidable", reason=_with_remedy(trust.reason, trust.remedy))
    else:
        check = gate.check(rule, lambda _: seen, lambda _: None)
        if check.status != "pass":
            lacking = seen.reason or _short(rule, check, seen)
            check = replace(check, status="undecidable", reason=_with_remedy(lacking, trust.remedy))
    if lifted and check.status != "pass":
        return replace(check, status="not_applicable", reason=LIFTED)
    return replace(check, to_be_sure=None)


def in_words(trust: Trust) -> str:
    """How far the grader can be trusted, in one sentence for every report."""
    if trust.by_people:
        return f"people gave the verdicts ({', '.join(name.removeprefix(PEOPLE) for name in trust.graders)})"
    who = f"the grader {' and '.join(trust.graders)}" if trust.graders else "whoever gave the verdicts"
    certificate = trust.certificate
    if certificate is None:
        return f"how far {who} can be trusted is not known: {trust.reason}"
    record = certificate.axes.get(BUCKET_AXIS)
    found = "" if record is None else share_found(record, "wrong")
    kappa = record and record.kappa
    agrees = f"agrees with people at kappa {kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f})" if kappa else ""
    told = [agrees, f"{certificate.labels} answers were labelled", found]
    return "; ".join(filter(None, [f"{who}: {', '.join(filter(None, told))}", trust.reason]))


def share_found(record: AxisRecord, bucket: str) -> str:
    """How much of what is truly in a bucket the grader puts there, over all answers and not just the labelled ones."""
    drawn = {verdict: sum(labels.values()) for verdict, labels in record.table.items()}
    weights = {verdict: record.answers.get(verdict, 0) / count for verdict, count in drawn.items() if count}
    truly = {verdict: weight * record.table[verdict].get(bucket, 0) for verdict, weight in weights.items()}
    if not weights:
        return f"how much of what is {bucket} it finds is not known: no labelled answer was drawn by chance"
    if not sum(truly.values()):
        return f"no label on an answer drawn by chance says {bucket}"
    return f"it finds about {truly.get(bucket, 0) / sum(truly.values()):.0%} of what is {bucket}"


def _seen(rule: Rule, certificate: Certificate | None) -> Estimate | None:
    if certificate is None:
        return None
    if rule.metric == "labels" and rule.group is None:
        return Estimate(certificate.labels, 1)
    record = certificate.axes.get(rule.group or "")
    if record is None:
        known = ", ".join(sorted(certificate.axes)) or "none"
        return Estimate(0, 0, reason=f"the certificate says nothing on {rule.group} (it has: {known})")
    if rule.metric == "labels":
        return Estimate(record.n, 1)
    if record.kappa is None:
        return Estimate(0, 0, reason=f"the labels on {rule.group} are too few or too much alike for a kappa")
    value = Fraction(record.kappa.value).limit_denominator(_EXACT)
    return Estimate(value.numerator, value.denominator, record.kappa.low, record.kappa.high)


def _short(rule: Rule, check: Check, seen: Estimate) -> str:
    if check.reason:
        return check.reason
    if rule.metric == "labels":
        return f"{seen.numerator} labels are too few"
    value = {"low": seen.low, "high": seen.high, None: float(seen.value or 0)}[rule.bound]
    return f"it is {value:.2f}: more labels narrow it, a better grader raises it"


def _remedy(side: Side) -> str:
    """What to type next; a run can be labelled here, a file of verdicts brings its labels along."""
    if side.traces:
        return f"surefoot label {side.name}, then surefoot calibrate {side.name}"
    return "surefoot calibrate --verdicts FILE --labels FILE --json, then pass --certificate"


def _with_remedy(reason: str, remedy: str) -> str:
    return f"{reason}; {remedy}" if remedy else reason
