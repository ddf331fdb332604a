"""Options that several commands share, and the ranges of numbers on the command line."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import click

from surefoot.core.errors import UsageError
from surefoot.core.rubric import BY_CITATIONS
from surefoot.models.seam import EFFORTS
from surefoot.services.engine import ENGINES

Command = Callable[..., Any]
Option = Callable[[Command], Command]
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

    def __init__(self) -> None:
        super().__init__(0, 1)


_SECONDS = Real(0.1, _A_WEEK)
_AT_ONCE = click.IntRange(1, 1_000)
TOKENS = click.IntRange(1, 10_000_000)
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


def _mapping(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for pair in given:
        field, equals, path = pair.partition("=")
        if not (field and equals and path):
            raise UsageError(f"--map {pair!r} is not FIELD=PATH", "write it like --map answer=output.text")
        mapping[field.strip()] = path.strip()
    return mapping


def gate_option(default: str) -> Option:
    return click.option(
        "--gate", "-g", type=click.Path(), metavar="FILE", multiple=True, callback=_only_one,
        help=f"Rules to decide by.  [default: {default}]",
    )  # fmt: skip


def json_option(words: str = "Print one JSON object.") -> Option:
    return click.option("--json", "as_json", is_flag=True, help=words)


map_option = click.option(
    "--map", "mapping", multiple=True, callback=_mapping, metavar="FIELD=PATH",
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
cache_option = click.option(
    "--cache", metavar="FILE|URL",
    help="Where to keep paid replies for reuse.  [default: the user's cache folder]",
)  # fmt: skip
citations_option = click.option(
    "--citations", type=click.Choice(list(BY_CITATIONS)), default="required", show_default=True,
    help="Whether answers must cite their support.",
)  # fmt: skip
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation.")
# Of commands that ask pipelines.
concurrency_option = click.option(
    "--concurrency", type=_AT_ONCE, default=8, show_default=True, metavar="N", help="Questions at once."
)
timeout_option = click.option(
    "--timeout", type=_SECONDS, default=60.0, show_default=True, metavar="SECONDS", help="For one question."
)
retries_option = click.option(
    "--retries", type=click.IntRange(0, 100), default=2, show_default=True, metavar="N",
    help="After temporary errors.",
)  # fmt: skip
pipeline_options = together(
    click.option(
        "--questions", "-q", type=click.Path(), metavar="FILE", help="Question set. [default: the bundled demo set]"
    ),
    click.option(
        "--corpus", type=click.Path(), metavar="PATH", help="What to search: a corpus, documents, or rows of passages."
    ),
    timeout_option,
    click.option(
        "--request-template",
        type=click.Path(),
        metavar="FILE",
        help="JSON to POST, with {question}, {id}, {retrieval}.",
    ),
    click.option("--prompt", metavar="NAME|FILE", default="answer_with_licence", show_default=True, help="For chat:."),
    map_option,
)
# Of pipelines, some of which are chat models.
chat_options = together(
    click.option("--max-cost", type=float, metavar="USD", help="Never spend more than this."),
    click.option("--effort", type=click.Choice(EFFORTS), help="How much a model thinks.  [default: its own]"),
    click.option("--max-tokens", type=TOKENS, metavar="N",
                 help="Longest reply, thinking included.  [default: 8,192 more than the text needs]"),
    click.option("--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
                 help="Prices of models, in TOML."),
)  # fmt: skip
# Of commands that ask language models.
asking_options = together(
    chat_options,
    click.option("--concurrency", type=_AT_ONCE, default=16, metavar="N", show_default=True,
                 help="Calls at once."),
    click.option("--timeout", type=_SECONDS, metavar="SECONDS",
                 help="Longest silence of a server.  [default: 300]"),
    cache_option,
    yes_option,
)  # fmt: skip

engine_options = together(
    click.option(
        "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
        help="This machine, or the Ray cluster at RAY_ADDRESS.",
    ),
    click.option(
        "--work", type=click.Path(file_okay=False), metavar="FOLDER",
        help="Where to keep finished parts of a cluster's work.  [default: a cache]",
    ),
)  # fmt: skip
