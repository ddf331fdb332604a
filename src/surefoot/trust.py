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
from surefoot.calibration.certificates import left_out, standing
from surefoot.gate import Check, Rule
from surefoot.measures import BUCKET_AXIS, SideName
from surefoot.pairing import Side
from surefoot.records import PEOPLE, AxisRecord, Certificate, bare_name, whose, whose_by_name
from surefoot.stats import wilson
from surefoot.types import Estimate

LIFTED = "lifted by --uncalibrated"
_EXACT = 10**9


class Trust(Struct, frozen=True):
    """The certificate of whoever gave the verdicts, or why there is none and how to get one."""

    graders: tuple[str, ...] = ()
    certificate: Certificate | None = None
    reason: str = ""  # why there is none, or why a newer one does not count
    remedy: str = ""
    by_people: bool = False  # nobody but people: there is no grader to distrust, as there would be with an AI
    answers: int = 0  # different ones on both sides, where they are known: no more than that can be labelled


def trust_in(sides: Mapping[SideName, Side], certificates: Sequence[Certificate]) -> Trust:
    """One certificate has to fit the grader, the rubric and the documents of both sides."""
    graders = {name for side in sides.values() for name in side.graders or {v.grader for v in side.counted()}}
    nameless = {name for name in graders if not bare_name(name)}
    machines = tuple(sorted(name for name in graders - nameless if not name.startswith(PEOPLE)))
    remedy = _remedy(sides["cand"])
    if nameless:
        return Trust(machines, reason="there are verdicts that do not say who gave them", remedy=remedy)
    if not machines:
        return Trust(tuple(sorted(graders)), by_people=bool(graders), reason="" if graders else "there are no verdicts")
    if len(machines) > 1:
        return Trust(
            machines, reason=f"a certificate is for one grader, not for {' and '.join(machines)}", remedy=remedy
        )
    for side in (sides["base"], sides["cand"]):
        certificate, reason = standing(certificates, machines[0], side.rubric, side.corpus)
        if certificate is None:
            return Trust(machines, reason=reason, remedy=remedy)
    different = {version for side in sides.values() for version in side.versions.values()}
    return Trust(machines, certificate, reason, remedy, answers=len(different))


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
            check = replace(check, status="undecidable", reason=_with_remedy(lacking, remedy_for(rule, trust)))
    if lifted and check.status != "pass":
        return replace(check, status="not_applicable", reason=LIFTED)
    by = f"labels by {whose(trust.certificate.annotators_of(rule.group or BUCKET_AXIS))}" if trust.certificate else ""
    return replace(check, to_be_sure=None, reason=check.reason or by)


def remedy_for(rule: Rule, trust: Trust) -> str:
    """What would let a rule about the grader pass; where labels on everything would be too few, more questions."""
    if rule.metric == "labels" and 0 < trust.answers < rule.limit:
        return f"these runs have no more than {trust.answers} different answers: ask more questions"
    return trust.remedy


def in_words(trust: Trust) -> str:
    """How far the grader can be trusted, in one sentence for every report."""
    if trust.by_people:
        return f"people gave the verdicts ({', '.join(map(bare_name, trust.graders))})"
    who = f"the grader {' and '.join(trust.graders)}" if trust.graders else "whoever gave the verdicts"
    certificate = trust.certificate
    if certificate is None:
        return f"how far {who} can be trusted is not known: {trust.reason}"
    record = certificate.axes.get(BUCKET_AXIS)
    labelled = "one answer was labelled" if certificate.labels == 1 else f"{certificate.labels} answers were labelled"
    told = [f"{who}: {labelled} by {whose_by_name(certificate.annotators)}"]
    if record and record.divided:
        told.append(f"they were divided on {record.divided} more")
    beyond = (called_correct(record), _left_out(record)) if record else ()
    return "; ".join(filter(None, (", ".join(told), agreement_by_axis(certificate), *beyond, trust.reason)))


def agreement_by_axis(certificate: Certificate) -> str:
    """The record of a grader on every axis that was labelled: that on one says nothing of the others."""
    axes = sorted(certificate.axes.items(), key=lambda axis: (axis[0] != BUCKET_AXIS, axis[0]))
    found = [_agreement(name, record, certificate) for name, record in axes]
    return f"kappa with these labels: {', '.join(found)}" if found else ""


def _agreement(name: str, record: AxisRecord, certificate: Certificate) -> str:
    kappa = record.kappa
    seen = f"{kappa.value:z.2f} ({kappa.low:z.2f} to {kappa.high:z.2f})" if kappa else "none"
    by = whose(certificate.annotators_of(name))
    return f"{name} {seen}" + ("" if by == whose(certificate.annotators) else f" by {by}")


def called_correct(record: AxisRecord) -> str:
    """What whoever ships has to know: how many of the answers that the grader calls correct are not."""
    labels = record.weighed.get("correct", {})
    others = sum(count for label, count in labels.items() if label != "correct")
    drawn = others + labels.get("correct", 0)
    if not record.answers.get("correct"):
        return "it calls no answer correct"
    if not drawn:
        return "how many of the answers it calls correct are not is not known: none of them has a label that counts"
    low, high = wilson(others, drawn)
    return f"of the answers it calls correct, {others / drawn:.1%} ({low:.1%} to {high:.1%}) are not"


def _left_out(record: AxisRecord) -> str:
    return left_out(record.table, record.answers, record.n - _drawn(record))


def _drawn(record: AxisRecord) -> int:
    """Labels on answers that were drawn by chance: one that was picked speaks for itself alone."""
    return sum(sum(labels.values()) for labels in record.table.values())


def _seen(rule: Rule, certificate: Certificate | None) -> Estimate | None:
    if certificate is None:
        return None
    record = certificate.axes.get(rule.group or BUCKET_AXIS)
    if record is not None and (missed := _left_out(record)):
        return Estimate(0, 0, reason=missed)
    if record is None and rule.group is None and rule.metric == "labels":
        return Estimate(certificate.labels, 1)
    if record is None:
        known = ", ".join(sorted(certificate.axes)) or "none"
        return Estimate(0, 0, reason=f"the certificate says nothing on {rule.group} (it has: {known})")
    if rule.metric == "labels":
        return Estimate(_drawn(record) if record.table else record.n, 1)
    if record.kappa is None:
        return Estimate(0, 0, reason=f"the labels on {rule.group} are too few or too much alike for a kappa")
    value = Fraction(record.kappa.value).limit_denominator(_EXACT)
    return Estimate(value.numerator, value.denominator, record.kappa.low, record.kappa.high)


def _short(rule: Rule, check: Check, seen: Estimate) -> str:
    if check.reason:
        return check.reason
    if rule.metric == "labels":
        few = "1 label drawn by chance is" if seen.numerator == 1 else f"{seen.numerator} labels drawn by chance are"
        return f"{few} too few"
    value = {"low": seen.low, "high": seen.high, None: float(seen.value or 0)}[rule.bound]
    return f"it is {value:z.2f}: more labels narrow it, a better grader raises it"


def _remedy(side: Side) -> str:
    """What to type next; a run can be labelled here, a file of verdicts brings its labels along."""
    if side.traces:
        together = " ".join((*side.labelled_beside, side.name))
        return f"surefoot label {side.name}, then surefoot calibrate {together}"
    return "surefoot calibrate --verdicts FILE --labels FILE --json, then pass --certificate"


def _with_remedy(reason: str, remedy: str) -> str:
    return f"{reason}; {remedy}" if remedy else reason
