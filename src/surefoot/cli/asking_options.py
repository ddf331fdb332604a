"""The options of every command that asks a language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click
from msgspec import Struct

from surefoot.cli.ledger_option import cache_option
from surefoot.cli.numbers import AT_ONCE, SECONDS, TOKENS
from surefoot.models.settings import EFFORTS
from surefoot.report.words import plain

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class Terms(Struct, frozen=True):
    """On what terms models are asked. `sure_from`: what the first grader of a cascade decides alone."""

    sure_from: float = 0.9
    max_cost: float | None = None
    concurrency: int = 16
    timeout: float | None = None
    effort: str | None = None
    max_tokens: int | None = None
    cache: str | Path | None = None  # a file, or a ledger
    prices: Path | None = None
    yes: bool = False


max_cost_option = click.option(
    "--max-cost", type=float, metavar="USD", help="Stop before more than this is spent, whoever spends it."
)
effort_option = click.option(
    "--effort", type=click.Choice(EFFORTS), help="How much a model is to think before it replies.  [default: its own]"
)
max_tokens_option = click.option(
    "--max-tokens", type=TOKENS, metavar="N",
    help="Most tokens of one reply, thinking included.  [default: what the reply needs and 8,192, more if cut off]",
)  # fmt: skip
prices_option = click.option(
    "--prices", type=_FILE, metavar="FILE", help="TOML with prices of models, before those that are known."
)
_OPTIONS = (
    max_cost_option,
    click.option("--concurrency", type=AT_ONCE, default=Terms().concurrency, metavar="N", show_default=True,
                 help="Calls at once."),
    click.option("--timeout", type=SECONDS, metavar="SECONDS",
                 help="Longest silence of a server; a slow reply is not silent.  [default: 300]"),
    effort_option,
    max_tokens_option,
    cache_option,
    prices_option,
    click.option("--yes", is_flag=True, help="Spend without a question."),
)  # fmt: skip


def asking_options(command: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def tell_causes(causes: Mapping[str, str]) -> None:
    """Why something was not answered, by what to do about it: each once."""
    for hint, cause in causes.items():
        click.echo(plain(f"error: {cause}", 500), err=True)
        click.echo(plain(f"hint: {hint}", 500), err=True)
