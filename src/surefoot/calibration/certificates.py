"""Certificates: how far a grader can be trusted, bound to the grader, rubric and corpus it was found on."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from math import isfinite

import msgspec
from msgspec.structs import replace

from surefoot.calibration.answers import FACTUALITY
from surefoot.calibration.results import PICKED, Calibration
from surefoot.records import (
    BY_CHOICE,
    AxisRecord,
    Certificate,
    Label,
    RunEntry,
    Value,
    bare_name,
    corpus_of,
    current,
    place_of,
)

_LONGEST = 16  # of a hash in a sentence


def certified(found: Calibration, *, rubric_sha256: str, corpus: str, at: str) -> Calibration:
    """The calibration with its certificate, or with the reason why nothing can be certified."""
    if reason := _why_none(found):
        return replace(found, certificate_reason=reason)
    axes = {
        name: AxisRecord(
            n=axis.n, kappa=axis.kappa, table=axis.table, answers=axis.answers, divided=axis.divided, worth=axis.worth,
            answers_worth=axis.answers_worth,
            annotators=() if axis.annotators == found.annotators else axis.annotators,
        )
        for name, axis in found.axes.items()
        if axis.n and axis.kappa_reason != PICKED
    }  # fmt: skip
    made = Certificate(
        id="", at=at, grader=found.grader, rubric_sha256=rubric_sha256, corpus=corpus, labels=found.labels,
        annotators=found.annotators, axes=axes,
    )  # fmt: skip
    return replace(found, certificate=sealed(made))


def _why_none(found: Calibration) -> str:
    if not bare_name(found.grader):
        return "the verdicts do not name their grader, so a certificate would be nobody's"
    if not found.labels:
        return "nobody put an answer into a bucket: a certificate is about factuality"
    return PICKED if found.axes[FACTUALITY].kappa_reason == PICKED else ""


def sealed(certificate: Certificate) -> Certificate:
    """The certificate with the hash of all the rest as its id."""
    rest = msgspec.to_builtins(replace(certificate, id=""))
    del rest["id"]
    return replace(certificate, id=hashlib.sha256(msgspec.json.encode(rest, order="sorted")).hexdigest())


def says_the_same(one: Certificate, other: Certificate) -> bool:
    """They differ in when they were made, at most."""
    return replace(one, id="", at="") == replace(other, id="", at="")


def standing(
    certificates: Iterable[Certificate],
    bound_to: tuple[str, str, str],
    labels: Sequence[Label] = (),
    runs: Sequence[RunEntry] = (),
) -> tuple[Certificate | None, str]:
    """The newest certificate that counts for this grader, rubric and corpus; or None and why there is none.

    Beside one that stands, the words say why a newer one does not count. `labels` and `runs` are those of the ledger.
    """
    grader, rubric_sha256, corpus = bound_to
    newest_first = sorted(
        (one for one in certificates if one.grader == grader), key=lambda c: (c.at, c.id), reverse=True
    )
    judged = [(one, fault_in(one) or _outdated(one, labels, runs)) for one in newest_first]
    fitting = [(one, fault) for one, fault in judged if (one.rubric_sha256, one.corpus) == (rubric_sha256, corpus)]
    if fitting:
        return next((one for one, fault in fitting if not fault), None), fitting[0][1]
    others = [one for one, fault in judged if not fault]
    if not others:
        return None, f"there is no certificate for {f'the grader {grader}' if grader else 'a grader without a name'}"
    # Of those that do not fit, the one that fits best tells most.
    best = next((one for one in others if one.rubric_sha256 == rubric_sha256), others[0])
    which = f"the certificate of {best.at[:10]}"
    if best.rubric_sha256 != rubric_sha256:
        return None, f"expired: the rubric has changed since {which} was made"
    theirs, ours = (name[:_LONGEST] or "one that is not named" for name in (best.corpus, corpus))
    return None, f"expired: {which} is for another corpus ({theirs}, and this is {ours})"


def fault_in(certificate: Certificate) -> str:
    """What shows that it is not as `calibrate` made it; "" where nothing does."""
    faults = [f"its counts on {name} cannot be" for name, one in certificate.axes.items() if not _is_possible(one)]
    if sealed(certificate).id != certificate.id:
        faults.insert(0, "its id is not the hash of the rest")
    which = f"that of {certificate.at[:10]} ({certificate.id[:_LONGEST]})"
    return f"a certificate in the ledger was edited: {which}, {faults[0]}" if faults else ""


def _is_possible(record: AxisRecord) -> bool:
    counts: list[float] = [record.n, record.divided, record.answers_worth or 0, *record.answers.values()]
    for table in (record.table, record.worth):
        counts += [count for row in table.values() for count in row.values()]
    enough = all(sum(row.values()) <= record.answers.get(verdict, 0) for verdict, row in record.table.items())
    return enough and all(isfinite(count) and count >= 0 for count in counts)


def _outdated(certificate: Certificate, labels: Sequence[Label], runs: Iterable[RunEntry]) -> str:
    """That somebody has said something else since of an answer that was labelled then, or picked it; "" otherwise."""
    fitting = {"", *(run.id for run in runs if _is_on(run, certificate))}
    behind = [label for label in labels if label.run in fitting and label.annotator in certificate.annotators]
    now = _said(behind)
    then = _said(label for label in behind if label.at <= certificate.at)
    if all(now.get(place) == said for place, said in then.items()):
        return ""
    why = "labels behind it were changed since, or picked by hand; calibrate again"
    return f"the certificate of {certificate.at[:10]} does not count: {why}"


def _is_on(run: RunEntry, certificate: Certificate) -> bool:
    told = {key: str(run.manifest.get(key) or "") for key in ("grader", "corpus_sha256", "questions_sha256")}
    corpus = corpus_of(told["corpus_sha256"], told["questions_sha256"])
    return (told["grader"], corpus) == (certificate.grader, certificate.corpus)


def _said(labels: Iterable[Label]) -> dict[Hashable, tuple[Value, bool]]:
    """What stands of each person on each axis of each answer, and whether it was picked by hand."""
    return {place_of(label): (label.value, label.drawn in BY_CHOICE) for label in current(labels)}
