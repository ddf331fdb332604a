"""surefoot build"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from surefoot.cli.options import SEED
from surefoot.cli.terminal import PERSON
from surefoot.errors import UsageError
from surefoot.report.words import counted, plain
from surefoot.services import build as service


@click.command(epilog="Example: surefoot build corpus.jsonl --out questions.jsonl --size 130")
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The question set: JSON lines."
)
@click.option("--size", type=click.IntRange(1, 10_000), default=130, show_default=True, help="How many questions.")
@click.option("--mix", metavar="KIND=N,...", help="Other shares than the protocol's, such as plain=60,unanswerable=40.")
@click.option("--accept-all", is_flag=True, help="Accept them unread; the set keeps a record of that.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Another number, other questions.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def build(corpus: Path, out: Path, size: int, mix: str | None, accept_all: bool, seed: int, as_json: bool) -> int:
    """Make a question set of documents: questions they answer, and questions proven to have no answer in them.

    What is in the file already stays and counts, so an interrupted build goes on where it stopped. The questions are
    proposals: `surefoot questions review` shows each beside its evidence.
    """
    shares = None if mix is None else _shares(mix)
    made = service.build(corpus, out=out, size=size, mix=shares, accept_all=accept_all, seed=seed, person=PERSON)
    if as_json:
        click.echo(msgspec.json.encode(made.to_json()))
        return int(made.exit_code)
    kinds = ", ".join(f"{count} {name}" for name, count in made.made.items() if count)
    click.echo(f"{plain(made.file)}: {counted(made.questions, 'question')} ({kinds})")
    if made.proposed:
        click.echo(f"next: surefoot questions review {plain(made.file)} --corpus {plain(str(corpus))}")
    return int(made.exit_code)


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
