"""Certificates: how far a grader can be trusted, bound to what it was found on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from surefoot.calibration.results import Calibration
from surefoot.records import AxisRecord, Certificate

_LONGEST = 16  # of a hash in a sentence


def certificate_of(calibration: Calibration, *, grader: str, rubric_sha256: str, corpus: str, at: str) -> Certificate:
    axes = {
        name: AxisRecord(n=axis.n, kappa=axis.kappa, table=axis.table, answers=axis.answers)
        for name, axis in calibration.axes.items()
        if axis.n
    }
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
    if not calibration.grader:
        return "the verdicts do not name their grader, so a certificate would be nobody's"
    if not calibration.labels:
        return "people put no answer into a bucket: a certificate is about factuality"
    return ""


def says_the_same(one: Certificate, other: Certificate) -> bool:
    """They differ in when they were made, at most."""
    return replace(one, id="", at="") == replace(other, id="", at="")


def standing(
    certificates: Sequence[Certificate], grader: str, rubric_sha256: str, corpus: str
) -> tuple[Certificate | None, str]:
    """The newest certificate for this grader, rubric and corpus; or None and why there is none."""
    newest_first = sorted(certificates, key=lambda certificate: (certificate.at, certificate.id), reverse=True)
    for certificate in newest_first:
        if (certificate.grader, certificate.rubric_sha256, certificate.corpus) == (grader, rubric_sha256, corpus):
            return certificate, ""
    if not grader:
        return None, "the verdicts do not name their grader, so no certificate can be for it"
    if not newest_first:
        return None, f"there is no certificate for the grader {grader}"
    # Of those that do not fit, the one that fits best tells most.
    best = max(newest_first, key=lambda c: (c.grader == grader, c.rubric_sha256 == rubric_sha256, c.corpus == corpus))
    if best.grader != grader:
        return None, f"expired: the certificate of {best.at[:10]} is for the grader {best.grader}, and this is {grader}"
    if best.rubric_sha256 != rubric_sha256:
        return None, f"expired: the rubric has changed since the certificate of {best.at[:10]} was made"
    theirs, ours = (name[:_LONGEST] or "one that is not named" for name in (best.corpus, corpus))
    return None, f"expired: the certificate of {best.at[:10]} is for another corpus ({theirs}, and this is {ours})"
