"""surefoot export, surefoot import"""

from __future__ import annotations

from pathlib import Path

import click

from surefoot.cli.options import json_option, ledger_option
from surefoot.cli.output import finish
from surefoot.cli.terminal import PERSON
from surefoot.services.ledger import export_ledger, import_labels

_ONE = {"labels": "label", "certificates": "certificate", "steps": "step", "runs": "run", "replies": "reply"}
_JSON = json_option()


@click.command(epilog="Example: surefoot export ledger.jsonl.zst --ledger runs/surefoot.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@ledger_option
@click.option("--without-replies", is_flag=True, help="Leave out replies of models, which quote documents.")
@_JSON
def export(file: Path, ledger: str | None, without_replies: bool, as_json: bool) -> int:
    """Write everything in the ledger to FILE: .jsonl, .jsonl.gz or .jsonl.zst.

    Equal ledgers give equal files. Only an earlier export is overwritten.
    """
    done = export_ledger(file, ledger=ledger, replies=not without_replies)
    return finish(done, as_json, lambda: click.echo(f"{_counts(done.rows)} of {done.ledger} are in {file}"))


@click.command(
    "import", epilog="Example: surefoot import labels.csv --run runs/first; surefoot import ledger.jsonl.zst"
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--run", "run", type=click.Path(file_okay=False, path_type=Path), metavar="RUN",
    help="The run that the labels are on.",
)  # fmt: skip
@ledger_option
@_JSON
def import_(file: Path, run: Path | None, ledger: str | None, as_json: bool) -> int:
    """Add what `surefoot export` wrote, or labels made elsewhere, to the ledger.

    Labels are CSV or JSON lines of {question_id, axis, value}, perhaps with annotator, attempt, note, at, drawn. A row
    that cannot be used is named, and nothing is added; importing twice changes nothing. Exits 4 when labels are on
    answers that the run lacks.
    """
    done = import_labels(file, run=run, ledger=ledger, person=PERSON)
    words = f"{_counts(done.rows)} read; new in {done.ledger}: {_counts(done.new)}"
    return finish(done, as_json, lambda: click.echo(words))


def _counts(rows: dict[str, int]) -> str:
    *first, last = (f"{count:,} {_ONE[name] if count == 1 else name}" for name, count in rows.items())
    return f"{', '.join(first)} and {last}" if first else last
