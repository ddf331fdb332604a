"""Asking somebody at the terminal for questions, one after the other, with the passages they are about."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import click

from surefoot.cli.output import say
from surefoot.datasets.hygiene import Finding
from surefoot.errors import ExitCode, UsageError
from surefoot.report.words import counted, plain
from surefoot.services.new_question import Author, are_against, written_question
from surefoot.types import Passage

_SHOWN = 5
_LONGEST = 300
_NONE = "none"


def write_questions(author: Author, stratum: str, name: str) -> int:
    """Until an empty line comes instead of a question."""
    added = 0
    while text := _ask("Question (empty to end)"):
        try:
            added += _write_one(author, text, stratum, name)
        except UsageError as error:
            say(f"error: {plain(error.message, 500)}\nhint: {plain(error.hint, 500)}")
    click.echo(f"{author.path}: {counted(added, 'question')} added")
    return ExitCode.OK


def _write_one(author: Author, text: str, stratum: str, name: str) -> bool:
    gold = _gold(author, text)
    question = written_question(text, gold, list(_claims()) if gold else [], stratum)
    findings = author.read(question)
    show_findings(findings)
    if are_against(findings) and not click.confirm("Add it anyway?", default=False, err=True):
        return False
    say(f"{plain(str(author.write(question, findings, by=name).id))} added")
    return True


def show_findings(findings: Iterable[Finding]) -> None:
    for one in findings:
        say(f"warning: {plain(one.message, 500)} ({one.confidence:.0%} sure)")


def _gold(author: Author, words: str) -> tuple[str, ...]:
    """The passages somebody picks; none if nothing answers the question."""
    while True:
        found = author.nearest(words, _SHOWN)
        for number, passage in enumerate(found, 1):
            say(f"{number:>3}  {plain(passage.id)}  {plain(passage.doc)}\n     {plain(passage.text, _LONGEST)}")
        how = "Numbers or ids" if found else "No passage has these words. An id"
        picked = _ask(f"Where is the answer? {how}, {_NONE!r}, or other words to search for")
        if picked == _NONE:
            return ()
        if not picked:
            raise UsageError("no passage was chosen", f"answer {_NONE!r} if nothing answers the question")
        if ids := _picked(picked, found, author):
            return ids
        words = picked


def _picked(given: str, found: Sequence[Passage], author: Author) -> tuple[str, ...]:
    """What is named by number or id; nothing if any of it is neither, for then it is words."""
    if given in author.ids:
        return (given,)
    numbers = {str(number): passage.id for number, passage in enumerate(found, 1)}
    ids = [numbers.get(one) or (one if one in author.ids else "") for one in given.replace(",", " ").split()]
    return tuple(dict.fromkeys(ids)) if all(ids) else ()


def _claims() -> Iterable[str]:
    if first := _ask("Gold claim: the answer as a sentence"):
        yield first
        while more := _ask("Another gold claim (empty to go on)"):
            yield more


def _ask(what: str) -> str:
    """An empty text where the input has ended, too."""
    try:
        answer: str = click.prompt(what, default="", show_default=False, err=True)
        return answer.strip()
    except click.Abort:
        if sys.stdin.isatty():
            raise
        return ""
