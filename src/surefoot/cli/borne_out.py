"""Certificates that the ledger's labels still bear out.

Labels are corrected or taken back, or it turns out that somebody picked them by hand. What was certified by them is no
longer known then, and has to be calibrated again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import click

from surefoot.ledger import Ledger
from surefoot.records import BY_CHOICE, Certificate, Label, RunEntry, Value, corpus_of, current, place_of


def certificates_in(ledger: Ledger, grader: str | None = None) -> list[Certificate]:
    """All but those whose labels have changed, which are named."""
    known = ledger.certificates(grader)
    labels, runs = (ledger.labels(), ledger.runs()) if known else ([], [])
    kept = [one for one in known if not _lost(one, labels, runs)]
    newest = {_bound_to(one): one for one in sorted(known, key=lambda one: (one.at, one.id))}
    for one in (one for one in newest.values() if one not in kept):
        words = f"the certificate of {one.at[:10]} does not count: labels behind it were changed since, or picked"
        click.echo(f"note: {words} by hand; calibrate again", err=True)
    return kept


def _bound_to(certificate: Certificate) -> tuple[str, ...]:
    return certificate.grader, certificate.rubric_sha256, certificate.corpus


def _lost(certificate: Certificate, labels: Sequence[Label], runs: Iterable[RunEntry]) -> bool:
    """True where somebody has said something else since of an answer that was labelled then."""
    fitting = {"", *(run.id for run in runs if _is_on(run, certificate))}
    behind = [label for label in labels if label.run in fitting and label.annotator in certificate.annotators]
    now = _said(behind)
    then = _said(label for label in behind if label.at <= certificate.at)
    return any(now.get(place) != said for place, said in then.items())


def _is_on(run: RunEntry, certificate: Certificate) -> bool:
    told = {key: str(run.manifest.get(key) or "") for key in ("grader", "corpus_sha256", "questions_sha256")}
    corpus = corpus_of(told["corpus_sha256"], told["questions_sha256"])
    return (told["grader"], corpus) == (certificate.grader, certificate.corpus)


def _said(labels: Iterable[Label]) -> dict[Hashable, tuple[Value, bool]]:
    """What stands of each person on each axis of each answer, and whether it was picked by hand."""
    return {place_of(label): (label.value, label.drawn in BY_CHOICE) for label in current(labels)}
