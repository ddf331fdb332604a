"""The runs that a command is given, and the versions they make up.

A run is named by its id, by its version, or as a file that `surefoot export` wrote. All runs of a version count;
otherwise you could rerun until one looks good.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from surefoot.core import rubric
from surefoot.core.errors import Incomplete, UsageError, unknown
from surefoot.core.files import printable
from surefoot.core.records import corpus_of
from surefoot.core.types import NOT_ASKED, Item, Problem, Question, names
from surefoot.gate.sides import Run as ReadRun
from surefoot.gate.sides import apply_labels
from surefoot.graders.judges import items_of
from surefoot.io.labels import load_verdicts
from surefoot.pipelines.asker import CANNOT_FORCE_NULL
from surefoot.store import Manifest, Project, Run
from surefoot.store.export import add_export, is_export, read_export

Name = str | Path  # of a run, a version, or a file with runs


@contextlib.contextmanager
def opened(names: Sequence[Name], db: str | Path | None = None) -> Iterator[tuple[Project, list[Run]]]:
    """The project, and all runs that are named, each once."""
    is_there = names and all(Path(name).is_file() and is_export(name) for name in names)
    with Project.open(db) if is_there else Project.existing(db) as project:
        found = [run for name in names for run in runs_of(project, name)]
        yield project, list({run.id: run for run in found}.values())


def runs_of(project: Project, name: Name) -> list[Run]:
    """The runs of one name, oldest first. Those in a file become part of the project."""
    if not Path(name).is_file() or not is_export(name):
        return project.named(str(name))
    found = read_export(Path(name))
    add_export(project, found, str(name))
    runs = [one for one in project.runs() if one.id in found.runs]
    if not runs:
        raise UsageError(f"{name} holds no run", "surefoot export FILE RUN writes one")
    return runs


def only_run(project: Project, name: Name) -> Run:
    """The newest of a version's runs, or the run itself; in place of a run of some questions, the whole one."""
    found = runs_of(project, name)
    if len(versions := dict.fromkeys(run.version for run in found)) > 1:
        raise UsageError(f"{name} holds runs of {' and '.join(versions)}", f"surefoot import {name}, then name one")
    is_part = found[-1].manifest.partial
    whole = [run for run in project.runs(found[-1].version) if not run.manifest.partial] if is_part else []
    return (whole or found)[-1]


def check_texts(runs: Iterable[Run]) -> None:
    """What has to be read must be there."""
    for run in runs:
        if run.manifest.without_texts:
            message = f"the run {run.id} has no texts: it was exported with --without-texts"
            raise Incomplete(message, "import an export with texts")


def is_file_of_verdicts(name: Name) -> bool:
    """A bare word is a run or a version, whatever lies in the folder."""
    path = Path(name)
    return path.is_file() and bool(path.suffix or path.name != str(name)) and not is_export(name)


def read_one(name: Name, db: str | Path | None = None) -> ReadRun:
    """A run with the labels on it, the newest of a version, or a file of verdicts.

    Such a file is read by the bundled rubric, and does not say which documents it is about.
    """
    path = Path(name)
    if not is_file_of_verdicts(name):
        with opened([name], db) as (project, _):
            return read_all(project, [only_run(project, name)])[0]
    problems: list[Problem] = []
    rows = load_verdicts(path, problems)
    if not path.stat().st_size:
        raise Incomplete(f"{printable(path)} is empty", "pass rows of {question_id, axis, value, grader}")
    if not rows:
        raise UsageError(f"{printable(path)} is no file of verdicts", "name a version, a run or an export")
    attempts = max((row.attempt for row in rows), default=1)
    return ReadRun(printable(path), rows, problems=problems, rubric=rubric.load().sha256, attempts=attempts)


def read_run(run: Run) -> ReadRun:
    """A graded run, without the labels on its answers."""
    manifest, verdicts = run.manifest, run.verdicts()
    if manifest.purged and not run.answer_keys():
        raise Incomplete(f"all answers of the run {run.id} were purged", "name another run")
    if not verdicts or not (manifest.grader or manifest.council):  # other runs may have had the same answers
        raise Incomplete(f"the run {run.id} is not graded yet", f"surefoot grade {run.id}")
    if edited := run.edited():
        message = f"the answer to {edited} in the run {run.id} is not the one that was kept"
        raise Incomplete(message, "somebody changed the database: import the run again into a new project")
    return ReadRun(
        run.id, verdicts, questions={question.id: question.as_asked for question in _asked(run)},
        traces={(str(trace.question_id), trace.attempt): trace for trace in run.traces()}, versions=run.answer_keys(),
        graders=(manifest.grader,) if manifest.grader else (),  # others may have graded it too
        council=manifest.council, attempts=max(1, manifest.repeats), uneven=manifest.uneven,
        problems=[*(Problem("note", note, run.id) for note in manifest.question_notes), *not_asked(run)],
        rubric=manifest.rubric_sha256, corpus=corpus_of(manifest.corpus_sha256, manifest.questions_sha256),
        deterministic=manifest.deterministic, partial=manifest.partial,
    )  # fmt: skip


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
        hint = "let a function take `ask: Ask`, or put {retrieval} into --request-template, and run it anew"
    total = run.manifest.question_count
    share = f"{len(missing)} of {total} questions not asked, so coverage is at most {total - len(missing)} of {total}"
    return [Problem(NOT_ASKED, f"{share}{why} (hint: {hint})", run.id)]


def graders_of(run: Run) -> set[str]:
    """All whose verdicts a run has: no label on its answers may be by one of them."""
    return {verdict.grader for verdict in run.verdicts()} | {run.manifest.grader or ""}


class Versions(Struct, frozen=True):
    """The runs of both versions, the one that was named last."""

    base: tuple[Run, ...]
    cand: tuple[Run, ...]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # by name, with the reason

    @property
    def key(self) -> tuple[str, str]:
        return self.base[-1].version, self.cand[-1].version

    @property
    def names(self) -> tuple[str, str]:
        """What they are called in commands: by their runs where both are of one version."""
        return self.key if self.key[0] != self.key[1] else (self.base[-1].id, self.cand[-1].id)

    @property
    def code(self) -> str:
        """What tells the candidate's code from others: its files, prompt and corpus; where nobody knows, its name."""
        made = self.cand[-1].manifest
        known = made.code_sha256 or made.versions.get("prompt", "")
        read = made.corpus_sha256 or ""
        return f"{made.pipeline} {made.code_sha256} {made.versions.get('prompt', '')} {read}" if known else made.version


def versions_of(project: Project, base: Run, cand: Run, without: Mapping[str, str]) -> Versions:
    """All finished runs of both versions. One that is not graded alike has to be left out by name.

    A run against itself stands for itself alone.
    """
    for run in (base, cand):
        if not run.manifest.grader and not run.manifest.council and run.answer_keys():
            raise Incomplete(f"the run {run.id} is not graded yet", f"surefoot grade {run.id}")
    named, both = {base.id, cand.id}, {base.version, cand.version}
    others = [] if base.id == cand.id else [run for run in project.runs(*both) if run.id not in named]
    for name in without:
        if name not in {run.id for run in others}:
            otherwise = "" if others else "no other run counts here"
            raise unknown(f"no run {name} can be left out", name, [run.id for run in others], otherwise)
    left_out = tuple(f"{name} ({reason})" for name, reason in without.items())
    notes, kept = [f"left out: {one}" for one in left_out], list[Run]()
    asked = {base.manifest.questions_sha256, cand.manifest.questions_sha256}
    for run in (one for one in others if one.id not in without):
        like, made = base.manifest, run.manifest
        called = f"not counted: {run.id}, made {made.created[:16].replace('T', ' ')}, which"
        if not made.finished:
            notes.append(f"{called} is not finished")
        elif not made.partial and made.questions_sha256 not in asked:
            missing = sorted({one.id for one in run.questions()} - {one.id for one in base.questions()})
            of = f"; {len(missing)} of its {made.question_count} questions are missing here: {names(missing)}"
            notes.append(f"{called} was asked another question set{of if missing else ''}")
        elif (made.grader, made.rubric_sha256) != (like.grader, like.rubric_sha256):
            hint = f"leave it out with --without {run.id} --reason TEXT, which every decision will say"
            whose = f"belongs to this decision and is not graded by {like.grader}"
            raise Incomplete(f"the run {run.id} of {run.version} {whose}", f"surefoot grade {run.id}, or {hint}")
        else:
            kept.append(run)
    of_all = (*kept, base, cand)
    notes += [f"answers of {run.id} were purged, {words}" for run in of_all for words in run.manifest.purged]
    notes += _of_other_code(run.manifest for run in of_all)
    if len(both) == 1 and kept:
        parted = "its runs up to the earlier of the two make one version, later ones the other"
        notes.append(f"both are {base.version}: {parted}; name versions with run --version")
    # By version. Two runs of one version part its runs in time: what came after the earlier is another version.
    parts: tuple[list[Run], list[Run]] = [], []
    for run in kept:
        is_late = run.manifest.created > min(base.manifest.created, cand.manifest.created)
        by_time = is_late == (base.manifest.created <= cand.manifest.created)
        parts[by_time if len(both) == 1 else run.version == cand.version].append(run)
    return Versions((*parts[0], base), (*parts[1], cand), tuple(notes), left_out)


def _of_other_code(manifests: Iterable[Manifest]) -> Iterator[str]:
    """A version is one pipeline: where it is not, whoever decides has to know."""
    made: dict[str, dict[tuple[str, str], str]] = {}
    for one in manifests:
        made.setdefault(one.version, {}).setdefault((one.pipeline, one.code_sha256), one.id)
    for version, by_code in made.items():
        if len(by_code) > 1:
            yield f"runs of {version} are of different pipelines or code: {', '.join(by_code.values())}"


def labelled_alike(project: Project, like: Manifest) -> list[Run]:
    """The labelled runs with this grader, rubric and corpus, oldest first."""
    labelled = {label.version for label in project.labels()}
    alike = (run for run in project.runs() if _read_by(run.manifest) == _read_by(like))
    return [run for run in alike if labelled & set(run.answer_keys().values())]


def _read_by(manifest: Manifest) -> tuple[str | None, str, str]:
    return manifest.grader, manifest.rubric_sha256, corpus_of(manifest.corpus_sha256, manifest.questions_sha256)
