"""What `calibrate` is given, read: files of verdicts and labels, or runs with the labels of their ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from surefoot import rubric
from surefoot.appending import printable
from surefoot.calibration.answers import Answers, Graded, Joined, by_people, join
from surefoot.cli.sides import load_side
from surefoot.errors import UsageError
from surefoot.gate.sides import Run, document_of
from surefoot.importers.annotators import is_grader
from surefoot.importers.labels import bound, load_labels, not_yet_in
from surefoot.importers.verdicts import file_rows, load_verdicts
from surefoot.ledger.places import entry_of, run_id
from surefoot.records import MEMBER, Label, is_annotator, is_called_like_a_grader
from surefoot.rubric import Rubric
from surefoot.store import VERDICTS, RunStore
from surefoot.types import Problem, Verdict

if TYPE_CHECKING:
    from surefoot.ledger import Ledger


class Source(Struct):
    """Joined verdicts and labels, and what a certificate on them is bound to."""

    joined: Joined
    rubric: Rubric
    corpus: str = ""


def from_files(verdicts: str, labels: Sequence[str], grader: str | None, by: Rubric) -> Source:
    problems: list[Problem] = []
    rows, told = by_people(load_verdicts(verdicts, problems, by))
    graders = {verdict.grader for verdict in rows}
    for path in labels:
        if is_same_file(path, verdicts):
            message = f"{path} holds the verdicts of the grader that is to be calibrated, which prove it right"
            raise UsageError(
                message, "pass labels by people; those among the verdicts (human/NAME) count by themselves"
            )
        told += load_labels(path, problems, rubric=by, graders=graders)
    chosen = of_one_grader(rows, grader, verdicts)
    if own := [label.annotator for label in told if is_grader(label.annotator, graders)]:
        message = f"labels are by {own[0]}, a grader with verdicts of its own in {verdicts}"
        raise UsageError(message, "pass labels by people: grader human/NAME, or another name")
    return Source(join([Graded(chosen, told, documents=_documents_in(verdicts), problems=problems)]), by)


def from_runs(
    folders: Sequence[Path], labels: Sequence[str], grader: str | None, ledger: Ledger | None, now: str
) -> Source:
    """All runs together: they must have the same grader, rubric and corpus. `labels` are added to the ledger first."""
    if labels and len(folders) > 1:
        raise UsageError("labels in a file are on the answers of one run", "import them run by run first")
    stores = [RunStore.open(folder) for folder in folders]
    sides = [load_side(folder) for folder in folders]
    by = _rubric_of(stores[0])
    runs = [_graded(store, side, grader) for store, side in zip(stores, sides, strict=True)]
    for store, side, run in zip(stores, sides, runs, strict=True):
        for what, theirs, ours in (
            ("grader", runs[0].verdicts[0].grader, run.verdicts[0].grader),
            ("rubric", by.sha256, _rubric_of(store).sha256),
            ("corpus", sides[0].corpus, side.corpus),
        ):
            if theirs != ours:
                message = f"{run.name} has another {what} than {runs[0].name}"
                raise UsageError(f"{message}: {ours[:80]}, not {theirs[:80]}", "a certificate is for one of each")
        run.labels = _labels(store, run, by, labels, ledger, now)
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


def _labels(
    store: RunStore, run: Graded, by: Rubric, files: Sequence[str], ledger: Ledger | None, now: str
) -> list[Label]:
    """Those of the ledger on these answers too, after those of the files were added to it."""
    problems, graders, told = run.problems, graders_of(store), list[Label]()
    for path in files:
        refuse_verdicts_of(store, path)
        told += load_labels(path, problems, rubric=by, graders=graders)
    labels = list(run.labels)
    if ledger is not None:
        versions = set(run.versions.values())
        if told:
            told = bound(told, run.versions, problems, run=run.id, rubric_sha256=by.sha256)
            ledger.add_run(entry_of(store))
            ledger.add_new_labels(versions, lambda known: not_yet_in(known, told, now))
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


def of_one_grader(verdicts: Sequence[Verdict], grader: str | None, name: str) -> list[Verdict]:
    graders = sorted({verdict.grader for verdict in verdicts})
    if not graders:
        raise UsageError(f"{name} has no verdicts by a grader", "pass the verdicts that are to be held against labels")
    if grader is None and len(graders) > 1:
        raise UsageError(f"{name} has verdicts by several graders: {', '.join(graders)}", "choose one with --grader")
    if grader is not None and grader not in graders:
        raise UsageError(f"{name} has no verdicts by {grader}", f"there are those of {', '.join(graders)}")
    return [verdict for verdict in verdicts if grader is None or verdict.grader == grader]


def target_answers(path: str, grader: str, by: Rubric, problems: list[Problem]) -> Answers:
    """Other answers, with verdicts by the same grader."""
    if Path(path).is_dir():
        side = load_side(path)
        rows, versions, documents = side.verdicts, side.versions, documents_of(side)
        problems += side.problems
    else:
        rows, versions, documents = load_verdicts(path, problems, by), {}, _documents_in(path)
    machine, _ = by_people(rows)
    other = join([Graded(of_one_grader(machine, grader, path), versions=versions, documents=documents)])
    problems += [replace(problem, source=path) for problem in other.problems]
    return other.axes


def documents_of(side: Run) -> dict[str, str]:
    """The document of each question, as far as it is known."""
    passages = (passage for trace in side.traces.values() for passage in trace.retrieved or ())
    by_passage = {passage.id: passage.doc for passage in passages if passage.doc}
    found = ((question.id, document_of(question, by_passage)) for question in side.questions.values())
    return {question: document for question, document in found if document}


def _documents_in(path: str) -> dict[str, str]:
    """What the rows of a file say of it, under `document` or `doc`; a stream is read once, and not for this."""
    rows = (row for _, row in file_rows(path, []) if isinstance(row, dict)) if path != "-" else ()
    found = ((row.get("question_id"), row.get("document") or row.get("doc")) for row in rows)
    return {str(question): str(document) for question, document in found if question and document}


def _rubric_of(store: RunStore) -> Rubric:
    chosen = rubric.load(store.manifest.rubric or rubric.DEFAULT)
    if store.manifest.rubric_sha256 not in ("", chosen.sha256):
        message = f"the run {printable(store.path)} was graded by an earlier version of the rubric {chosen.name}"
        raise UsageError(message, f"grade it again: surefoot grade {printable(store.path)}")
    return chosen
