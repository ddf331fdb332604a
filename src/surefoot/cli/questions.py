"""surefoot questions check | lock | diff | clone | plan"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from surefoot.cli.options import Share
from surefoot.datasets import clone as cloning
from surefoot.datasets import hygiene, locks
from surefoot.errors import ExitCode, UsageError
from surefoot.io import questions as question_sets
from surefoot.io.questions import QuestionSet
from surefoot.report.words import counted, plain
from surefoot.types import Problem

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MOST_PLANNED = 2_000
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group(epilog="Example: surefoot questions check qaset.json --corpus passages.jsonl")
def questions() -> None:
    """Keep a question set honest: check, lock, diff, clone; and see what it can tell: plan."""


@questions.command(epilog="Example: surefoot questions check qaset.json --corpus passages.jsonl")
@click.argument("file", type=_FILE)
@click.option("--corpus", type=click.Path(path_type=Path), help="Passages with ids: gold ids must be among them.")
@_JSON
def check(file: Path, corpus: Path | None, as_json: bool) -> int:
    """Find duplicates, one-sided sets, missing gold ids, questions changed under their id.

    Exits 1 when there is an error, 0 when there are only warnings.
    """
    question_set = question_sets.load(file)
    problems = hygiene.check(question_set, hygiene.corpus_ids(corpus) if corpus else None)
    errors = [problem for problem in problems if problem.kind in hygiene.ERRORS]
    warnings = [problem for problem in problems if problem.kind not in hygiene.ERRORS]
    if as_json:
        _print(
            {
                "ok": not errors,
                "questions": len(question_set.questions),
                "errors": errors,
                "warnings": warnings,
            }
        )
    else:
        _list("error", errors)
        _list("warning", warnings)
        found = ((question_set.questions, "question"), (errors, "error"), (warnings, "warning"))
        click.echo(", ".join(counted(len(rows), noun) for rows, noun in found))
    return ExitCode.BLOCKED if errors else ExitCode.OK


@questions.command(epilog="Example: surefoot questions lock qaset.json")
@click.argument("file", type=_FILE)
@click.option("--accept-changes", is_flag=True, help="Lock again although questions changed under their ids.")
@_JSON
def lock(file: Path, accept_changes: bool, as_json: bool) -> int:
    """Write FILE.lock with a content hash per question id; commit it beside the set.

    From then on `score` refuses the set when a question has changed under its old id.
    """
    question_set = _sound(file)
    hashes = locks.hashes_of(question_set.questions)
    path = locks.lock_path(file)
    if path.exists() and not accept_changes:
        changed = locks.difference(locks.read_lock(path), hashes).changed
        if changed:
            _list("error", [_changed(question_set, qid) for qid in changed])
            click.echo(f"hint: surefoot questions clone {file} NEW gives them new ids", err=True)
            return ExitCode.BLOCKED
    locks.write_lock(path, hashes)
    _print({"lock": str(path), "questions": len(hashes)}) if as_json else click.echo(
        f"{path}: {len(hashes)} questions locked"
    )
    return ExitCode.OK


@questions.command(epilog="Example: surefoot questions diff qaset.json qaset-v2.json")
@click.argument("old", type=_FILE)
@click.argument("new", type=_FILE, required=False)
@_JSON
def diff(old: Path, new: Path | None, as_json: bool) -> int:
    """Compare two sets, or a set with its lock file. Exits 1 when a question changed under its id."""
    before, after = (locks.lock_path(old), old) if new is None else (old, new)
    if not before.exists():
        raise UsageError(f"{old} has no lock file to compare with", f"make one with `surefoot questions lock {old}`")
    found = locks.difference(locks.hashes_in(before), locks.hashes_in(after))
    if as_json:
        _print(found)
    else:
        for word, qids in (("added", found.added), ("removed", found.removed), ("changed", found.changed)):
            for qid in qids:
                click.echo(f"{word}: {plain(qid)}")
        click.echo(f"{found.unchanged} unchanged")
    return ExitCode.BLOCKED if found.changed else ExitCode.OK


@questions.command(epilog="Example: surefoot questions clone qaset.json qaset-v2.json --change q3 --change q7")
@click.argument("file", type=_FILE)
@click.argument("new", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--change", multiple=True, metavar="QID", help="Give this question a new id. Repeatable.")
@_JSON
def clone(file: Path, new: Path, change: tuple[str, ...], as_json: bool) -> int:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those named with --change, which you then edit, and those that differ from FILE.lock already.
    NEW.lock is written too; it leaves the former open until you lock NEW again.
    """
    if new.exists():
        raise UsageError(f"{new} exists already", "choose another name: a version is never overwritten")
    question_set = _sound(file)
    changed = set(change)
    if (path := locks.lock_path(file)).exists():
        changed |= set(locks.difference(locks.read_lock(path), locks.hashes_of(question_set.questions)).changed)
    cloned = cloning.clone(question_set.questions, changed)
    cloning.write_questions(new, cloned)
    renamed = {a.id: b.id for a, b in zip(question_set.questions, cloned, strict=True) if a.id != b.id}
    # What was named with --change is still to be edited; it is locked by the next `questions lock`.
    open_ids = {renamed[qid] for qid in change}
    locks.write_lock(locks.lock_path(new), locks.hashes_of([q for q in cloned if q.id not in open_ids]))
    if as_json:
        _print({"file": str(new), "questions": len(cloned), "renamed": renamed})
    else:
        for old_id, new_id in renamed.items():
            click.echo(f"{plain(old_id)} -> {plain(new_id)}")
        click.echo(f"{new}: {len(cloned)} questions, {len(cloned) - len(renamed)} kept their id")
        if open_ids:
            click.echo(f"edit {plain(', '.join(sorted(open_ids)))} now, then `surefoot questions lock {new}`")
    return ExitCode.OK


@questions.command(epilog="Example: surefoot questions plan 130 --runs 3 --labels 80")
@click.argument("size", metavar="N|FILE")
@click.option("--runs", type=click.IntRange(1, 20), default=3, show_default=True, help="Of each version.")
@click.option("--labels", type=click.IntRange(1, 5_000), default=80, show_default=True, help="Answers people label.")
@click.option("--rate", type=Share(), default=0.03, show_default=True, help="Share of answers that are wrong today.")
@click.option("--margin", type=Share(), default=0.03, show_default=True, help="The rise that could still be borne.")
@_JSON
def plan(size: str, runs: int, labels: int, rate: float, margin: float, as_json: bool) -> int:
    """Say how often the gate would decide on so many questions, before anything is asked.

    The gate itself is tried on made-up pipelines: 60 for each size of change.
    """
    from surefoot.services.plan import Setting, forecast

    count = int(size) if size.isdecimal() else len(_sound(Path(size)).questions)
    if not 1 <= count <= _MOST_PLANNED:
        raise UsageError(f"{count:,} questions cannot be planned", f"choose from 1 to {_MOST_PLANNED:,}")
    setting = Setting(questions=count, runs=runs, labels=labels, wrong=rate, margin=margin)
    found = forecast(setting, (0.0, margin, 2 * margin))
    if as_json:
        _print({"questions": count, "runs": runs, "labels": labels, "rate": rate, "margin": margin,
                "changes": msgspec.to_builtins(found)})  # fmt: skip
        return ExitCode.OK
    click.echo(f"{counted(count, 'question')}, {counted(runs, 'run')} of each version, {counted(labels, 'label')}, "
               f"{rate:.1%} wrong today, margin {margin:g}")  # fmt: skip
    click.echo("wrong rises by   ships  blocks   after the labels the gate asks for: ships  blocks")
    for one in found:
        first, after = f"{one.ships:6.0%} {one.blocks:7.0%}", f"{one.ships_after:6.0%} {one.blocks_after:7.0%}"
        click.echo(f"{one.rise * 100:6.1f} points   {first}   {'':34} {after}")
    return ExitCode.OK


def _sound(file: Path) -> QuestionSet:
    """A set without unreadable or doubled questions: nothing else may be locked or cloned."""
    question_set = question_sets.load(file)
    errors = [problem for problem in question_set.problems if problem.kind in hygiene.ERRORS]
    if errors:
        raise UsageError(str(errors[0]), f"`surefoot questions check {file}` lists all {len(errors)}")
    return question_set


def _changed(question_set: QuestionSet, qid: str) -> Problem:
    message = f"question {qid!r} changed under its old id since it was locked"
    return Problem("changed_question", message, question_set.source, question_set.lines.get(qid))


def _list(word: str, problems: list[Problem]) -> None:
    for problem in problems:
        click.echo(f"{word}: {plain(str(problem), 400)}", err=True)


def _print(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()
