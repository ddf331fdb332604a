"""Runs whose labels belong together: a certificate is on a grader, a rubric and a corpus, and not on one run."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from surefoot.cli.sides import is_run
from surefoot.errors import SurefootError
from surefoot.ledger import Ledger
from surefoot.ledger.places import run_id
from surefoot.records import RunEntry, corpus_of
from surefoot.store import Manifest, RunStore


def labelled_beside(ledger: Ledger, folder: str | Path, others: Collection[str | Path] = ()) -> list[str]:
    """The other runs, still at their places, that people have labelled and that can be calibrated with this one."""
    known = {run_id(RunStore.open(Path(run)).manifest) for run in (folder, *others)}
    wanted = _bound_to(RunStore.open(Path(folder)).manifest)
    labelled = {label.run for label in ledger.labels()} - known
    found = {entry.id: entry for entry in ledger.runs() if entry.id in labelled and _is_there(entry)}
    return [_short(entry.path) for entry in found.values() if _bound_to(_manifest(entry)) == wanted]


def _bound_to(manifest: Manifest) -> tuple[str, ...]:
    corpus = corpus_of(manifest.corpus_sha256, manifest.questions_sha256)
    return manifest.grader or "", manifest.rubric_sha256, corpus


def _manifest(entry: RunEntry) -> Manifest:
    return RunStore.open(Path(entry.path)).manifest


def _is_there(entry: RunEntry) -> bool:
    try:
        return is_run(entry.path) and run_id(_manifest(entry)) == entry.id
    except (OSError, SurefootError):
        return False


def _short(path: str) -> str:
    """As one would type it here."""
    try:
        return min(os.path.relpath(path), path, key=len)
    except (OSError, ValueError):
        return path
