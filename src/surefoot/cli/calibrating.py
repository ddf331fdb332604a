"""What `calibrate` is given, read and joined: files of verdicts and labels, or runs with the labels of their ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from surefoot import rubric
from surefoot.calibration.joining import Answer, Joined, by_people, join
from surefoot.errors import UsageError
from surefoot.gate.sides import Run, document_of
from surefoot.importers.annotators import is_grader
from surefoot.importers.labels import load_labels
from surefoot.importers.new_labels import bound, not_yet_in
from surefoot.importers.verdicts import file_rows, load_verdicts
from surefoot.records import BY_CHOICE, MEMBER, Label, is_annotator, is_called_like_a_grader
from surefoot.rows import printable
from surefoot.rubric import Rubric
from surefoot.services.runs import read_run
from surefoot.store import VERDICTS, RunStore
from surefoot.types import Problem, Verdict

if TYPE_CHECKING:
    from surefoot.ledger import Ledger


class Source(Struct):
    """Joined verdicts and labels, and what a certificate on them is bound to."""

    joined: Joined
    rubric: Rubric
    corpus: str = ""
    answers: dict[str, list[Answer]] = {}  # all by axis, without labels


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
    documents = _documents_in(verdicts)
    joined = join(chosen, told, documents=documents)
    joined.problems[:0] = problems
    return Source(joined, by, answers=by_axis(chosen, documents))


def from_runs(
    folders: Sequence[Path], labels: Sequence[str], grader: str | None, ledger: Ledger | None, now: str
) -> Source:
    """All runs together: they must have the same grader, rubric and corpus. `labels` are added to the ledger first."""
    if labels and len(folders) > 1:
        raise UsageError("labels in a file are on the answers of one run", "import them run by run first")
    runs = [_Run(RunStore.open(folder)) for folder in folders]
    for run in runs:
        _check_alike(runs[0], run, grader)
        run.read_labels(labels, ledger, now)
    drawn_from = _drawn_from(runs, ledger)
    joined: Joined | None = None
    for run in runs:
        told = [label if label.run in drawn_from else replace(label, drawn="chosen") for label in run.labels]
        joined = join(run.chosen(grader), told, versions=run.side.versions, documents=run.documents, before=joined)
        joined.problems += run.problems
    if joined is None:
        raise UsageError("no run is given", "write surefoot calibrate RUN")
    joined.problems += _without_labels(runs, drawn_from)
    every = [verdict for run in runs for verdict in run.chosen(grader)]
    documents = {question: document for run in runs for question, document in run.documents.items()}
    return Source(joined, runs[0].rubric, runs[0].side.corpus, by_axis(every, documents))


def _without_labels(runs: Sequence[_Run], drawn_from: set[str]) -> list[Problem]:
    """Runs about which only the labels of others say something. Labels whose run is not among these, and which all
    came again here, were drawn from every run that gives their answers."""
    elsewhere = drawn_from - {run.id for run in runs}
    with_own = [any(label.run in {run.id, *elsewhere} for label in _in_sample(run.labels)) for run in runs]
    rest = [printable(run.store.path) for run, own in zip(runs, with_own, strict=True) if not own]
    if not any(with_own):
        return []
    words = "no label was drawn from its answers, so what is said of them rests on those of the other runs"
    return [Problem("note", f"{name}: {words}") for name in rest]


def _in_sample(labels: Iterable[Label]) -> list[Label]:
    return [label for label in labels if label.value is not None and label.drawn not in BY_CHOICE]


class _Run:
    """A run with its verdicts, and the labels on its answers."""

    def __init__(self, store: RunStore) -> None:
        from surefoot.ledger.places import run_id

        self.store = store
        self.id = run_id(store.manifest)
        self.side = read_run(store.path)
        self.documents = documents_of(self.side)
        self.rubric = _rubric_of(store)
        self.verdicts, self.labels = by_people(self.side.verdicts)
        self.problems = list(self.side.problems)
        self.graders = graders_of(store)

    def chosen(self, grader: str | None) -> list[Verdict]:
        return of_one_grader(self.verdicts, grader or self.store.manifest.grader, printable(self.store.path))

    def read_labels(self, files: Sequence[str], ledger: Ledger | None, now: str) -> None:
        """Those of the ledger on these answers, after those of the files were added to it."""
        from surefoot.ledger.places import entry_of

        told = []
        for path in files:
            refuse_verdicts_of(self.store, path)
            told += load_labels(path, self.problems, rubric=self.rubric, graders=self.graders)
        mine = {"run": self.id, "rubric_sha256": self.rubric.sha256}
        self.labels = bound(self.labels, self.side.versions, self.problems, **mine)
        if ledger is not None:
            versions = set(self.side.versions.values())
            if told:
                told = bound(told, self.side.versions, self.problems, **mine)
                ledger.add_run(entry_of(self.store))
                ledger.add_new_labels(versions, lambda known: not_yet_in(known, told, now))
            self.labels += ledger.labels(versions=versions)
        usable = [label for label in self.labels if label.rubric_sha256 in ("", self.rubric.sha256)]
        if other := len(self.labels) - len(usable):
            self.problems.append(Problem("note", f"labels by another rubric ({other}) are not used"))
        names = {label.annotator for label in usable}
        graders = {name for name in names if is_grader(name, self.graders) or is_called_like_a_grader(name)}
        people = [label for label in usable if label.annotator not in graders]
        if own := len(usable) - len(people):  # from before they were refused: rows of a ledger stay for good
            self.problems.append(Problem("note", f"labels under the name of a grader ({own}) are not used"))
        self.labels = people


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


def _drawn_from(runs: Sequence[_Run], ledger: Ledger | None) -> set[str]:
    """The runs whose labels are a sample of these answers: these runs, and those of which every label came again.

    An answer that was drawn from another run and happens to be given here too is known, but it is no sample.
    """
    here = {version for run in runs for version in run.side.versions.values()}
    own = {"", *(run.id for run in runs)}
    others = {label.run for run in runs for label in run.labels} - own
    if ledger is None:
        return own
    labelled = {run: {row.version for row in ledger.labels(run=run) if row.value is not None} for run in others}
    return own | {run for run, versions in labelled.items() if versions <= here}


def of_one_grader(verdicts: Sequence[Verdict], grader: str | None, name: str) -> list[Verdict]:
    graders = sorted({verdict.grader for verdict in verdicts})
    if not graders:
        raise UsageError(f"{name} has no verdicts by a grader", "pass the verdicts that are to be held against labels")
    if grader is None and len(graders) > 1:
        raise UsageError(f"{name} has verdicts by several graders: {', '.join(graders)}", "choose one with --grader")
    if grader is not None and grader not in graders:
        raise UsageError(f"{name} has no verdicts by {grader}", f"there are those of {', '.join(graders)}")
    return [verdict for verdict in verdicts if grader is None or verdict.grader == grader]


def target_answers(path: str, grader: str, by: Rubric, problems: list[Problem]) -> dict[str, list[Answer]]:
    """Other answers, with verdicts by the same grader."""
    if Path(path).is_dir():
        side = read_run(path)
        rows, documents = side.verdicts, documents_of(side)
        problems += side.problems
    else:
        rows, documents = load_verdicts(path, problems, by), _documents_in(path)
    machine, _ = by_people(rows)
    return by_axis(of_one_grader(machine, grader, path), documents)


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


def by_axis(verdicts: Iterable[Verdict], documents: Mapping[str, str]) -> dict[str, list[Answer]]:
    found: defaultdict[str, list[Answer]] = defaultdict(list)
    for verdict in verdicts:
        document = documents.get(verdict.question_id, "")
        found[verdict.axis].append(Answer(verdict.question_id, verdict.attempt, verdict.value, document=document))
    return dict(found)


def _rubric_of(store: RunStore) -> Rubric:
    chosen = rubric.load(store.manifest.rubric or rubric.DEFAULT)
    if store.manifest.rubric_sha256 not in ("", chosen.sha256):
        message = f"the run {printable(store.path)} was graded by an earlier version of the rubric {chosen.name}"
        raise UsageError(message, f"grade it again: surefoot grade {printable(store.path)}")
    return chosen


def _check_alike(first: _Run, other: _Run, grader: str | None) -> None:
    for what, theirs, ours in (
        ("grader", first.chosen(grader)[0].grader, other.chosen(grader)[0].grader),
        ("rubric", first.rubric.sha256, other.rubric.sha256),
        ("corpus", first.side.corpus, other.side.corpus),
    ):
        if theirs != ours:
            message = f"{printable(other.store.path)} has another {what} than {printable(first.store.path)}"
            raise UsageError(f"{message}: {ours[:80]}, not {theirs[:80]}", "a certificate is for one of each")
