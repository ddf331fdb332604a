"""surefoot build"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from surefoot.cli.options import SEED, citations_option, json_option, map_option, set_option, yes_option
from surefoot.cli.output import PERSON, finish
from surefoot.core.errors import UsageError
from surefoot.core.words import counted, plain
from surefoot.services import build as service


@click.command(epilog="Example: surefoot build corpus.jsonl --out questions.jsonl --size 130")
@click.argument("corpus", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The question set, as JSON lines."
)
@click.option("--size", type=click.IntRange(1, 10_000), default=130, show_default=True, metavar="N", help="Questions.")
@click.option("--mix", metavar="KIND=N,...", help="Other shares, such as plain=60,unanswerable=40.")
@click.option(
    "--from-traces",
    type=click.Path(exists=True, path_type=Path),
    metavar="LOG",
    help="Propose questions from this log: answered badly, refused, or rare.",
)
@map_option
@citations_option
@click.option("--accept-all", is_flag=True, help="Accept them unread; the set records that.")
@click.option("--seed", type=SEED, default=0, show_default=True, metavar="N", help="Draws other questions.")
@click.option("--model", metavar="NAME", help="Language model to word the questions.")
@set_option
@yes_option
@json_option()
def build(corpus: Path | None, as_json: bool, mix: str | None, model: str | None, **options: Any) -> int:  # noqa: ANN401
    """Make a question set from documents: questions that they answer, and questions that they do not.

    The questions are proposals, to be read with `surefoot questions review`. Repeat the command to continue.
    """
    shares = None if mix is None else _shares(mix)
    made = service.build_questions(corpus, mix=shares, model=model, person=PERSON, **options)
    kinds = ", ".join(f"{count} {name}" for name, count in made.made.items() if count)
    lines = [f"{plain(made.file)}: {counted(made.questions, 'question')} ({kinds})"]
    if made.proposed:
        lines.append(f"next: surefoot questions review {plain(made.file)} --corpus {plain(str(corpus or 'CORPUS'))}")
    return finish(made, as_json, lambda: click.echo("\n".join(lines)))


def _shares(mix: str) -> dict[str, int]:
    found = {}
    for part in mix.split(","):
        name, _, count = part.strip().partition("=")
        if not count.strip().isdecimal():
            raise UsageError(
                f"--mix {mix}: {part.strip()!r} is not KIND=NUMBER", "write it like plain=60,unanswerable=40"
            )
        found[name.strip()] = int(count)
    return found
