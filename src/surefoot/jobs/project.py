"""What a project keeps, to a file and back; labels made elsewhere; and what is erased."""

from __future__ import annotations

import getpass
import hashlib
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from surefoot.core import rubric
from surefoot.core.errors import ExitCode, Incomplete, UsageError
from surefoot.core.files import ELSEWHERE, check_outputs, printable
from surefoot.core.records import BASELINE, Label, Purge, place_of, timestamp
from surefoot.core.result import READER, Person, Result, Tell, tell_problems
from surefoot.core.types import HARMLESS, Problem, counted, names
from surefoot.graders.encoder import Readings
from surefoot.io.labels import Known, Place, bound, load_labels, not_yet_in
from surefoot.jobs.runs import Name, check_texts, graders_of, opened, runs_of
from surefoot.models.replies import default_path
from surefoot.store import Project, Run
from surefoot.store import export as exports
from surefoot.store.project import erase
from surefoot.text.normal import hashed_subject

_NOT_TOUCHED = (
    "not touched: logs, what a monitor writes (--bad, --state), reports, exports, backups, and caches set with "
    "`cache`; importing an older export brings rows back"
)


class Exported(Result, frozen=True):
    file: str
    project: str
    lines: int
    sha256: str  # of the file: equal for equal rows


class Imported(Result, frozen=True):
    """`new` are the rows that the project did not have; `left_out` labels are on no answer, or may be on several."""

    file: str
    project: str
    rows: dict[str, int]
    new: dict[str, int]
    runs: tuple[str, ...] = ()
    left_out: int = 0
    problems: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.left_out else ExitCode.OK


class Verified(Result, frozen=True):
    """Whether an export is as it was written, and holds all that its decisions used."""

    file: str
    sha256: str
    rows: dict[str, int]
    faults: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.faults else ExitCode.OK


class Purged(Result, frozen=True):
    """What was erased, or without `yes` what would be."""

    erased: bool
    project: str
    rows: dict[str, int]
    runs: tuple[str, ...]
    notes: tuple[str, ...]
    not_found: bool = False  # the person, anywhere

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.not_found else ExitCode.OK


def export(
    file: str | Path, *runs: Name, labels: bool = False, decision: str | None = None, texts: bool = True,
    db: str | Path | None = None,
) -> Exported:  # fmt: skip
    """Write runs, all runs of versions, or the whole project to a file: .jsonl, .jsonl.gz or .jsonl.zst.

    `labels` writes what people said and nothing else. `decision`, an id or "latest", writes everything that a decision
    rests on: both versions, their verdicts and labels, and the decision. Without `texts`, ids, hashes and values alone.
    Paid replies of models are never written. Only an earlier export is replaced.
    """
    path = Path(file)
    name = printable(path)
    check_outputs([path])
    if not path.name.endswith(exports.NAMES) or path.name in exports.NAMES:
        raise UsageError(f"{name} does not end in {' or '.join(exports.NAMES)}", ELSEWHERE)
    if path.exists() and (not path.is_file() or path.stat().st_size) and not exports.is_export(path):
        raise UsageError(f"{name} is there already, and is something else", f"{ELSEWHERE}, or remove it first")
    with opened(runs, db) as (project, named):
        chosen: Sequence[Run] | None = named if runs else None
        decisions = set[str]() if runs else None
        if decision is not None:
            chosen, decisions = exports.bundle_of(project, decision)
            if texts:
                check_texts(chosen)
        if chosen is not None and decisions is not None:  # that a version is the baseline goes along with it
            ids = {run.id for run in chosen}
            decisions |= {one.id for one in project.decisions() if one.mode == BASELINE and {*one.cand_runs} <= ids}
        lines = exports.lines_of(project, chosen, labels=labels, decisions=decisions, texts=texts)
        return Exported(str(file), project.name, exports.write_export(path, lines), exports.sha256_of(path))


def import_(
    file: str | Path, *, run: Name | None = None, db: str | Path | None = None, person: Person = READER
) -> Imported:
    """Add what `export` wrote, or labels made elsewhere, to the project; all of it or nothing.

    `run` is the run whose answers labels are on; else all runs are looked through. What is there already stays, so a
    file may be imported again.
    """
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", "pass labels, or what `surefoot export` wrote")
    if not exports.is_export(path):
        return _import_labels(path, run, db, person.tell)
    if run is not None:
        raise UsageError(f"{path} is an export, and no labels on one run", "leave --run out")
    found = exports.read_export(path)  # whole, before a project is made
    with Project.open(db) as project:
        new = exports.add_export(project, found, str(path))
        return Imported(str(path), project.name, found.counts, new, tuple(found.runs))


def verify_export(file: str | Path) -> Verified:
    """Check an export without importing it."""
    path = Path(file)
    if not exports.is_export(path):
        raise UsageError(f"{path} is not an export", "surefoot export FILE --decision latest writes one")
    try:
        found = exports.read_export(path)
        counts, faults = found.counts, tuple(exports.verify(found))
    except (UsageError, Incomplete) as error:
        counts, faults = {}, (error.message,)
    return Verified(str(path), exports.sha256_of(path), counts, faults)


def purge(
    *, older_than: int | None = None, subject: str | None = None, db: str | Path | None = None, yes: bool = False
) -> Purged:
    """Erase runs and labels that are older than some days, or the answers and labels about one person.

    Without `yes`, nothing is erased. A run that is too old goes as a whole; of a person, only the answers whose trace
    names them as its subject, or has the hash that a monitor writes instead. Where nothing is found, nothing is
    recorded either.
    """
    if (older_than is None) == (not subject):
        raise UsageError("one thing to purge by must be given", "pass --older-than DAYS or --subject ID")
    now = datetime.now(UTC)
    before = (now - timedelta(days=older_than)).isoformat(timespec="microseconds") if older_than else ""
    with Project.existing(db) as project:
        runs, people = project.runs(), {subject, hashed_subject(subject)} if subject else set[str | None]()
        whole = [run.id for run in runs if before and run.manifest.created < before]
        parts = {run.id: {key for key, one in run.subjects().items() if one in people} for run in runs}
        parts = {id: keys for id, keys in parts.items() if keys}
        old = [one for one in project.labels() if one.at < before or (subject and one.subject in people)]
        answers = sum(map(len, parts.values())) + sum(len(run.answer_keys()) for run in runs if run.id in whole)
        rows = {"answers": answers, "runs": len(whole), "labels": len(old)}
        shown = (*(f"{id}: all of it" for id in whole), *(f"{id}: {len(keys)}" for id, keys in parts.items()))
        notes = [_NOT_TOUCHED]
        if subject:  # an answer that names nobody may be theirs: nobody is to take silence for an erasure
            named = [one for run in runs for one in run.subjects().values()]
            searched = f"{counted(len(named), 'answer')} of {counted(len(runs), 'run')}"
            nobody = f"{counted(named.count(''), 'answer')} of these name no person"
            notes.insert(0, f"looked for {subject} in {searched}; {nobody}")
        is_lost = bool(subject) and not any(rows.values())
        if not yes or is_lost:
            hint = ": the same command with --yes erases it" if any(rows.values()) else ""
            return Purged(False, project.name, rows, shown, (*notes, f"nothing was erased{hint}"), is_lost)
        if default_path().exists():
            with Project.open(default_path()) as cache:
                cache.replies.forget(project.replies.digests(), before)
        Readings().forget()
        record = Purge(
            id=secrets.token_hex(16), at=now.isoformat(timespec="microseconds"), by=getpass.getuser(), before=before,
            subject_sha256=hashlib.sha256(subject.encode()).hexdigest() if subject else "", rows=rows,
        )  # fmt: skip
        made = erase(project, parts, whole, {one for one in people if one}, before, record)
        return Purged(True, project.name, made.rows, shown, tuple(notes))


def _import_labels(path: Path, name: Name | None, db: str | Path | None, tell: Tell) -> Imported:
    """Add labels on the answers of a run or version, or of all runs of the project."""
    problems, places, new, at = list[Problem](), dict[str, Place](), list[Label](), timestamp()
    changed = list[str]()  # the questions on which somebody said otherwise before
    with Project.existing(db) as project:
        runs = runs_of(project, name) if name is not None else project.runs()
        rubrics = {run.manifest.rubric for run in runs}
        by = rubric.load(rubrics.pop()) if len(rubrics) == 1 and rubrics <= {*rubric.bundled()} else None
        graders = {grader for run in runs for grader in graders_of(run)}
        read = load_labels(path, problems, rubric=by, graders=graders, places=places)
        if serious := [problem for problem in problems if problem.kind not in HARMLESS]:  # nothing is half imported
            whole = next((problem for problem in serious if problem.kind in ("unreadable", "no_labels")), None)
            tell_problems([problem for problem in problems if problem is not whole], tell)
            if whole:
                hint = "pass labels as CSV with a header, as one JSON object per line, or what `surefoot export` wrote"
                raise Incomplete(f"{whole}; nothing was imported", hint)
            message = f"{counted(len(serious), 'row')} of {path} cannot be used, and nothing was imported"
            raise UsageError(message, "correct or remove the rows named above, then import it again")
        answers = [one for run in runs for one in known_answers(run)]
        keys = {one.key for one in answers}
        # A row that names its answer by key needs no run that has it, unless one was named.
        labels = [one for one in read if name is None and one.version.isalnum() and one.version not in keys]
        labels += bound([one for one in read if one not in labels], answers, problems, places=places)
        if not labels:
            tell_problems(problems, tell)
            hint = "nothing was imported; call questions as the runs do, and give each row the answer's words"
            raise Incomplete(f"no label in {path} could be placed", hint)

        def added(known: list[Label]) -> list[Label]:
            said = {place_of(one): one.value for one in sorted(known, key=lambda row: (row.at, row.id))}
            new[:] = not_yet_in(known, labels, at)
            changed[:] = [one.question_id for one in new if said.get(place_of(one), one.value) != one.value]
            return new

        project.add_new_labels({one.version for one in labels}, added)
        if changed:
            words = f"{counted(len(changed), 'label')} by annotators who said otherwise before now count instead"
            problems.append(Problem("note", f"{words}: {names(changed)}", str(path)))
        tell_problems(problems, tell)
        left_out = len({(one.source, one.line) for one in problems if one.kind == "unknown_question"})
        counts, fresh = {"labels": _answers_of(labels)}, {"labels": _answers_of(new)}
        return Imported(str(path), project.name, counts, fresh, (), left_out, tuple(map(str, problems)))


def _answers_of(labels: Sequence[Label]) -> int:
    """A label is what one person says of one answer, on however many axes."""
    return len({(one.version, one.question_id, one.attempt, one.annotator) for one in labels})


def known_answers(run: Run) -> Iterator[Known]:
    """The answers of a run that labels may be on."""
    keys, made = run.answer_keys(), run.manifest
    for trace in run.traces():
        place = str(trace.question_id), trace.attempt
        yield Known(keys[place], *place, trace.answer or "", run.id, made.rubric_sha256, str(trace.subject or ""))
