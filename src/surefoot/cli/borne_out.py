"""Certificates that the ledger's labels still bear out.

Labels are taken back, or it turns out that somebody picked them by hand. What was certified by them is then no longer
known, and has to be calibrated again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from surefoot.ledger import Ledger
from surefoot.measures import BUCKET_AXIS
from surefoot.records import BY_CHOICE, Certificate, Label, RunEntry, corpus_of, current


def certificates_in(ledger: Ledger, grader: str | None = None) -> list[Certificate]:
    """All but those whose labels are gone, which are named."""
    known = ledger.certificates(grader)
    labels, runs = (ledger.labels(), ledger.runs()) if known else ([], [])
    gone = {one.id for one in known if _lost(one, labels, runs)}
    for one in (one for one in known if one.id in gone):
        words = f"the certificate of {one.at[:10]} does not count: labels behind it were taken back, or were picked"
        click.echo(f"note: {words} by hand; calibrate again", err=True)
    return [one for one in known if one.id not in gone]


def _lost(certificate: Certificate, labels: Sequence[Label], runs: Iterable[RunEntry]) -> bool:
    """True where the ledger had as many labels drawn by chance as the certificate is on, and has fewer now."""
    record = certificate.axes.get(BUCKET_AXIS)
    drawn = sum(sum(row.values()) for row in record.table.values()) if record else 0
    fitting = {"", *(run.id for run in runs if _is_on(run, certificate))}
    behind = [
        label
        for label in labels
        if label.axis == BUCKET_AXIS and label.run in fitting and label.annotator in certificate.annotators
    ]
    return _answers(label for label in behind if label.value is not None) >= drawn > _answers(current(behind))


def _is_on(run: RunEntry, certificate: Certificate) -> bool:
    told = {key: str(run.manifest.get(key) or "") for key in ("grader", "corpus_sha256", "questions_sha256")}
    corpus = corpus_of(told["corpus_sha256"], told["questions_sha256"])
    return (told["grader"], corpus) == (certificate.grader, certificate.corpus)


def _answers(labels: Iterable[Label]) -> int:
    drawn = (label for label in labels if label.drawn not in BY_CHOICE)
    return len({label.version or (label.run, label.question_id, label.attempt) for label in drawn})
