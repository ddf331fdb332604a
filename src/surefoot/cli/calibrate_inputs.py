"""What `calibrate` is given: files of verdicts and labels, and what files and runs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from surefoot.calibration.answers import Answers, Graded, Joined, by_people, join
from surefoot.calibration.calibrate import calibrate
from surefoot.calibration.results import Calibration
from surefoot.cli.output import say
from surefoot.errors import Incomplete, UsageError
from surefoot.gate.sides import Run, document_of
from surefoot.io.labels import is_grader, load_labels
from surefoot.io.rows import read_rows
from surefoot.io.verdicts import load_verdicts
from surefoot.io.writer import printable
from surefoot.report.words import plain
from surefoot.rubric import Rubric
from surefoot.services.runs import read_run
from surefoot.store import VERDICTS, RunStore
from surefoot.types import Problem, Verdict

_SHOWN = 20


class Asked(NamedTuple):
    """The options of the command that files and runs share."""

    labels: Sequence[str]
    grader: str | None
    target: str | None
    risk: float
    now: str


def of_files(verdicts: str, by: Rubric, asked: Asked) -> Calibration:
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
    chosen = of_one_grader(rows, asked.grader, verdicts)
    if own := [label.annotator for label in told if is_grader(label.annotator, graders)]:
        message = f"labels are by {own[0]}, a grader with verdicts of its own in {verdicts}"
        raise UsageError(message, "pass labels by people: grader human/NAME, or another name")
    joined = join([Graded(chosen, told, documents=_documents_in(verdicts), problems=problems)])
    if not joined.people:
        raise _nothing_labelled(joined, verdicts, asked.labels)
    return calibrated(joined, by, asked)


def _nothing_labelled(joined: Joined, verdicts: str, labels: Sequence[str]) -> Incomplete:
    names = " and ".join(labels) or verdicts
    if any(problem.kind == "unknown_question" for problem in joined.problems):
        message = f"no label in {names} is on an answer that has a verdict in {verdicts}"
        return Incomplete(message, "both files must call questions by the same question_id (and attempt)")
    note_problems(joined)
    return Incomplete(f"there is no label in {names}", "pass --labels FILE with at least one label")


def note(words: str) -> None:
    say(f"note: {plain(words, 500)}")


def note_problems(joined: Joined) -> None:
    """What is in no report, because there is none."""
    for problem in joined.problems[:_SHOWN]:
        note(str(problem))


def calibrated(joined: Joined, by: Rubric, asked: Asked, corpus: str = "") -> Calibration:
    others = target_answers(asked.target, joined.grader, by, joined.problems) if asked.target else None
    return calibrate(joined, by, others, risk=asked.risk, corpus=corpus, at=asked.now)


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
        side = read_run(path)
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
    rows = (row.value for row in read_rows([path]) if isinstance(row.value, dict)) if path != "-" else ()
    found = ((row.get("question_id"), row.get("document") or row.get("doc")) for row in rows)
    return {str(question): str(document) for question, document in found if question and document}
