"""Runs that `calibrate` is given, with the labels and certificates of their ledger."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot import rubric
from surefoot.calibration.answers import Graded, Joined, by_people, join
from surefoot.calibration.calibrate import by_certificate
from surefoot.calibration.certificates import says_the_same, standing
from surefoot.calibration.results import Calibration
from surefoot.cli.calibrate_inputs import (
    Asked,
    calibrated,
    documents_of,
    note,
    note_problems,
    of_one_grader,
    refuse_verdicts_of,
)
from surefoot.errors import Incomplete, UsageError
from surefoot.gate.sides import Run
from surefoot.io.labels import is_grader, load_labels
from surefoot.io.new_labels import bound, not_yet_in
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, find, run_id
from surefoot.records import Certificate, Label, is_called_like_a_grader
from surefoot.report.words import counted
from surefoot.rubric import Rubric
from surefoot.services.runs import graders_of, read_run
from surefoot.services.versions import labelled_beside
from surefoot.store import RunStore
from surefoot.types import Problem


class Source(Struct):
    """Joined verdicts and labels, and what a certificate on them is bound to."""

    joined: Joined
    rubric: Rubric
    corpus: str

    @property
    def bound_to(self) -> tuple[str, str, str]:
        return self.joined.grader, self.rubric.sha256, self.corpus


def of_runs(runs: Sequence[Path], place: str | None, asked: Asked) -> Calibration:
    """By the labels on the answers of these runs; without any, by the certificate that stands."""
    where = find(runs[0], place)
    with contextlib.ExitStack() as opened:
        book = Ledger.existing(where)
        if book is None and asked.labels:
            _read(runs, asked, None)  # what cannot be read is said before a ledger is made
            book = Ledger.open(where)
        if book is not None:
            opened.enter_context(book)
        source = _read(runs, asked, book)
        joined = source.joined
        known = book.certificates(joined.grader) if book else []
        behind = (book.labels(), book.runs()) if book and known else ([], [])
        valid, why = standing(known, source.bound_to, *behind)
        if valid and why:
            note(why)
        if joined.sampled or (joined.people and valid is None):
            book = book or opened.enter_context(Ledger.open(where))
            found = _kept(calibrated(joined, source.rubric, asked, source.corpus), book, valid)
            if others := labelled_beside(book, runs[0], runs[1:]):
                together = shlex.join([*others, *map(printable, runs)])
                note(f"more answers by this grader are labelled; on all labels: surefoot calibrate {together}")
            return found
    if valid is None:
        if asked.labels:
            note_problems(joined)
        names = " or ".join(printable(run) for run in runs)
        hint = f"label some: surefoot label {printable(runs[0])}, or pass --labels FILE"
        raise Incomplete(f"nobody has labelled an answer of {names}, and {why}", hint)
    return replace(by_certificate(joined.axes, valid, source.rubric), problems=tuple(joined.problems))


def _kept(found: Calibration, ledger: Ledger, before: Certificate | None) -> Calibration:
    """The certificate goes to the ledger, unless it says what one that stands says."""
    made = found.certificate
    if made is None:
        note(f"no certificate: {found.certificate_reason}")
        return found
    if before is not None and says_the_same(made, before):
        note(f"the certificate of {before.at[:10]} in {ledger.name} says the same, and stands")
        return replace(found, certificate=before)
    ledger.add([made])
    note(f"the certificate, on {counted(made.labels, 'label')}, is kept in {ledger.name}")
    if before is not None and before.labels > made.labels:
        note(f"the one of {before.at[:10]}, which it replaces, was on {before.labels}")
    return found


def _read(folders: Sequence[Path], asked: Asked, ledger: Ledger | None) -> Source:
    """All runs together: they must have the same grader, rubric and corpus. Labels in files go to the ledger first."""
    if asked.labels and len(folders) > 1:
        raise UsageError("labels in a file are on the answers of one run", "import them run by run first")
    stores = [RunStore.open(folder) for folder in folders]
    sides = [read_run(folder) for folder in folders]
    by = _rubric_of(stores[0])
    runs = [_graded(store, side, asked.grader) for store, side in zip(stores, sides, strict=True)]
    for store, side, run in zip(stores, sides, runs, strict=True):
        for what, theirs, ours in (
            ("grader", runs[0].verdicts[0].grader, run.verdicts[0].grader),
            ("rubric", by.sha256, _rubric_of(store).sha256),
            ("corpus", sides[0].corpus, side.corpus),
        ):
            if theirs != ours:
                message = f"{run.name} has another {what} than {runs[0].name}"
                raise UsageError(f"{message}: {ours[:80]}, not {theirs[:80]}", "a certificate is for one of each")
        run.labels = _labels(store, run, by, asked, ledger)
    others = {label.run for run in runs for label in run.labels} - {"", *(run.id for run in runs)}
    labelled = {}
    if ledger is not None:
        labelled = {run: {row.version for row in ledger.labels(run=run) if row.value is not None} for run in others}
    return Source(join(runs, labelled), by, sides[0].corpus)


def _graded(store: RunStore, side: Run, grader: str | None) -> Graded:
    """The run with the verdicts of one grader, and those of annotators as labels."""
    machine, labels = by_people(side.verdicts)
    chosen = of_one_grader(machine, grader or store.manifest.grader, side.name)
    problems = list(side.problems)
    mine = {"run": run_id(store.manifest), "rubric_sha256": _rubric_of(store).sha256}
    labels = bound(labels, side.versions, problems, **mine)
    return Graded(chosen, labels, side.versions, documents_of(side), mine["run"], side.name, problems)


def _labels(store: RunStore, run: Graded, by: Rubric, asked: Asked, ledger: Ledger | None) -> list[Label]:
    """Those of the ledger on these answers too, after those of the files were added to it."""
    problems, graders, told = run.problems, graders_of(store), list[Label]()
    for path in asked.labels:
        refuse_verdicts_of(store, path)
        told += load_labels(path, problems, rubric=by, graders=graders)
    labels = list(run.labels)
    if ledger is not None:
        versions = set(run.versions.values())
        if told:
            told = bound(told, run.versions, problems, run=run.id, rubric_sha256=by.sha256)
            ledger.add_run(entry_of(store))
            ledger.add_new_labels(versions, lambda known: not_yet_in(known, told, asked.now))
        labels += ledger.labels(versions=versions)
    usable = [label for label in labels if label.rubric_sha256 in ("", by.sha256)]
    if other := len(labels) - len(usable):
        problems.append(Problem("note", f"labels by another rubric ({other}) are not used"))
    names = {label.annotator for label in usable}
    signed = {name for name in names if is_grader(name, graders) or is_called_like_a_grader(name)}
    people = [label for label in usable if label.annotator not in signed]
    if own := len(usable) - len(people):  # from before they were refused: rows of a ledger stay for good
        problems.append(Problem("note", f"labels under the name of a grader ({own}) are not used"))
    return people


def _rubric_of(store: RunStore) -> Rubric:
    chosen = rubric.load(store.manifest.rubric or rubric.DEFAULT)
    if store.manifest.rubric_sha256 not in ("", chosen.sha256):
        message = f"the run {printable(store.path)} was graded by an earlier version of the rubric {chosen.name}"
        raise UsageError(message, f"grade it again: surefoot grade {printable(store.path)}")
    return chosen
