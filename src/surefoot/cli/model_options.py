"""The options of every command that asks a language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import AT_ONCE, SECONDS, TOKENS, cache_option
from surefoot.errors import UsageError
from surefoot.models.budget import Budget
from surefoot.models.seam import EFFORTS, Settings
from surefoot.report.words import counted, plain
from surefoot.services.graders import Terms
from surefoot.services.run import Answers

_NOT_ASKED = "not asked: "
_HOW_LONG = re.compile(r" \(given up after [^()]*\)$")
_NUMBERED = re.compile(r"\S*\d\S*")
_MOST_CAUSES = 5


_LIMITS = (
    click.option(
        "--max-cost", type=float, metavar="USD", help="Stop before more than this is spent, whoever spends it."
    ),
    click.option("--effort", type=click.Choice(EFFORTS),
                 help="How much a model is to think before it replies.  [default: its own]"),
    click.option("--max-tokens", type=TOKENS, metavar="N", help="Most tokens of one reply, thinking included.  "
                 "[default: what the reply needs and 8,192, more if cut off]"),
    click.option("--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
                 help="TOML with prices of models, before those that are known."),
)  # fmt: skip
_CALLS = (
    click.option("--concurrency", type=AT_ONCE, default=Terms().concurrency, metavar="N", show_default=True,
                 help="Calls at once."),
    click.option("--timeout", type=SECONDS, metavar="SECONDS",
                 help="Longest silence of a server; a slow reply is not silent.  [default: 300]"),
    cache_option,
    click.option("--yes", is_flag=True, help="Spend without a question."),
)  # fmt: skip


def chat_options(command: Callable[..., int]) -> Callable[..., int]:
    """For commands that ask pipelines, some of which are chat models."""
    return _with(_LIMITS, command)


def asking_options(command: Callable[..., int]) -> Callable[..., int]:
    return _with((*_LIMITS, *_CALLS), command)


def _with(options: Sequence[Callable[..., Any]], command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(options):
        command = option(command)
    return command


def chat_asking(spec: str, options: dict[str, Any]) -> tuple[Settings, Budget]:
    """How a chat model is asked, and the budget."""
    budget = Budget(options.get("max_cost"))
    if options.get("max_cost") is not None and not spec.startswith("chat:"):
        hint = "leave it out: what other pipelines spend is their own affair"
        raise UsageError("--max-cost can be kept for chat: pipelines alone", hint)
    given: dict[str, Any] = {name: options.get(name) for name in ("effort", "max_tokens", "prices")}
    return Settings(concurrency=options.get("concurrency", 1), **given), budget


def tell_causes(causes: Iterable[tuple[str, str]]) -> None:
    """Why something was not answered, and what to do about it: each once in a command, and no more than a few."""
    context = click.get_current_context(silent=True)
    told: set[str] = context.meta.setdefault(__name__, set()) if context else set()
    new: dict[str, tuple[str, str]] = {}
    for cause, hint in causes:
        new.setdefault(_kind(cause), (cause, hint))
    untold = [both for kind, both in new.items() if kind not in told]
    told.update(new)
    for cause, hint in untold[:_MOST_CAUSES]:
        click.echo(plain(f"error: {cause.removeprefix(_NOT_ASKED)}", 500), err=True)
        if hint and hint not in told:
            click.echo(plain(f"hint: {hint}", 500), err=True)
        told.add(hint)
    if len(untold) > _MOST_CAUSES:
        click.echo(f"and {counted(len(untold) - _MOST_CAUSES, 'other error')}", err=True)


def tell_causes_of(answers: Answers) -> None:
    """Why questions have no answer; causes that have passed are not told."""
    errors = answers["errors_by_kind"]
    tell_causes((why, hint) for why, hint in answers.causes.items() if any(why.startswith(one) for one in errors))


def tell_causes_last(causes: Sequence[tuple[str, str]]) -> None:
    """The same at the end of the command, behind all that followed from them: there they are seen."""
    if context := click.get_current_context(silent=True):
        context.call_on_close(lambda: tell_causes(causes))
    else:
        tell_causes(causes)


def _kind(cause: str) -> str:
    """Errors are of one kind where they differ in times, counts and ids alone; their status comes first, and tells."""
    why = bare_cause(cause)
    return why[: len("HTTP 404")] + _NUMBERED.sub("", why[len("HTTP 404") :])


def bare_cause(error: str) -> str:
    """Without how long it took to find out."""
    return _HOW_LONG.sub("", error.removeprefix(_NOT_ASKED))
