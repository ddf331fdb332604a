"""Labels that come in files, on the answers of a run: whose they may be, and how they reach the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from surefoot.errors import UsageError
from surefoot.io.labels import load_labels
from surefoot.io.new_labels import bound, not_yet_in
from surefoot.io.writer import printable
from surefoot.ledger import Ledger
from surefoot.ledger.places import entry_of, run_id, versions_of
from surefoot.records import MEMBER, Label, is_annotator
from surefoot.rubric import Rubric
from surefoot.store import VERDICTS, RunStore
from surefoot.types import Problem


def graders_of(store: RunStore) -> set[str]:
    """All whose verdicts a run has: no label on its answers may be by one of them."""
    given = {verdict.grader for verdict in store.verdicts() if not is_annotator(verdict.grader)}
    members = (name for part, name in store.manifest.versions.items() if part.startswith(MEMBER))
    return {*given, *members, store.manifest.grader or ""} - {""}


def refuse_verdicts_of(store: RunStore, path: str | Path) -> None:
    """Whatever name they are under: some have none."""
    if is_same_file(path, store.path / VERDICTS):
        message = f"{path} holds the verdicts of the run, and no labels by people"
        raise UsageError(message, f"label some answers: surefoot label {printable(store.path)}")


def is_same_file(one: str | Path, other: str | Path) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def read_labels(store: RunStore, paths: Sequence[str | Path], by: Rubric, problems: list[Problem]) -> list[Label]:
    """The labels in files, none of which may be by a grader of the run."""
    found: list[Label] = []
    for path in paths:
        refuse_verdicts_of(store, path)
        found += load_labels(path, problems, rubric=by, graders=graders_of(store))
    return found


def add_labels(
    ledger: Ledger, store: RunStore, labels: Sequence[Label], by: Rubric, problems: list[Problem], now: str
) -> None:
    """What is new of them goes to the ledger, as labels on the answers of the run."""
    versions = versions_of(store)
    told = bound(labels, versions, problems, run=run_id(store.manifest), rubric_sha256=by.sha256)
    ledger.add_run(entry_of(store))
    ledger.add_new_labels(set(versions.values()), lambda known: not_yet_in(known, told, now))
