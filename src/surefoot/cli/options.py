"""Options that several commands share, and the ranges of numbers on the command line."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import click

from surefoot.core.errors import UsageError
from surefoot.core.rubric import BY_CITATIONS
from surefoot.services.engine import ENGINES

Command = Callable[..., Any]
Option = Callable[[Command], Command]
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

    def __init__(self) -> None:
        super().__init__(0, 1)


SEED = click.IntRange(-_FARTHEST_SEED, _FARTHEST_SEED)


def together(*options: Option) -> Option:
    """Several options as one decorator; --help shows them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _only_one(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Of two gates, one would be dropped in silence."""
    if len(given) > 1:
        raise UsageError(
            f"--gate is given {len(given)} times, and one gate decides",
            "put the rules into one file, or add them with --rule",
        )
    return given[0] if given else None


def _pairs(_context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """--map FIELD=PATH and --set KEY=VALUE."""
    found = {}
    for pair in given:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            example = "--map answer=output.text" if option.name == "mapping" else "--set max_cost=5"
            raise UsageError(f"{option.opts[0]} {pair!r} is not {option.metavar}", f"write it like {example}")
        found[name] = value
    return found


def gate_option(default: str) -> Option:
    return click.option(
        "--gate", "-g", type=click.Path(), metavar="FILE", multiple=True, callback=_only_one,
        help=f"Rules to decide by.  [default: {default}]",
    )  # fmt: skip


def json_option(words: str = "Print one JSON object.") -> Option:
    return click.option("--json", "as_json", is_flag=True, help=words)


map_option = click.option(
    "--map", "mapping", multiple=True, callback=_pairs, metavar="FIELD=PATH",
    help="Where a field is, such as answer=output.text. Repeatable.",
)  # fmt: skip
rule_option = click.option(
    "--rule", "rules", multiple=True, metavar="RULE",
    help="Add this rule to those of --gate; without --gate, decide by it alone. Repeatable.",
)  # fmt: skip
db_option = click.option(
    "--db", type=click.Path(), metavar="FILE|URL",
    help="The project's database, also postgresql://...  [default: $SUREFOOT_DB, else surefoot.db]",
)  # fmt: skip
citations_option = click.option(
    "--citations", type=click.Choice(list(BY_CITATIONS)), help="Whether answers must cite.  [default: required]",
)  # fmt: skip
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation.")
set_option = click.option(
    "--set", "settings", multiple=True, callback=_pairs, metavar="KEY=VALUE",
    help="A setting of surefoot.toml for once, such as max_cost=5 or concurrency=4. Repeatable.",
)  # fmt: skip
pipeline_options = together(
    click.option(
        "--questions", "-q", type=click.Path(), metavar="FILE", help="Question set. [default: the bundled demo set]"
    ),
    click.option(
        "--corpus", type=click.Path(), metavar="PATH", help="What to search: a corpus, documents, or rows of passages."
    ),
    click.option(
        "--request-template",
        type=click.Path(),
        metavar="FILE",
        help="JSON to POST, with {question}, {id}, {retrieval}.",
    ),
    click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:."),
    map_option,
    set_option,
)
engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
    help="This machine, or the Ray cluster at RAY_ADDRESS.",
)  # fmt: skip
