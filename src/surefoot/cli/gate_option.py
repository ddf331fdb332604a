"""The option that names a gate. Of two, one would be dropped in silence, so it is taken once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from surefoot.errors import UsageError

Command = Callable[..., Any]


def gate_option(default: str) -> Callable[[Command], Command]:
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
