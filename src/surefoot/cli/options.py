"""Options that several commands share, and the ranges of numbers on the command line."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import click

from surefoot.errors import UsageError

Command = Callable[..., Any]
_A_WEEK = 7 * 24 * 3600
_FARTHEST_SEED = 10**15

ledger_option = click.option(
    "--ledger",
    metavar="PATH|URL",
    help="The project's ledger: a file, or postgresql://...  "
    "[default: $SUREFOOT_LEDGER, else surefoot.db beside the runs]",
)
cache_option = click.option(
    "--cache",
    metavar="FILE|LEDGER",
    help="Where replies are kept: a repeat costs nothing, and a ledger shares them.  "
    "[default: in the user's cache folder]",
)


def gate_option(default: str) -> Callable[[Command], Command]:
    """Of two gates, one would be dropped in silence, so it is taken once."""
    return click.option(
        "--gate", "-g", metavar="FILE", multiple=True, callback=_only_one,
        help=f"Rules to decide by.  [default: {default}]",
    )  # fmt: skip


def _only_one(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str | None:
    if len(given) > 1:
        raise UsageError(
            f"--gate is given {len(given)} times, and one gate decides",
            "put the rules into one file, or add them with --rule",
        )
    return given[0] if given else None


class Real(click.FloatRange):
    """A range of click's lets nan through, which lies in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        number = float(super().convert(value, param, ctx))
        if isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


class Share(Real):
    """From 0 to 1."""

    def __init__(self, *, inside: bool = False) -> None:
        """`inside`: neither 0 nor 1."""
        super().__init__(0, 1, min_open=inside, max_open=inside)


SECONDS = Real(0.1, _A_WEEK)
AT_ONCE = click.IntRange(1, 1_000)
TOKENS = click.IntRange(1, 10_000_000)
RETRIES = click.IntRange(0, 100)
SEED = click.IntRange(-_FARTHEST_SEED, _FARTHEST_SEED)
