"""The runs that a command is given: by id, by the name of a version, or as a file that `surefoot export` wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from surefoot import rubric
from surefoot.annotators import is_annotator
from surefoot.errors import Incomplete, UsageError
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.sides import apply_labels
from surefoot.graders.judges import items_of
from surefoot.io.verdicts import load_verdicts
from surefoot.io.writer import printable
from surefoot.pipelines.asker import CANNOT_FORCE_NULL
from surefoot.problems import NOT_ASKED
from surefoot.records import corpus_of
from surefoot.store import Project, Run
from surefoot.store.export import add_export, is_export, read_export
from surefoot.types import Item, Problem, Question

Name = str | Path  # of a run, a version, or a file with runs


@contextlib.contextmanager
def opened(names: Sequence[Name], db: str | Path | None = None) -> Iterator[tuple[Project, list[Run]]]:
    """The project, and all runs that are named, each once."""
    with Project.open(db) if any(map(is_export, names)) else Project.existing(db) as project:
        found = [run for name in names for run in runs_of(project, name)]
        yield project, list({run.id: run for run in found}.values())


def runs_of(project: Project, name: Name) -> list[Run]:
    """The runs of one name, oldest first. Those in a file become part of the project."""
    if not is_export(name):
        return project.named(str(name))
    found = read_export(Path(name))
    add_export(project, found, str(name))
    runs = [one for one in project.runs() if one.id in found.runs]
    if not runs:
        raise UsageError(f"{name} holds no run", "surefoot export FILE RUN writes one")
    return runs


def only_run(project: Project, name: Name) -> Run:
    """The newest of a version's runs, or the run itself."""
    return runs_of(project, name)[-1]


def check_texts(runs: Iterable[Run]) -> None:
    """What has to be read must be there."""
    for run in runs:
        if run.manifest.without_texts:
            message = f"the run {run.id} has no texts: it was exported with --without-texts"
            raise Incomplete(message, "import an export with texts")


def is_file_of_verdicts(name: Name) -> bool:
    return Path(name).is_file() and not is_export(name)


def read_file(path: Name) -> ReadRun:
    """A file of verdicts. It is read by the bundled rubric, and does not say which documents it is about."""
    problems: list[Problem] = []
    rows = load_verdicts(Path(path), problems)
    attempts = max((row.attempt for row in rows), default=1)
    return ReadRun(printable(Path(path)), rows, problems=problems, rubric=rubric.load().sha256, attempts=attempts)


def read_run(run: Run) -> ReadRun:
    """A graded run, without the labels on its answers."""
    manifest, verdicts = run.manifest, run.verdicts()
    if manifest.purged and not run.answer_keys():
        raise Incomplete(f"all answers of the run {run.id} were purged", "name another run")
    if not verdicts:
        raise Incomplete(f"the run {run.id} has no verdicts", f"grade it first: surefoot grade {run.id}")
    return ReadRun(
        run.id,
        verdicts,
        questions={question.id: question.as_asked for question in _asked(run)},
        traces={(str(trace.question_id), trace.attempt): trace for trace in run.traces()},
        versions=run.answer_keys(),
        graders=(manifest.grader,) if manifest.grader else (),  # others may have graded it too
        council=manifest.council,
        attempts=max(1, manifest.repeats),
        uneven=manifest.uneven,
        problems=[*(Problem("note", note, run.id) for note in manifest.question_notes), *not_asked(run)],
        rubric=manifest.rubric_sha256,
        corpus=corpus_of(manifest.corpus_sha256, manifest.questions_sha256),
        deterministic=manifest.deterministic,
    )


def _asked(run: Run) -> list[Question]:
    """What a run was asked; without texts, as another run has it that was asked the same."""
    made = run.manifest
    alike = (one for one in run.project.runs() if one.manifest.questions_sha256 == made.questions_sha256)
    whole = (one for one in alike if not one.manifest.without_texts) if made.without_texts else iter([run])
    return next(whole, run).questions()


def read_all(project: Project, runs: Iterable[Run]) -> list[ReadRun]:
    """The runs with the labels on their answers in place."""
    found = [read_run(run) for run in runs]
    labels = project.labels(keys={key for run in found for key in run.versions.values()})
    for run in found:
        apply_labels(run, labels)
    return found


def run_items(run: Run) -> Iterator[Item]:
    """Every answer that a run should have."""
    return items_of(run.questions(), run.traces(), run.manifest.repeats, run.manifest.uneven)


def not_asked(run: Run) -> list[Problem]:
    """Say which share of a run's questions was not asked, why, and what to do; purged answers were asked for."""
    missing = run.missing()
    if not missing or run.manifest.purged:
        return []
    why, hint = "", f"surefoot run --resume {run.id}"
    if all(question.retrieval == "null" for question in missing):
        why = f": {CANNOT_FORCE_NULL}"
        hint = f"let a function take `ask: Ask`, or put {{retrieval}} into --request-template; then {hint}"
    total = run.manifest.question_count
    share = f"{len(missing)} of {total} questions not asked, so coverage is at most {total - len(missing)} of {total}"
    return [Problem(NOT_ASKED, f"{share}{why} (hint: {hint})", run.id)]


def graders_of(run: Run) -> set[str]:
    """All whose verdicts a run has: no label on its answers may be by one of them."""
    return {verdict.grader for verdict in run.verdicts() if not is_annotator(verdict.grader)} | (
        {run.manifest.grader} if run.manifest.grader else set()
    )


def is_same_file(one: str | Path, other: str | Path) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)
