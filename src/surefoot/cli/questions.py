"""surefoot questions review | check | lock | diff | clone"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import json_option
from surefoot.cli.output import PERSON, announce, finish, page_options, say, without_pages
from surefoot.core.errors import ExitCode
from surefoot.core.result import Result
from surefoot.core.types import Problem
from surefoot.core.words import counted, plain
from surefoot.services import questions as service

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_JSON = json_option()


@click.group(epilog="Example: surefoot questions check qaset.json")
def questions() -> None:
    """Review, check, lock and version a question set."""


@questions.command(epilog="Example: surefoot questions review built.jsonl --corpus passages.jsonl")
@click.argument("file", type=_FILE)
@click.option(
    "--corpus", required=True, type=click.Path(path_type=Path), help="The passages that the questions rest on."
)
@click.option("--name", metavar="NAME", help="Who reviews.  [default: the page asks]")
@page_options
@_JSON
def review(file: Path, no_browser: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Open the page where people accept, edit or reject proposed questions.

    Each decision goes into FILE at once. Runs until Ctrl-C.
    """
    try:
        from surefoot.web.app import Opened, serve_questions  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise without_pages("the review page") from error

    def show(page: Opened) -> None:
        announce(page, f"{page.reviewed} of {page.total} questions are reviewed", as_json, no_browser)

    serve_questions(file, show, person=PERSON, **options)
    return ExitCode.OK


@questions.command(epilog="Example: surefoot questions check qaset.json --corpus passages.jsonl")
@click.argument("file", type=_FILE)
@click.option("--corpus", type=click.Path(path_type=Path), help="Check against these passages too.")
@click.option("--prompt", type=_FILE, help="The pipeline's prompt: no gold claim may be in it.")
@click.option("--strict", is_flag=True, help="Exit 1 for warnings too.")
@_JSON
def check(file: Path, corpus: Path | None, prompt: Path | None, strict: bool, as_json: bool) -> int:
    """Find duplicates, leaks, one-sided sets, missing gold ids, questions changed under their id.

    With --corpus (about two seconds a question): does the gold passage support the claim and answer the question, and
    does nothing answer an unanswerable one? Exits 1 on an error.
    """
    found = service.check_questions(file, corpus=corpus, prompt=prompt, strict=strict, person=PERSON)
    if not as_json:
        _list("error", found.errors)
        _list("warning", found.warnings)
    counts = {"question": found.questions, "error": len(found.errors), "warning": len(found.warnings)}
    line = ", ".join(counted(count, noun) for noun, count in counts.items())
    if unsure := max(0, len(found.findings) - len(found.errors) - len(found.warnings)):
        line += f"; --json shows {counted(unsure, 'finding')} that {'is' if unsure == 1 else 'are'} less sure"
    return _show(found, as_json, [line])


@questions.command(epilog="Example: surefoot questions lock qaset.json")
@click.argument("file", type=_FILE)
@click.option("--accept-changes", is_flag=True, help="Lock even if questions changed under their ids.")
@click.option("--accept-all", is_flag=True, help="Accept proposed questions that nobody has read.")
@_JSON
def lock(file: Path, accept_changes: bool, accept_all: bool, as_json: bool) -> int:
    """Write FILE.lock with a content hash per question id; commit it beside the set.

    Then `score` refuses the set when a question has changed under its id.
    """
    found = service.lock_questions(file, accept_changes=accept_changes, accept_all=accept_all)
    if found.changed and not as_json:
        _list("error", found.changed)
        say(f"hint: surefoot questions clone {file} NEW gives them new ids")
        return int(found.exit_code)
    unread = f", {found.accepted_unread} of them accepted unread" if found.accepted_unread else ""
    return _show(found, as_json, [f"{found.lock}: {counted(found.questions, 'question')} locked{unread}"])


@questions.command(epilog="Example: surefoot questions diff qaset.json qaset-v2.json")
@click.argument("old", type=_FILE)
@click.argument("new", type=_FILE, required=False)
@_JSON
def diff(old: Path, new: Path | None, as_json: bool) -> int:
    """Compare two sets, or a set with its lock file. Exits 1 when a question changed under its id."""
    found = service.diff_questions(old, new)
    lines = [f"{word}: {plain(qid)}" for word in ("added", "removed", "changed") for qid in getattr(found, word)]
    return _show(found, as_json, [*lines, f"{found.unchanged} unchanged"])


@questions.command(epilog="Example: surefoot questions clone qaset.json qaset-v2.json --change q3 --change q7")
@click.argument("file", type=_FILE)
@click.argument("new", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--change", multiple=True, metavar="QID", help="Give this question a new id. Repeatable.")
@_JSON
def clone(file: Path, new: Path, change: tuple[str, ...], as_json: bool) -> int:
    """Make a new version of a set: changed questions get new ids, untouched ones keep theirs.

    Changed are those of --change, which you then edit, and those that differ from FILE.lock. When done, lock NEW.
    """
    found = service.clone_questions(file, new, change=change)
    lines = [f"{plain(old_id)} -> {plain(new_id)}" for old_id, new_id in found.renamed.items()]
    lines.append(f"{new}: {counted(found.questions, 'question')}, {found.questions - len(found.renamed)} kept their id")
    if found.rejected:
        lines.append(f"{counted(found.rejected, 'rejected question')} stayed behind in {file}")
    if found.to_edit:
        lines.append(f"edit {plain(', '.join(found.to_edit))} now, then `surefoot questions lock {new}`")
    return _show(found, as_json, lines)


def _list(word: str, problems: Iterable[Problem]) -> None:
    for problem in problems:
        say(f"{word}: {plain(str(problem), 400)}")


def _show(found: Result, as_json: bool, lines: list[str]) -> int:
    return finish(found, as_json, lambda: click.echo("\n".join(lines)))
