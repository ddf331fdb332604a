"""A grader held against labels: how many bad answers it accepts, how many it catches, and what the true rates are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.calibration import calibrate as joins
from surefoot.calibration.answers import Graded, Joined, by_people, join
from surefoot.calibration.results import Calibration
from surefoot.core import rubric as rubrics
from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import Label, timestamp
from surefoot.core.result import READER, Person, Tell, tell_problems
from surefoot.core.rubric import Rubric
from surefoot.core.types import Problem, Verdict
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.sides import documents_of
from surefoot.io.labels import Place, bound, is_grader, load_labels, not_yet_in
from surefoot.io.rows import read_rows
from surefoot.io.verdicts import load_verdicts
from surefoot.services.project import known_answers
from surefoot.services.runs import (
    Name,
    check_texts,
    graders_of,
    is_same_file,
    labelled_alike,
    opened,
    read_run,
)
from surefoot.store import Project, Run


class _Asked(Struct, frozen=True):
    labels: tuple[str, ...]
    grader: str | None
    now: str
    tell: Tell


def calibrate(
    *runs: Name,
    verdicts: str | Path | None = None,
    labels: str | Path | Sequence[str | Path] = (),
    grader: str | None = None,
    rubric: str | None = None,
    db: str | Path | None = None,
    person: Person = READER,
) -> Calibration:
    """Compare a grader's verdicts with labels: those on `runs` or versions, or a file of `verdicts` and `labels`.

    Labels on other runs of the same grader, rubric and corpus count too, so each of its runs gives the same result.
    """
    if bool(runs) == bool(verdicts):
        raise UsageError("pass either RUN or --verdicts FILE", "labels for FILE are given with --labels FILE")
    if runs and rubric is not None:
        raise UsageError("--rubric goes with --verdicts FILE alone", "leave it out: a run is read by its own rubric")
    files = (labels,) if isinstance(labels, (str, Path)) else labels
    asked = _Asked(tuple(map(str, files)), grader, timestamp(), person.tell)
    if verdicts:
        found = _of_files(str(verdicts), rubrics.load(rubric or rubrics.DEFAULT), asked)
    else:
        with opened(runs, db) as (project, named):
            check_texts(named)
            found = _of_runs(project, named, asked)
    if found.nothing_said:
        person.tell(f"note: {found.nothing_said}")
    return found


def labelled(
    project: Project, runs: Sequence[Run], labels: str | Path | Sequence[str | Path], person: Person
) -> tuple[Joined, Rubric]:
    """The verdicts of runs, each with the labels on its answer, and what they were graded by."""
    files = (labels,) if isinstance(labels, (str, Path)) else labels
    asked = _Asked(tuple(map(str, files)), None, timestamp(), person.tell)
    joined, by, _ = _read(project, runs, asked)
    return joined, by


def _of_files(verdicts: str, by: Rubric, asked: _Asked) -> Calibration:
    problems: list[Problem] = []
    rows, told = by_people(load_verdicts(verdicts, problems, by))
    graders = {verdict.grader for verdict in rows}
    for path in asked.labels:
        if is_same_file(path, verdicts):
            message = f"{path} holds the verdicts of the grader that is to be calibrated, which prove it right"
            raise UsageError(
                message, "pass labels by people; those among the verdicts (human/NAME) count by themselves"
            )
        told += load_labels(path, problems, rubric=by, graders=graders)
    chosen = _of_one_grader(rows, asked.grader, verdicts)
    if own := [label.annotator for label in told if is_grader(label.annotator, graders)]:
        message = f"labels are by {own[0]}, a grader with verdicts of its own in {verdicts}"
        raise UsageError(message, "pass labels by people: grader human/NAME, or another name")
    joined = join([Graded(chosen, told, documents=_documents_in(verdicts), problems=problems)])
    if not joined.people:
        raise _nothing_labelled(joined, verdicts, asked)
    return joins.calibrate(joined, by)


def _nothing_labelled(joined: Joined, verdicts: str, asked: _Asked) -> Incomplete:
    names = " and ".join(asked.labels) or verdicts
    if any(problem.kind == "unknown_question" for problem in joined.problems):
        message = f"no label in {names} is on an answer that has a verdict in {verdicts}"
        return Incomplete(message, "both files must call questions by the same question_id (and attempt)")
    tell_problems(joined.problems, asked.tell)
    return Incomplete(f"there is no label in {names}", "pass --labels FILE with at least one label")


def _of_runs(project: Project, runs: Sequence[Run], asked: _Asked) -> Calibration:
    """By all labels on answers of this grader, those on other runs included."""
    joined, by, corpus = _read(project, runs, asked)
    like = runs[0].manifest
    others = labelled_alike(project, like) if asked.grader in (None, like.grader) else []
    others = [run for run in others if run.id not in {one.id for one in runs}]
    if others:
        joined, by, corpus = _read(project, [*others, *runs], replace(asked, labels=()))
    if not joined.people:
        tell_problems(joined.problems, asked.tell)
        names = " or ".join(run.id for run in runs)
        message = f"nobody has labelled an answer of {names}, or of another run by {joined.grader}"
        raise Incomplete(message, f"label some: surefoot label {runs[0].id}, or pass --labels FILE")
    return joins.calibrate(joined, by, corpus=corpus)


def _read(project: Project, runs: Sequence[Run], asked: _Asked) -> tuple[Joined, Rubric, str]:
    """All runs together: they must have the same grader, rubric and corpus. Labels in files are imported first."""
    if asked.labels and len(runs) > 1:
        raise UsageError("labels in a file are on the answers of one run", "import them run by run first")
    stores = sorted(runs, key=lambda run: (run.manifest.created, run.id))
    sides = [read_run(run) for run in stores]
    by = _rubric_of(stores[0])
    graded = [_graded(store, side, asked.grader) for store, side in zip(stores, sides, strict=True)]
    for store, side, run in zip(stores, sides, graded, strict=True):
        for what, theirs, ours in (
            ("grader", graded[0].verdicts[0].grader, run.verdicts[0].grader),
            ("rubric", by.sha256, _rubric_of(store).sha256),
            ("corpus", sides[0].corpus, side.corpus),
        ):
            if theirs != ours:
                message = f"{run.name} has another {what} than {graded[0].name}"
                raise UsageError(f"{message}: {ours[:80]}, not {theirs[:80]}", "calibrate runs with one of each")
        run.labels = _labels(project, store, run, by, asked)
    others = {label.run for run in graded for label in run.labels} - {"", *(run.id for run in graded)}
    joined = join(graded, {run: {row.version for row in project.labels(run=run) if row.value is not None}
                           for run in others})  # fmt: skip
    joined.runs = tuple(store.id for store in stores)
    return joined, by, sides[0].corpus


def _graded(run: Run, side: ReadRun, grader: str | None) -> Graded:
    """The run with the verdicts of one grader."""
    chosen = _of_one_grader(side.verdicts, grader or run.manifest.grader, side.name)
    return Graded(chosen, [], side.versions, documents_of(side), run.id, side.name, list(side.problems))


def _labels(project: Project, of: Run, run: Graded, by: Rubric, asked: _Asked) -> list[Label]:
    """Those on these answers, after those of the files were added to them."""
    graders, told = graders_of(of), list[Label]()
    places: dict[str, Place] = {}
    for path in asked.labels:
        told += load_labels(path, run.problems, rubric=by, graders=graders, places=places)
    keys = set(run.versions.values())
    if told:
        answers = [one._replace(rubric_sha256=by.sha256) for one in known_answers(of)]
        told = bound(told, answers, run.problems, places=places)
        project.add_new_labels(keys, lambda known: not_yet_in(known, told, asked.now))
    labels = project.labels(keys=keys)
    usable = [label for label in labels if label.rubric_sha256 in ("", by.sha256)]
    if other := len(labels) - len(usable):
        run.problems.append(Problem("note", f"labels by another rubric ({other}) are not used"))
    return [one for one in usable if not is_grader(one.annotator, graders)]


def _rubric_of(run: Run) -> Rubric:
    chosen = rubrics.load(run.manifest.rubric or rubrics.DEFAULT)
    if run.manifest.rubric_sha256 not in ("", chosen.sha256):
        message = f"the run {run.id} was graded by an earlier version of the rubric {chosen.name}"
        raise UsageError(message, f"grade it again: surefoot grade {run.id}")
    return chosen


def _of_one_grader(verdicts: Sequence[Verdict], grader: str | None, name: str) -> list[Verdict]:
    graders = sorted({verdict.grader for verdict in verdicts})
    if not graders:
        raise UsageError(f"{name} has no verdicts by a grader", "pass the verdicts that are to be held against labels")
    if grader is None and len(graders) > 1:
        raise UsageError(f"{name} has verdicts by several graders: {', '.join(graders)}", "choose one with --grader")
    if grader is not None and grader not in graders:
        raise UsageError(f"{name} has no verdicts by {grader}", f"there are those of {', '.join(graders)}")
    return [verdict for verdict in verdicts if grader is None or verdict.grader == grader]


def _documents_in(path: str) -> dict[str, str]:
    """What the rows of a file say of it, under `document` or `doc`; a stream is read once, and not for this."""
    rows = (row.value for row in read_rows([path]) if isinstance(row.value, dict)) if path != "-" else ()
    found = ((row.get("question_id"), row.get("document") or row.get("doc")) for row in rows)
    return {str(question): str(document) for question, document in found if question and document}
