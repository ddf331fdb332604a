"""Numbers on the command line."""

from __future__ import annotations

from math import isnan
from typing import Any

import click


class Share(click.FloatRange):
    """From 0 to 1; a range of click's lets nan through, which lies in none."""

    def __init__(self, *, inside: bool = False) -> None:
        """`inside`: neither 0 nor 1."""
        super().__init__(0, 1, min_open=inside, max_open=inside)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        number = float(super().convert(value, param, ctx))
        if isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number
