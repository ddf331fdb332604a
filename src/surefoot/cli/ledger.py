"""surefoot export, surefoot import, surefoot ledger purge"""

from __future__ import annotations

from pathlib import Path

import click

from surefoot.cli.options import json_option, ledger_option
from surefoot.cli.output import finish, say
from surefoot.cli.terminal import PERSON
from surefoot.report.words import counted_rows, plain
from surefoot.services.ledger import export_ledger, import_labels
from surefoot.services.retention import purge

_JSON = json_option()


@click.command(epilog="Example: surefoot export ledger.jsonl.zst --ledger runs/surefoot.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@ledger_option
@click.option("--without-replies", is_flag=True, help="Leave out model replies, which quote documents.")
@_JSON
def export(file: Path, ledger: str | None, without_replies: bool, as_json: bool) -> int:
    """Write everything in the ledger to FILE: .jsonl, .jsonl.gz or .jsonl.zst.

    Overwrites only an earlier export.
    """
    done = export_ledger(file, ledger=ledger, replies=not without_replies)
    return finish(done, as_json, lambda: click.echo(f"{counted_rows(done.rows)} of {done.ledger} are in {file}"))


@click.command("import", epilog="Example: surefoot import labels.csv --run runs/first")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--run", "run", type=click.Path(file_okay=False, path_type=Path), metavar="RUN",
    help="The run that the labels are on.",
)  # fmt: skip
@ledger_option
@_JSON
def import_(file: Path, run: Path | None, ledger: str | None, as_json: bool) -> int:
    """Add what `surefoot export` wrote, or labels made elsewhere, to the ledger.

    Labels are CSV or JSON lines of {question_id, axis, value}, perhaps with annotator, attempt, note, at, drawn. If a
    row cannot be used, nothing is added. Exits 4 when labels are on answers that the run lacks.
    """
    done = import_labels(file, run=run, ledger=ledger, person=PERSON)
    words = f"{counted_rows(done.rows)} read; new in {done.ledger}: {counted_rows(done.new)}"
    return finish(done, as_json, lambda: click.echo(words))


@click.group()
def ledger() -> None:
    """What the ledger keeps, and for how long."""


@ledger.command("purge", epilog="Example: surefoot ledger purge --subject user-4711")
@click.option("--older-than", type=click.IntRange(1, 36_500), metavar="DAYS", help="Erase what is older than this.")
@click.option("--subject", metavar="ID", help="Erase all about the person with this id.")
@ledger_option
@click.option("--yes", is_flag=True, help="Really erase; without it, show what would go.")
@_JSON
def purge_(older_than: int | None, subject: str | None, ledger: str | None, yes: bool, as_json: bool) -> int:
    """Erase labels, answers and model replies by age, or by the person they are about.

    Searches the ledger and all runs that it knows or that lie in its folder, and leaves a record. An answer belongs to
    whoever `subject_id`, `user_id`, --map subject=PATH or, in spans, `user.id` named. Exits 4 when it finds none.
    """
    done = purge(older_than=older_than, subject=subject, ledger=ledger, yes=yes)

    def show() -> None:
        what = "erased" if done.erased else "would be erased" if any(done.rows.values()) else "nothing found to erase"
        click.echo(f"{what}: {counted_rows(done.rows)}")
        for line in (
            *(f"run: {run}" for run in done.runs),
            *(f"warning: not purged: {one}" for one in done.unread),
            *done.notes,
        ):
            say(plain(line, 500))

    return finish(done, as_json, show)
