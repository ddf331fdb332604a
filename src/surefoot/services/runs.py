"""What `gate` is given: a file of verdicts, or the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from surefoot import rubric
from surefoot.annotators import is_annotator
from surefoot.errors import Incomplete, UsageError
from surefoot.gate.sides import Run
from surefoot.graders.judges import items_of
from surefoot.io.verdicts import checked, load_verdicts
from surefoot.io.writer import printable
from surefoot.pipelines.asker import CANNOT_FORCE_NULL
from surefoot.problems import NOT_ASKED
from surefoot.records import corpus_of
from surefoot.store import MANIFEST, VERDICTS, RunStore
from surefoot.types import Item, Problem, Verdict


def is_run(path: str | Path) -> bool:
    return (Path(path) / MANIFEST).is_file()


def read_run(path: str | Path) -> Run:
    """A run named like its path. What could not be read of it stands in its problems."""
    where = Path(path)
    name = printable(where)
    if not where.exists():
        raise UsageError(f"there is no file or folder {name}", "pass a file of verdicts or the folder of a run")
    return _run(where, name) if where.is_dir() else _plain(where, name)


def run_items(store: RunStore) -> Iterator[Item]:
    """Every answer that a run should have."""
    made = store.manifest
    return items_of(store.questions(), store.traces(), made.repeats, made.uneven)


def not_asked(store: RunStore) -> list[Problem]:
    """Say which share of a run's questions was not asked, why, and what to do; purged answers were asked for."""
    answered = {trace.question_id for trace in store.traces()}
    missing = [question for question in store.questions() if question.id not in answered]
    if not missing or store.manifest.purged:
        return []
    why, hint = "", f"surefoot run --resume --out {printable(store.path)}"
    if all(question.retrieval == "null" for question in missing):
        why = f": {CANNOT_FORCE_NULL}"
        hint = f"let a function take `ask: Ask`, or put {{retrieval}} into --request-template; then {hint}"
    total = store.manifest.question_count
    share = f"{len(missing)} of {total} questions not asked, so coverage is at most {total - len(missing)} of {total}"
    return [Problem(NOT_ASKED, f"{share}{why} (hint: {hint})", printable(store.path))]


def graders_of(store: RunStore) -> set[str]:
    """All whose verdicts a run has: no label on its answers may be by one of them."""
    given = {verdict.grader for verdict in store.verdicts() if not is_annotator(verdict.grader)}
    return {*given, store.manifest.grader or ""} - {""}


def refuse_verdicts_of(store: RunStore, path: str | Path) -> None:
    """Verdicts are no labels, whatever name they are under: some have none."""
    if is_same_file(path, store.path / VERDICTS):
        message = f"{path} holds the verdicts of the run, and no labels by people"
        raise UsageError(message, f"label some answers: surefoot label {printable(store.path)}")


def is_same_file(one: str | Path, other: str | Path) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def _plain(path: Path, name: str) -> Run:
    problems: list[Problem] = []
    rows = load_verdicts(path, problems)
    # Rows are read by the bundled rubric; a file does not say which documents it is about.
    attempts = max((row.attempt for row in rows), default=1)
    return Run(name, rows, problems=problems, rubric=rubric.load().sha256, attempts=attempts)


def _run(folder: Path, name: str) -> Run:
    store = RunStore.open(folder)
    manifest = store.manifest
    found = _verdicts(store)
    _check_graded(store, found, name)
    questions = {question.id: question.as_asked for question in store.questions()}
    traces = {(str(trace.question_id), trace.attempt): trace for trace in store.traces()}
    notes = [Problem("note", note, name) for note in manifest.question_notes]
    return Run(
        name,
        found,
        questions=questions,
        traces=traces,
        # Ballots and labels by people may lie in the same file: the run's own grader decides.
        graders=(manifest.grader,) if manifest.grader else (),
        council=manifest.council,
        attempts=max(1, manifest.repeats),
        uneven=manifest.uneven,
        problems=[*store.problems, *notes, *not_asked(store)],
        rubric=manifest.rubric_sha256,
        corpus=corpus_of(manifest.corpus_sha256, manifest.questions_sha256),
        deterministic=manifest.deterministic,
    )


def _verdicts(store: RunStore) -> list[Verdict]:
    found = []
    for line, verdict in store.numbered_verdicts():
        usable, fault = checked(verdict)
        if fault:
            store.problems.append(Problem("bad_verdict", fault, printable(store.path / VERDICTS), line))
        if usable is not None:
            found.append(usable)
    return found


def _check_graded(store: RunStore, verdicts: list[Verdict], name: str) -> None:
    """A decision on verdicts that are not there, or are on other answers, would be none."""
    grader = store.manifest.grader
    _check_scored(store, name)
    if not verdicts:
        raise Incomplete(f"the run {name} has no verdicts", f"grade it first: surefoot grade {name}")
    if store.is_graded_otherwise():
        message = f"the answers of the run {name} have changed since it was graded, so its verdicts are on others"
        raise Incomplete(message, f"grade it again: surefoot grade {name}")
    if store.manifest.verdicts_sha256 and store.manifest.verdicts_sha256 != store.verdicts_sha256(grader):
        message = f"the verdicts of the run {name} are not those that {grader} gave: they were changed by hand"
        raise Incomplete(
            message, f"grade it again (surefoot grade {name}); what people say is a label: surefoot label {name}"
        )
    if grader and not (store.manifest.graded_sha256 and store.manifest.verdicts_sha256):
        message = (
            "it is not recorded on which answers its verdicts are, or which they were; grading it again records that"
        )
        store.problems.append(Problem("note", message, name))


def _check_scored(store: RunStore, name: str) -> None:
    """The same of what a council said."""
    made = store.manifest
    again = f"surefoot council {name} with the same reviewers; replies that are known cost nothing"
    if made.council and made.council_answers_sha256 != store.answers_sha256():
        raise Incomplete(f"the answers of the run {name} have changed since the council scored them", again)
    if made.council and made.council_verdicts_sha256 != store.verdicts_sha256(made.council):
        raise Incomplete(f"the scores of the run {name} are not those that its council gave", again)


def folders(name: str) -> Iterator[Path]:
    """Where a run may lie that nobody has given a place, in order."""
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip("-.")[:40] or "run"
    return (Path("runs", f"{stem}-{number}") for number in count(1))
