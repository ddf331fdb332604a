"""Certificates: how far a grader can be trusted, bound to what it was found on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

import msgspec
from msgspec.structs import replace

from surefoot.calibration.joining import FACTUALITY
from surefoot.calibration.results import PICKED, UNGRADED, Calibration, Table
from surefoot.records import AxisRecord, Certificate, bare_name

_LONGEST = 16  # of a hash in a sentence
_ROUNDING = 1e-4  # of what labels are worth
_HARDLY_BY_CHANCE = 3  # a fair draw that should meet a verdict so often misses it one time in twenty


def certificate_of(calibration: Calibration, *, grader: str, rubric_sha256: str, corpus: str, at: str) -> Certificate:
    axes = {
        name: AxisRecord(
            n=axis.n, kappa=axis.kappa, table=axis.table, answers=axis.answers, divided=axis.divided, worth=axis.worth,
            answers_worth=axis.answers_worth,
            annotators=() if axis.annotators == calibration.annotators else axis.annotators,
        )
        for name, axis in calibration.axes.items()
        if axis.n and axis.kappa_reason != PICKED
    }  # fmt: skip
    return sealed(
        Certificate(
            id="", at=at, grader=grader, rubric_sha256=rubric_sha256, corpus=corpus, labels=calibration.labels,
            annotators=calibration.annotators, axes=axes,
        )
    )  # fmt: skip


def sealed(certificate: Certificate) -> Certificate:
    """The certificate with the hash of all the rest as its id."""
    rest = msgspec.to_builtins(replace(certificate, id=""))
    del rest["id"]
    return replace(certificate, id=hashlib.sha256(msgspec.json.encode(rest, order="sorted")).hexdigest())


def why_none(calibration: Calibration) -> str:
    """Why nothing can be certified; "" if it can."""
    if not bare_name(calibration.grader):
        return "the verdicts do not name their grader, so a certificate would be nobody's"
    if not calibration.labels:
        return "nobody put an answer into a bucket: a certificate is about factuality"
    factuality = calibration.axes.get(FACTUALITY)
    return PICKED if factuality is not None and factuality.kappa_reason == PICKED else ""


def left_out(table: Table, answers: Mapping[str, int], picked: int = 0) -> str:
    """Which verdict the labels pass over, though a fair draw of as many would have met it; "" where they do not.

    Labels that leave a verdict out are no sample: nobody looked where the grader may err. A certificate does not say
    what verdicts the `picked` answers have, so they may all have this one.
    """
    drawn = sum(sum(row.values()) for row in table.values())
    beside = ", beside those that were picked" if picked else ""
    for verdict, count in sorted(answers.items(), key=lambda item: -item[1]):
        expected = drawn * (count - picked) / sum(answers.values())
        if expected >= _HARDLY_BY_CHANCE and not sum(table.get(verdict, {}).values()):
            which = "without a verdict" if verdict == UNGRADED else f"graded {verdict}"
            return f"none of the {count} answers {which} has a label that counts{beside}: label some of them"
    return ""


def says_the_same(one: Certificate, other: Certificate) -> bool:
    """They differ in when they were made, at most."""
    return replace(one, id="", at="") == replace(other, id="", at="")


def fault_in(certificate: Certificate) -> str:
    """What shows that it is not as `calibrate` made it; "" where nothing does."""
    return next(_faults(certificate), "")


def _faults(certificate: Certificate) -> Iterator[str]:
    record = certificate.axes.get(FACTUALITY)
    if sealed(certificate).id != certificate.id:
        yield "its id is not the hash of the rest"
    if certificate.labels < 0:
        yield f"it counts {certificate.labels} labels"
    if record is not None and record.n != certificate.labels:
        yield f"it counts {certificate.labels} labels in all, and {record.n} on {FACTUALITY}"
    for name, record in certificate.axes.items():
        yield from (f"{name}: {fault}" for fault in (*_faults_in(record), *_faults_in_worth(record)))


def _faults_in(record: AxisRecord) -> Iterator[str]:
    counts = [count for row in record.table.values() for count in row.values()]
    if min((record.n, record.divided, *counts, *record.answers.values())) < 0:
        yield "there is a count below 0"
    if sum(counts) > record.n:
        yield f"{sum(counts)} labels are in the table, and {record.n} were counted"
    for verdict, row in record.table.items():
        if sum(row.values()) > record.answers.get(verdict, 0):
            yield f"more answers with the verdict {verdict} are labelled than there are"
    kappa = record.kappa
    if kappa is not None and not -1 <= kappa.low <= kappa.value <= kappa.high <= 1:
        yield f"kappa cannot be {kappa.value:g} ({kappa.low:g} to {kappa.high:g})"


def _faults_in_worth(record: AxisRecord) -> Iterator[str]:
    """Labels may be worth less than they are, and never more."""
    numbers = [worth for row in record.worth.values() for worth in row.values()]
    if not all(isfinite(number) and number >= 0 for number in (*numbers, record.answers_worth or 0)):
        yield "what labels or answers are worth is below 0, or no number"
    for verdict, row in record.worth.items():
        counts, on = record.table.get(verdict, {}), f"on answers with the verdict {verdict}"
        if not row.keys() <= counts.keys():
            yield f"labels are worth something {on}, and are not in the table"
        if sum(row.values()) > sum(counts.values()) + _ROUNDING:
            yield f"the labels {on} are worth more than there are"
        if any(worth and not counts.get(label) for label, worth in row.items()):
            yield f"a label that nobody gave is worth something {on}"
    if (record.answers_worth or 0) > sum(record.answers.values()):
        yield "the answers are worth more than there are"


def standing(
    certificates: Sequence[Certificate], grader: str, rubric_sha256: str, corpus: str
) -> tuple[Certificate | None, str]:
    """The newest sound certificate for this grader, rubric and corpus; or None and why there is none.

    Beside one that stands, the words say which newer one does not count.
    """
    if not grader:
        return None, "the verdicts do not name their grader, so no certificate can be for it"
    newest_first = sorted(certificates, key=lambda certificate: (certificate.at, certificate.id), reverse=True)
    wanted = (grader, rubric_sha256, corpus)
    fitting = [one for one in newest_first if (one.grader, one.rubric_sha256, one.corpus) == wanted]
    if fitting:
        return next((one for one in fitting if not fault_in(one)), None), _edited(fitting[0])
    others = [certificate for certificate in newest_first if not fault_in(certificate)]
    if not others:
        return None, f"there is no certificate for the grader {grader}"
    # Of those that do not fit, the one that fits best tells most.
    best = max(others, key=lambda c: (c.grader == grader, c.rubric_sha256 == rubric_sha256, c.corpus == corpus))
    which = f"the certificate of {best.at[:10]}"
    if best.grader != grader:
        return None, f"expired: {which} is for the grader {best.grader}, and this is {grader}"
    if best.rubric_sha256 != rubric_sha256:
        return None, f"expired: the rubric has changed since {which} was made"
    theirs, ours = (name[:_LONGEST] or "one that is not named" for name in (best.corpus, corpus))
    return None, f"expired: {which} is for another corpus ({theirs}, and this is {ours})"


def _edited(certificate: Certificate) -> str:
    fault = fault_in(certificate)
    which = f"that of {certificate.at[:10]} ({certificate.id[:_LONGEST]})"
    return f"a certificate in the ledger was edited: {which}, {fault}" if fault else ""
