"""Numbers on the command line. Each has an end: beyond it lies only a slip."""

from __future__ import annotations

from math import isnan
from typing import Any

import click

_A_WEEK = 7 * 24 * 3600
_FARTHEST_SEED = 10**15


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
